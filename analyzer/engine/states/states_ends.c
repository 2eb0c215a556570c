// SPDX-License-Identifier: BSD-2-Clause
/*
 * States that more than one server takes part in: writes of a block to several, and what one server has and another wants.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

/* ---- pipelines of writes ------------------------------------------------------------------------ */

/*
 * Writes of one block to several servers, each of which waits for those behind it: all of them take as long as the
 * slowest. What a server is slower by is what the lower half of its blocks show; that of the slowest other server of a
 * block is taken off what the block shows against a server. On Hadoop 3.3.6 blocks with one bad disk among two took 8
 * times as long on either server, and most blocks of one innocent server were such ones.
 */

/* Effects settle in few: the bad one's is taken off the others' first. */
enum { BLOCK_PASSES = 3, MOST_HOPS = 16 };

/* One server's part of a block. */
struct hop {
	uint32_t block, node;
	size_t value;
	float r; /* as it was */
};

COMPARISON(by_block, struct hop,
	   ORDER(a->block, b->block) ?: ORDER(a->node, b->node) ?: ORDER(a->value, b->value))

COMPARISON(by_node, struct state_value,
	   ORDER(a->node, b->node) ?: ORDER(a->r, b->r) ?: ORDER(a->state, b->state))

/* Of each node; 0 where there are too few values to tell. */
static void effects(const struct state_value *v, size_t n, double *effect, size_t nodes,
		    struct state_value *order)
{
	size_t next;

	memset(effect, 0, nodes * sizeof(*effect));
	memcpy(order, v, n * sizeof(*order));
	sort(order, n, by_node);
	for (size_t i = 0; i < n; i = next) {
		next = run_end(m, i, n, order[m].node == order[i].node);
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
	struct scratch room SCRATCH_SCOPED = {0};
	size_t nodes = j->a->n_nodes, hops = 0, next;
	struct hop *h = scratch_array(&room, n, sizeof(*h));
	struct state_value *order = scratch_array(&room, n, sizeof(*order));
	double *effect = scratch_array(&room, nodes, sizeof(*effect));

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t block = j->s->at[v[i].state].out;

		if (block != STATE_NONE)
			h[hops++] = (struct hop){block, v[i].node, i, v[i].r};
	}
	sort(h, hops, by_block);
	for (int pass = 0; pass < BLOCK_PASSES; pass++) {
		effects(v, n, effect, nodes, order);
		for (size_t i = 0; i < hops; i = next) {
			next = run_end(m, i, hops, h[m].block == h[i].block);
			/* more than a few servers have no block; a hostile log may say so */
			if (next - i <= MOST_HOPS)
				without_others(&h[i], next - i, effect, v);
		}
	}
	return 0;
}

/* ---- two ends ----------------------------------------------------------------------------------- */

/*
 * States with two ends, by median polish (Tukey): ln of a duration = cell + a(executor) + b(server). A victim of one bad
 * server has an a of nothing, as one of many moves no median; a lossy node is bad as both.
 */

/* Which end is charged: the one that has the data, or the one that wants them. */
static const struct two_ends {
	bool two, charged_serves;
} ends[STATE_KIND_COUNT] = {
	[STATE_READ] = {true, true},	  [STATE_SHUFFLE] = {true, true},
	[STATE_COPY] = {true, false},	  [STATE_OST_READ] = {true, true},
	[STATE_OST_WRITE] = {true, true},
};

/* Sweeps over servers, then executors: medians settle in few. */
enum { SWEEPS = 3 };

/*
 * Whether states of this kind are of several servers that wait for each other: a pipeline of writes. One bad
 * server makes half of its neighbours' slow, or more, so that they are compared by their lower half: all of the
 * bad one's are slow.
 */
bool states_pipeline(enum state_kind kind)
{
	return kind == STATE_WRITE || kind == STATE_WRITE_REPLICATED;
}

bool states_two_ends(enum state_kind kind)
{
	return ends[kind].two;
}

/* Whether the other end is the one that has the data, and the charged one wants them. */
bool states_peer_serves(enum state_kind kind)
{
	return ends[kind].two && !ends[kind].charged_serves;
}

