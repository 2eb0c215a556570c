// SPDX-License-Identifier: BSD-2-Clause
/* verdict_join.h: numbers of servers and signals change, everything else moves. */
#include "verdict_join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* What numbers become. */
struct renumber {
	const size_t *node;
	size_t signals; /* before b's */
};

static void renode(const struct renumber *r, size_t *node)
{
	if (*node != SIZE_MAX)
		*node = r->node[*node];
}

static void resignal(const struct renumber *r, size_t *signal)
{
	if (*signal != SIGNAL_ALL)
		*signal += r->signals;
}

static void refinding(const struct renumber *r, struct finding *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		renode(r, &f[i].node);
		resignal(r, &f[i].signal);
	}
}

static void renumber(struct verdict *v, const struct renumber *r)
{
	for (size_t i = 0; i < v->n_incidents; i++) {
		renode(r, &v->incidents[i].node);
		resignal(r, &v->incidents[i].detail.signal);
		resignal(r, &v->incidents[i].impact.detail.signal);
		refinding(r, v->incidents[i].findings, v->incidents[i].n_findings);
	}
	for (size_t i = 0; i < v->n_notices; i++) {
		renode(r, &v->notices[i].node);
		if (v->notices[i].kind == NOTICE_STOLEN)
			renode(r, &v->notices[i].most);
		resignal(r, &v->notices[i].signal);
		resignal(r, &v->notices[i].detail.signal);
	}
	for (size_t i = 0; i < v->n_unjudged; i++) {
		renode(r, &v->unjudged[i].node);
		resignal(r, &v->unjudged[i].signal);
	}
	for (size_t i = 0; i < v->n_parts; i++)
		renode(r, &v->parts[i].node);
	for (size_t i = 0; i < v->n_gaps; i++)
		renode(r, &v->gaps[i].node);
	for (size_t i = 0; i < v->n_unproven; i++) {
		renode(r, &v->unproven[i].node);
		resignal(r, &v->unproven[i].signal);
	}
	for (size_t i = 0; i < v->n_looks; i++) {
		renode(r, &v->looks[i].node);
		resignal(r, &v->looks[i].signal);
	}
	for (size_t i = 0; i < v->n_durations; i++) {
		renode(r, &v->durations[i].node);
		resignal(r, &v->durations[i].signal);
	}
	refinding(r, v->ruled_out, v->n_ruled_out);
}

/* ---- servers ------------------------------------------------------------------------------------- */

/* a's groups count. A server that b alone has is in b's group where people listed both. */
static int32_t joined_group(const struct verdict *a, const struct verdict *b, size_t k)
{
	if (!a->n_groups || k < a->n_nodes)
		return a->n_groups ? a->group[k] : 0;
	return a->n_groups == b->n_groups && !a->kinds ? b->group[k - a->n_nodes] : -1;
}

/* The servers of both in order; b's are numbered after all of a's. map: the new number of each of a's, then of b's. */
static int join_nodes(struct verdict *a, const struct verdict *b, size_t *map)
{
	size_t all = a->n_nodes + b->n_nodes, n = 0;
	struct numbered_name *order = calloc(all + 1, sizeof(*order));
	char(*nodes)[HOST_LEN] = calloc(all + 1, sizeof(*nodes));
	bool *judged = calloc(all + 1, sizeof(*judged));
	int32_t *group = calloc(all + 1, sizeof(*group));

	if (!order || !nodes || !judged || !group) {
		free(order);
		free(nodes);
		free(judged);
		free(group);
		return -ENOMEM;
	}
	for (size_t i = 0; i < all; i++)
		order[i] = (struct numbered_name){
			i < a->n_nodes ? a->nodes[i] : b->nodes[i - a->n_nodes], i};
	sort(order, all, by_numbered_name);
	for (size_t i = 0; i < all; i++) {
		size_t k = order[i].number;

		if (!i || strcmp(order[i].name, nodes[n - 1]) != 0) {
			group[n] = -1;
			snprintf(nodes[n++], HOST_LEN, "%s", order[i].name);
		}
		map[k] = n - 1;
		if (group[n - 1] < 0)
			group[n - 1] = joined_group(a, b, k);
		judged[n - 1] |= k < a->n_nodes ? a->judged[k] : b->judged[k - a->n_nodes];
	}
	free(order);
	free(a->nodes);
	free(a->judged);
	a->nodes = nodes;
	a->judged = judged;
	free(a->group);
	a->group = group;
	a->n_nodes = n;
	return 0;
}

