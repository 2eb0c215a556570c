// SPDX-License-Identifier: BSD-2-Clause
/* Order statistics: selection, quantiles, the median of a node's peers. */
#include "stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "userspace/common/sort.h"

/* Moves what is <= p (or, `below`, < p) to the left of [lo, hi), and returns where the rest begins.
 * No branch depends on the data: half of the comparisons would be mispredicted. */
static size_t part(double *x, size_t lo, size_t hi, double p, bool below)
{
	size_t end = lo;

	for (size_t i = lo; i < hi; i++) {
		double v = x[i];

		x[i] = x[end];
		x[end] = v;
		end += below ? v < p : v <= p;
	}
	return end;
}

static double median_of_3(double a, double b, double c)
{
	double least = a < b ? a : b, most = a < b ? b : a;

	return c < least ? least : c > most ? most : c;
}

/*
 * One round of selection in [*lo, *hi): what is below `low` or above `high`, both values in it or
 * infinite, is cut off, or that is kept which has the k-th. True: x[k] is it.
 */
static bool cut(double *x, size_t *lo, size_t *hi, size_t k, double low, double high)
{
	size_t at = high < INFINITY ? part(x, *lo, *hi, high, false) : *hi;

	if (k >= at) {
		*lo = at;
		return false;
	}
	*hi = at;
	at = low > -INFINITY ? part(x, *lo, *hi, low, true) : *lo;
	if (k < at) {
		*hi = at;
		return false;
	}
	*lo = at;
	return low == high;
}

/* Quickselect in [lo, hi). */
static void select_few(double *x, size_t lo, size_t hi, size_t k)
{
	double p;

	do
		p = median_of_3(x[lo], x[lo + (hi - lo) / 2], x[hi - 1]);
	while (!cut(x, &lo, &hi, k, p, p));
}

enum { SAMPLE = 128, FEW = 400, ROUNDS = 40 };

/*
 * Two values of [lo, hi) that most likely have the k-th of all between them, if the order of the
 * values is not against us; beyond the ends infinite. `one`: twice the same, a guess at the k-th.
 */
static void bracket(const double *x, size_t lo, size_t hi, size_t k, bool one, double *low,
		    double *high)
{
	double sample[SAMPLE], q = (double)(k - lo) / (double)(hi - lo), at = q * SAMPLE;
	double margin = one ? 0 : 1 + 2.5 * sqrt(SAMPLE * q * (1 - q));
	size_t step = (hi - lo) / SAMPLE;

	for (size_t i = 0; i < SAMPLE; i++)
		sample[i] = x[lo + i * step];
	*low = -INFINITY;
	*high = INFINITY;
	if (at - margin >= 0) {
		select_few(sample, 0, SAMPLE, (size_t)(at - margin));
		*low = sample[(size_t)(at - margin)];
	}
	if (at + margin < SAMPLE) {
		select_few(sample, 0, SAMPLE, (size_t)(at + margin));
		*high = sample[(size_t)(at + margin)];
	}
}

/* As Floyd and Rivest's (1975), with pivots from a sample of fixed size. Values whose order defeats
 * the sample again and again are sorted: never O(n^2). */
double stats_select(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n;
	bool one = false;

	for (int round = 0; hi - lo > FEW; round++) {
		size_t before = hi - lo;
		double low, high;

		if (round == ROUNDS) {
			stats_sort(x + lo, hi - lo);
			return x[k];
		}
		bracket(x, lo, hi, k, one, &low, &high);
		if (cut(x, &lo, &hi, k, low, high))
			return x[k];
		one = hi - lo > before / 4 * 3; /* many are equal: get rid of those */
	}
	select_few(x, lo, hi, k);
	return x[k];
}

/* Four at a time: each minimum waits for the one before it. */
void stats_range(const double *x, size_t n, double *min, double *max)
{
	double lo[4], hi[4];

	for (int l = 0; l < 4; l++) {
		lo[l] = INFINITY;
		hi[l] = -INFINITY;
	}
	for (size_t i = 0; i + 4 <= n; i += 4)
		for (int l = 0; l < 4; l++) {
			double v = x[i + (size_t)l];

			lo[l] = v < lo[l] ? v : lo[l];
			hi[l] = v > hi[l] ? v : hi[l];
		}
	for (size_t i = n & ~(size_t)3; i < n; i++) {
		lo[0] = x[i] < lo[0] ? x[i] : lo[0];
		hi[0] = x[i] > hi[0] ? x[i] : hi[0];
	}
	*min = fmin(fmin(lo[0], lo[1]), fmin(lo[2], lo[3]));
	*max = fmax(fmax(hi[0], hi[1]), fmax(hi[2], hi[3]));
}

double stats_quantile(double *x, size_t n, double q)
{
	double at, low, high, most;
	size_t k;

	if (!n)
		return NAN;
	at = q * (double)(n - 1);
	k = (size_t)at;
	low = stats_select(x, n, k);
	if (k + 1 >= n)
		return low;
	stats_range(x + k + 1, n - k - 1, &high, &most);
	return low + (at - (double)k) * (high - low);
}

static void insert_sort(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double v = x[i];
		size_t k = i;

		for (; k && x[k - 1] > v; k--)
			x[k] = x[k - 1];
		x[k] = v;
	}
}

enum { SORT_FEW = 24, SORT_DEPTH = 48 };

/* Quicksort without a branch that depends on the data; what defeats its pivots goes to qsort(). */
static void sort_range(double *x, size_t n, int depth)
{
	while (n > SORT_FEW) {
		double p = median_of_3(x[0], x[n / 2], x[n - 1]);
		size_t low = part(x, 0, n, p, true), high;

		if (!depth--) {
			sort(x, n, by_double);
			return;
		}
		high = part(x, low, n, p, false); /* [low, high): all equal to p */
		sort_range(x, low, depth);
		x += high;
		n -= high;
	}
	insert_sort(x, n);
}

void stats_sort(double *x, size_t n)
{
	sort_range(x, n, SORT_DEPTH);
}

double stats_sorted_median(const double *x, size_t n)
{
	if (!n)
		return NAN;
	return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double stats_peers_median(const double *sorted, size_t n, double self)
{
	size_t lo, peers = n - 1;

	if (n < 2)
		return NAN;
	lo = search_first(i, n, sorted[i] < self);
#define PEER(k) sorted[(k) + ((k) >= lo)]
	return peers % 2 ? PEER(peers / 2) : 0.5 * (PEER(peers / 2 - 1) + PEER(peers / 2));
#undef PEER
}
