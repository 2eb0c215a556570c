// SPDX-License-Identifier: BSD-2-Clause
/* panel.h: what a panel has for the tracker and for the verdict. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "panel.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/sort.h"

#define ALONE_PART 0.25 /* so many of its intervals without a peer at its load: not proven */

struct finding panel_finding(const struct panel *p, size_t m)
{
	struct finding_about about = {.signal = p->o.signal,
				      .node = p->members[m].node,
				      .disk = p->members[m].disk,
				      .symptom = p->o.row->role == ROLE_SYMPTOM};
	struct finding e = track_finding(&p->track, m, about);

	e.value = signal_shown(p->o.row, e.value);
	e.peers = signal_shown(p->o.row, e.peers);
	return e;
}

static bool goes_on(const struct panel *p, size_t m)
{
	return p->worst && p->worst[m].times ? p->worst[m].open : track_in_trouble(&p->track.at[m]);
}

struct finding panel_worst(const struct panel *p, size_t m)
{
	struct finding e;

	if (!p->worst)
		return panel_finding(p, m);
	e = p->worst[m].e;
	e.open = goes_on(p, m);
	if (p->worst[m].times) {
		e.begun_ns = e.onset_ns = p->worst[m].onset_ns;
		e.decided_ns = p->worst[m].decided_ns;
		e.last_ns = p->worst[m].last_ns;
	}
	return e;
}

double panel_duty(const struct panel *p, size_t m)
{
	const struct panel_worst *w = &p->worst[m];
	double there = (double)(w->there_ns + (w->open ? w->last_ns - w->began_ns : 0));

	return w->last_ns > w->onset_ns ? fmin(1, there / (double)(w->last_ns - w->onset_ns)) : 1;
}

bool panel_in_trouble(const struct panel *p, size_t m)
{
	return p->worst ? p->worst[m].level != EVIDENCE_NONE : track_in_trouble(&p->track.at[m]);
}

/* Why it indicts nobody, however sure that it is worse. */
static enum suspicion only_suspicious(const struct track_entity *st)
{
	return st->lone				   ? SUSPICION_LONE
	       : 3 * st->bad.alone > 2 * st->bad.n ? SUSPICION_LOAD
						   : SUSPICION_NONE;
}

static struct track_mark mark_of(const struct panel *p, size_t m)
{
	const struct track_entity *st = &p->track.at[m];
	enum suspicion only = only_suspicious(st);
	bool local = p->o.row->role == ROLE_LOCAL && only == SUSPICION_NONE;

	if (p->worst) {
		struct finding e = panel_worst(p, m);

		return (struct track_mark){.onset_ns = e.onset_ns,
					   .last_ns = e.last_ns,
					   .indicts =
						   local && p->worst[m].level == EVIDENCE_INDICTED,
					   .few = p->worst[m].few,
					   .suspicion = only,
					   .fresh = true,
					   .times = p->worst[m].times,
					   .duty = panel_duty(p, m)};
	}
	return (struct track_mark){.onset_ns = st->begun_ns,
				   .last_ns = st->last_ns,
				   .indicts = local && st->state == TRACK_INDICTED,
				   .few = track_few(st),
				   .brief = st->brief,
				   .suspicion = only,
				   .fresh = st->at_once ||
					    (st->r >= p->track.o.gate / 2 && !st->unjudged)};
}

void panel_mark(const struct panel *p, struct track *t, bool open)
{
	for (size_t m = 0; m < p->n && p->o.row->role != ROLE_SYMPTOM && !p->o.hidden; m++) {
		struct track_mark mark;

		if (!panel_in_trouble(p, m) || (open && !goes_on(p, m)))
			continue;
		mark = mark_of(p, m);
		track_mark(t, p->members[m].node, &mark);
	}
}

