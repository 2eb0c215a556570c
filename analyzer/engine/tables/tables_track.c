// SPDX-License-Identifier: BSD-2-Clause
/*
 * All panels of a table together, interval after interval, into the tracker: what is worse of one server at one time is one
 * incident, whichever columns show it. Intervals that end within the shortest one are one step. A job's log, in which time says
 * little, and what is too short for evidence to add up, enter when the table ends.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "internal.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* A column in which nobody was compared for so long, while others were, is worse no more. */
#define SILENCE_S 300
enum { SILENCE_INTERVALS = 8 };
/* So long after it was worse last a column is worse no more, where the cause is asked for: a bad one is not bad in each. */
#define RECENT_S 300
enum { RECENT_INTERVALS = 4 };
/* In less than the shortest window nobody knows that trouble was away. */
enum { SAME_INTERVALS = 16 };

static int64_t at_least(int64_t least, int64_t ns)
{
	return ns > least ? ns : least;
}

/* ---- the rule ------------------------------------------------------------------------------------- */

static const char *given_name(const struct job *j, size_t column)
{
	const struct table_column *c = &j->columns.at[column];

	if (c->given >= 0)
		return j->t->metrics.at[c->given];
	return any_of(i, j->n_panels, j->panels[i].column == c && j->panels[i].loaded) ? "bytes"
										       : "";
}

static enum signal_role column_role(void *arg, size_t signal)
{
	const struct job *j = arg;

	return j->columns.at[signal].row.role;
}

static int column_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		       enum ruled *ruled)
{
	const struct job *j = arg;
	const struct finding *e;
	bool waits;
	int err;

	(void)onset_ns;
	*ruled = a->n_findings ? RULE_INCIDENT : RULE_NOTHING;
	if (!a->n_findings)
		return 0;
	err = table_waits(j, a, m, &waits);
	if (err || waits) {
		*ruled = RULE_NOTICE;
		return err;
	}
	e = rules_columns(j->known, a);
	if (j->t->events) {
		a->onset_ns = e->onset_ns;
		a->decided_ns = e->decided_ns;
	}
	if (a->suspicion != SUSPICION_DATA && table_queues(j, a))
		a->suspicion = SUSPICION_QUEUE;
	snprintf(a->detail.given, sizeof(a->detail.given), "%s", given_name(j, e->signal));
	if (e->n_peers + 1 < EVIDENCE_FEW)
		a->doubts[a->n_doubts++] =
			(struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)e->n_peers};
	a->confidence = incident_confidence(a);
	return 0;
}

/* What the rules are to know of columns. */
static int rules_begin(struct job *j)
{
	j->known = calloc(j->columns.n + 1, sizeof(*j->known));
	if (!j->known)
		return -ENOMEM;
	for (size_t i = 0; i < j->columns.n; i++)
		j->known[i] = (struct rules_column){.signal = j->columns.at[i].speaks,
						    .both = j->columns.at[i].both,
						    .at_load = *given_name(j, i),
						    .recent_ns = ns_of_s(RECENT_S)};
	for (size_t i = 0; i < j->n_panels; i++) {
		const struct table_panel *p = &j->panels[i];
		struct rules_column *c = &j->known[p->column - j->columns.at];

		c->at_rate |= p->column->at_rate && p->loaded;
		c->recent_ns = at_least(c->recent_ns, RECENT_INTERVALS * p->interval_ns);
	}
	return 0;
}

/* ---- interval after interval ---------------------------------------------------------------------- */

/* How many columns may indict: they share the budget. */
static double columns_that_indict(const struct table_columns *c)
{
	return fmax(1, (double)count_if(i, c->n, c->at[i].row.role == ROLE_LOCAL));
}

static int panels_begin(struct job *j)
{
	double looks = columns_that_indict(&j->columns);
	int err = 0;

	for (size_t i = 0; i < j->n_panels && !err; i++) {
		struct table_panel *p = &j->panels[i];

		if (p->few)
			continue;
		err = table_panel_init(j, p, looks);
		p->more = !err && table_panel_next(p);
	}
	return err;
}

/* The next step takes in what ends before before_ns: the first interval, and those that end within the shortest after it.
 * False: there is none. */
static bool next_step(const struct job *j, int64_t *before_ns)
{
	int64_t first_ns = 0;
	bool any = false;

	for (size_t i = 0; i < j->n_panels; i++) {
		const struct table_panel *p = &j->panels[i];

		if (!p->more || (any && p->to_ns >= first_ns))
			continue;
		first_ns = p->to_ns;
		any = true;
	}
	if (__builtin_add_overflow(first_ns, j->shortest_ns, before_ns))
		*before_ns = INT64_MAX;
	return any;
}

static int panel_end(struct table_panel *p)
{
	const struct track_group *g = &p->panel.track;
	int err = 0;
	bool tested = any_of(i, p->n, g->at[i].tested);

	/* too short for any block, or a job's log */
	p->looked = !tested || p->t->events;
	if (p->looked)
		err = table_look(p);
	/* With bytes a value is compared with those of its size, and a large one is not lone. */
	if (!err && p->t->events && !p->loaded)
		err = table_lone(p);
	table_panel_close(p);
	return err;
}

/* to_ns: the last of them ends there. */
static int panels_fill(struct job *j, int64_t before_ns, int64_t *to_ns)
{
	int err = 0;

	for (size_t i = 0; i < j->n_panels && !err; i++) {
		struct table_panel *p = &j->panels[i];

		if (!p->more || (p->to_ns >= before_ns && before_ns != INT64_MAX))
			continue;
		*to_ns = p->to_ns > *to_ns ? p->to_ns : *to_ns;
		err = table_panel_fill(j, p);
		j->compared_ns = p->compared_ns > j->compared_ns ? p->compared_ns : j->compared_ns;
		p->more = !err && table_panel_next(p);
		if (!err && !p->more)
			err = panel_end(p);
	}
	return err;
}

