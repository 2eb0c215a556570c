// SPDX-License-Identifier: BSD-2-Clause
/* page.h: the verdict, and of each server that is indicted its findings. */
#include "page.h"

#include <string.h>

#include "analyzer/draw/html.h"
#include "style.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "analyzer/output/finding.h"
#include "analyzer/output/words.h"

enum { SENTENCES = 6 };

/* ---- the verdict ---------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 3, 4)))
fact(FILE *to, const char *name, const char *format, ...)
{
	va_list args;

	fprintf(to, "<dt>%s</dt><dd>", name);
	va_start(args, format);
	html_vsay(to, format, args);
	va_end(args);
	fprintf(to, "</dd>\n");
}

/* What there may be nothing to say of. */
static void fact_if(FILE *to, const char *name, const char *text)
{
	if (*text)
		fact(to, name, "%s", text);
}

static void put_times(FILE *to, const struct incident *in)
{
	char t[TIME_TEXT_LEN], s[WORDS_LEN];

	output_time(in->onset_ns, t);
	if (in->chronic)
		fact(to, "since", "%s or before (chronic)", t);
	else
		fact(to, "since", "%s, %s %s later", t, in->suspicion ? "noticed" : "indicted",
		     words_span(in->decided_ns - in->onset_ns, s));
	output_time(in->last_ns, t);
	if (in->held)
		fact(to, "now", "held since %s: too few events to judge again", t);
	else if (in->open)
		fact(to, "now", "still so at %s", t);
	else
		fact(to, "now", "over since %s", t);
}

/* Its findings as sentences; the numbers that they can be checked with are in a table of their own. */
static void put_evidence(FILE *to, const struct verdict *a, const struct incident *in)
{
	if (!in->n_findings)
		return;
	fputs("<dt>evidence</dt><dd><ul>\n", to);
	for (size_t k = 0; k < in->n_findings && k < SENTENCES; k++) {
		struct text said TEXT_SCOPED = {0};

		html_enclose(to, "<li>", words_finding(&said, a, &in->findings[k]), "</li>\n");
	}
	if (in->n_findings > SENTENCES)
		fprintf(to, "<li>%zu more</li>\n", in->n_findings - SENTENCES);
	fputs("</ul></dd>\n", to);
}

static void put_facts(FILE *to, const struct verdict *a, const struct incident *in)
{
	struct text sure TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};

	fprintf(to, "<dl>\n");
	fact_if(to, "not indicted", sentence_suspicion(&said, in));
	sentence_confidence(&sure, in);
	text_enclose(&sure, ": ", sentence_doubts(&said, in), "");
	fact(to, "confidence", "%s", text_of(&sure));
	put_times(to, in);
	fact_if(to, "how often", sentence_times(&said, in));
	fact(to, "why", "%s", cause_why(in->cause, in->why));
	put_evidence(to, a, in);
	fact_if(to, "jobs", sentence_impact(&said, a, in));
	fact_if(to, "a guess", sentence_guess(&said, &in->guess));
	fprintf(to, "</dl>\n");
}

void report_case(FILE *to, const struct verdict *a, size_t i, const char *level)
{
	const struct incident *in = &a->incidents[i];
	struct text more TEXT_SCOPED = {0};
	char name[HOST_LEN];

	output_clean(verdict_node(a, in->node), name, sizeof(name));
	fprintf(to, "<div class=\"verdict\">\n<%s><b>", level);
	html_text(to, name);
	fprintf(to, "</b>");
	html_say(to, " %s: %s", sentence_verb(in), cause_table[in->cause].word);
	fprintf(to, "</%s>\n", level);
	if (*verdict_particulars(&more, a, in))
		html_enclose(to, "<p class=\"lead\">", text_of(&more), "</p>\n");
	put_facts(to, a, in);
	fprintf(to, "</div>\n");
}

static void put_unproven(FILE *to, const struct verdict *a)
{
	for (int r = RESOURCE_NONE + 1; r < RESOURCES; r++) {
		struct text said TEXT_SCOPED = {0};

		if (*sentence_unproven_all(&said, a, (enum resource)r, false))
			html_enclose(to, "<p class=\"lead\">Unproven: ", text_of(&said), ".</p>\n");
	}
}

static void put_nobody(FILE *to, const struct verdict *a)
{
	const struct notice *instead = verdict_replacement(a);
	bool clean = !strcmp(verdict_word(a), "clean"),
	     unproven = !strcmp(verdict_word(a), "unproven");
	struct text said TEXT_SCOPED = {0};

	if (a->cannot.why) {
		html_enclose(to, "<h1>Cannot judge</h1>\n<p class=\"lead\">",
			     sentence_cannot(&said, &a->cannot), "</p>\n");
		return;
	}
	if (instead) {
		html_enclose(to, "<h1>", sentence_notice(&said, a, instead),
			     "</h1>\n<p class=\"lead\">No server is indicted: none stands out from "
			     "the others.</p>\n");
		return;
	}
	fprintf(to, clean		? "<h1>No server limps</h1>\n<p class=\"lead\">"
		    : unproven		? "<h1>No server is seen to limp</h1>\n<p class=\"lead\">"
		    : verdict_judged(a) ? "<h1>No server is indicted</h1>\n<p class=\"lead\">"
					: "<h1>No server could be judged</h1>\n<p class=\"lead\">");
	html_say(to, "Of %zu servers %s.", a->n_nodes, sentence_statuses(&said, a, false));
	if (clean && a->kinds)
		html_say(to, " Each was compared with its like, which are told below.");
	if (clean)
		html_say(to, " None was so much worse than the peers, for so long, that it is more "
			     "than chance.");
	fprintf(to, "</p>\n");
	put_unproven(to, a);
}

