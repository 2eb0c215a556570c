// SPDX-License-Identifier: BSD-2-Clause
/* States of one kind in cells of what can be compared, and each state beside the others of its cell. */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define LEAST_S 0.001 /* of logs' times in milliseconds: none is less than one of them */
/* Reads and writes of less are over before a disk or a network matters: of a Hadoop's blocks only larger ones told. */
#define BLOCK_LEAST 200000
#define HOUR_NS	    ((int64_t)3600 * 1000000000)
/* How fast the machines are changes with what else runs on them: compared is what began within so many times what
 * the like takes, or within 30 s, which is an interval of tables. */
static const double CHUNK_TIMES = 8, CHUNK_LEAST_S = 30;

/* A state with the key of its cell. */
struct celled {
	uint32_t job, cls;
	int32_t group, hour;
	int32_t chunk;	/* of time */
	int16_t octave; /* half octaves of bytes; -1: not said */
	bool beside;	/* a reduce ran beside it: states_beside.c */
	uint8_t turn;	/* in its slot: likewise */
	bool local;	/* both ends are one node */
	bool ended;	/* well: else ln is a lower bound */
	uint32_t node, state;
	float ln;
};

static int by_cell(const struct celled *x, const struct celled *y)
{
	if (x->job != y->job)
		return ORDER(x->job, y->job);
	if (x->cls != y->cls)
		return ORDER(x->cls, y->cls);
	if (x->group != y->group)
		return ORDER(x->group, y->group);
	if (x->hour != y->hour)
		return ORDER(x->hour, y->hour);
	if (x->octave != y->octave)
		return ORDER(x->octave, y->octave);
	if (x->beside != y->beside)
		return ORDER(x->beside, y->beside);
	if (x->turn != y->turn)
		return ORDER(x->turn, y->turn);
	if (x->local != y->local)
		return ORDER(x->local, y->local);
	return ORDER(x->chunk, y->chunk);
}

static int in_cells(const void *a, const void *b)
{
	const struct celled *x = a, *y = b;
	int order = by_cell(x, y);

	if (order)
		return order;
	if (x->ended != y->ended)
		return ORDER(y->ended, x->ended);
	if (x->ln < y->ln || x->ln > y->ln)
		return ORDER(x->ln, y->ln);
	return ORDER(x->state, y->state);
}

/* ---- cells --------------------------------------------------------------------------------------- */

static struct celled celled_of(const struct states_job *j, const struct beside *b, size_t i)
{
	const struct state *x = &j->s->at[i];
	bool job = x->job < j->s->jobs.n;
	struct celled c = {.job = job ? x->job : STATE_NONE,
			   .cls = x->cls,
			   .hour = job ? 0 : (int32_t)(x->end_ns / HOUR_NS),
			   .octave = -1,
			   .local = x->peer == x->node && states_two_ends(x->kind),
			   .ended = x->outcome == OUTCOME_OK,
			   .node = (uint32_t)states_row(j, x->node),
			   .state = (uint32_t)i,
			   .ln = (float)log(fmax(state_seconds(x), LEAST_S))};

	c.group = j->group[c.node];
	if (x->bytes > 0)
		c.octave = (int16_t)floor(2 * log2((double)x->bytes));
	c.turn = b->turn[i];
	if (x->kind == STATE_MAP)
		c.beside = beside_reduce(b, x);
	return c;
}

static bool alike_but_size(const struct celled *x, const struct celled *y)
{
	return x->job == y->job && x->cls == y->cls && x->group == y->group && x->hour == y->hour;
}

/* What has not ended well often has no bytes: it is of the size that most of its like have. c in order of cells. */
static void usual_size(struct celled *c, size_t n)
{
	size_t next, last, most, ended;

	for (size_t i = 0; i < n; i = next) {
		int16_t usual = -1;

		most = 0;
		for (next = i; next < n && alike_but_size(&c[next], &c[i]); next = last) {
			ended = 0;
			for (last = next; last < n && alike_but_size(&c[last], &c[i]) &&
					  c[last].octave == c[next].octave;
			     last++)
				ended += c[last].ended;
			usual = ended > most ? c[next].octave : usual;
			most = ended > most ? ended : most;
		}
		for (size_t k = i; k < next; k++)
			if (!c[k].ended && c[k].octave < 0)
				c[k].octave = usual;
	}
}

static bool is_block(enum state_kind kind)
{
	return kind == STATE_READ || kind == STATE_WRITE || kind == STATE_WRITE_REPLICATED;
}

static bool is_compared(const struct states_job *j, size_t i)
{
	const struct state *x = &j->s->at[i];
	size_t row = states_row(j, x->node);

	if (is_block(x->kind) && x->bytes >= 0 && x->bytes < BLOCK_LEAST)
		return false;
	return row != SIZE_MAX && j->group[row] >= 0 && x->end_ns >= x->start_ns;
}

struct place {
	uint32_t node, at;
};

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->at, y->at);
}

