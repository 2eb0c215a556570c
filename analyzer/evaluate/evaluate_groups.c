// SPDX-License-Identifier: BSD-2-Clause
/* Sorts labelled runs into groups: each fault and workload of a cluster, each of the three, all. */
#include "evaluate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

const char *const group_kind_names[GROUP_KINDS] = {
	[GROUP_CELL] = "cell",	     [GROUP_FAULT] = "fault",	      [GROUP_WORKLOAD] = "workload",
	[GROUP_CLUSTER] = "cluster", [GROUP_INTENSITY] = "intensity", [GROUP_ALL] = "all",
};

/* Which words make a group of each kind. */
static const struct {
	bool cluster, fault, workload, intensity;
} by[GROUP_KINDS] = {
	[GROUP_CELL] = {true, true, true},
	[GROUP_FAULT] = {.fault = true},
	[GROUP_WORKLOAD] = {.workload = true},
	[GROUP_CLUSTER] = {.cluster = true},
	[GROUP_INTENSITY] = {.fault = true, .intensity = true},
};

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The group of that kind for a run; new if there is none yet. NULL: no memory. */
static struct group *find_group(struct evaluation *all, enum group_kind kind, size_t first,
				const struct labelled *l)
{
	struct group g = {.kind = kind,
			  .cluster = by[kind].cluster ? l->cluster : NULL,
			  .fault = by[kind].fault ? l->fault : NULL,
			  .workload = by[kind].workload ? l->workload : NULL,
			  .intensity = by[kind].intensity ? l->intensity : NULL};

	for (size_t i = first; i < all->n_groups; i++) {
		const struct group *o = &all->groups[i];

		if (same(o->cluster, g.cluster) && same(o->fault, g.fault) &&
		    same(o->workload, g.workload) && same(o->intensity, g.intensity))
			return &all->groups[i];
	}
	return array_put(&all->groups, &all->n_groups, g) ? NULL : &all->groups[all->n_groups - 1];
}

/* NaN: it is none. */
static double number_of(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	return end != text && !*end && isfinite(x) ? x : NAN;
}

int evaluate_groups(struct evaluation *all)
{
	for (int kind = 0; kind < GROUP_KINDS; kind++) {
		size_t first = all->n_groups;

		for (size_t i = 0; i < all->n_runs; i++) {
			const struct evaluated *e = &all->runs[i];
			struct group *g;

			if (kind == GROUP_INTENSITY &&
			    (isnan(number_of(e->label->intensity)) || !e->label->n_nodes))
				continue;
			g = find_group(all, (enum group_kind)kind, first, e->label);
			if (!g || score_add(&g->score, &e->outcome))
				return -ENOMEM;
		}
	}
	return 0;
}

double evaluate_power(const struct evaluation *all, const char *fault, double share)
{
	double most_missed = -INFINITY, least = INFINITY;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < all->n_groups; i++) {
			const struct group *g = &all->groups[i];
			double x = g->kind == GROUP_INTENSITY ? number_of(g->intensity) : NAN;

			if (isnan(x) || strcmp(g->fault, fault))
				continue;
			if (!pass && rate_value(g->score.rate[RATE_ITP]) < share)
				most_missed = fmax(most_missed, x);
			if (pass && x > most_missed)
				least = fmin(least, x);
		}
	}
	return isfinite(least) ? least : NAN;
}

void evaluation_release(struct evaluation *all)
{
	for (size_t i = 0; i < all->n_runs; i++) {
		free(all->runs[i].why);
		free(all->runs[i].incidents);
	}
	for (size_t i = 0; i < all->n_groups; i++)
		score_release(&all->groups[i].score);
	free(all->runs);
	free(all->groups);
	*all = (struct evaluation){0};
}
