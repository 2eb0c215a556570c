// SPDX-License-Identifier: BSD-2-Clause
/* compare/equal_load.h: what load does to all of them is no fault, and what no peer does is not judged. */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/compare/equal_load.h"
#include "analyzer/stat/rng.h"

enum { N = 6 };

struct group {
	struct equal_load *e;
	struct rng rng;
	struct loaded in[N];
	struct residual out[N];
};

static void begin(struct group *g, bool given)
{
	*g = (struct group){.e = equal_load_new(N, given)};
	assert_non_null(g->e);
	rng_seed(&g->rng, 3);
}

static void push(struct group *g)
{
	equal_load_push(g->e, g->in, g->out);
}

/* One interval: latency grows with load to the power of `slope`, entity 2 has `hot` times the load, and is `slow`. */
static void interval(struct group *g, double slope, double hot, double slow)
{
	for (size_t i = 0; i < N; i++) {
		double x = log(i == 2 ? hot : 1) + 0.4 * (rng_uniform(&g->rng) - 0.5);

		g->in[i] = (struct loaded){.x = x,
					   .y = slope * x + 0.01 * rng_normal(&g->rng) +
						log(i == 2 ? slow : 1),
					   .n = 30,
					   .ss = 30 * 0.04};
	}
	push(g);
}

static void load_is_taken_off(void **state)
{
	static const double slopes[] = {0, 0.5, 1, 2};

	(void)state;
	for (size_t k = 0; k < sizeof(slopes) / sizeof(*slopes); k++)
		for (int slow = 0; slow < 2; slow++) {
			struct group g;

			begin(&g, true);
			for (int i = 0; i < 200; i++)
				interval(&g, slopes[k], 1.5, slow ? 1.4 : 1);
			assert_true(fabs(g.out[2].r - log(slow ? 1.4 : 1)) < 0.06);
			assert_false(g.in[2].alone);
			for (size_t i = 0; i < N; i++)
				if (i != 2)
					assert_true(fabs(g.out[i].r) < 0.06);
			/* the higher its load beside the others', the more is left open */
			assert_true(g.out[2].doubt > 0.05);
			equal_load_free(g.e);
		}
}

/* Before twenty intervals nothing is known of what load does, so nothing is taken off. */
static void nothing_is_taken_off_too_soon(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	for (int i = 0; i < 25; i++) {
		double x = 0, y = 0;

		interval(&g, 1, 1.5, 1);
		for (size_t k = 0; k < 2; k++) {
			x = g.in[2 * k].x - x;
			y = g.out[2 * k].r - y;
		}
		assert_true(fabs(y - (i < 19 ? x : 0)) < 0.06);
	}
	equal_load_free(g.e);
}

/* One entity of which more work makes nothing slower, or all the slower, is not what load does. */
static void the_slope_is_the_groups(void **state)
{
	static const double odd[] = {-3, 9};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct group g;

		begin(&g, true);
		for (int t = 0; t < 100; t++) {
			interval(&g, 1, 1, 1);
			g.in[5].y = odd[k] * g.in[5].x;
			push(&g);
		}
		for (size_t i = 0; i < 5; i++)
			assert_true(fabs(g.out[i].r) < 0.06);
		equal_load_free(g.e);
	}
}

static void alone_with_its_load(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	for (int t = 0; t < 50; t++)
		interval(&g, 1, 5, 2);
	assert_true(g.in[2].alone && isnan(g.out[2].r));
	for (size_t i = 0; i < N; i++)
		if (i != 2)
			assert_true(!g.in[i].alone && isfinite(g.out[i].r));
	/* with one other at its load it is alone still, with two it is not */
	for (size_t with = 1; with <= 2; with++) {
		interval(&g, 0, 5, 1);
		for (size_t i = 0; i < with; i++)
			g.in[i].x = g.in[2].x + 0.1;
		push(&g);
		assert_int_equal(g.in[2].alone, with < 2);
		assert_int_equal(g.in[0].alone, with < 2);
		assert_int_equal(isnan(g.out[2].r), with < 2);
	}
	equal_load_free(g.e);
}

