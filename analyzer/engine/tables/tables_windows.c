// SPDX-License-Identifier: BSD-2-Clause
/* The windows of a table's column: each entity's medians in cells of the other column, compared. */
#include "tables_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define VALUE_MAX 1e18 /* larger ones are damage, as on the frame's grid */

/*
 * Half octaves of a value: from 2^-50 to 2^63, and one cell for zero and below, which nothing is
 * near.
 */
enum { LOAD_MIN = -100, LOAD_MAX = 126, LOAD_NONE = -128 };

struct point {
	uint32_t id; /* of the cell; CELL_ID_ANY: the other column has no value there */
	double v;
};

/* What is held of one window. */
struct work {
	struct point *points; /* of one entity */
	size_t n_points, cap_points;
	struct cell *cells; /* of all */
	size_t n_cells, cap_cells;
	size_t *first;	    /* n + 1: of each entity's cells */
	struct cells *of;   /* n */
	struct compared *c; /* n */
};

void *table_room(void *array, size_t n, size_t *cap, size_t size)
{
	return array_again(array, n, SIZE_MAX, cap, size);
}

static uint32_t cell_of(double load)
{
	double half = load > 0 ? floor(2 * log2(load)) : LOAD_NONE;

	if (load > 0)
		half = fmin(fmax(half, LOAD_MIN), LOAD_MAX);
	return CELL_ID(0, (int)half);
}

/*
 * Where the value of a sample was measured: samples of both columns that have one time belong
 * together.
 */
static uint32_t cell_at(const struct table_signal *s, struct table_entity *e,
			const struct sample *x)
{
	const struct sample *at = s->t->at;

	if (s->t->events && isfinite(x->bytes))
		return cell_of(x->bytes);
	if (s->given < 0)
		return s->t->events ? CELL_ID_ANY(0) : CELL_ID(0, 0);
	while (e->given_at < e->given_end && at[e->given_at].time_ns < x->time_ns)
		e->given_at++;
	if (e->given_at == e->given_end || at[e->given_at].time_ns != x->time_ns)
		return CELL_ID_ANY(0);
	return cell_of(at[e->given_at].value);
}

/* Takes the values before `to`. */
static int take(const struct table_signal *s, struct table_entity *e, struct work *w, int64_t to)
{
	w->n_points = 0;
	for (; e->at < e->end; e->at++) {
		const struct sample *x = &s->t->at[e->at];
		struct point *p;

		if (x->time_ns >= to && to != INT64_MAX)
			break;
		if (fabs(x->value) > VALUE_MAX)
			continue;
		p = table_room(w->points, w->n_points, &w->cap_points, sizeof(*p));
		if (!p)
			return -ENOMEM;
		w->points = p;
		p[w->n_points++] = (struct point){cell_at(s, e, x), x->value};
	}
	if (w->n_points > e->most)
		e->most = w->n_points;
	return 0;
}

static int by_cell(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->v > y->v) - (x->v < y->v);
}

static int by_value(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return (x->v > y->v) - (x->v < y->v);
}

/* A cell of n values in order. */
static int add_cell(const struct table_signal *s, struct table_entity *e, struct work *w,
		    uint32_t id, const struct point *p, size_t n)
{
	double q = 0.5 * p[(n - 1) / 2].v + 0.5 * p[n / 2].v;
	struct cell *c;

	if (s->row->floor > 0)
		q = fmax(q, s->row->floor);
	if (!(q > 0)) {
		e->unlogged++;
		return 0;
	}
	c = table_room(w->cells, w->n_cells, &w->cap_cells, sizeof(*c));
	if (!c)
		return -ENOMEM;
	w->cells = c;
	c[w->n_cells++] = (struct cell){id, s->row->inverse ? -log(q) : log(q), (double)n};
	return 0;
}

static int make_cells(const struct table_signal *s, struct table_entity *e, struct work *w)
{
	struct point *p = w->points;
	size_t n = w->n_points;
	int err = 0;

	if (!n)
		return 0;
	sort(p, n, by_cell);
	for (size_t i = 0, end; i < n && !err; i = end) {
		for (end = i; end < n && p[end].id == p[i].id; end++)
			;
		if (p[i].id != CELL_ID_ANY(0))
			err = add_cell(s, e, w, p[i].id, p + i, end - i);
	}
	if (err)
		return err;
	sort(p, n, by_value);
	return add_cell(s, e, w, CELL_ID_ANY(0), p, n);
}

static int64_t later(int64_t at, int64_t by)
{
	int64_t sum;

	return __builtin_add_overflow(at, by, &sum) ? INT64_MAX : sum;
}

/* The earliest sample not yet taken. */
static bool earliest(const struct table_signal *s, const struct table_entity *e, size_t n,
		     int64_t *ns)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		if (e[i].at < e[i].end && (!any || s->t->at[e[i].at].time_ns < *ns)) {
			*ns = s->t->at[e[i].at].time_ns;
			any = true;
		}
	return any;
}

static int one_window(const struct table_signal *s, struct table_entity *e, size_t n,
		      struct work *w, int64_t to)
{
	int err = 0;

	w->n_cells = 0;
	for (size_t i = 0; i < n && !err; i++) {
		w->first[i] = w->n_cells;
		err = take(s, &e[i], w, to);
		if (!err)
			err = make_cells(s, &e[i], w);
	}
	w->first[n] = w->n_cells;
	/* only now: the array has moved while it grew */
	for (size_t i = 0; i < n; i++)
		w->of[i] = (struct cells){w->cells + w->first[i], w->first[i + 1] - w->first[i]};
	if (!err)
		err = compare_cells(w->of, n, &s->compare, w->c);
	for (size_t i = 0; i < n && !err && s->row->inverse; i++) {
		w->c[i].value = 1 / w->c[i].value;
		w->c[i].peers = 1 / w->c[i].peers;
	}
	return err;
}

int table_walk(const struct table_signal *s, struct table_entity *e, size_t n,
	       int (*fn)(void *arg, const struct table_window *w), void *arg)
{
	struct work w = {.first = calloc(n + 1, sizeof(*w.first)),
			 .of = calloc(n + 1, sizeof(*w.of)),
			 .c = calloc(n + 1, sizeof(*w.c))};
	struct table_window at = {.c = w.c};
	int err = w.first && w.of && w.c ? 0 : -ENOMEM;
	int64_t next;

	for (size_t i = 0; i < n; i++) {
		e[i].at = e[i].begin;
		e[i].given_at = e[i].given_begin;
		e[i].most = e[i].unlogged = 0;
	}
	if (!earliest(s, e, n, &at.from_ns))
		at.from_ns = INT64_MAX;
	while (!err && earliest(s, e, n, &next)) {
		at.silent = 0;
		if (next >= later(at.from_ns, s->window_ns)) {
			at.silent =
				((uint64_t)next - (uint64_t)at.from_ns) / (uint64_t)s->window_ns;
			at.from_ns = next;
		}
		at.to_ns = later(at.from_ns, s->window_ns);
		err = one_window(s, e, n, &w, at.to_ns);
		if (!err)
			err = fn(arg, &at);
		at.from_ns = at.to_ns;
	}
	free(w.points);
	free(w.cells);
	free(w.first);
	free(w.of);
	free(w.c);
	return err;
}