/* Values by one end: order[first[i] … first[i + 1]) are those of end i. */
struct end_values {
	uint32_t *end; /* of each value, of states.nodes; UINT32_MAX: none */
	uint32_t *order;
	size_t *first;
	double *effect; /* of each end */
};

struct polish {
	size_t n, nodes;
	double *e, *some; /* what is left of each value */
};

static struct end_values side_make(struct scratch *room, const struct polish *p)
{
	return (struct end_values){.end = scratch_array(room, p->n, sizeof(uint32_t)),
				   .order = scratch_array(room, p->n, sizeof(uint32_t)),
				   .first = scratch_array(room, p->nodes + 1, sizeof(size_t)),
				   .effect = scratch_array(room, p->nodes, sizeof(double))};
}

static void side_order(struct end_values *s, const struct polish *p)
{
	/* How many each has; then where each ends, which filling from there makes where it begins. */
	for (size_t i = 0; i < p->n; i++)
		if (s->end[i] != UINT32_MAX)
			s->first[s->end[i]]++;
	for (size_t i = 1; i <= p->nodes; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = p->n; i-- > 0;)
		if (s->end[i] != UINT32_MAX)
			s->order[--s->first[s->end[i]]] = (uint32_t)i;
}

/* Takes the median of what is left off each end's values; and of the ends' medians their own, which is the whole's. */
static void sweep(struct polish *p, struct end_values *s)
{
	for (size_t i = 0; i < p->nodes; i++) {
		size_t from = s->first[i], n = s->first[i + 1] - from;
		double m;

		if (!n)
			continue;
		for (size_t k = 0; k < n; k++)
			p->some[k] = p->e[s->order[from + k]];
		m = stats_quantile(p->some, n, 0.5);
		s->effect[i] += m;
		for (size_t k = 0; k < n; k++)
			p->e[s->order[from + k]] -= m;
	}
}

static void centre(struct polish *p, struct end_values *s)
{
	size_t n = 0;
	double m;

	for (size_t i = 0; i < p->nodes; i++)
		if (s->first[i + 1] > s->first[i])
			p->some[n++] = s->effect[i];
	m = n ? stats_quantile(p->some, n, 0.5) : 0;
	for (size_t i = 0; i < p->nodes; i++)
		s->effect[i] -= m;
}

/* The server's end goes first: where both are one node, its effect is the server's. */
static void part(struct polish *p, struct end_values *server, struct end_values *executor)
{
	side_order(server, p);
	side_order(executor, p);
	for (int k = 0; k < SWEEPS; k++) {
		sweep(p, server);
		sweep(p, executor);
	}
	centre(p, server);
	centre(p, executor);
}

int states_ends(const struct states_job *j, size_t signal, struct state_value *v, size_t *n)
{
	const struct state_signal *s = &j->signals[signal];
	struct scratch room SCRATCH_SCOPED = {0};
	struct polish p = {.n = *n, .nodes = j->s->nodes.n};
	struct end_values charged = side_make(&room, &p), other = side_make(&room, &p);
	bool serves = ends[s->kind].charged_serves;
	struct end_values *end = serves == (s->made == MADE_SERVER) ? &charged : &other;

	p.e = scratch_array(&room, p.n, sizeof(*p.e));
	p.some = scratch_array(&room, p.n > p.nodes ? p.n : p.nodes, sizeof(*p.some));
	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < p.n; i++) {
		const struct state *x = &j->s->at[v[i].state];

		charged.end[i] = x->node;
		other.end[i] = x->peer < p.nodes ? x->peer : UINT32_MAX;
		p.e[i] = v[i].r;
	}
	part(&p, serves ? &charged : &other, serves ? &other : &charged);
	*n = 0;
	for (size_t i = 0; i < p.n; i++) {
		size_t row = states_compared_row(j, end->end[i]);

		if (row == SIZE_MAX)
			continue;
		v[*n] = v[i];
		v[*n].node = (uint32_t)row;
		/* what is left of a value, and its end's effect, is that end's without the other's */
		v[(*n)++].r = (float)(p.e[i] + end->effect[end->end[i]]);
	}
	return 0;
}
