// SPDX-License-Identifier: BSD-2-Clause
/* kl.h: the tiled divergences of every kernel against the definition, ties, some peers against all,
 * and the closed-form threshold against a search. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/methods/learn/kl.h"
#include "analyzer/methods/learn/kl_lanes.h"
#include "analyzer/stat/stats.h"

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

static void check_size(size_t n, const struct kl_kernel *kernel)
{
	double *p = random_rows(n), *kth = calloc(n, sizeof(*kth)), *t = calloc(n, sizeof(*t));
	double *d = calloc(n, sizeof(*d));
	uint32_t *above = calloc(n, sizeof(*above));
	size_t k = kl_majority(n);
	struct kl kl;

	assert_int_equal(kl_init(&kl, n, BINS), 0);
	kl.kernel = kernel;
	for (size_t i = 0; i < n; i++)
		t[i] = i % 5 ? random01() : -0.5; /* anything is over the latter, but oneself */
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

/* MOST nodes are several tiles of pairs, whole ones and not. */
static void tiles_agree_with_the_definition(void **state)
{
	static const size_t sizes[] = {2, 3, 4, 5, 7, 8, 9, 100, 101, MOST};

	(void)state;
	srand(1);
	for (const struct kl_kernel *k = kl_kernels; k->name; k++)
		for (size_t i = 0; k->works() && i < sizeof(sizes) / sizeof(*sizes); i++)
			check_size(sizes[i], k);
}

/* Rows as histograms of few samples give them: many alike, and equal divergences. */
static double *tied_rows(size_t n)
{
	double *p = calloc(n, BINS * sizeof(double));

	for (size_t i = 0; i < n; i++) {
		int count[BINS] = {0};

		for (int s = 0; s < 6; s++)
			count[rand() % 3]++;
		for (int b = 0; b < BINS; b++)
			p[i * BINS + b] = (count[b] + 0.5) / (6 + 0.5 * BINS);
	}
	return p;
}

/* Thresholds that are exactly the divergences: none of them is over itself, also where many are
 * equal, nor after the nodes changed places. */
static void check_ties(size_t n, const struct kl_kernel *kernel)
{
	double *p = tied_rows(n), *q = calloc(n, BINS * sizeof(double));
	double *t = calloc(n, sizeof(*t)), *kth = calloc(n, sizeof(*kth)), most = -1;
	uint32_t *above = calloc(n, sizeof(*above));
	size_t k = kl_majority(n);
	struct kl kl;

	assert_int_equal(kl_init(&kl, n, BINS), 0);
	kl.kernel = kernel;
	kl_score(&kl, p, n, k, t, true, kth, above);
	for (size_t i = 0; i < n; i++) {
		most = fmax(most, kth[i]);
		t[i] = kth[i];
	}
	kl_score(&kl, p, n, k, t, true, kth, above);
	for (size_t i = 0; i < n; i++) {
		uint32_t over = 0, about = 0;

		assert_true(kth[i] == t[i] && above[i] < k);
		for (size_t j = 0; j < n; j++) {
			double d = naive(p + i * BINS, p + j * BINS);

			over += d > t[i] + 1e-9;
			about += d > t[i] - 1e-9;
		}
		/* The same bins in another order are equal but for the last bits. */
		assert_in_range(above[i], over, about);
		t[i] = most;
	}
	for (size_t i = 0; i < n * BINS; i++)
		q[i] = p[(n - 1 - i / BINS) * BINS + i % BINS];
	kl_score(&kl, q, n, k, t, false, kth, above);
	for (size_t i = 0; i < n; i++)
		assert_true(above[i] < k && isnan(kth[i]));
	kl_release(&kl);
	free(p);
	free(q);
	free(t);
	free(kth);
	free(above);
}

static void ties_with_the_threshold_are_not_over_it(void **state)
{
	(void)state;
	srand(3);
	for (const struct kl_kernel *k = kl_kernels; k->name; k++)
		for (size_t n = 2; k->works() && n < 300; n = n * 5 / 3 + 1)
			check_ties(n, k);
}

