// SPDX-License-Identifier: BSD-2-Clause
/* The spread of the peers, whatever the slowest third does. */
#include "evidence_parts.h"

/*
 * What makes the variance of the n - n / 3 lowest of n normal values that of all; simulated, a
 * million times each. Beyond the table, within 0.3 %: 2.139 is one over the variance of the normal
 * distribution below its two thirds quantile; then by what n leaves over when divided by three.
 */
static double factor(size_t n)
{
	static const double table[] = {1.704, 1.583, 1.499, 1.879, 1.779,
				       1.700, 1.950, 1.872, 1.806, 1.993};

	if (n - LEAST < sizeof(table) / sizeof(*table))
		return table[n - LEAST];
	return 2.139 - (1.8 + (double)(n % 3)) / (double)n;
}

double lower_variance(const double *x, size_t n)
{
	size_t k = n - n / 3;
	double mean = 0, ss = 0;

	for (size_t i = 0; i < k; i++)
		mean += x[i];
	mean /= (double)k;
	for (size_t i = 0; i < k; i++)
		ss += (x[i] - mean) * (x[i] - mean);
	return factor(n) * ss / (double)(k - 1);
}

double evidence_spread(const struct evidence *e)
{
	return sqrt(fmax(e->view[0].usual.mean, e->p.floor * e->p.floor));
}
