// SPDX-License-Identifier: BSD-2-Clause
/* Examines states (examine_states.h): which signals there are, each judged in turn, and the verdict. */
#include "examine_states.h"
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/engine/examine.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

/* ---- states as they were at a time -------------------------------------------------------------- */

/* States as they were at a time: a log that was read to its end knows what became of a task, --to does not. */

static int64_t last_time(const struct states *s)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < s->n; i++)
		last = s->at[i].end_ns > last ? s->at[i].end_ns : last;
	return last;
}

/* Under way at `to`: open, and what was thrown away later was not yet. last_ns: of all states. */
static struct state as_of(const struct states *s, const struct state *x, int64_t to_ns,
			  int64_t last_ns)
{
	struct state cut = *x;
	int64_t finish_ns = s->job && x->job < s->jobs.n && s->job[x->job].finish_ns
				    ? s->job[x->job].finish_ns
				    : last_ns;

	if (x->end_ns > to_ns) {
		cut.end_ns = to_ns;
		cut.outcome = OUTCOME_OPEN;
		cut.progress = cut.cpu_s = cut.memory_mib = __builtin_nanf("");
		cut.bytes = cut.records = -1;
		cut.lost = cut.silent = false;
	}
	/* No log says when it was thrown away: where its job went on after `to`, perhaps later. */
	if (finish_ns > to_ns)
		cut.lost = false;
	return cut;
}

static int jobs_as_of(const struct states *s, int64_t to_ns, struct states *w)
{
	w->job = calloc(s->jobs.n + 1, sizeof(*w->job));
	if (!w->job)
		return -ENOMEM;
	for (size_t i = 0; s->job && i < s->jobs.n; i++) {
		w->job[i] = s->job[i];
		if (s->job[i].finish_ns > to_ns) {
			w->job[i].finish_ns = 0;
			w->job[i].outcome = OUTCOME_OPEN;
		}
	}
	return 0;
}

/*
 * The states of [from, to) as they were known at `to`: those under way then are open, and what came
 * of them is not known. w has everything else of s, which must outlive it; to be released in either case. 0 or -ENOMEM.
 */
static int states_window(const struct states *s, int64_t from_ns, int64_t to_ns, struct states *w)
{
	int64_t last_ns = last_time(s);
	int err;

	*w = *s;
	w->at = calloc(s->n + 1, sizeof(*w->at));
	w->job = NULL;
	w->n = 0;
	if (!w->at)
		return -ENOMEM;
	err = jobs_as_of(s, to_ns, w);
	for (size_t i = 0; i < s->n && !err; i++) {
		const struct state *x = &s->at[i];

		if (x->start_ns < to_ns && x->end_ns >= from_ns)
			w->at[w->n++] = as_of(s, x, to_ns, last_ns);
	}
	while (w->n_progress && w->progress[w->n_progress - 1].time_ns >= to_ns)
		w->n_progress--;
	return err;
}

static void states_window_release(struct states *w)
{
	free(w->at);
	free(w->job);
}

/* ---- signals --------------------------------------------------------------------------------- */

static const struct made_row {
	const char *name, *word; /* %s: the kind's word */
	const char *unit;
	int decimals;
	bool inverse;
} made[] = {
	[MADE_DURATION] = {"%s duration", "%s", "s", 1, false},
	[MADE_SERVER] = {"%s duration as server", "%s-server", "s", 2, false},
	[MADE_EXECUTOR] = {"%s duration as executor", "%s-executor", "s", 2, false},
	[MADE_TOGETHER] = {"time of all its work", "work", "x", 2, false},
	[MADE_DISK] = {"time of its reads and writes", "io", "x", 2, false},
	[MADE_NET] = {"time of its transfers", "net", "x", 2, false},
	[MADE_SHARE] = {"%s tasks done", "%s-share", "", 1, true},
	[MADE_FAILED] = {"failed attempts", "failed", "", 1, false},
	[MADE_STUCK] = {"attempts that do not end or are lost", "stuck", "", 1, false},
	[MADE_PACKETS] = {"slow packets", "packets", "", 0, false},
};

