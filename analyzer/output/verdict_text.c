// SPDX-License-Identifier: BSD-2-Clause
/* A verdict for people: who limps, why, the findings, what could not be judged, and how far to trust it; under 100 columns.
 * With --explain also what was ruled out, and every look. */

#include "verdict_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "colours.h"
#include "finding.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "verdict_tasks.h"

/* By a vote, with everything that decided it. */
static void add_votes(struct text *t, const struct verdict *v, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char a[WORDS_LEN], b[WORDS_LEN];

	text_add(t, " %s, peers' median %s:", words_value(s, e->value, a),
		 words_value(s, e->peers, b));
	text_add(t, " %s%s", words_ratio(e->ratio, a), words_less(e));
	if (s->added > 0 && !*words_less(e))
		text_add(t, " with %s added to both", words_value(s, s->added, a));
	if (isfinite(e->usual) && fabs(e->usual - 1) >= 0.005)
		text_add(t, " after its own usual %s", words_ratio(e->usual, a));
	if (strcmp(s->score, "z"))
		text_add(t, " (%.2f %s);", e->z, s->score);
	else
		text_add(t, " (z" TEXT_TIE "%s);", words_score(e->z, a));
	text_add(t, " %u" TEXT_TIE "of" TEXT_TIE "%u %s", e->flagged, e->judged, s->counts);
	if (strchr(v->method, ','))
		text_add(t, " ; by %s", s->method);
	if (e->n_peers)
		text_add(t, " ; %u" TEXT_TIE "peer%s", e->n_peers, text_plural(e->n_peers));
	if (isfinite(e->spread))
		text_add(t, " within %.0f" TEXT_TIE "%%", 100 * (e->spread - 1));
}

/* The slowest requests, the mean, and the signals that it combines. */
static void add_details(struct text *t, const struct verdict *v, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char a[WORDS_LEN], b[WORDS_LEN];

	if (isfinite(e->p99))
		text_add(t, " ; p99 %s, peers' %s", words_value(s, e->p99, a),
			 words_value(s, e->p99_peers, b));
	if (isfinite(e->w1))
		text_add(t, " ; on average %s", words_ratio(e->w1, a));
	for (size_t i = 0; i < FINDING_PARTS && e->parts[i].ratio > 0; i++)
		text_add(t, "%s %s" TEXT_TIE "%s", i ? "," : " ; of these",
			 verdict_signal(v, e->parts[i].signal)->name,
			 words_ratio(e->parts[i].ratio, a));
}

static void print_finding(const struct verdict *v, const struct finding *e, bool explain)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char name[WORDS_LEN];
	struct text t = {0};

	text_put(&t, "- ");
	if (e->needs > 0) {
		words_finding(&t, v, e);
		if (explain) {
			text_put(&t, ":");
			words_finding_basis(&t, v, e);
			add_details(&t, v, e);
		}
	} else {
		text_add(&t, "%s %s:", words_signal(s, e->disk, name), words_mark(v, e));
		add_votes(&t, v, e);
		add_details(&t, v, e);
	}
	if (e->held)
		text_put(&t, " ; held, too few events since");
	text_print(&t, stdout, "", 2, 6);
}

static void print_state(const struct incident *in)
{
	struct text t = {0}, said TEXT_SCOPED = {0};
	char at[TIME_TEXT_LEN], s[WORDS_LEN];
	const char *semicolon;

	text_enclose(&t, "not indicted: ", sentence_suspicion(&said, in), "");
	text_enclose(&t, t.len ? " ; " : "", sentence_confidence(&said, in), "");
	semicolon = t.len ? ";" : "";
	text_enclose(&t, " (", sentence_doubts(&said, in), ")");
	output_time(in->onset_ns, at);
	if (in->chronic)
		text_add(&t, " %s chronic: so since %s or before", semicolon, at);
	else
		text_add(&t, " %s since %s, %s %s later", semicolon, at,
			 in->suspicion ? "noticed" : "indicted",
			 words_span(in->decided_ns - in->onset_ns, s));
	output_time(in->last_ns, at);
	if (in->held)
		text_add(&t, " ; held since %s: too few events to judge again", at);
	else
		text_add(&t, " ; %s%s", in->open ? "still so" : "over since ", in->open ? "" : at);
	text_enclose(&t, " ; ", sentence_times(&said, in), "");
	text_print(&t, stdout, "", 2, 4);
}

