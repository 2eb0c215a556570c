/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symmetric Kullback-Leibler divergence of every pair of nodes, without ever holding all pairs:
 *
 *   D(P||Q) = sum p ln(p/q),   D'(P,Q) = (D(P||Q) + D(Q||P)) / 2       (Kasick et al., FAST'10)
 *
 * With P the histograms (n x B) and L = ln P,
 *   2 D'(i,j) = H_i + H_j - (P_i . L_j + L_i . P_j),   H_i = P_i . L_i,
 * and the bracket is one matrix product [P L] [L P]^T (inner dimension 2B), done by BLAS for a
 * block of rows at a time: memory is O(n), about 1 MiB of divergences at once.
 */
#ifndef LIMPET_KL_H
#define LIMPET_KL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Workspace for up to `cap` nodes; owned by the caller between _init and _release. */
struct kl {
	size_t cap, bins, rows;
	double *left, *right; /* [P L] and [L P], cap x 2B */
	double *h;	      /* cap */
	double *tile;	      /* rows x cap */
};

/* 0 or -ENOMEM. Limits BLAS to one thread. */
int kl_init(struct kl *kl, size_t cap, size_t bins);
void kl_release(struct kl *kl); /* takes a zeroed one */

/* How many anomalous pairs make a node odd: more than (n-1)/2, that is at least this many [P]. */
size_t kl_majority(size_t n);

/*
 * p: n x B, row by row, every entry > 0; 2 <= n <= cap; 1 <= k <= n-1.
 * kth[i]: the k-th largest of D'(i,j), j != i. With k = kl_majority(n), node i is odd under the
 * threshold T exactly if kth[i] > T, and the smallest T that leaves no anomaly is max kth[i] [D].
 * above[i]: how many D'(i,j) > t[i] (strict).
 * Selecting costs more than all the rest: unless `all` is set, kth[i] is NaN where it is not over
 * t[i], that is, where above[i] < k.
 */
void kl_score(struct kl *kl, const double *p, size_t n, size_t k, const double *t, bool all,
	      double *kth, uint32_t *above);

#endif
