// SPDX-License-Identifier: BSD-2-Clause
/* The newest interval of one set of peers: compared at equal load, and followed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "analyzer/rules/meanwhile.h"
#include "analyzer/stat/stats.h"

#define EVENTS_S 30 /* signal_row.events are of so long a time */

static double floor_of(const struct robust *r, const struct peerset *set, size_t member)
{
	const struct signal_row *row = &signals[set->signal];

	if (row->level == LEVEL_DISK && r->disks[member].flash && row->floor_flash > 0)
		return row->floor_flash;
	if (row->events > 0 && row->level == LEVEL_NODE)
		return fmax(row->floor, row->events * r->p.interval_s / EVENTS_S *
						window_event(r, set->signal, member));
	return row->floor;
}

/* What each member showed against the others. */
static int compare_set(const struct robust *r, const struct peerset *set, struct compared *out)
{
	const struct compare_opts o = {.events = r->p.events, .peers = r->p.peers};
	bool latency = signals[set->signal].kind == KIND_LATENCY;
	struct cells *e = calloc(set->n + 1, sizeof(*e));
	double *x = calloc(set->n + 1, sizeof(*x));
	int err = -ENOMEM;

	for (size_t m = 0; m < set->n && e && x; m++) {
		size_t member = set->members[m];
		bool here = r->nodes[member_node(r, set->signal, member)].present;

		x[m] = NAN;
		if (here && latency)
			e[m] = window_cells(r, set->signal, member);
		else if (here)
			x[m] = window_number(r, set->signal, member);
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

/* Cells of loads at most an octave apart: what is not known of the effect of that, ln. As much as the slope of
 * latency over load is unknown (a half, of slopes between 0 and 1) by the middle of an octave. */
#define NEAREST_DOUBT 0.17

/*
 * Of three, each is held against the middle between two others, and one that is slow moves that for both: the slow
 * one is up by its difference and the others are down by half of it, which is half as much again as they differ.
 */
#define AMONG_THREE (2.0 / 3)

/*
 * From what was compared to residuals. An excess that is not over the floor counts as less than what
 * indicts, so that it is in the yardstick and never in a verdict [D]. A mean of few requests is less sure
 * than its peers' by what few requests are.
 */
static int residuals(const struct robust *r, const struct peerset *set, const struct compared *c,
		     struct residual *in, struct track_values *shown)
{
	double *weight = calloc(set->n + 1, sizeof(*weight)), variance = 0, all = 0, usual;
	size_t n = 0;

	if (!weight)
		return -ENOMEM;
	for (size_t m = 0; m < set->n; m++) {
		if (!isfinite(c[m].d))
			continue;
		weight[n++] = c[m].weight;
		variance += c[m].weight * c[m].variance;
		all += c[m].weight;
	}
	usual = n ? stats_quantile(weight, n, 0.5) : NAN;
	free(weight);
	for (size_t m = 0; m < set->n; m++) {
		double more = variance / all * (1 / c[m].weight - 1 / usual);

		shown[m] = (struct track_values){c[m].value, c[m].peers, c[m].n_peers, c[m].alone};
		in[m] = (struct residual){.r = n == 3 ? AMONG_THREE * c[m].d : c[m].d};
		if (!isfinite(c[m].d))
			continue;
		in[m].extra = more > 0 ? more : 0;
		in[m].doubt = c[m].in == IN_NEAREST ? NEAREST_DOUBT : 0;
		if (!exceeds(r, set, m, &c[m]))
			in[m].r = fmin(in[m].r, set->track.o.gate / 2);
	}
	return 0;
}

static int explain(struct robust *r, const struct robust_look *l)
{
	struct explained_look *e;

	if (r->observe)
		r->observe(r->observe_arg, l);
	if (r->history)
		meanwhile_add(
			r->history, l->node, l->signal,
			&(struct track_point){l->from_ns, l->look->d,
					      signal_shown(&signals[l->signal], l->look->value),
					      signal_shown(&signals[l->signal], l->look->peers)});
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
				     .sigma = log(l->look->spread),
				     .z = l->look->z,
				     .ratio = l->look->ratio,
				     .flagged = l->look->worse,
				     .odd = l->look->level == EVIDENCE_INDICTED};
	snprintf(e->disk, sizeof(e->disk), "%s", l->disk);
	return 0;
}

static int tell_looks(struct robust *r, struct peerset *set, const struct compared *c,
		      int64_t from_ns, int64_t to_ns)
{
	double spread = over_time_spread(set->track.evidence);
	int err = 0;

	for (size_t m = 0; m < set->n && !err; m++) {
		const struct track_entity *st = &set->track.at[m];
		size_t member = set->members[m], node = member_node(r, set->signal, member);
		struct look look = {.d = c[m].d,
				    .value = c[m].value,
				    .peers = c[m].peers,
				    .z = c[m].d / spread,
				    .ratio = exp(c[m].d),
				    .spread = exp(spread),
				    .score = st->tested ? st->last.t : NAN,
				    .needs = st->tested ? st->last.needs : NAN,
				    .worse = st->r > set->track.o.gate / 2,
				    .level = track_level(st)};
		struct robust_look l = {from_ns,     to_ns,
					node,	     member_disk(r, set->signal, member),
					set->signal, &look};

		if (set->class == ANY_CLASS)
			continue;
		set->judged |= st->tested;
		r->nodes[node].judged |= st->tested;
		if (isfinite(c[m].d))
			err = explain(r, &l);
	}
	return err;
}

/*
 * Across models only what models differ by is compared: what a disk is slower than its own model is its own trouble,
 * and in the spread of the slow model it would hide that. (Of a set that is looked at later: as of the interval before.)
 */
static int take_own_trouble_off(const struct robust *r, const struct peerset *set,
				struct compared *c)
{
	double *own = calloc(r->n_disks + 1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	for (size_t k = 0; k < r->n_sets; k++) {
		const struct peerset *model = &r->sets[k];

		if (model->signal != set->signal || model->group != set->group ||
		    model->class == ANY_CLASS)
			continue;
		for (size_t m = 0; m < model->track.n; m++)
			if (!model->track.at[m].unjudged && model->track.at[m].r > 0)
				own[model->members[m]] = model->track.at[m].r;
	}
	for (size_t m = 0; m < set->n; m++)
		c[m].d -= own[set->members[m]];
	free(own);
	return 0;
}

int look_at(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	struct compared *c = calloc(set->n + 1, sizeof(*c));
	struct residual *in = calloc(set->n + 1, sizeof(*in));
	struct track_values *shown = calloc(set->n + 1, sizeof(*shown));
	int err = -ENOMEM;

	robust_enter(r, STAGE_COMPARE);
	if (c && in && shown)
		err = compare_set(r, set, c);
	if (!err)
		err = fleet_update(r, set, c, from_ns, to_ns);
	if (!err)
		err = roles_apply(r, set, c);
	if (!err && set->class == ANY_CLASS && r->n_classes > 1)
		err = take_own_trouble_off(r, set, c);
	if (!err)
		err = residuals(r, set, c, in, shown);
	robust_enter(r, STAGE_EVIDENCE);
	if (!err)
		err = track_group_push(&set->track, in, shown, from_ns, to_ns);
	if (!err)
		err = tell_looks(r, set, c, from_ns, to_ns);
	free(c);
	free(in);
	free(shown);
	return err;
}
