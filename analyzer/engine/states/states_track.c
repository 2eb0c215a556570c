// SPDX-License-Identifier: BSD-2-Clause
/*
 * From what was found in states to incidents: each server enters the tracker once, with all that was found of it, when the log
 * ends; the rule says by which of it the server is told.
 */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/track/track.h"
#include "userspace/common/sort.h"
#include "userspace/common/text_clean.h"

/* What a node is indicted for, where several things are: the first of these that it was found with. */
static const struct found_rule {
	enum state_made made;
	enum cause cause;
	enum why why;
} rules[] = {
	{MADE_STUCK, CAUSE_HUNG, WHY_STUCK},	   {MADE_FAILED, CAUSE_FAILING, WHY_CAUSE},
	{MADE_DURATION, CAUSE_SLOW, WHY_STATES},   {MADE_SERVER, CAUSE_SLOW, WHY_STATES},
	{MADE_EXECUTOR, CAUSE_SLOW, WHY_STATES},   {MADE_DISK, CAUSE_SLOW, WHY_STATES},
	{MADE_NET, CAUSE_SLOW, WHY_STATES},	   {MADE_PACKETS, CAUSE_SLOW, WHY_PACKETS},
	{MADE_TOGETHER, CAUSE_SLOW, WHY_TOGETHER}, {MADE_SHARE, CAUSE_SLOW, WHY_SHARE},
};

static const struct found_rule *rule_of(const struct states_job *j, const struct state_found *f)
{
	const struct found_rule *r = rules;

	while (r->made != j->signals[f->signal].made)
		r++;
	return r;
}

static int by_node_and_weight(const void *a, const void *b, void *arg)
{
	const struct state_found *x = a, *y = b;
	const struct states_job *j = arg;
	double p = x->e.score / x->e.needs, q = y->e.score / y->e.needs;

	return ORDER(x->e.node, y->e.node) ?: ORDER(x->e.symptom, y->e.symptom) ?:
		ORDER(y->level, x->level) ?: ORDER(rule_of(j, x), rule_of(j, y)) ?: ORDER(q, p);
}

/* Those of one node, the first of which it is told by. */
struct of_node {
	const struct state_found *at;
	size_t n;
};

static struct of_node found_from(const struct states_job *j, size_t i)
{
	struct of_node x = {&j->found[i], 1};

	while (i + x.n < j->n_found && x.at[x.n].e.node == x.at->e.node)
		x.n++;
	return x;
}

static struct of_node found_of_node(const struct states_job *j, size_t node)
{
	return found_from(j, search_first(i, j->n_found, j->found[i].e.node < node));
}

/* Whether what its work is slowest at is told beside it: it was not found by itself. */
static bool has_slowest(const struct state_found *f, struct of_node of)
{
	return f->most.n_peers && !any_of(i, of.n, of.at[i].e.signal == f->most.signal);
}

/* ---- what it cost the jobs -------------------------------------------------------------------------- */

struct last_ends {
	int64_t own, others; /* the last */
};

/*
 * The share of a job's time in which it waited for tasks of this node alone: of each kind, from the last end elsewhere to the last
 * end there. NaN: not known.
 */
static double waited(const struct states_job *j, uint32_t job, size_t node)
{
	struct last_ends at[STATE_KIND_COUNT] = {0};
	int64_t from = INT64_MAX, to = INT64_MIN;
	double sum = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		bool own = states_row(j, x->node) == node;
		int64_t *last = own ? &at[x->kind].own : &at[x->kind].others;

		if (x->job != job || !state_is_task(x->kind))
			continue;
		from = x->start_ns < from ? x->start_ns : from;
		to = x->end_ns > to ? x->end_ns : to;
		*last = x->end_ns > *last ? x->end_ns : *last;
	}
	for (size_t k = 0; k < STATE_KIND_COUNT; k++)
		if (at[k].own > at[k].others && at[k].others > 0)
			sum += (double)(at[k].own - at[k].others);
	return to > from ? sum / (double)(to - from) : NAN;
}

/* What attempts that failed on this node, in the finding's time, said most often; of as many the first. */
static int commonest_error(const struct states_job *j, const struct state_found *f,
			   char text[STATE_ERROR_LEN])
{
	const struct states *s = j->s;
	size_t *n = calloc(s->errors.n + 1, sizeof(*n)), most = 0;

	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_error; i++) {
		const struct state_error *e = &s->error[i];

		if (e->time_ns >= f->e.onset_ns && e->time_ns <= f->e.last_ns &&
		    states_row(j, e->node) == f->e.node)
			n[e->text]++;
	}
	for (size_t i = 0; i < s->errors.n; i++)
		most = n[i] > n[most] ? i : most;
	if (n[most])
		snprintf(text, STATE_ERROR_LEN, "%s", s->errors.at[most]);
	free(n);
	return 0;
}

