// SPDX-License-Identifier: BSD-2-Clause
/*
 * stragglers.h: how much of the time that tasks take beyond their like their inputs explain. A task whose input is n times the
 * median of its cell is expected to take n times the median: the most which its input explains, if time grows no faster than
 * input.
 *
 * Not compared: cells of few tasks; cells of which one server has more than a third, as a server and not a task would be
 * measured; and cells whose inputs are unknown or tiny, as their times are of other things.
 */
#include <errno.h>
#include <math.h>

#include "analyzer/stat/stats.h"
#include "stragglers.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define FACTOR 1.5 /* that of symptoms.c */
#define TINY   ((double)(1 << 20))
enum { LEAST = 6 };

struct explained_cell {
	const struct stragglers *g;
	size_t from, to; /* of stragglers.at */
	double *takes, *bytes;
	size_t n;   /* that ended well */
	size_t *on; /* of each server, how many of these */
	double median_s, median_bytes;
};

static const struct state *state_at(const struct explained_cell *c, size_t i)
{
	return &c->g->s->at[c->g->at[i].state];
}

static double seconds(const struct state *x)
{
	return s_of_ns(x->end_ns - x->start_ns);
}

static bool is_counted(const struct explained_cell *c, size_t i)
{
	return state_at(c, i)->outcome == OUTCOME_OK;
}

/* Takes the medians and counts servers. Whether one has more than a third. */
static bool is_uneven(struct explained_cell *c)
{
	size_t most = 0, known = 0;

	c->n = 0;
	for (size_t i = c->from; i < c->to; i++)
		c->on[state_at(c, i)->node] = 0;
	for (size_t i = c->from; i < c->to; i++) {
		const struct state *x = state_at(c, i);

		if (!is_counted(c, i))
			continue;
		c->takes[c->n++] = seconds(x);
		if (x->bytes >= 0)
			c->bytes[known++] = (double)x->bytes;
		most = ++c->on[x->node] > most ? c->on[x->node] : most;
	}
	c->median_s = stats_quantile(c->takes, c->n, 0.5);
	c->median_bytes = known == c->n ? stats_quantile(c->bytes, known, 0.5) : NAN;
	return 3 * most > c->n;
}

static void add_cell(struct explained_cell *c, struct straggling *all)
{
	bool uneven = is_uneven(c);

	all->tasks += c->n;
	if (c->n < LEAST)
		all->few += c->n;
	else if (uneven)
		all->uneven += c->n;
	else if (!(c->median_bytes >= TINY))
		all->no_input += c->n;
	else
		for (size_t i = c->from; i < c->to; i++) {
			double takes_s = seconds(state_at(c, i)), most_s;

			if (!is_counted(c, i) || takes_s < FACTOR * c->median_s)
				continue;
			most_s =
				c->median_s * ((double)state_at(c, i)->bytes / c->median_bytes - 1);
			all->beyond_s += takes_s - c->median_s;
			all->explained_s += fmin(fmax(most_s, 0), takes_s - c->median_s);
		}
}

int stragglers_explain(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct explained_cell c = {.g = g,
				   .takes = scratch_array(&room, g->n, sizeof(*c.takes)),
				   .bytes = scratch_array(&room, g->n, sizeof(*c.bytes)),
				   .on = scratch_array(&room, g->s->nodes.n, sizeof(*c.on))};

	if (room.failed)
		return -ENOMEM;
	for (; c.from < g->n; c.from = c.to) {
		c.to = run_end(m, c.from, g->n, g->at[m].cell == g->at[c.from].cell);
		add_cell(&c, &g->v->straggling);
	}
	return 0;
}
