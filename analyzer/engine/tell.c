// SPDX-License-Identifier: BSD-2-Clause
/* The verdict: incidents and notices of the tracker, and what could not be judged. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "analyzer/verdict/silence.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/sort.h"
#include "userspace/common/array.h"

/* A server that never did what the others do has another part to play, from so much data on. */
#define ROLE_S 120

static int64_t always_ns(const struct robust *r)
{
	return r->n_useful * r->p.interval_s < ROLE_S ? INT64_MIN : r->first_ns;
}

/* ---- disks of different models --------------------------------------------------------------------*/

static size_t of_class(const struct robust *r, int32_t group, int class)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_disks; i++)
		n += r->disks[i].class == class && r->nodes[r->disks[i].node].group == group;
	return n;
}

/* A disk that is lastingly slower than those of other models, and not than its own. */
static int hardware(const struct robust *r, struct verdict *a, const struct peerset *set)
{
	int err = 0;

	for (size_t m = 0; m < set->panel.n && !err; m++) {
		const struct disk *d = &r->disks[set->panel.members[m].number];
		const struct track_entity *st = &set->panel.track.at[m];
		struct notice note = {.kind = NOTICE_HARDWARE,
				      .node = d->node,
				      .from_ns = st->onset_ns,
				      .to_ns = st->last_ns,
				      .signal = set->signal,
				      .ratio = exp(st->best.effect)};
		bool incidents = false;

		if (st->state == TRACK_EXCUSED || track_level(st) != EVIDENCE_INDICTED ||
		    2 * of_class(r, set->group, d->class) > set->panel.n)
			continue;
		for (size_t i = 0; i < a->n_incidents; i++)
			incidents |= a->incidents[i].node == d->node && !a->incidents[i].suspicious;
		for (size_t i = 0; i < a->n_notices; i++)
			incidents |= a->notices[i].node == d->node &&
				     a->notices[i].kind == NOTICE_HARDWARE;
		if (incidents)
			continue;
		snprintf(note.disk, sizeof(note.disk), "%s", d->name);
		snprintf(note.model, sizeof(note.model), "%s", r->classes[d->class].model);
		err = verdict_add_notice(a, &note);
	}
	return err;
}

/* ---- what could not be judged ---------------------------------------------------------------------*/

/* Latencies that fall apart into two halves: of those servers nobody knows which are slow. What indicts one of
 * them for another reason stands. */
static int halves(const struct robust *r, struct verdict *a)
{
	int err = 0;

	for (size_t k = 0; k < r->n_sets && !err; k++) {
		const struct panel *p = &r->sets[k].panel;

		if (p->o.row->kind != KIND_LATENCY || p->o.hidden || !p->track.group.halves)
			continue;
		for (size_t m = 0; m < p->n && !err; m++) {
			size_t node = p->members[m].node;
			bool indicted = false;

			for (size_t i = 0; i < a->n_incidents; i++)
				indicted |= a->incidents[i].node == node;
			if (indicted || !a->judged[node])
				continue;
			a->judged[node] = false;
			err = verdict_add_unjudged(a, &(struct unjudged){.node = node,
									 .signal = SIGNAL_ALL,
									 .why = UNJUDGED_HALVES,
									 .n = p->track.group.slow});
		}
	}
	return err;
}

/*
 * A server that had stopped reporting by the end (silence.h). The notice is looked for once a window, so that the last
 * one may be almost a window old; a server that came back since then is not silent.
 */
static int silent(const struct robust *r, struct verdict *a)
{
	int64_t windows_ns = 2 * ns_of_s(robust_window_s(r));
	int err = 0;

	for (size_t i = 0; i < a->n_notices && !err; i++) {
		const struct notice *m = &a->notices[i];

		if (m->kind == NOTICE_SILENT && r->next_ns - m->to_ns <= windows_ns &&
		    is_silent(r, m->node))
			err = verdict_silent(a, m->node);
	}
	return err;
}