static struct detail detail_of(const struct states_job *j, const struct state_found *f)
{
	struct detail d = {.kind = DETAIL_STATE,
			   .signal = f->e.signal,
			   .ratio = f->e.ratio,
			   .attempts = f->e.judged,
			   .of_attempts = f->e.flagged,
			   .share = NAN};

	if (f->job == STATE_NONE)
		return d;
	text_fit(d.job, sizeof(d.job), j->s->jobs.at[f->job]);
	d.share = waited(j, f->job, f->e.node);
	return d;
}

/* ---- incidents ------------------------------------------------------------------------------------------ */

/* The next one in order: what the server is told by comes first, and what all its work is slowest at beside that. */
static void put_next(struct incident *a, size_t *next, size_t signal)
{
	size_t i = run_end(k, *next, a->n_findings, a->findings[k].signal != signal);
	struct finding e;

	if (i == a->n_findings)
		return;
	e = a->findings[i];
	memmove(&a->findings[*next + 1], &a->findings[*next], (i - *next) * sizeof(e));
	a->findings[(*next)++] = e;
}

static enum signal_role state_role(void *arg, size_t signal)
{
	const struct states_job *j = arg;

	return j->a->signals[signal].role;
}

static int state_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		      enum ruled *ruled)
{
	const struct states_job *j = arg;
	struct of_node of = found_of_node(j, a->node);
	const struct found_rule *r = rule_of(j, of.at);
	size_t next = 0;

	(void)onset_ns;
	(void)m;
	for (size_t i = 0; i < of.n; i++) {
		put_next(a, &next, of.at[i].e.signal);
		if (has_slowest(&of.at[i], of))
			put_next(a, &next, of.at[i].most.signal);
	}
	*ruled = RULE_INCIDENT;
	a->cause = r->cause;
	a->why = r->why;
	a->detail = detail_of(j, of.at);
	a->onset_ns = of.at->e.onset_ns;
	a->decided_ns = of.at->e.decided_ns;
	if (of.at->peers + 1 < EVIDENCE_FEW)
		a->doubts[a->n_doubts++] =
			(struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)of.at->peers};
	a->confidence = incident_confidence(a);
	return a->cause == CAUSE_SLOW ? 0 : commonest_error(j, of.at, a->detail.error);
}

/* What only supports indicts nobody. With `open` only what lasts to the end. */
static void mark_all(const struct states_job *j, struct track *t, bool open)
{
	struct of_node of;

	track_begin(t);
	for (size_t i = 0; i < j->n_found; i += of.n) {
		const struct state_found *f = &j->found[i];
		const struct track_mark m = {.onset_ns = f->e.onset_ns,
					     .last_ns = f->e.last_ns,
					     .indicts = f->level == EVIDENCE_INDICTED,
					     .few = f->peers + 1 < EVIDENCE_FEW,
					     .brief = f->brief,
					     .fresh = true,
					     .times = f->times,
					     .duty = f->duty};

		of = found_from(j, i);
		if (!f->e.symptom && (f->e.open || !open))
			track_mark(t, f->e.node, &m);
	}
}

/* All that was found of nodes that the tracker asks for. */
static int add_findings(const struct states_job *j, struct track *t)
{
	bool stronger;

	for (size_t i = 0; i < j->n_found; i++) {
		const struct state_found *f = &j->found[i];

		if (!track_gathers(t, f->e.node))
			continue;
		if (!track_add(t, &f->e, &stronger) ||
		    (has_slowest(f, found_of_node(j, f->e.node)) &&
		     !track_add(t, &f->most, &stronger)))
			return -ENOMEM;
	}
	return 0;
}

static int ruled_out(const struct states_job *j, const struct track *t)
{
	int err = 0;

	for (size_t i = 0; i < j->n_found && !err; i++)
		if (!track_gathers(t, j->found[i].e.node))
			err = verdict_add_ruled_out(j->a, &j->found[i].e);
	return err;
}

static int track_all(struct states_job *j, struct track *t)
{
	struct verdict *a = j->a;
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		err = track_server(t, a->nodes[i]);
		if (!err && string_list_has(&j->o->acknowledged, a->nodes[i]))
			track_acknowledge(t, i);
	}
	mark_all(j, t, false);
	err = err ?: track_open(t) ?: ruled_out(j, t) ?: add_findings(j, t);
	err = err ?: track_update(t, a->to_ns);
	/* and what was over before the end */
	mark_all(j, t, true);
	return err ?: track_update(t, a->to_ns) ?: track_verdict(t, a, INT64_MIN);
}

int states_incidents(struct states_job *j)
{
	const struct track_rules r = {.rule = state_rule,
				      .role = state_role,
				      .arg = j,
				      .again = UINT_MAX,
				      .recent_ns = INT64_MAX,
				      .same_ns = TRACK_SAME_NS};
	struct track *t = track_new(&r);
	int err = t ? 0 : -ENOMEM;

	sort_with(j->found, j->n_found, by_node_and_weight, j);
	err = err ?: track_all(j, t);
	track_free(t);
	return err;
}
