// SPDX-License-Identifier: BSD-2-Clause
/* What a report says besides incidents: notices, what was ruled out, what was looked at, who was not
 * judged, and notes about the data. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/html.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "analyzer/output/words.h"
#include "userspace/common/sort.h"

static void left_out(FILE *to, size_t n)
{
	if (n > REPORT_LINES)
		fprintf(to,
			"<p class=\"note\">%zu more are left out: <code>limpet diagnose --explain "
			"--json</code> has them.</p>\n",
			n - REPORT_LINES);
}

void report_cell(FILE *to, const char *class, const char *head, const char *text)
{
	fprintf(to, "<td class=\"%s\" data-h=\"%s\">", class, head);
	html_text(to, text);
	fprintf(to, "</td>");
}

/* ---- notices -------------------------------------------------------------------------------------- */

static void put_notice(FILE *to, const struct verdict *a, const struct notice *m)
{
	struct text said TEXT_SCOPED = {0};
	char from[TIME_TEXT_LEN], until[TIME_TEXT_LEN];

	fprintf(to, "<li>");
	html_text(to, sentence_notice(&said, a, m));
	html_say(to, " (%s", notice_words[m->kind]);
	if (m->to_ns > m->from_ns)
		html_say(to, "; %s to %s", output_time(m->from_ns, from),
			 output_time(m->to_ns, until));
	fprintf(to, ")</li>\n");
}

static void put_notices(FILE *to, const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	struct notice all;
	bool told = verdict_restarts(a, INT64_MIN, &all);
	size_t n = told;

	if (a->n_notices == (instead != NULL))
		return;
	fprintf(to, "<section>\n<h2>Nobody is indicted for</h2>\n<ul>\n");
	if (told)
		put_notice(to, a, &all);
	for (size_t i = 0; i < a->n_notices; i++) {
		const struct notice *m = &a->notices[i];

		if (m != instead && (!told || m->kind != NOTICE_RESTART) && n++ < REPORT_LINES)
			put_notice(to, a, m);
	}
	fprintf(to, "</ul>\n");
	left_out(to, n);
	fprintf(to, "</section>\n");
}

/* ---- ruled out ------------------------------------------------------------------------------------ */

COMPARISON(by_score, struct finding *const, ORDER((*b)->z, (*a)->z) ?: ORDER(*a, *b))

static void put_ruled_out_line(FILE *to, const struct verdict *a, const struct finding *e)
{
	const struct verdict_signal *of = verdict_signal(a, e->signal);
	char s[WORDS_LEN], t[TIME_TEXT_LEN];

	html_enclose(to, "<tr><td>", verdict_node(a, e->node), "</td>");
	report_cell(to, "all", "", words_signal(of, e->disk, s));
	report_cell(to, "n", "value", words_value(of, e->value, s));
	report_cell(to, "n", "peers", words_value(of, e->peers, s));
	report_cell(to, "n", "ratio", words_ratio(e->ratio, s));
	report_cell(to, "n", "evidence", words_score(e->score, s));
	report_cell(to, "n", "over", words_span(ns_of_s(e->window_s), s));
	report_cell(to, "n all", "from", output_time(e->onset_ns, t));
	report_cell(to, "all", "", sentence_why_not(a, e));
	fprintf(to, "</tr>\n");
}

static void put_ruled_out(FILE *to, const struct verdict *a)
{
	const struct finding **at = a->n_ruled_out ? calloc(a->n_ruled_out, sizeof(*at)) : NULL;

	if (!at)
		return;
	for (size_t i = 0; i < a->n_ruled_out; i++)
		at[i] = &a->ruled_out[i];
	sort(at, a->n_ruled_out, by_score);
	fprintf(to, "<section>\n<h2>Worse than the peers, but ruled out</h2>\n<table "
		    "class=\"findings\"><thead><tr><th>"
		    "server</th><th>signal</th><th class=\"n\">value</th><th class=\"n\">peers' "
		    "median</th><th class=\"n\">ratio</th><th class=\"n\">evidence</th><th "
		    "class=\"n\">over</th><th class=\"n\">from</th><th>because</th></tr></thead>\n"
		    "<tbody>\n");
	for (size_t i = 0; i < a->n_ruled_out && i < REPORT_LINES; i++)
		put_ruled_out_line(to, a, at[i]);
	fprintf(to, "</tbody></table>\n");
	left_out(to, a->n_ruled_out);
	fprintf(to, "</section>\n");
	free(at);
}