static int add_signal(struct states_job *j, enum state_made how, enum state_kind kind, bool indicts)
{
	struct state_signal *s = array_add(&j->signals, &j->n_signals);
	struct verdict_signal *v = s ? verdict_add_signal(j->a) : NULL;
	const struct made_row *m = &made[how];
	const char *word = kind < STATE_KIND_COUNT ? state_rows[kind].word : "";

	if (!v)
		return -ENOMEM;
	*s = (struct state_signal){how, kind, j->a->n_signals - 1, indicts};
	j->looks += indicts && (how < MADE_TOGETHER || how > MADE_NET);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* formats of the table above */
	snprintf(v->name, sizeof(v->name), m->name, word);
	snprintf(v->word, sizeof(v->word), m->word, word);
#pragma GCC diagnostic pop
	snprintf(v->unit, sizeof(v->unit), "%s", m->unit);
	v->role = indicts ? ROLE_LOCAL : ROLE_SYMPTOM;
	v->resource = indicts && how <= MADE_EXECUTOR ? RESOURCE_TASKS : RESOURCE_NONE;
	v->inverse = m->inverse;
	v->floor = how <= MADE_EXECUTOR ? state_rows[kind].floor_s : 0;
	v->decimals =
		m->decimals + (v->floor > 0 && v->floor < 0.01); /* milliseconds matter then */
	v->relative = true;
	v->score = "t";
	v->counts = "states";
	return 0;
}

/* Of a kind with two ends: each end is a signal, and the one that only wants the data indicts nobody by waiting.
 * Nor does the server of a shuffle: it is as slow as the reduces are that fetch from it, all at once. */
static int signals_of_kind(struct states_job *j, enum state_kind k, bool peers)
{
	bool indicts = state_rows[k].role == STATE_INDICTS;
	int err;

	if (state_rows[k].role == STATE_TELLS)
		return 0;
	if (!states_two_ends(k) || !peers)
		return add_signal(j, MADE_DURATION, k, indicts);
	err = add_signal(j, MADE_SERVER, k, indicts);
	return err ? err : add_signal(j, MADE_EXECUTOR, k, false);
}

static int signals_all(struct states_job *j)
{
	size_t n[STATE_KIND_COUNT] = {0}, peers[STATE_KIND_COUNT] = {0}, tasks = 0, packets = 0;
	int err = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		n[j->s->at[i].kind]++;
		peers[j->s->at[i].kind] += j->s->at[i].peer != STATE_NONE;
		tasks += state_is_task(j->s->at[i].kind);
		packets += states_packet(j->s->at[i].kind);
	}
	for (int k = 0; k < STATE_KIND_COUNT && !err; k++)
		if (n[k])
			err = signals_of_kind(j, k, 2 * peers[k] > n[k]);
	for (int k = 0; k < STATE_KIND_COUNT && !err; k++)
		if (n[k] && state_is_task(k))
			err = add_signal(j, MADE_SHARE, k, true);
	if (!err && tasks)
		err = add_signal(j, MADE_FAILED, STATE_KIND_COUNT, true);
	if (!err && tasks)
		err = add_signal(j, MADE_STUCK, STATE_KIND_COUNT, true);
	if (!err && packets)
		err = add_signal(j, MADE_PACKETS, STATE_KIND_COUNT, true);
	/* after those that they are made of */
	for (int set = 0; set < TOGETHERS && !err; set++)
		if (states_together_made(j, set))
			err = add_signal(j, MADE_TOGETHER + set, STATE_KIND_COUNT, true);
	return err;
}

/* ---- each signal ------------------------------------------------------------------------------ */

static int judge_some(struct states_job *j, size_t signal, struct state_value *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].node != UINT32_MAX && j->group[v[i].node] >= 0)
			v[kept++] = v[i];
	return states_judge(j, signal, v, kept);
}

