// SPDX-License-Identifier: BSD-2-Clause
/* A verdict for people: who limps, why, the findings, and how far to trust it; under 100 columns. */
#include "verdict_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "finding.h"
#include "verdict_print.h"
#include "verdict_tasks.h"

/* By a vote, with everything that decided it. */
static void print_votes(struct flow *f, const struct verdict *v, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char a[WORDS_LEN], b[WORDS_LEN];
	bool less = e->ratio > 1 && e->value < e->peers; /* shown the other way round */

	flow(f, "%s, peers' median %s:", words_value(s, e->value, a), words_value(s, e->peers, b));
	flow(f, "%s%s", words_ratio(e->ratio, a), less ? TIE "less" : "");
	if (s->added > 0 && !less)
		flow(f, "with %s added to both", words_value(s, s->added, a));
	if (isfinite(e->usual) && fabs(e->usual - 1) >= 0.005)
		flow(f, "after its own usual %s", words_ratio(e->usual, a));
	if (strcmp(s->score, "z"))
		flow(f, "(%.2f %s);", e->z, s->score);
	else
		flow(f, "(z" TIE "%s);", words_score(e->z, a));
	flow(f, "%u" TIE "of" TIE "%u %s", e->flagged, e->judged, s->counts);
	if (strchr(v->method, ','))
		flow(f, "; by %s", s->method);
	if (e->n_peers)
		flow(f, "; %u" TIE "peer%s", e->n_peers, e->n_peers == 1 ? "" : "s");
	if (isfinite(e->spread))
		flow(f, "within %.0f" TIE "%%", 100 * (e->spread - 1));
}

static void print_finding(const struct verdict *v, const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char a[FINDING_LEN], b[WORDS_LEN];
	struct flow f = flow_start(2, 6);

	if (e->needs > 0) {
		flow(&f, "- %s", words_finding(v, e, a));
	} else {
		flow(&f, "- %s %s:", words_signal(s, e->disk, b), words_mark(v, e));
		print_votes(&f, v, e);
	}
	if (isfinite(e->p99))
		flow(&f, "; p99 %s, peers' %s", words_value(s, e->p99, a),
		     words_value(s, e->p99_peers, b));
	if (isfinite(e->w1))
		flow(&f, "; on average %s", words_ratio(e->w1, a));
	if (e->held)
		flow(&f, "; held, too few events since");
	flow_end();
}

static void print_state(const struct incident *in)
{
	char t[TIME_TEXT_LEN], s[WORDS_LEN], text[SENTENCE_LEN];
	const char *semicolon = "";
	struct flow f = flow_start(2, 4);

	if (*sentence_suspicion(in, text)) {
		flow(&f, "not indicted: %s", text);
		semicolon = ";";
	}
	if (*sentence_confidence(in, text)) {
		flow(&f, "%s %s", semicolon, text);
		semicolon = ";";
	}
	if (*sentence_doubts(in, text))
		flow(&f, "(%s)", text);
	if (in->chronic)
		flow(&f, "%s chronic: so since %s or before", semicolon,
		     output_time(in->onset_ns, t));
	else
		flow(&f, "%s since %s, %s %s later", semicolon, output_time(in->onset_ns, t),
		     in->suspicious ? "noticed" : "indicted",
		     words_span(in->decided_ns - in->onset_ns, s));
	if (in->held)
		flow(&f, "; held since %s: too few events to judge again",
		     output_time(in->last_ns, t));
	else if (in->open)
		flow(&f, "; still so");
	else
		flow(&f, "; over since %s", output_time(in->last_ns, t));
	if (*sentence_times(in, text))
		flow(&f, "; %s", text);
	flow_end();
}

