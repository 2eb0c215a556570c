// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of all servers: how many are what, and why one was not judged. */
#include "sentences.h"

#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* ---- what is not proven ------------------------------------------------------------------------------------- */

/* Of each resource: what would not have been seen. */
static const char *const twice[RESOURCES] = {
	[RESOURCE_NONE] = "",
	[RESOURCE_DISK] = "a disk that takes 2 x as long",
	[RESOURCE_NETWORK] = "a network that loses 2 x as much",
	[RESOURCE_PROCESSORS] = "processors that are waited for 2 x as long",
	[RESOURCE_TASKS] = "tasks that take 2 x as long",
	[RESOURCE_COLUMN] = "values 2 x worse",
};

/* Whether more is needed of x, or nothing is known of it. */
static bool harder(const struct unproven *x, const struct unproven *than)
{
	return than->suspicious_from > 0 &&
	       (!(x->suspicious_from > 0) || x->suspicious_from > than->suspicious_from);
}

static void add_ratio(struct text *t, double ratio)
{
	if (ratio < 1e6)
		text_add(t, "%.*f x", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
	else /* and what has no number at all */
		text_put(t, "over a million x");
}

const char *sentence_unproven(struct text *t, const struct verdict *a, const struct unproven *u)
{
	size_t from = t->len;

	text_add(t, "%s would not have been seen: ", twice[u->resource]);
	if (u->suspicious_from > 0) {
		text_put(t, "a ratio of ");
		add_ratio(t, u->suspicious_from);
		text_add(t, " was needed in %s", verdict_signal(a, u->signal)->name);
	} else {
		text_add(t, "%s could be compared with too few peers under its load",
			 verdict_signal(a, u->signal)->name);
	}
	return text_from(t, from);
}

/* What servers that are well otherwise lack in one resource, or (RESOURCE_NONE) in any. */
struct lack {
	const struct unproven *least, *most; /* NULL: nothing */
	size_t servers;
};

static struct lack lack_of(const struct verdict *a, enum resource resource, bool now)
{
	struct lack l = {0};
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < a->n_unproven; i++) {
		const struct unproven *u = &a->unproven[i];

		if ((resource != RESOURCE_NONE && u->resource != resource) ||
		    verdict_status(a, u->node, now) != STATUS_UNPROVEN)
			continue;
		l.servers += u->node != last;
		last = u->node;
		l.most = !l.most || harder(u, l.most) ? u : l.most;
		l.least = l.least && harder(u, l.least) ? l.least : u;
	}
	return l;
}

const char *sentence_unproven_all(struct text *t, const struct verdict *a, enum resource resource,
				  bool now)
{
	size_t from = t->len;
	struct lack l = lack_of(a, resource, now);

	if (!l.most)
		return text_from(t, from);
	text_add(t, "%s of ", resource_words[resource]);
	if (l.servers < a->n_nodes)
		text_add(t, "%zu of ", l.servers);
	text_add(t, "%zu server%s: ", a->n_nodes, text_plural(a->n_nodes));
	if (!(l.most->suspicious_from > 0)) {
		text_add(t, "too few peers under the same load in %s",
			 verdict_signal(a, l.most->signal)->name);
		return text_from(t, from);
	}
	text_put(t, "faults below ");
	if (l.least->suspicious_from < l.most->suspicious_from) {
		add_ratio(t, l.least->suspicious_from);
		text_put(t, " to ");
	}
	add_ratio(t, l.most->suspicious_from);
	text_add(t, " in %s would be missed", verdict_signal(a, l.most->signal)->name);
	return text_from(t, from);
}

/* ---- statuses ------------------------------------------------------------------------------------------------ */

const char *sentence_status(struct text *t, const struct verdict *a, size_t node, bool now)
{
	size_t from = t->len;
	const struct incident *in = verdict_against(a, node, now);
	const struct unproven *unproven, *hardest;
	const struct unjudged *u;
	enum status s;
	size_t n;

	if (in && in->suspicion)
		return sentence_suspicion(t, in);
	s = verdict_status(a, node, now);
	if (in || s == STATUS_WELL)
		return text_from(t, from);
	if (s == STATUS_UNPROVEN) {
		unproven = hardest = verdict_unproven(a, node, &n);
		for (size_t i = 1; i < n; i++)
			hardest = harder(&unproven[i], hardest) ? &unproven[i] : hardest;
		return sentence_unproven(t, a, hardest);
	}
	u = verdict_why_unjudged(a, node);
	return u ? sentence_unjudged(t, u) : sentence_cannot(t, &a->cannot);
}

