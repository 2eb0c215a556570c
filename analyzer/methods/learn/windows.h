/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a series of samples on the grid to windows: the trailing mean and the sliding window
 * (window 64, shift 32, mean over 5 samples in Kasick et al., FAST'10).
 */
#ifndef LIMPET_WINDOWS_H
#define LIMPET_WINDOWS_H

#include <stddef.h>

/*
 * out[t] = mean of what is there among in[t-len+1 .. t]; NaN where nothing is. So a metric that
 * exists only now and then (await, when there was I/O) keeps what it has, and a series begins with
 * shorter means. in and out have n samples and must not overlap.
 */
void windows_smooth(const double *in, double *out, size_t n, unsigned int len);

/* How many whole windows fit in n samples. Window w is [w * shift, w * shift + window). */
size_t windows_count(size_t n, unsigned int window, unsigned int shift);

/*
 * The mean of the samples of one window that are there; *n_there gets their number. A node with
 * under half a window of them is not judged: windows_enough().
 */
double windows_mean(const double *x, unsigned int window, unsigned int *n_there);
int windows_enough(unsigned int n_there, unsigned int window);

#endif
