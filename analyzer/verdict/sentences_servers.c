// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of all servers: how many are what, and why one was not judged. */
#include "sentences_parts.h"

#include "userspace/common/output.h"

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

/* Of which the most is needed; of which nothing is known first. */
static const struct unproven *hardest(const struct unproven *u, size_t n)
{
	const struct unproven *most = u;

	for (size_t i = 1; i < n && most->seen > 0; i++)
		if (!(u[i].seen > 0) || u[i].seen > most->seen)
			most = &u[i];
	return most;
}

static void add_ratio(char *buf, double ratio)
{
	if (ratio < 1e6)
		sentence_add(buf, "%.*f x", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
	else /* and what has no number at all */
		sentence_add(buf, "over a million x");
}

const char *sentence_unproven(const struct verdict *a, const struct unproven *u,
			      char buf[SENTENCE_LEN])
{
	*buf = 0;
	sentence_add(buf, "%s would not have been seen: ", twice[u->resource]);
	if (u->seen > 0) {
		sentence_add(buf, "a ratio of ");
		add_ratio(buf, u->seen);
		sentence_add(buf, " was needed in %s", verdict_signal(a, u->signal)->name);
	} else {
		sentence_add(buf, "%s could be compared with too few peers under its load",
			     verdict_signal(a, u->signal)->name);
	}
	return buf;
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
		struct unproven two[2];

		if ((resource != RESOURCE_NONE && u->resource != resource) ||
		    verdict_status(a, u->node, now) != STATUS_UNPROVEN)
			continue;
		l.servers += u->node != last;
		last = u->node;
		two[0] = l.most ? *l.most : *u;
		two[1] = *u;
		l.most = !l.most || hardest(two, 2) == &two[1] ? u : l.most;
		two[0] = l.least ? *l.least : *u;
		l.least = !l.least || hardest(two, 2) == &two[0] ? u : l.least;
	}
	return l;
}

const char *sentence_unproven_all(const struct verdict *a, enum resource resource, bool now,
				  char buf[SENTENCE_LEN])
{
	struct lack l = lack_of(a, resource, now);

	*buf = 0;
	if (!l.most)
		return buf;
	sentence_add(buf, "%s of ", resource_words[resource]);
	if (l.servers < a->n_nodes)
		sentence_add(buf, "%zu of ", l.servers);
	sentence_add(buf, "%zu server%s: ", a->n_nodes, sentence_s(a->n_nodes));
	if (!(l.most->seen > 0)) {
		sentence_add(buf, "too few peers under the same load in %s",
			     verdict_signal(a, l.most->signal)->name);
		return buf;
	}
	if (l.least->seen < l.most->seen) {
		add_ratio(buf, l.least->seen);
		sentence_add(buf, " to ");
	}
	add_ratio(buf, l.most->seen);
	sentence_add(buf, " was needed in %s", verdict_signal(a, l.most->signal)->name);
	return buf;
}

/* ---- statuses ------------------------------------------------------------------------------------------------ */

const char *sentence_status(const struct verdict *a, size_t node, bool now, char buf[SENTENCE_LEN])
{
	const struct incident *in = verdict_against(a, node, now);
	const struct unproven *unproven;
	const struct unjudged *u;
	enum status s;
	size_t n;

	*buf = 0;
	if (in && in->suspicious)
		return sentence_suspicion(in, buf);
	s = verdict_status(a, node, now);
	if (in || s == STATUS_WELL)
		return buf;
	if (s == STATUS_UNPROVEN) {
		unproven = verdict_unproven(a, node, &n);
		return sentence_unproven(a, hardest(unproven, n), buf);
	}
	u = verdict_why_unjudged(a, node);
	if (u)
		return sentence_unjudged(u, buf);
	return sentence_cannot(&a->cannot, buf);
}

static size_t put_count(char *buf, const struct status_counts *n, enum status s, size_t before)
{
	if (n->of[s])
		sentence_add(buf, "%s%zu %s", before ? ", " : "", n->of[s],
			     n->of[s] == 1 ? status_table[s].one : status_table[s].all);
	return n->of[s];
}

const char *sentence_statuses(const struct verdict *a, bool now, char buf[SENTENCE_LEN])
{
	struct status_counts n = verdict_statuses(a, now);
	size_t told = 0;

	*buf = 0;
	for (size_t s = STATUSES; s-- > 0;)
		if (s != STATUS_UNJUDGED)
			told += put_count(buf, &n, (enum status)s, told);
	put_count(buf, &n, STATUS_UNJUDGED, told);
	return buf;
}