/* The median of n ascending values without those of one node, which are at own[0 … m), ascending. */
static double others_median(const struct celled *c, size_t n, const struct place *own, size_t m)
{
	double sum = 0;

	for (size_t half = 0; half < 2; half++) {
		size_t at = (n - m - 1 + half) / 2;

		for (size_t k = 0; k < m && own[k].at <= at; k++)
			at++;
		sum += c[at].ln;
	}
	return sum / 2;
}

/* One kind's cells. */
struct cells {
	const struct states_job *j;
	struct celled *c;
	size_t n;
	struct place *at;
	struct state_value *v;
	size_t n_v;
	bool *made; /* of states.at */
	uint32_t cell;
};

static size_t count_nodes(struct place *at, const struct celled *c, size_t n)
{
	size_t nodes = 0;

	for (size_t i = 0; i < n; i++)
		at[i] = (struct place){c[i].node, (uint32_t)i};
	sort(at, n, by_node);
	for (size_t i = 0; i < n; i++)
		nodes += !i || at[i].node != at[i - 1].node;
	return nodes;
}

static void one_cell(struct cells *w, const struct celled *c, size_t n)
{
	size_t ended = 0, next, nodes = count_nodes(w->at, c, n);

	while (ended < n && c[ended].ended)
		ended++;
	w->cell++;
	for (size_t i = 0; i < n && nodes >= STATES_NODES; i = next) {
		size_t own = 0;
		double median;

		for (next = i; next < n && w->at[next].node == w->at[i].node; next++)
			own += w->at[next].at < ended;
		if (ended < own + STATES_CELL_OTHERS)
			continue;
		median = others_median(c, ended, &w->at[i], own);
		for (size_t k = i; k < next; k++) {
			const struct celled *x = &c[w->at[k].at];
			double r = x->ln - median;

			if (w->made[x->state] || (!x->ended && r <= 0))
				continue;
			w->made[x->state] = true;
			w->v[w->n_v++] = (struct state_value){x->node,	w->j->s->at[x->state].job,
							      x->state, w->cell,
							      (float)r, x->ln};
		}
	}
}

/* Parts a cell by time. c in order. */
static void in_chunks(const struct cells *w, struct celled *c, size_t n)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	double median, step;
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t at = w->j->s->at[c[i].state].start_ns;

		first = at < first ? at : first;
		last = at > last ? at : last;
		ended += c[i].ended;
	}
	median = ended ? exp(c[ended / 2].ln) : 0;
	step = fmax(CHUNK_LEAST_S, CHUNK_TIMES * median) * 1e9;
	if ((double)(last - first) < step)
		return;
	for (size_t i = 0; i < n; i++)
		c[i].chunk = (int32_t)((double)(w->j->s->at[c[i].state].start_ns - first) / step);
	sort(c, n, in_cells);
}

static void all_cells(struct cells *w)
{
	size_t next, last;

	sort(w->c, w->n, in_cells);
	usual_size(w->c, w->n);
	sort(w->c, w->n, in_cells);
	for (size_t i = 0; i < w->n; i = next) {
		for (next = i; next < w->n && !by_cell(&w->c[next], &w->c[i]);)
			next++;
		in_chunks(w, &w->c[i], next - i);
		for (size_t k = i; k < next; k = last) {
			for (last = k; last < next && !by_cell(&w->c[last], &w->c[k]);)
				last++;
			one_cell(w, &w->c[k], last - k);
		}
	}
}

/* First tasks of executors, whatever their stage and size: starting the machine is most of them. */
static void first_of_any_stage(struct cells *w, const struct beside *b)
{
	size_t kept = 0;
	bool missing = false;

	for (size_t i = 0; i < w->n; i++) {
		struct celled *x = &w->c[i];

		if (x->turn != 1 || x->job == STATE_NONE)
			continue;
		missing |= !w->made[x->state];
		x->job = b->app[x->job];
		x->cls = STATE_NONE;
		x->octave = -1;
		x->chunk = 0;
		w->c[kept++] = *x;
	}
	w->n = kept;
	if (missing)
		all_cells(w);
}

int states_cells(const struct states_job *j, enum state_kind kind, struct state_value **v,
		 size_t *n)
{
	const struct beside *b = j->beside;
	struct cells w = {.j = j,
			  .c = calloc(j->s->n + 1, sizeof(*w.c)),
			  .made = calloc(j->s->n + 1, sizeof(*w.made))};
	int err = w.c && w.made ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->s->n && !err; i++)
		if (j->s->at[i].kind == kind && is_compared(j, i))
			w.c[w.n++] = celled_of(j, b, i);
	w.at = calloc(w.n + 1, sizeof(*w.at));
	w.v = calloc(w.n + 1, sizeof(*w.v));
	if (!w.at || !w.v)
		err = -ENOMEM;
	if (!err)
		all_cells(&w);
	if (!err && kind != STATE_MAP)
		first_of_any_stage(&w, b);
	free(w.c);
	free(w.at);
	free(w.made);
	if (err)
		free(w.v);
	*v = err ? NULL : w.v;
	*n = err ? 0 : w.n_v;
	return err;
}