/* No peer has as little to do: no load excuses it if it was slower lately; if not, it is not compared, whatever it is now. */
static void slower_with_less_to_do(void **state)
{
	struct group g;

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		begin(&g, true);
		for (int t = 0; t < 50; t++)
			interval(&g, 0.5, 0.2, slow ? 4 : 1);
		assert_true(g.in[2].alone);
		assert_int_equal(isfinite(g.out[2].r), slow);
		if (slow) {
			/* by the slope over an octave, and no further */
			assert_true(fabs(g.out[2].r - log(4) + 0.5 * log(5) - 0.5 * log(2)) < 0.06);
			assert_true(fabs(g.out[2].doubt + EQUAL_LOAD_DOUBT * log(5)) < 0.2);
		}
		interval(&g, 0.5, 0.2, slow ? 1 : 4);
		assert_true(g.in[2].alone);
		assert_int_equal(isfinite(g.out[2].r), slow);
		equal_load_free(g.e);
	}
}

/* Where loads do not count, or no load was given, nobody is alone. */
static void without_loads_nobody_is_alone(void **state)
{
	struct group g;

	(void)state;
	begin(&g, false);
	interval(&g, 0, 50, 3);
	assert_true(fabs(g.out[2].r - log(3)) < 0.06);
	for (size_t i = 0; i < N; i++) {
		g.in[i].x = NAN;
		assert_true(g.out[i].doubt == 0 && !g.in[i].alone);
	}
	push(&g);
	assert_true(fabs(g.out[2].r - log(3)) < 0.06);
	equal_load_free(g.e);
}

static void too_few_and_missing(void **state)
{
	struct group g;

	(void)state;
	for (int given = 0; given < 2; given++) {
		begin(&g, given);
		interval(&g, 0, 1, 1);
		g.in[0].y = NAN;
		g.in[1].n = 0;
		g.in[3].y = INFINITY;
		push(&g);
		assert_true(isnan(g.out[0].r) && isnan(g.out[1].r) && isnan(g.out[3].r));
		assert_true(isfinite(g.out[2].r) && isfinite(g.out[4].r) && isfinite(g.out[5].r));
		g.in[4].y = NAN;
		push(&g);
		for (size_t i = 0; i < N; i++)
			assert_true(isnan(g.out[i].r));
		equal_load_free(g.e);
	}
	begin(&g, true);
	interval(&g, 0, 1, 1);
	g.in[2].x = NAN; /* its load is not known */
	push(&g);
	assert_true(isnan(g.out[2].r) && !g.in[2].alone && isfinite(g.out[0].r));
	equal_load_free(g.e);
}

/* A mean of few values is less sure: by the variance of single values, over how many there are. */
static void few_values_are_less_sure(void **state)
{
	struct group g;

	(void)state;
	begin(&g, false);
	for (size_t i = 0; i < N; i++)
		g.in[i] = (struct loaded){.n = i == 1 ? 10 : 40, .ss = (i == 1 ? 9 : 39) * 0.25};
	push(&g);
	assert_true(fabs(g.out[1].extra - (0.25 / 10 - 0.25 / 40)) < 1e-12);
	for (size_t i = 0; i < N; i++)
		if (i != 1)
			assert_true(g.out[i].extra == 0);
	equal_load_free(g.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_is_taken_off),
		cmocka_unit_test(nothing_is_taken_off_too_soon),
		cmocka_unit_test(the_slope_is_the_groups),
		cmocka_unit_test(alone_with_its_load),
		cmocka_unit_test(slower_with_less_to_do),
		cmocka_unit_test(without_loads_nobody_is_alone),
		cmocka_unit_test(too_few_and_missing),
		cmocka_unit_test(few_values_are_less_sure),
	};

	return cmocka_run_group_tests_name("equal load", tests, NULL, NULL);
}
