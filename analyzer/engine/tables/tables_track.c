// SPDX-License-Identifier: BSD-2-Clause
/*
 * All panels of a table together, interval after interval, into the tracker: what is worse of one server at one time is one
 * incident, whichever columns show it. Intervals that end within the shortest one are one step. What is too short for evidence to add
 * up enters when it ends; a job's log, in which time says little, when the table ends.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "tables_internal.h"
#include "userspace/common/clock.h"

/* So long after it ended a column is worse: as long as a signal may be silent, at least as long as recordings are kept. */
#define RECENT_S 300
enum { RECENT_INTERVALS = 8 };
/* In less than the shortest window nobody knows that trouble was away. */
enum { SAME_INTERVALS = 16 };

/* ---- the rule ------------------------------------------------------------------------------------- */

static const char *given_name(const struct job *j, size_t column)
{
	const struct table_column *c = &j->columns.at[column];
	bool loaded = false;

	if (c->given >= 0)
		return j->t->metrics.at[c->given];
	for (size_t i = 0; i < j->n_panels; i++)
		loaded |= j->panels[i].column == c && j->panels[i].loaded;
	return loaded ? "bytes" : "";
}

static enum signal_role column_role(void *arg, size_t signal)
{
	const struct job *j = arg;

	return j->columns.at[signal].row.role;
}

/* What is worse of a server is told by the column in which it is surest. */
static int column_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		       enum ruled *ruled)
{
	const struct job *j = arg;
	const struct finding *e = &a->findings[0];
	const char *given;

	(void)onset_ns;
	(void)m;
	*ruled = a->n_findings ? RULE_INCIDENT : RULE_NOTHING;
	if (!a->n_findings)
		return 0;
	given = given_name(j, e->signal);
	if (j->t->events) {
		a->onset_ns = e->onset_ns;
		a->decided_ns = e->decided_ns;
	}
	a->cause = CAUSE_SLOW;
	a->why = e->chronic ? WHY_CHRONIC : *given ? WHY_EQUAL_LOAD : WHY_PEERS;
	a->detail = (struct detail){.kind = DETAIL_SIGNAL, .signal = e->signal};
	snprintf(a->detail.given, sizeof(a->detail.given), "%s", given);
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", e->disk);
	if (e->n_peers + 1 < EVIDENCE_FEW)
		a->doubts[a->n_doubts++] =
			(struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)e->n_peers};
	a->confidence = incident_confidence(a);
	return 0;
}

/* ---- interval after interval ---------------------------------------------------------------------- */

/* How many columns may indict: they share the budget. */
static double columns_that_indict(const struct table_columns *c)
{
	double n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->at[i].row.role == ROLE_LOCAL;
	return fmax(1, n);
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

/* Before when the next step ends: the first interval that ends, and what ends within the shortest. False: there is none. */
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
	bool tested = false;
	int err = 0;

	for (size_t i = 0; i < p->n; i++)
		tested |= g->at[i].tested;
	/* too short for any block, or a job's log */
	if (!tested || p->t->events)
		err = table_look(p);
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
		p->more = !err && table_panel_next(p);
		if (!err && !p->more)
			err = panel_end(p);
	}
	return err;
}

/* A column that ended long ago is not worse any more. */
static void panels_silence(struct job *j, int64_t to_ns)
{
	for (size_t i = 0; i < j->n_panels; i++) {
		struct table_panel *p = &j->panels[i];

		if (!p->few && !p->more && !p->silent &&
		    (uint64_t)to_ns - (uint64_t)p->end_ns > (uint64_t)j->recent_ns) {
			track_group_silence(&p->panel.track, to_ns);
			p->silent = true;
		}
	}
}

/* open: what lasts only. */
static void panels_mark(struct job *j, bool open)
{
	track_begin(j->track);
	for (size_t i = 0; i < j->n_panels; i++)
		if (!j->panels[i].few)
			panel_mark(&j->panels[i].panel, j->track, open);
}

static int step(struct job *j, int64_t to_ns)
{
	int err;

	panels_silence(j, to_ns);
	panels_mark(j, false);
	err = track_open(j->track);
	for (size_t i = 0; i < j->n_panels && !err; i++)
		if (!j->panels[i].few)
			err = panel_gather(&j->panels[i].panel, j->track, NULL, NULL);
	return err ? err : track_update(j->track, to_ns);
}

/* What a job's log showed at any time, and then what of it lasts. */
static int step_of_log(struct job *j, int64_t to_ns)
{
	int err = step(j, to_ns);

	panels_mark(j, true);
	return err ? err : track_update(j->track, to_ns);
}

static int64_t at_least(int64_t least, int64_t ns)
{
	return ns > least ? ns : least;
}

static void times_begin(struct job *j)
{
	j->shortest_ns = INT64_MAX;
	for (size_t i = 0; i < j->n_panels; i++)
		if (!j->panels[i].few && j->panels[i].interval_ns < j->shortest_ns)
			j->shortest_ns = j->panels[i].interval_ns;
	if (j->shortest_ns == INT64_MAX)
		j->shortest_ns = 1;
	j->recent_ns = at_least(ns_of_s(RECENT_S), RECENT_INTERVALS * j->shortest_ns);
}

static int servers_begin(struct job *j)
{
	struct track_rules rules = {
		.rule = column_rule, .role = column_role, .arg = j, .again = 1, .whole = true};
	int err;

	times_begin(j);
	rules.same_ns = at_least(TRACK_SAME_NS, SAME_INTERVALS * j->shortest_ns);
	j->track = track_new(&rules);
	err = j->track ? 0 : -ENOMEM;
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

static int panels_verdict(struct job *j)
{
	struct verdict *a = j->a;
	int err = track_verdict(j->track, a, INT64_MIN);

	for (size_t i = 0; i < j->n_panels && !err; i++) {
		const struct table_panel *p = &j->panels[i];

		if (p->few)
			continue;
		add_time(a, p);
		err = panel_ruled_out(&p->panel, a);
		err = err ? err : panel_verdict(&p->panel, a);
	}
	verdict_unproven_only(a);
	a->looks = j->explained.at;
	a->n_looks = j->explained.n;
	j->explained = (struct panel_explained){0};
	return err;
}

int table_track(struct job *j)
{
	int64_t before_ns, to_ns = INT64_MIN;
	int err = panels_begin(j);

	err = err ? err : servers_begin(j);
	while (!err && next_step(j, &before_ns)) {
		err = panels_fill(j, before_ns, &to_ns);
		if (!err && !j->t->events)
			err = step(j, to_ns);
	}
	if (!err && j->t->events)
		err = step_of_log(j, to_ns);
	return err ? err : panels_verdict(j);
}
