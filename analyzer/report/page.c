// SPDX-License-Identifier: BSD-2-Clause
/* page.h: the verdict, and of each server that is indicted its findings. */
#include "page.h"

#include <math.h>
#include <string.h>

#include "analyzer/draw/html.h"
#include "style.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "analyzer/output/flow.h"
#include "userspace/common/clock.h"

/* ---- the verdict ---------------------------------------------------------------------------------- */

static void fact(FILE *to, const char *name, const char *text)
{
	fprintf(to, "<dt>%s</dt><dd>", name);
	html_text(to, text);
	fprintf(to, "</dd>\n");
}

static const char *state_of(const struct incident *in, char *buf, size_t size)
{
	char t[TIME_TEXT_LEN];

	output_time(in->last_ns, t);
	if (in->held)
		snprintf(buf, size, "held since %s: too few events to judge again", t);
	else if (in->open)
		snprintf(buf, size, "still so at the end");
	else
		snprintf(buf, size, "over since %s", t);
	return buf;
}

static void put_facts(FILE *to, const struct verdict *a, const struct incident *in)
{
	char text[SENTENCE_LEN + 8], t[TIME_TEXT_LEN], s[WORDS_LEN], more[SENTENCE_LEN];

	fprintf(to, "<dl>\n");
	if (*sentence_suspicion(in, more))
		fact(to, "not indicted", more);
	sentence_confidence(in, text);
	if (*sentence_doubts(in, more))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ": %.900s", more);
	fact(to, "confidence", text);
	if (in->chronic)
		snprintf(text, sizeof(text), "%s or before (chronic)",
			 output_time(in->onset_ns, t));
	else
		snprintf(text, sizeof(text), "%s, %s %s later", output_time(in->onset_ns, t),
			 in->suspicious ? "noticed" : "indicted",
			 words_span(in->decided_ns - in->onset_ns, s));
	fact(to, "since", text);
	fact(to, "now", state_of(in, text, sizeof(text)));
	if (*sentence_times(in, more))
		fact(to, "how often", more);
	fact(to, "why", cause_why(in->cause, in->why));
	if (*sentence_impact(a, in, more))
		fact(to, "jobs", more);
	if (*sentence_guess(&in->guess, more))
		fact(to, "a guess", more);
	fprintf(to, "</dl>\n");
}

static void put_incident(FILE *to, const struct report *r, size_t i, const char *level)
{
	const struct incident *in = &r->a->incidents[i];
	char first[64], name[HOST_LEN], more[HEADLINE_LEN];

	output_clean(verdict_node(r->a, in->node), name, sizeof(name));
	snprintf(first, sizeof(first), " %s: %s", sentence_verb(in), cause_table[in->cause].word);
	fprintf(to, "<div class=\"verdict\">\n<%s><b>", level);
	html_text(to, name);
	fprintf(to, "</b>");
	html_text(to, first);
	fprintf(to, "</%s>\n", level);
	if (*verdict_particulars(r->a, in, more, sizeof(more))) {
		fprintf(to, "<p class=\"lead\">");
		html_text(to, more);
		fprintf(to, "</p>\n");
	}
	put_facts(to, r->a, in);
	fprintf(to, "</div>\n");
}

static void put_unproven(FILE *to, const struct verdict *a)
{
	char text[SENTENCE_LEN];

	for (int r = RESOURCE_NONE + 1; r < RESOURCES; r++)
		if (*sentence_unproven_all(a, (enum resource)r, false, text)) {
			fprintf(to, "<p class=\"lead\">Unproven: ");
			html_text(to, text);
			fprintf(to, ".</p>\n");
		}
}

static void put_nobody(FILE *to, const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	bool clean = !strcmp(verdict_word(a), "clean"),
	     unproven = !strcmp(verdict_word(a), "unproven");
	char text[SENTENCE_LEN];

	if (a->cannot.why) {
		fprintf(to, "<h1>Cannot judge</h1>\n<p class=\"lead\">");
		html_text(to, sentence_cannot(&a->cannot, text));
		fprintf(to, "</p>\n");
		return;
	}
	if (instead) {
		fprintf(to, "<h1>");
		html_text(to, sentence_notice(a, instead, text));
		fprintf(to, "</h1>\n<p class=\"lead\">No server is indicted: none stands out from "
			    "the others.</p>\n");
		return;
	}
	fprintf(to, clean		? "<h1>No server limps</h1>\n<p class=\"lead\">"
		    : unproven		? "<h1>No server is seen to limp</h1>\n<p class=\"lead\">"
		    : verdict_judged(a) ? "<h1>No server is indicted</h1>\n<p class=\"lead\">"
					: "<h1>No server could be judged</h1>\n<p class=\"lead\">");
	html_say(to, "Of %zu servers %s.", a->n_nodes, sentence_statuses(a, false, text));
	if (clean)
		html_say(to, " None was so much worse than the peers, for so long, that it is more "
			     "than chance.");
	fprintf(to, "</p>\n");
	put_unproven(to, a);
}