/* What there may be nothing to say of. */
static void print_part(const char *what, const char *said)
{
	if (*said)
		text_say(2, 4, "%s: %s", what, said);
}

/* A paragraph whose first `head` bytes are in this colour. */
static void print_headed(const char *words, size_t head, enum colour colour)
{
	struct text first TEXT_SCOPED = {0}, label TEXT_SCOPED = {0}, rest = {0};
	size_t width;

	text_put_bytes(&first, words, head);
	text_put(&label, colour_begin(colour));
	width = label.len;
	text_put_plain(&label, text_of(&first));
	width = label.len - width;
	text_put(&label, colour_end(colour));
	text_put(&rest, words + head);
	text_print(&rest, stdout, text_of(&label), width, 4);
}

static void print_incident(const struct verdict *a, size_t i, bool explain)
{
	const struct incident *in = &a->incidents[i];
	struct text said TEXT_SCOPED = {0};
	char node[HOST_LEN];

	verdict_headline(&said, a, i);
	output_clean(verdict_node(a, in->node), node, sizeof(node));
	print_headed(text_of(&said), strlen(node) + 1 + strlen(sentence_verb(in)),
		     in->suspicion ? COLOUR_WARN : COLOUR_BAD);
	text_reset(&said);
	print_state(in);
	text_say(2, 4, "why: %s", cause_why(in->cause, in->why));
	print_part("jobs", sentence_impact(&said, a, in));
	print_part("a guess", sentence_guess(&said, &in->guess));
	for (size_t k = 0; k < in->n_findings; k++)
		print_finding(a, &in->findings[k], explain);
}

static void print_verdict(const struct verdict *a, bool explain)
{
	const struct notice *instead = verdict_replacement(a);
	size_t told = !verdict_indicts(a);
	bool well = verdict_statuses(a, false).of[STATUS_WELL] == a->n_nodes && !instead &&
		    !a->kinds_doubtful;
	struct text t TEXT_SCOPED = {0};

	if (instead)
		sentence_notice(&t, a, instead);
	else if (!verdict_indicts(a))
		sentence_nobody(&t, a, false);
	if (t.len)
		print_headed(text_of(&t), strcspn(text_of(&t), ",:;"),
			     well ? COLOUR_GOOD : COLOUR_WARN);
	/* who is only suspicious comes last */
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < a->n_incidents; i++) {
			if (last != (a->incidents[i].suspicion != SUSPICION_NONE))
				continue;
			printf("%s", told++ ? "\n" : "");
			print_incident(a, i, explain);
		}
}

/* ---- notices, what was judged and what was not ----------------------------------------------- */

static void print_notice(const struct verdict *a, const struct notice *r)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];
	struct text t = {0};

	text_put(&t, "- ");
	sentence_notice(&t, a, r);
	text_add(&t, " (%s", notice_words[r->kind]);
	if (r->to_ns > r->from_ns)
		text_add(&t, " ; %s to %s", output_time(r->from_ns, from),
			 output_time(r->to_ns, to));
	text_put(&t, " )");
	text_print(&t, stdout, "", 2, 4);
}

static void print_notices(const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	struct notice all;
	bool told;

	if (a->n_notices == (instead != NULL))
		return;
	printf("\nalso seen, no verdict:\n");
	told = verdict_restarts(a, INT64_MIN, &all);
	if (told)
		print_notice(a, &all);
	for (size_t i = 0; i < a->n_notices; i++)
		if (&a->notices[i] != instead && (!told || a->notices[i].kind != NOTICE_RESTART))
			print_notice(a, &a->notices[i]);
}

enum kind { KIND_JUDGED, KIND_ALIKE, KIND_UNJUDGED };

static enum kind kind_of(const struct verdict_signal *s)
{
	return !s->judged ? KIND_UNJUDGED : s->alike ? KIND_ALIKE : KIND_JUDGED;
}

static bool is_listed(const struct verdict_signal *s)
{
	return !s->aspect && (s->judged || !s->optional);
}

static void list_signals(struct text *t, const struct verdict *a, enum kind kind)
{
	const char *comma = "";

	for (size_t i = 0; i < a->n_signals; i++) {
		if (!is_listed(&a->signals[i]) || kind_of(&a->signals[i]) != kind)
			continue;
		text_add(t, " %s %s", comma, a->signals[i].name);
		comma = ",";
	}
}

