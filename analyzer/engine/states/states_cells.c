// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is compared with what: states of one kind in cells of what can be compared, and each state beside the others of its
 * cell.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* ---- what a task's time depends on besides its server ------------------------------------------- */

/*
 * What a task's time depends on besides its server. A reduce beside a map takes some of the machine. And its turn in its slot: the
 * first task of a job there starts a Java machine and fetches the job; where the machine is kept for the
 * next ones (mapred.job.reuse.jvm.num.tasks), they find it warm. On Hadoop 1.2.1 first maps of a sort took 9.8 s, second ones 2.7 s,
 * later ones 2.0 s; a slow node has few of the later ones. With the turn
 * taken into account healthy servers' maps of a job were 14 % apart, without it 29 %.
 * Tasks of Spark are such ones, too: an executor's first ones took 6 to 15 s, later ones 1 to 3 s; its machine lasts as long
 * as the application, whose jobs are named after it. Since 2.x each map has a machine of its own: all are first ones.
 */

enum { TURNS = 2 };

struct ran {
	uint32_t node;
	int64_t from, until; /* a reduce ran, or one that began before */
};

struct beside {
	struct ran *at; /* by node and start */
	size_t n;
	/* Of each state of a task: 1, or 2 of any later one in its slot and job; of Spark's 3 where its stage was known there;
	 * 0: nothing is known. */
	uint8_t *turn;
	uint32_t *app; /* of each job: the first one of its application */
};

/* ---- reduces ------------------------------------------------------------------------------------ */

COMPARISON(by_start, struct ran,
	   ORDER(a->node, b->node) ?: ORDER(a->from, b->from) ?: ORDER(a->until, b->until))

static int reduces(struct scratch *room, struct beside *b, const struct states *s)
{
	for (size_t i = 0; i < s->n; i++)
		b->n += s->at[i].kind == STATE_REDUCE;
	b->at = scratch_array(room, b->n, sizeof(*b->at));
	if (!b->at)
		return -ENOMEM;
	b->n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_REDUCE)
			b->at[b->n++] =
				(struct ran){s->at[i].node, s->at[i].start_ns, s->at[i].end_ns};
	sort(b->at, b->n, by_start);
	for (size_t i = 1; i < b->n; i++)
		if (b->at[i].node == b->at[i - 1].node && b->at[i - 1].until > b->at[i].until)
			b->at[i].until = b->at[i - 1].until;
	return 0;
}

/*
 * Of a map, when it began, not for most of its time: reduces begin while first maps run, and a slow map would be beside one
 * because it is slow. How many they are is not asked: cells would be too small.
 */
bool beside_reduce(const struct beside *b, const struct state *x)
{
	const struct ran now = {x->node, x->start_ns, INT64_MAX};
	size_t at = x->kind == STATE_MAP ? search_first(mid, b->n, by_start(&b->at[mid], &now) <= 0)
					 : 0;

	return at > 0 && b->at[at - 1].node == x->node && b->at[at - 1].until >= x->start_ns;
}

/* ---- turns --------------------------------------------------------------------------------------- */

/* A start or an end of a task. */
struct task_moment {
	uint32_t node, job, task; /* of turns.slot; the job, or the first one of its application */
	int64_t at;
	bool start, setup;
	uint32_t state;
};

struct turns {
	struct task_moment *at;
	size_t n;
	const uint32_t *app;
	uint32_t *slot; /* of each task */
	uint32_t *free; /* slots, the last one that ended on top */
	uint8_t *count; /* tasks so far of each slot, up to TURNS */
};

/* An end before a start of the same time. */
COMPARISON(in_order, struct task_moment,
	   ORDER(a->node, b->node) ?: ORDER(a->job, b->job) ?: ORDER(a->at, b->at)
		   ?: ORDER(a->start, b->start) ?: ORDER(a->task, b->task))

/* Of a machine that is kept; a job's setup takes a slot of maps. */
static bool takes_slot(const struct state *x)
{
	bool kept = x->kind == STATE_TASK ||
		    (x->clock == CLOCK_OF_NODE && (x->kind == STATE_MAP || x->kind == STATE_SETUP));

	return kept && x->end_ns > x->start_ns;
}

/* How much of a job's name is its application's: that before the last point, if numbers only are behind it. */
static size_t app_length(const char *job)
{
	const char *dot = strrchr(job, '.');

	return dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")] ? (size_t)(dot - job)
									: strlen(job);
}

