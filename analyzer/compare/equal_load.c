// SPDX-License-Identifier: BSD-2-Clause
/* Residuals at equal load (equal_load.h). */
#include "equal_load.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

#define OCTAVE	   0.69314718 /* ln 2: loads within it can be compared */
#define SLOPE_MAX  2.0 /* latency grows with the square of the load at most, short of a standstill */
#define SPREAD_MIN 1e-6 /* loads that differ by less, squared, tell no slope */
#define SLOWER	   0.1	/* ln: less is no slower */
enum { SLOPE_INTERVALS = 20, NEAR_PEERS = 2, LEAST = 3 };

struct load_sums {
	double n, x, y, xx, xy;
	double lately; /* mean of dy that forgets, before the interval that is pushed */
};

struct equal_load {
	size_t n;
	bool given;
	struct load_sums *of;	  /* n */
	double within, within_df; /* squares of single values around their means */
	double *some;		  /* n, to sort in */
	double *loads;		  /* n, those known, ascending */
};

struct equal_load *equal_load_new(size_t n, bool given)
{
	struct equal_load *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->n = n;
	e->given = given;
	e->of = calloc(n + 1, sizeof(*e->of));
	e->some = calloc(n + 1, sizeof(*e->some));
	e->loads = calloc(n + 1, sizeof(*e->loads));
	if (e->of && e->some && e->loads)
		return e;
	equal_load_free(e);
	return NULL;
}

void equal_load_free(struct equal_load *e)
{
	if (!e)
		return;
	free(e->of);
	free(e->some);
	free(e->loads);
	free(e);
}

static bool usable(const struct equal_load *e, const struct loaded *in)
{
	return isfinite(in->y) && in->n > 0 && (!e->given || isfinite(in->x));
}

/* Median of one field over those that are usable; NaN: none is. */
static double median(struct equal_load *e, const struct loaded *in, bool of_load)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		if (usable(e, &in[i]))
			e->some[n++] = of_load ? in[i].x : in[i].y;
	return n ? stats_quantile(e->some, n, 0.5) : NAN;
}

static void learn(struct equal_load *e, const struct loaded *in, double x, double y)
{
	for (size_t i = 0; i < e->n; i++) {
		struct load_sums *s = &e->of[i];
		double dx = in[i].x - x, dy = in[i].y - y;

		if (!usable(e, &in[i]))
			continue;
		s->n++;
		s->x += dx;
		s->y += dy;
		s->xx += dx * dx;
		s->xy += dx * dy;
	}
}

static double slope(struct equal_load *e)
{
	size_t n = 0;
	double beta;

	for (size_t i = 0; i < e->n; i++) {
		const struct load_sums *s = &e->of[i];
		double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;

		if (s->n >= SLOPE_INTERVALS && xx > SPREAD_MIN * s->n)
			e->some[n++] = xy / xx;
	}
	beta = n ? stats_quantile(e->some, n, 0.5) : 0;
	return fmin(fmax(beta, 0), SLOPE_MAX);
}

/* How many of the loads are in [from, to]. */
static size_t between(const double *at, size_t n, double from, double to)
{
	size_t first = search_first(i, n, at[i] < from);

	return search_first(i, n - first, at[first + i] <= to);
}

/* Whether, without a peer at its load, it has less to do than they, and was slower lately: no load excuses that. Not by what it
 * shows now, or what is compared would be the worst of it. */
static bool slower_with_less(const struct load_sums *s, double dx)
{
	return dx < 0 && s->n > SLOPE_INTERVALS && s->lately > SLOWER;
}

/* r becomes y at equal load, of those that have peers there. How many they are. */
static size_t put_load(struct equal_load *e, struct loaded *in, double x, double beta,
		       struct residual *out)
{
	size_t n = 0, here = 0;

	for (size_t i = 0; i < e->n && e->given; i++)
		if (usable(e, &in[i]))
			e->loads[n++] = in[i].x;
	stats_sort(e->loads, n);
	for (size_t i = 0; i < e->n; i++) {
		out[i] = (struct residual){.r = NAN};
		in[i].alone = false;
		if (!usable(e, &in[i]))
			continue;
		if (e->given &&
		    between(e->loads, n, in[i].x - OCTAVE, in[i].x + OCTAVE) <= NEAR_PEERS) {
			in[i].alone = true;
			if (!slower_with_less(&e->of[i], in[i].x - x))
				continue;
		}
		out[i].r = in[i].y;
		if (e->given) {
			/* of one that is alone: an octave of slope, and no further */
			out[i].r -= beta * fmax(in[i].x - x, in[i].alone ? -OCTAVE : -INFINITY);
			out[i].doubt = EQUAL_LOAD_DOUBT * (in[i].x - x);
		}
		here++;
	}
	return here;
}

/* Less values than usual: what a mean of them is less sure of. */
static void put_extra(struct equal_load *e, const struct loaded *in, struct residual *out)
{
	double variance = e->within / fmax(1, e->within_df), usual;
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		if (usable(e, &in[i]))
			e->some[n++] = in[i].n;
	usual = n ? stats_quantile(e->some, n, 0.5) : 1;
	for (size_t i = 0; i < e->n; i++)
		if (usable(e, &in[i]))
			out[i].extra = fmax(0, variance / in[i].n - variance / usual);
}

void equal_load_push(struct equal_load *e, struct loaded *in, struct residual *out)
{
	double x = 0, y = 0, beta = 0, middle = NAN;
	size_t n = 0, here;

	for (size_t i = 0; i < e->n; i++)
		if (usable(e, &in[i])) {
			e->within += in[i].ss;
			e->within_df += in[i].n - 1;
		}
	if (e->given) {
		x = median(e, in, true);
		y = median(e, in, false);
		learn(e, in, x, y);
		beta = slope(e);
	}
	here = put_load(e, in, x, beta, out);
	for (size_t i = 0; e->given && i < e->n; i++)
		if (usable(e, &in[i]))
			e->of[i].lately += (in[i].y - y - e->of[i].lately) / SLOPE_INTERVALS;
	for (size_t i = 0; i < e->n; i++)
		if (isfinite(out[i].r))
			e->some[n++] = out[i].r;
	if (here >= LEAST)
		middle = stats_quantile(e->some, n, 0.5);
	for (size_t i = 0; i < e->n; i++)
		out[i].r -= middle;
	put_extra(e, in, out);
}
