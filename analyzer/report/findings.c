// SPDX-License-Identifier: BSD-2-Clause
/* page.h: the table of an incident's findings. */
#include "page.h"

#include <math.h>

#include "analyzer/draw/html.h"
#include "analyzer/verdict/next_steps.h"
#include "analyzer/verdict/sentences.h"
#include "analyzer/verdict/status.h"
#include "analyzer/output/finding.h"
#include "userspace/common/clock.h"

/* Where there is no such number, a narrow page has no room for that. */
static void tail(FILE *to, const char *head, double number, const char *text)
{
	report_cell(to, isfinite(number) ? "n" : "n none", head, text);
}

static const char *role_of(const struct verdict *v, const struct incident *in,
			   const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);

	if (s->role == ROLE_LOAD)
		return "demand, no fault";
	if (verdict_finding_indicts(v, e, in->suspicion != SUSPICION_NONE))
		return "indicts";
	return !e->symptom && in->suspicion ? "suspicious" : "supports";
}

/* What decided it: by the test of evidence, or by votes. */
static void put_evidence(FILE *to, const struct finding *e)
{
	char a[WORDS_LEN];

	report_cell(to, "n", "at least", words_ratio(e->lower, a));
	report_cell(to, "n", "over", words_span(ns_of_s(e->window_s), a));
	report_cell(to, "n", "evidence", words_score(e->score, a));
	report_cell(to, "n", "needed", words_score(e->needs, a));
}

static void put_votes(FILE *to, const struct finding *e)
{
	char a[WORDS_LEN];

	report_cell(to, "n", "z", words_score(e->z, a));
	snprintf(a, sizeof(a), "%u" TEXT_TIE "of" TEXT_TIE "%u", e->flagged, e->judged);
	report_cell(to, "n", "windows", a);
}

static void put_finding(FILE *to, const struct verdict *v, const struct incident *in,
			const struct finding *e, bool first, bool tails)
{
	const struct verdict_signal *s = verdict_signal(v, e->signal);
	char a[WORDS_LEN], b[2 * WORDS_LEN];

	fprintf(to, "<tr%s><td>", first ? " class=\"first\"" : "");
	html_text(to, words_signal(s, e->disk, a));
	html_enclose(to, " <small>", role_of(v, in, e), "");
	if (s->added > 0 && e->peers < s->added)
		html_enclose(to, "; ratio with ", words_value(s, s->added, a), " added to both");
	fputs("</small></td>", to);
	report_cell(to, "n", "value", words_value(s, e->value, a));
	report_cell(to, "n", "peers", words_value(s, e->peers, a));
	snprintf(b, sizeof(b), "%s%s", words_ratio(e->ratio, a), words_less(e));
	report_cell(to, "n", "ratio", b);
	report_cell(to, fabs(e->usual - 1) >= 0.005 ? "n" : "n none", "own usual",
		    words_ratio(e->usual, a));
	if (e->needs > 0)
		put_evidence(to, e);
	else
		put_votes(to, e);
	snprintf(b, sizeof(b), "%u", e->n_peers);
	if (isfinite(e->spread))
		snprintf(b, sizeof(b), "%u within" TEXT_TIE "%.0f" TEXT_TIE "%%", e->n_peers,
			 100 * (e->spread - 1));
	report_cell(to, "n", "peers", b);
	if (tails) {
		tail(to, "p99", e->p99, words_value(s, e->p99, a));
		tail(to, "peers' p99", e->p99_peers, words_value(s, e->p99_peers, a));
		tail(to, "on average", e->w1, words_ratio(e->w1, a));
	}
	fprintf(to, "</tr>\n");
}

static void put_heads(FILE *to, const char *const *heads)
{
	for (; *heads; heads++)
		fprintf(to, "<th class=\"n\">%s</th>", *heads);
}

void report_findings(FILE *to, const struct verdict *a, const struct incident *in)
{
	static const char *const first[] = {"value", "peers' median", "ratio", "own usual", NULL};
	static const char *const votes[] = {"z", "windows", "peers", NULL};
	static const char *const evidence[] = {"at least", "over",  "evidence",
					       "needed",   "peers", NULL};
	static const char *const last[] = {"p99", "peers' p99", "on average", NULL};
	bool tails = false;

	for (size_t k = 0; k < in->n_findings && k < REPORT_LINES; k++)
		tails |= isfinite(in->findings[k].p99) || isfinite(in->findings[k].w1);
	fprintf(to, "<table class=\"findings\"><thead><tr><th>signal</th>");
	put_heads(to, first);
	put_heads(to, in->n_findings && in->findings->needs > 0 ? evidence : votes);
	if (tails)
		put_heads(to, last);
	fprintf(to, "</tr></thead>\n<tbody>\n");
	for (size_t k = 0; k < in->n_findings && k < REPORT_LINES; k++)
		put_finding(to, a, in, &in->findings[k], k == 0, tails);
	fprintf(to, "</tbody></table>\n");
	if (in->n_findings > REPORT_LINES)
		fprintf(to, "<p class=\"note\">%zu more are left out.</p>\n",
			in->n_findings - REPORT_LINES);
}

void report_next(FILE *to, const struct verdict *a, const struct incident *in, const char *level)
{
	const struct next_step *step;
	size_t n = next_steps(in->cause, &step), told = 0;

	for (; n; n--, step++) {
		struct text command TEXT_SCOPED = {0};

		if (!*next_step_command(&command, a, in, step))
			continue;
		if (!told++)
			fprintf(to,
				"<%s>What to do next</%s>\n<p class=\"note\">Words in capitals "
				"are yours to fill in. limpet runs none of these.</p>\n<ul "
				"class=\"next\">\n",
				level, level);
		fputs("<li>", to);
		if (*step->system)
			html_enclose(to, "<b>", step->system, "</b> ");
		html_enclose(to, "<code>", text_of(&command), "</code> ");
		html_enclose(to, "<small>", step->what, "</small></li>\n");
	}
	fputs(told ? "</ul>\n" : "", to);
}
