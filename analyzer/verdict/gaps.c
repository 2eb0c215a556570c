// SPDX-License-Identifier: BSD-2-Clause
/* gaps.h: pauses of servers, and which of them all servers have in common. */
#include "gaps.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* A server begins to be away (by 1) or is back (by -1). */
struct gap_edge {
	int64_t ns;
	int by;
};

static bool is_long(int64_t from_ns, int64_t to_ns, int64_t least_ns)
{
	return to_ns > from_ns && (uint64_t)to_ns - (uint64_t)from_ns >= (uint64_t)least_ns;
}

int gaps_heard(struct gaps *g, size_t node, int64_t from_ns, int64_t to_ns, int64_t least_ns)
{
	struct gap_heard *h;

	if (node >= g->n_heard && array_extend(&g->heard, g->n_heard, node + 1))
		return -ENOMEM;
	g->n_heard = node >= g->n_heard ? node + 1 : g->n_heard;
	h = &g->heard[node];
	if (!h->any)
		*h = (struct gap_heard){true, from_ns, to_ns};
	else if (is_long(h->last_ns, from_ns, GAP_NS) && is_long(h->last_ns, from_ns, least_ns) &&
		 array_put(&g->at, &g->n, ((struct gap){node, h->last_ns, from_ns})))
		return -ENOMEM;
	h->last_ns = to_ns > h->last_ns ? to_ns : h->last_ns;
	return 0;
}

COMPARISON(by_time, struct gap_edge, ORDER(a->ns, b->ns) ?: ORDER(a->by, b->by))

COMPARISON(by_begin, struct gap,
	   ORDER(a->from_ns, b->from_ns) ?: ORDER(b->node == SIZE_MAX, a->node == SIZE_MAX)
		   ?: ORDER(a->node, b->node))

/* Before its first and after its last word a server is away, too. How many servers there are. */
static size_t edges_of(const struct gaps *g, struct gap_edge *e, size_t *n)
{
	size_t servers = 0;

	for (size_t i = 0; i < g->n_heard; i++) {
		if (!g->heard[i].any)
			continue;
		servers++;
		e[(*n)++] = (struct gap_edge){INT64_MIN, 1};
		e[(*n)++] = (struct gap_edge){g->heard[i].first_ns, -1};
		e[(*n)++] = (struct gap_edge){g->heard[i].last_ns, 1};
	}
	for (size_t i = 0; i < g->n; i++) {
		e[(*n)++] = (struct gap_edge){g->at[i].from_ns, 1};
		e[(*n)++] = (struct gap_edge){g->at[i].to_ns, -1};
	}
	sort(e, *n, by_time);
	return servers;
}

/* When all are away, but for before the first and after the last word of any. */
static int add_common(struct verdict *a, const struct gap_edge *e, size_t n, size_t servers)
{
	size_t away = 0;
	int err = 0;

	for (size_t i = 0; i + 1 < n && !err; i++) {
		away = e[i].by > 0 ? away + 1 : away - 1;
		if (away == servers && e[i].ns > INT64_MIN && is_long(e[i].ns, e[i + 1].ns, GAP_NS))
			err = array_put(&a->gaps, &a->n_gaps,
					((struct gap){SIZE_MAX, e[i].ns, e[i + 1].ns}));
	}
	return err;
}

/* Whether the first n, which are of all servers, say what it says. */
static bool is_common(const struct gap *all, size_t n, const struct gap *g)
{
	return any_of(i, n,
		      all[i].from_ns >= g->from_ns && all[i].to_ns <= g->to_ns &&
			      !is_long(all[i].to_ns - all[i].from_ns, g->to_ns - g->from_ns,
				       GAP_SAME_NS));
}

int gaps_verdict(const struct gaps *g, struct verdict *a)
{
	struct gap_edge *e = calloc(3 * g->n_heard + 2 * g->n + 1, sizeof(*e));
	size_t n = 0, servers, common;
	int err = e ? 0 : -ENOMEM;

	if (!err && g->n_heard) {
		servers = edges_of(g, e, &n);
		err = add_common(a, e, n, servers);
	}
	common = a->n_gaps;
	for (size_t i = 0; i < g->n && !err; i++)
		if (!is_common(a->gaps, common, &g->at[i]))
			err = array_put(&a->gaps, &a->n_gaps, g->at[i]);
	sort(a->gaps, a->n_gaps, by_begin);
	free(e);
	return err;
}

void gaps_release(struct gaps *g)
{
	free(g->at);
	free(g->heard);
	*g = (struct gaps){0};
}
