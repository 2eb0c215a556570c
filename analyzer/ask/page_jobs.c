// SPDX-License-Identifier: BSD-2-Clause
/* The page of jobs: what runs, which tasks are late and why, what was decided; and which symptoms, diagnosers and decisions count. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "analyzer/jobs/roster.h"
#include "analyzer/report/page.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"

/* Of a page: jobs whole, late tasks of each, decisions of before. */
enum { JOBS = 10, LATE = 20, MADE = 20 };
#define TOLD 0.005 /* of its time: what rounds to 0 % */

/* ---- jobs that run ---------------------------------------------------------------------------------------- */

static void put_late(FILE *to, const struct verdict *a, size_t job)
{
	size_t *order = calloc(a->n_stragglers + 1, sizeof(*order)), n = 0;

	if (!order)
		return;
	stragglers_worst_first(a->stragglers, a->n_stragglers, order);
	for (size_t i = 0; i < a->n_stragglers; i++) {
		const struct straggler *s = &a->stragglers[order[i]];
		struct text said TEXT_SCOPED = {0};

		if (s->job != job || n++ >= LATE)
			continue;
		fputs(n == 1 ? "<ul>\n" : "", to);
		html_enclose(to, "<li>", sentence_straggler(&said, a, s), "</li>\n");
	}
	if (n > LATE)
		fprintf(to, "<li>and %zu more</li>\n", n - LATE);
	fputs(n ? "</ul>\n" : "", to);
	free(order);
}

static void put_waits(FILE *to, const struct verdict *a, const struct straggler_job *j)
{
	if (!j->n_waits)
		return;
	fprintf(to,
		"<h3>What it waited for</h3>\n<p>%.0f s so far, of which it waited "
		"for:</p>\n<ul>\n",
		j->waited_s);
	for (size_t i = 0; i < j->n_waits && (!i || j->waits[i].s >= TOLD * j->waited_s); i++) {
		struct text said TEXT_SCOPED = {0};

		html_enclose(to, "<li>", sentence_wait(&said, a, j, &j->waits[i]), "</li>\n");
	}
	fputs("</ul>\n", to);
}

static void put_job(FILE *to, const struct verdict *a, size_t job)
{
	const struct straggler_job *j = &a->jobs[job];

	html_enclose(to, "<section>\n<h2>", j->job, "</h2>\n");
	fprintf(to, "<p class=\"lead\">%zu of %zu running tasks %s late", j->stragglers,
		j->looked_at, j->stragglers == 1 ? "is" : "are");
	html_enclose(to, *j->decision ? "; " : "", j->decision, "</p>\n");
	if (*j->decided_by)
		html_enclose(to, "<p class=\"note\">Decision: ", j->decided_by, "</p>\n");
	for (size_t i = 0; i < j->n_signs; i++) {
		html_enclose(to, i ? "<li>" : "<ul>\n<li>", j->signs[i].word, ": ");
		html_enclose(to, "", j->signs[i].what, "</li>\n");
	}
	fputs(j->n_signs ? "</ul>\n" : "", to);
	put_late(to, a, job);
	put_waits(to, a, j);
	put_lanes(to, a, job);
	fputs("</section>\n", to);
}

static void put_running(FILE *to, const struct verdict *a)
{
	size_t *order = calloc(a->n_jobs + 1, sizeof(*order));

	if (!order)
		return;
	jobs_worst_first(a->jobs, a->n_jobs, order);
	for (size_t i = 0; i < a->n_jobs && i < JOBS; i++)
		put_job(to, a, order[i]);
	if (a->n_jobs > JOBS)
		fprintf(to,
			"<p class=\"note\">%zu more jobs are in <a "
			"href=\"/api/v1/jobs\">/api/v1/jobs</a>.</p>\n",
			a->n_jobs - JOBS);
	free(order);
}

static void say_running(FILE *to, const struct verdict *a)
{
	size_t late = 0;

	for (size_t i = 0; i < a->n_jobs; i++)
		late += a->jobs[i].stragglers;
	html_say(to, "%zu job%s, %zu late task%s", a->n_jobs, a->n_jobs == 1 ? " runs" : "s run",
		 late, late == 1 ? "" : "s");
}

