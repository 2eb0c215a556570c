// SPDX-License-Identifier: BSD-2-Clause
/* stragglers.h: the attempts of tasks that are looked at, their jobs, cells and servers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stragglers.h"
#include "task_facts.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/common/text_clean.h"

COMPARISON(by_name, struct straggler_job, strcmp(a->job, b->job))

static bool is_wanted(const struct stragglers *g, const struct state *x)
{
	return state_is_task(x->kind) && x->job < g->s->jobs.n &&
	       (!g->running || x->outcome == OUTCOME_OPEN);
}

int straggler_jobs(struct verdict *v, const struct names *jobs, const bool *has, size_t *number)
{
	for (size_t i = 0; i < jobs->n; i++) {
		struct straggler_job *j = has[i] ? array_add(&v->jobs, &v->n_jobs) : NULL;

		if (has[i] && !j)
			return -ENOMEM;
		if (j)
			text_fit(j->job, sizeof(j->job), jobs->at[i]);
	}
	sort(v->jobs, v->n_jobs, by_name);
	for (size_t i = 0; i < jobs->n; i++) {
		struct straggler_job key, *j;

		text_fit(key.job, sizeof(key.job), jobs->at[i]);
		j = has[i] ? search(&key, v->jobs, v->n_jobs, by_name) : NULL;
		number[i] = j ? (size_t)(j - v->jobs) : SIZE_MAX;
	}
	return 0;
}

/* Those with tasks. */
static int list_jobs(struct stragglers *g, size_t *number)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct states *s = g->s;
	bool *has = scratch_array(&room, s->jobs.n, sizeof(*has));

	if (!has)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (is_wanted(g, &s->at[i]))
			has[s->at[i].job] = true;
	return straggler_jobs(g->v, &s->jobs, has, number);
}

int stragglers_servers(struct stragglers *g)
{
	const struct names *nodes = &g->s->nodes;

	g->row = scratch_array(&g->room, nodes->n, sizeof(*g->row));
	if (!g->row)
		return -ENOMEM;
	for (size_t i = 0; i < nodes->n; i++)
		g->row[i] = SIZE_MAX;
	for (size_t i = 0; i < g->v->n_nodes; i++) {
		int64_t at = names_find(nodes, g->v->nodes[i]);

		if (at >= 0)
			g->row[at] = i;
	}
	return 0;
}

/* By job, kind and stage. */
static int by_stage(const struct stragglers *g, const struct found_task *x,
		    const struct found_task *y)
{
	const struct state *p = &g->s->at[x->state], *q = &g->s->at[y->state];

	return ORDER(x->job, y->job) ?: ORDER(p->kind, q->kind) ?: ORDER(x->cell, y->cell);
}

static int by_cell(const void *a, const void *b, void *arg)
{
	const struct stragglers *g = arg;
	const struct found_task *x = a, *y = b;
	const struct state *p = &g->s->at[x->state], *q = &g->s->at[y->state];

	return by_stage(g, x, y) ?: ORDER(p->start_ns, q->start_ns) ?: ORDER(x->state, y->state);
}

/* A number for each stage that classes name. */
static int number_stages(const struct states *s, uint32_t *stage)
{
	struct names stages = {0};
	int64_t n = 0;

	for (size_t i = 0; i < s->classes.n && n >= 0; i++) {
		const char *cls = s->classes.at[i];

		n = names_add_n(&stages, cls, task_stage_len(cls));
		stage[i] = (uint32_t)n + 1;
	}
	names_release(&stages);
	return n < 0 ? -ENOMEM : 0;
}

/* Cells become numbers of their own, one after the other. */
static void number_cells(struct stragglers *g)
{
	uint32_t cell = 0;

	for (size_t i = 0, end; i < g->n; i = end, cell++) {
		end = run_end(m, i, g->n, !by_stage(g, &g->at[m], &g->at[i]));
		for (size_t k = i; k < end; k++)
			g->at[k].cell = cell;
	}
}

static int number_jobs(struct stragglers *g)
{
	size_t n = 0;

	g->first = scratch_array(&g->room, g->v->n_jobs + 1, sizeof(*g->first));
	g->late = scratch_array(&g->room, g->v->n_nodes, sizeof(*g->late));
	if (!g->first || !g->late)
		return -ENOMEM;
	for (size_t i = 0; i < g->v->n_jobs; i++) {
		g->first[i] = n;
		while (n < g->n && g->at[n].job == i)
			n++;
	}
	g->first[g->v->n_jobs] = n;
	return 0;
}

/* number: as list_jobs() leaves it. */
static bool is_listed(const struct states *s, const struct state *x, const size_t *number)
{
	return state_is_task(x->kind) && x->job < s->jobs.n && x->end_ns >= x->start_ns &&
	       number[x->job] != SIZE_MAX;
}

