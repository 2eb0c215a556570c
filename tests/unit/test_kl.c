// SPDX-License-Identifier: BSD-2-Clause
/* kl.h: the tiled BLAS divergences against the definition, and the closed-form threshold against a
 * search. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "../../analyzer/kl.h"
#include "../../analyzer/stats.h"

enum { BINS = 10, MOST = 700 };

static double random01(void)
{
	return (double)rand() / RAND_MAX;
}

/* Rows of probabilities, some of them nearly empty bins as in real histograms. */
static double *random_rows(size_t n)
{
	double *p = calloc(n, BINS * sizeof(double));

	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (int b = 0; b < BINS; b++) {
			p[i * BINS + b] = 0.5 + (rand() % 3 ? 20 * random01() : 0);
			sum += p[i * BINS + b];
		}
		for (int b = 0; b < BINS; b++)
			p[i * BINS + b] /= sum;
	}
	return p;
}

static double naive(const double *p, const double *q)
{
	double pq = 0, qp = 0;

	for (int b = 0; b < BINS; b++) {
		pq += p[b] * log(p[b] / q[b]);
		qp += q[b] * log(q[b] / p[b]);
	}
	return 0.5 * (pq + qp);
}

/* Descending divergences of i to its peers. */
static void naive_row(const double *p, size_t n, size_t i, double *d)
{
	size_t m = 0;

	for (size_t j = 0; j < n; j++)
		if (j != i)
			d[m++] = naive(p + i * BINS, p + j * BINS);
	stats_sort(d, m);
	for (size_t a = 0, b = m - 1; a < b; a++, b--) {
		double t = d[a];

		d[a] = d[b];
		d[b] = t;
	}
}

static void check_size(size_t n)
{
	double *p = random_rows(n), *kth = calloc(n, sizeof(*kth)), *t = calloc(n, sizeof(*t));
	double *d = calloc(n, sizeof(*d));
	uint32_t *above = calloc(n, sizeof(*above));
	size_t k = kl_majority(n);
	struct kl kl;

	assert_int_equal(kl_init(&kl, n, BINS), 0);
	for (size_t i = 0; i < n; i++)
		t[i] = random01();
	kl_score(&kl, p, n, k, t, true, kth, above);
	for (size_t i = 0; i < n; i++) {
		uint32_t over = 0;

		naive_row(p, n, i, d);
		assert_true(fabs(kth[i] - d[k - 1]) <= 1e-12);
		for (size_t j = 0; j + 1 < n; j++)
			over += d[j] > t[i];
		assert_int_equal(above[i], over);
		/* odd by count is odd by the k-th largest */
		assert_int_equal(2 * above[i] > n - 1, kth[i] > t[i]);
	}
	for (size_t i = 0; i < n; i++)
		d[i] = kth[i];
	kl_score(&kl, p, n, k, t, false, kth, above);
	for (size_t i = 0; i < n; i++)
		assert_true(d[i] > t[i] ? kth[i] == d[i] : isnan(kth[i]));
	kl_release(&kl);
	free(p);
	free(kth);
	free(t);
	free(d);
	free(above);
}

static void tiles_agree_with_the_definition(void **state)
{
	static const size_t sizes[] = {2, 3, 4, 5, 100, 101, MOST};

	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		check_size(sizes[i]);
}

/* MOST nodes are more than one tile: else the test above tests less than it says. */
static void many_nodes_take_several_tiles(void **state)
{
	struct kl kl;

	(void)state;
	assert_int_equal(kl_init(&kl, MOST, BINS), 0);
	assert_true(kl.rows < MOST);
	kl_release(&kl);
	assert_int_equal(kl_init(&kl, 1000000, 2), 0);
	assert_int_equal(kl.rows, 1);
	kl_release(&kl);
}

static void equal_nodes_do_not_diverge(void **state)
{
	double *p = random_rows(5), kth[5], t[5] = {0};
	uint32_t above[5];
	struct kl kl;

	(void)state;
	for (int i = 1; i < 5; i++)
		for (int b = 0; b < BINS; b++)
			p[i * BINS + b] = p[b];
	assert_int_equal(kl_init(&kl, 5, BINS), 0);
	kl_score(&kl, p, 5, 3, t, true, kth, above);
	for (int i = 0; i < 5; i++)
		assert_true(kth[i] >= 0 && kth[i] < 1e-14);
	kl_release(&kl);
	free(p);
}

static void majority_is_more_than_half_of_the_peers(void **state)
{
	(void)state;
	for (size_t n = 2; n < 300; n++) {
		size_t k = kl_majority(n);

		assert_true(2 * k > n - 1);
		assert_false(2 * (k - 1) > n - 1);
		assert_true(k <= n - 1);
	}
}

/* Anomalies of node i under threshold t in all windows. */
static size_t anomalies(const double *d, size_t windows, size_t peers, double t)
{
	size_t odd = 0;

	for (size_t w = 0; w < windows; w++) {
		size_t over = 0;

		for (size_t j = 0; j < peers; j++)
			over += d[w * peers + j] > t;
		odd += 2 * over > peers;
	}
	return odd;
}

/* The smallest threshold without an anomaly is one of the divergences: try them all. */
static void closed_form_is_the_smallest_threshold(void **state)
{
	enum { WINDOWS = 7 };

	(void)state;
	srand(2);
	for (size_t n = 3; n <= 12; n++) {
		size_t peers = n - 1;
		double *d = calloc(WINDOWS * peers, sizeof(*d)), closed = 0, best = INFINITY;

		for (size_t w = 0; w < WINDOWS; w++) {
			double *p = random_rows(n), *kth = calloc(n, sizeof(*kth));
			double *t = calloc(n, sizeof(*t));
			uint32_t *above = calloc(n, sizeof(*above));
			struct kl kl;

			naive_row(p, n, 0, d + w * peers);
			assert_int_equal(kl_init(&kl, n, BINS), 0);
			kl_score(&kl, p, n, kl_majority(n), t, true, kth, above);
			closed = fmax(closed, kth[0]);
			kl_release(&kl);
			free(t);
			free(above);
			free(kth);
			free(p);
		}
		for (size_t i = 0; i < WINDOWS * peers; i++)
			if (!anomalies(d, WINDOWS, peers, d[i]))
				best = fmin(best, d[i]);
		assert_true(fabs(best - closed) < 1e-12);
		free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_agree_with_the_definition),
		cmocka_unit_test(many_nodes_take_several_tiles),
		cmocka_unit_test(equal_nodes_do_not_diverge),
		cmocka_unit_test(majority_is_more_than_half_of_the_peers),
		cmocka_unit_test(closed_form_is_the_smallest_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