static int by_app(const void *a, const void *b, void *arg)
{
	char *const *text = arg;
	const char *x = text[*(const uint32_t *)a], *y = text[*(const uint32_t *)b];
	size_t n = app_length(x), m = app_length(y);

	return ORDER(n, m) ?: memcmp(x, y, n);
}

uint32_t *states_alike(struct scratch *room, size_t n,
		       int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	uint32_t *first = scratch_array(room, n, sizeof(*first));
	uint32_t *order = malloc((n + 1) * sizeof(*order));

	for (uint32_t i = 0; i < n && order; i++)
		order[i] = i;
	if (order)
		sort_with(order, n, compare, arg);
	for (size_t i = 0, next; i < n && first && order; i = next)
		for (next = i; next < n && !compare(&order[next], &order[i], arg); next++)
			first[order[next]] = order[i];
	free(order);
	return order ? first : NULL;
}

static int moments(struct scratch *room, struct turns *t, const struct states *s)
{
	size_t tasks = count_if(i, s->n, takes_slot(&s->at[i]));

	t->at = scratch_array(room, 2 * tasks, sizeof(*t->at));
	t->slot = scratch_array(room, tasks, sizeof(*t->slot));
	t->free = scratch_array(room, tasks, sizeof(*t->free));
	t->count = scratch_array(room, tasks, sizeof(*t->count));
	if (room->failed)
		return -ENOMEM;
	tasks = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		struct task_moment m = {.node = x->node,
					.job = x->job < s->jobs.n ? t->app[x->job] : STATE_NONE,
					.task = (uint32_t)tasks,
					.at = x->start_ns,
					.start = true,
					.setup = x->kind == STATE_SETUP,
					.state = (uint32_t)i};

		if (!takes_slot(x))
			continue;
		t->at[t->n++] = m;
		m.at = x->end_ns;
		m.start = false;
		t->at[t->n++] = m;
		tasks++;
	}
	sort(t->at, t->n, in_order);
	return 0;
}

/*
 * Of one job on one node: a task takes the slot that was free last, or a new one. That of the job's setup is not yet
 * free for the first map after it, but for the second.
 */
static void take_turns(struct turns *t, const struct task_moment *m, size_t n, uint8_t *turn)
{
	uint32_t slots = 0, idle = 0, held = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = &t->slot[m[i].task];

		if (!m[i].start && m[i].setup) {
			held = *slot;
			continue;
		}
		if (!m[i].start) {
			t->free[idle++] = *slot;
			continue;
		}
		*slot = idle ? t->free[--idle] : slots;
		if (*slot == slots)
			t->count[slots++] = 0;
		if (t->count[*slot] < TURNS)
			t->count[*slot]++;
		turn[m[i].state] = t->count[*slot];
		if (held != UINT32_MAX)
			t->free[idle++] = held;
		held = UINT32_MAX;
	}
}

COMPARISON_WITH(by_stage, uint32_t, struct state,
		ORDER(with[*a].node, with[*b].node) ?: ORDER(with[*a].job, with[*b].job)
			?: ORDER(with[*a].cls, with[*b].cls)
			?: ORDER(with[*a].end_ns, with[*b].end_ns)
			?: ORDER(with[*a].start_ns, with[*b].start_ns))

static bool one_stage(const struct state *x, const struct state *y)
{
	return x->node == y->node && x->job == y->job && x->cls == y->cls;
}

/*
 * Tasks of Spark that came to a warm machine: those that began before any of their stage had ended there fetch its
 * code, and took 5 to 8 s where later ones took 1 to 4 s.
 */
static void turns_of_stages(struct beside *b, const struct states *s, uint32_t *order)
{
	size_t n = 0, next;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_TASK)
			order[n++] = (uint32_t)i;
	sort_with(order, n, by_stage, s->at);
	for (size_t i = 0; i < n; i = next)
		for (next = i; next < n && one_stage(&s->at[order[next]], &s->at[order[i]]); next++)
			if (b->turn[order[next]] > 1 &&
			    s->at[order[next]].start_ns >= s->at[order[i]].end_ns)
				b->turn[order[next]]++;
}