static int one_end(struct states_job *j, size_t signal, const struct state_value *v, size_t n)
{
	struct state_value *server = calloc(n + 1, sizeof(*server));
	struct state_value *executor = calloc(n + 1, sizeof(*executor));
	bool serves = j->signals[signal].made == MADE_SERVER;
	int err = server && executor ? 0 : -ENOMEM;

	if (!err)
		err = states_ends(j, j->signals[signal].kind, v, n, server, executor);
	if (!err)
		err = judge_some(j, signal, serves ? server : executor, n);
	free(server);
	free(executor);
	return err;
}

static int durations(struct states_job *j, size_t signal)
{
	struct state_value *v;
	size_t n;
	int err = states_cells(j, j->signals[signal].kind, &v, &n);

	if (!err)
		err = j->signals[signal].made == MADE_DURATION ? judge_some(j, signal, v, n)
							       : one_end(j, signal, v, n);
	free(v);
	return err;
}

static int judge_signal(struct states_job *j, size_t signal)
{
	switch (j->signals[signal].made) {
	case MADE_DURATION:
	case MADE_SERVER:
	case MADE_EXECUTOR: return durations(j, signal);
	case MADE_TOGETHER:
	case MADE_DISK:
	case MADE_NET: return states_together(j, signal);
	case MADE_SHARE: return states_share(j, signal);
	case MADE_FAILED: return states_failed(j, signal);
	case MADE_STUCK: return states_stuck(j, signal);
	case MADE_PACKETS: return states_packets(j, signal);
	}
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void span(const struct states_job *j)
{
	struct verdict *a = j->a;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];

		a->from_ns = !i || x->start_ns < a->from_ns ? x->start_ns : a->from_ns;
		a->to_ns = !i || x->end_ns > a->to_ns ? x->end_ns : a->to_ns;
	}
	a->n_windows = j->s->n > 0;
	a->window_s = a->interval_s = s_of_ns(a->to_ns - a->from_ns);
}

static int by_time(const void *x, const void *y)
{
	const struct explained_look *a = x, *b = y;

	return ORDER(a->from_ns, b->from_ns) ?: ORDER(a->signal, b->signal) ?: ORDER(a->node, b->node);
}

/* Nodes whose tasks were compared, and in no signal so that it could be told how slow they may be. */
static int used_alone(struct states_job *j)
{
	size_t k = 0;
	int err = 0;

	while (k < j->n_signals && j->a->signals[j->signals[k].row].resource == RESOURCE_NONE)
		k++;
	for (size_t i = 0; i < j->a->n_nodes && k < j->n_signals && !err; i++)
		if (j->reasons[i].compared)
			err = states_used(j, k, i, NAN);
	return err;
}

static int examine(struct states_job *j)
{
	int err = states_nodes(j);

	span(j);
	if (!err)
		err = states_together_init(j);
	if (!err)
		err = beside_init(j);
	if (!err)
		err = signals_all(j);
	for (size_t i = 0; i < j->n_signals && !err; i++)
		err = judge_signal(j, i);
	if (!err)
		err = used_alone(j);
	verdict_unproven_only(j->a);
	if (!err)
		err = states_notices(j);
	if (!err)
		err = states_incidents(j);
	sort(j->a->looks, j->a->n_looks, by_time);
	return err ? err : states_unjudged(j);
}

int examine_states(const struct analysis_opts *o, const struct states *s, struct verdict *a)
{
	struct states window = {0};
	struct states_job j = {.o = o, .s = s, .a = a};
	int err = 0;

	*a = (struct verdict){.method = ROBUST_NAME, .names_causes = true};
	if (o->from_ns > 0 || o->to_ns < INT64_MAX) {
		err = states_window(s, o->from_ns, o->to_ns, &window);
		j.s = &window;
	}
	if (!err)
		err = examine(&j);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	states_window_release(&window);
	free(j.row);
	free(j.group);
	free(j.signals);
	free(j.found);
	free(j.together);
	beside_free(j.beside);
	free(j.reasons);
	return err;
}
