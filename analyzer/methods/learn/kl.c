// SPDX-License-Identifier: BSD-2-Clause
/* Pairs of nodes: symmetric KL divergence, counted and selected. */
#include "kl.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kl_lanes.h"
#include "analyzer/stat/rng.h"
#include "analyzer/stat/stats.h"

enum {
	LOGS = 1024, /* remembered; a power of two */
	GUESSES = 16,
	PASSES = 40
};

static size_t whole_blocks(size_t n)
{
	return (n + KL_LANES - 1) / KL_LANES;
}

static void *aligned(size_t n, size_t size)
{
	void *mem = NULL;

	if (n > SIZE_MAX / size || posix_memalign(&mem, 64, n * size))
		return NULL;
	return memset(mem, 0, n * size);
}

int kl_init(struct kl *kl, size_t cap, size_t bins)
{
	size_t padded = whole_blocks(cap) * KL_LANES;

	*kl = (struct kl){.bins = bins, .kernel = kl_kernels};
	while (!kl->kernel->works())
		kl->kernel++;
	kl->blocks = aligned(padded, 2 * bins * sizeof(double));
	kl->t2 = aligned(padded, sizeof(double));
	kl->count = aligned(padded, sizeof(int64_t));
	kl->tile = aligned(padded, KL_ROWS * sizeof(double));
	kl->near = calloc(cap, sizeof(*kl->near));
	kl->order = calloc(cap, sizeof(*kl->order));
	if (!kl->blocks || !kl->t2 || !kl->count || !kl->tile || !kl->near || !kl->order) {
		kl_release(kl);
		return -ENOMEM;
	}
	return 0;
}

void kl_release(struct kl *kl)
{
	free(kl->blocks);
	free(kl->t2);
	free(kl->count);
	free(kl->tile);
	free(kl->near);
	free(kl->order);
	*kl = (struct kl){0};
}

size_t kl_majority(size_t n)
{
	return (n - 1) / 2 + 1;
}

/* Where the node that stands at place `at` begins: bins follow at 2 * KL_LANES. */
static double *lane(const struct kl *kl, size_t at)
{
	return kl->blocks + at / KL_LANES * kl->bins * 2 * KL_LANES + at % KL_LANES;
}

/* Counts make histograms, so a window has few different probabilities: their logarithms are
 * remembered. */
struct logs {
	double of[LOGS], is[LOGS];
};

static double log_of(struct logs *logs, double p)
{
	uint64_t bits;
	size_t at;

	memcpy(&bits, &p, sizeof(bits));
	at = (bits * 0x9e3779b97f4a7c15) >> 54 & (LOGS - 1);
	if (logs->of[at] != p) {
		logs->of[at] = p;
		logs->is[at] = log(p);
	}
	return logs->is[at];
}

/* Fills the blocks, node order[at] (NULL: at) at each place. */
static void place(struct kl *kl, const double *p, size_t n, const uint32_t *order)
{
	struct logs logs = {0};

	for (size_t at = 0; at < whole_blocks(n) * KL_LANES; at++) {
		double *to = lane(kl, at);
		const double *from = p + (at >= n ? 0 : order ? order[at] : at) * kl->bins;

		for (size_t b = 0; b < kl->bins; b++, to += 2 * KL_LANES) {
			to[0] = at < n ? from[b] : NAN;
			to[KL_LANES] = at < n ? log_of(&logs, from[b]) : NAN;
		}
	}
}

/*
 * The k-th largest of the n divergences in d, one of which, of the node with itself, is -1; by
 * counting, which is so much faster than moving them that ten times is cheap: over(low) >= k >
 * over(high), and the next bound where the k-th would be if all were spread evenly in between.
 */
static double select_largest(const struct kl *kl, double *d, size_t n, size_t k)
{
	size_t blocks = whole_blocks(n), n_low = n - 1, n_high = 0;
	double low = -DBL_MIN, high = INFINITY, bound = 0;

	for (size_t i = 0; i < GUESSES; i++)
		bound += fmax(d[i * n / GUESSES], 0) / GUESSES;
	for (int pass = 1; pass < PASSES; pass++) {
		size_t over = kl->kernel->over(d, blocks, bound);

		if (over >= k) {
			low = bound;
			n_low = over;
		} else {
			high = bound;
			n_high = over;
		}
		if (n_high == k - 1 && high < INFINITY)
			return kl->kernel->most(d, blocks, high);
		if (pass % 6 == 0 && high < INFINITY) { /* are many equal to the k-th? */
			double most = kl->kernel->most(d, blocks, high);

			if (kl->kernel->over(d, blocks, nextafter(most, -1)) >= k)
				return most;
		}
		if (high == INFINITY)
			bound = 2 * low + 1e-3;
		else if (pass % 3 == 0)
			bound = low + 0.5 * (high - low);
		else
			bound = low + (high - low) * ((double)(n_low - k) + 0.5) /
					      (double)(n_low - n_high);
		if (!(bound > low && bound < high))
			break;
	}
	return stats_select(d, n, n - k);
}

