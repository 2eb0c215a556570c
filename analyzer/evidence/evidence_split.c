// SPDX-License-Identifier: BSD-2-Clause
/* Whether a group of peers falls into two. */
#include "evidence_parts.h"

/* Sum of squares about the mean; *mean: it. */
static double squares(const double *x, size_t n, double *mean)
{
	double ss = 0;

	*mean = 0;
	for (size_t i = 0; i < n; i++)
		*mean += x[i];
	*mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		ss += (x[i] - *mean) * (x[i] - *mean);
	return ss;
}

/*
 * Two halves that are known need less evidence to stay, so that what is said of them does not
 * flicker.
 */
static const double KNOWN = 0.5;

struct split split_find(const struct evidence *e, struct length *l, const double *sorted, size_t n,
			double noise)
{
	double gap = 0, quick, slow, ss, spread, need;
	size_t at = 0;

	/* At least two on either side: one alone is no group. */
	for (size_t i = 2; i + 2 <= n; i++) {
		if (sorted[i] - sorted[i - 1] > gap) {
			gap = sorted[i] - sorted[i - 1];
			at = i;
		}
	}
	if (gap < e->p.gate || !at)
		return (struct split){0};
	ss = squares(sorted, at, &quick) + squares(sorted + at, n - at, &slow);
	spread = sqrt(fmax(fmax(ss / (double)(n - 2), noise), e->p.floor * e->p.floor));
	need = needs_gap(e, l, n) * (l->halved ? KNOWN : 1);
	if (gap < need * spread)
		return (struct split){0};
	return (struct split){.slow = n - at, .from = sorted[at], .effect = slow - quick};
}
