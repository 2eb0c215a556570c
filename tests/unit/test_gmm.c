// SPDX-License-Identifier: BSD-2-Clause
/* gmm.h, kmeans.h, rng.h: blocks, far points, degenerate data. Their numbers against scipy's and
 * scikit-learn's are tests/numeric/gmm_reference.py's. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/learn/gmm.h"
#include "analyzer/stat/kmeans.h"

/* The first numbers as their authors' programs print them, from these states. */
static void random_numbers_are_the_published_ones(void **state)
{
	const uint64_t want[] = {11520, 0, 1509978240, 1215971899390074240};
	struct rng r = {.s = {1, 2, 3, 4}};

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(rng_u64(&r) == want[i]);
	rng_seed(&r, 0);
	assert_true(r.s[0] == 0xe220a8397b1dcdaf);
	assert_true(r.s[1] == 0x6e789e6aa1b965f4);
	assert_true(r.s[2] == 0x06c45d188009454f);
}

static void random_numbers_have_their_moments(void **state)
{
	enum { N = 200000 };
	double u = 0, n1 = 0, n2 = 0, n4 = 0, e1 = 0, e2 = 0;
	unsigned int die[6] = {0};
	struct rng r;

	(void)state;
	rng_seed(&r, 1);
	for (int i = 0; i < N; i++) {
		double x = rng_uniform(&r), z = rng_normal(&r), e = rng_exponential(&r);

		assert_true(x >= 0 && x < 1 && e >= 0);
		die[rng_below(&r, 6)]++;
		u += x / N;
		n1 += z / N;
		n2 += z * z / N;
		n4 += z * z * z * z / N;
		e1 += e / N;
		e2 += e * e / N;
	}
	/* five standard errors and more */
	assert_true(fabs(u - 0.5) < 0.004);
	assert_true(fabs(n1) < 0.012 && fabs(n2 - 1) < 0.017 && fabs(n4 - 3) < 0.12);
	assert_true(fabs(e1 - 1) < 0.012 && fabs(e2 - 2) < 0.06);
	for (int i = 0; i < 6; i++)
		assert_true(fabs(die[i] - N / 6.) < 900);
}

static void rows(double *x, size_t n, size_t d, uint64_t seed)
{
	struct rng r;

	rng_seed(&r, seed);
	for (size_t i = 0; i < n * d; i++)
		x[i] = 3 * rng_normal(&r);
}

static void two(struct gmm *g)
{
	assert_int_equal(gmm_init(g, 2, 2), 0);
	memcpy(g->mean, (double[]){0, 0, 10, 0}, 4 * sizeof(double));
	memcpy(g->cov, (double[]){1, 0, 0, 1, 4, 1, 1, 1}, 8 * sizeof(double));
	assert_int_equal(gmm_factor(g), 0);
}

static void blocks_do_not_show(void **state)
{
	const size_t sizes[] = {1, 2, GMM_BLOCK - 1, GMM_BLOCK, GMM_BLOCK + 1, 2 * GMM_BLOCK + 3};
	enum { MOST = 2 * GMM_BLOCK + 3 };
	static double x[MOST * 2], logp[MOST * 2], mahal[MOST * 2], far[MOST];
	static uint32_t label[MOST];
	struct gmm g;

	(void)state;
	rows(x, MOST, 2, 3);
	two(&g);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		gmm_density(&g, x, sizes[s], logp, mahal);
		gmm_classify(&g, x, sizes[s], 3, label, far);
		for (size_t i = 0; i < sizes[s]; i++) {
			double one[2], off[2];
			size_t best = logp[2 * i + 1] > logp[2 * i];

			gmm_density(&g, x + 2 * i, 1, one, off);
			assert_true(fabs(one[0] - logp[2 * i]) < 1e-12 * fabs(one[0]));
			assert_true(fabs(off[1] - mahal[2 * i + 1]) < 1e-12 * off[1]);
			assert_true(far[i] == mahal[2 * i + best]);
			assert_int_equal(label[i], far[i] > 3 ? 2 : best);
		}
	}
	gmm_release(&g);
}

/* exp() of these is 0 for both: only logarithms can tell. */
static void a_far_point_belongs_somewhere(void **state)
{
	double x[] = {-1e6, 0, 1e6, 3, 1e150, 1}, logp[6], mahal[6];
	uint32_t label[3];
	struct gmm g;

	(void)state;
	two(&g);
	gmm_density(&g, x, 3, logp, mahal);
	for (int i = 0; i < 6; i++)
		assert_true(isfinite(logp[i]) && isfinite(mahal[i]));
	gmm_classify(&g, x, 3, INFINITY, label, NULL);
	assert_int_equal(label[0], 1); /* the wider one */
	assert_int_equal(label[1], 1);
	gmm_classify(&g, x, 3, 100, label, NULL);
	assert_int_equal(label[0], 2);
	gmm_release(&g);
}