bool report_incident(const struct verdict *a, size_t node)
{
	return any_of(i, a->n_incidents, a->incidents[i].node == node);
}

/* How many indict; *open: of them. */
static size_t count_incidents(const struct verdict *a, size_t *open)
{
	size_t n = 0;

	*open = 0;
	for (size_t i = 0; i < a->n_incidents; i++) {
		n += !a->incidents[i].suspicion;
		*open += !a->incidents[i].suspicion && a->incidents[i].open;
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
	struct text said TEXT_SCOPED = {0};

	fprintf(to, "<header>\n<p class=\"top\">limpet report");
	if (a->n_windows)
		fprintf(to, " &middot; %s to %s &middot; %zu servers, %zu %s of %g&nbsp;s",
			output_time(a->from_ns, from), output_time(a->to_ns, until), a->n_nodes,
			a->n_windows, verdict_counted(a), a->window_s);
	if (a->n_gaps)
		html_enclose(to, " &middot; ", sentence_gaps(&said, a), "");
	fprintf(to, "</p>\n");
}

/* The first of those that indict, or are suspicious, and how many more. */
static void put_incidents(FILE *to, const struct report *r, bool suspicious, const char *level)
{
	const struct verdict *a = r->a;
	size_t n = 0;

	for (size_t i = 0; i < a->n_incidents; i++)
		if ((a->incidents[i].suspicion != SUSPICION_NONE) == suspicious &&
		    n++ < REPORT_VERDICTS)
			report_case(to, a, i, level);
	if (n > REPORT_VERDICTS)
		fprintf(to, "<p>and %zu more: <code>limpet diagnose</code> names them.</p>\n",
			n - REPORT_VERDICTS);
}

static void put_verdict(FILE *to, const struct report *r)
{
	const struct verdict *a = r->a;
	size_t open, n = count_incidents(a, &open);
	struct text said TEXT_SCOPED = {0};

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
		html_say(to, "Of %zu servers %s.", a->n_nodes, sentence_statuses(&said, a, false));
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

void report_legend(FILE *to, const struct incident *in)
{
	bool evidence = in->n_findings && in->findings->needs > 0;

	fprintf(to,
		"<p class=\"note\">Each line can be checked by hand: %s On average: the mean "
		"distance of the two latency distributions, as a ratio.</p>\n",
		evidence
			? "over the time from the onset to the last bad interval the value, the "
			  "peers' median, their ratio once what is usual for the server itself is "
			  "taken off, the least it may be, how long that time is, and the evidence "
			  "with what it must reach."
			: "in the window with the largest z the value, the peers' median, their "
			  "ratio once what is usual for the server itself is taken off, and how "
			  "many times what the peers differ among each other that is (z).");
}

static void put_cases(FILE *to, const struct report *r)
{
	const struct verdict *a = r->a;

	for (size_t i = 0; i < a->n_incidents && i < REPORT_VERDICTS && !a->cannot.why; i++) {
		const struct incident *in = &a->incidents[i];

		html_enclose(to, "<section>\n<h2>Findings on ", verdict_node(a, in->node),
			     "</h2>\n");
		if (!i)
			report_legend(to, in);
		report_findings(to, a, in);
		put_charts(to, r, in);
		if (in->open)
			report_next(to, a, in, "h3");
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
		    "that came furthest from the peers, though not far or not long "
		    "enough.</p>\n<div class=\"charts\">\n");
	for (size_t i = 0; i < n; i++)
		report_time(to, r, rows[i], NULL);
	fprintf(to, "</div>\n");
	put_how(to, r->a);
	fprintf(to, "</section>\n");
}

static void put_title(struct text *t, const struct report *r)
{
	const struct verdict *a = r->a;
	size_t open, n = count_incidents(a, &open), first = 0;
	struct text said TEXT_SCOPED = {0};
	char name[HOST_LEN];

	while (n == 1 && a->incidents[first].suspicion)
		first++;
	if (a->cannot.why)
		text_put(t, "limpet: cannot judge");
	else if (n == 1)
		text_add(
			t, "limpet: %s %s: %s",
			output_clean(verdict_node(a, a->incidents[first].node), name, sizeof(name)),
			sentence_verb(&a->incidents[first]),
			cause_table[a->incidents[first].cause].word);
	else if (n)
		text_add(t, "limpet: %zu servers %s", n, limp_of(n, open));
	else
		text_add(t, "limpet: %s",
			 verdict_replacement(a) ? "all servers slowed"
						: sentence_nobody(&said, a, false));
}

void report_page(FILE *to, const struct report *r)
{
	struct text title TEXT_SCOPED = {0};

	put_title(&title, r);
	html_head(to, text_of(&title));
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
