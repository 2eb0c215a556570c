// SPDX-License-Identifier: BSD-2-Clause
/* Swimlanes of a job that runs: its tasks over time, by server. Of servers without a late task only the first are drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "analyzer/draw/lanes.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

enum { ROWS = 40, BARS = 1000 };
#define BACK_NS (3600 * NS_PER_S) /* of a job that runs for long */

/* What a bar says, and how it looks: by the first that holds; and where the job waited for it. */
static const struct bar_look {
	const char *class, *waited_for, *words;
} looks[] = {{"f6", "f6 path", "late"},
	     {"f2", "f2 path", "runs"},
	     {"f7", "f7 path", "failed or killed"},
	     {"f1", "f1 path", "ended"}};
enum { LATE, RUNS, BAD, ENDED, LOOKS };
static const struct svg_key path_key = {"d0 path", "the job waited for it"};

struct picture {
	const struct verdict *a;
	const struct job_task **task; /* by row and start */
	struct lane_row rows[ROWS];
	struct lane_bar *bars;
	double *free_s; /* of each line of a row, while it is made */
	bool *drawn;	/* of each of the verdict's tasks */
	size_t n, n_rows, more_rows, more_late, more_bars;
	int64_t from_ns, to_ns;
};

static int look_of(const struct job_task *t)
{
	return t->straggler		     ? LATE
	       : !strcmp(t->outcome, "open") ? RUNS
	       : !strcmp(t->outcome, "ok")   ? ENDED
					     : BAD;
}

/* ---- which ----------------------------------------------------------------------------------------------- */

struct lane {
	size_t first, n; /* of the verdict's tasks: they are by job and server */
	bool late;
	const char *name;
};

COMPARISON(late_first, struct lane, ORDER(b->late, a->late) ?: strverscmp(a->name, b->name))

COMPARISON(by_name, struct lane, strverscmp(a->name, b->name))

static bool is_in_view(const struct picture *p, const struct job_task *t)
{
	return t->end_ns >= p->from_ns;
}

/* The lanes that are drawn, by name. How many. */
static size_t choose_lanes(struct picture *p, size_t job, struct lane *at)
{
	const struct verdict *a = p->a;
	size_t n = 0;

	for (size_t i = 0; i < a->n_tasks; i++) {
		const struct job_task *t = &a->tasks[i];

		if (t->job != job || !is_in_view(p, t))
			continue;
		if (!n || strcmp(at[n - 1].name, a->nodes[t->node]) != 0)
			at[n++] = (struct lane){.first = i, .name = a->nodes[t->node]};
		at[n - 1].n = i + 1 - at[n - 1].first;
		at[n - 1].late |= t->straggler;
	}
	sort(at, n, late_first);
	p->more_rows = n > ROWS ? n - ROWS : 0;
	n -= p->more_rows;
	for (size_t i = n; i < n + p->more_rows; i++)
		p->more_late += at[i].late;
	sort(at, n, by_name);
	return n;
}

/* ---- bars ------------------------------------------------------------------------------------------------ */

static double second(const struct picture *p, int64_t ns)
{
	return s_of_ns(ns - p->from_ns);
}

static void add_bar(struct picture *p, struct lane_row *row, const struct job_task *t)
{
	const struct bar_look *look = &looks[look_of(t)];
	double from_s = second(p, t->start_ns), to_s = second(p, t->end_ns);
	size_t line = 0;

	while (line < row->lines && p->free_s[line] > from_s)
		line++;
	row->lines += line == row->lines;
	p->free_s[line] = to_s;
	p->task[p->n] = t;
	p->bars[p->n++] = (struct lane_bar){from_s, to_s, line,
					    t->waited_for ? look->waited_for : look->class};
	row->n++;
}

/* Late ones first, then what runs, then the others, as far as there is room: of each the newest, and of each server as many before the
 * rest goes to those that have more. */
static void choose_bars(struct picture *p, const struct lane *at)
{
	size_t room = BARS, of_row[ROWS] = {0};

	for (int pass = 0; pass < 2 * LOOKS; pass++)
		for (size_t i = 0; i < p->n_rows; i++)
			for (size_t k = at[i].first + at[i].n; k-- > at[i].first && room;) {
				const struct job_task *t = &p->a->tasks[k];

				if (p->drawn[k] || !is_in_view(p, t) || look_of(t) != pass / 2 ||
				    (pass % 2 == 0 && of_row[i] >= BARS / p->n_rows))
					continue;
				p->drawn[k] = true;
				of_row[i]++;
				room--;
			}
	for (size_t i = 0; i < p->n_rows; i++)
		for (size_t k = at[i].first; k < at[i].first + at[i].n; k++)
			p->more_bars += is_in_view(p, &p->a->tasks[k]) && !p->drawn[k];
}