static size_t put_count(struct text *t, const struct status_counts *n, enum status s, size_t before)
{
	if (n->of[s])
		text_add(t, "%s%zu %s", before ? ", " : "", n->of[s],
			 n->of[s] == 1 ? status_table[s].one : status_table[s].all);
	return n->of[s];
}

const char *sentence_statuses(struct text *t, const struct verdict *a, bool now)
{
	size_t from = t->len;
	struct status_counts n = verdict_statuses(a, now);
	size_t told = 0;

	for (size_t s = STATUSES; s-- > 0;)
		if (s != STATUS_UNJUDGED)
			told += put_count(t, &n, (enum status)s, told);
	put_count(t, &n, STATUS_UNJUDGED, told);
	return text_from(t, from);
}

const char *sentence_not_judged(struct text *t, const struct verdict *a)
{
	size_t from = t->len;
	enum { NAMED = 3 };
	size_t n = 0;

	for (size_t i = 0; i < a->n_nodes; i++) {
		if (verdict_status(a, i, true) != STATUS_UNJUDGED || n++ >= NAMED)
			continue;
		text_add(t, "%s%s (", n > 1 ? ", " : "", a->nodes[i]);
		sentence_status(t, a, i, true);
		text_put(t, ")");
	}
	text_put_more(t, n, NAMED);
	return text_from(t, from);
}

static bool any_acknowledged(const struct verdict *a)
{
	return any_of(i, a->n_notices, a->notices[i].kind == NOTICE_ACKNOWLEDGED);
}

const char *sentence_silent(struct text *t, const struct verdict *a, bool now)
{
	enum { NAMED = 3 };
	char name[HOST_LEN];
	size_t from = t->len, n = 0;

	for (size_t i = 0; i < a->n_unjudged; i++) {
		const struct unjudged *u = &a->unjudged[i];

		if (u->why != UNJUDGED_SILENT || verdict_against(a, u->node, now) || n++ >= NAMED)
			continue;
		text_add(t, "%s %s", n == 1 ? ";" : ",",
			 output_clean(verdict_node(a, u->node), name, sizeof(name)));
	}
	text_put_more(t, n, NAMED);
	if (n)
		text_put(t, " stopped reporting");
	return text_from(t, from);
}

const char *sentence_nobody(struct text *t, const struct verdict *a, bool now)
{
	size_t from = t->len;
	struct status_counts n = verdict_statuses(a, now);

	if (!n.of[STATUS_WELL] && !n.of[STATUS_UNPROVEN] && !n.of[STATUS_SUSPICIOUS])
		text_put(t, "no server could be judged");
	else if (n.of[STATUS_WELL] == a->n_nodes && a->kinds_doubtful)
		text_put(t,
			 "no server is slower than the others of its group, but one group is "
			 "slower than another: other hardware, or a fault older than these data");
	else if (n.of[STATUS_WELL] == a->n_nodes)
		text_add(t, "no %sserver %s%s", any_acknowledged(a) ? "other " : "",
			 verdict_lacks_source(a) ? "that could be read limps" : "limps",
			 a->kinds ? " within its kind" : "");
	else if (n.of[STATUS_WELL] + n.of[STATUS_UNPROVEN] == a->n_nodes) {
		text_add(t, "no %sserver is seen to limp, but ",
			 any_acknowledged(a) ? "other " : "");
		sentence_unproven(t, a, lack_of(a, RESOURCE_NONE, now).most);
	} else {
		text_put(t, "no server is indicted: ");
		sentence_statuses(t, a, now);
	}
	sentence_silent(t, a, now);
	return text_from(t, from);
}

/* ---- gaps ----------------------------------------------------------------------------------------------------- */

/* Whether it is one of the n longest. */
static bool is_among_longest(const struct verdict *a, size_t i, size_t n)
{
	int64_t len = a->gaps[i].to_ns - a->gaps[i].from_ns;
	size_t longer = 0;

	for (size_t k = 0; k < a->n_gaps && longer < n; k++) {
		int64_t other = a->gaps[k].to_ns - a->gaps[k].from_ns;

		longer += other > len || (other == len && k < i);
	}
	return longer < n;
}