/* ---- what was looked at --------------------------------------------------------------------------- */

/* The worst of one server's local signals; NULL: none came as far as z 2. */
static const struct history_row *worst_of(const struct report *r, size_t node)
{
	const struct history *h = r->h;
	const struct history_row *worst = NULL;

	for (size_t i = 0; i < h->nodes[node].n; i++) {
		const struct history_row *row = &h->rows[h->nodes[node].at[i]];

		if (verdict_signal(r->a, row->signal)->role == ROLE_LOCAL &&
		    row->at[row->worst].z >= 2 && (!worst || history_worse(row, worst)))
			worst = row;
	}
	return worst;
}

size_t report_nearest(const struct report *r, size_t n, const struct history_row **out)
{
	size_t found = 0;

	for (size_t i = 0; i < r->h->n_nodes; i++) {
		const struct history_row *row = worst_of(r, i);
		size_t at = found;

		while (row && at > 0 && history_worse(row, out[at - 1]))
			at--;
		if (!row || at == n)
			continue;
		found += found < n;
		memmove(out + at + 1, out + at, (found - at - 1) * sizeof(*out));
		out[at] = row;
	}
	return found;
}

static const char *outcome(const struct verdict *a, size_t s, const struct history_row *worst)
{
	if (!a->signals[s].judged)
		return "not judged";
	for (size_t i = 0; i < a->n_incidents; i++)
		for (size_t k = 0; k < a->incidents[i].n_findings; k++)
			if (a->incidents[i].findings[k].signal == s)
				return a->incidents[i].findings[k].symptom ? "symptom" : "finding";
	for (size_t i = 0; i < a->n_ruled_out; i++)
		if (a->ruled_out[i].signal == s)
			return "ruled out";
	return worst && worst->at[worst->worst].marks & MARK_FLAGGED ? "above its peers at times"
								     : "nothing";
}

static void put_signal(FILE *to, const struct report *r, size_t s)
{
	const struct verdict_signal *of = &r->a->signals[s];
	const struct history_row *worst = NULL;
	char text[WORDS_LEN];

	for (size_t i = 0; i < r->h->n_rows; i++)
		if (r->h->rows[i].signal == s && (!worst || history_worse(&r->h->rows[i], worst)))
			worst = &r->h->rows[i];
	fprintf(to, "<tr><td>");
	html_text(to, words_signal(of, "", text));
	fprintf(to, " <small>%s</small></td>", may_words[of->role]);
	report_cell(to, "all", "", outcome(r->a, s, worst));
	if (!worst) {
		for (int i = 0; i < 4; i++)
			fprintf(to, "<td class=\"none\"></td>");
		fprintf(to, "</tr>\n");
		return;
	}
	fprintf(to, "<td data-h=\"most apart\">");
	html_text(to, verdict_node(r->a, worst->node));
	html_say(to, "%s%s", *worst->disk ? " " : "", worst->disk);
	fprintf(to, "</td>");
	report_cell(to, "n", "z", words_score(worst->at[worst->worst].z, text));
	report_cell(to, "n", "value", words_value(of, worst->at[worst->worst].value, text));
	report_cell(to, "n", "peers", words_value(of, worst->at[worst->worst].peers, text));
	fprintf(to, "</tr>\n");
}

static void put_signals(FILE *to, const struct report *r)
{
	fprintf(to,
		"<section>\n<h2>What was looked at</h2>\n<p class=\"note\">Every signal, the "
		"server that was furthest from its peers in it, and what came of it.</p>\n<table>"
		"<thead><tr><th>signal</th><th>outcome</th><th>most apart</th><th "
		"class=\"n\">z</th><th class=\"n\">value</th><th class=\"n\">peers' "
		"median</th></tr></thead>\n<tbody>\n");
	for (size_t s = 0; s < r->a->n_signals; s++)
		put_signal(to, r, s);
	fprintf(to, "</tbody></table>\n</section>\n");
}

