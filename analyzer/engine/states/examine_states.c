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

/* From the first start to the last end; of no state 0. */
static struct state_span span_of(const struct states *s)
{
	struct state_span all = {0, 0};

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		all.from_ns = !i || x->start_ns < all.from_ns ? x->start_ns : all.from_ns;
		all.to_ns = !i || x->end_ns > all.to_ns ? x->end_ns : all.to_ns;
	}
	return all;
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
		cut.lost = cut.silent = cut.gone = false;
	}
	/* No log says when it was thrown away: where its job went on after `to`, perhaps later. */
	if (finish_ns > to_ns)
		cut.lost = false;
	return cut;
}

/*
 * The states of [from, to) as they were known at `to`: those under way then are open, and what came
 * of them is not known. w has everything else of s, which must outlive it. 0 or -ENOMEM.
 */
static int states_window(struct scratch *room, const struct states *s, int64_t from_ns,
			 int64_t to_ns, struct states *w)
{
	int64_t last_ns = span_of(s).to_ns;

	*w = *s;
	w->at = scratch_array(room, s->n, sizeof(*w->at));
	w->job = scratch_array(room, s->jobs.n, sizeof(*w->job));
	w->n = 0;
	if (room->failed)
		return -ENOMEM;
	for (size_t i = 0; s->job && i < s->jobs.n; i++) {
		w->job[i] = s->job[i];
		if (s->job[i].finish_ns > to_ns) {
			w->job[i].finish_ns = 0;
			w->job[i].outcome = OUTCOME_OPEN;
		}
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (x->start_ns < to_ns && x->end_ns >= from_ns)
			w->at[w->n++] = as_of(s, x, to_ns, last_ns);
	}
	while (w->n_progress && w->progress[w->n_progress - 1].time_ns >= to_ns)
		w->n_progress--;
	return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

static int judge_durations(struct states_job *j, size_t signal)
{
	const struct state_signal *s = &j->signals[signal];
	struct state_value *v;
	size_t n;
	int err = states_cells(j, s->kind, &v, &n);

	if (!err && s->made != MADE_DURATION)
		err = states_ends(j, signal, v, &n);
	err = err ?: states_judge(j, signal, v, n);
	free(v);
	return err;
}

static const struct made_row {
	const char *name, *word; /* %s: the kind's word */
	const char *unit;
	int decimals;
	bool inverse;
	states_judges *judge;
} made[] = {
	[MADE_DURATION] = {"%s duration", "%s", "s", 1, false, judge_durations},
	[MADE_SERVER] = {"%s duration as server", "%s-server", "s", 2, false, judge_durations},
	[MADE_EXECUTOR] = {"%s duration as executor", "%s-executor", "s", 2, false,
			   judge_durations},
	[MADE_TOGETHER] = {"time of all its work", "work", "x", 2, false, states_together},
	[MADE_DISK] = {"time of its reads and writes", "io", "x", 2, false, states_together},
	[MADE_NET] = {"time of its transfers", "net", "x", 2, false, states_together},
	[MADE_SHARE] = {"%s tasks done", "%s-share", "", 1, true, states_share},
	[MADE_FAILED] = {"failed attempts", "failed", "", 1, false, states_attempts},
	[MADE_STUCK] = {"attempts that do not end or are lost", "stuck", "", 1, false,
			states_attempts},
	[MADE_PACKETS] = {"slow packets", "packets", "", 0, false, states_packets},
};

/* Of a kind with two ends the one that only wants the data indicts nobody by waiting. Nor does the server of a shuffle: it is
 * as slow as the reduces are that fetch from it, all at once. */
static int add_signal(struct states_job *j, enum state_made how, enum state_kind kind)
{
	struct state_signal *s = array_add(&j->signals, &j->n_signals);
	struct verdict_signal *v = s ? verdict_add_signal(j->a) : NULL;
	const struct made_row *m = &made[how];
	const char *word = kind < STATE_KIND_COUNT ? state_rows[kind].word : "";
	bool indicts = how > MADE_EXECUTOR ||
		       (how < MADE_EXECUTOR && state_rows[kind].role == STATE_INDICTS);

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

/* Of a kind with two ends each end is a signal. */
static int signals_of_kind(struct states_job *j, enum state_kind k, bool peers)
{
	if (state_rows[k].role == STATE_TELLS)
		return 0;
	if (!states_two_ends(k) || !peers)
		return add_signal(j, MADE_DURATION, k);
	return add_signal(j, MADE_SERVER, k) ?: add_signal(j, MADE_EXECUTOR, k);
}

static int signals_all(struct states_job *j)
{
	size_t n[STATE_KIND_COUNT] = {0}, peers[STATE_KIND_COUNT] = {0}, tasks = 0, packets = 0;
	int err = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		n[j->s->at[i].kind]++;
		peers[j->s->at[i].kind] += j->s->at[i].peer != STATE_NONE;
	}
	for (int k = 0; k < STATE_KIND_COUNT && !err; k++) {
		tasks += state_is_task(k) || k == STATE_EXECUTOR ? n[k] : 0;
		packets += states_packet(k) ? n[k] : 0;
		if (n[k])
			err = signals_of_kind(j, k, 2 * peers[k] > n[k]);
	}
	for (int k = 0; k < STATE_KIND_COUNT && !err; k++)
		if (n[k] && state_is_task(k))
			err = add_signal(j, MADE_SHARE, k);
	for (int how = MADE_FAILED; how <= MADE_PACKETS && !err; how++)
		if (how == MADE_PACKETS ? packets : tasks)
			err = add_signal(j, how, STATE_KIND_COUNT);
	/* after those that they are made of */
	for (int set = 0; set < TOGETHERS && !err; set++)
		if (states_together_made(j, set))
			err = add_signal(j, MADE_TOGETHER + set, STATE_KIND_COUNT);
	return err;
}

/* ---- all ------------------------------------------------------------------------------------------ */

COMPARISON(by_time, struct explained_look,
	   ORDER(a->from_ns, b->from_ns) ?: ORDER(a->signal, b->signal) ?: ORDER(a->node, b->node))

/* Nodes whose tasks were compared, and in no signal so that it could be told how slow they may be. */
static int used_alone(struct states_job *j)
{
	size_t k = index_if(i, j->n_signals,
			    j->a->signals[j->signals[i].row].resource != RESOURCE_NONE);
	int err = 0;

	for (size_t i = 0; i < j->a->n_nodes && k < j->n_signals && !err; i++)
		if (j->reasons[i].compared)
			err = states_used(j, k, i, NAN);
	return err;
}

static int examine(struct states_job *j)
{
	struct state_span all = span_of(j->s);
	int err = states_nodes(j);

	j->a->from_ns = all.from_ns;
	j->a->to_ns = all.to_ns;
	j->a->n_windows = j->s->n > 0;
	j->a->window_s = j->a->interval_s = s_of_ns(all.to_ns - all.from_ns);
	err = err ?: states_together_init(j) ?: beside_init(j) ?: signals_all(j);
	for (size_t i = 0; i < j->n_signals && !err; i++)
		err = made[j->signals[i].made].judge(j, i);
	err = err ?: used_alone(j);
	verdict_unproven_only(j->a);
	err = err ?: states_notices(j) ?: states_incidents(j);
	sort(j->a->looks, j->a->n_looks, by_time);
	return err ?: states_unjudged(j);
}

int examine_states(const struct analysis_opts *o, const struct states *s, struct verdict *a)
{
	struct states window = {0};
	struct states_job j = {.o = o, .s = s, .a = a};
	int err = 0;

	*a = (struct verdict){.method = ROBUST_NAME, .names_causes = true};
	if (o->from_ns > 0 || o->to_ns < INT64_MAX) {
		err = states_window(&j.room, s, o->from_ns, o->to_ns, &window);
		j.s = &window;
	}
	err = err ?: examine(&j);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	scratch_release(&j.room);
	free(j.signals);
	free(j.found);
	return err;
}