const char *sentence_gaps(struct text *t, const struct verdict *a)
{
	enum { TOLD = 3 };
	size_t from = t->len, told = 0;
	char first[TIME_TEXT_LEN], last[TIME_TEXT_LEN], name[HOST_LEN];

	for (size_t i = 0; i < a->n_gaps; i++) {
		const struct gap *g = &a->gaps[i];
		double min = s_of_ns(g->to_ns - g->from_ns) / 60;
		bool any = g->node == SIZE_MAX;

		if (!is_among_longest(a, i, TOLD))
			continue;
		text_add(t, "%s of %s from %s to %s (%.0f %s)", told++ ? "," : "no data",
			 any ? "any server"
			     : output_clean(verdict_node(a, g->node), name, sizeof(name)),
			 output_time(g->from_ns, first), output_time(g->to_ns, last),
			 min < 600 ? min : min / 60, min < 600 ? "min" : "h");
	}
	text_put_more(t, a->n_gaps, TOLD);
	return text_from(t, from);
}

/* ---- not judged ---------------------------------------------------------------------------------------------- */

const char *sentence_unjudged(struct text *t, const struct unjudged *u)
{
	size_t from = t->len;

	switch (u->why) {
	case UNJUDGED_FEW_VALUES:
		text_add(t, "at most %zu value%s in a window of %g s; %u are needed", u->n,
			 text_plural(u->n), u->window_s, u->needed);
		break;
	case UNJUDGED_FEW_PEERS:
		text_add(t, "too few peers with %u values at the same time and load", u->needed);
		break;
	case UNJUDGED_FEW_WINDOWS:
		text_add(t, "judged in %zu window%s of %g s; %u are needed", u->n,
			 text_plural(u->n), u->window_s, u->needed);
		break;
	case UNJUDGED_BLIND:
		text_add(t, "blind: the threshold is %.2f", u->threshold);
		if (u->most > 0)
			text_add(t, ", the largest possible value %.2f", u->most);
		break;
	case UNJUDGED_HALVES:
		text_put(t,
			 "two groups of the servers differ, and it cannot be told which is slow");
		if (u->n)
			text_add(t, ": %zu of them are slower", u->n);
		break;
	case UNJUDGED_SELDOM:
		text_add(t,
			 "its values come every %.6g s, those of most others every %.6g s: too "
			 "seldom to compare them",
			 u->window_s, u->peers_s);
		break;
	case UNJUDGED_LEFT_OUT:
		if (*u->file)
			text_add(t, "'%s' is left out: ", u->file);
		text_put(t, u->error);
		break;
	default: text_put(t, unjudged_table[u->why].text);
	}
	return text_from(t, from);
}

const char *sentence_cannot(struct text *t, const struct cannot *c)
{
	static const char *const text[] = {
		[CANNOT_NOT] = "",
		[CANNOT_EMPTY_SOURCE] = "the source is empty",
		[CANNOT_NOT_RECORDED] = "nothing was recorded of these metrics in this time",
		[CANNOT_NO_INTERVAL] = "there is no data",
		[CANNOT_NO_SIGNAL] = "no signal of any server had enough events and enough peers",
		[CANNOT_NO_METRIC] =
			"no metric had enough data on three servers; see 'limpet show'",
		[CANNOT_NO_PROGRESS] = "no log says how far a task was while it ran",
		[CANNOT_NO_STATE] = "no log has a state that ended well in this time",
		[CANNOT_NO_NUMBER] = "the table has no number in any column of a metric",
		[CANNOT_NO_DIRECTION] = "it is not known of any column whether more or less is "
					"worse: name one with --signal",
	};
	char first[TIME_TEXT_LEN], last[TIME_TEXT_LEN];
	size_t from = t->len;

	switch (c->why) {
	case CANNOT_NO_VALUE:
		text_add(t, "the table has no value in this time: it has values from %s to %s",
			 output_time(c->from_ns, first), output_time(c->to_ns, last));
		break;
	case CANNOT_FEW_SERVERS:
		text_add(t, "%u servers are needed, and %zu %s data", c->needed, c->n,
			 c->n == 1 ? "has" : "have");
		break;
	case CANNOT_APART:
		text_add(t,
			 "no %u servers of one group have data at the same time: their times do "
			 "not overlap, or their groups are smaller",
			 c->needed);
		break;
	case CANNOT_FEW_WINDOWS:
		text_add(t,
			 "%u intervals of %g s are needed in which 3 servers have data, and there "
			 "are %zu",
			 c->needed, c->window_s, c->n);
		break;
	case CANNOT_SHORT:
		text_add(t,
			 "%zu intervals in which 3 servers have data make %zu windows, and %u are "
			 "needed: record at least %zu intervals",
			 c->intervals, c->n, c->needed, c->intervals_needed);
		break;
	case CANNOT_UNHEARD:
		text_add(t, "nothing was heard of any server since %s",
			 output_time(c->to_ns, last));
		break;
	case CANNOT_UNJUDGED: return sentence_unjudged(t, &c->server);
	default: text_put(t, text[c->why]);
	}
	return text_from(t, from);
}