/* kth of the nodes in list, KL_ROWS at a time. */
static void select_rows(struct kl *kl, size_t n, size_t k, const uint32_t *list, size_t n_list,
			double *kth)
{
	size_t stride = whole_blocks(n) * KL_LANES;

	for (size_t i = 0; i < n_list; i += KL_ROWS) {
		const double *row[KL_ROWS];

		for (size_t r = 0; r < KL_ROWS; r++)
			row[r] = lane(kl, list[i + r < n_list ? i + r : i]);
		kl->kernel->rows(row, kl->blocks, whole_blocks(n), kl->bins, kl->tile, stride);
		for (size_t r = 0; r < KL_ROWS && i + r < n_list; r++) {
			double *d = kl->tile + r * stride;

			d[list[i + r]] = -1; /* itself, below all others */
			kth[list[i + r]] = select_largest(kl, d, n, k);
		}
	}
}

void kl_score(struct kl *kl, const double *p, size_t n, size_t k, const double *t, bool all,
	      double *kth, uint32_t *above)
{
	size_t n_list = 0;

	place(kl, p, n, NULL);
	memset(kl->count, 0, whole_blocks(n) * KL_LANES * sizeof(*kl->count));
	for (size_t i = 0; i < n; i++)
		kl->t2[i] = 2 * t[i];
	kl->kernel->count(kl->blocks, whole_blocks(n), kl->bins, kl->t2, kl->count);
	for (size_t i = 0; i < n; i++) {
		above[i] = (uint32_t)kl->count[i];
		kth[i] = NAN;
		if (all || above[i] >= k)
			kl->order[n_list++] = (uint32_t)i;
	}
	select_rows(kl, n, k, kl->order, n_list, kth);
}

static void shuffle(uint32_t *order, size_t n, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = rng_below(&rng, i + 1);
		uint32_t swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
}

/* Divergences of the nodes at places at .. at+KL_ROWS-1 to those at [from, to), into the tile. */
static void stretch(struct kl *kl, size_t n, size_t at, size_t from, size_t to)
{
	size_t first = from / KL_LANES, last = whole_blocks(to);
	const double *row[KL_ROWS];

	for (size_t r = 0; r < KL_ROWS; r++)
		row[r] = lane(kl, at + r < n ? at + r : at);
	kl->kernel->rows(row, lane(kl, first * KL_LANES), last - first, kl->bins,
			 kl->tile + first * KL_LANES, whole_blocks(n) * KL_LANES);
}

/* Copies `len` of the n values on the ring, from place `from` on. */
static double *ring_copy(double *to, const double *ring, size_t n, size_t from, size_t len)
{
	size_t until_end = n - from < len ? n - from : len;

	memcpy(to, ring + from, until_end * sizeof(*to));
	memcpy(to + until_end, ring, (len - until_end) * sizeof(*to));
	return to + len;
}

/* The votes of the neighbours of the node at place at + r, once their divergences are in the tile. */
static void vote_near(struct kl *kl, size_t n, size_t at, size_t r, size_t n_peers, const double *t,
		      bool all, double *kth, uint32_t *above)
{
	const double *ring = kl->tile + r * whole_blocks(n) * KL_LANES;
	size_t i = kl->order[at + r], before = n_peers / 2, k = kl_majority(n_peers + 1);
	double *end = ring_copy(kl->near, ring, n, (at + r + n - before) % n, before);

	ring_copy(end, ring, n, (at + r + 1) % n, n_peers - before);
	above[i] = 0;
	for (size_t j = 0; j < n_peers; j++)
		above[i] += kl->near[j] > t[i];
	kth[i] = all || above[i] >= k ? stats_select(kl->near, n_peers, n_peers - k) : NAN;
}

void kl_score_some(struct kl *kl, const double *p, size_t n, size_t k_peers, uint64_t seed,
		   const double *t, bool all, double *kth, uint32_t *above, size_t *n_peers)
{
	size_t m = k_peers < n - 1 ? k_peers : n - 1;

	*n_peers = m;
	shuffle(kl->order, n, seed);
	place(kl, p, n, kl->order);
	for (size_t at = 0; at < n; at += KL_ROWS) {
		size_t from = (at + n - m / 2) % n, len = m + KL_ROWS;

		if (len >= n) {
			stretch(kl, n, at, 0, n);
		} else if (from + len <= n) {
			stretch(kl, n, at, from, from + len);
		} else {
			stretch(kl, n, at, from, n);
			stretch(kl, n, at, 0, from + len - n);
		}
		for (size_t r = 0; r < KL_ROWS && at + r < n; r++)
			vote_near(kl, n, at, r, m, t, all, kth, above);
	}
}
