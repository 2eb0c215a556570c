// SPDX-License-Identifier: BSD-2-Clause
/* One interval, one signal that needs no cells: a number, or a whole histogram. */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

int compare_numbers(const double *x, size_t n, double c, struct compared *out)
{
	double *sorted = calloc(n + 1, sizeof(*sorted));
	size_t there = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]))
			sorted[there++] = x[i];
	stats_sort(sorted, there);
	for (size_t i = 0; i < n; i++) {
		double peers, d;

		out[i] = (struct compared){
			.d = NAN, .value = NAN, .peers = NAN, .variance = NAN, .in = IN_NONE};
		if (!isfinite(x[i]) || there < 3)
			continue;
		peers = stats_peers_median(sorted, there, x[i]);
		if (!(x[i] + c > 0) || !(peers + c > 0))
			continue; /* no ratio */
		d = log((x[i] + c) / (peers + c));
		if (!isfinite(d))
			continue;
		out[i] = (struct compared){.d = d,
					   .value = x[i],
					   .peers = peers,
					   .weight = 1,
					   .cells = 1,
					   .n_peers = (unsigned int)(there - 1),
					   .in = IN_SHARED};
	}
	free(sorted);
	return 0;
}

/* A bucket stands at its centre: buckets of less than 2^(sub_bits + 1) units are one unit wide, and
 * the first would have no logarithm at its lower end. */
static double bucket_ln(unsigned int b)
{
	double low = (double)bucket_low(b, LAT_SUB_BITS);

	return log(0.5 * (low + (double)bucket_low(b + 1, LAT_SUB_BITS)));
}

double compare_w1(const uint64_t a[LAT_BUCKETS], const uint64_t b[LAT_BUCKETS])
{
	double n_a = 0, n_b = 0, sum_a = 0, sum_b = 0, w = 0, here;

	for (unsigned int k = 0; k < LAT_BUCKETS; k++) {
		n_a += (double)a[k];
		n_b += (double)b[k];
	}
	if (n_a <= 0 || n_b <= 0)
		return NAN;
	here = bucket_ln(0);
	for (unsigned int k = 0; k + 1 < LAT_BUCKETS; k++) {
		double next = bucket_ln(k + 1);

		sum_a += (double)a[k];
		sum_b += (double)b[k];
		w += fabs(sum_a / n_a - sum_b / n_b) * (next - here);
		here = next;
	}
	return w;
}
