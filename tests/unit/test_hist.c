// SPDX-License-Identifier: BSD-2-Clause
/* hist.h, stats.h and windows.h: order statistics, edges, bins, means over what is there. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/hist.h"
#include "analyzer/methods/model/params.h"
#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"

static void selection_agrees_with_sorting(void **state)
{
	double x[200], sorted[200], copy[200];

	(void)state;
	srand(3);
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + (size_t)rand() % 200, k = (size_t)rand() % n;
		int kinds = 1 + rand() % 20; /* few different values: many ties */

		for (size_t i = 0; i < n; i++)
			x[i] = round % 3 == 0 ? (double)i : rand() % kinds;
		memcpy(sorted, x, sizeof(x));
		memcpy(copy, x, sizeof(x));
		stats_sort(sorted, n);
		assert_true(stats_select(x, n, k) == sorted[k]);
		assert_true(stats_quantile(copy, n, 0.5) == stats_sorted_median(sorted, n));
	}
}

/* Many values, in orders and with ties that mislead a selection by samples. */
static double awkward(int kind, size_t i, size_t n)
{
	switch (kind) {
	case 0: return (double)i;
	case 1: return (double)(n - i);
	case 2: return rand() % 2;
	case 3: return (double)(i % 128);
	case 4: return i % 7 ? rand() : 5;
	case 5: return i < n / 2 ? (double)i : (double)(n - i); /* defeats the median of three */
	case 6: return i % 2 ? INFINITY : -(double)i;
	case 7: return i % (n / 128) ? 1 + (double)(i % 1000) : -1 / (1 + (double)i);
	case 8: return exp(30.0 * rand() / RAND_MAX);
	default: return 3;
	}
}

static void selection_of_many_agrees_with_sorting(void **state)
{
	enum { N = 20011 };
	double *x = calloc(N, sizeof(*x)), *sorted = calloc(N, sizeof(*x)), min, max;

	(void)state;
	srand(4);
	for (int kind = 0; kind < 10; kind++)
		for (int round = 0; round < 12; round++) {
			size_t n = round < 4 ? N : 300 + (size_t)rand() % (N - 300);
			size_t k = round % 4 == 0   ? (n - 1) / 100
				   : round % 4 == 1 ? n / 2
				   : round % 4 == 2 ? n - 1 - n / 100
						    : (size_t)rand() % n;

			for (size_t i = 0; i < n; i++)
				sorted[i] = x[i] = awkward(kind, i, n);
			stats_sort(sorted, n);
			stats_range(x, n, &min, &max);
			assert_true(min == sorted[0] && max == sorted[n - 1]);
			assert_true(stats_select(x, n, k) == sorted[k]);
			for (size_t i = 0; i < n; i++)
				assert_true(i < k ? x[i] <= x[k] : x[i] >= x[k]);
			stats_sort(x, n); /* nothing lost */
			assert_memory_equal(x, sorted, n * sizeof(*x));
		}
	free(x);
	free(sorted);
}

static void range_of_few(void **state)
{
	const double x[] = {3, -1, 7, 2, -5, 9, 0};
	double min, max;

	(void)state;
	stats_range(x, 0, &min, &max);
	assert_true(min == INFINITY && max == -INFINITY);
	stats_range(x, 1, &min, &max);
	assert_true(min == 3 && max == 3);
	stats_range(x, 7, &min, &max);
	assert_true(min == -5 && max == 9);
}

static void quantiles_interpolate_as_numpy_does(void **state)
{
	double x[] = {4, 1, 3, 2};

	(void)state;
	assert_true(fabs(stats_quantile(x, 4, 0.25) - 1.75) < 1e-15);
	assert_true(stats_quantile(x, 4, 0) == 1);
	assert_true(stats_quantile(x, 4, 1) == 4);
	assert_true(stats_quantile(x, 1, 0.99) == x[0]);
	assert_true(isnan(stats_quantile(x, 0, 0.5)));
}

static void peers_median_leaves_oneself_out(void **state)
{
	const double odd[] = {1, 2, 3, 4, 9}, tie[] = {2, 2, 2}, two[] = {1, 5};

	(void)state;
	assert_true(stats_peers_median(odd, 5, 9) == 2.5);
	assert_true(stats_peers_median(odd, 5, 1) == 3.5);
	assert_true(stats_peers_median(odd, 5, 3) == 3);
	assert_true(stats_peers_median(tie, 3, 2) == 2);
	assert_true(stats_peers_median(two, 2, 5) == 1);
	assert_true(isnan(stats_peers_median(two, 1, 1)));
}

static void edges_are_the_pooled_quantiles(void **state)
{
	double x[101];
	struct hist_edges e;

	(void)state;
	for (int i = 0; i <= 100; i++)
		x[i] = i;
	e = hist_edges(x, 101, 10, 1);
	assert_false(e.degenerate);
	assert_true(fabs(e.lo - 1) < 1e-12);
	assert_true(fabs(e.width - 9.8) < 1e-12);
}

static void outer_bins_are_open_and_missing_is_no_sample(void **state)
{
	struct hist_edges e = {.lo = 0, .width = 1};
	double x[] = {-1e300, -1, 0, 3.5, 9.99, 10, 1e300, NAN}, p[10], sum = 0;

	(void)state;
	hist_fill(x, 8, &e, 10, p);
	for (int b = 0; b < 10; b++)
		sum += p[b];
	assert_true(fabs(sum - 1) < 1e-12);
	assert_true(fabs(p[0] - 3.5 / 12) < 1e-12);
	assert_true(fabs(p[3] - 1.5 / 12) < 1e-12);
	assert_true(fabs(p[9] - 3.5 / 12) < 1e-12);
	assert_true(fabs(p[5] - 0.5 / 12) < 1e-12);
}

