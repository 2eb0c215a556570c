// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lone values: durations of states that are far above what the same server took just before and after. A connect that
 * waited 63 s for a dead server is 10 000 times as long as the usual one, so that a few of them decide a mean of logarithms,
 * and tell of the other end. Or the server hangs itself, now and then: of durations alone nobody can know. So a server
 * that is not worse than its peers without them is suspicious, and no more.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

/* With the value itself: what lasts for five values or more is nobody's lone value. */
enum { NEIGHBOURS = 9, LEAST_VALUES = 3 };
/* So many times as long as its neighbours, and so many deviations: of a lognormal 1 in 700 is lone by chance. */
static const double LONE_RATIO = 4, LONE_DEVIATIONS = 3;
/* More than this share of all are no single ones. */
static const double LONE_SHARE = 1.0 / 3;
/* Three quarters of normal values are within so many deviations. */
static const double QUARTERS = 1.1503;

/* How far each of an entity's values is above the median of its neighbours; NaN: not known. */
static void above_neighbours(const struct table_panel *p, const struct table_entity *e, double *off)
{
	size_t n = e->end - e->begin, most = n < NEIGHBOURS ? n : NEIGHBOURS;

	for (size_t i = 0; i < n; i++) {
		size_t from = i < most / 2 ? 0 : i - most / 2, near = 0;
		double some[NEIGHBOURS], y = table_ln(p, p->t->at[e->begin + i].value);

		from = from + most > n ? n - most : from;
		for (size_t k = from; k < from + most; k++) {
			some[near] = table_ln(p, p->t->at[e->begin + k].value);
			near += isfinite(some[near]);
		}
		off[i] = near >= LEAST_VALUES ? y - stats_quantile(some, near, 0.5) : NAN;
	}
}

/* Above it a value is lone. */
static double lone_limit(const double *off, double *size, size_t n)
{
	size_t known = 0;
	double limit;

	for (size_t i = 0; i < n; i++)
		if (isfinite(off[i]))
			size[known++] = fabs(off[i]);
	limit = known ? LONE_DEVIATIONS * stats_quantile(size, known, 0.75) / QUARTERS : 0;
	return fmax(limit, log(LONE_RATIO));
}

/* By how much lone values raise the mean of an entity's logarithms in that time. */
static double raised(const struct table_panel *p, const struct table_entity *e, int64_t from_ns,
		     int64_t to_ns, const double *off, double limit)
{
	double sum = 0;
	size_t n = 0, lone = 0;

	for (size_t i = e->begin; i < e->end; i++) {
		int64_t at_ns = p->t->at[i].time_ns;

		if (at_ns < from_ns || at_ns >= to_ns)
			continue;
		n++;
		if (off[i - e->begin] > limit) {
			sum += off[i - e->begin];
			lone++;
		}
	}
	return lone && (double)lone <= LONE_SHARE * (double)n ? sum / (double)n : 0;
}

/* Entity i's beside the median of all others' in the same time: what all have tells nothing of one. */
static double raised_beside(const struct table_panel *p, size_t i, const double *off, double limit,
			    double *others)
{
	const struct track_entity *st = &p->panel.track.at[i];
	int64_t from_ns = st->at_once ? INT64_MIN : st->onset_ns;
	int64_t to_ns = st->at_once ? INT64_MAX : st->last_ns;
	double own = 0;
	size_t n = 0;

	for (size_t k = 0; k < p->n; off += p->e[k].end - p->e[k].begin, k++) {
		double x = raised(p, &p->e[k], from_ns, to_ns, off, limit);

		if (k == i)
			own = x;
		else
			others[n++] = x;
	}
	return n ? fmax(0, own - stats_quantile(others, n, 0.5)) : own;
}

int table_lone(struct table_panel *p)
{
	double *off = calloc(2 * p->samples + p->n + 1, sizeof(*off)), limit;
	struct track_group *g = &p->panel.track;
	size_t n = 0;

	if (!off)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		above_neighbours(p, &p->e[i], off + n);
		n += p->e[i].end - p->e[i].begin;
	}
	limit = lone_limit(off, off + n, n);
	for (size_t i = 0; i < p->n; i++) {
		const struct track_entity *st = &g->at[i];
		double left;

		if (st->state != TRACK_INDICTED && st->state != TRACK_OVER)
			continue;
		left = st->best.effect - raised_beside(p, i, off, limit, off + 2 * n);
		if (left < g->o.gate || st->best.t * left < st->best.needs * st->best.effect)
			track_group_lone(g, i);
	}
	free(off);
	return 0;
}
