// SPDX-License-Identifier: BSD-2-Clause
/* Whether entities are of two kinds (evidence.h). */
#include "evidence.h"

#include <math.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/scratch.h"

/* ln: as wide a gap makes two groups over time, too (over_time_window.c). */
static const double GAP = 0.2231; /* ln 1.25 */

/* Those of a kind that may be well at one time. */
struct well {
	double low, high, median;
};

/*
 * Those of one kind at one time; false: too few of them have a value. The slowest third may be at fault. One that is quicker than the
 * others may not: it shows that they are not slow by nature.
 */
static bool well_at(const double *course, const size_t *of, size_t n, size_t time, double *room,
		    struct well *w)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double x = course[of[i] * KINDS_TIMES + time];

		if (isfinite(x))
			room[k++] = x;
	}
	if (!k || n - k > n / 3)
		return false;
	stats_sort(room, k);
	k -= n / 3 - (n - k);
	*w = (struct well){room[0], room[k - 1], stats_sorted_median(room, k)};
	return true;
}

double kinds_apart(const double *course, const size_t *a, size_t n_a, const size_t *b, size_t n_b,
		   double *room)
{
	double least = INFINITY, sum = 0;

	for (size_t t = 0; t < KINDS_TIMES; t++) {
		struct well x, y;
		double gap, up;

		if (!n_a || !n_b || !well_at(course, a, n_a, t, room, &x) ||
		    !well_at(course, b, n_b, t, room, &y))
			return NAN;
		up = y.median - x.median;
		gap = up > 0 ? y.low - x.high : x.low - y.high;
		if (gap < GAP || gap < fmax(x.high - x.low, y.high - y.low) || (t && up * sum <= 0))
			return NAN;
		sum += up;
		least = fmin(least, fabs(up));
	}
	return copysign(least, sum);
}

/* Where the widest gap between the levels is; 0: there are fewer than two. */
static size_t widest(const double *sorted, size_t n)
{
	size_t at = 0;
	double gap = 0;

	for (size_t i = KINDS_LEAST; i + KINDS_LEAST <= n; i++)
		if (sorted[i] - sorted[i - 1] > gap) {
			gap = sorted[i] - sorted[i - 1];
			at = i;
		}
	return at;
}

double kinds_split(const double *course, size_t n, bool *slow)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *level = scratch_array(&room, n, sizeof(*level));
	double *some = scratch_array(&room, n, sizeof(*some)), from;
	size_t *side = scratch_array(&room, n, sizeof(*side)), n_slow = 0, n_quick = 0, at;

	if (room.failed)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		double times[KINDS_TIMES];
		size_t k = 0;

		for (size_t t = 0; t < KINDS_TIMES; t++)
			if (isfinite(course[i * KINDS_TIMES + t]))
				times[k++] = course[i * KINDS_TIMES + t];
		if (!k)
			return NAN;
		/* a fault that began later is none of its nature */
		level[i] = some[i] = stats_quantile(times, k, 0.25);
	}
	stats_sort(some, n);
	at = widest(some, n);
	from = at ? some[at] : INFINITY;
	for (size_t i = 0; i < n; i++) {
		slow[i] = level[i] >= from;
		side[slow[i] ? n - ++n_slow : n_quick++] = i;
	}
	return kinds_apart(course, side, n_quick, side + n_quick, n_slow, some);
}
