// SPDX-License-Identifier: BSD-2-Clause
/* From vectors to profiles: the training phase of Ganesha (Pan et al., Fig. 4 and 6). */
#include "ganesha.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/learn/gmm.h"
#include "analyzer/stat/kmeans.h"
#include "analyzer/stat/stats.h"

#define SEED 0x67616e65736861 /* any: but the same data give the same model */

struct ganesha *ganesha_new(size_t k, size_t d)
{
	struct ganesha *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	*g = (struct ganesha){.d = d,
			      .k = k,
			      .lambda = GANESHA_LAMBDA,
			      .consecutive = GANESHA_CONSECUTIVE,
			      .alarm_decay = GANESHA_ALARM_DECAY};
	g->metrics = calloc(d + 1, sizeof(*g->metrics));
	g->sigma = calloc(d + 1, sizeof(double));
	g->mean = calloc(k * d + 1, sizeof(double));
	g->cov = calloc(k * d * d + 1, sizeof(double));
	if (!g->metrics || !g->sigma || !g->mean || !g->cov) {
		ganesha_free(g);
		errno = ENOMEM;
		return NULL;
	}
	return g;
}

void ganesha_free(struct ganesha *g)
{
	if (!g)
		return;
	free(g->metrics);
	free(g->sigma);
	free(g->mean);
	free(g->cov);
	free(g);
}

double ganesha_scale(const struct frame_metric *m)
{
	switch (m->known) {
	case M_RXKB_S:
	case M_TXKB_S: return 1024;
	case M_BREAD_S:
	case M_BWRTN_S: return 512;
	default: return 1;
	}
}

double ganesha_log(double scaled)
{
	return scaled > -1 ? log1p(scaled) : NAN;
}

double ganesha_chance(double lambda, size_t labels)
{
	return sqrt((double)(labels > 1 ? labels - 1 : 1) * (1 - lambda) / (4 * (1 + lambda)));
}

/* Divides every column by its standard deviation (divisor n - 1). */
static void normalise(double *x, size_t n, size_t d, double *sigma)
{
	for (size_t j = 0; j < d; j++) {
		double mean = 0, sum = 0;

		for (size_t i = 0; i < n; i++)
			mean += x[i * d + j] / (double)n;
		for (size_t i = 0; i < n; i++)
			sum += (x[i * d + j] - mean) * (x[i * d + j] - mean);
		sigma[j] = fmax(GANESHA_SIGMA_MIN, n > 1 ? sqrt(sum / (double)(n - 1)) : 0);
		for (size_t i = 0; i < n; i++)
			x[i * d + j] /= sigma[j];
	}
}

/* The best of five k-means runs; returns K. label: n, centre: GANESHA_K x d; both of the best. */
static int cluster(const double *x, size_t n, size_t d, uint32_t *label, double *centre, size_t *k)
{
	double *try = calloc(GANESHA_K * d, sizeof(double)), best = INFINITY;
	uint32_t *labels = calloc(n, sizeof(*labels));
	struct rng rng;
	int err = -ENOMEM;

	if (!try || !labels)
		goto out;
	rng_seed(&rng, SEED);
	for (int run = 0; run < GANESHA_RESTARTS; run++) {
		size_t found = kmeans_start(x, n, d, GANESHA_K, &rng, try);
		double distortion;

		kmeans(x, n, d, found, try, labels);
		distortion = kmeans_distortion(x, n, d, try, labels);
		if (!(distortion < best))
			continue;
		best = distortion;
		*k = found;
		memcpy(label, labels, n * sizeof(*label));
		memcpy(centre, try, found * d * sizeof(double));
	}
	err = 0;
out:
	free(try);
	free(labels);
	return err;
}

/*
 * The distance that few of the training vectors exceed; but never less than that of a true
 * Gaussian, whose distances have a mean of about sqrt(d) and a standard deviation of 1/sqrt(2):
 * rows that are all alike would otherwise make anything new "unknown" [D].
 */
static int learn_unknown(struct gmm *gmm, struct ganesha *g, const double *x, size_t n)
{
	double *distance = calloc(n, sizeof(double));

	if (!distance)
		return -ENOMEM;
	gmm_classify(gmm, x, n, INFINITY, NULL, distance);
	g->unknown = fmax(stats_quantile(distance, n, 1 - GANESHA_UNKNOWN_SHARE),
			  sqrt((double)g->d) + 3.1 * M_SQRT1_2);
	free(distance);
	return 0;
}

static int fit(struct gmm *gmm, struct ganesha *g, const double *x, size_t n, const uint32_t *label,
	       const double *centre)
{
	struct gmm_fit em = {
		.ridge = GANESHA_RIDGE, .tolerance = GANESHA_TOLERANCE, .most = GANESHA_ITERATIONS};
	int err = gmm_start(gmm, x, n, label, centre, GANESHA_RIDGE) ?: gmm_em(gmm, x, n, &em);

	if (err)
		return err;
	memcpy(g->mean, gmm->mean, g->k * g->d * sizeof(double));
	memcpy(g->cov, gmm->cov, g->k * g->d * g->d * sizeof(double));
	g->vectors = n;
	g->log_likelihood = em.log_likelihood;
	g->iterations = em.iterations;
	return learn_unknown(gmm, g, x, n);
}

struct ganesha *ganesha_learn(double *x, size_t n, size_t d)
{
	uint32_t *label = calloc(n + 1, sizeof(*label));
	double *centre = calloc(GANESHA_K * d + 1, sizeof(double));
	double *sigma = calloc(d + 1, sizeof(double));
	struct ganesha *g = NULL;
	struct gmm gmm = {0};
	size_t k = 0;
	int err = -ENOMEM;

	if (!label || !centre || !sigma)
		goto out;
	normalise(x, n, d, sigma);
	err = cluster(x, n, d, label, centre, &k);
	if (err)
		goto out;
	err = -ENOMEM;
	g = ganesha_new(k, d);
	if (!g || gmm_init(&gmm, k, d))
		goto out;
	memcpy(g->sigma, sigma, d * sizeof(double));
	err = fit(&gmm, g, x, n, label, centre);
out:
	gmm_release(&gmm);
	free(label);
	free(centre);
	free(sigma);
	if (err) {
		ganesha_free(g);
		errno = -err;
		return NULL;
	}
	return g;
}
