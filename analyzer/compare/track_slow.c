// SPDX-License-Identifier: BSD-2-Clause
/* The slow test: who has been a little worse than the peers for a long time. */
#include "track_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

enum { ENOUGH = 5 }; /* entities with a median, else nobody is chronic */

int slow_begin(const struct track *t, struct entity *e)
{
	struct slow *s = &e->slow;

	if (!s->d)
		s->d = calloc(t->p.slow_max, sizeof(*s->d));
	if (!s->excess)
		s->excess = calloc(t->p.slow_max / 64 + 1, sizeof(*s->excess));
	return s->d && s->excess ? 0 : -ENOMEM;
}

void slow_add(const struct track *t, struct entity *e, double d, bool excess)
{
	struct slow *s = &e->slow;
	uint64_t bit = 1ULL << s->at % 64;

	s->d[s->at] = (float)d;
	s->excess[s->at / 64] &= ~bit;
	s->excess[s->at / 64] |= excess ? bit : 0;
	s->at = (s->at + 1) % t->p.slow_max;
	s->n += s->n < t->p.slow_max;
}

/* Sets the median of the windows, and how uncertain it is: 1.2533 standard deviations (by the MAD)
 * over the root of how many windows do not overlap, as of a median of normal values. */
static void set_median(const struct track *t, struct slow *s)
{
	double *x = t->own;

	for (size_t k = 0; k < s->n; k++)
		x[k] = s->d[k];
	s->median = stats_quantile(x, s->n, 0.5);
	for (size_t k = 0; k < s->n; k++)
		x[k] = fabs(s->d[k] - s->median);
	s->error = 1.2533 * 1.4826 * stats_quantile(x, s->n, 0.5) /
		   sqrt(fmax(1, (double)s->n / t->p.apart));
}

/* What was always there is there in every part of the time: the least of the medians of three. */
static double least_of_parts(const struct track *t, const struct slow *s)
{
	size_t first = (s->at + t->p.slow_max - s->n) % t->p.slow_max;
	double least = INFINITY;

	for (size_t part = 0; part < 3 && s->n >= 3; part++) {
		size_t from = s->n * part / 3, to = s->n * (part + 1) / 3;

		for (size_t k = from; k < to; k++)
			t->own[k - from] = s->d[(first + k) % t->p.slow_max];
		least = fmin(least, stats_quantile(t->own, to - from, 0.5));
	}
	return least;
}

/* By how much the MAD of so few is too small for a standard deviation, on average: Croux and Rousseeuw,
 * "Time-efficient algorithms for two highly robust estimators of scale" (1992). */
static double few(size_t n)
{
	static const double factor[] = {1,     1,     1.196, 1.495, 1.363,
					1.206, 1.200, 1.140, 1.129, 1.107};

	return n < sizeof(factor) / sizeof(*factor) ? factor[n] : (double)n / ((double)n - 0.8);
}

static bool mostly_excess(const struct slow *s)
{
	size_t count = 0;

	for (size_t k = 0; k < s->n; k += 64)
		count += (size_t)__builtin_popcountll(s->excess[k / 64]);
	return 2 * count >= s->n;
}

static bool is_here(const struct track *t, const struct entity *e)
{
	return e->past && e->slow.n >= t->p.slow_min &&
	       t->push - e->past[(e->judged - 1) % t->ring].push <= t->p.slow_max;
}

static void judge(const struct track *t, struct slow *s, double peers, double mad, size_t n_peers)
{
	s->value = s->median;
	s->sigma = fmax(fmax(t->p.slow_sigma, s->error), 1.4826 * few(n_peers) * mad);
	s->z = (s->median - peers) / s->sigma;
	s->ratio = exp(s->median - peers);
	s->windows = (unsigned int)s->n;
	s->chronic = s->z >= t->p.slow_z && s->ratio >= t->p.slow_ratio && mostly_excess(s) &&
		     least_of_parts(t, s) - peers >= log(t->p.slow_ratio);
}

/*
 * The peers' median takes at most three values, as it is a middle one of all, or the mean of two of
 * them; so the deviations are sorted three times, not once for each entity.
 */
static void judge_all(struct track *t, size_t n)
{
	double done[3];
	size_t n_done = 0;

	for (size_t i = 0; i < t->n; i++) {
		double peers;
		bool again = false;

		if (isnan(t->at[i].slow.median))
			continue;
		peers = stats_peers_median(t->d, n, t->at[i].slow.median);
		for (size_t k = 0; k < n_done; k++)
			again |= done[k] == peers;
		if (again || n_done == 3)
			continue;
		done[n_done++] = peers;
		for (size_t k = 0; k < n; k++)
			t->away[k] = fabs(t->d[k] - peers);
		stats_sort(t->away, n);
		for (size_t k = i; k < t->n; k++) {
			struct slow *s = &t->at[k].slow;

			if (!isnan(s->median) && stats_peers_median(t->d, n, s->median) == peers)
				judge(t, s, peers,
				      stats_peers_median(t->away, n, fabs(s->median - peers)),
				      n - 1);
		}
	}
}

void slow_test(struct track *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct slow *s = &t->at[i].slow;

		s->value = s->z = s->ratio = s->sigma = s->median = NAN;
		s->chronic = false;
		s->windows = 0;
		if (!is_here(t, &t->at[i]))
			continue;
		set_median(t, s);
		t->d[n++] = s->median;
	}
	if (n < ENOUGH)
		return;
	stats_sort(t->d, n);
	judge_all(t, n);
}