static void a_covariance_that_is_none_is_refused(void **state)
{
	const double bad[][4] = {
		{1, 2, 2, 1}, {0, 0, 0, 1}, {-1, 0, 0, 1}, {1, NAN, NAN, 1}, {INFINITY, 0, 0, 1}};
	struct gmm g;

	(void)state;
	two(&g);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memcpy(g.cov + 4, bad[i], sizeof(bad[i]));
		assert_int_equal(gmm_factor(&g), -EDOM);
	}
	gmm_release(&g);
}

/* Fewer points than parameters, equal points, a constant column, a Gaussian with nothing in it. */
static void em_survives_degenerate_data(void **state)
{
	double x[40 * 3], start[9];
	uint32_t label[40];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 9);
	for (int kind = 0; kind < 4; kind++) {
		size_t n = kind == 0 ? 3 : 40, k;
		struct gmm_fit fit = {.ridge = 0.01, .tolerance = 1e-9, .most = 200};
		struct gmm g;

		rows(x, 40, 3, 11);
		for (size_t i = 0; i < 40; i++) {
			if (kind == 1)
				memcpy(x + 3 * i, x + 3 * (i % 3), 3 * sizeof(double));
			if (kind == 2)
				x[3 * i + 1] = 5;
		}
		k = kmeans_start(x, n, 3, 3, &rng, start);
		assert_int_equal(k, 3);
		kmeans(x, n, 3, k, start, label);
		assert_int_equal(gmm_init(&g, k, 3), 0);
		if (kind == 3) {
			start[0] = start[1] = start[2] = 1e9;
			for (size_t i = 0; i < n; i++)
				label[i] = label[i] ? label[i] : 1;
		}
		assert_int_equal(gmm_start(&g, x, n, label, start, fit.ridge), 0);
		assert_int_equal(gmm_em(&g, x, n, &fit), 0);
		assert_true(isfinite(fit.log_likelihood));
		assert_true(fit.log_likelihood >= fit.before - 1e-9);
		for (size_t i = 0; i < 9; i++)
			assert_true(isfinite(g.mean[i]));
		for (size_t i = 0; i < 27; i += 4) /* every variance, at least the ridge */
			if (i % 9 % 4 == 0)
				assert_true(g.cov[i] >= 0.01 - 1e-12 || i % 9);
		if (kind == 3)
			assert_true(g.mean[0] == 1e9);
		gmm_release(&g);
	}
}

static void kmeans_finds_what_is_apart(void **state)
{
	double x[60 * 2], centre[6];
	unsigned int seen[3] = {0};
	uint32_t label[60];

	(void)state;
	rows(x, 60, 2, 5);
	for (size_t i = 0; i < 60; i++)
		x[2 * i] += 1000. * (double)(i % 3);
	for (size_t c = 0; c < 3; c++) /* one of each heap */
		memcpy(centre + 2 * c, x + 2 * c, 2 * sizeof(double));
	assert_true(kmeans(x, 60, 2, 3, centre, label) < KMEANS_ITERATIONS);
	for (size_t i = 0; i < 60; i++)
		assert_int_equal(label[i], i % 3);
	/* centres that win no row are moved to one, so that none stays empty */
	memcpy(centre, (double[]){0, 0, 1e9, 0, 2e9, 0}, sizeof(centre));
	kmeans(x, 60, 2, 3, centre, label);
	for (size_t i = 0; i < 60; i++)
		seen[label[i]]++;
	assert_true(seen[0] && seen[1] && seen[2]);
	for (size_t i = 0; i < 6; i++)
		assert_true(fabs(centre[i]) < 1e4);
}

static void distortion_is_not_squared(void **state)
{
	const double x[] = {0, 0, 3, 4}, centre[] = {0, 0};
	const uint32_t label[] = {0, 0};

	(void)state;
	assert_true(kmeans_distortion(x, 2, 2, centre, label) == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers_are_the_published_ones),
		cmocka_unit_test(random_numbers_have_their_moments),
		cmocka_unit_test(blocks_do_not_show),
		cmocka_unit_test(a_far_point_belongs_somewhere),
		cmocka_unit_test(a_covariance_that_is_none_is_refused),
		cmocka_unit_test(em_survives_degenerate_data),
		cmocka_unit_test(kmeans_finds_what_is_apart),
		cmocka_unit_test(distortion_is_not_squared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
