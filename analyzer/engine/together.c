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
#include <stdlib.h>
#include <string.h>

#define ONE(signal) (1ULL << (signal))
static const uint64_t OF = ONE(SIG_READ) | ONE(SIG_WRITE) | ONE(SIG_READ_DEVICE) |
			   ONE(SIG_WRITE_DEVICE) | ONE(SIG_READ_AWAIT) | ONE(SIG_WRITE_AWAIT) |
			   ONE(SIG_QUEUE);

static const double MOST = 8;	 /* standard deviations: more counts as so many */
static const double GATE = 1.25; /* what is up by so much is told with it */

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

/* What the signals of one disk show in an interval, added up. */
struct sum {
	double z;
	unsigned int n;
	bool latency; /* one of them has been compared in most of its intervals: a queue alone says nothing */
};

/* Adds what a panel showed in its newest interval. By how much that rises where a disk is slower by 1; NaN: nothing. */
static double part_add(struct sum *sums, const struct peerset *part)
{
	const struct panel *p = &part->panel;
	double weight = NAN;

	for (size_t m = 0; m < p->n; m++) {
		double z = over_time_z(p->track.evidence, m, MOST, &weight);

		sums[m].latency |=
			part->signal != SIG_QUEUE && p->track.at[m].judged && !panel_is_alone(p, m);
		if (isnan(z))
			continue;
		sums[m].z += z;
		sums[m].n++;
	}
	return weight;
}

int together_values(struct robust *r, const struct peerset *set)
{
	struct panel_values *v = &r->values;
	struct sum *sums = calloc(set->panel.n + 1, sizeof(*sums));
	unsigned int parts = 0, n = 0;
	double weights = 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_sets; i++) {
		double weight = is_part(&r->sets[i], set) ? part_add(sums, &r->sets[i]) : NAN;

		weights += isnan(weight) ? 0 : weight;
		parts += !isnan(weight);
	}
	for (size_t m = 0; m < set->panel.n; m++)
		n += sums[m].n && sums[m].latency;
	v->weight = parts ? weights / parts : 1;
	for (size_t m = 0; m < set->panel.n; m++) {
		v->shown[m].alone = sums[m].n && !sums[m].latency;
		if (!sums[m].n || !sums[m].latency)
			continue;
		v->in[m].r = sums[m].z / sums[m].n;
		v->shown[m] = (struct track_values){
			.value = exp(v->in[m].r / v->weight), .peers = 1, .n_peers = n - 1};
	}
	free(sums);
	return 0;
}

void together_parts(const struct robust *r, const struct panel *panel, size_t m, struct finding *e)
{
	const struct peerset *together = r->sets;
	size_t n = 0;

	while (&together->panel != panel)
		together++;
	memset(e->parts, 0, sizeof(e->parts));
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;
		struct track_values means;
		struct finding_part part;
		size_t at = n;

		if (!is_part(&r->sets[i], together) || !p->track.at[m].since_ns)
			continue;
		means = track_means(&p->track, m);
		part = (struct finding_part){p->o.signal, (means.value + p->track.o.added) /
								  (means.peers + p->track.o.added)};
		if (!(part.ratio >= GATE))
			continue;
		for (; at && e->parts[at - 1].ratio < part.ratio; at--)
			e->parts[at] = e->parts[at - 1];
		e->parts[at] = part;
		n++;
	}
}
