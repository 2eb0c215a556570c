/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symmetric Kullback-Leibler divergence of every pair of nodes, without ever holding all pairs:
 *
 *   D(P||Q) = sum p ln(p/q),   D'(P,Q) = (D(P||Q) + D(Q||P)) / 2       (Kasick et al., FAST'10)
 *
 * computed by kl_lanes.c for a tile of pairs at a time, and counted at once: memory is O(n).
 * D'(i,j) and D'(j,i) are the same bits, whichever nodes stand around them, and so are the
 * divergences counted and those selected: what is judged with a threshold that was trained on the
 * same numbers is not over it. Nothing here is shared between two struct kl.
 */
#ifndef LIMPET_KL_H
#define LIMPET_KL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kl_kernel;

/* Workspace for up to `cap` nodes; owned by the caller between _init and _release. */
struct kl {
	size_t bins;
	const struct kl_kernel *kernel; /* the best for this machine; tests take others */
	double *blocks;			/* p and ln p of all nodes: kl_lanes.h */
	double *t2;			/* cap, in whole blocks: twice the thresholds */
	int64_t *count;			/* cap, in whole blocks */
	double *tile;			/* KL_ROWS x cap, in whole blocks */
	double *near;			/* cap */
	uint32_t *order;		/* cap */
};

/* 0 or -ENOMEM. */
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

/*
 * The same with some peers each, in O(n): the nodes are laid on a ring in an order that `seed`
 * shuffles (a new one for each window), and each is compared with the *n_peers = min(k_peers, n-1)
 * next to it, half before and half after it (the odd one after) [D]. kth[i] is the
 * kl_majority(*n_peers + 1)-th largest of these. 1 <= k_peers.
 *
 * How this is the partitioning of the slides ("Peer-Comparison Scalability") [P]: n-k partitions of
 * k servers regrouped each window, with (n-k) k(k-1)/2 comparisons, are so many that each server
 * must be in about k of them. We take the partition of each server to be itself and the k-1 that
 * follow it on the ring, n partitions: two servers then meet in one if they are less than k apart.
 * So k_peers = 2(k-1) compares the same pairs, but each of them once although up to k-1
 * partitions have it, and all that a server meets in its partitions vote at once: n(k-1)
 * comparisons.
 */
void kl_score_some(struct kl *kl, const double *p, size_t n, size_t k_peers, uint64_t seed,
		   const double *t, bool all, double *kth, uint32_t *above, size_t *n_peers);

#endif
