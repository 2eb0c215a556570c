/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loops of kl.c: symmetric KL divergence of one node with KL_LANES others at a time,
 *
 *   2 D'(i,j) = sum over bins of (p_i - p_j) (ln p_i - ln p_j),
 *
 * which is D(P||Q) + D(Q||P) with the terms put together. Against a matrix product,
 * H_i + H_j - (P_i . L_j + L_i . P_j), nothing cancels: no term is negative, equal
 * histograms give exactly 0, and the two sides of a pair are equal to the last bit wherever they
 * stand, so that only half of the pairs need be looked at and ties with a threshold stay ties.
 *
 * Nodes are kept in blocks of KL_LANES: block[bin][0][lane] = p, block[bin][1][lane] = ln p. Lanes
 * that stand for nobody are NaN, which is over no threshold.
 */
#ifndef LIMPET_KL_LANES_H
#define LIMPET_KL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KL_LANES = 8, KL_ROWS = 4 };

/* One way to compute them; all give the same up to the last bits. Blocks are aligned to 64 bytes. */
struct kl_kernel {
	const char *name; /* of the instructions */
	bool (*works)(void);
	/*
	 * Every pair once: above[i] += how many 2 D'(i,j) > t2[i], j != i. t2 and above have as many
	 * values as the blocks have lanes and are aligned like these.
	 */
	void (*count)(const double *blocks, size_t n_blocks, size_t bins, const double *t2,
		      int64_t *above);
	/*
	 * D' of KL_ROWS nodes with all the lanes of the blocks: out[r * stride + lane]. row[r] is
	 * the lane of a node in its block. out is aligned like the blocks, stride a multiple of
	 * KL_LANES.
	 */
	void (*rows)(const double *const row[KL_ROWS], const double *blocks, size_t n_blocks,
		     size_t bins, double *out, size_t stride);
	/* Of one row of these: how many are over the bound; the largest that is not, at least 0. */
	size_t (*over)(const double *d, size_t n_blocks, double bound);
	double (*most)(const double *d, size_t n_blocks, double bound);
};

/* The best that works here first; ends with one without a name. */
extern const struct kl_kernel kl_kernels[];

#endif