/* What kl_score_some() says of each node, from its order alone: recomputed for the node's peers. */
static void check_some(size_t n, size_t k_peers, bool tied)
{
	double *p = tied ? tied_rows(n) : random_rows(n), *t = calloc(n, sizeof(*t));
	double *kth = calloc(n, sizeof(*kth)), *d = calloc(n, sizeof(*d));
	uint32_t *above = calloc(n, sizeof(*above)), *all_above = calloc(n, sizeof(*above));
	double *all_kth = calloc(n, sizeof(*kth));
	size_t m, want = k_peers < n - 1 ? k_peers : n - 1;
	struct kl kl;

	assert_int_equal(kl_init(&kl, n, BINS), 0);
	for (size_t i = 0; i < n; i++)
		t[i] = random01();
	kl_score_some(&kl, p, n, k_peers, 7 * n + k_peers, t, true, kth, above, &m);
	assert_int_equal(m, want);
	for (size_t at = 0; at < n; at++) {
		size_t i = kl.order[at];
		uint32_t over = 0;

		for (size_t s = 0; s < m; s++) {
			size_t j = kl.order[(at + n - m / 2 + s + (s >= m / 2)) % n];

			d[s] = naive(p + i * BINS, p + j * BINS);
			over += d[s] > t[i];
		}
		stats_sort(d, m);
		assert_true(fabs(kth[i] - d[m - kl_majority(m + 1)]) < 1e-12);
		assert_int_equal(above[i], over);
		d[0] = kth[i];
		t[i] = i % 2 ? t[i] : kth[i];
	}
	kl_score_some(&kl, p, n, k_peers, 7 * n + k_peers, t, false, all_kth, all_above, &m);
	for (size_t i = 0; i < n; i++)
		assert_true(kth[i] > t[i] ? all_kth[i] == kth[i] : isnan(all_kth[i]));
	if (k_peers >= n - 1) {
		kl_score_some(&kl, p, n, k_peers, 1, t, true, kth, above, &m);
		kl_score(&kl, p, n, kl_majority(n), t, true, all_kth, all_above);
		assert_memory_equal(kth, all_kth, n * sizeof(*kth));
		assert_memory_equal(above, all_above, n * sizeof(*above));
	}
	kl_release(&kl);
	free(p);
	free(t);
	free(kth);
	free(d);
	free(above);
	free(all_above);
	free(all_kth);
}

static void some_peers_are_those_next_on_the_ring(void **state)
{
	static const size_t sizes[] = {2, 3, 4, 9, 31, 64, 200};
	static const size_t peers[] = {1, 2, 3, 8, 30, 63, 198, 199, 1000};

	(void)state;
	srand(4);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t k = 0; k < sizeof(peers) / sizeof(*peers); k++)
			check_some(sizes[i], peers[k], k % 2);
}

/* The order is the seed's: the same again, another with another. */
static void rings_are_seeded_permutations(void **state)
{
	enum { N = 100 };
	double *p = random_rows(N), t[N] = {0}, kth[N];
	uint32_t above[N], first[N], there[N] = {0};
	size_t m, same = 0;
	struct kl kl;

	(void)state;
	assert_int_equal(kl_init(&kl, N, BINS), 0);
	kl_score_some(&kl, p, N, 4, 11, t, true, kth, above, &m);
	for (size_t i = 0; i < N; i++) {
		first[i] = kl.order[i];
		there[first[i]]++;
	}
	for (size_t i = 0; i < N; i++)
		assert_int_equal(there[i], 1);
	kl_score_some(&kl, p, N, 4, 11, t, true, kth, above, &m);
	assert_memory_equal(first, kl.order, sizeof(first));
	kl_score_some(&kl, p, N, 4, 12, t, true, kth, above, &m);
	for (size_t i = 0; i < N; i++)
		same += first[i] == kl.order[i];
	assert_true(same < N / 4);
	kl_release(&kl);
	free(p);
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
		assert_true(kth[i] == 0 && above[i] == 0);
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
		cmocka_unit_test(ties_with_the_threshold_are_not_over_it),
		cmocka_unit_test(some_peers_are_those_next_on_the_ring),
		cmocka_unit_test(rings_are_seeded_permutations),
		cmocka_unit_test(equal_nodes_do_not_diverge),
		cmocka_unit_test(majority_is_more_than_half_of_the_peers),
		cmocka_unit_test(closed_form_is_the_smallest_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
