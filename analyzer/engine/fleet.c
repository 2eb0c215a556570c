// SPDX-License-Identifier: BSD-2-Clause
/*
 * All servers slower than they themselves were: the peers' medians against their own history, load by
 * load. One fault can slow a whole system 1.2 to 10 times, so this is said beside a verdict, and is the
 * verdict only where nobody stands out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "userspace/common/sort.h"

/* A load's history begins to count after so many intervals, two minutes; slow from this ratio on, in so many
 * in a row, a minute. Half as slow again is more than a workload's own drift within a load cell [D]. */
enum { HISTORY_MIN = 30, SLOW_INTERVALS = 15 };
#define SLOW_RATIO 1.5

static double median(const float *at, unsigned int n)
{
	float v[FLEET_KEPT];

	n = n < FLEET_KEPT ? n : FLEET_KEPT;
	memcpy(v, at, n * sizeof(*v));
	sort(v, n, by_float);
	return (double)v[n / 2];
}

static struct fleet_cell *cell_of(struct fleet *f, uint32_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->cells[i].id == id)
			return &f->cells[i];
	if (f->n == FLEET_CELLS)
		return NULL;
	f->cells[f->n].id = id;
	return &f->cells[f->n++];
}

static int by_cell(const void *a, const void *b)
{
	const struct compared *x = *(const struct compared *const *)a,
			      *y = *(const struct compared *const *)b;

	return ORDER(x->id, y->id) ?: ORDER(x, y);
}

/* The cell most members were compared in, and what was common there. 1, 0: in none, or -ENOMEM. */
static int common(const struct peerset *set, const struct compared *c, uint32_t *id, double *ln)
{
	const struct compared **at = calloc(set->panel.n + 1, sizeof(*at));
	size_t n = 0, most = 0;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < set->panel.n; i++)
		if (c[i].in == IN_SHARED && !isnan(c[i].peers))
			at[n++] = &c[i];
	sort(at, n, by_cell);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && at[end]->id == at[i]->id;)
			end++;
		if (end - i <= most)
			continue;
		most = end - i;
		*id = at[i]->id;
		*ln = log(at[i]->peers);
	}
	free(at);
	return most >= 2;
}

int fleet_update(struct robust *r, struct peerset *set, const struct compared *c, int64_t from_ns,
		 int64_t to_ns)
{
	struct fleet_cell *cell;
	struct notice m = {.kind = NOTICE_FLEET,
			   .node = SIZE_MAX,
			   .to_ns = to_ns,
			   .replaces = true,
			   .signal = set->signal};
	uint32_t id;
	double ln, ratio;
	int err;

	if (!signals[set->signal].across || set->class == ANY_CLASS)
		return 0;
	if (!set->fleet && !(set->fleet = calloc(1, sizeof(*set->fleet))))
		return -ENOMEM;
	err = common(set, c, &id, &ln);
	if (err <= 0)
		return err;
	if (!(cell = cell_of(set->fleet, id)))
		return 0;
	ratio = cell->n >= HISTORY_MIN ? exp(ln - median(cell->ln, cell->n)) : 1;
	if (ratio < SLOW_RATIO || exp(ln) * (1 - 1 / ratio) < signals[set->signal].floor) {
		set->fleet->slow = 0;
		cell->ln[cell->n++ % FLEET_KEPT] = (float)ln;
		return 0;
	}
	/* what is slow is not learnt, or an hour of it would be usual */
	if (!set->fleet->slow++) {
		set->fleet->onset_ns = from_ns;
		set->fleet->ratio = 1;
	}
	set->fleet->ratio = fmax(set->fleet->ratio, ratio);
	if (set->fleet->slow < SLOW_INTERVALS)
		return 0;
	m.from_ns = set->fleet->onset_ns;
	m.ratio = set->fleet->ratio;
	return track_notice(r->track, &m);
}