/* What is not looked for is not found: that is said where others read that nothing was. */
static void put_stopped(FILE *to, const struct front *f)
{
	struct roster_row *rows = NULL;
	size_t n = 0, stopped = 0;

	if (!f->o->roster || roster_list(f->o->roster, &rows, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!rows[i].started) {
			html_enclose(to, stopped++ ? ", " : "<p class=\"note\">Stopped: ",
				     program_ask_words[rows[i].ask], " ");
			html_text(to, rows[i].word);
		}
	fputs(stopped ? ".</p>\n" : "", to);
	free(rows);
}

void put_jobs(FILE *to, const struct front *f, const struct verdict *a)
{
	size_t *order = calloc(a->n_jobs + 1, sizeof(*order)), n = 0;

	if (!order || !a->n_jobs) {
		free(order);
		return;
	}
	jobs_worst_first(a->jobs, a->n_jobs, order);
	fputs("<section>\n<h2>Jobs</h2>\n<p><a href=\"/jobs\">", to);
	say_running(to, a);
	fputs("</a></p>\n", to);
	for (size_t i = 0; i < a->n_jobs && n < JOBS; i++) {
		const struct straggler_job *j = &a->jobs[order[i]];

		if (!*j->decision)
			continue;
		fputs(n++ ? "" : "<ul>\n", to);
		html_enclose(to, "<li>", j->job, ": ");
		html_enclose(to, "", j->decision, "</li>\n");
	}
	fputs(n ? "</ul>\n" : "", to);
	put_stopped(to, f);
	fputs("</section>\n", to);
	free(order);
}

static void put_heading(FILE *to, const struct front *f, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;

	fputs("<header>\n<h1>", to);
	if (s->rebuilding)
		fputs("Rebuilding: no job is known yet", to);
	else if (!a->n_jobs)
		fputs("No job runs, as far as logs tell", to);
	else
		say_running(to, a);
	fputs("</h1>\n", to);
	put_stopped(to, f);
	fputs("<p class=\"note\">Of a job that has ended, <code>limpet flow</code> says what it "
	      "waited for, by its logs.</p>\n</header>\n",
	      to);
}

/* ---- what was decided -------------------------------------------------------------------------------------- */

static void put_made(FILE *to, struct front *f)
{
	sqlite3 *db = front_db(f);
	sqlite3_stmt *st = NULL;
	bool any = false;

	if (!db || sqlite3_prepare_v2(db,
				      "SELECT at_ns, text FROM event WHERE kind = 'decision' ORDER "
				      "BY seq DESC LIMIT ?",
				      -1, &st, NULL))
		return;
	sqlite3_bind_int(st, 1, MADE);
	while (sqlite3_step(st) == SQLITE_ROW) {
		char at[TIME_TEXT_LEN];

		fputs(any ? ""
			  : "<section>\n<h2>What was decided</h2>\n<table><thead><tr><th>decision"
			    "</th><th class=\"n\">at</th></tr></thead>\n<tbody>\n",
		      to);
		any = true;
		html_enclose(to, "<tr><td>", (const char *)sqlite3_column_text(st, 1) ?: "",
			     "</td>");
		report_cell(to, "n", "at", output_time(sqlite3_column_int64(st, 0), at));
		fputs("</tr>\n", to);
	}
	sqlite3_finalize(st);
	fputs(any ? "</tbody></table>\n</section>\n" : "", to);
}

/* ---- the tables --------------------------------------------------------------------------------------------- */

static void put_button(FILE *to, const struct front *f, const struct listener_request *r,
		       const struct roster_row *row, const char *verb, const char *words)
{
	fprintf(to, "<form method=\"post\" action=\"/api/v1/%s/", program_ask_plurals[row->ask]);
	html_enclose(to, "", row->word, "/");
	fprintf(to, "%s\" class=\"silence\">", verb);
	put_form_word(to, f, r);
	html_enclose(to, "<button aria-label=\"", words, " ");
	html_enclose(to, "", row->word, "\">");
	html_enclose(to, "", words, "</button></form>");
}

static const char *times(uint64_t n, char buf[32])
{
	snprintf(buf, 32, n == 1 ? "once" : "%" PRIu64 " times", n);
	return buf;
}

static void put_row(FILE *to, const struct front *f, const struct listener_request *r,
		    const struct roster_row *row)
{
	char n[32];

	html_enclose(to, "<tr><td>", row->word, "");
	if (*row->after)
		html_enclose(to, " <small>after ", row->after, "</small>");
	fputs("</td><td class=\"all\">", to);
	html_text(to, row->what);
	if (!row->running)
		fputs(" <small>known after the end of the job only</small>", to);
	if (*row->trouble)
		html_enclose(to, " <small>", row->trouble, "</small>");
	fputs("</td><td>", to);
	fputs(row->started ? "started" : "stopped", to);
	if (row->program)
		html_say(to, ", asked %s", times(row->asked, n));
	if (row->failed)
		html_say(to, ", %s without a good answer", times(row->failed, n));
	fputs("</td>", to);
	if (front_has_forms(f)) {
		fputs("<td>", to);
		put_button(to, f, r, row, row->started ? "stop" : "start",
			   row->started ? "Stop" : "Start");
		if (row->program)
			put_button(to, f, r, row, "unload", "Unload");
		fputs("</td>", to);
	}
	fputs("</tr>\n", to);
}

static void put_roster(FILE *to, const struct front *f, const struct listener_request *r)
{
	static const char *const heads[PROGRAM_ASKS] = {
		"Symptoms: what is odd about tasks and jobs",
		"Diagnosers: what holds of late tasks and may be why",
		"Decisions: what is behind a job's late tasks; the first that knows counts"};
	struct roster_row *rows = NULL;
	size_t n = 0;

	if (!f->o->roster || roster_list(f->o->roster, &rows, &n))
		return;
	fputs("<section>\n<h2>What is looked for</h2>\n", to);
	for (size_t i = 0; i < n; i++) {
		bool first = !i || rows[i - 1].ask != rows[i].ask;

		if (first) {
			html_enclose(to, i ? "</tbody></table>\n<h3>" : "<h3>", heads[rows[i].ask],
				     "</h3>\n");
			html_enclose(to, "<table class=\"roster\"><thead><tr><th>",
				     program_ask_words[rows[i].ask],
				     "</th><th>what it means</th><th>state</th>");
			fputs(front_has_forms(f) ? "<th>change</th></tr></thead>\n<tbody>\n"
						 : "</tr></thead>\n<tbody>\n",
			      to);
		}
		put_row(to, f, r, &rows[i]);
	}
	fputs(n ? "</tbody></table>\n</section>\n" : "</section>\n", to);
	free(rows);
}

void page_jobs(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	struct html_page p;
	FILE *to;

	if (!s)
		return;
	to = page_begin(&p, "limpet: jobs");
	if (to) {
		put_nav(to, s);
		put_heading(to, f, s);
		put_running(to, &s->verdict);
		put_made(to, f);
		put_roster(to, f, r);
	}
	page_end(&p, r);
}