bool report_incident(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node)
			return true;
	return false;
}

/* How many indict, or are suspicious; *open: of them. */
static size_t count(const struct verdict *a, bool suspicious, size_t *open)
{
	size_t n = 0;

	*open = 0;
	for (size_t i = 0; i < a->n_incidents; i++) {
		bool it = (a->incidents[i].suspicious != SUSPICION_NONE) == suspicious;

		n += it;
		*open += it && a->incidents[i].open;
	}
	return n;
}

/* "3 servers limp or limped", "oss-3 limps: device-slow" of a single one. */
static const char *limp_of(size_t n, size_t open)
{
	return open == n ? "limp" : open ? "limp or limped" : "limped";
}

static void put_top(FILE *to, const struct verdict *a)
{
	char from[TIME_TEXT_LEN], until[TIME_TEXT_LEN];

	fprintf(to, "<header>\n<p class=\"top\">limpet report");
	if (a->n_windows)
		fprintf(to, " &middot; %s to %s &middot; %zu servers, %zu %s of %g&nbsp;s",
			output_time(a->from_ns, from), output_time(a->to_ns, until), a->n_nodes,
			a->n_windows, verdict_counted(a), a->window_s);
	fprintf(to, "</p>\n");
}

/* The first of those that indict, or are suspicious, and how many more. */
static void put_incidents(FILE *to, const struct report *r, bool suspicious, const char *level)
{
	const struct verdict *a = r->a;
	size_t shown = 0, n, open;

	n = count(a, suspicious, &open);
	for (size_t i = 0; i < a->n_incidents && shown < REPORT_VERDICTS; i++)
		if ((a->incidents[i].suspicious != SUSPICION_NONE) == suspicious) {
			put_incident(to, r, i, level);
			shown++;
		}
	if (shown < n)
		fprintf(to, "<p>and %zu more: <code>limpet diagnose</code> names them.</p>\n",
			n - shown);
}

static void put_verdict(FILE *to, const struct report *r)
{
	const struct verdict *a = r->a;
	size_t open, n = count(a, false, &open);
	char text[SENTENCE_LEN];

	put_top(to, a);
	if (!n || a->cannot.why)
		put_nobody(to, a);
	else if (n > 1)
		fprintf(to, "<h1>%zu servers %s</h1>\n", n, limp_of(n, open));
	if (!a->cannot.why) {
		put_incidents(to, r, false, n == 1 ? "h1" : "h2");
		put_incidents(to, r, true, "h2");
	}
	if (n && !a->cannot.why) {
		fprintf(to, "<p class=\"lead\">");
		html_say(to, "Of %zu servers %s.", a->n_nodes, sentence_statuses(a, false, text));
		fprintf(to, "</p>\n");
		put_unproven(to, a);
	}
	fprintf(to, "</header>\n");
}

/* ---- the charts ----------------------------------------------------------------------------------- */

static void put_how(FILE *to, const struct verdict *a)
{
	fprintf(to,
		"<p class=\"note\">A point is an interval, at its end. The median is that of the "
		"peers under the same load; a peer's latency is drawn at its ratio to its own "
		"peers, for it may have had another load.%s</p>\n",
		a->n_incidents > 1 ? " Other servers that are indicted are not in the band." : "");
}

static unsigned int op_of(size_t s)
{
	return s == SIG_READ || s == SIG_READ_DEVICE ? 1 : 2;
}

