// SPDX-License-Identifier: BSD-2-Clause
/* K Gaussians: BLAS on blocks of rows, so that memory does not grow with their number. */
#include "gmm.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int gmm_init(struct gmm *g, size_t k, size_t d)
{
	openblas_set_num_threads(1);
	*g = (struct gmm){.d = d, .k = k};
	g->mean = scratch_array(&g->room, k * d, sizeof(double));
	g->cov = scratch_array(&g->room, k * d, d * sizeof(double));
	g->chol = scratch_array(&g->room, k * d, d * sizeof(double));
	g->norm = scratch_array(&g->room, k, sizeof(double));
	g->y = scratch_array(&g->room, GMM_BLOCK, d * sizeof(double));
	g->logp = scratch_array(&g->room, GMM_BLOCK, k * sizeof(double));
	g->mahal = scratch_array(&g->room, GMM_BLOCK, k * sizeof(double));
	g->sum = scratch_array(&g->room, k * d, (d + 1) * sizeof(double));
	if (!g->room.failed)
		return 0;
	gmm_release(g);
	return -ENOMEM;
}

void gmm_release(struct gmm *g)
{
	scratch_release(&g->room);
	*g = (struct gmm){0};
}

/* Lower triangle of the Cholesky factor of a (d x d), by rows; -EDOM if a is not positive definite
 * (a NaN in it is not, either). */
static int cholesky(const double *a, double *l, size_t d)
{
	memset(l, 0, d * d * sizeof(double));
	for (size_t i = 0; i < d; i++) {
		for (size_t j = 0; j <= i; j++) {
			double s = a[i * d + j];

			for (size_t m = 0; m < j; m++)
				s -= l[i * d + m] * l[j * d + m];
			if (i != j)
				l[i * d + j] = s / l[j * d + j];
			else if (s > 0 && isfinite(s))
				l[i * d + i] = sqrt(s);
			else
				return -EDOM;
		}
	}
	return 0;
}

int gmm_factor(struct gmm *g)
{
	size_t d = g->d;

	for (size_t c = 0; c < g->k; c++) {
		const double *l = g->chol + c * d * d;

		if (cholesky(g->cov + c * d * d, g->chol + c * d * d, d))
			return -EDOM;
		g->norm[c] = 0.5 * (double)d * log(2 * M_PI);
		for (size_t i = 0; i < d; i++)
			g->norm[c] += log(l[i * d + i]);
	}
	return 0;
}

/* Of at most GMM_BLOCK rows. */
static void density(struct gmm *g, const double *x, size_t n, double *logp, double *mahal)
{
	size_t d = g->d, k = g->k;

	for (size_t c = 0; c < k; c++) {
		const double *mean = g->mean + c * d;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < d; j++)
				g->y[i * d + j] = x[i * d + j] - mean[j];
		/* Y L' = X - mu, that is, each row of Y is L^-1 (x - mu). */
		cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
			    (blasint)n, (blasint)d, 1, g->chol + c * d * d, (blasint)d, g->y,
			    (blasint)d);
		for (size_t i = 0; i < n; i++) {
			double s = 0;

			for (size_t j = 0; j < d; j++)
				s += g->y[i * d + j] * g->y[i * d + j];
			logp[i * k + c] = -0.5 * s - g->norm[c];
			mahal[i * k + c] = sqrt(s);
		}
	}
}

void gmm_density(struct gmm *g, const double *x, size_t n, double *logp, double *mahal)
{
	for (size_t at = 0; at < n; at += GMM_BLOCK)
		density(g, x + at * g->d, n - at < GMM_BLOCK ? n - at : GMM_BLOCK, logp + at * g->k,
			mahal + at * g->k);
}

void gmm_classify(struct gmm *g, const double *x, size_t n, double unknown, uint32_t *label,
		  double *distance)
{
	for (size_t at = 0; at < n; at += GMM_BLOCK) {
		size_t block = n - at < GMM_BLOCK ? n - at : GMM_BLOCK;

		density(g, x + at * g->d, block, g->logp, g->mahal);
		for (size_t i = 0; i < block; i++) {
			const double *logp = g->logp + i * g->k;
			size_t best = 0;
			double far;

			for (size_t c = 1; c < g->k; c++)
				if (logp[c] > logp[best])
					best = c;
			far = g->mahal[i * g->k + best];
			if (distance)
				distance[at + i] = far;
			if (label)
				label[at + i] = (uint32_t)(far > unknown ? g->k : best);
		}
	}
}

static void add_ridge(double *cov, size_t d, double ridge)
{
	for (size_t i = 0; i < d; i++)
		cov[i * d + i] += ridge;
}

