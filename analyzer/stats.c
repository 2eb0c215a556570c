// SPDX-License-Identifier: BSD-2-Clause
/* Order statistics: selection, quantiles, the median of a node's peers. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/* Moves the median of the first, middle and last to the middle: sorted input stays O(n). */
static double pivot(double *x, size_t lo, size_t hi)
{
	size_t mid = lo + (hi - lo) / 2;

	if (x[mid] < x[lo])
		swap(&x[mid], &x[lo]);
	if (x[hi] < x[lo])
		swap(&x[hi], &x[lo]);
	if (x[hi] < x[mid])
		swap(&x[hi], &x[mid]);
	return x[mid];
}

double stats_select(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double p = pivot(x, lo, hi);
		size_t i = lo, j = hi;

		for (;;) {
			while (x[i] < p)
				i++;
			while (x[j] > p)
				j--;
			if (i >= j)
				break;
			swap(&x[i++], &x[j--]);
		}
		/* Now [lo, j] <= p <= [j+1, hi], and j < hi since the pivot was left of hi. */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return x[k];
}

double stats_quantile(double *x, size_t n, double q)
{
	double at, low, high;
	size_t k;

	if (!n)
		return NAN;
	at = q * (double)(n - 1);
	k = (size_t)at;
	low = stats_select(x, n, k);
	if (k + 1 >= n)
		return low;
	high = x[k + 1];
	for (size_t i = k + 2; i < n; i++)
		if (x[i] < high)
			high = x[i];
	return low + (at - (double)k) * (high - low);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof(*x), compare);
}

double stats_sorted_median(const double *x, size_t n)
{
	if (!n)
		return NAN;
	return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double stats_peers_median(const double *sorted, size_t n, double self)
{
	size_t lo = 0, hi = n, peers = n - 1;

	if (n < 2)
		return NAN;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid] < self)
			lo = mid + 1;
		else
			hi = mid;
	}
#define PEER(k) sorted[(k) + ((k) >= lo)]
	return peers % 2 ? PEER(peers / 2) : 0.5 * (PEER(peers / 2 - 1) + PEER(peers / 2));
#undef PEER
}
