/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root of the Jensen-Shannon divergence, a distance between distributions (Endres and
 * Schindelin 2003; used by Pan et al., CMU-PDL-08-112, Fig. 7):
 *
 *   JSD(P,Q) = 1/2 D(P||M) + 1/2 D(Q||M),   M = (P + Q)/2,   D(P||Q) = sum p ln(p/q)
 *
 * With natural logarithms it is at most ln 2, the root at most JSD_ROOT_MAX.
 *
 * Written with a = p + q and t = (p - q)/a it is sum a/4 g(t),
 *   g(t) = (1+t) ln(1+t) + (1-t) ln(1-t) = t^2 + t^4/6 + t^6/15 + … + t^2m/(m(2m-1)) + …
 * For small t the logarithms would cancel, so the series is taken there: nearly equal
 * distributions, the usual case, are exact to the last digits.
 */
#ifndef LIMPET_JSD_H
#define LIMPET_JSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/common/scratch.h"

#define JSD_ROOT_MAX 0.83255461115769769 /* sqrt(ln 2) */

/* p and q: n probabilities each, zeros allowed. */
double jsd_root(const double *p, const double *q, size_t n);

/* Workspace for up to `cap` nodes. */
struct jsd {
	size_t labels;
	struct scratch room;   /* of all arrays */
	double *centre;	       /* labels */
	double *from;	       /* cap: distance from the centre */
	double *row;	       /* cap */
	struct jsd_rank *rank; /* cap: by that, ascending */
};

int jsd_init(struct jsd *j, size_t cap, size_t labels); /* 0 or -ENOMEM */
void jsd_release(struct jsd *j);			/* takes a zeroed one */

/*
 * p: n x labels, row by row, each a distribution; 2 <= n <= cap; 1 <= k <= n-1.
 * above[i]: how many of the distances d(i,j), j != i, are over t (strict).
 * kth[i]: the k-th largest of them; unless `all` is set, NaN where it is not over t, that is, where
 * above[i] < k.
 *
 * No n x n matrix. Because d obeys the triangle inequality most pairs need not be computed to know
 * on which side of t they are: with c the mean of all rows,
 * |d(i,c) - d(j,c)| <= d(i,j) <= d(i,c) + d(j,c).
 */
void jsd_score(struct jsd *j, const double *p, size_t n, size_t k, double t, bool all, double *kth,
	       uint32_t *above);

#endif