static void make_rows(struct picture *p, size_t job, struct lane *at)
{
	p->n_rows = choose_lanes(p, job, at);
	choose_bars(p, at);
	for (size_t i = 0; i < p->n_rows; i++) {
		p->rows[i] = (struct lane_row){.name = at[i].name, .first = p->n};
		for (size_t k = at[i].first; k < at[i].first + at[i].n; k++)
			if (p->drawn[k])
				add_bar(p, &p->rows[i], &p->a->tasks[k]);
	}
}

static void tell_bar(struct svg *d, size_t i, const void *arg)
{
	const struct picture *p = arg;
	const struct job_task *t = p->task[i];
	char span[SVG_WORDS], usual[SVG_WORDS];

	svg_bar_title(d, "%s %s on %s: %s, %s%s%s%s", t->kind, t->task, p->a->nodes[t->node],
		      looks[look_of(t)].words, svg_span(s_of_ns(t->end_ns - t->start_ns), span),
		      isfinite(t->usual_s) ? "; others " : "",
		      isfinite(t->usual_s) ? svg_span(t->usual_s, usual) : "",
		      t->waited_for ? "; the job waited for it" : "");
}

/* The drawing, for whoever does not see it. */
static const char *lanes_said(struct text *t, const struct picture *p)
{
	size_t told = 0;

	text_add(t, "Tasks over time, by server: %zu tasks of %zu servers", p->n, p->n_rows);
	for (size_t i = 0; i < p->n_rows; i++) {
		const struct lane_row *row = &p->rows[i];
		size_t late = 0;

		for (size_t k = row->first; k < row->first + row->n; k++)
			late += p->task[k]->straggler;
		if (late)
			text_add(t, "%s%zu on %s", told++ ? ", " : "; late: ", late, row->name);
	}
	return text_of(t);
}

static void draw(FILE *to, struct picture *p)
{
	struct text said TEXT_SCOPED = {0};
	struct lanes l = {.rows = p->rows,
			  .n_rows = p->n_rows,
			  .bars = p->bars,
			  .to_s = fmax(second(p, p->to_ns), 1),
			  .line_px = 10,
			  .tell = tell_bar,
			  .arg = p};
	struct svg_key keys[LOOKS + 1];
	char from[TIME_TEXT_LEN];
	struct svg d;

	for (size_t i = 0; i < LOOKS; i++)
		keys[i] = (struct svg_key){looks[i].class, looks[i].words};
	keys[LOOKS] = path_key;
	svg_begin(&d);
	svg_keys(&d, keys, LOOKS + 1);
	lanes(&d, &l);
	fputs("<figure class=\"lanes\">\n", to);
	svg_end(&d, to, lanes_said(&said, p), false);
	fputs("<figcaption>", to);
	html_say(to, "Seconds since %s.", output_time(p->from_ns, from));
	if (p->more_rows)
		html_say(to, " %zu more servers are not drawn; %zu of them have late tasks.",
			 p->more_rows, p->more_late);
	if (p->more_bars)
		html_say(to, " %zu more tasks of these servers are not drawn.", p->more_bars);
	if (p->a->tasks_left_out)
		html_say(to, " Of all jobs, %zu more tasks are not kept.", p->a->tasks_left_out);
	fputs("</figcaption>\n</figure>\n", to);
}

/* The first begin and the last end of the job's tasks. Whether there is any. */
static bool span_of(struct picture *p, size_t job)
{
	p->from_ns = INT64_MAX;
	p->to_ns = INT64_MIN;
	for (size_t i = 0; i < p->a->n_tasks; i++) {
		const struct job_task *t = &p->a->tasks[i];

		if (t->job != job)
			continue;
		p->from_ns = t->start_ns < p->from_ns ? t->start_ns : p->from_ns;
		p->to_ns = t->end_ns > p->to_ns ? t->end_ns : p->to_ns;
	}
	if (p->to_ns < p->from_ns)
		return false;
	p->from_ns = p->to_ns - p->from_ns > BACK_NS ? p->to_ns - BACK_NS : p->from_ns;
	return true;
}

void put_lanes(FILE *to, const struct verdict *a, size_t job)
{
	struct picture p = {.a = a,
			    .task = calloc(BARS, sizeof(*p.task)),
			    .bars = calloc(BARS, sizeof(*p.bars)),
			    .free_s = calloc(BARS, sizeof(*p.free_s)),
			    .drawn = calloc(a->n_tasks + 1, sizeof(*p.drawn))};
	struct lane *at = calloc(a->n_nodes + 1, sizeof(*at));

	if (p.task && p.bars && p.free_s && p.drawn && at && span_of(&p, job)) {
		make_rows(&p, job, at);
		draw(to, &p);
	}
	free(p.task);
	free(p.bars);
	free(p.free_s);
	free(p.drawn);
	free(at);
}