/* Bin by bin as defined, the edges of bins and the largest number of bins included. */
static void bins_agree_with_the_definition(void **state)
{
	enum { N = 3000 };
	static const unsigned int bins[] = {2, 7, 10, BINS_MAX};
	double x[N], p[BINS_MAX], want[BINS_MAX];

	(void)state;
	srand(6);
	for (size_t k = 0; k < sizeof(bins) / sizeof(*bins); k++) {
		struct hist_edges e = {.lo = -0.7, .width = 0.1};
		double there = 0;

		for (unsigned int b = 0; b < bins[k]; b++)
			want[b] = 0.5;
		for (size_t i = 0; i < N; i++) {
			x[i] = i % 3   ? e.lo + e.width * (rand() % (int)(bins[k] + 4) - 2)
			       : i % 7 ? 4.0 * rand() / RAND_MAX - 2
				       : NAN;
			if (isnan(x[i]))
				continue;
			want[(int)fmin(fmax(floor((x[i] - e.lo) / e.width), 0), bins[k] - 1)]++;
			there++;
		}
		hist_fill(x, N, &e, bins[k], p);
		for (unsigned int b = 0; b < bins[k]; b++)
			assert_true(p[b] == want[b] / (there + 0.5 * bins[k]));
	}
}

static void what_does_not_differ_is_degenerate(void **state)
{
	double constant[] = {7, 7, 7, 7}, zero[] = {0, 0, 0}, small[] = {100, 100.5, 100.9};
	double trickle[] = {0, 0, 0.06, 0.06};

	(void)state;
	assert_true(hist_edges(constant, 4, 10, 0).degenerate);
	assert_true(hist_edges(zero, 3, 10, 0).degenerate);
	assert_true(hist_edges(small, 3, 10, 0).degenerate); /* under 1 % of the median */
	assert_true(hist_edges(trickle, 4, 10, 1024).degenerate);
	assert_false(hist_edges(trickle, 4, 10, 0).degenerate);
}

/* More than a hundred equal nodes: the odd one is outside the 99 % quantile. */
static void one_odd_node_of_many_is_seen(void **state)
{
	enum { N = 20000 };
	double *x = calloc(N, sizeof(*x)), p[10];
	struct hist_edges e;

	(void)state;
	for (int i = 0; i < N; i++)
		x[i] = 20 + 0.5 * i / N + (i < 100 ? 30 : 0);
	e = hist_edges(x, N, 10, 1);
	assert_false(e.degenerate);
	hist_fill((const double[]){20, 20.2, 20.5}, 3, &e, 10, p);
	assert_true(p[5] > 0.4);
	hist_fill((const double[]){50, 51}, 2, &e, 10, p);
	assert_true(p[9] > 0.3);
	free(x);
}

static void smoothing_takes_what_is_there(void **state)
{
	const double in[] = {1, 2, 3, NAN, NAN, NAN, 10, 20};
	double out[8];
	unsigned int there;

	(void)state;
	windows_smooth(in, out, 8, 3);
	assert_true(out[0] == 1);
	assert_true(out[1] == 1.5);
	assert_true(out[2] == 2);
	assert_true(out[3] == 2.5);
	assert_true(out[4] == 3);
	assert_true(isnan(out[5]));
	assert_true(out[6] == 10);
	assert_true(out[7] == 15);
	windows_smooth(in, out, 8, 1);
	assert_true(isnan(out[4]) && out[7] == 20);
	assert_true(windows_mean(in, 8, &there) == 36.0 / 5 && there == 5);
	assert_true(isnan(windows_mean(in + 3, 3, &there)) && there == 0);
}

static void windows_are_whole(void **state)
{
	(void)state;
	assert_int_equal(windows_count(63, 64, 32), 0);
	assert_int_equal(windows_count(64, 64, 32), 1);
	assert_int_equal(windows_count(95, 64, 32), 1);
	assert_int_equal(windows_count(96, 64, 32), 2);
	assert_false(windows_enough(31, 64));
	assert_true(windows_enough(32, 64));
	assert_false(windows_enough(32, 65));
}

static void parameters_have_the_documented_limits(void **state)
{
	struct params p = PARAMS_DEFAULT;

	(void)state;
	assert_null(params_check(&p));
	assert_true(fabs(params_d_max(&p) - 4.51) < 0.005);
	assert_true(fabs(params_t_min(&p) - 9 / 12.8) < 1e-12);
	p.shift = p.window + 1;
	assert_non_null(params_check(&p));
	p = PARAMS_DEFAULT;
	p.slack = NAN;
	assert_non_null(params_check(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selection_agrees_with_sorting),
		cmocka_unit_test(selection_of_many_agrees_with_sorting),
		cmocka_unit_test(range_of_few),
		cmocka_unit_test(quantiles_interpolate_as_numpy_does),
		cmocka_unit_test(peers_median_leaves_oneself_out),
		cmocka_unit_test(edges_are_the_pooled_quantiles),
		cmocka_unit_test(outer_bins_are_open_and_missing_is_no_sample),
		cmocka_unit_test(bins_agree_with_the_definition),
		cmocka_unit_test(what_does_not_differ_is_degenerate),
		cmocka_unit_test(one_odd_node_of_many_is_seen),
		cmocka_unit_test(smoothing_takes_what_is_there),
		cmocka_unit_test(windows_are_whole),
		cmocka_unit_test(parameters_have_the_documented_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