/* What each panel has to say. */
static int of_panels(const struct robust *r, struct verdict *a)
{
	size_t before = a->n_unjudged;
	int err = 0;

	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_verdict(&r->sets[i].panel, a);
	verdict_unproven_only(a);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_unjudged(&r->sets[i].panel, a);
	if (a->n_unjudged > before)
		panel_unjudged_sort(a);
	return err;
}

static int unjudged(const struct robust *r, struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		struct unjudged u = {.node = i, .signal = SIGNAL_ALL};

		u.why = r->nodes[i].group < 0 ? UNJUDGED_NO_GROUP
			: !r->nodes[i].seen   ? UNJUDGED_NO_DATA
					      : UNJUDGED_TOO_FEW;
		if (!a->judged[i])
			err = verdict_add_unjudged(a, &u);
	}
	return err;
}

static struct cannot cannot(const struct robust *r, const struct verdict *a)
{
	size_t seen = 0;
	bool any = verdict_judged(a);

	for (size_t i = 0; i < r->n_nodes; i++)
		seen += r->nodes[i].seen;
	if (!r->n_intervals)
		return (struct cannot){.why = CANNOT_NO_INTERVAL};
	if (seen < 3)
		return (struct cannot){.why = CANNOT_FEW_SERVERS, .n = seen, .needed = 3};
	if (r->n_useful < SHORTEST)
		return (struct cannot){.why = CANNOT_FEW_WINDOWS,
				       .n = r->n_useful,
				       .needed = SHORTEST,
				       .window_s = r->p.interval_s};
	return (struct cannot){.why = any ? CANNOT_NOT : CANNOT_NO_SIGNAL};
}

/* ---- all of it ------------------------------------------------------------------------------------*/

static int names(const struct robust *r, struct verdict *a)
{
	a->nodes = calloc(r->n_nodes + 1, sizeof(*a->nodes));
	a->judged = calloc(r->n_nodes + 1, sizeof(*a->judged));
	if (!a->nodes || !a->judged)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_nodes; i++)
		memcpy(a->nodes[i], r->nodes[i].name, HOST_LEN);
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;

		for (size_t m = 0; m < p->n && !p->o.hidden; m++)
			a->judged[p->members[m].node] |= p->track.at[m].tested;
	}
	a->n_nodes = r->n_nodes;
	return 0;
}

static int looks(const struct robust *r, struct verdict *a)
{
	const struct panel_explained *x = &r->explained;

	a->looks = malloc((x->n + 1) * sizeof(*a->looks));
	if (!a->looks)
		return -ENOMEM;
	if (x->n)
		memcpy(a->looks, x->at, x->n * sizeof(*a->looks));
	a->n_looks = x->n;
	return 0;
}

int robust_verdict(struct robust *r, struct verdict *a)
{
	int err;

	*a = (struct verdict){.method = ROBUST_NAME,
			      .names_causes = true,
			      .from_ns = r->n_intervals ? r->first_ns : 0,
			      .to_ns = r->n_intervals ? r->next_ns : 0,
			      .interval_s = r->p.interval_s,
			      .window_s = r->p.interval_s,
			      .notices_s = robust_window_s(r),
			      .n_windows = r->n_useful,
			      .unknown_hardware = r->n_disks && !r->identities,
			      .lost = r->lost};
	err = names(r, a);
	if (!err)
		err = verdict_series_signals(a);
	a->cannot = cannot(r, a);
	err = err ? err : track_verdict(r->track, a, always_ns(r));
	for (size_t i = 0; i < r->n_sets && !err; i++)
		if (r->sets[i].class == ANY_CLASS)
			err = hardware(r, a, &r->sets[i]);
	if (!err)
		err = unjudged(r, a);
	if (!err)
		err = silent(r, a);
	if (!err)
		err = halves(r, a);
	if (!err)
		err = of_panels(r, a);
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = panel_ruled_out(&r->sets[i].panel, a);
	if (!err)
		err = looks(r, a);
	if (!err)
		verdict_series_unseen(a);
	if (err)
		verdict_release(a);
	return err;
}