int gmm_start(struct gmm *g, const double *x, size_t n, const uint32_t *label, const double *centre,
	      double ridge)
{
	size_t d = g->d;

	memset(g->cov, 0, g->k * d * d * sizeof(double));
	for (size_t c = 0; c < g->k; c++) {
		double *mean = g->mean + c * d, *cov = g->cov + c * d * d;
		size_t count = 0;

		memset(mean, 0, d * sizeof(double));
		for (size_t i = 0; i < n; i++) {
			if (label[i] != c)
				continue;
			count++;
			for (size_t j = 0; j < d; j++)
				mean[j] += x[i * d + j];
		}
		for (size_t j = 0; j < d; j++)
			mean[j] = count ? mean[j] / (double)count : centre[c * d + j];
		for (size_t i = 0; i < n; i++) {
			if (label[i] != c)
				continue;
			for (size_t j = 0; j < d; j++)
				g->y[j] = x[i * d + j] - mean[j];
			for (size_t j = 0; j < d && count > 1; j++)
				for (size_t m = 0; m < d; m++)
					cov[j * d + m] += g->y[j] * g->y[m] / (double)(count - 1);
		}
		add_ridge(cov, d, ridge);
	}
	return gmm_factor(g);
}

/*
 * logp becomes the responsibilities of one block; returns the sum of ln sum_c p_c / K. With equal
 * priors these cancel in the responsibilities [P].
 */
static double responsibilities(double *logp, size_t n, size_t k)
{
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		double *r = logp + i * k, top = r[0], sum = 0;

		for (size_t c = 1; c < k; c++)
			top = r[c] > top ? r[c] : top;
		for (size_t c = 0; c < k; c++)
			sum += r[c] = exp(r[c] - top);
		for (size_t c = 0; c < k; c++)
			r[c] /= sum;
		total += top + log(sum / (double)k);
	}
	return total;
}

/*
 * One pass over the rows: E step, and the sums of the M step about the present means, so that
 * the less cancels the less they still move: weight[c] = sum r, first = sum r (x - mu),
 * second = sum r (x - mu)(x - mu)'.
 * Returns the mean of ln L under the present parameters.
 */
static double accumulate(struct gmm *g, const double *x, size_t n, double *weight)
{
	size_t d = g->d, k = g->k;
	double total = 0;

	memset(g->sum, 0, k * d * (d + 1) * sizeof(double));
	memset(weight, 0, k * sizeof(double));
	for (size_t at = 0; at < n; at += GMM_BLOCK) {
		size_t block = n - at < GMM_BLOCK ? n - at : GMM_BLOCK;

		density(g, x + at * d, block, g->logp, g->mahal);
		total += responsibilities(g->logp, block, k);
		for (size_t c = 0; c < k; c++) {
			double *first = g->sum + c * d * (d + 1), *second = first + d;

			for (size_t i = 0; i < block; i++) {
				double r = g->logp[i * k + c], root = sqrt(r);

				weight[c] += r;
				for (size_t j = 0; j < d; j++) {
					double off = x[(at + i) * d + j] - g->mean[c * d + j];

					first[j] += r * off;
					g->y[i * d + j] = root * off;
				}
			}
			cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (blasint)d,
				    (blasint)block, 1, g->y, (blasint)d, 1, second, (blasint)d);
		}
	}
	return total / (double)n;
}

/* The M step from those sums. A Gaussian that nothing belongs to stays where it is. */
static void maximise(struct gmm *g, const double *weight, double ridge)
{
	size_t d = g->d;

	for (size_t c = 0; c < g->k; c++) {
		double *first = g->sum + c * d * (d + 1), *second = first + d;
		double *cov = g->cov + c * d * d;

		if (!(weight[c] > 1e-12))
			continue;
		for (size_t j = 0; j < d; j++)
			first[j] /= weight[c]; /* how far the mean moves */
		for (size_t j = 0; j < d; j++)
			for (size_t m = 0; m <= j; m++)
				cov[j * d + m] = cov[m * d + j] =
					second[j * d + m] / weight[c] - first[j] * first[m];
		add_ridge(cov, d, ridge);
		for (size_t j = 0; j < d; j++)
			g->mean[c * d + j] += first[j];
	}
}

int gmm_em(struct gmm *g, const double *x, size_t n, struct gmm_fit *fit)
{
	double *weight = calloc(g->k, sizeof(double)), last = 0;
	int err = weight ? 0 : -ENOMEM;

	fit->iterations = 0;
	while (!err) {
		fit->log_likelihood = accumulate(g, x, n, weight);
		if (!fit->iterations)
			fit->before = fit->log_likelihood;
		else if (fabs(fit->log_likelihood - last) <=
			 fit->tolerance * (1 + fabs(fit->log_likelihood)))
			break;
		if (fit->iterations == fit->most)
			break;
		last = fit->log_likelihood;
		maximise(g, weight, fit->ridge);
		fit->iterations++;
		err = gmm_factor(g);
	}
	free(weight);
	return err;
}