/* On which signals anybody was judged; of many, where that is most of them, on which not. Of few, both. */
static void print_signals(const struct verdict *a)
{
	size_t n[KIND_UNJUDGED + 1] = {0}, all = 0;
	struct text t = {0};
	enum { MANY = 10 };

	for (size_t i = 0; i < a->n_signals; i++) {
		all += is_listed(&a->signals[i]);
		n[kind_of(&a->signals[i])] += is_listed(&a->signals[i]);
	}
	if (n[KIND_JUDGED] || !n[KIND_ALIKE]) {
		bool but = all > MANY && 2 * n[KIND_JUDGED] > all;

		if (!n[KIND_JUDGED])
			text_put(&t, "none");
		else if (but)
			text_put(&t, n[KIND_JUDGED] == all ? "all" : "all but");
		list_signals(&t, a, but ? KIND_UNJUDGED : KIND_JUDGED);
		text_print(&t, stdout, "signals", 9, 9);
	}
	if (n[KIND_ALIKE]) {
		list_signals(&t, a, KIND_ALIKE);
		text_put(&t, " (no server differs by more than the floor)");
		text_print(&t, stdout, "alike", 9, 9);
	}
	if (n[KIND_UNJUDGED] && all <= MANY) {
		list_signals(&t, a, KIND_UNJUDGED);
		text_print(&t, stdout, "without", 9, 9);
	}
}

/* A line for each group: "trained  windows 15, slack 1.2". */
static void print_facts(const struct verdict *a)
{
	for (size_t i = 0, end; i < a->n_facts; i = end) {
		struct text t = {0};

		for (end = i; end < a->n_facts; end++) {
			const struct fact *x = &a->facts[end];
			char name[sizeof(x->name)];

			if (strcmp(x->group, a->facts[i].group) != 0)
				break;
			snprintf(name, sizeof(name), "%s", x->name);
			for (char *p = name; *p; p++)
				*p = *p == '_' ? ' ' : *p;
			text_add(&t, " %s %s", end == i ? "" : *name ? "," : ":", name);
			if (*x->text)
				text_add(&t, " %s", x->text);
			else
				text_add(&t, " %.4g", x->number);
		}
		text_print(&t, stdout, a->facts[i].group, 9, 9);
	}
}

/* Where the first line has not said it. */
static void print_statuses(const struct verdict *a)
{
	struct text t = {0};

	if (verdict_statuses(a, false).of[STATUS_WELL] == a->n_nodes ||
	    (!verdict_indicts(a) && !verdict_replacement(a)))
		return;
	sentence_statuses(&t, a, false);
	text_print(&t, stdout, "servers", 9, 9);
}

/* Of which resources it is not known that nothing limps. */
static void print_unproven(const struct verdict *a)
{
	struct text t = {0}, said TEXT_SCOPED = {0}, label TEXT_SCOPED = {0};

	for (int r = RESOURCE_NONE + 1; r < RESOURCES; r++)
		text_enclose(&t, t.len ? " ; " : "",
			     sentence_unproven_all(&said, a, (enum resource)r, false), "");
	if (!t.len)
		return;
	text_put(&t, " (longer recordings, more peers or steadier work show smaller ones)");
	text_add(&label, "%sunproven%s ", colour_begin(COLOUR_WARN), colour_end(COLOUR_WARN));
	text_print(&t, stdout, text_of(&label), 9, 9);
}

static void print_judged(const struct verdict *a)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];
	size_t judged = verdict_judged(a);
	struct text t = {0};

	if (!a->n_windows) {
		text_put(&t, "nothing");
		text_print(&t, stdout, "judged", 9, 9);
		return;
	}
	text_add(&t, "%s to %s, %zu", output_time(a->from_ns, from), output_time(a->to_ns, to),
		 judged);
	if (judged < a->n_nodes)
		text_add(&t, " of %zu", a->n_nodes);
	text_add(&t, " servers, %zu %s of %g" TEXT_TIE "s", a->n_windows, verdict_counted(a),
		 a->window_s);
	text_print(&t, stdout, "judged", 9, 9);
	sentence_gaps(&t, a);
	if (t.len)
		text_print(&t, stdout, "gaps", 9, 9);
	print_statuses(a);
	print_unproven(a);
	print_signals(a);
	print_facts(a);
}