static bool is_silent(const struct job *j, const struct table_panel *p)
{
	int64_t most = at_least(ns_of_s(SILENCE_S), SILENCE_INTERVALS * p->interval_ns);

	return !p->few && !p->looked && p->compared_ns < j->compared_ns &&
	       (uint64_t)j->compared_ns - (uint64_t)p->compared_ns > (uint64_t)most;
}

/* Whether a panel is asked now: what is looked at once, when the table ends. */
static bool is_asked(const struct table_panel *p, bool end)
{
	return !p->few && (!p->looked || end);
}

/* lasting: only what is worse to the end. */
static void panels_mark(struct job *j, bool end, bool lasting)
{
	track_begin(j->track);
	for (size_t i = 0; i < j->n_panels; i++)
		if (is_asked(&j->panels[i], end))
			panel_mark(&j->panels[i].panel, j->track, lasting);
}

static int track_step(struct job *j, int64_t to_ns, bool end)
{
	int err;

	for (size_t i = 0; i < j->n_panels; i++)
		if (is_silent(j, &j->panels[i]))
			track_group_silence(&j->panels[i].panel.track, to_ns);
	panels_mark(j, end, false);
	err = track_open(j->track);
	for (size_t i = 0; i < j->n_panels && !err; i++)
		if (is_asked(&j->panels[i], end))
			err = panel_gather(&j->panels[i].panel, j->track, NULL, NULL);
	return err ?: track_update(j->track, to_ns);
}

/* The table ends: what was looked at once; and of a job's log, what of all that lasts. */
static int last_step(struct job *j, int64_t to_ns)
{
	int err = track_step(j, to_ns, true);

	if (err || !j->t->events)
		return err;
	panels_mark(j, true, true);
	return track_update(j->track, to_ns);
}

static int64_t shortest_interval(const struct job *j)
{
	int64_t shortest_ns = INT64_MAX;

	for (size_t i = 0; i < j->n_panels; i++)
		if (!j->panels[i].few && j->panels[i].interval_ns < shortest_ns)
			shortest_ns = j->panels[i].interval_ns;
	return shortest_ns < INT64_MAX ? shortest_ns : 1;
}

static int servers_begin(struct job *j)
{
	struct track_rules rules = {
		.rule = column_rule, .role = column_role, .arg = j, .again = 1, .whole = true};
	int err;

	j->shortest_ns = shortest_interval(j);
	rules.same_ns = at_least(TRACK_SAME_NS, SAME_INTERVALS * j->shortest_ns);
	j->track = track_new(&rules);
	err = j->track ? rules_begin(j) : -ENOMEM;
	for (size_t i = 0; i < j->a->n_nodes && !err; i++) {
		err = track_server(j->track, j->a->nodes[i]);
		if (!err && string_list_has(&j->o->acknowledged, j->a->nodes[i]))
			track_acknowledge(j->track, i);
	}
	return err;
}

/* ---- the verdict ---------------------------------------------------------------------------------- */

/* When it was looked at, and how often. */
static void add_time(struct verdict *a, const struct table_panel *p)
{
	if (!p->intervals)
		return;
	a->from_ns = !a->n_windows || p->begin_ns < a->from_ns ? p->begin_ns : a->from_ns;
	a->to_ns = !a->n_windows || p->end_ns > a->to_ns ? p->end_ns : a->to_ns;
	if (p->intervals > a->n_windows) {
		a->n_windows = p->intervals;
		a->window_s = a->interval_s = s_of_ns(p->interval_ns);
	}
}

/* Whether a ratio that does not change, from the first value to the last, is that of two units: 1000 or 1024, once or more. */
static bool is_unit(const struct verdict *a, const struct incident *in)
{
	const double off = 0.05;
	const struct finding *e = in->n_findings ? in->findings : NULL;
	double thousands = e && e->ratio > 1 ? log(e->ratio) / log(1000) : NAN;

	return e && e->open && e->needs > 0 && e->lower >= (1 - 2 * off) * e->ratio &&
	       e->onset_ns <= a->from_ns + ns_of_s(a->interval_s) && round(thousands) >= 1 &&
	       fabs(thousands - round(thousands)) <= off / log(1000) * round(thousands);
}

static int panels_verdict(struct job *j)
{
	struct verdict *a = j->a;
	int err = track_verdict(j->track, a, INT64_MIN);

	for (size_t i = 0; i < j->n_panels && !err; i++) {
		const struct table_panel *p = &j->panels[i];

		if (p->few)
			continue;
		add_time(a, p);
		err = panel_ruled_out(&p->panel, a) ?: panel_verdict(&p->panel, a);
	}
	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].guess.kind == GUESS_NONE && is_unit(a, &a->incidents[i]))
			a->incidents[i].guess.kind = GUESS_UNITS;
	verdict_unproven_only(a);
	a->looks = j->explained.at;
	a->n_looks = j->explained.n;
	j->explained = (struct panel_explained){0};
	return err;
}

int table_track(struct job *j)
{
	int64_t before_ns, to_ns = INT64_MIN;
	int err = panels_begin(j) ?: servers_begin(j);

	while (!err && next_step(j, &before_ns)) {
		err = panels_fill(j, before_ns, &to_ns);
		if (!err && !j->t->events)
			err = track_step(j, to_ns, false);
	}
	err = err ? err : last_step(j, to_ns);
	return err ?: panels_verdict(j);
}
