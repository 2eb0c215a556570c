// SPDX-License-Identifier: BSD-2-Clause
/* What a history asks of the engine while it holds a window: who is whose peer, and distributions. */
#include "history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/inside.h"
#include "userspace/common/sort.h"

double history_shown(enum signal s, double value)
{
	return signal_shown(&signals[s], value);
}

double history_interval_s(const struct robust *r)
{
	return r ? r->p.interval_s : 10;
}

void history_attach(struct history *h, struct robust *r)
{
	r->p.explain = false;
	h->engine = r;
	robust_observe(r, history_observe, h);
}

static size_t node_of(const struct robust *r, const struct peerset *set, size_t m)
{
	return signals[set->signal].level == LEVEL_DISK ? r->disks[set->members[m]].node
							: set->members[m];
}

static const char *disk_of(const struct robust *r, const struct peerset *set, size_t m)
{
	return signals[set->signal].level == LEVEL_DISK ? r->disks[set->members[m]].name : "";
}

size_t history_set(const struct robust *r, size_t node, const char *disk, size_t s)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && set->signal == s && set->class != ANY_CLASS; m++)
			if (node_of(r, set, m) == node && !strcmp(disk_of(r, set, m), disk))
				return i;
	}
	return SIZE_MAX;
}

void history_sets(struct history *h, const struct robust *r)
{
	for (size_t i = 0; i < h->n_rows; i++)
		h->rows[i].set = SIZE_MAX;
	for (size_t i = 0; i < r->n_sets; i++)
		for (size_t m = 0; m < r->sets[i].n && r->sets[i].class != ANY_CLASS; m++) {
			const struct peerset *set = &r->sets[i];
			const struct history_row *row = history_find(
				h, node_of(r, set, m), disk_of(r, set, m), set->signal);

			if (row)
				h->rows[row - h->rows].set = i;
		}
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The band of n distribution functions, cdf[i * LAT_BUCKETS + bucket]. */
static int band(struct history_dist *d, const float *cdf, size_t n)
{
	float *one = malloc((n + 1) * sizeof(*one));
	size_t cut = n > HISTORY_ALL ? n / 10 : 0;

	if (!one)
		return -ENOMEM;
	for (size_t b = 0; b < LAT_BUCKETS; b++) {
		for (size_t i = 0; i < n; i++)
			one[i] = cdf[i * LAT_BUCKETS + b];
		sort(one, n, by_value);
		d->low[b] = n ? one[cut] : 0;
		d->high[b] = n ? one[n - 1 - cut] : 0;
	}
	free(one);
	return 0;
}

int history_take(const struct robust *r, struct history_dist *d)
{
	const size_t s = history_set(r, d->node, d->disk, d->signal);
	const struct peerset *set = s < r->n_sets ? &r->sets[s] : NULL;
	int op = d->signal == SIG_READ || d->signal == SIG_READ_DEVICE ? OP_READ : OP_WRITE, err;
	enum lat_part part =
		d->signal == SIG_READ || d->signal == SIG_WRITE ? PART_WHOLE : PART_DEVICE;
	float *cdf = malloc(((set ? set->n : 0) + 1) * LAT_BUCKETS * sizeof(*cdf));
	uint64_t at[LAT_BUCKETS];

	if (!cdf)
		return -ENOMEM;
	memset(d->own, 0, sizeof(d->own));
	memset(d->peers, 0, sizeof(d->peers));
	d->n_peers = 0;
	for (size_t m = 0; set && m < set->n; m++) {
		uint64_t n = window_histogram(r, set->members[m], op, part, at);
		double sum = 0;

		if (node_of(r, set, m) == d->node && !strcmp(disk_of(r, set, m), d->disk)) {
			memcpy(d->own, at, sizeof(at));
			continue;
		}
		for (size_t b = 0; b < LAT_BUCKETS && n; b++) {
			d->peers[b] += at[b];
			sum += (double)at[b];
			cdf[d->n_peers * LAT_BUCKETS + b] = (float)(sum / (double)n);
		}
		d->n_peers += n > 0;
	}
	err = band(d, cdf, d->n_peers);
	free(cdf);
	return err;
}