/* Lines about the data, as they are, but no wider than the rest. */
static void print_notes(const struct verdict *a)
{
	struct text said TEXT_SCOPED = {0};
	/* of a table: that is no clock */
	bool repeated = any_of(i, a->n_notes, a->notes[i].kind == NOTE_REPEATED);
	const char *unseen;

	for (size_t i = 0; (unseen = sentence_unseen(a, i)); i++)
		text_say(0, 2, "%s", unseen);
	if (a->unknown_hardware)
		text_say(0, 2, "models of disks are not recorded: all disks were taken for peers");
	if (a->duplicates && !repeated)
		text_say(0, 2, "%llu seconds were recorded more than once (clock set back?)",
			 (unsigned long long)a->duplicates);
	if (a->lost)
		text_say(0, 2, "%llu records were lost by the probes", (unsigned long long)a->lost);
	if (a->damaged)
		text_say(0, 2, "%llu values are damaged and count as missing",
			 (unsigned long long)a->damaged);
	for (size_t i = 0; i < a->n_notes; i++)
		text_say(0, 2, "%s", sentence_note(&said, &a->notes[i]));
}

/* ---- what could not be judged, and --explain ----------------------------------------------------- */

enum { LISTED = 20, GROUPS = 10 };

/* ---- who was not judged ---------------------------------------------------------------------- */

/* Those judged on nothing first; then by signal, reason and server. */
static int by_group(const void *x, const void *y)
{
	const struct unjudged *a = *(const struct unjudged *const *)x;
	const struct unjudged *b = *(const struct unjudged *const *)y;

	return ORDER(b->signal == SIGNAL_ALL, a->signal == SIGNAL_ALL) ?: ORDER(a->signal, b->signal)
		       ?: unjudged_compare(a, b) ?: ORDER(a->node, b->node);
}

/* How many of n begin with one signal and reason. */
static size_t run_of(const struct unjudged *const *at, size_t n)
{
	size_t len = 0;

	while (len < n && at[len] && at[len]->signal == at[0]->signal &&
	       !unjudged_compare(at[len], at[0]))
		len++;
	return len;
}

static bool same_servers(const struct unjudged *const *a, const struct unjudged *const *b, size_t n)
{
	return !any_of(i, n, a[i]->node != b[i]->node);
}

/* The run of len at at[0], and the signals of the runs after it that say the same of the same
 * servers, which are set to NULL. */
static void print_group(const struct verdict *a, const struct unjudged **at, size_t len, size_t n)
{
	struct text t = {0};
	const struct unjudged *first = at[0];
	char node[HOST_LEN];

	text_put(&t, "not judged");
	if (first->signal != SIGNAL_ALL)
		text_add(&t, " on %s", verdict_signal(a, first->signal)->name);
	for (size_t i = len, next; i < n; i += next) {
		next = at[i] ? run_of(at + i, n - i) : 1;
		if (!at[i] || next != len || unjudged_compare(at[i], first) ||
		    !same_servers(at, at + i, len))
			continue;
		text_add(&t, " , %s", verdict_signal(a, at[i]->signal)->name);
		memset(at + i, 0, len * sizeof(*at));
	}
	for (size_t i = 0; i < len && i < LISTED; i++)
		text_add(&t, " %s %s", i ? "," : ":",
			 output_clean(verdict_node(a, at[i]->node), node, sizeof(node)));
	text_put(&t, " ");
	text_put_more(&t, len, LISTED);
	text_put(&t, " (");
	sentence_unjudged(&t, first);
	text_put(&t, ")");
	text_print(&t, stdout, "", 0, 2);
}

static void verdict_unjudged(const struct verdict *a)
{
	const struct unjudged **at = calloc(a->n_unjudged + 1, sizeof(*at));
	size_t groups = 0, left = 0, n = 0;

	if (!at)
		return;
	for (size_t i = 0; i < a->n_unjudged; i++)
		if (verdict_tells_unjudged(a, &a->unjudged[i]))
			at[n++] = &a->unjudged[i];
	sort(at, n, by_group);
	for (size_t i = 0, len; i < n; i += len) {
		len = at[i] ? run_of(at + i, n - i) : 1;
		if (!at[i])
			continue;
		if (groups++ < GROUPS)
			print_group(a, at + i, len, n - i);
		else
			left++;
	}
	if (left)
		printf("not judged for other reasons: %zu more (--json has them all)\n", left);
	free(at);
}

/* ---- what was looked at ---------------------------------------------------------------------- */

