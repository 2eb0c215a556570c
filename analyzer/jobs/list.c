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

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct straggler_job *)a)->job,
		      ((const struct straggler_job *)b)->job);
}

static bool is_wanted(const struct stragglers *g, const struct state *x)
{
	return state_is_task(x->kind) && x->job < g->s->jobs.n &&
	       (!g->running || x->outcome == OUTCOME_OPEN);
}

int straggler_jobs(struct verdict *v, const struct names *jobs, const bool *has, size_t *number)
{
	int err = 0;

	for (size_t i = 0; i < jobs->n && !err; i++) {
		struct straggler_job *j = has[i] ? array_add(&v->jobs, &v->n_jobs) : NULL;

		if (j)
			snprintf(j->job, sizeof(j->job), "%s", jobs->at[i]);
		else if (has[i])
			err = -ENOMEM;
	}
	sort(v->jobs, v->n_jobs, by_name);
	for (size_t i = 0; i < jobs->n && !err; i++) {
		struct straggler_job key, *j;

		snprintf(key.job, sizeof(key.job), "%s", jobs->at[i]);
		j = has[i] ? search(&key, v->jobs, v->n_jobs, by_name) : NULL;
		number[i] = j ? (size_t)(j - v->jobs) : SIZE_MAX;
	}
	return err;
}

/* Those with tasks. */
static int list_jobs(struct stragglers *g, size_t *number)
{
	const struct states *s = g->s;
	bool *has = calloc(s->jobs.n + 1, sizeof(*has));
	int err = has ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->n && !err; i++)
		if (is_wanted(g, &s->at[i]))
			has[s->at[i].job] = true;
	err = err ? err : straggler_jobs(g->v, &s->jobs, has, number);
	free(has);
	return err;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	char(*nodes)[HOST_LEN] = arg;

	return strcmp(nodes[*(const size_t *)a], nodes[*(const size_t *)b]);
}

int stragglers_servers(struct stragglers *g)
{
	const struct verdict *v = g->v;
	size_t *order = calloc(v->n_nodes + 1, sizeof(*order)), n = v->n_nodes;

	g->row = calloc(g->s->nodes.n + 1, sizeof(*g->row));
	if (!order || !g->row) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	sort_with(order, n, compare_rows, v->nodes);
	for (size_t i = 0; i < g->s->nodes.n; i++) {
		const char *name = g->s->nodes.at[i];
		size_t at = search_first(k, n, strcmp(v->nodes[order[k]], name) < 0);

		g->row[i] = at < n && !strcmp(v->nodes[order[at]], name) ? order[at] : SIZE_MAX;
	}
	free(order);
	return 0;
}

static int by_cell(const void *a, const void *b, void *arg)
{
	const struct stragglers *g = arg;
	const struct found_task *x = a, *y = b;
	const struct state *p = &g->s->at[x->state], *q = &g->s->at[y->state];

	return ORDER(x->job, y->job) ?: ORDER(p->kind, q->kind) ?: ORDER(x->cell, y->cell)
		       ?: ORDER(p->start_ns, q->start_ns) ?: ORDER(x->state, y->state);
}

/* A number for each stage that classes name. */
static int number_stages(const struct states *s, uint32_t *stage)
{
	struct names stages = {0};
	int err = 0;

	for (size_t i = 0; i < s->classes.n && !err; i++) {
		char *name = strndup(s->classes.at[i], task_stage_len(s->classes.at[i]));
		int64_t n = name ? names_add(&stages, name) : -1;

		free(name);
		stage[i] = (uint32_t)n + 1;
		err = n < 0 ? -ENOMEM : 0;
	}
	names_release(&stages);
	return err;
}

/* Cells become numbers of their own, one after the other. */
static void number_cells(struct stragglers *g)
{
	uint32_t cell = 0;

	for (size_t i = 0, end; i < g->n; i = end, cell++) {
		const struct found_task first = g->at[i];
		uint8_t kind = g->s->at[first.state].kind;

		end = run_end(m, i, g->n,
			      g->at[m].job == first.job && g->at[m].cell == first.cell &&
				      g->s->at[g->at[m].state].kind == kind);
		for (size_t k = i; k < end; k++)
			g->at[k].cell =
				cell + UINT32_MAX / 2; /* apart from what is to be compared yet */
	}
}

/* number: as list_jobs() leaves it. */
static bool is_listed(const struct states *s, const struct state *x, const size_t *number)
{
	return state_is_task(x->kind) && x->job < s->jobs.n && x->end_ns >= x->start_ns &&
	       number[x->job] != SIZE_MAX;
}

int stragglers_tasks(struct stragglers *g)
{
	size_t n = 0;
	const struct states *s = g->s;
	size_t *number = calloc(s->jobs.n + 1, sizeof(*number));
	uint32_t *stage = calloc(s->classes.n + 1, sizeof(*stage));
	int err = number && stage ? 0 : -ENOMEM;

	err = err ? err : list_jobs(g, number);
	for (size_t i = 0; i < s->n && !err; i++)
		n += is_listed(s, &s->at[i], number);
	g->at = calloc(n + 1, sizeof(*g->at));
	err = g->at ? err : -ENOMEM;
	err = err || !n ? err : number_stages(s, stage);
	for (size_t i = 0; i < s->n && n && !err; i++) {
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
	if (!err) {
		sort_with(g->at, g->n, by_cell, g);
		number_cells(g);
	}
	free(number);
	free(stage);
	return err;
}
