/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Missing samples of an evenly spaced series by locally weighted linear regression (Pan et al.,
 * CMU-PDL-08-112, Fig. 3):
 *
 *   h = the third smallest |s - t| over the times s that have a sample,
 *   weight(s) = exp(-(s - t)^2 / 2h^2),
 *   the value at t of the straight line with the least weighted sum of squares.
 *
 * The third smallest is that of the list, so two samples at equal distance count twice [D]. Weights
 * under 1e-17 are left out: next to the largest, which is at least exp(-1/2), they are below what a
 * double holds.
 *
 * As in the figure nothing is filled before the first sample or after the last. And not where the
 * samples are too far to tell [D]: in a gap of more than LWLR_GAP missing samples, or where h is
 * larger than that. So a value depends on LWLR_REACH samples to either side and on nothing else.
 */
#ifndef LIMPET_LWLR_H
#define LIMPET_LWLR_H

#include <stddef.h>

enum { LWLR_GAP = 20, LWLR_REACH = 177 };

/*
 * y: n samples, NaN missing. out[0 .. to - from) = y[from .. to), filled; from <= to <= n. Exact if
 * y has LWLR_REACH samples on either side, or all there are. y and out must not overlap.
 */
void lwlr_fill(const double *y, size_t n, size_t from, size_t to, double *out);

#endif
