/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order statistics on plain arrays of doubles without NaN. Functions that say "permutes" reorder
 * the caller's array and allocate nothing.
 */
#ifndef LIMPET_STATS_H
#define LIMPET_STATS_H

#include <stddef.h>

/* The k-th smallest (k from 0); permutes x, smaller ones to the left. n > k. About 2 n steps, and
 * O(n log n) whatever the values. */
double stats_select(double *x, size_t n, size_t k);

/* The smallest and the largest; of nothing, INFINITY and -INFINITY. */
void stats_range(const double *x, size_t n, double *min, double *max);

/* Linear interpolation between order statistics (Hyndman and Fan's type 7, numpy's default);
 * permutes x. NaN when n is 0. */
double stats_quantile(double *x, size_t n, double q);

/* Ascending, in place. */
void stats_sort(double *x, size_t n);

/* Median of a sorted array; and of the array without one element equal to `self`, that is, of the
 * peers. NaN when nothing is left. */
double stats_sorted_median(const double *x, size_t n);
double stats_peers_median(const double *sorted, size_t n, double self);

#endif
