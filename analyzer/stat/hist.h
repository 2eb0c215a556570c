/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of one metric in one window, with edges shared by all nodes so that they can be
 * compared (Kasick et al., FAST'10, section on histogram-based analysis; the binning is ours).
 */
#ifndef LIMPET_HIST_H
#define LIMPET_HIST_H

#include <stdbool.h>
#include <stddef.h>

enum { BINS_MAX = 256 };

/* B bins of equal width from lo upwards; the first and the last are open outwards. */
struct hist_edges {
	double lo, width;
	bool degenerate; /* the nodes do not differ: every divergence is 0 by definition */
};

/*
 * Edges from the pooled samples of all nodes (n > 0, no NaN; permuted): B bins over their 1 % to
 * 99 % quantiles, because one spike would push everything else into one bin if they spanned the
 * range. A difference under least = max(floor, 1 % of |median|) does not count:
 *  - if the whole range is under `least`, the histograms are degenerate;
 *  - if only the quantiles are (more than a hundred equal nodes and one that is not), the bins are
 *    2 * least wide, one of them centred on the median, so that only what is further than `least`
 *    from the median leaves the common bin.
 */
struct hist_edges hist_edges(double *pooled, size_t n, unsigned int bins, double floor);

/*
 * p[b] = (count + 1/2) / (N + B/2) over the N samples of x[0..n) that are there. p is owned by the
 * caller and has `bins` values, at most BINS_MAX; n < 2^32.
 */
void hist_fill(const double *x, size_t n, const struct hist_edges *e, unsigned int bins, double *p);

#endif