int stragglers_tasks(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct states *s = g->s;
	size_t *number = scratch_array(&room, s->jobs.n, sizeof(*number)), n = 0;
	uint32_t *stage = scratch_array(&room, s->classes.n, sizeof(*stage));

	if (room.failed || list_jobs(g, number))
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		n += is_listed(s, &s->at[i], number);
	g->at = scratch_array(&g->room, n, sizeof(*g->at));
	if (!g->at || (n && number_stages(s, stage)))
		return -ENOMEM;
	for (size_t i = 0; i < s->n && n; i++) {
		const struct state *x = &s->at[i];

		if (!is_listed(s, x, number))
			continue;
		g->at[g->n++] =
			(struct found_task){.state = (uint32_t)i,
					    .cell = x->cls < s->classes.n ? stage[x->cls] : 0,
					    .node = g->row[x->node],
					    .job = number[x->job],
					    .takes_s = NAN,
					    .usual_s = NAN,
					    .usual_volume = NAN,
					    .usual_cpu_s = NAN};
	}
	sort_with(g->at, g->n, by_cell, g);
	number_cells(g);
	return number_jobs(g);
}

/* ---- for those who watch ------------------------------------------------------------------------------------ */

/* Late ones first, then what jobs waited for, then what runs, then what ended last. */
static int late_and_newest_first(const void *a, const void *b, void *arg)
{
	const struct stragglers *g = arg;
	const struct found_task *x = a, *y = b;
	const struct state *p = &g->s->at[x->state], *q = &g->s->at[y->state];

	return ORDER(y->straggler, x->straggler)
		       ?: ORDER(g->waited_for[y->state], g->waited_for[x->state])
		       ?: ORDER(q->outcome == OUTCOME_OPEN, p->outcome == OUTCOME_OPEN)
		       ?: ORDER(q->end_ns, p->end_ns) ?: ORDER(x->state, y->state);
}

COMPARISON(by_server, struct job_task,
	   ORDER(a->job, b->job) ?: ORDER(a->node, b->node) ?: ORDER(a->start_ns, b->start_ns)
		   ?: strcmp(a->task, b->task))

static struct job_task shown(const struct stragglers *g, const struct found_task *t)
{
	const struct state *x = &g->s->at[t->state];
	struct job_task one = {.node = t->node,
			       .job = t->job,
			       .kind = state_rows[x->kind].word,
			       .outcome = outcome_words[x->outcome],
			       .straggler = t->straggler,
			       .waited_for = g->waited_for[t->state],
			       .progress = x->outcome == OUTCOME_OPEN ? x->progress : NAN,
			       .start_ns = x->start_ns,
			       .end_ns = x->end_ns,
			       .takes_s = t->takes_s,
			       .usual_s = t->usual_s,
			       .causes = t->causes};

	text_fit(one.task, sizeof(one.task), g->s->ids.at[x->id]);
	if (x->cls < g->s->classes.n)
		snprintf(one.stage, sizeof(one.stage), "%.*s",
			 (int)task_stage_len(g->s->classes.at[x->cls]), g->s->classes.at[x->cls]);
	return one;
}

int stragglers_show(struct stragglers *g)
{
	struct verdict *v = g->v;

	if (g->n > JOB_TASKS_MAX)
		sort_with(g->at, g->n, late_and_newest_first, g);
	for (size_t i = 0; i < g->n && v->n_tasks < JOB_TASKS_MAX; i++)
		if (g->at[i].node != SIZE_MAX &&
		    array_put(&v->tasks, &v->n_tasks, shown(g, &g->at[i])))
			return -ENOMEM;
	v->tasks_left_out = g->n > JOB_TASKS_MAX ? g->n - JOB_TASKS_MAX : 0;
	sort(v->tasks, v->n_tasks, by_server);
	return 0;
}

int stragglers_show_states(struct stragglers *g)
{
	const struct states *s = g->s;
	struct verdict *v = g->v;

	for (size_t i = s->n; i-- && v->n_states < JOB_STATES_MAX;) {
		const struct state *x = &s->at[i];
		struct job_state one = {.node = g->row[x->node],
					.kind = state_rows[x->kind].word,
					.outcome = outcome_words[x->outcome],
					.start_ns = x->start_ns,
					.end_ns = x->end_ns,
					.bytes = x->bytes};

		if (state_is_task(x->kind) || one.node == SIZE_MAX)
			continue;
		if (x->peer != STATE_NONE)
			text_fit(one.peer, sizeof(one.peer), s->nodes.at[x->peer]);
		text_fit(one.id, sizeof(one.id), s->ids.at[x->id]);
		if (x->job != STATE_NONE)
			text_fit(one.job, sizeof(one.job), s->jobs.at[x->job]);
		if (array_put(&v->states, &v->n_states, one))
			return -ENOMEM;
	}
	return 0;
}
