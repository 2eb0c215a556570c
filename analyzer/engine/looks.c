// SPDX-License-Identifier: BSD-2-Clause
/* One window of one set of peers: compared, followed, and how each stands now. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static double floor_of(const struct robust *r, const struct peerset *set, size_t member)
{
	const struct signal_row *row = &signals[set->signal];

	if (row->level == LEVEL_DISK && r->disks[member].flash && row->floor_flash > 0)
		return row->floor_flash;
	if (row->events > 0)
		return fmax(row->floor,
			    row->events * value_event(set->signal, &r->nodes[member].sum));
	return row->floor;
}

/* What each member showed against the others. */
static int compare_set(const struct robust *r, const struct peerset *set, enum span span,
		       struct compared *out)
{
	const struct compare_opts o = {
		.events = span == OF_WINDOW ? r->p.events : r->p.events / r->p.window_intervals,
		.peers = r->p.peers};
	bool latency = signals[set->signal].kind == KIND_LATENCY;
	struct cells *e = calloc(set->n + 1, sizeof(*e));
	double *x = calloc(set->n + 1, sizeof(*x));
	int err = -ENOMEM;

	for (size_t m = 0; m < set->n && e && x; m++) {
		size_t member = set->members[m];
		bool here = r->nodes[member_node(r, set->signal, member)].present[span];

		x[m] = NAN;
		if (here && latency)
			e[m] = window_cells(r, set->signal, member, span);
		else if (here)
			x[m] = window_number(r, set->signal, member, span);
	}
	if (e && x)
		err = latency ? compare_cells(e, set->n, &o, out)
			      : compare_numbers(x, set->n, signals[set->signal].c, out);
	free(e);
	free(x);
	return err;
}

/* Whether it is worse by more than is worth a word. */
static bool exceeds(const struct robust *r, const struct peerset *set, size_t m,
		    const struct compared *c)
{
	const struct signal_row *row = &signals[set->signal];

	/* the peers must do something, for their being idle is no standard */
	if (row->peers_min > 0)
		return signal_shown(row, c->peers) > row->peers_min;
	return c->value - c->peers > floor_of(r, set, set->members[m]);
}

/* Distributions of latencies; not their means, which a few requests move. */
static bool of_distributions(const struct peerset *set)
{
	return signals[set->signal].kind == KIND_LATENCY && !signals[set->signal].mean;
}

/*
 * A burst stays in every window it is part of. So a window is flagged only if its newest interval is worse,
 * too, by half as much as a window must be and half as much as this one is: what is over does not collect
 * votes [D].
 *
 * And a slow disk answers little: in the first windows of its trouble most requests are of before. In the
 * newest interval alone they are not, so the tracker is told of that, too. What is not a median of requests
 * follows at once [D].
 */
