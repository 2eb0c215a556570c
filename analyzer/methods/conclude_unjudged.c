// SPDX-License-Identifier: BSD-2-Clause
/* conclude.h: the servers, and who could not be judged, on what, and why. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conclude.h"
#include "method.h"

struct unjudged_listing {
	struct verdict *v;
	const struct frame *f;
	const struct model *m;
	const struct judgement *j;
	uint32_t *size; /* of each group of the model: servers */
	bool *missed; /* rows of coverage on which somebody was judged, but not the server at hand */
};

/* Here: the node's number in the frame; SIZE_MAX: it is not in it. Returns whether any was missed; *partly: whether it
 * was judged on any. */
static bool find_missed(struct unjudged_listing *l, size_t here, bool *partly)
{
	bool any = false;

	*partly = false;
	for (size_t i = 0; i < l->j->n_coverage; i++) {
		const struct coverage *c = &l->j->coverage[i];
		bool voted = here != SIZE_MAX && c->voted[here];

		l->missed[i] = c->judged && !voted;
		any |= l->missed[i];
		*partly |= voted;
	}
	return any;
}

/* Whether training saw this node of the model on any of the metrics that were missed. */
static bool was_trained(const struct unjudged_listing *l, size_t known)
{
	for (size_t i = 0; i < l->j->n_coverage; i++) {
		const struct coverage *c = &l->j->coverage[i];
		const struct trained *t =
			l->missed[i]
				? model_find(l->m, c->method, frame_metric(l->f, c->metric)->name)
				: NULL;

		if ((t && !isnan(t->value[known])) || (l->missed[i] && !t))
			return true; /* or it is a method that does not train by node */
	}
	return false;
}

/* Why node `known` of the model, which is this node of the frame, was not judged. */
static enum unjudged_why why_known(const struct unjudged_listing *l, size_t known, size_t here,
				   bool missed)
{
	int32_t group = l->m->group[known];

	if (here == SIZE_MAX && l->f->n_nodes)
		return UNJUDGED_MODEL_ONLY;
	if (here == SIZE_MAX || !frame_has(l->f, here))
		return UNJUDGED_NO_DATA;
	if (group < 0)
		return UNJUDGED_NO_GROUP;
	if (group < SOURCE_HOSTS_MAX && l->size[group] < NODES_MIN)
		return UNJUDGED_SMALL_GROUP;
	if (!judgement_made(l->j))
		return UNJUDGED_NOBODY;
	return !missed || was_trained(l, known) ? UNJUDGED_LITTLE : UNJUDGED_UNTRAINED;
}

static int unjudged_add(struct unjudged_listing *l, size_t node, size_t signal,
			enum unjudged_why why)
{
	return verdict_add_unjudged(l->v,
				    &(struct unjudged){.node = node, .signal = signal, .why = why});
}

/* One server of frame (here), model (known), or both, under this number in the verdict. Rows of coverage are
 * the first rows of the verdict's signals. */
static int list_server(struct unjudged_listing *l, size_t node, size_t here, size_t known)
{
	bool partly, missed = find_missed(l, here, &partly);
	enum unjudged_why why;
	int err = 0;

	l->v->judged[node] = partly && !l->v->cannot.why;
	if (!missed && partly && !l->v->cannot.why)
		return 0;
	why = known != SIZE_MAX	       ? why_known(l, known, here, missed)
	      : !frame_has(l->f, here) ? UNJUDGED_NO_DATA
				       : UNJUDGED_UNKNOWN;
	if (!l->v->judged[node])
		return unjudged_add(l, node, SIGNAL_ALL, why);
	for (size_t i = 0; i < l->j->n_coverage && !err; i++)
		if (l->missed[i])
			err = unjudged_add(l, node, i, why);
	return err;
}

/* The model's nodes and the frame's, both ascending, side by side. Those of the frame keep their numbers. */
static int list_servers(struct unjudged_listing *l)
{
	struct verdict *v = l->v;
	size_t i = 0, node = 0;
	int err = 0;

	for (size_t k = 0; k < l->f->n_nodes; k++)
		memcpy(v->nodes[k], l->f->nodes[k], HOST_LEN);
	v->n_nodes = l->f->n_nodes;
	while ((i < l->m->n_nodes || node < l->f->n_nodes) && !err) {
		int order = i == l->m->n_nodes	    ? 1
			    : node == l->f->n_nodes ? -1
						    : strcmp(l->m->nodes[i], l->f->nodes[node]);
		size_t here = order < 0 ? SIZE_MAX : node++, known = order > 0 ? SIZE_MAX : i++;
		size_t number = here;

		if (here == SIZE_MAX) {
			number = v->n_nodes++;
			memcpy(v->nodes[number], l->m->nodes[known], HOST_LEN);
		}
		err = list_server(l, number, here, known);
	}
	return err;
}

/* A threshold that nothing can be over is no judgement of this metric. */
static int list_blind(struct unjudged_listing *l)
{
	int err = 0;

	for (size_t i = 0; i < l->j->n_blind && !err; i++) {
		const struct blind *b = &l->j->blind[i];
		const struct coverage *c = judgement_coverage(l->j, b->metric, b->method);
		struct unjudged u = {.node = b->node,
				     .why = UNJUDGED_BLIND,
				     .threshold = b->threshold,
				     .most = b->most};

		if (!c)
			continue;
		u.signal = (size_t)(c - l->j->coverage);
		err = verdict_add_unjudged(l->v, &u);
	}
	return err;
}

int conclude_servers(struct verdict *v, const struct conclusion *c)
{
	const struct model *m = c->model;
	struct unjudged_listing l = {.v = v, .f = c->frame, .m = m, .j = c->judgement};
	size_t most = c->frame->n_nodes + m->n_nodes + 1;
	int err = -ENOMEM;

	v->nodes = calloc(most, sizeof(*v->nodes));
	v->judged = calloc(most, sizeof(*v->judged));
	l.size = calloc(SOURCE_HOSTS_MAX, sizeof(*l.size));
	l.missed = calloc(c->judgement->n_coverage + 1, sizeof(*l.missed));
	if (!v->nodes || !v->judged || !l.size || !l.missed)
		goto out;
	for (size_t i = 0; i < m->n_nodes; i++)
		if (m->group[i] >= 0 && m->group[i] < SOURCE_HOSTS_MAX)
			l.size[m->group[i]]++;
	err = list_servers(&l) ?: list_blind(&l);
out:
	free(l.size);
	free(l.missed);
	return err;
}