/* ---- everything else ------------------------------------------------------------------------------ */

/* b's elements after a's, in an array of array.h, whoever made theirs; b has none then. */
#define APPEND(a, b, field)                                                           \
	({                                                                            \
		size_t had_ = (a)->n_##field, all_ = had_ + (b)->n_##field;           \
		__typeof__((a)->field) to_ = NULL;                                    \
		int failed_ = (b)->n_##field ? array_extend(&to_, 0, all_) : 0;       \
                                                                                      \
		if (to_) {                                                            \
			memcpy(to_ + had_, (b)->field, (all_ - had_) * sizeof(*to_)); \
			if (had_)                                                     \
				memcpy(to_, (a)->field, had_ * sizeof(*to_));         \
			free((a)->field);                                             \
			(a)->field = to_;                                             \
			(a)->n_##field = all_;                                        \
			(b)->n_##field = 0;                                           \
		}                                                                     \
		failed_;                                                              \
	})

COMPARISON(by_time, struct explained_look,
	   ORDER(a->from_ns, b->from_ns) ?: ORDER(a->signal, b->signal) ?: ORDER(a->node, b->node))

COMPARISON(by_resource, struct unproven, unproven_compare(a, b))

static int append_all(struct verdict *a, struct verdict *b)
{
	int err = APPEND(a, b, signals) ?: APPEND(a, b, incidents) ?: APPEND(a, b, notices);

	err = err ?: APPEND(a, b, unjudged) ?: APPEND(a, b, parts) ?: APPEND(a, b, unproven);
	err = err ?: APPEND(a, b, gaps) ?: APPEND(a, b, ruled_out) ?: APPEND(a, b, looks);
	err = err ?: APPEND(a, b, durations) ?: APPEND(a, b, notes) ?: APPEND(a, b, facts);
	sort(a->looks, a->n_looks, by_time);
	sort(a->unproven, a->n_unproven, by_resource);
	return err;
}

/* What one of them could judge was judged; but a server that fell silent, or is not heard of, is not well for what its jobs did before. */
static void drop_unjudged(struct verdict *a)
{
	for (size_t i = 0; i < a->n_unjudged; i++)
		if (a->unjudged[i].why == UNJUDGED_SILENT || a->unjudged[i].why == UNJUDGED_UNHEARD)
			a->judged[a->unjudged[i].node] = false;
	a->n_unjudged =
		keep_if(i, a->unjudged, a->n_unjudged,
			a->unjudged[i].signal != SIGNAL_ALL || !a->judged[a->unjudged[i].node]);
}

/* The time of both; what windows are is the one's that has more of them. */
static void join_spans(struct verdict *a, const struct verdict *b)
{
	bool any = a->from_ns < a->to_ns;

	if (b->from_ns >= b->to_ns)
		return;
	a->from_ns = any && a->from_ns < b->from_ns ? a->from_ns : b->from_ns;
	a->to_ns = any && a->to_ns > b->to_ns ? a->to_ns : b->to_ns;
	if (a->n_windows)
		return;
	a->n_windows = b->n_windows;
	a->window_s = b->window_s;
	a->interval_s = b->interval_s;
}

int verdict_join(struct verdict *a, struct verdict *b, size_t *map)
{
	size_t of_a = a->n_nodes;
	int err = join_nodes(a, b, map);

	if (!err) {
		renumber(a, &(struct renumber){map, 0});
		renumber(b, &(struct renumber){map + of_a, a->n_signals});
		/* Logs of before say nothing of a time of which nothing is heard. */
		if (a->cannot.why != CANNOT_UNHEARD &&
		    (!b->cannot.why || a->cannot.why == CANNOT_NOT))
			a->cannot = (struct cannot){0};
		join_spans(a, b);
		a->duplicates += b->duplicates;
		a->damaged += b->damaged;
		a->lost += b->lost;
		err = append_all(a, b);
	}
	if (!err)
		drop_unjudged(a);
	if (!err)
		verdict_release(b);
	return err;
}
