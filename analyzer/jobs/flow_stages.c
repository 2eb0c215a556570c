// SPDX-License-Identifier: BSD-2-Clause
/*
 * job_flow.h: the causal graph of stages (Spark). What a stage's tasks write is one vertex, which every task of
 * the next stages reads from: Spark's log names no server that data came from. An edge into a task is as long as it
 * waited for data, and as large as what it fetched; with several stages before, none of them is known apart.
 */
#include <errno.h>

#include "internal.h"
#include "userspace/common/sort.h"

static bool feeds(const struct job_flow *f, uint32_t group)
{
	for (uint32_t g = group + 1; g < f->n_groups; g++)
		for (size_t i = 0; i < f->groups[g].n_before; i++)
			if (f->groups[g].before[i] == group)
				return true;
	return false;
}

static int join_task(struct job_flow *f, uint32_t v, uint32_t task, const uint32_t *output)
{
	const struct flow_task *t = &f->tasks[task];
	const struct flow_group *g = &f->groups[t->group];
	struct flow_edge e = flow_edge_of(f, g->n_before == 1 ? t->wait : STATE_NONE);
	int err = 0;

	for (size_t i = 0; i < g->n_before && !err; i++)
		if (output[g->before[i]] != STATE_NONE)
			err = flow_join(f, output[g->before[i]], v, e, false);
	if (err || output[t->group] == STATE_NONE)
		return err;
	e = flow_edge_of(f, t->reducer);
	e.seconds = (float)flow_seconds(f, t->state);
	return flow_join(f, v, output[t->group], e, false);
}

COMPARISON_WITH(by_group, uint32_t, struct flow_task,
		ORDER(with[*a].group, with[*b].group) ?: ORDER(*a, *b))

/* Vertices group by group: tasks, then what they wrote, if anybody reads it. */
static int make_vertices(struct job_flow *f, uint32_t *order, size_t n, uint32_t *output)
{
	int err = 0;

	for (size_t i = 0, next; i < n && !err; i = next) {
		uint32_t g = f->tasks[order[i]].group;

		next = run_end(m, i, n, f->tasks[order[m]].group == g);
		for (size_t k = i; k < next && !err; k++)
			err = flow_vertex(f, FLOW_TASK, f->tasks[order[k]].state, order[k]);
		if (err || !feeds(f, g))
			continue;
		output[g] = (uint32_t)f->n_vertices;
		err = flow_vertex(f, FLOW_STAGE_OUTPUT, STATE_NONE, STATE_NONE);
	}
	return err;
}

int flow_graph_stages(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *order = scratch_array(&room, f->n_tasks, sizeof(*order));
	uint32_t *output = flow_none(&room, f->n_groups);
	size_t n = 0;
	int err;

	if (room.failed)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->n_tasks; t++)
		if (f->tasks[t].done && f->tasks[t].group >= FLOW_FIRST_STAGE)
			order[n++] = t;
	sort_with(order, n, by_group, f->tasks);
	err = make_vertices(f, order, n, output);
	for (uint32_t v = 0; v < f->n_vertices && !err; v++)
		if (f->vertices[v].kind == FLOW_TASK)
			err = join_task(f, v, f->vertices[v].task, output);
	sort(f->edges, f->n_edges, flow_edges_by_from);
	return err;
}
