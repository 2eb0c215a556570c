// SPDX-License-Identifier: BSD-2-Clause
/* compare.h: cells shared, near and all together, enough peers, medians; numbers; Wasserstein-1. */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/compare/compare.h"
#include "analyzer/stat/stats.h"
#include "bpf/record.h"

enum { MOST = 12 };

static const struct compare_opts usual = {.events = 30, .peers = 4};

struct group {
	struct cell cell[MOST][8];
	struct cells e[MOST];
	struct compared out[MOST];
};

static void add(struct group *g, size_t i, uint32_t id, double q, double n)
{
	g->cell[i][g->e[i].n++] = (struct cell){.id = id, .ln_q = log(q), .n = n};
	g->e[i].at = g->cell[i];
}

/* All entities in one cell, with CELL_ANY. */
static struct group same(size_t n, uint32_t class, int load, double q, double events)
{
	struct group g = {0};

	for (size_t i = 0; i < n; i++) {
		add(&g, i, CELL_ID(class, load), q, events);
		add(&g, i, CELL_ID_ANY(class), q, events);
	}
	return g;
}

static void compare(struct group *g, size_t n)
{
	for (size_t i = 0; i < MOST; i++)
		g->e[i].at = g->cell[i];
	assert_int_equal(compare_cells(g->e, n, &usual, g->out), 0);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

static void not_judged(const struct compared *c)
{
	assert_true(isnan(c->d) && isnan(c->value) && isnan(c->peers));
	assert_int_equal(c->in, IN_NONE);
	assert_int_equal(c->cells, 0);
}

static void the_slow_one_is_up_and_nobody_else(void **state)
{
	struct group g = same(6, 2, 5, 100, 50);

	(void)state;
	g.cell[3][0].ln_q = log(250);
	compare(&g, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_true(near(g.out[i].d, i == 3 ? log(2.5) : 0));
		assert_true(near(g.out[i].peers, 100));
		assert_int_equal(g.out[i].id, CELL_ID(2, 5));
		assert_int_equal(g.out[i].in, IN_SHARED);
		assert_int_equal(g.out[i].n_peers, 5);
		assert_int_equal(g.out[i].cells, 1);
		assert_true(g.out[i].weight == 50);
	}
	assert_true(near(g.out[3].value, 250));
}

static void one_and_two_are_not_compared(void **state)
{
	struct group g;

	(void)state;
	compare(&(struct group){0}, 0);
	for (size_t n = 1; n <= 2; n++) {
		g = same(n, 0, 0, 10, 1000);
		g.cell[0][0].ln_q = log(1000);
		compare(&g, n);
		for (size_t i = 0; i < n; i++)
			not_judged(&g.out[i]);
	}
	g = same(3, 0, 0, 10, 1000);
	compare(&g, 3);
	assert_true(g.out[0].d == 0 && g.out[0].n_peers == 2);
}

static void too_few_events_abstain(void **state)
{
	struct group g = same(6, 0, 0, 10, 30);

	(void)state;
	g.cell[1][0].n = g.cell[1][1].n = 29;
	compare(&g, 6);
	not_judged(&g.out[1]);
	assert_true(g.out[0].d == 0 && g.out[0].n_peers == 4);
	/* The one with 29 is at work as well: six of them need four peers, and three is not enough. */
	g.cell[2][0].n = g.cell[2][1].n = 29;
	compare(&g, 6);
	for (size_t i = 0; i < 6; i++)
		not_judged(&g.out[i]);
	/* If it is not at work, four of them need three peers. */
	g.e[1].n = g.e[2].n = 0;
	compare(&g, 6);
	not_judged(&g.out[1]);
	assert_true(g.out[0].d == 0 && g.out[0].n_peers == 3);
}

static void what_is_no_number_does_not_count(void **state)
{
	struct group g = same(6, 0, 0, 10, 30);

	(void)state;
	g.cell[0][0].ln_q = g.cell[0][1].ln_q = NAN;
	g.cell[1][0].ln_q = g.cell[1][1].ln_q = -INFINITY;
	g.cell[2][0].n = g.cell[2][1].n = NAN;
	compare(&g, 6);
	for (size_t i = 0; i < 6; i++)
		not_judged(&g.out[i]);
}

/* The sixth is alone in its cell, `far` half octaves from the others', and has so many events in all. */
static struct group lonely(int far, double events)
{
	struct group g = same(6, 1, 10, 100, 50);

	g.e[5].n = 0;
	add(&g, 5, CELL_ID(1, 10 + far), 300, events - 10);
	add(&g, 5, CELL_ID_ANY(1), 200, events);
	compare(&g, 6);
	return g;
}

static void a_lonely_cell_goes_to_the_nearest_then_to_all(void **state)
{
	(void)state;
	for (int far = -4; far <= 4; far++) {
		struct group g = lonely(far, 70);
		bool any = abs(far) > 2;

		assert_int_equal(g.out[5].in, any ? IN_ANY : far ? IN_NEAREST : IN_SHARED);
		assert_true(near(g.out[5].d, log(any ? 2 : 3)));
		assert_int_equal(g.out[5].id, any ? CELL_ID_ANY(1) : CELL_ID(1, 10 + far));
		assert_true(g.out[5].weight == 50);
		assert_int_equal(g.out[0].in, IN_SHARED);
	}
}

/* Slower with less to do is slow at equal work, too; with more to do, it is not known. */
static void more_to_do_than_any_peer_is_not_judged(void **state)
{
	static const struct {
		double events;
		bool judged;
	} cases[] = {{40, true}, {50, true}, {70, true}, {71, false}, {5000, false}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct group g = lonely(8, cases[k].events);

		if (cases[k].judged) {
			assert_int_equal(g.out[5].in, IN_ANY);
			assert_true(near(g.out[5].d, log(2)));
		} else {
			not_judged(&g.out[5]);
		}
		assert_true(g.out[0].d == 0);
	}
}

/* Slower peers at one side, quicker at the other: only the lesser incident is made. */
static void of_two_as_near_the_doubt_is_its_own(void **state)
{
	(void)state;
	for (int low = 0; low < 2; low++) {
		struct group g = {0};

		for (size_t i = 0; i < 8; i++) {
			add(&g, i, CELL_ID(0, 4), low ? 100 : 150, 50);
			add(&g, i, CELL_ID(0, 6), low ? 150 : 100, 50);
		}
		add(&g, 8, CELL_ID(0, 5), 200, 50);
		compare(&g, 9);
		assert_int_equal(g.out[8].in, IN_NEAREST);
		assert_true(near(g.out[8].d, log(200.0 / 150)));
	}
}

/* Alone is who has work that others have, but not at their load; idle is something else. */
static void alone_with_its_load(void **state)
{
	struct group g = same(6, 1, 10, 100, 80);

	(void)state;
	g.e[5].n = g.e[4].n = 0;
	add(&g, 5, CELL_ID(1, 20), 900, 300);
	add(&g, 5, CELL_ID_ANY(1), 900, 300);
	compare(&g, 6);
	not_judged(&g.out[5]);
	not_judged(&g.out[4]);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(g.out[i].alone, i == 5);
	/* Nobody is there to be compared with. */
	g.e[0].n = g.e[1].n = g.e[2].n = 0;
	compare(&g, 6);
	assert_false(g.out[5].alone);
}

/* All loads stand in once, for the events that were not compared in cells. */
static void all_loads_count_no_event_twice(void **state)
{
	struct group g = same(6, 1, 10, 100, 80);

	(void)state;
	g.e[5].n = 0;
	add(&g, 5, CELL_ID(1, 10), 300, 60);
	add(&g, 5, CELL_ID(1, 20), 900, 31);
	add(&g, 5, CELL_ID(1, 30), 900, 9);
	add(&g, 5, CELL_ID_ANY(1), 500, 100);
	compare(&g, 6);
	assert_int_equal(g.out[5].cells, 2);
	assert_true(g.out[5].weight == 60 + 40);
	assert_true(near(g.out[5].d, 0.6 * log(3) + 0.4 * log(5)));
	assert_int_equal(g.out[5].in, IN_ANY);
	/* Small cells alone are no reason. */
	g.cell[5][1].n = 29;
	compare(&g, 6);
	assert_int_equal(g.out[5].cells, 1);
	assert_int_equal(g.out[5].in, IN_SHARED);
	/* Nothing but small cells is. */
	g.cell[5][0].n = 29;
	compare(&g, 6);
	assert_int_equal(g.out[5].in, IN_ANY);
	assert_true(near(g.out[5].d, log(5)));
}

/* So is everything else that is told of the cells together. */
static void the_mean_is_weighted(void **state)
{
	static const double weights[][3] = {
		{40, 40, 40}, {100, 40, 40}, {40, 40, 100}, {80, 40, 40}, {40, 80, 40}};
	static const double worse[3] = {2, 3, 5}, variance[3] = {0.1, 0.2, 0.4};

	(void)state;
	for (size_t k = 0; k < sizeof(weights) / sizeof(*weights); k++) {
		const double *n = weights[k];
		double total = n[0] + n[1] + n[2], d = 0, v = 0;
		struct group g = {0};
		uint32_t most = 0;

		for (size_t i = 0; i < 6; i++)
			for (uint32_t c = 0; c < 3; c++)
				add(&g, i, CELL_ID(c, 7),
				    i ? 10 * (1 + c) : 10 * (1 + c) * worse[c], i ? 200 : n[c]);
		for (uint32_t c = 0; c < 3; c++) {
			g.cell[0][c].variance = variance[c];
			d += n[c] * log(worse[c]) / total;
			v += n[c] * variance[c] / total;
			most = n[c] > n[most] ? c : most;
		}
		compare(&g, 6);
		assert_true(near(g.out[0].d, d));
		assert_true(near(g.out[0].variance, v));
		assert_true(near(log(g.out[0].value / g.out[0].peers), d));
		assert_true(near(log(g.out[0].peers),
				 (n[0] * log(10) + n[1] * log(20) + n[2] * log(30)) / total));
		assert_int_equal(g.out[0].id, CELL_ID(most, 7));
		assert_int_equal(g.out[0].cells, 3);
	}
}

/* The weight is no more than the peers have, so that a busy one is not heard more. */
static void weight_is_limited_by_the_peers(void **state)
{
	struct group g = same(6, 0, 0, 10, 40);

	(void)state;
	g.cell[0][0].n = 1e6;
	compare(&g, 6);
	assert_true(g.out[0].weight == 40 && g.out[1].weight == 40);
}

static void many_agree_with_the_definition(void **state)
{
	enum { N = 501 };
	static struct cell cell[N];
	static struct cells e[N];
	static struct compared out[N];
	double others[N];

	(void)state;
	srand(5);
	for (size_t i = 0; i < N; i++) {
		cell[i] = (struct cell){
			.id = CELL_ID(9, -8), .ln_q = rand() % 200, .n = 30 + rand() % 9};
		e[i] = (struct cells){.at = &cell[i], .n = 1};
	}
	assert_int_equal(compare_cells(e, N, &usual, out), 0);
	for (size_t i = 0; i < N; i++) {
		size_t m = 0;

		for (size_t j = 0; j < N; j++)
			if (j != i)
				others[m++] = cell[j].ln_q;
		assert_true(near(out[i].d, cell[i].ln_q - stats_quantile(others, m, 0.5)));
	}
}

static void numbers_against_the_others(void **state)
{
	const double x[] = {0, 0, 12, NAN, 0, 4}, zero[] = {0, 0, 0}, two[] = {1, 9, NAN};
	struct compared out[6];

	(void)state;
	assert_int_equal(compare_numbers(x, 6, 2, out), 0);
	assert_true(near(out[2].d, log(14.0 / 2)) && out[2].value == 12 && out[2].peers == 0);
	assert_true(near(out[0].d, log(2.0 / 4)) && out[0].peers == 2 && out[0].n_peers == 4);
	not_judged(&out[3]);
	assert_int_equal(compare_numbers(zero, 3, 1, out), 0);
	assert_true(out[0].d == 0 && out[2].d == 0);
	assert_int_equal(compare_numbers(zero, 3, 0, out), 0); /* 0/0 is no ratio */
	not_judged(&out[0]);
	assert_int_equal(compare_numbers(two, 3, 1, out), 0);
	for (size_t i = 0; i < 3; i++)
		not_judged(&out[i]);
	assert_int_equal(compare_numbers(x, 0, 1, out), 0);
}

/* Buckets of 8 to an octave: moving by 8 doubles every value. */
static void an_octave_is_a_distance_of_ln_2(void **state)
{
	static uint64_t a[LAT_BUCKETS], b[LAT_BUCKETS], empty[LAT_BUCKETS];

	(void)state;
	for (unsigned int k = 20; k < 60; k++) {
		a[k] = 1 + k % 7;
		b[k + 8] = 1000 * a[k];
	}
	assert_true(near(compare_w1(a, b), log(2)));
	assert_true(near(compare_w1(b, a), log(2)));
	assert_true(compare_w1(a, a) == 0);
	assert_true(isnan(compare_w1(a, empty)));
	assert_true(isnan(compare_w1(empty, a)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slow_one_is_up_and_nobody_else),
		cmocka_unit_test(one_and_two_are_not_compared),
		cmocka_unit_test(too_few_events_abstain),
		cmocka_unit_test(what_is_no_number_does_not_count),
		cmocka_unit_test(a_lonely_cell_goes_to_the_nearest_then_to_all),
		cmocka_unit_test(more_to_do_than_any_peer_is_not_judged),
		cmocka_unit_test(of_two_as_near_the_doubt_is_its_own),
		cmocka_unit_test(alone_with_its_load),
		cmocka_unit_test(all_loads_count_no_event_twice),
		cmocka_unit_test(the_mean_is_weighted),
		cmocka_unit_test(weight_is_limited_by_the_peers),
		cmocka_unit_test(many_agree_with_the_definition),
		cmocka_unit_test(numbers_against_the_others),
		cmocka_unit_test(an_octave_is_a_distance_of_ln_2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
