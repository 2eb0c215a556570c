// SPDX-License-Identifier: BSD-2-Clause
/* One line per missing sample: nearest samples first, then the weighted sums. */
#include "lwlr.h"

#include <math.h>

/* exp(-z^2 / 2) is 1e-17 at this z. */
static const double z_max = 8.848;

/*
 * The distance of the third nearest sample of t, which itself is missing; 0 if t lies in no gap
 * that may be filled.
 */
static size_t bandwidth(const double *y, size_t n, size_t t)
{
	size_t before = 0, after = 0, found = 0, h = 0;

	for (size_t k = 1; k <= LWLR_GAP && !(before && after && h); k++) {
		if (k <= t && !isnan(y[t - k])) {
			before = before ? before : k;
			found++;
		}
		if (k < n - t && !isnan(y[t + k])) {
			after = after ? after : k;
			found++;
		}
		if (found >= 3 && !h)
			h = k;
	}
	return before && after && before + after - 1 <= LWLR_GAP ? h : 0;
}

/* The line through the samples around t, at t. The sums are taken about the weighted mean of the
 * times, so that nothing cancels. */
static double line_at(const double *y, size_t n, size_t t, size_t h)
{
	size_t reach = (size_t)ceil(z_max * (double)h);
	size_t lo = t > reach ? t - reach : 0, hi = n - t > reach ? t + reach + 1 : n;
	double weight[2 * LWLR_REACH + 1], sum = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t s = lo; s < hi; s++) {
		double x = (double)s - (double)t, z = x / (double)h;

		weight[s - lo] = isnan(y[s]) ? 0 : exp(-0.5 * z * z);
		if (isnan(y[s]))
			continue;
		sum += weight[s - lo];
		sx += weight[s - lo] * x;
		sy += weight[s - lo] * y[s];
	}
	sx /= sum;
	sy /= sum;
	for (size_t s = lo; s < hi; s++) {
		double x = (double)s - (double)t - sx;

		if (isnan(y[s]))
			continue;
		sxx += weight[s - lo] * x * x;
		sxy += weight[s - lo] * x * (y[s] - sy);
	}
	return sy - sx * sxy / sxx;
}

void lwlr_fill(const double *y, size_t n, size_t from, size_t to, double *out)
{
	for (size_t t = from; t < to; t++) {
		size_t h = isnan(y[t]) ? bandwidth(y, n, t) : 0;

		out[t - from] = h ? line_at(y, n, t, h) : y[t];
	}
}
