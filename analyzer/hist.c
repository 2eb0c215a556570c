// SPDX-License-Identifier: BSD-2-Clause
/* Histograms with edges shared by all nodes. */
#include "hist.h"

#include <math.h>

#include "stats.h"

struct hist_edges hist_edges(double *pooled, size_t n, unsigned int bins, double floor)
{
	struct hist_edges e = {0};
	double min = INFINITY, max = -INFINITY, median, high, least;

	for (size_t i = 0; i < n; i++) {
		min = fmin(min, pooled[i]);
		max = fmax(max, pooled[i]);
	}
	median = stats_quantile(pooled, n, 0.5);
	e.lo = stats_quantile(pooled, n, 0.01);
	high = stats_quantile(pooled, n, 0.99);
	least = fmax(floor, 0.01 * fabs(median));
	e.width = (high - e.lo) / bins;
	if (max - min < least || !(max > min)) {
		e.degenerate = true;
	} else if (high - e.lo < least || !(e.width > 0)) {
		if (!(least > 0)) /* median 0, no floor: any difference counts */
			least = 0.25 * (max - min);
		e.width = 2 * least;
		e.lo = median - e.width * (bins / 2 + 0.5);
	}
	return e;
}

void hist_fill(const double *x, size_t n, const struct hist_edges *e, unsigned int bins, double *p)
{
	double total = 0;

	for (unsigned int b = 0; b < bins; b++)
		p[b] = 0.5;
	for (size_t i = 0; i < n; i++) {
		double at;

		if (isnan(x[i]))
			continue;
		at = floor((x[i] - e->lo) / e->width);
		at = fmin(fmax(at, 0), bins - 1); /* clamp before the cast: at may be huge */
		p[(unsigned int)at] += 1;
		total += 1;
	}
	for (unsigned int b = 0; b < bins; b++)
		p[b] /= total + 0.5 * bins;
}
