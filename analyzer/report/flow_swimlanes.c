// SPDX-License-Identifier: BSD-2-Clause
/* flow_pictures.h: swimlanes. Of more attempts than can be drawn the longest, over how many there are at once. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow_parts_drawn.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* A page's height that lines share, and the least and most of one. */
static const double page_px = 1200, least_px = 1.5, most_px = 13;

struct swim {
	const struct job_flow *f;
	const struct flow_view *v;
	uint32_t *tasks; /* in view, by row and start */
	size_t n;
	size_t *row_of; /* of each of states.nodes; SIZE_MAX: not drawn */
	struct lane_row *rows;
	size_t n_rows, more_rows;
	bool *drawn; /* of each of job_flow.tasks */
	struct drawn *parts;
	struct lane_bar *bars;
	size_t n_bars;
	float *density;
	double *free_s; /* of each line, while attempts are put together */
};

static uint32_t node_of(const struct job_flow *f, uint32_t task)
{
	return f->s->at[f->tasks[task].state].node;
}

static double second(const struct swim *s, int64_t ns)
{
	return s_of_ns(ns - s->f->from_ns);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

struct busy_server {
	uint32_t node;
	double s;
	const char *name;
};

COMPARISON(by_busy, struct busy_server, ORDER(b->s, a->s) ?: ORDER(a->node, b->node))

/* As people count: n2 before n10. */
COMPARISON(by_name, struct busy_server, strverscmp(a->name, b->name))

static int make_rows(struct swim *s)
{
	const struct job_flow *f = s->f;
	bool by_start = s->v->lines == FLOW_BY_START;
	size_t n_nodes = f->s->nodes.n, n = 0;
	struct busy_server *at = calloc(n_nodes + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_nodes; i++) {
		at[i] = (struct busy_server){i, -1, f->s->nodes.at[i]};
		s->row_of[i] = SIZE_MAX;
	}
	for (uint32_t t = 0; t < f->n_tasks; t++)
		if (flow_in_view(f, s->v, t)) {
			struct busy_server *b = &at[node_of(f, t)];

			b->s = fmax(b->s, 0) + s_of_ns(f->tasks[t].end_ns - f->tasks[t].start_ns);
		}
	sort(at, n_nodes, by_busy);
	while (n < n_nodes && at[n].s >= 0)
		n++;
	s->more_rows = n > FLOW_ROWS_MAX ? n - FLOW_ROWS_MAX : 0;
	n -= s->more_rows;
	sort(at, n, by_name);
	/* by start all are in one row, which has no name */
	s->n_rows = by_start ? n > 0 : n;
	for (size_t i = 0; i < n; i++) {
		s->row_of[at[i].node] = by_start ? 0 : i;
		s->rows[i].name = by_start ? NULL : at[i].name;
	}
	free(at);
	return 0;
}

/* Tasks are numbered by their start. */
COMPARISON_WITH(by_row, uint32_t, struct swim,
		ORDER(with->row_of[node_of(with->f, *a)], with->row_of[node_of(with->f, *b)])
			?: ORDER(*a, *b))

/* ---- which are drawn ------------------------------------------------------------------------------------ */

static int longest_first(const void *a, const void *b, void *arg)
{
	const struct flow_task *t = ((const struct swim *)arg)->f->tasks;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(t[y].end_ns - t[y].start_ns, t[x].end_ns - t[x].start_ns) ?: ORDER(x, y);
}

static void choose_attempts(struct swim *s)
{
	size_t parts = 0, most = s->n;
	struct drawn out[DRAWN_PARTS];

	for (size_t i = 0; i < s->n; i++)
		parts += flow_drawn(s->f, s->tasks[i], out);
	if (parts > FLOW_DRAWN_MAX) {
		/* together lines are few however many bars there are */
		most = s->v->lines == FLOW_TOGETHER ? FLOW_DRAWN_MAX / DRAWN_PARTS
						    : FLOW_DRAWN_LONGEST;
		sort_with(s->tasks, s->n, longest_first, s);
	}
	for (size_t i = 0; i < s->n && i < most; i++)
		s->drawn[s->tasks[i]] = true;
	sort_with(s->tasks, s->n, by_row, s);
}

/* ---- bars ------------------------------------------------------------------------------------------------- */

/* The first line of the row that is free by then; with one more than ever ran at once there always is one. */
static size_t free_line(struct swim *s, struct lane_row *r, double from_s, double to_s)
{
	size_t line = 0;

	while (line < r->lines && s->free_s[line] > from_s)
		line++;
	if (line == r->lines)
		r->lines++;
	s->free_s[line] = to_s;
	return line;
}

static void add_density(struct swim *s, const struct flow_task *t, float *at)
{
	double from = second(s, s->v->from_ns), to = second(s, s->v->to_ns);
	double wide = (to - from) / LANE_COLUMNS;

	flow_spread(at, LANE_COLUMNS, (second(s, t->start_ns) - from) / wide,
		    (second(s, t->end_ns) - from) / wide);
}

static void add_task(struct swim *s, size_t row, uint32_t task)
{
	const struct flow_task *t = &s->f->tasks[task];
	struct lane_row *r = &s->rows[row];
	struct drawn out[DRAWN_PARTS];
	size_t n, line;

	if (s->density)
		add_density(s, t, s->density + row * LANE_COLUMNS);
	if (!s->drawn[task])
		return;
	line = s->v->lines == FLOW_TOGETHER
		       ? free_line(s, r, second(s, t->start_ns), second(s, t->end_ns))
		       : r->lines++;
	n = flow_drawn(s->f, task, out);
	for (size_t i = 0; i < n; i++) {
		s->parts[s->n_bars] = out[i];
		s->bars[s->n_bars] = (struct lane_bar){.from_s = second(s, out[i].from_ns),
						       .to_s = second(s, out[i].to_ns),
						       .line = line,
						       .class = flow_looks[out[i].look].class};
		s->n_bars++;
		r->n++;
	}
}

static void make_bars(struct swim *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t row = s->row_of[node_of(s->f, s->tasks[i])];
		bool first = !i || row != s->row_of[node_of(s->f, s->tasks[i - 1])];

		if (first)
			s->rows[row].first = s->n_bars;
		add_task(s, row, s->tasks[i]);
	}
}

