// SPDX-License-Identifier: BSD-2-Clause
/* Lists who could not be judged, on what, and why. */
#include "unjudged.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metrics somebody was judged on, but not this node of the frame (SIZE_MAX: not in it). */
static uint64_t missed(const struct judgement *j, size_t node)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < j->n_coverage && i < 64; i++) {
		const struct coverage *c = &j->coverage[i];

		if (c->judged && (node == SIZE_MAX || !c->voted[node]))
			mask |= 1ull << i;
	}
	return mask;
}

/* Whether training saw this node of the model on any of these metrics. */
static bool was_trained(const struct model *m, const struct frame *f, size_t node,
			const struct judgement *j, uint64_t mask)
{
	for (size_t i = 0; i < j->n_coverage && i < 64; i++) {
		const struct coverage *c = &j->coverage[i];
		const struct trained *t =
			mask >> i & 1 ? model_find(m, c->method, frame_metric(f, c->metric)->name)
				      : NULL;

		if ((t && !isnan(t->value[node])) || (mask >> i & 1 && !t))
			return true; /* or it is a method that does not train by node */
	}
	return false;
}

static int by_group(const void *a, const void *b)
{
	const struct unjudged *x = a, *y = b;
	int c;

	if (x->partly != y->partly)
		return x->partly ? 1 : -1;
	if (x->coverage != y->coverage)
		return x->coverage < y->coverage ? -1 : 1;
	c = strcmp(x->why, y->why);
	return c ? c : strcmp(x->node, y->node);
}

int unjudged_list(const struct model *m, const struct frame *f, const struct judgement *j,
		  bool nothing, struct unjudged **all, size_t *n)
{
	size_t next = 0; /* of the frame; its nodes are some of the model's, in the same order */

	*n = 0;
	*all = calloc(m->n_nodes + 1, sizeof(**all));
	if (!*all)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_nodes; i++) {
		bool here = next < f->n_nodes && !strcmp(f->nodes[next], m->nodes[i]);
		size_t node = here ? next++ : SIZE_MAX;
		struct unjudged u = {.node = m->nodes[i], .coverage = missed(j, node)};

		if (!u.coverage && !nothing)
			continue;
		u.partly = here && judgement_of(j, node);
		if (!here && f->n_nodes)
			u.why = "in the model but not in the data";
		else if (!here || !frame_has(f, node))
			u.why = "no data in this time";
		else if (nothing)
			u.why = "nobody could be judged";
		else if (m->group[i] < 0)
			u.why = "in no group of peers";
		else if (!was_trained(m, f, i, j, u.coverage))
			u.why = "no data in training";
		else
			u.why = "too little data in this time";
		(*all)[(*n)++] = u;
	}
	if (*n)
		qsort(*all, *n, sizeof(**all), by_group);
	return 0;
}
