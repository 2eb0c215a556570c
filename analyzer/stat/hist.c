// SPDX-License-Identifier: BSD-2-Clause
/* Histograms with edges shared by all nodes. */
#include "hist.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "stats.h"

enum { WAYS = 2 };

struct hist_edges hist_edges(double *pooled, size_t n, unsigned int bins, double floor)
{
	struct hist_edges e = {0};
	double min, max, median, high, least;

	stats_range(pooled, n, &min, &max);
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
	/* Samples that follow each other are often in one bin, which would wait for itself. */
	uint32_t count[WAYS][BINS_MAX + 1];
	size_t total = 0;

	for (int way = 0; way < WAYS; way++)
		memset(count[way], 0, (bins + 1) * sizeof(**count));
	for (size_t i = 0; i < n; i++) {
		double at = (x[i] - e->lo) / e->width, most = bins - 1;

		at = at > 0 ? at : 0; /* also NaN; clamped before the cast: it may be huge */
		at = at < most ? at : most;
		count[i % WAYS][isnan(x[i]) ? bins : (unsigned int)at]++;
	}
	for (unsigned int b = 0; b <= bins; b++) {
		for (int way = 1; way < WAYS; way++)
			count[0][b] += count[way][b];
		total += b < bins ? count[0][b] : 0;
	}
	for (unsigned int b = 0; b < bins; b++)
		p[b] = (count[0][b] + 0.5) / ((double)total + 0.5 * bins);
}
