// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is said beside a verdict: all servers slower than before, processors that other guests take, probes that were started
 * anew.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* ---- all servers slower ------------------------------------------------------------------------- */

/*
 * All servers slower than they themselves were: the peers' medians against their own history, load by
 * load. One fault can slow a whole system 1.2 to 10 times, so this is said beside a verdict, and is the
 * verdict only where nobody stands out.
 */

/* A load's history begins to count after so many intervals, two minutes; slow from this ratio on, in so many
 * in a row, a minute. Half as slow again is more than a workload's own drift within a load cell [D]. */
enum { HISTORY_MIN = 30, SLOW_INTERVALS = 15 };
#define SLOW_RATIO 1.5

/* What a set's peers had in common in the intervals before, load by load. */
enum { FLEET_CELLS = 64, FLEET_KEPT = 160 };
struct fleet {
	struct fleet_cell {
		uint32_t id;
		unsigned int n;
		float ln[FLEET_KEPT]; /* medians, the last ones, round and round */
	} cells[FLEET_CELLS];
	size_t n;
	unsigned int slow;    /* intervals in a row */
	struct notice slowed; /* since then, and at its worst */
};

static double fleet_median(const float *at, unsigned int n)
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

COMPARISON(by_cell, struct compared *const, ORDER((*a)->id, (*b)->id) ?: ORDER(*a, *b))

/* The cell most members were compared in, and what was common there. 1, 0: in none, or -ENOMEM. */
static int fleet_common(const struct peerset *set, const struct compared *c, uint32_t *id,
			double *ln)
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
	struct notice *m;
	uint32_t id;
	double ln, ratio;
	int err;

	if (!signals[set->signal].across || set->class == ANY_CLASS)
		return 0;
	if (!set->fleet && !(set->fleet = calloc(1, sizeof(*set->fleet))))
		return -ENOMEM;
	err = fleet_common(set, c, &id, &ln);
	if (err <= 0)
		return err;
	if (!(cell = cell_of(set->fleet, id)))
		return 0;
	ratio = cell->n >= HISTORY_MIN ? exp(ln - fleet_median(cell->ln, cell->n)) : 1;
	if (ratio < SLOW_RATIO || exp(ln) * (1 - 1 / ratio) < signals[set->signal].floor) {
		set->fleet->slow = 0;
		cell->ln[cell->n++ % FLEET_KEPT] = (float)ln;
		return 0;
	}
	/* what is slow is not learnt, or an hour of it would be usual */
	m = &set->fleet->slowed;
	if (!set->fleet->slow++)
		*m = (struct notice){.kind = NOTICE_FLEET,
				     .node = SIZE_MAX,
				     .from_ns = from_ns,
				     .replaces = true,
				     .signal = set->signal,
				     .ratio = 1};
	m->to_ns = to_ns;
	m->ratio = fmax(m->ratio, ratio);
	return set->fleet->slow < SLOW_INTERVALS ? 0 : track_notice(r->track, m);
}

/* ---- processors taken by other guests ----------------------------------------------------------- */

/*
 * Servers that are guests, from which other guests of their hosts take the processors: what they serve
 * comes late, and what they measure of disks is stretched as well. Through that a fault is hard to see,
 * so it is said beside a verdict.
 */

/* So long in a row: more than a burst [D]. */
#define STOLEN_S 80

int stolen_update(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct stolen *s = &r->stolen;
	struct notice *worst = &s->worst;
	size_t here = 0, servers = 0, node = 0;
	double most = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		double x = r->nodes[i].present ? window_number(r, SIG_STEAL, i) : NAN;

		here += !isnan(x);
		servers += x >= STOLEN_MIN;
		if (x > most) {
			most = x;
			node = i;
		}
	}
	/* where nobody says anything, nothing is known: it may go on after that */
	if (!here)
		return 0;
	if (!servers) {
		*s = (struct stolen){0};
		return 0;
	}
	if (!s->intervals++)
		*worst = (struct notice){
			.kind = NOTICE_STOLEN, .node = SIZE_MAX, .from_ns = from_ns};
	worst->to_ns = to_ns;
	if (servers > worst->servers)
		worst->servers = servers;
	if (here > worst->of)
		worst->of = here;
	if (most > worst->share) {
		worst->share = most;
		worst->most = node;
	}
	return s->intervals * r->p.interval_s < STOLEN_S ? 0 : track_notice(r->track, worst);
}

/* ---- probes started anew ------------------------------------------------------------------------ */

/*
 * Probes that were started anew: a run that no interval of the server had before. What was measured is
 * compared as ever; a gap that a restart leaves is silence, and indicts nobody.
 */

static bool is_known(const struct runs *s, int64_t boot)
{
	return any_of(i, s->n < RUNS_KEPT ? s->n : RUNS_KEPT, s->boot[i] == boot);
}

/*
 * A run is known by the time at which it began. That is also when the probe was started, if it lies
 * between what it wrote before and the end of this interval; else a clock was set, and it was in this interval.
 */
static int64_t began(const struct robust *r, const struct runs *s, const struct interval *h,
		     int64_t boot)
{
	return boot > s->from_ns && boot < h->from_ns + interval_ns(r) ? boot : h->from_ns;
}

int restarts_note(struct robust *r, size_t node, const struct interval *h)
{
	struct runs *s = &r->nodes[node].runs;
	struct notice m = {.kind = NOTICE_RESTART, .node = node};
	int err = 0;

	for (unsigned int i = 0; i < h->boots && i < INTERVAL_BOOTS && !err; i++) {
		if (is_known(s, h->boot[i]))
			continue;
		s->boot[s->n++ % RUNS_KEPT] = h->boot[i];
		m.from_ns = m.to_ns = began(r, s, h, h->boot[i]);
		/* of several starts it is one notice, until the last */
		if (s->n > 1)
			err = track_notice(r->track, &m);
	}
	s->from_ns = h->from_ns;
	return err;
}