static void print_incident(const struct verdict *a, size_t i)
{
	const struct incident *in = &a->incidents[i];
	char line[HEADLINE_LEN], guess[SENTENCE_LEN];

	flow_say(0, 4, "%s", verdict_headline(a, i, line, sizeof(line)));
	print_state(in);
	flow_say(2, 4, "why: %s", cause_why(in->cause, in->why));
	if (*sentence_impact(a, in, guess))
		flow_say(2, 4, "jobs: %s", guess);
	if (*sentence_guess(&in->guess, guess))
		flow_say(2, 4, "a guess: %s", guess);
	for (size_t k = 0; k < in->n_findings; k++)
		print_finding(a, &in->findings[k]);
}

static void print_verdict(const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	size_t told = !verdict_indicts(a);
	char text[SENTENCE_LEN];

	if (instead)
		flow_say(0, 4, "%s", sentence_notice(a, instead, text));
	else if (!verdict_indicts(a))
		flow_say(0, 4, "%s", sentence_nobody(a, false, text));
	/* who is only suspicious comes last */
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < a->n_incidents; i++) {
			if (last != (a->incidents[i].suspicious != SUSPICION_NONE))
				continue;
			printf("%s", told++ ? "\n" : "");
			print_incident(a, i);
		}
}

/* ---- notices, what was judged and what was not ----------------------------------------------- */

static void print_notice(const struct verdict *a, const struct notice *r)
{
	char text[SENTENCE_LEN], from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];
	struct flow f = flow_start(2, 4);

	flow(&f, "- %s (%s", sentence_notice(a, r, text), notice_words[r->kind]);
	if (r->to_ns > r->from_ns)
		flow(&f, "; %s to %s", output_time(r->from_ns, from), output_time(r->to_ns, to));
	flow(&f, ")");
	flow_end();
}

static void print_notices(const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	struct notice all;
	bool told;

	if (a->n_notices == (instead != NULL))
		return;
	printf("\nnobody is indicted for:\n");
	told = verdict_restarts(a, INT64_MIN, &all);
	if (told)
		print_notice(a, &all);
	for (size_t i = 0; i < a->n_notices; i++)
		if (&a->notices[i] != instead && (!told || a->notices[i].kind != NOTICE_REBOOT))
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

static void list_signals(struct flow *f, const struct verdict *a, enum kind kind)
{
	const char *comma = "";

	for (size_t i = 0; i < a->n_signals; i++) {
		if (!is_listed(&a->signals[i]) || kind_of(&a->signals[i]) != kind)
			continue;
		flow(f, "%s %s", comma, a->signals[i].name);
		comma = ",";
	}
}

/* On which signals anybody was judged; of many, where that is most of them, on which not. Of few, both. */
static void print_signals(const struct verdict *a)
{
	size_t n[KIND_UNJUDGED + 1] = {0}, all = 0;
	struct flow f;
	enum { MANY = 10 };

	for (size_t i = 0; i < a->n_signals; i++) {
		all += is_listed(&a->signals[i]);
		n[kind_of(&a->signals[i])] += is_listed(&a->signals[i]);
	}
	if (n[KIND_JUDGED] || !n[KIND_ALIKE]) {
		bool but = all > MANY && 2 * n[KIND_JUDGED] > all;

		f = flow_label("on", 9);
		if (!n[KIND_JUDGED])
			flow(&f, "no signal");
		else if (but)
			flow(&f, n[KIND_JUDGED] == all ? "all signals" : "all signals but");
		list_signals(&f, a, but ? KIND_UNJUDGED : KIND_JUDGED);
		flow_end();
	}
	if (n[KIND_ALIKE]) {
		f = flow_label("alike", 9);
		list_signals(&f, a, KIND_ALIKE);
		flow(&f, "(no server differs by more than the floor)");
		flow_end();
	}
	if (n[KIND_UNJUDGED] && all <= MANY) {
		f = flow_label("not on", 9);
		list_signals(&f, a, KIND_UNJUDGED);
		flow_end();
	}
}

/* A line for each group: "trained  windows 15, slack 1.2". */
static void print_facts(const struct verdict *a)
{
	for (size_t i = 0, end; i < a->n_facts; i = end) {
		struct flow f = flow_label(a->facts[i].group, 9);

		for (end = i; end < a->n_facts; end++) {
			const struct fact *x = &a->facts[end];
			char name[sizeof(x->name)];

			if (strcmp(x->group, a->facts[i].group) != 0)
				break;
			snprintf(name, sizeof(name), "%s", x->name);
			for (char *p = name; *p; p++)
				*p = *p == '_' ? ' ' : *p;
			flow(&f, "%s %s", end == i ? "" : *name ? "," : ":", name);
			if (*x->text)
				flow(&f, "%s", x->text);
			else
				flow(&f, "%.4g", x->number);
		}
		flow_end();
	}
}

/* Where the first line has not said it. */
static void print_statuses(const struct verdict *a)
{
	char text[SENTENCE_LEN];
	struct flow f;

	if (verdict_statuses(a, false).of[STATUS_WELL] == a->n_nodes ||
	    (!verdict_indicts(a) && !verdict_replacement(a)))
		return;
	f = flow_label("servers", 9);
	flow(&f, "%s", sentence_statuses(a, false, text));
	flow_end();
}

/* Of which resources it is not known that nothing limps. */
static void print_unproven(const struct verdict *a)
{
	char text[SENTENCE_LEN];
	bool any = false;
	struct flow f;

	for (int r = RESOURCE_NONE + 1; r < RESOURCES; r++) {
		if (!*sentence_unproven_all(a, (enum resource)r, false, text))
			continue;
		if (!any)
			f = flow_label("unproven", 9);
		flow(&f, "%s%s", any ? "; " : "", text);
		any = true;
	}
	if (!any)
		return;
	flow(&f, "(longer recordings, more peers or steadier work show less)");
	flow_end();
}

static void print_judged(const struct verdict *a)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];
	size_t judged = verdict_judged(a);
	struct flow f = flow_label("judged", 9);

	if (!a->n_windows) {
		flow(&f, "nothing");
		flow_end();
		return;
	}
	flow(&f, "%s to %s,", output_time(a->from_ns, from), output_time(a->to_ns, to));
	flow(&f, "%zu", judged);
	if (judged < a->n_nodes)
		flow(&f, "of %zu", a->n_nodes);
	flow(&f, "servers, %zu %s of %g" TIE "s", a->n_windows, verdict_counted(a), a->window_s);
	flow_end();
	print_statuses(a);
	print_unproven(a);
	print_signals(a);
	print_facts(a);
}