static void explain_ruled_out(const struct verdict *a)
{
	char node[HOST_LEN];

	if (a->checklist)
		return; /* nothing is between a vote and an indictment */
	printf("\nworse than the peers, but ruled out:%s\n", a->n_ruled_out ? "" : " nothing");
	for (size_t i = 0; i < a->n_ruled_out; i++) {
		const struct finding *e = &a->ruled_out[i];
		struct text t = {0};

		text_add(&t, "- %s: ", output_clean(verdict_node(a, e->node), node, sizeof(node)));
		words_finding(&t, a, e);
		if (e->needs > 0)
			text_put(&t, ":");
		words_finding_basis(&t, a, e);
		text_add(&t, ": %s", sentence_why_not(a, e));
		text_print(&t, stdout, "", 2, 6);
	}
}

static void explain_signals(const struct verdict *a)
{
	printf("\n%-28s %-14s %-10s %9s %9s  %-16s %s\n", "signal", "word", "role", "added",
	       "floor", "unit", "judged");
	for (size_t i = 0; i < a->n_signals; i++) {
		const struct verdict_signal *s = &a->signals[i];
		char name[64], word[64];

		printf("%-28.28s %-13.28s %-10s %9.*f %9.*f  %-16.16s %s\n",
		       output_plain(s->name, name, sizeof(name)),
		       output_plain(s->word, word, sizeof(word)), may_words[s->role], s->decimals,
		       s->added, s->decimals, s->floor, *s->unit ? s->unit : "-",
		       s->judged ? "yes" : "no");
	}
}

/* How much worse than its peers a server would have had to be to be named by now. */
static void explain_seen(const struct verdict *a)
{
	char ratio[WORDS_LEN];
	struct text t = {0};

	for (size_t i = 0; i < a->n_signals; i++) {
		const struct verdict_signal *s = &a->signals[i];

		if (s->judged && s->indicts_from > 0)
			text_add(&t, "%s %s %s",
				 t.len ? " ," : "would have been seen by now, or more:", s->name,
				 words_ratio(s->indicts_from, ratio));
	}
	if (t.len) {
		printf("\n");
		text_print(&t, stdout, "", 0, 2);
	}
}

enum { NUMBER_LEN = 16 };

/* At most eight characters; "-" is not known. */
static const char *short_number(double v, char buf[NUMBER_LEN])
{
	if (!isfinite(v))
		return "-";
	snprintf(buf, NUMBER_LEN, fabs(v) >= 0.01 && fabs(v) < 9999.5 ? "%.4g" : "%.2g", v);
	return buf;
}

static void explain_looks(const struct verdict *a)
{
	char t[TIME_TEXT_LEN], node[HOST_LEN], disk[INSTANCE_LEN], word[64];
	char value[NUMBER_LEN], peers[NUMBER_LEN], ratio[NUMBER_LEN], z[NUMBER_LEN];

	bool limits = any_of(i, a->n_looks, a->looks[i].threshold > 0);

	printf("\n%-20s %-14s %-7s %-13s %8s %8s %7s %7s\n", "from", "server",
	       limits ? "limit" : "disk", "signal", "value", "peers", "ratio",
	       limits ? "score" : "z");
	for (size_t i = 0; i < a->n_looks; i++) {
		const struct explained_look *l = &a->looks[i];

		printf("%-20.20s %-14.14s %-7.7s %-13s %8s %8s %7s %7s%s%s\n",
		       output_time(l->from_ns, t), output_plain(verdict_node(a, l->node), node, 15),
		       limits	  ? short_number(l->threshold, disk)
		       : *l->disk ? output_plain(l->disk, disk, sizeof(disk))
				  : "-",
		       output_plain(verdict_signal(a, l->signal)->word, word, 14),
		       short_number(l->value, value), short_number(l->peers, peers),
		       short_number(l->ratio, ratio), short_number(l->z, z),
		       l->unjudged   ? " not judged"
		       : l->odd	     ? " "
		       : !l->flagged ? ""
		       : limits	     ? " odd"
				     : " bad",
		       /* enough evidence: of a signal that only supports it indicts nobody */
		       l->odd && !l->unjudged ? role_words[verdict_signal(a, l->signal)->role]
					      : "");
	}
}

/* ---- all of it ------------------------------------------------------------------------------------ */

void verdict_text(const struct verdict *a, bool explain)
{
	if (!a->cannot.why)
		print_verdict(a, explain);
	print_notices(a);
	verdict_tasks(a);
	if (!a->cannot.why) {
		printf("\n");
		print_judged(a);
	}
	verdict_unjudged(a);
	print_notes(a);
	if (!explain)
		return;
	explain_ruled_out(a);
	explain_signals(a);
	explain_seen(a);
	explain_looks(a);
}
