// SPDX-License-Identifier: BSD-2-Clause
/*
 * internal.h: what a state of the job usually takes. A cell is a kind (of Spark a stage, too) and half an
 * octave of bytes; with fewer than CELL_OTHERS of other servers in it, the kind alone.
 */
#include <errno.h>
#include <math.h>

#include "analyzer/stat/stats.h"
#include "internal.h"
#include "userspace/common/sort.h"

/* Of a cell so many, spread evenly, make its median. */
enum { CELL_OTHERS = 4, CELL_LOOKED = 2000 };

struct flow_cell_value {
	uint32_t kind, group;
	int32_t size;	/* half octaves of bytes; -1: not said */
	uint32_t place; /* of job_flow.states */
	uint32_t node;
	double ln;
};

struct flow_cells {
	struct flow_cell_value *at; /* by cell, then node */
	size_t n;
	uint32_t *of; /* of each of job_flow.states: its place; STATE_NONE: it is not compared */
	/* What was asked last. */
	bool known;
	size_t from;
	uint32_t node;
	double usual;
};

COMPARISON(by_cell, struct flow_cell_value,
	   ORDER(a->kind, b->kind) ?: ORDER(a->group, b->group) ?: ORDER(a->size, b->size)
		   ?: ORDER(a->node, b->node) ?: ORDER(a->place, b->place))

static bool is_compared(const struct state *x)
{
	static const bool kinds[STATE_KIND_COUNT] = {
		[STATE_MAP] = true,	     [STATE_REDUCE] = true,  [STATE_SORT] = true,
		[STATE_SHUFFLE_WAIT] = true, [STATE_SHUFFLE] = true, [STATE_REDUCER] = true,
		[STATE_TASK] = true};

	return kinds[x->kind] && (x->outcome == OUTCOME_OK ||
				  (x->outcome == OUTCOME_OPEN && x->kind != STATE_REDUCE));
}

/* What a reduce does after its last input is its own. */
static double own_seconds(const struct job_flow *f, uint32_t state, const struct flow_task *t)
{
	const struct state *x = flow_state(f, state);
	int64_t from = x->start_ns;

	if (t && (x->kind == STATE_SHUFFLE_WAIT || x->kind == STATE_REDUCE) && t->got_ns > from)
		from = t->got_ns;
	return (double)(x->end_ns - from) / 1e9;
}

int flow_cells(struct job_flow *f)
{
	struct flow_cells *c = f->cells = scratch_array(&f->room, 1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->at = scratch_array(&f->room, f->n_states, sizeof(*c->at));
	c->of = flow_none(&f->room, f->n_states);
	if (!c->at || !c->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		uint32_t task = f->task_of[x->id];
		double s =
			own_seconds(f, f->states[i], task == STATE_NONE ? NULL : &f->tasks[task]);

		/* a reduce is compared by its parts where they are known */
		if (!is_compared(x) || (x->kind == STATE_REDUCE && task != STATE_NONE &&
					f->tasks[task].reducer != STATE_NONE))
			continue;
		c->at[c->n++] = (struct flow_cell_value){
			.kind = x->kind,
			.group = task == STATE_NONE ? 0 : f->tasks[task].group,
			.size = x->bytes > 0 ? (int32_t)floor(2 * log2((double)x->bytes)) : -1,
			.place = i,
			.node = x->node,
			/* ms are the finest that logs have */
			.ln = log(fmax(s, 1e-3))};
	}
	sort(c->at, c->n, by_cell);
	for (uint32_t i = 0; i < c->n; i++)
		c->of[c->at[i].place] = i;
	return 0;
}

static double median_of_others(const struct flow_cells *c, size_t from, size_t to, uint32_t node)
{
	double ln[CELL_LOOKED];
	size_t n = 0, step = 1 + (to - from) / CELL_LOOKED;

	for (size_t i = from; i < to; i += step)
		if (c->at[i].node != node)
			ln[n++] = c->at[i].ln;
	return n < CELL_OTHERS ? NAN : stats_quantile(ln, n, 0.5);
}

/* [from, to) of all with x's kind, group and sizes. */
static void bounds(const struct flow_cells *c, struct flow_cell_value x, int32_t least,
		   int32_t most, size_t *from, size_t *to)
{
	x.size = least;
	x.node = x.place = 0;
	*from = search_first(i, c->n, by_cell(&c->at[i], &x) < 0);
	x.size = most;
	x.node = x.place = UINT32_MAX;
	*to = search_first(i, c->n, by_cell(&c->at[i], &x) < 0);
}

double flow_usual(const struct job_flow *f, uint32_t state, double *own)
{
	struct flow_cells *c = f->cells;
	size_t place = search_first(i, f->n_states, f->states[i] < state), from, to;
	struct flow_cell_value x;

	if (place == f->n_states || f->states[place] != state || c->of[place] == STATE_NONE)
		return NAN;
	x = c->at[c->of[place]];
	*own = x.ln;
	bounds(c, x, x.size, x.size, &from, &to);
	if (c->known && c->from == from && c->node == x.node)
		return c->usual;
	c->known = true;
	c->from = from;
	c->node = x.node;
	c->usual = median_of_others(c, from, to, x.node);
	if (isnan(c->usual)) {
		bounds(c, x, INT32_MIN, INT32_MAX, &from, &to);
		c->usual = median_of_others(c, from, to, x.node);
	}
	return c->usual;
}