int panel_gather(const struct panel *p, struct track *t,
		 void (*stronger)(const void *arg, const struct panel *p, size_t member,
				  struct finding *e),
		 const void *arg)
{
	for (size_t m = 0; m < p->n && !p->o.hidden; m++) {
		struct finding e, *at;
		bool is_stronger;

		if (!panel_in_trouble(p, m) || !track_gathers(t, p->members[m].node))
			continue;
		e = panel_worst(p, m);
		at = track_add(t, &e, &is_stronger);
		if (!at)
			return -ENOMEM;
		if (stronger && is_stronger)
			stronger(arg, p, m, at);
	}
	return 0;
}

bool panel_is_alone(const struct panel *p, size_t m)
{
	const struct track_entity *st = &p->track.at[m];

	return st->alone >= p->o.least_alone && st->alone > st->judged;
}

/* Whether it had no peer at its load for so long that a fault in that time would not have been seen: what was compared
 * before and after proves nothing of it. */
static bool often_alone(const struct panel *p, size_t m)
{
	const struct track_entity *st = &p->track.at[m];

	return st->alone > 0 && st->alone >= p->o.least_alone &&
	       (double)st->alone >= ALONE_PART * (double)(st->alone + st->judged);
}

/* A disk may be slow in reads alone, or in writes alone: that moves what its signals say together by half. */
static double least_of(const struct panel *p, size_t m)
{
	return p->track.at[m].least * (p->o.row->kind == KIND_TOGETHER ? 2 : 1);
}

static int member_used(const struct panel *p, size_t m, struct verdict *a)
{
	const struct track_entity *st = &p->track.at[m];
	bool alone = often_alone(p, m), halves = p->o.halves_unproven && p->track.group.halves;
	struct unproven u = {
		.node = p->members[m].node, .resource = p->o.row->resource, .signal = p->o.signal};

	if (!st->tested && !alone)
		return 0;
	if (st->tested && !alone && !halves && isfinite(st->least))
		u.suspicious_from = exp(least_of(p, m));
	snprintf(u.disk, sizeof(u.disk), "%s", p->members[m].disk);
	return verdict_used(a, &u);
}

int panel_verdict(const struct panel *p, struct verdict *a)
{
	struct verdict_signal *s = &a->signals[p->o.signal];
	int err = 0;

	for (size_t m = 0; m < p->n && !err && !p->o.hidden; m++) {
		const struct track_entity *st = &p->track.at[m];
		double x = exp(st->last.least_indicted);

		s->judged |= st->tested;
		/* in the one of which least is known */
		if (st->tested && x > s->indicts_from)
			s->indicts_from = x;
		if (p->o.row->resource != RESOURCE_NONE)
			err = member_used(p, m, a);
	}
	return err;
}

int panel_unjudged(const struct panel *p, struct verdict *a)
{
	struct unjudged u = {.node = SIZE_MAX, .signal = p->o.signal, .why = UNJUDGED_LOAD};
	int err = 0;

	for (size_t m = 0; m < p->n && !err && !p->o.hidden; m++) {
		size_t node = p->members[m].node;

		/* entities of one server follow each other */
		if (!panel_is_alone(p, m) || !a->judged[node] || node == u.node)
			continue;
		u.node = node;
		err = verdict_add_unjudged(a, &u);
	}
	return err;
}

COMPARISON(by_server, struct unjudged, ORDER(a->node, b->node) ?: ORDER(a->signal, b->signal))

void panel_unjudged_sort(struct verdict *a)
{
	size_t kept = 0;

	sort(a->unjudged, a->n_unjudged, by_server);
	for (size_t i = 0; i < a->n_unjudged; i++)
		if (!kept || a->unjudged[i].signal == SIGNAL_ALL ||
		    by_server(&a->unjudged[kept - 1], &a->unjudged[i]))
			a->unjudged[kept++] = a->unjudged[i];
	a->n_unjudged = kept;
}

int panel_ruled_out(const struct panel *p, struct verdict *a)
{
	int err = 0;

	for (size_t m = 0; m < p->n && !err && !p->o.hidden; m++) {
		struct finding e;

		if ((!p->track.at[m].onset_ns && !panel_in_trouble(p, m)) ||
		    verdict_against(a, p->members[m].node, false))
			continue;
		e = panel_worst(p, m);
		err = verdict_add_ruled_out(a, &e);
	}
	return err;
}