const char *sentence_not_judged(const struct verdict *a, char buf[SENTENCE_LEN])
{
	enum { NAMED = 3 };
	char why[SENTENCE_LEN];
	size_t n = 0;

	*buf = 0;
	for (size_t i = 0; i < a->n_nodes; i++) {
		if (verdict_status(a, i, true) != STATUS_UNJUDGED || n++ >= NAMED)
			continue;
		sentence_add(buf, "%s%s (%s)", n > 1 ? ", " : "", a->nodes[i],
			     sentence_status(a, i, true, why));
	}
	if (n > NAMED)
		sentence_add(buf, ", and %zu more", n - NAMED);
	return buf;
}

static bool any_acknowledged(const struct verdict *a)
{
	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == NOTICE_ACKNOWLEDGED)
			return true;
	return false;
}

/* "; s3, s4 stopped reporting" */
static void put_silent(const struct verdict *a, bool now, char *buf)
{
	enum { NAMED = 3 };
	char name[HOST_LEN];
	size_t n = 0;

	for (size_t i = 0; i < a->n_unjudged; i++) {
		const struct unjudged *u = &a->unjudged[i];

		if (u->why != UNJUDGED_SILENT || verdict_against(a, u->node, now) || n++ >= NAMED)
			continue;
		sentence_add(buf, "%s %s", n == 1 ? ";" : ",",
			     output_clean(verdict_node(a, u->node), name, sizeof(name)));
	}
	if (n > NAMED)
		sentence_add(buf, ", and %zu more", n - NAMED);
	if (n)
		sentence_add(buf, " stopped reporting");
}

const char *sentence_nobody(const struct verdict *a, bool now, char buf[SENTENCE_LEN])
{
	struct status_counts n = verdict_statuses(a, now);
	char counts[SENTENCE_LEN];

	*buf = 0;
	if (!n.of[STATUS_WELL] && !n.of[STATUS_UNPROVEN] && !n.of[STATUS_SUSPICIOUS])
		sentence_add(buf, "no server could be judged");
	else if (n.of[STATUS_WELL] == a->n_nodes)
		sentence_add(buf, "no %sserver limps", any_acknowledged(a) ? "other " : "");
	else if (n.of[STATUS_WELL] + n.of[STATUS_UNPROVEN] == a->n_nodes)
		sentence_add(buf, "no %sserver is seen to limp, but %s",
			     any_acknowledged(a) ? "other " : "",
			     sentence_unproven(a, lack_of(a, RESOURCE_NONE, now).most, counts));
	else
		sentence_add(buf, "no server is indicted: %s", sentence_statuses(a, now, counts));
	put_silent(a, now, buf);
	return buf;
}

/* ---- not judged ---------------------------------------------------------------------------------------------- */