static int newest(const struct robust *r, const struct peerset *set, struct compared *c)
{
	double ratio = signals[set->signal].ratio > 0 ? signals[set->signal].ratio
						      : r->p.track.ratio,
	       half = log(1 + (ratio - 1) / 2);
	bool always = of_distributions(set), any = always;
	struct compared *one;
	int err;

	for (size_t m = 0; m < set->n; m++)
		any |= c[m].d >= half;
	if (!any || r->p.window_intervals == 1)
		return 0;
	one = calloc(set->n + 1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	err = compare_set(r, set, OF_NEWEST, one);
	for (size_t m = 0; m < set->n && !err; m++)
		c[m].over = one[m].d < fmax(half, c[m].d / 2); /* NaN: too little to tell */
	if (!err && always)
		err = roles_apply(r, set, one);
	for (size_t m = 0; m < set->n && !err && always; m++)
		c[m].newest = exceeds(r, set, m, &one[m]) ? one[m].d : 0;
	free(one);
	return err;
}

static int explain(struct robust *r, const struct robust_look *l)
{
	struct explained_look *e;

	if (r->observe)
		r->observe(r->observe_arg, l);
	if (!r->p.explain)
		return 0;
	if (grow(&r->looks, r->n_looks, &r->cap_looks, sizeof(*r->looks)))
		return -ENOMEM;
	e = &r->looks[r->n_looks++];
	*e = (struct explained_look){.from_ns = l->from_ns,
				     .to_ns = l->to_ns,
				     .node = l->node,
				     .signal = l->signal,
				     .value = signal_shown(&signals[l->signal], l->look->value),
				     .peers = signal_shown(&signals[l->signal], l->look->peers),
				     .d = l->look->d,
				     .offset = l->look->offset,
				     .sigma = l->look->sigma,
				     .z = l->look->z,
				     .ratio = l->look->ratio,
				     .flagged = l->look->flagged,
				     .odd = l->look->odd,
				     .chronic = l->look->chronic};
	snprintf(e->disk, sizeof(e->disk), "%s", l->disk);
	return 0;
}

/* The finding's numbers, at their worst since the onset. */
static void note_worst(struct robust *r, const struct peerset *set, size_t m, const struct look *k,
		       const struct compared *c)
{
	struct standing *st = &set->standing[m];
	size_t member = set->members[m];

	bool slow = k->chronic && st->slow && !k->flagged;
	double z = slow ? k->slow_z : k->z;

	if (st->worst.judged && !(z > st->worst.z))
		return;
	st->worst = (struct finding){
		.signal = set->signal,
		.node = member_node(r, set->signal, member),
		.value = signal_shown(&signals[set->signal], k->value),
		.peers = signal_shown(&signals[set->signal], k->peers),
		.ratio = slow ? k->slow_ratio : k->ratio,
		.usual = slow ? 1 : exp(k->offset),
		.z = z,
		.spread = exp(slow ? k->slow_sigma : k->sigma),
		.w1 = NAN,
		.p99 = NAN,
		.p99_peers = NAN,
		.judged = 1,
		.n_peers = c->n_peers,
	};
	snprintf(st->worst.disk, sizeof(st->worst.disk), "%s", member_disk(r, set->signal, member));
}

/* From looks to standings: since when, how often. */
static void stand(struct robust *r, const struct peerset *set, size_t m, const struct look *k,
		  const struct compared *c, int64_t from_ns, int64_t to_ns)
{
	struct standing *st = &set->standing[m];
	unsigned int of = r->p.track.of;
	bool before = st->last.judged && !st->unjudged;

	/* too little to judge: what was said last is held as long as its votes count */
	if (!k->judged) {
		st->last.judged = st->last.flagged = false;
		st->unjudged++;
		if (st->unjudged > 3 * of)
			st->last.odd = st->last.chronic = st->running = false;
		return;
	}
	st->last = *k;
	st->unjudged = 0;
	/* what is odd without a flag was so before a silence: it begins anew with its next flag */
	if (!st->running && (k->flagged || (k->chronic && !k->odd))) {
		/* the window before was not flagged: what is new is in the newest interval */
		*st = (struct standing){.last = *k,
					.running = true,
					.slow = k->chronic && !k->odd,
					.onset_ns = before ? to_ns - interval_ns(r) : from_ns};
	}
	if (!st->running)
		return;
	if (!st->decided_ns)
		st->slow = k->chronic && !k->odd;
	st->judged++;
	st->flagged += k->flagged;
	st->quiet = k->flagged ? 0 : st->quiet + 1;
	if (k->flagged || (k->chronic && st->slow)) {
		note_worst(r, set, m, k, c);
		st->last_ns = to_ns;
	}
	if (standing_odd(st) && !st->decided_ns)
		st->decided_ns = to_ns;
	if (st->quiet >= of && !standing_odd(st))
		st->running = false;
}

int look_at(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	struct compared *c = calloc(set->n + 1, sizeof(*c));
	struct look *looks = calloc(set->n + 1, sizeof(*looks));
	bool *excess = calloc(set->n + 1, sizeof(*excess));
	int err = -ENOMEM;

	robust_enter(r, STAGE_COMPARE);
	if (c && looks && excess)
		err = compare_set(r, set, OF_WINDOW, c);
	if (!err)
		err = newest(r, set, c);
	if (!err)
		err = fleet_update(r, set, c, from_ns, to_ns);
	if (!err)
		err = roles_apply(r, set, c);
	for (size_t m = 0; m < set->n && !err; m++)
		excess[m] = exceeds(r, set, m, &c[m]);
	robust_enter(r, STAGE_TRACK);
	if (!err)
		err = track_push(set->track, c, excess, looks);
	for (size_t m = 0; m < set->n && !err; m++) {
		size_t member = set->members[m], node = member_node(r, set->signal, member);
		struct robust_look l = {from_ns,     to_ns,
					node,	     member_disk(r, set->signal, member),
					set->signal, &looks[m]};

		stand(r, set, m, &looks[m], &c[m], from_ns, to_ns);
		if (!looks[m].judged || set->class == ANY_CLASS)
			continue;
		set->judged = true;
		r->nodes[node].judged = true;
		err = explain(r, &l);
	}
	free(c);
	free(looks);
	free(excess);
	return err;
}
