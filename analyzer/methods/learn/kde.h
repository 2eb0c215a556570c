/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel density with a Gaussian kernel, of weighted samples, as probabilities on a line of cells that several
 * densities share, so that they can be compared (jsd.h).
 *
 * The probability of a cell is the kernel's integral over it, not its value at the middle: where the samples'
 * range is wide beside the bandwidth, a kernel can lie between two middles, and would be lost.
 */
#ifndef LIMPET_KDE_H
#define LIMPET_KDE_H

#include <stddef.h>

/* 256: of samples within seven bandwidths of each other a step is a twentieth of the bandwidth, as
 * (7 + 6) / 255. */
enum { KDE_CELLS = 256 };

struct kde_sample {
	double x, weight; /* over 0 */
};

/* Cell k is `step` wide around from + k step. */
struct kde_grid {
	double from, step, h; /* h: bandwidth, over 0 */
};

/* Ascending by x, in place; what follows wants it so where it says "sorted". */
void kde_sort(struct kde_sample *s, size_t n);

/*
 * Quantile of sorted samples, linear between them: the middle of each sample's weight is its place, the first
 * one's is 0, the last one's 1. With equal weights this is stats_quantile(). NaN of no samples.
 */
double kde_quantile(const struct kde_sample *sorted, size_t n, double q);

/* Kish's effective number of samples, (sum w)^2 / sum w^2: n with equal weights, 0 of none. */
double kde_effective(const struct kde_sample *s, size_t n);

/*
 * Silverman's rule of thumb (Density Estimation, 1986, eq. 3.31) over the pool of all nodes,
 * 0.9 min(sd, IQR / 1.34) count^(-1/5), at least `floor`; count: of samples that one density is of, 1 or more.
 * sd is that of a sample: of weights, sum w (x - mean)^2 / (W - sum w^2 / W). `floor` of fewer than two samples.
 */
double kde_bandwidth(const struct kde_sample *sorted, size_t n, double count, double floor);

/* Cells from low - 3 h to high + 3 h: their middles; beyond lies 0.0013 of a sample at the edge, at most. */
struct kde_grid kde_grid(double low, double high, double h);

/* Probabilities of the cells, which sum up to 1; all 0 of no samples. */
void kde_cells(const struct kde_grid *g, const struct kde_sample *s, size_t n, double p[KDE_CELLS]);

/* Of the density itself, 0 … 1: the probability of at most x. NaN of no samples. */
double kde_cdf(const struct kde_sample *s, size_t n, double h, double x);

#endif
