// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals of one disk that agree. In each interval each latency and the queue of a disk is held against how far the disks
 * are apart in it and were so far; the mean of these is one more residual, judged like any. Their correlation is in the
 * yardstick, for the peers' means have it too. An interval in which the peers themselves are far apart (bursts of writes)
 * counts for less.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>

#define ONE(signal) (1ULL << (signal))
static const uint64_t OF = ONE(SIG_READ) | ONE(SIG_WRITE) | ONE(SIG_READ_DEVICE) |
			   ONE(SIG_WRITE_DEVICE) | ONE(SIG_READ_AWAIT) | ONE(SIG_WRITE_AWAIT) |
			   ONE(SIG_QUEUE);

static const double MOST = 12;	 /* standard deviations: more counts as so many */
static const double GATE = 1.25; /* what is worse by so much is told with it */

void together_params(struct evidence_params *p)
{
	p->k_min = EVIDENCE_SHORTEST;
	p->k_named = EVIDENCE_SHORTEST + 1; /* a burst is as long as the shortest */
	p->trim = 1;			    /* each is bounded, and their mean more so */
	p->floor = 0.1;
	p->clip = MOST;
	p->baseline_most = MOST;
	p->fresh = true;
}

/* Whether a panel is of one of the signals of which `together` is made: its members are the same, in the same order. */
static bool is_part(const struct peerset *set, const struct peerset *together)
{
	return OF & ONE(set->signal) && set->group == together->group &&
	       set->class == together->class;
}

/* Adds what a panel showed in its newest interval. By how much that rises where a disk is slower by 1; NaN: nothing. */
static double values_add(struct panel_values *v, const struct panel *part)
{
	double weight = NAN;

	for (size_t m = 0; m < part->n; m++) {
		double one, z = over_time_standard(part->track.evidence, m, MOST, &one);

		if (isnan(z))
			continue;
		v->in[m].r = (v->shown[m].n_peers++ ? v->in[m].r : 0) + z;
		weight = one;
	}
	return weight;
}

void together_values(struct robust *r, const struct peerset *set)
{
	struct panel_values *v = &r->values;
	unsigned int parts = 0, n = 0;
	double weights = 0;

	for (size_t i = 0; i < r->n_sets; i++) {
		double weight = is_part(&r->sets[i], set) ? values_add(v, &r->sets[i].panel) : NAN;

		if (isnan(weight))
			continue;
		weights += weight;
		parts++;
	}
	for (size_t m = 0; m < set->panel.n; m++)
		n += v->shown[m].n_peers > 0;
	for (size_t m = 0; m < set->panel.n && parts; m++) {
		if (!v->shown[m].n_peers)
			continue;
		v->in[m].r /= v->shown[m].n_peers;
		v->weight = weights / parts;
		v->shown[m] = (struct track_values){
			.value = exp(v->in[m].r / v->weight), .peers = 1, .n_peers = n - 1};
	}
}

/* What one signal shows of a disk that is worse by all together; by itself it indicts nobody. */
static int support(struct robust *r, const struct panel *together, size_t m,
		   const struct peerset *set)
{
	const struct panel *p = &set->panel;
	const struct track_entity *st = &p->track.at[m];
	struct finding all = panel_finding(together, m), e;
	struct track_values means = track_means(&p->track, m);
	const struct finding_about about = {.signal = set->signal,
					    .node = p->members[m].node,
					    .disk = p->members[m].disk,
					    .symptom = true,
					    .value = signal_shown(p->o.row, means.value),
					    .peers = signal_shown(p->o.row, means.peers),
					    .flagged = st->bad.worse,
					    .judged = st->bad.n,
					    .onset_ns = all.onset_ns,
					    .decided_ns = all.decided_ns,
					    .last_ns = all.last_ns,
					    .open = all.open};
	bool stronger;

	if (track_in_trouble(st) || !st->since_ns || !(means.value >= GATE * means.peers))
		return 0;
	e = finding_make(&about, &st->last);
	e.ratio = e.value / e.peers;
	return track_add(r->track, &e, &stronger) ? 0 : -ENOMEM;
}

int together_support(struct robust *r, const struct peerset *set)
{
	const struct panel *p = &set->panel;
	int err = 0;

	if (set->signal != SIG_DISK_TOGETHER)
		return 0;
	for (size_t i = 0; i < r->n_sets; i++)
		for (size_t m = 0; m < p->n && !err && is_part(&r->sets[i], set); m++)
			if (panel_in_trouble(p, m) && track_gathers(r->track, p->members[m].node))
				err = support(r, p, m, &r->sets[i]);
	return err;
}
