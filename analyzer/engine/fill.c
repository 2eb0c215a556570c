// SPDX-License-Identifier: BSD-2-Clause
/* The newest interval of one panel: its members are compared at equal load. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
	const struct panel *p = &set->panel;
	struct cells *e = calloc(p->n + 1, sizeof(*e));
	double *x = calloc(p->n + 1, sizeof(*x));
	int err = -ENOMEM;

	for (size_t m = 0; m < p->n && e && x; m++) {
		size_t member = p->members[m].number;
		bool here = r->nodes[p->members[m].node].present;

		x[m] = NAN;
		if (here && latency)
			e[m] = window_cells(r, set->signal, member);
		else if (here)
			x[m] = window_number(r, set->signal, member);
	}
	if (e && x)
		err = latency ? compare_cells(e, p->n, &o, out)
			      : compare_numbers(x, p->n, signals[set->signal].c, out);
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
	return c->value - c->peers > floor_of(r, set, set->panel.members[m].number);
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
 * From what was compared to residuals. A mean of few requests is less sure than its peers' by what few requests
 * are.
 */
static int residuals(struct robust *r, const struct peerset *set, const struct compared *c)
{
	size_t n = 0, members = set->panel.n;
	double *weight = calloc(members + 1, sizeof(*weight)), variance = 0, all = 0, usual;
	struct panel_values *v = &r->values;

	if (!weight)
		return -ENOMEM;
	for (size_t m = 0; m < members; m++) {
		if (!isfinite(c[m].d))
			continue;
		weight[n++] = c[m].weight;
		variance += c[m].weight * c[m].variance;
		all += c[m].weight;
	}
	usual = n ? stats_quantile(weight, n, 0.5) : NAN;
	free(weight);
	for (size_t m = 0; m < members; m++) {
		double more = variance / all * (1 / c[m].weight - 1 / usual);

		v->shown[m] =
			(struct track_values){c[m].value, c[m].peers, c[m].n_peers, c[m].alone};
		v->d[m] = c[m].d;
		if (!isfinite(c[m].d))
			continue;
		v->in[m].r = n == 3 ? AMONG_THREE * c[m].d : c[m].d;
		v->in[m].extra = more > 0 ? more : 0;
		v->in[m].doubt = c[m].in == IN_NEAREST ? NEAREST_DOUBT : 0;
		v->small[m] = !exceeds(r, set, m, &c[m]);
	}
	return 0;
}

static int on_observation(void *arg, const struct panel *p, const struct observation *o)
{
	struct robust *r = arg;

	if (r->observe)
		r->observe(r->observe_arg, o);
	if (r->history)
		meanwhile_add(r->history, o->node, o->signal,
			      &(struct track_point){o->from_ns, o->d,
						    signal_shown(p->o.row, o->value),
						    signal_shown(p->o.row, o->peers)});
	return r->p.explain ? panel_explain(&r->explained, p, o) : 0;
}

/*
 * Across models only what models differ by is compared: what a disk is slower than its own model is its own trouble,
 * and in the spread of the slow model it would hide that. (Of a panel that is filled later: as of the interval before.)
 */
static int take_own_trouble_off(const struct robust *r, const struct peerset *set,
				struct compared *c)
{
	double *own = calloc(r->n_disks + 1, sizeof(*own));

	if (!own)
		return -ENOMEM;
	for (size_t k = 0; k < r->n_sets; k++) {
		const struct peerset *model = &r->sets[k];
		const struct panel *p = &model->panel;

		if (model->signal != set->signal || model->group != set->group ||
		    model->class == ANY_CLASS)
			continue;
		for (size_t m = 0; m < p->n; m++)
			if (!p->track.at[m].unjudged && p->track.at[m].r > 0)
				own[p->members[m].number] = p->track.at[m].r;
	}
	for (size_t m = 0; m < set->panel.n; m++)
		c[m].d -= own[set->panel.members[m].number];
	free(own);
	return 0;
}

int set_fill(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns)
{
	struct compared *c = calloc(set->panel.n + 1, sizeof(*c));
	int err = c ? panel_values_begin(&r->values, set->panel.n) : -ENOMEM;

	robust_enter(r, STAGE_COMPARE);
	if (!err)
		err = compare_set(r, set, c);
	if (!err)
		err = fleet_update(r, set, c, from_ns, to_ns);
	if (!err)
		err = roles_apply(r, set, c);
	if (!err && set->class == ANY_CLASS && r->n_classes > 1)
		err = take_own_trouble_off(r, set, c);
	if (!err)
		err = residuals(r, set, c);
	robust_enter(r, STAGE_EVIDENCE);
	if (!err)
		err = panel_push(&set->panel, &r->values, from_ns, to_ns, on_observation, r);
	free(c);
	return err;
}