static void bar_title(struct svg *d, size_t i, const void *arg)
{
	const struct swim *s = arg;
	const struct states *st = s->f->s;
	const struct drawn *x = &s->parts[i];
	const struct state *state = &st->at[x->state];
	char span[SVG_WORDS], from[SVG_WORDS], bytes[SVG_WORDS], cpu[SVG_WORDS];

	svg_bar_title(d, "%s of %s on %s: %s from %s on%s%s%s%s%s", flow_looks[x->look].words,
		      st->ids.at[state->id], st->nodes.at[state->node],
		      svg_span(s_of_ns(x->to_ns - x->from_ns), span),
		      svg_span(fmax(second(s, x->from_ns), 0), from), state->bytes >= 0 ? ", " : "",
		      state->bytes >= 0 ? svg_bytes((double)state->bytes, bytes) : "",
		      isnan(state->cpu_s) ? "" : ", processor time ",
		      isnan(state->cpu_s) ? "" : svg_span(state->cpu_s, cpu),
		      state->speculative ? ", speculative" : "");
}

static void say_more(struct svg *d, const struct swim *s)
{
	size_t drawn = count_if(i, s->n, s->drawn[s->tasks[i]]);

	if (drawn < s->n)
		svg_text(d, 0, SVG_SOFT, "the longest %zu of %zu attempts", drawn, s->n);
	if (drawn < s->n)
		svg_text(d, 0, SVG_SOFT, "and above them how many ran at once");
	if (s->more_rows)
		svg_text(d, 0, SVG_SOFT, "%zu more servers are not drawn", s->more_rows);
}

static void draw_swimlanes(struct svg *d, struct swim *s)
{
	bool seen[LOOK_COUNT] = {0};
	struct lanes l = {.rows = s->rows,
			  .n_rows = s->n_rows,
			  .bars = s->bars,
			  .from_s = second(s, s->v->from_ns),
			  .to_s = second(s, s->v->to_ns),
			  .most = 1,
			  .tell = bar_title,
			  .arg = s};
	size_t lines = 1;

	for (size_t i = 0; i < s->n_bars; i++)
		seen[s->parts[i].look] = true;
	for (size_t i = 0; i < s->n_rows; i++) {
		lines += s->rows[i].lines;
		s->rows[i].density = s->density ? s->density + i * LANE_COLUMNS : NULL;
	}
	for (size_t i = 0; s->density && i < s->n_rows * LANE_COLUMNS; i++)
		l.most = fmax(l.most, s->density[i]);
	l.line_px = fmin(fmax(page_px / (double)lines, least_px), most_px);
	flow_keys(d, seen);
	say_more(d, s);
	lanes(d, &l);
}

int flow_draw_swimlanes(struct svg *d, const struct job_flow *f, const struct flow_view *v)
{
	struct swim s = {.f = f,
			 .v = v,
			 .tasks = malloc((f->n_tasks + 1) * sizeof(*s.tasks)),
			 .row_of = malloc((f->s->nodes.n + 1) * sizeof(*s.row_of)),
			 .rows = calloc(f->s->nodes.n + 1, sizeof(*s.rows)),
			 .drawn = calloc(f->n_tasks + 1, sizeof(*s.drawn)),
			 .parts = malloc((DRAWN_PARTS * f->n_tasks + 1) * sizeof(*s.parts)),
			 .bars = malloc((DRAWN_PARTS * f->n_tasks + 1) * sizeof(*s.bars)),
			 .free_s = malloc((f->n_tasks + 1) * sizeof(*s.free_s))};
	int err = s.tasks && s.row_of && s.rows && s.drawn && s.parts && s.bars && s.free_s
			  ? 0
			  : -ENOMEM;

	err = err ? err : make_rows(&s);
	for (uint32_t t = 0; t < f->n_tasks && !err; t++)
		if (flow_in_view(f, v, t) && s.row_of[node_of(f, t)] != SIZE_MAX)
			s.tasks[s.n++] = t;
	if (!err) {
		choose_attempts(&s);
		for (size_t i = 0; i < s.n && !s.density && !err; i++)
			if (!s.drawn[s.tasks[i]]) {
				s.density = calloc(s.n_rows * LANE_COLUMNS, sizeof(*s.density));
				err = s.density ? 0 : -ENOMEM;
			}
	}
	if (!err) {
		make_bars(&s);
		draw_swimlanes(d, &s);
	}
	free(s.tasks);
	free(s.row_of);
	free(s.rows);
	free(s.drawn);
	free(s.parts);
	free(s.bars);
	free(s.density);
	free(s.free_s);
	return err;
}