static void put_charts(FILE *to, const struct report *r, const struct incident *in)
{
	size_t charts = 0, dists = 0;
	unsigned int drawn = 0;

	fprintf(to, "<div class=\"charts\">\n");
	for (size_t k = 0; k < in->n_findings && charts < REPORT_CHARTS; k++) {
		const struct finding *e = &in->findings[k];
		const struct history_row *row = history_find(r->h, e->node, e->disk, e->signal);

		if (!row)
			continue;
		report_time(to, r, row, e);
		charts++;
	}
	for (size_t k = 0; k < in->n_findings && dists < REPORT_DISTS; k++) {
		const struct finding *e = &in->findings[k];
		const struct history_dist *d = history_dist(r->h, e->node, e->disk, e->signal);

		/* one of each operation: the whole and the device's part are much alike */
		if (!d || !d->n_peers || op_of(e->signal) & drawn)
			continue;
		drawn |= op_of(e->signal);
		report_latency(to, r, d);
		dists++;
	}
	for (size_t k = 0; k < in->n_findings && dists < REPORT_DISTS; k++) {
		const struct finding *e = &in->findings[k];
		const struct durations *d = report_durations_of(r->a, e->node, e->signal);

		if (d)
			report_durations(to, r, d);
		dists += d != NULL;
	}
	fprintf(to, "</div>\n");
	if (charts && in == r->a->incidents)
		put_how(to, r->a);
}

static void put_legend(FILE *to, bool evidence)
{
	fprintf(to,
		"<p class=\"note\">Each line can be checked by hand: %s On average: the mean "
		"distance "
		"of the two latency distributions, as a ratio.</p>\n",
		evidence ? "over the time from the onset to the last bad interval the value, the "
			   "peers' median, their ratio "
			   "once "
			   "what is usual for the server itself is taken off, the least it may be, "
			   "how long that time is, and the score with what it must reach."
			 : "in the window with the largest z the value, the peers' median, their "
			   "ratio "
			   "once what is usual for the server itself is taken off, and how many "
			   "times "
			   "what the peers differ among each other that is (z).");
}

static void put_cases(FILE *to, const struct report *r)
{
	const struct verdict *a = r->a;

	for (size_t i = 0; i < a->n_incidents && i < REPORT_VERDICTS && !a->cannot.why; i++) {
		const struct incident *in = &a->incidents[i];

		fprintf(to, "<section>\n<h2>Findings on ");
		html_text(to, verdict_node(a, in->node));
		fprintf(to, "</h2>\n");
		if (!i)
			put_legend(to, in->n_findings && in->findings->needs > 0);
		report_findings(to, a, in);
		put_charts(to, r, in);
		fprintf(to, "</section>\n");
	}
}

static void put_nearest(FILE *to, const struct report *r)
{
	const struct history_row *rows[REPORT_CHARTS];
	size_t n = report_nearest(r, REPORT_CHARTS, rows);

	if (!n)
		return;
	fprintf(to, "<section>\n<h2>Nearest to being indicted</h2>\n<p class=\"note\">The signals "
		    "that came "
		    "furthest from the peers, though not far or not long enough.</p>\n<div "
		    "class=\"charts\">\n");
	for (size_t i = 0; i < n; i++)
		report_time(to, r, rows[i], NULL);
	fprintf(to, "</div>\n");
	put_how(to, r->a);
	fprintf(to, "</section>\n");
}

static void put_title(const struct report *r, char *buf, size_t size)
{
	const struct verdict *a = r->a;
	size_t open, n = count(a, false, &open), first = 0;
	char text[SENTENCE_LEN], name[HOST_LEN];

	while (n == 1 && a->incidents[first].suspicious)
		first++;
	if (a->cannot.why)
		snprintf(buf, size, "limpet: cannot judge");
	else if (n == 1)
		snprintf(
			buf, size, "limpet: %s %s: %s",
			output_clean(verdict_node(a, a->incidents[first].node), name, sizeof(name)),
			sentence_verb(&a->incidents[first]),
			cause_table[a->incidents[first].cause].word);
	else if (n)
		snprintf(buf, size, "limpet: %zu servers %s", n, limp_of(n, open));
	else
		snprintf(buf, size, "limpet: %s",
			 verdict_replacement(a) ? "all servers slowed"
						: sentence_nobody(a, false, text));
}

void report_page(FILE *to, const struct report *r)
{
	char title[256];

	put_title(r, title, sizeof(title));
	html_head(to, title);
	put_verdict(to, r);
	put_cases(to, r);
	if (r->stacks)
		fputs(r->stacks, to);
	report_heat(to, r);
	if (!r->a->n_incidents)
		put_nearest(to, r);
	report_lists(to, r);
	if (r->jobs)
		fputs(r->jobs, to);
	html_foot(to);
}
