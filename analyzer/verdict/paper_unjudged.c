// SPDX-License-Identifier: BSD-2-Clause
/* Lists who could not be judged, on what, and why. */
#include "paper_unjudged.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/method.h"
#include "userspace/common/sort.h"

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
	const struct paper_unjudged *x = a, *y = b;
	int c;

	if (x->partly != y->partly)
		return x->partly ? 1 : -1;
	if (x->coverage != y->coverage)
		return x->coverage < y->coverage ? -1 : 1;
	c = strcmp(x->why, y->why);
	return c ? c : strcmp(x->node, y->node);
}

/* How many servers each group of the model has; NULL: out of memory. */
static uint32_t *group_sizes(const struct model *m)
{
	uint32_t *size = calloc(FRAME_NODES_MAX, sizeof(*size));

	for (size_t i = 0; size && i < m->n_nodes; i++)
		if (m->group[i] >= 0 && m->group[i] < FRAME_NODES_MAX)
			size[m->group[i]]++;
	return size;
}

/* Why node i of the model, which is this node of the frame, was not judged. */
static const char *why_known(const struct model *m, const struct frame *f,
			     const struct judgement *j, const uint32_t *size, size_t i, size_t node,
			     uint64_t mask)
{
	int32_t group = m->group[i];

	if (node == SIZE_MAX && f->n_nodes)
		return "in the model but not in the data";
	if (node == SIZE_MAX || !frame_has(f, node))
		return "no data in this time";
	if (group < 0)
		return "in no group of peers";
	if (group < FRAME_NODES_MAX && size[group] < NODES_MIN)
		return "its group has fewer than three servers";
	if (!judgement_made(j))
		return "no server could be judged";
	return !mask || was_trained(m, f, i, j, mask) ? "too little data in this time"
						      : "no data in training";
}

int paper_unjudged_list(const struct model *m, const struct frame *f, const struct judgement *j,
			bool nothing, struct paper_unjudged **all, size_t *n)
{
	size_t i = 0,
	       node = 0; /* the model's nodes and the frame's, both ascending, side by side */
	uint32_t *size = group_sizes(m);

	*n = 0;
	*all = calloc(m->n_nodes + f->n_nodes + 1, sizeof(**all));
	if (!*all || !size) {
		free(*all);
		free(size);
		*all = NULL;
		return -ENOMEM;
	}
	while (i < m->n_nodes || node < f->n_nodes) {
		int order = i == m->n_nodes	 ? 1
			    : node == f->n_nodes ? -1
						 : strcmp(m->nodes[i], f->nodes[node]);
		size_t here = order < 0 ? SIZE_MAX : node++;
		size_t known = order > 0 ? SIZE_MAX : i++;
		struct paper_unjudged u = {.coverage = missed(j, here),
					   .partly = here != SIZE_MAX && judgement_of(j, here)};

		/* a mask of 64 may miss a metric, but not that there was none */
		if (!u.coverage && !nothing && u.partly)
			continue;
		u.node = order > 0 ? f->nodes[here] : m->nodes[known];
		u.why = order <= 0	      ? why_known(m, f, j, size, known, here, u.coverage)
			: !frame_has(f, here) ? "no data in this time"
					      : "not in the model, and too little data or no peers";
		(*all)[(*n)++] = u;
	}
	free(size);
	if (*n)
		sort(*all, *n, by_group);
	return 0;
}