/* The parts of a task have its turn: their id is its id. */
static int parts_of_tasks(struct beside *b, const struct states *s)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *order = scratch_array(&room, s->n, sizeof(*order));
	uint8_t *of = scratch_array(&room, s->ids.n, sizeof(*of));

	if (room.failed)
		return -ENOMEM;
	turns_of_stages(b, s, order);
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_TASK && s->at[i].id < s->ids.n)
			of[s->at[i].id] = b->turn[i];
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind != STATE_MAP && s->at[i].id < s->ids.n && of[s->at[i].id])
			b->turn[i] = of[s->at[i].id];
	return 0;
}

static int turns(struct beside *b, const struct states *s)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct turns t = {.app = b->app};
	int err = moments(&room, &t, s);

	for (size_t i = 0, next; i < t.n && !err; i = next) {
		next = run_end(m, i, t.n,
			       t.at[m].node == t.at[i].node && t.at[m].job == t.at[i].job);
		take_turns(&t, &t.at[i], next - i, b->turn);
	}
	scratch_release(&room);
	return err ?: parts_of_tasks(b, s);
}

uint8_t beside_turn(const struct beside *b, size_t state)
{
	return b->turn[state];
}

int beside_init(struct states_job *j)
{
	struct beside *b = j->beside = scratch_array(&j->room, 1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->turn = scratch_array(&j->room, j->s->n, sizeof(*b->turn));
	b->app = states_alike(&j->room, j->s->jobs.n, by_app, j->s->jobs.at);
	if (!b->turn || !b->app)
		return -ENOMEM;
	return reduces(&j->room, b, j->s) ?: turns(b, j->s);
}

/* ---- values ------------------------------------------------------------------------------------- */

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
	bool beside;	/* a reduce ran beside it */
	uint8_t turn;	/* in its slot: likewise */
	bool local;	/* both ends are one node */
	bool ended;	/* well: else ln is a lower bound */
	uint32_t node, state;
	float ln;
};

static int by_cell(const struct celled *x, const struct celled *y)
{
	return ORDER(x->job, y->job) ?: ORDER(x->cls, y->cls) ?: ORDER(x->group, y->group)
		?: ORDER(x->hour, y->hour) ?: ORDER(x->octave, y->octave)
		?: ORDER(x->beside, y->beside) ?: ORDER(x->turn, y->turn)
		?: ORDER(x->local, y->local) ?: ORDER(x->chunk, y->chunk);
}

COMPARISON(in_cells, struct celled,
	   by_cell(a, b) ?: ORDER(b->ended, a->ended) ?: ORDER(a->ln, b->ln)
		   ?: ORDER(a->state, b->state))

/* ---- cells --------------------------------------------------------------------------------------- */

/* Half octaves of a state's bytes; -1: not said. */
int16_t states_octave(const struct state *x)
{
	return x->bytes > 0 ? (int16_t)floor(2 * log2((double)x->bytes)) : -1;
}

static struct celled celled_of(const struct states_job *j, size_t i)
{
	const struct state *x = &j->s->at[i];
	bool job = x->job < j->s->jobs.n;
	size_t row = states_row(j, x->node);

	return (struct celled){.job = job ? x->job : STATE_NONE,
			       .cls = x->cls,
			       .group = j->group[row],
			       .hour = job ? 0 : (int32_t)(x->end_ns / HOUR_NS),
			       .octave = states_octave(x),
			       .beside = beside_reduce(j->beside, x),
			       .turn = j->beside->turn[i],
			       .local = x->peer == x->node && states_two_ends(x->kind),
			       .ended = x->outcome == OUTCOME_OK,
			       .node = (uint32_t)row,
			       .state = (uint32_t)i,
			       .ln = (float)log(fmax(state_seconds(x), LEAST_S))};
}

static bool alike_but_size(const struct celled *x, const struct celled *y)
{
	return x->job == y->job && x->cls == y->cls && x->group == y->group && x->hour == y->hour;
}

/* What has not ended well often has no bytes: it is of the size that most of its like have. c in order of cells. */
static void usual_size(struct celled *c, size_t n)
{
	size_t next, last;

	for (size_t i = 0; i < n; i = next) {
		int16_t usual = -1;
		size_t most = 0;

		next = run_end(m, i, n, alike_but_size(&c[m], &c[i]));
		for (size_t k = i; k < next; k = last) {
			size_t ended = 0;

			for (last = k; last < next && c[last].octave == c[k].octave; last++)
				ended += c[last].ended;
			usual = ended > most ? c[k].octave : usual;
			most = ended > most ? ended : most;
		}
		for (size_t k = i; k < next; k++)
			if (!c[k].ended && c[k].octave < 0)
				c[k].octave = usual;
	}
}

