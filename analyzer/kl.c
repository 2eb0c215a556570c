// SPDX-License-Identifier: BSD-2-Clause
/* All pairs of nodes: symmetric KL divergence, a block of rows at a time. */
#include "kl.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define TILE_BYTES (1u << 20) /* of divergences: stays in the second-level cache */

int kl_init(struct kl *kl, size_t cap, size_t bins)
{
	openblas_set_num_threads(1);
	*kl = (struct kl){.cap = cap, .bins = bins};
	kl->rows = TILE_BYTES / (cap * sizeof(double));
	if (kl->rows < 1)
		kl->rows = 1;
	if (kl->rows > cap)
		kl->rows = cap;
	kl->left = calloc(cap, 2 * bins * sizeof(double));
	kl->right = calloc(cap, 2 * bins * sizeof(double));
	kl->h = calloc(cap, sizeof(double));
	kl->tile = calloc(kl->rows, cap * sizeof(double));
	if (!kl->left || !kl->right || !kl->h || !kl->tile) {
		kl_release(kl);
		return -ENOMEM;
	}
	return 0;
}

void kl_release(struct kl *kl)
{
	free(kl->left);
	free(kl->right);
	free(kl->h);
	free(kl->tile);
	*kl = (struct kl){0};
}

size_t kl_majority(size_t n)
{
	return (n - 1) / 2 + 1;
}

/* Fills [P L], [L P] and H. */
static void prepare(struct kl *kl, const double *p, size_t n)
{
	size_t bins = kl->bins;

	for (size_t i = 0; i < n; i++) {
		double *left = kl->left + 2 * bins * i, *right = kl->right + 2 * bins * i;

		kl->h[i] = 0;
		for (size_t b = 0; b < bins; b++) {
			double pb = p[i * bins + b], lb = log(pb);

			left[b] = right[bins + b] = pb;
			left[bins + b] = right[b] = lb;
			kl->h[i] += pb * lb;
		}
	}
}

/* One row of products becomes divergences; that of the node with itself becomes -1. */
static void finish_row(const struct kl *kl, double *row, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		double d = 0.5 * (kl->h[i] + kl->h[j] - row[j]);

		row[j] = d > 0 ? d : 0; /* rounding */
	}
	row[i] = -1;
}

void kl_score(struct kl *kl, const double *p, size_t n, size_t k, const double *t, bool all,
	      double *kth, uint32_t *above)
{
	int inner = (int)(2 * kl->bins);

	prepare(kl, p, n);
	for (size_t i0 = 0; i0 < n; i0 += kl->rows) {
		size_t rows = n - i0 < kl->rows ? n - i0 : kl->rows;

		cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, inner, 1.0,
			    kl->left + (size_t)inner * i0, inner, kl->right, inner, 0.0, kl->tile,
			    (int)n);
		for (size_t r = 0; r < rows; r++) {
			double *row = kl->tile + r * n;
			size_t i = i0 + r;

			finish_row(kl, row, n, i);
			above[i] = 0;
			for (size_t j = 0; j < n; j++)
				above[i] += row[j] > t[i];
			kth[i] = all || above[i] >= k ? stats_select(row, n, n - k) : NAN;
		}
	}
}
