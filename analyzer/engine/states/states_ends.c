// SPDX-License-Identifier: BSD-2-Clause
/*
 * States with two ends, by median polish (Tukey): ln of a duration = cell + a(executor) + b(server). A victim of one bad
 * server has an a of nothing, as one of many moves no median; a lossy node is bad as both.
 */
#include "states_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

/* Which end is charged: the one that has the data, or the one that wants them. */
static const struct two_ends {
	bool two, charged_serves;
} ends[STATE_KIND_COUNT] = {
	[STATE_READ] = {true, true},	  [STATE_SHUFFLE] = {true, true},
	[STATE_COPY] = {true, false},	  [STATE_OST_READ] = {true, true},
	[STATE_OST_WRITE] = {true, true},
};

/* Sweeps over servers, then executors: medians settle in few. */
enum { PASSES = 3 };

bool states_pipeline(enum state_kind kind)
{
	return kind == STATE_WRITE || kind == STATE_WRITE_REPLICATED;
}

bool states_two_ends(enum state_kind kind)
{
	return ends[kind].two;
}

bool states_peer_serves(enum state_kind kind)
{
	return ends[kind].two && !ends[kind].charged_serves;
}

/* Values by one end: order[first[i] … first[i + 1]) are those of end i. */
struct side {
	const uint32_t *end; /* of each value, of states.nodes; UINT32_MAX: none */
	uint32_t *order;
	size_t *first;
	double *effect; /* of each end */
};

struct polish {
	size_t n, nodes;
	double *e, *some; /* what is left of each value */
};

static int side_init(struct side *s, const struct polish *p, const uint32_t *end)
{
	s->end = end;
	s->order = calloc(p->n + 1, sizeof(*s->order));
	s->first = calloc(p->nodes + 2, sizeof(*s->first));
	s->effect = calloc(p->nodes + 1, sizeof(*s->effect));
	if (!s->order || !s->first || !s->effect)
		return -ENOMEM;
	/* How many each has; then where each ends, which filling from there makes where it begins. */
	for (size_t i = 0; i < p->n; i++)
		if (end[i] != UINT32_MAX)
			s->first[end[i]]++;
	for (size_t i = 1; i <= p->nodes; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = p->n; i-- > 0;)
		if (end[i] != UINT32_MAX)
			s->order[--s->first[end[i]]] = (uint32_t)i;
	return 0;
}

static void side_release(struct side *s)
{
	free(s->order);
	free(s->first);
	free(s->effect);
}

/* Takes the median of what is left off each end's values; and of the ends' medians their own, which is the whole's. */
static void sweep(struct polish *p, struct side *s)
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

static void centre(struct polish *p, struct side *s)
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

/*
 * The server's end goes first: where both are one node, its effect is the server's. What is left of a value, and
 * its end's effect, is the value of that end without the other's.
 */
static void part(const struct states_job *j, struct polish *p, struct side *b, struct side *a,
		 const struct state_value *v, struct state_value *server,
		 struct state_value *executor)
{
	for (size_t i = 0; i < p->n; i++)
		p->e[i] = v[i].r;
	for (int k = 0; k < PASSES; k++) {
		sweep(p, b);
		sweep(p, a);
	}
	centre(p, b);
	centre(p, a);
	for (size_t i = 0; i < p->n; i++) {
		server[i] = executor[i] = v[i];
		server[i].node = executor[i].node = UINT32_MAX;
		if (states_row(j, b->end[i]) != SIZE_MAX) {
			server[i].node = (uint32_t)states_row(j, b->end[i]);
			server[i].r = (float)(p->e[i] + b->effect[b->end[i]]);
		}
		if (states_row(j, a->end[i]) != SIZE_MAX) {
			executor[i].node = (uint32_t)states_row(j, a->end[i]);
			executor[i].r = (float)(p->e[i] + a->effect[a->end[i]]);
		}
	}
}

int states_ends(const struct states_job *j, enum state_kind kind, const struct state_value *v,
		size_t n, struct state_value *server, struct state_value *executor)
{
	struct polish p = {.n = n, .nodes = j->s->nodes.n};
	uint32_t *charged = calloc(n + 1, sizeof(*charged)), *other = calloc(n + 1, sizeof(*other));
	struct side a = {0}, b = {0};
	bool serves = ends[kind].charged_serves;
	int err = -ENOMEM;

	p.e = calloc(n + 1, sizeof(*p.e));
	p.some = calloc((n > p.nodes ? n : p.nodes) + 1, sizeof(*p.some));
	if (!charged || !other || !p.e || !p.some)
		goto out;
	for (size_t i = 0; i < n; i++) {
		const struct state *x = &j->s->at[v[i].state];

		charged[i] = x->node;
		other[i] = x->peer < p.nodes ? x->peer : UINT32_MAX;
	}
	err = side_init(&b, &p, serves ? charged : other);
	if (!err)
		err = side_init(&a, &p, serves ? other : charged);
	if (!err)
		part(j, &p, &b, &a, v, server, executor);
out:
	side_release(&a);
	side_release(&b);
	free(charged);
	free(other);
	free(p.e);
	free(p.some);
	return err;
}
