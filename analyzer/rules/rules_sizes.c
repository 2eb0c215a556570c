// SPDX-License-Identifier: BSD-2-Clause
/* How much slower a disk is at small and at large requests, for the guess at why it is slow; and under the
 * same load, for what has more to do than its peers. */
#include "rules_parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"

/* Fewer events have no median worth comparing, as everywhere in the method. */
#define EVENTS_MIN 30

enum { ALL_LOADS = INT_MAX };

/* Adds up one operation and size class of a server's disk ("": of all) in its intervals, of a load cell or
 * of all loads. */
static uint64_t add_up(const struct interval *const *intervals, size_t n, const char *disk, int op,
		       int size, enum lat_part part, int cell, uint64_t at[LAT_BUCKETS])
{
	uint64_t events = 0;

	memset(at, 0, LAT_BUCKETS * sizeof(*at));
	for (size_t h = 0; h < n; h++)
		for (size_t d = 0; intervals[h] && d < intervals[h]->n_disks; d++) {
			const struct interval_disk *x = &intervals[h]->disks[d];

			if (*disk && strcmp(x->name, disk) != 0)
				continue;
			for (size_t k = 0; k < x->n_lat; k++) {
				const struct interval_lat *l = &x->lat[k];

				if (l->op != op || l->size != size || l->part != part ||
				    (cell != ALL_LOADS && l->cell != cell))
					continue;
				for (size_t b = 0; b < l->n && l->first + b < LAT_BUCKETS; b++) {
					at[l->first + b] += l->at[b];
					events += l->at[b];
				}
			}
		}
	return events;
}

static double median_of(const struct interval *const *intervals, size_t n, const char *disk, int op,
			int size)
{
	uint64_t at[LAT_BUCKETS];

	/* the device's part where it is measured */
	if (add_up(intervals, n, disk, op, size, PART_DEVICE, ALL_LOADS, at) < EVENTS_MIN &&
	    add_up(intervals, n, disk, op, size, PART_WHOLE, ALL_LOADS, at) < EVENTS_MIN)
		return NAN;
	return hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5);
}

int rules_sizes(const struct scene *s, size_t me, const char *disk,
		const struct interval *const *at, size_t n_intervals,
		double ratio[LAT_OPS][LAT_SIZES])
{
	double *peers = calloc(s->n_nodes + 1, sizeof(*peers));

	if (!peers)
		return -ENOMEM;
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++) {
			double own = median_of(at + me * n_intervals, n_intervals, disk, op, size),
			       x;
			size_t n = 0;

			ratio[op][size] = 0;
			for (size_t i = 0; i < s->n_nodes && isfinite(own); i++) {
				if (i == me || s->nodes[i].group != s->nodes[me].group)
					continue;
				x = median_of(at + i * n_intervals, n_intervals, "", op, size);
				if (x > 0)
					peers[n++] = x;
			}
			if (n < 2)
				continue;
			stats_sort(peers, n);
			ratio[op][size] = own / stats_sorted_median(peers, n);
		}
	free(peers);
	return 0;
}

/* ---- under the same load ---------------------------------------------------------------------------- */

static uint64_t at_load(const struct interval *const *intervals, size_t n, const char *disk, int op,
			int size, int cell, double *median)
{
	uint64_t at[LAT_BUCKETS],
		events = add_up(intervals, n, disk, op, size, PART_WHOLE, cell, at);

	*median = hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5);
	return events;
}

static bool has_cell(const struct interval *const *intervals, size_t n, int op, int size, int cell)
{
	for (size_t h = 0; h < n; h++)
		for (size_t d = 0; intervals[h] && d < intervals[h]->n_disks; d++)
			for (size_t k = 0; k < intervals[h]->disks[d].n_lat; k++) {
				const struct interval_lat *l = &intervals[h]->disks[d].lat[k];

				if (l->op == op && l->size == size && l->cell == cell)
					return true;
			}
	return false;
}

/* Of one size and load; NAN where too few peers had it. x: room for a value of each server. */
static double ratio_at_load(const struct scene *s, size_t me, const char *disk,
			    const struct interval *const *at, size_t n_intervals, int op, int size,
			    int cell, double *x, uint64_t *events)
{
	double own, peer;
	size_t n = 0;

	*events = 0;
	if (!has_cell(at + me * n_intervals, n_intervals, op, size, cell))
		return NAN;
	*events = at_load(at + me * n_intervals, n_intervals, disk, op, size, cell, &own);
	for (size_t i = 0; i < s->n_nodes && *events >= EVENTS_MIN; i++)
		if (i != me && s->nodes[i].group == s->nodes[me].group &&
		    at_load(at + i * n_intervals, n_intervals, "", op, size, cell, &peer) >=
			    EVENTS_MIN)
			x[n++] = peer;
	if (n < 2)
		return NAN;
	stats_sort(x, n);
	return own / stats_sorted_median(x, n);
}

int rules_equal_load(const struct scene *s, size_t me, const char *disk,
		     const struct interval *const *at, size_t n_intervals, double ratio[LAT_OPS])
{
	double *x = calloc(s->n_nodes + 1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	for (int op = 0; op < LAT_OPS; op++) {
		double sum = 0, weight = 0;

		for (int size = 0; size < LAT_SIZES; size++)
			for (int cell = CELL_MIN; cell <= CELL_MAX; cell++) {
				uint64_t events;
				double r = ratio_at_load(s, me, disk, at, n_intervals, op, size,
							 cell, x, &events);

				if (!(r > 0) || !isfinite(r))
					continue;
				sum += (double)events * log(r);
				weight += (double)events;
			}
		ratio[op] = weight > 0 ? exp(sum / weight) : 0;
	}
	free(x);
	return 0;
}
