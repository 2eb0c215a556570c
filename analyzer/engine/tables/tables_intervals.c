// SPDX-License-Identifier: BSD-2-Clause
/* The intervals of a table's column: what each entity did in them, with the load it did it under. */
#include "tables_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "userspace/common/array.h"

#define VALUE_MAX 1e18 /* larger ones are damage, as on the frame's grid */

void *table_room(void *array, size_t n, size_t *cap, size_t size)
{
	return array_again(array, n, SIZE_MAX, cap, size);
}

double table_ln(const struct table_signal *s, double value)
{
	double v = value + s->row->c;

	if (!(v > 0) || fabs(value) > VALUE_MAX)
		return NAN;
	return s->row->inverse ? -log(v) : log(v);
}

double table_shown(const struct table_signal *s, double compared)
{
	double v = s->row->inverse ? 1 / compared : compared;

	/* zero stays zero, whatever its logarithm rounds to */
	return fabs(v - s->row->c) < 1e-12 * s->row->c ? 0 : v - s->row->c;
}

/* Under which load a sample was measured: samples of both columns that have one time belong together. */
static double load_at(const struct table_signal *s, struct table_entity *e, const struct sample *x)
{
	const struct sample *at = s->t->at;
	double load = NAN;

	if (s->t->events && isfinite(x->bytes)) {
		load = x->bytes;
	} else if (s->given >= 0) {
		while (e->given_at < e->given_end && at[e->given_at].time_ns < x->time_ns)
			e->given_at++;
		if (e->given_at < e->given_end && at[e->given_at].time_ns == x->time_ns)
			load = at[e->given_at].value;
	}
	return load > 0 ? log(load) : NAN;
}

bool table_next(const struct table_signal *s, struct table_entity *e, int64_t to, double *x,
		double *y)
{
	for (; e->at < e->end; e->at++) {
		const struct sample *at = &s->t->at[e->at];

		if (at->time_ns >= to && to != INT64_MAX)
			return false;
		*x = s->loaded ? load_at(s, e, at) : NAN;
		*y = table_ln(s, at->value);
		if (isfinite(*y) && (!s->loaded || isfinite(*x))) {
			e->at++;
			return true;
		}
		if (isfinite(*y))
			e->unloaded++;
		else
			e->unlogged++;
	}
	return false;
}

/* Takes the values before `to`. */
static struct loaded take(const struct table_signal *s, struct table_entity *e, int64_t to)
{
	struct loaded sum = {0};
	double x, y, squares = 0;

	while (table_next(s, e, to, &x, &y)) {
		sum.n++;
		sum.x += x;
		sum.y += y;
		squares += y * y;
	}
	if (!(sum.n > 0))
		return (struct loaded){.x = NAN, .y = NAN};
	sum.x /= sum.n;
	sum.y /= sum.n;
	sum.ss = fmax(0, squares - sum.n * sum.y * sum.y);
	e->values += (size_t)sum.n;
	return sum;
}

static int64_t later(int64_t at, uint64_t by)
{
	int64_t sum;

	return by > INT64_MAX || __builtin_add_overflow(at, (int64_t)by, &sum) ? INT64_MAX : sum;
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

void table_rewind(struct table_entity *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		e[i].at = e[i].begin;
		e[i].given_at = e[i].given_begin;
		e[i].values = e[i].unlogged = e[i].unloaded = 0;
	}
}

int table_walk(const struct table_signal *s, struct table_entity *e, size_t n,
	       int (*fn)(void *arg, const struct table_interval *w), void *arg)
{
	struct loaded *of = calloc(n + 1, sizeof(*of));
	struct table_interval at = {.at = of};
	uint64_t step = (uint64_t)s->interval_ns;
	int64_t first = 0, next;
	int err = of ? 0 : -ENOMEM;

	table_rewind(e, n);
	if (!earliest(s, e, n, &first))
		first = INT64_MAX;
	while (!err && earliest(s, e, n, &next)) {
		uint64_t slot = ((uint64_t)next - (uint64_t)first) / step;

		at.from_ns = later(first, slot * step);
		at.to_ns = later(first, (slot + 1) * step);
		for (size_t i = 0; i < n; i++)
			of[i] = take(s, &e[i], at.to_ns);
		err = fn(arg, &at);
	}
	free(of);
	return err;
}
