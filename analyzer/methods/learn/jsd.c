// SPDX-License-Identifier: BSD-2-Clause
/* Root of the Jensen-Shannon divergence: of a pair, and of every node against its peers. */
#include "jsd.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

/* Rounding of a distance is far below this; the bounds hold with this much room. */
static const double room = 1e-12;

struct jsd_rank {
	double from;
	uint32_t node;
};

/* (1+t) ln(1+t) + (1-t) ln(1-t), |t| <= 1. */
static double g(double t)
{
	double s = t * t;

	if (s >= 1)
		return 2 * M_LN2;
	if (s > 0.04)
		return (1 + t) * log(1 + t) + (1 - t) * log(1 - t);
	/* |t| <= 0.2: what is left out is below 1e-16 of the sum */
	return s *
	       (1 +
		s * (1. / 6 +
		     s * (1. / 15 +
			  s * (1. / 28 +
			       s * (1. / 45 +
				    s * (1. / 66 + s * (1. / 91 + s * (1. / 120 +
								       s * (1. / 153 +
									    s * (1. / 190))))))))));
}

double jsd_root(const double *p, const double *q, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double a = p[i] + q[i];

		if (a > 0)
			sum += a * g((p[i] - q[i]) / a);
	}
	return sqrt(0.25 * sum);
}

int jsd_init(struct jsd *j, size_t cap, size_t labels)
{
	*j = (struct jsd){.labels = labels};
	j->centre = scratch_array(&j->room, labels, sizeof(double));
	j->from = scratch_array(&j->room, cap, sizeof(double));
	j->row = scratch_array(&j->room, cap, sizeof(double));
	j->rank = scratch_array(&j->room, cap, sizeof(*j->rank));
	if (!j->room.failed)
		return 0;
	jsd_release(j);
	return -ENOMEM;
}

void jsd_release(struct jsd *j)
{
	scratch_release(&j->room);
	*j = (struct jsd){0};
}

COMPARISON(by_distance, struct jsd_rank, ORDER(a->from, b->from) ?: ORDER(a->node, b->node))

/* Everybody's distance from the mean of all, and all in the order of it. */
static void rank_nodes(struct jsd *j, const double *p, size_t n)
{
	size_t labels = j->labels;

	memset(j->centre, 0, labels * sizeof(double));
	for (size_t i = 0; i < n; i++)
		for (size_t l = 0; l < labels; l++)
			j->centre[l] += p[i * labels + l] / (double)n;
	for (size_t i = 0; i < n; i++) {
		j->from[i] = jsd_root(p + i * labels, j->centre, labels);
		j->rank[i] = (struct jsd_rank){j->from[i], (uint32_t)i};
	}
	sort(j->rank, n, by_distance);
}

/* How many of the ranks are below x. */
static size_t below(const struct jsd_rank *rank, size_t n, double x)
{
	return search_first(i, n, rank[i].from < x);
}

/* How many of node i's distances are over t: only those are computed that the bounds leave open. */
static uint32_t count_over(const struct jsd *j, const double *p, size_t n, size_t i, double t)
{
	size_t labels = j->labels, over;
	double mine = j->from[i];
	/* ranks [far, near) may be on either side, or are near the centre on the other side; below
	 * `low` and from `high` on they are surely over t, below `sure` surely not */
	size_t low = below(j->rank, n, (mine - t) - room);
	size_t sure = below(j->rank, n, (t - mine) - room);
	size_t high = below(j->rank, n, (mine + t) + room);
	size_t from = sure > low ? sure : low;

	over = low + (n - high);
	for (size_t r = from; r < high; r++) {
		size_t peer = j->rank[r].node;

		if (peer != i)
			over += jsd_root(p + i * labels, p + peer * labels, labels) > t;
	}
	return (uint32_t)over;
}

void jsd_score(struct jsd *j, const double *p, size_t n, size_t k, double t, bool all, double *kth,
	       uint32_t *above)
{
	size_t labels = j->labels;

	rank_nodes(j, p, n);
	for (size_t i = 0; i < n; i++) {
		size_t m = 0;

		above[i] = count_over(j, p, n, i, t);
		kth[i] = NAN;
		if (!all && above[i] < k)
			continue;
		for (size_t peer = 0; peer < n; peer++)
			if (peer != i)
				j->row[m++] = jsd_root(p + i * labels, p + peer * labels, labels);
		kth[i] = stats_select(j->row, m, m - k);
	}
}