/* Lines about the data, as they are, but no wider than the rest. */
static void print_notes(const struct verdict *a)
{
	char text[SENTENCE_LEN];
	bool repeated = false; /* of a table: that is no clock */
	const char *unseen;

	for (size_t i = 0; i < a->n_notes; i++)
		repeated |= a->notes[i].kind == NOTE_REPEATED;
	for (size_t i = 0; (unseen = sentence_unseen(a, i)); i++)
		flow_say(0, 2, "%s", unseen);
	if (a->unknown_hardware)
		flow_say(0, 2, "models of disks are not recorded: all disks were taken for peers");
	if (a->duplicates && !repeated)
		flow_say(0, 2, "%llu seconds were recorded more than once (clock set back?)",
			 (unsigned long long)a->duplicates);
	if (a->lost)
		flow_say(0, 2, "%llu records were lost by the probes", (unsigned long long)a->lost);
	if (a->damaged)
		flow_say(0, 2, "%llu values are damaged and count as missing",
			 (unsigned long long)a->damaged);
	for (size_t i = 0; i < a->n_notes; i++)
		flow_say(0, 2, "%s", sentence_note(&a->notes[i], text));
}

void verdict_text(const struct verdict *a, bool explain)
{
	if (!a->cannot.why)
		print_verdict(a);
	print_notices(a);
	verdict_tasks(a);
	if (!a->cannot.why) {
		printf("\n");
		print_judged(a);
	}
	verdict_unjudged(a);
	print_notes(a);
	if (explain)
		verdict_explain(a);
}
