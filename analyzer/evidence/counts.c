// SPDX-License-Identifier: BSD-2-Clause
/* Counts beside expected ones: binomial, Poisson, and counts that are too few. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/stat/student.h"

static const double CHANCE_LEAST = 1e-14; /* that student_quantile() takes */

static const double SHARE_MOST = 0.9; /* of attempts, that may be expected */

double deviate_at(double p, double df)
{
	return student_quantile(fmin(fmax(p, CHANCE_LEAST), 1 - CHANCE_LEAST), df);
}

/* P(X = k), of n with a share of p each; and of `expected`. */
static double binomial_of(double k, double n, double p)
{
	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
		   (n - k) * log1p(-p));
}

static double poisson_of(double k, double expected)
{
	return exp(k * log(expected) - expected - lgamma(k + 1));
}

static struct evidence count_judge(const struct count *x, const struct count_params *p, double tail)
{
	struct evidence e = evidence_none;

	e.n = x->of > 0 ? (unsigned int)fmin(x->of, UINT32_MAX) : 1;
	e.n_peers = x->n_peers;
	e.effect = log(x->hits / x->expected);
	e.p = tail;
	e.t = deviate_at(tail, DF_MAX);
	e.needs = quantile_at(p->chance, DF_MAX);
	e.df = DF_MAX;
	if (tail > SUSPECT * p->chance || x->hits < p->times * x->expected || x->hits < p->few)
		return e;
	e.level = tail <= p->chance ? EVIDENCE_INDICTED : EVIDENCE_SUSPICIOUS;
	return e;
}

struct evidence evidence_binomial(const struct count *x, const struct count_params *p)
{
	double share = fmin(SHARE_MOST, x->expected / x->of), tail = 0;

	if (!(x->of > 0) || !(x->expected > 0) || !(x->hits >= 0))
		return evidence_none;
	for (double k = x->hits; k <= x->of; k++)
		tail += binomial_of(k, x->of, share);
	return count_judge(x, p, fmin(1, tail));
}

struct evidence evidence_poisson(const struct count *x, const struct count_params *p)
{
	double bursts = x->hits / p->burst, expected = fmax(p->least, x->expected / p->burst);
	double below = 0;

	if (!(x->expected >= 0) || !(x->hits >= 0))
		return evidence_none;
	for (double k = 0; k < floor(bursts); k++)
		below += poisson_of(k, expected);
	return count_judge(x, p, fmax(CHANCE_LEAST, 1 - below));
}

/* How far below what is expected, in standard deviations: the chance of so few (Poisson). A logarithm alone would make
 * too much of one task where eight are expected. */
static double too_few(const struct count *x)
{
	double sum = 0;

	for (double k = 0; k <= x->hits; k++)
		sum += poisson_of(k, x->expected);
	return deviate_at(sum, DF_NORMAL);
}

int evidence_fewer(const struct count *x, size_t n, const struct look_params *p,
		   struct evidence *out)
{
	struct look_mean *mean = calloc(n + 1, sizeof(*mean));
	int err;

	if (!mean)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		double e = x[i].expected, hits = x[i].hits;

		if (e > 0)
			mean[i] = (struct look_mean){.values = 1,
						     .m = too_few(&x[i]) / sqrt(e),
						     .g = log((e + 0.5) / (hits + 0.5)),
						     .own = 1 / e};
	}
	err = evidence_means(mean, n, p, out);
	free(mean);
	return err;
}
