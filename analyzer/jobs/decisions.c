// SPDX-License-Identifier: BSD-2-Clause
/* What to make of a job's stragglers: the first row that has a sentence. */
#include <stdio.h>
#include <string.h>

#include "stragglers.h"

/* So many of a job's stragglers are most of them, and so many times as often as among all tasks it is no chance [D]. */
#define MOST	0.5
#define OFTENER 1.5

/* The server on which most of a job's stragglers are, n of them; SIZE_MAX: they are not on one. */
static size_t server_of_most(const struct stragglers *g, const struct straggler_job *j, size_t job,
			     size_t *n)
{
	size_t best = SIZE_MAX;

	*n = 0;
	for (size_t i = 0; i < g->v->n_nodes; i++) {
		size_t own = 0;

		for (size_t k = 0; k < g->n; k++)
			own += g->at[k].straggler && g->at[k].job == job && g->at[k].node == i;
		if (own > *n) {
			*n = own;
			best = i;
		}
	}
	return *n < 2 || (double)*n < MOST * (double)j->stragglers ? SIZE_MAX : best;
}

static bool by_server(const struct stragglers *g, const struct straggler_job *j, size_t job,
		      char *text, size_t size)
{
	size_t n, node = server_of_most(g, j, job, &n);

	for (size_t i = 0; i < g->v->n_incidents && node != SIZE_MAX; i++) {
		const struct incident *in = &g->v->incidents[i];

		if (in->node != node || in->suspicious)
			continue;
		snprintf(text, size, "%zu of %zu are on %s, which limps: %s", n, j->stragglers,
			 g->v->nodes[node], cause_table[in->cause].word);
		return true;
	}
	return false;
}

static bool by_cause(const struct stragglers *g, const struct straggler_job *j, size_t job,
		     char *text, size_t size)
{
	(void)job;
	for (size_t c = 0; c < g->v->n_task_causes && j->stragglers; c++) {
		double share = (double)j->of[c] / (double)j->stragglers;
		double all = j->looked_at ? (double)j->all[c] / (double)j->looked_at : 0;
		int used;

		if (!(j->known >> c & 1) || share < MOST || share < OFTENER * all)
			continue;
		used = j->of[c] == j->stragglers
			       ? snprintf(text, size, "all %zu", j->stragglers)
			       : snprintf(text, size, "%zu of %zu", j->of[c], j->stragglers);
		snprintf(text + used, size - (size_t)used, ": %s (%.0f %% of all tasks)",
			 g->v->task_causes[c].what, 100 * all);
		return true;
	}
	return false;
}

static bool by_place(const struct stragglers *g, const struct straggler_job *j, size_t job,
		     char *text, size_t size)
{
	size_t n, node = server_of_most(g, j, job, &n);

	if (node != SIZE_MAX)
		snprintf(text, size, "%zu of %zu are on %s, which is not indicted", n,
			 j->stragglers, g->v->nodes[node]);
	return node != SIZE_MAX;
}

static bool unknown(const struct stragglers *g, const struct straggler_job *j, size_t job,
		    char *text, size_t size)
{
	(void)g;
	(void)job;
	if (j->stragglers)
		snprintf(text, size, "they have nothing in common that is known");
	return j->stragglers;
}

const struct decision decisions[] = {
	{"server", by_server}, {"cause", by_cause}, {"place", by_place}, {"unknown", unknown}, {0},
};