const char *sentence_unjudged(const struct unjudged *u, char buf[SENTENCE_LEN])
{
	*buf = 0;
	switch (u->why) {
	case UNJUDGED_NO_GROUP: sentence_add(buf, "in no group of peers"); break;
	case UNJUDGED_NO_DATA: sentence_add(buf, "no data"); break;
	case UNJUDGED_TOO_FEW: sentence_add(buf, "too few events, or too few peers"); break;
	case UNJUDGED_NO_VALUE: sentence_add(buf, "no value of what is judged"); break;
	case UNJUDGED_FEW_SERVERS: sentence_add(buf, "fewer than 3 servers to compare"); break;
	case UNJUDGED_FEW_VALUES:
		sentence_add(buf, "at most %zu value%s in a window of %g s; %u are needed", u->n,
			     sentence_s(u->n), u->window_s, u->needed);
		break;
	case UNJUDGED_NO_LOGARITHM:
		sentence_add(buf, "zero has no logarithm, and there is little else: set --floor");
		break;
	case UNJUDGED_FEW_PEERS:
		sentence_add(buf, "too few peers with %u values at the same time and load",
			     u->needed);
		break;
	case UNJUDGED_FEW_WINDOWS:
		sentence_add(buf, "judged in %zu window%s of %g s; %u are needed", u->n,
			     sentence_s(u->n), u->window_s, u->needed);
		break;
	case UNJUDGED_BLIND:
		sentence_add(buf, "blind: the threshold is %.2f", u->threshold);
		if (u->most > 0)
			sentence_add(buf, ", the largest possible value %.2f", u->most);
		break;
	case UNJUDGED_MODEL_ONLY: sentence_add(buf, "in the model but not in the data"); break;
	case UNJUDGED_SMALL_GROUP:
		sentence_add(buf, "its group has fewer than three servers");
		break;
	case UNJUDGED_NOBODY: sentence_add(buf, "nobody could be judged"); break;
	case UNJUDGED_LITTLE: sentence_add(buf, "too little data in this time"); break;
	case UNJUDGED_UNTRAINED: sentence_add(buf, "no data in training"); break;
	case UNJUDGED_UNKNOWN:
		sentence_add(buf, "not in the model, and too little data or no peers");
		break;
	case UNJUDGED_LOAD: sentence_add(buf, "no peer had a load like its own"); break;
	case UNJUDGED_HALVES:
		sentence_add(
			buf,
			"two halves of the servers differ, and it cannot be told which is slow");
		if (u->n)
			sentence_add(buf, ": %zu of them are slower", u->n);
		break;
	case UNJUDGED_FEW_LIKE:
		sentence_add(
			buf,
			"no state of it has four of the same job, kind and size on two others");
		break;
	case UNJUDGED_NONE_ENDED:
		sentence_add(buf, "nothing that jobs did there ended well");
		break;
	case UNJUDGED_TASKS: sentence_add(buf, "this method names tasks, never servers"); break;
	case UNJUDGED_LEFT_OUT:
		if (*u->file)
			sentence_add(buf, "'%s' is left out: ", u->file);
		sentence_add(buf, "%s", u->error);
		break;
	case UNJUDGED_SILENT: sentence_add(buf, "stopped reporting"); break;
	case UNJUDGED_WHYS: break;
	}
	return buf;
}

static const char *have(size_t n)
{
	return n == 1 ? "has" : "have";
}

const char *sentence_cannot(const struct cannot *c, char buf[SENTENCE_LEN])
{
	*buf = 0;
	switch (c->why) {
	case CANNOT_NOT: break;
	case CANNOT_EMPTY_SOURCE: sentence_add(buf, "the source is empty"); break;
	case CANNOT_NOT_RECORDED:
		sentence_add(buf, "nothing was recorded of these metrics in this time");
		break;
	case CANNOT_NO_INTERVAL: sentence_add(buf, "there is no data"); break;
	case CANNOT_FEW_SERVERS:
		sentence_add(buf, "%u servers are needed, and %zu %s data", c->needed, c->n,
			     have(c->n));
		break;
	case CANNOT_APART:
		sentence_add(
			buf,
			"no %u servers of one group have data at the same time: their times do not "
			"overlap, or their groups are smaller",
			c->needed);
		break;
	case CANNOT_FEW_WINDOWS:
		sentence_add(buf,
			     "%u intervals of %g s are needed in which 3 servers have data, and "
			     "there are "
			     "%zu",
			     c->needed, c->window_s, c->n);
		break;
	case CANNOT_SHORT:
		sentence_add(
			buf,
			"%zu intervals in which 3 servers have data make %zu windows, and %u are "
			"needed: record at least %zu intervals",
			c->intervals, c->n, c->needed, c->intervals_needed);
		break;
	case CANNOT_NO_SIGNAL:
		sentence_add(buf, "no signal of any server had enough events and enough peers");
		break;
	case CANNOT_NO_METRIC:
		sentence_add(buf, "no metric had enough data on three servers; see 'limpet show'");
		break;
	case CANNOT_NO_PROGRESS:
		sentence_add(buf, "no log says how far a task was while it ran");
		break;
	case CANNOT_NO_STATE:
		sentence_add(buf, "no log has a state that ended well in this time");
		break;
	case CANNOT_NO_VALUE: sentence_add(buf, "the table has no value in this time"); break;
	case CANNOT_NO_NUMBER:
		sentence_add(buf, "the table has no number in any column of a metric");
		break;
	case CANNOT_NO_DIRECTION:
		sentence_add(
			buf,
			"it is not known of any column whether more or less is worse: name one "
			"with --signal");
		break;
	case CANNOT_UNJUDGED: return sentence_unjudged(&c->server, buf);
	}
	return buf;
}
