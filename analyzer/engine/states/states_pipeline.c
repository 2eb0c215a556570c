// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes of one block to several servers, each of which waits for those behind it: all of them take as long as the
 * slowest. What a server is slower by is what the lower half of its blocks show; that of the slowest other server of a
 * block is taken off what the block shows against a server. On Hadoop 3.3.6 blocks with one bad disk among two took 8
 * times as long on either server, and most blocks of one innocent server were such ones.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

/* Effects settle in few: the bad one's is taken off the others' first. */
enum { PASSES = 3, MOST_HOPS = 16 };

/* One server's part of a block. */
struct hop {
	uint32_t block, node;
	size_t value;
	float r; /* as it was */
};

static int by_block(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;

	return ORDER(x->block, y->block) ?: ORDER(x->node, y->node) ?: ORDER(x->value, y->value);
}

static int by_node(const void *a, const void *b)
{
	const struct state_value *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->r, y->r) ?: ORDER(x->state, y->state);
}

/* Of each node; 0 where there are too few values to tell. */
static void effects(const struct state_value *v, size_t n, double *effect, size_t nodes,
		    struct state_value *order)
{
	size_t next;

	for (size_t i = 0; i < nodes; i++)
		effect[i] = 0;
	for (size_t i = 0; i < n; i++)
		order[i] = v[i];
	sort(order, n, by_node);
	for (size_t i = 0; i < n; i = next) {
		for (next = i; next < n && order[next].node == order[i].node;)
			next++;
		if (next - i >= STATES_VALUES) /* the median of the lower half */
			effect[order[i].node] = fmax(0, order[i + (next - i) / 4].r);
	}
}

/* One block's hops: each without the slowest of the others. */
static void without_others(const struct hop *h, size_t n, const double *effect,
			   struct state_value *v)
{
	for (size_t i = 0; i < n; i++) {
		double worst = 0, r = h[i].r;

		for (size_t k = 0; k < n; k++)
			if (h[k].node != h[i].node)
				worst = fmax(worst, effect[h[k].node]);
		v[h[i].value].r = (float)(r > 0 ? fmax(0, r - worst) : r);
	}
}

int states_pipeline_part(const struct states_job *j, struct state_value *v, size_t n)
{
	size_t nodes = j->a->n_nodes, hops = 0, next;
	struct hop *h = calloc(n + 1, sizeof(*h));
	struct state_value *order = calloc(n + 1, sizeof(*order));
	double *effect = calloc(nodes + 1, sizeof(*effect));
	int err = h && order && effect ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		uint32_t block = j->s->at[v[i].state].out;

		if (block != STATE_NONE)
			h[hops++] = (struct hop){block, v[i].node, i, v[i].r};
	}
	sort(h, hops, by_block);
	for (int pass = 0; pass < PASSES && !err; pass++) {
		effects(v, n, effect, nodes, order);
		for (size_t i = 0; i < hops; i = next) {
			for (next = i; next < hops && h[next].block == h[i].block;)
				next++;
			/* more than a few servers have no block; a hostile log may say so */
			if (next - i <= MOST_HOPS)
				without_others(&h[i], next - i, effect, v);
		}
	}
	free(h);
	free(order);
	free(effect);
	return err;
}
