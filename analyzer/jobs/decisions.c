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
	for (size_t k = g->first[job]; k < g->first[job + 1]; k++)
		if (g->at[k].straggler && g->at[k].node != SIZE_MAX)
			g->late[g->at[k].node]++;
	for (size_t k = g->first[job]; k < g->first[job + 1]; k++) {
		size_t i = g->at[k].node, own = i == SIZE_MAX ? 0 : g->late[i];

		/* of several the first */
		if (own > *n || (own && own == *n && i < best)) {
			*n = own;
			best = i;
		}
	}
	for (size_t k = g->first[job]; k < g->first[job + 1]; k++)
		if (g->at[k].node != SIZE_MAX)
			g->late[g->at[k].node] = 0;
	return *n < 2 || (double)*n < MOST * (double)j->stragglers ? SIZE_MAX : best;
}

static bool by_server(const struct stragglers *g, struct straggler_job *j, size_t job)
{
	size_t n, node = server_of_most(g, j, job, &n);

	for (size_t i = 0; i < g->v->n_incidents && node != SIZE_MAX; i++) {
		const struct incident *in = &g->v->incidents[i];

		if (in->node != node || in->suspicion || (g->running && !in->open))
			continue;
		snprintf(j->decision, sizeof(j->decision), "%zu of %zu are on %s, which limps: %s",
			 n, j->stragglers, g->v->nodes[node], cause_table[in->cause].word);
		snprintf(j->subject, sizeof(j->subject), "%s", g->v->nodes[node]);
		return true;
	}
	return false;
}

static bool by_cause(const struct stragglers *g, struct straggler_job *j, size_t job)
{
	(void)job;
	for (size_t c = 0; c < g->v->n_task_causes && j->stragglers; c++) {
		double share = (double)j->of[c] / (double)j->stragglers;
		double all = j->looked_at ? (double)j->all[c] / (double)j->looked_at : 0;
		int used;

		if (!(j->known >> c & 1) || share < MOST || share < OFTENER * all)
			continue;
		used = j->of[c] == j->stragglers ? snprintf(j->decision, sizeof(j->decision),
							    "all %zu", j->stragglers)
						 : snprintf(j->decision, sizeof(j->decision),
							    "%zu of %zu", j->of[c], j->stragglers);
		snprintf(j->decision + used, sizeof(j->decision) - (size_t)used,
			 ": %s (%.0f %% of all tasks)", g->v->task_causes[c].what, 100 * all);
		snprintf(j->subject, sizeof(j->subject), "%s", g->v->task_causes[c].word);
		return true;
	}
	return false;
}

static bool by_place(const struct stragglers *g, struct straggler_job *j, size_t job)
{
	size_t n, node = server_of_most(g, j, job, &n);

	if (node == SIZE_MAX)
		return false;
	snprintf(j->decision, sizeof(j->decision), "%zu of %zu are on %s, which is not indicted", n,
		 j->stragglers, g->v->nodes[node]);
	snprintf(j->subject, sizeof(j->subject), "%s", g->v->nodes[node]);
	return true;
}

static bool unknown(const struct stragglers *g, struct straggler_job *j, size_t job)
{
	(void)g, (void)job;
	snprintf(j->decision, sizeof(j->decision), "they have nothing in common that is known");
	return true;
}

const struct decision decisions[] = {
	{"server", "most are on one server, which limps", by_server},
	{"cause", "most have one cause, more often than other tasks", by_cause},
	{"place", "most are on one server, which is not indicted", by_place},
	{"unknown", "they have nothing in common that is known", unknown},
	{0},
};