/* ---- who was not judged --------------------------------------------------------------------------- */

/* Those judged on nothing first; then by reason, server and signal. */
COMPARISON(by_reason, struct unjudged,
	   ORDER(b->signal == SIGNAL_ALL, a->signal == SIGNAL_ALL) ?: unjudged_compare(a, b)
		   ?: ORDER(a->signal, b->signal) ?: ORDER(a->node, b->node))

/* How many of n have the signal and reason of the first. */
static size_t run_of(const struct unjudged *at, size_t n)
{
	size_t len = 1;

	while (len < n && at[len].signal == at->signal && !unjudged_compare(&at[len], at))
		len++;
	return len;
}

static void put_group(FILE *to, const struct verdict *a, const struct unjudged *at, size_t len)
{
	enum { NAMES = 12 };
	struct text why TEXT_SCOPED = {0};

	fprintf(to, "<li>");
	if (at->signal != SIGNAL_ALL)
		html_say(to, "%s: ", verdict_signal(a, at->signal)->name);
	html_say(to, "%s (", sentence_unjudged(&why, at));
	if (len == a->n_nodes)
		html_say(to, "all %zu servers", len);
	for (size_t i = 0; i < len && i < NAMES && len < a->n_nodes; i++)
		html_say(to, "%s%s", i ? ", " : "", verdict_node(a, at[i].node));
	if (len > NAMES && len < a->n_nodes)
		html_say(to, " and %zu more", len - NAMES);
	fprintf(to, ")</li>\n");
}

static void put_unjudged(FILE *to, const struct verdict *a)
{
	struct unjudged *at = a->n_unjudged ? malloc(a->n_unjudged * sizeof(*at)) : NULL;
	size_t groups = 0, n = 0;

	for (size_t i = 0; at && i < a->n_unjudged; i++)
		if (verdict_tells_unjudged(a, &a->unjudged[i]))
			at[n++] = a->unjudged[i];
	if (!n) {
		free(at);
		return;
	}
	sort(at, n, by_reason);
	fprintf(to, "<section>\n<h2>Not judged</h2>\n<ul>\n");
	for (size_t i = 0, len; i < n; i += len) {
		len = run_of(at + i, n - i);
		if (groups++ < REPORT_LINES)
			put_group(to, a, at + i, len);
	}
	fprintf(to, "</ul>\n");
	left_out(to, groups);
	fprintf(to, "</section>\n");
	free(at);
}

/* ---- the data ------------------------------------------------------------------------------------- */

static void put_count(FILE *to, uint64_t n, const char *what)
{
	if (n)
		fprintf(to, "<li>%llu %s</li>\n", (unsigned long long)n, what);
}

static void put_notes(FILE *to, const struct verdict *a)
{
	const char *unseen = sentence_unseen(a, 0);
	struct text said TEXT_SCOPED = {0};

	if (!unseen && !a->unknown_hardware && !a->duplicates && !a->lost && !a->damaged &&
	    !a->n_notes)
		return;
	fprintf(to, "<section>\n<h2>About the data</h2>\n<ul>\n");
	for (size_t i = 0; (unseen = sentence_unseen(a, i)); i++)
		fprintf(to, "<li>%s</li>\n", unseen);
	if (a->unknown_hardware)
		fprintf(to, "<li>models of disks are not recorded: all disks were taken for "
			    "peers</li>\n");
	put_count(to, a->duplicates, "seconds were recorded more than once (clock set back?)");
	put_count(to, a->lost, "records were lost by the probes");
	put_count(to, a->damaged, "values are damaged and count as missing");
	for (size_t i = 0; i < a->n_notes && i < REPORT_LINES; i++)
		html_enclose(to, "<li>", sentence_note(&said, &a->notes[i]), "</li>\n");
	fprintf(to, "</ul>\n");
	left_out(to, a->n_notes);
	fprintf(to, "</section>\n");
}

void report_lists(FILE *to, const struct report *r)
{
	put_notices(to, r->a);
	put_ruled_out(to, r->a);
	if (!r->a->cannot.why)
		put_signals(to, r);
	put_unjudged(to, r->a);
	put_notes(to, r->a);
}
