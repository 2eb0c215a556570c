// SPDX-License-Identifier: BSD-2-Clause
/* salsa.h: the kinds of states, the decay, and one comparison of all nodes (algorithm 2). */
#include "salsa.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/learn/jsd.h"
#include "analyzer/methods/learn/kl.h"
#include "analyzer/stat/stats.h"
#include "method.h"

/* The papers' names behind those that they looked at; what their logs did not have: states that may indict [D]. */
const enum state_kind salsa_kinds[] = {
	STATE_MAP,		/* Map */
	STATE_REDUCE,		/* Reduce */
	STATE_COPY,		/* ReduceCopy */
	STATE_MERGE,		/* ReduceMergeCopy */
	STATE_READ,		/* ReadBlock */
	STATE_WRITE,		/* WriteBlock */
	STATE_WRITE_REPLICATED, /* WriteBlock, of a pipeline's hop */
	STATE_SHUFFLE,		/* Shuffle */
	STATE_SHUFFLE_WAIT,	/* ShuffleWait */
	STATE_REDUCER,		/* Reducer */
	STATE_TASK_COMPUTE,
	STATE_SHUFFLE_WRITE,
	STATE_OST_READ,
	STATE_OST_WRITE,
};
const size_t salsa_n_kinds = sizeof(salsa_kinds) / sizeof(*salsa_kinds);

static const double lambda = 1.0 / 300, alpha = 1.0 / 60; /* 1/s */

double salsa_decay(double gap_s)
{
	return exp(-lambda * gap_s / (alpha * gap_s + 1));
}

/* ---- one comparison --------------------------------------------------------------------------------------- */

struct comparison {
	struct salsa_node **at; /* those compared */
	size_t n;
	struct kde_sample *pool; /* of all of them, sorted */
	size_t n_pool;
	struct kde_grid grid;
	double *p; /* n + 1 rows of cells, the last one the pool's */
	double *kth, *medians;
	uint32_t *above;
};

static void release(struct comparison *c)
{
	free(c->at);
	free(c->pool);
	free(c->p);
	free(c->kth);
	free(c->medians);
	free(c->above);
}

static int gather(struct comparison *c, struct salsa_node *nodes, size_t n, unsigned int min)
{
	c->at = calloc(n + 1, sizeof(struct salsa_node *));
	if (!c->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		nodes[i].compared = nodes[i].alarm = false;
		if (nodes[i].n < min)
			continue;
		c->at[c->n++] = &nodes[i];
		c->n_pool += nodes[i].n;
	}
	if (c->n < NODES_MIN)
		return 0;
	c->pool = calloc(c->n_pool, sizeof(*c->pool));
	c->p = calloc((c->n + 1) * KDE_CELLS, sizeof(double));
	c->kth = calloc(c->n, sizeof(double));
	c->medians = calloc(c->n, sizeof(double));
	c->above = calloc(c->n, sizeof(*c->above));
	return c->pool && c->p && c->kth && c->medians && c->above ? 0 : -ENOMEM;
}

/* All nodes' densities on one line of cells. */
static void estimate(struct comparison *c, double floor_s)
{
	struct kde_sample *end = c->pool;
	double instances = 0, h;

	for (size_t i = 0; i < c->n; i++) {
		struct salsa_node *a = c->at[i];

		memcpy(end, a->at, a->n * sizeof(*end));
		end += a->n;
		kde_sort(a->at, a->n);
		instances += kde_effective(a->at, a->n) / (double)c->n;
		c->medians[i] = a->own = kde_quantile(a->at, a->n, 0.5);
	}
	kde_sort(c->pool, c->n_pool);
	h = kde_bandwidth(c->pool, c->n_pool, instances, floor_s / 5);
	c->grid = kde_grid(c->pool[0].x, c->pool[c->n_pool - 1].x, h);
	for (size_t i = 0; i < c->n; i++)
		kde_cells(&c->grid, c->at[i]->at, c->at[i]->n, c->p + i * KDE_CELLS);
	kde_cells(&c->grid, c->pool, c->n_pool, c->p + c->n * KDE_CELLS);
	stats_sort(c->medians, c->n);
}

/* The distances: to each other node, or to the pool. */
static int measure(struct comparison *c, const struct salsa_opts *o)
{
	size_t majority = kl_majority(c->n);
	struct jsd j;

	if (o->pooled) {
		for (size_t i = 0; i < c->n; i++) {
			c->kth[i] =
				jsd_root(c->p + i * KDE_CELLS, c->p + c->n * KDE_CELLS, KDE_CELLS);
			c->above[i] = c->kth[i] > o->threshold ? (uint32_t)majority : 0;
		}
		return 0;
	}
	if (jsd_init(&j, c->n, KDE_CELLS))
		return -ENOMEM;
	jsd_score(&j, c->p, c->n, majority, o->threshold, o->explain, c->kth, c->above);
	jsd_release(&j);
	return 0;
}

int salsa_compare(struct salsa_node *nodes, size_t n, double floor_s, const struct salsa_opts *o,
		  double *h, size_t *n_compared)
{
	struct comparison c = {0};
	int err = gather(&c, nodes, n, o->min);

	*h = 0;
	*n_compared = 0;
	if (err || c.n < NODES_MIN)
		goto out;
	estimate(&c, floor_s);
	err = measure(&c, o);
	for (size_t i = 0; i < c.n && !err; i++) {
		struct salsa_node *a = c.at[i];

		a->compared = true;
		a->alarm = c.above[i] >= kl_majority(c.n);
		a->distance = c.kth[i];
		a->peers = stats_peers_median(c.medians, c.n, a->own);
	}
	if (!err) {
		*h = c.grid.h;
		*n_compared = c.n;
	}
out:
	release(&c);
	return err;
}