static bool is_compared(const struct states_job *j, size_t i)
{
	const struct state *x = &j->s->at[i];
	bool block = x->kind == STATE_READ || states_pipeline(x->kind);

	if (block && x->bytes >= 0 && x->bytes < BLOCK_LEAST)
		return false;
	return states_compared_row(j, x->node) != SIZE_MAX && x->end_ns >= x->start_ns;
}

struct cell_place {
	uint32_t node, at;
};

COMPARISON(by_node, struct cell_place, ORDER(a->node, b->node) ?: ORDER(a->at, b->at))

/* The median of n ascending values without those of one node, which are at own[0 … m), ascending. */
static double others_median(const struct celled *c, size_t n, const struct cell_place *own,
			    size_t m)
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
struct kind_cells {
	const struct states_job *j;
	struct celled *c;
	size_t n;
	struct cell_place *at;
	struct state_value *v;
	size_t n_v;
	bool *made; /* of states.at */
	uint32_t cell;
};

static size_t count_nodes(struct cell_place *at, const struct celled *c, size_t n)
{
	size_t nodes = 0;

	for (size_t i = 0; i < n; i++)
		at[i] = (struct cell_place){c[i].node, (uint32_t)i};
	sort(at, n, by_node);
	for (size_t i = 0; i < n; i++)
		nodes += !i || at[i].node != at[i - 1].node;
	return nodes;
}

static void one_cell(struct kind_cells *w, const struct celled *c, size_t n)
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
static void in_chunks(const struct kind_cells *w, struct celled *c, size_t n)
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

static void all_cells(struct kind_cells *w)
{
	size_t next, last;

	sort(w->c, w->n, in_cells);
	usual_size(w->c, w->n);
	sort(w->c, w->n, in_cells);
	for (size_t i = 0; i < w->n; i = next) {
		next = run_end(m, i, w->n, !by_cell(&w->c[m], &w->c[i]));
		in_chunks(w, &w->c[i], next - i);
		for (size_t k = i; k < next; k = last) {
			last = run_end(m, k, next, !by_cell(&w->c[m], &w->c[k]));
			one_cell(w, &w->c[k], last - k);
		}
	}
}

/* First tasks of executors, whatever their stage and size: starting the machine is most of them. */
static void first_of_any_stage(struct kind_cells *w)
{
	size_t kept = 0;
	bool missing = false;

	for (size_t i = 0; i < w->n; i++) {
		struct celled *x = &w->c[i];

		if (x->turn != 1 || x->job == STATE_NONE)
			continue;
		missing |= !w->made[x->state];
		x->job = w->j->beside->app[x->job];
		x->cls = STATE_NONE;
		x->octave = -1;
		x->chunk = 0;
		w->c[kept++] = *x;
	}
	w->n = kept;
	if (missing)
		all_cells(w);
}

/*
 * The values of a kind, in any order, made with malloc(). A state's r is its ln less the median of
 * the others in its cell: of one group, job (without one: of one hour), kind, class, half octave of bytes; of one turn in
 * its slot, of a map also with a reduce beside it or without; and begun at about one time. What did not end well, or has
 * not ended, took at least as long as it is old: it counts where that is more than the median. A first task of an
 * executor that no other's first task of its stage is like is compared with those of other stages. 0 or -ENOMEM.
 */
int states_cells(const struct states_job *j, enum state_kind kind, struct state_value **v,
		 size_t *n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct kind_cells w = {.j = j,
			       .c = scratch_array(&room, j->s->n, sizeof(*w.c)),
			       .made = scratch_array(&room, j->s->n, sizeof(*w.made))};

	*v = NULL;
	for (size_t i = 0; i < j->s->n && !room.failed; i++)
		if (j->s->at[i].kind == kind && is_compared(j, i))
			w.c[w.n++] = celled_of(j, i);
	w.at = scratch_array(&room, w.n, sizeof(*w.at));
	w.v = room.failed ? NULL : calloc(w.n + 1, sizeof(*w.v));
	if (!w.v)
		return -ENOMEM;
	all_cells(&w);
	if (kind != STATE_MAP)
		first_of_any_stage(&w);
	*v = w.v;
	*n = w.n_v;
	return 0;
}
