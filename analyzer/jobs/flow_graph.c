// SPDX-License-Identifier: BSD-2-Clause
/*
 * job_flow.h: the causal graph of maps and reduces. Vertices are made kind by kind in the order of cause and
 * effect, so that every edge goes from a smaller number to a larger one.
 *
 * What the logs name is joined by name. A read without a reader belongs to every map that ran on the host
 * it went to at that time, a superset (thesis, 5.1.2); a write likewise. A shuffle without a reduce belongs to the
 * one that ran on the host it went to, or to all that did. With no shuffle in the logs each reduce fetched from each map.
 */
#include <errno.h>
#include <math.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* While the graph is made. */
struct making {
	struct job_flow *f;
	uint32_t *vertex_of; /* of each task: of a map its own, of a reduce its shuffle-wait */
	struct flow_places maps, reduces;
	uint32_t n_maps, n_reduces; /* that ended well */
	/* Kinds that name their attempts: one that does not is of none, a client besides the job. */
	bool named[STATE_KIND_COUNT];
	uint32_t shuffled; /* the vertex that stands for all shuffles; STATE_NONE */
};

int flow_vertex(struct job_flow *f, enum flow_vertex_kind kind, uint32_t state, uint32_t task)
{
	return array_put(&f->vertices, &f->n_vertices,
			 (struct flow_vertex){.kind = (uint8_t)kind, .state = state, .task = task});
}

int flow_join(struct job_flow *f, uint32_t from, uint32_t to, struct flow_edge e, bool guess)
{
	e.from = from;
	e.to = to;
	e.guess = guess;
	if (f->n_edges >= FLOW_EDGES_MAX) {
		f->missing |= FLOW_TOO_MANY;
		return 0;
	}
	if (array_put(&f->edges, &f->n_edges, e))
		return -ENOMEM;
	f->n_guessed += e.guess;
	return 0;
}

struct flow_edge flow_edge_of(const struct job_flow *f, uint32_t state)
{
	if (state == STATE_NONE)
		return (struct flow_edge){.seconds = NAN, .bytes = -1};
	return (struct flow_edge){.seconds = (float)flow_seconds(f, state),
				  .bytes = flow_state(f, state)->bytes};
}

/* Number of the vertex of a map's output, a reduce's input and its reducer. */
static uint32_t output_of(const struct making *m, uint32_t task)
{
	return m->vertex_of[task] + m->n_maps;
}

static uint32_t input_of(const struct making *m, uint32_t task)
{
	return m->vertex_of[task] + m->n_reduces;
}

static uint32_t reducer_of(const struct making *m, uint32_t task)
{
	return m->vertex_of[task] + 2 * m->n_reduces;
}

/* ---- vertices ----------------------------------------------------------------------------------------------- */

static bool is_done(const struct making *m, uint32_t task, uint32_t group)
{
	return task != STATE_NONE && m->f->tasks[task].group == group && m->f->tasks[task].done;
}

/* Of this job by name, or without a name and within its time. */
static bool is_of_job(const struct making *m, const struct state *x)
{
	if (x->kind == STATE_SHUFFLE)
		return is_done(m, flow_task_of(m->f, x->in), FLOW_MAPS);
	if (x->job == m->f->job)
		return true;
	return x->job == STATE_NONE && x->start_ns < m->f->to_ns && x->end_ns > m->f->from_ns &&
	       !m->named[x->kind];
}

static void find_named(struct making *m)
{
	const struct job_flow *f = m->f;

	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		uint32_t item = x->kind == STATE_READ ? x->out : x->in;

		m->named[x->kind] |= flow_task_of(f, item) != STATE_NONE;
	}
}

static int data_vertices(struct making *m, enum state_kind kind, enum flow_vertex_kind vertex)
{
	const struct states *s = m->f->s;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (x->kind != kind || x->outcome != OUTCOME_OK || !is_of_job(m, x))
			continue;
		if (flow_vertex(m->f, vertex, (uint32_t)i, STATE_NONE))
			return -ENOMEM;
	}
	return 0;
}

static int task_vertices(struct making *m, uint32_t group, enum flow_vertex_kind vertex)
{
	struct job_flow *f = m->f;

	for (uint32_t t = 0; t < f->n_tasks; t++) {
		const struct flow_task *x = &f->tasks[t];
		uint32_t state = vertex == FLOW_MAP	       ? x->state
				 : vertex == FLOW_SHUFFLE_WAIT ? x->wait
				 : vertex == FLOW_REDUCER      ? x->reducer
							       : STATE_NONE;

		if (x->group != group || !x->done)
			continue;
		if (vertex == FLOW_MAP || vertex == FLOW_SHUFFLE_WAIT)
			m->vertex_of[t] = (uint32_t)f->n_vertices;
		if (flow_vertex(f, vertex, state, t))
			return -ENOMEM;
	}
	return 0;
}

static int make_vertices(struct making *m)
{
	struct job_flow *f = m->f;
	int err = data_vertices(m, STATE_READ, FLOW_READ);
	size_t before;

	err = err ? err : task_vertices(m, FLOW_MAPS, FLOW_MAP);
	if (m->n_reduces) {
		err = err ? err : task_vertices(m, FLOW_MAPS, FLOW_MAP_OUTPUT);
		before = f->n_vertices;
		err = err ? err : data_vertices(m, STATE_SHUFFLE, FLOW_SHUFFLE);
		if (!err && f->n_vertices == before && m->n_maps) {
			m->shuffled = (uint32_t)before;
			err = flow_vertex(f, FLOW_SHUFFLE, STATE_NONE, STATE_NONE);
		}
		err = err ? err : task_vertices(m, FLOW_REDUCES, FLOW_SHUFFLE_WAIT);
		err = err ? err : task_vertices(m, FLOW_REDUCES, FLOW_REDUCE_INPUT);
		err = err ? err : task_vertices(m, FLOW_REDUCES, FLOW_REDUCER);
	}
	return err ? err : data_vertices(m, STATE_WRITE, FLOW_WRITE);
}

static void say_missing(struct making *m)
{
	struct job_flow *f = m->f;
	bool has[FLOW_VERTEX_KINDS] = {0};

	for (size_t v = 0; v < f->n_vertices; v++)
		has[f->vertices[v].kind] = true;
	f->missing |= (has[FLOW_READ] ? 0 : FLOW_NO_READS) | (has[FLOW_WRITE] ? 0 : FLOW_NO_WRITES);
	f->missing |= m->shuffled == STATE_NONE ? 0 : FLOW_NO_SHUFFLES;
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

static uint32_t other_end(const struct state *x)
{
	return x->peer == STATE_NONE ? x->node : x->peer;
}

/* A read goes to the map that read, a write comes from the attempt that wrote, of a reduce from its last part. */
static int join_attempt(struct making *m, uint32_t v, uint32_t task, bool guess)
{
	const struct flow_vertex *x = &m->f->vertices[v];
	struct flow_edge e = flow_edge_of(m->f, x->state);

	if (x->kind == FLOW_WRITE && is_done(m, task, FLOW_REDUCES))
		return flow_join(m->f, reducer_of(m, task), v, e, guess);
	if (!is_done(m, task, FLOW_MAPS))
		return 0;
	return x->kind == FLOW_WRITE ? flow_join(m->f, m->vertex_of[task], v, e, guess)
				     : flow_join(m->f, v, m->vertex_of[task], e, guess);
}

/* item: what it says whose it is. */
static int join_block(struct making *m, uint32_t v, const struct state *x, uint32_t item,
		      struct flow_places *p)
{
	uint32_t node = other_end(x), task;
	int err = 0;

	if (item != STATE_NONE)
		return join_attempt(m, v, flow_task_of(m->f, item), false);
	m->f->missing |= x->kind == STATE_READ ? FLOW_NO_READERS : 0;
	flow_places_begin(p, m->f, node, x->end_ns);
	while (!err && (task = flow_places_next(p, m->f, node, x->start_ns)) != STATE_NONE)
		err = join_attempt(m, v, task, true);
	return err;
}

static int join_shuffle(struct making *m, uint32_t v, const struct state *x)
{
	struct job_flow *f = m->f;
	uint32_t map = flow_task_of(f, x->in), node = other_end(x);
	uint32_t task = flow_task_of(f, x->out);
	struct flow_edge e = flow_edge_of(f, f->vertices[v].state);
	size_t more = 0;
	int err;

	if (!is_done(m, map, FLOW_MAPS))
		return 0;
	err = flow_join(m->f, output_of(m, map), v, e, false);
	if (x->out != STATE_NONE) {
		if (err || !is_done(m, task, FLOW_REDUCES))
			return err;
		flow_got(f, task, f->vertices[v].state, map);
		return flow_join(m->f, v, m->vertex_of[task], e, false);
	}
	flow_places_begin(&m->reduces, f, node, x->end_ns);
	while (flow_places_next(&m->reduces, f, node, x->start_ns) != STATE_NONE)
		more++;
	f->missing |= more > 1 ? FLOW_NO_FETCHERS : 0;
	flow_places_begin(&m->reduces, f, node, x->end_ns);
	while (!err && (task = flow_places_next(&m->reduces, f, node, x->start_ns)) != STATE_NONE) {
		flow_got(f, task, f->vertices[v].state, map);
		err = flow_join(m->f, v, m->vertex_of[task], e, more > 1);
	}
	return err;
}

static int join_all_shuffles(struct making *m)
{
	struct job_flow *f = m->f;
	const struct flow_edge unknown = flow_edge_of(f, STATE_NONE);
	int err = 0;

	for (uint32_t t = 0; t < f->n_tasks && !err && m->shuffled != STATE_NONE; t++)
		if (is_done(m, t, FLOW_MAPS))
			err = flow_join(m->f, output_of(m, t), m->shuffled, unknown, true);
		else if (is_done(m, t, FLOW_REDUCES))
			err = flow_join(m->f, m->shuffled, m->vertex_of[t], unknown, true);
	return err;
}

/* Within an attempt: a map and its output, a reduce and its parts. The thesis's reducer sorts, too. */
static int join_tasks(struct making *m)
{
	struct job_flow *f = m->f;
	int err = 0;

	for (uint32_t t = 0; t < f->n_tasks && !err; t++) {
		const struct flow_task *x = &f->tasks[t];
		struct flow_edge reducer;

		if (is_done(m, t, FLOW_MAPS) && m->n_reduces)
			err = flow_join(m->f, m->vertex_of[t], output_of(m, t),
					flow_edge_of(f, x->state), false);
		if (!is_done(m, t, FLOW_REDUCES))
			continue;
		reducer = flow_edge_of(f, x->reducer);
		if (x->sort != STATE_NONE)
			reducer.seconds += (float)flow_seconds(f, x->sort);
		err = flow_join(m->f, m->vertex_of[t], input_of(m, t), flow_edge_of(f, x->wait),
				false);
		err = err ? err : flow_join(m->f, input_of(m, t), reducer_of(m, t), reducer, false);
	}
	return err;
}

static int join_data(struct making *m)
{
	struct job_flow *f = m->f;
	int err = 0;

	for (uint32_t v = 0; v < f->n_vertices && !err; v++) {
		uint8_t kind = f->vertices[v].kind;
		uint32_t state = f->vertices[v].state;
		const struct state *x = state == STATE_NONE ? NULL : flow_state(f, state);

		if (x && kind == FLOW_READ)
			err = join_block(m, v, x, x->out, &m->maps);
		else if (x && kind == FLOW_SHUFFLE)
			err = join_shuffle(m, v, x);
		else if (x && kind == FLOW_WRITE)
			err = join_block(m, v, x, x->in, m->n_reduces ? &m->reduces : &m->maps);
	}
	return err;
}

/* Reads and writes that belong to nothing are of other jobs, or of none: out, with the numbers moved up. */
static int drop_alone(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *number = scratch_array(&room, f->n_vertices, sizeof(*number)), kept = 0;

	if (!number)
		return -ENOMEM;
	for (size_t e = 0; e < f->n_edges; e++)
		number[f->edges[e].from] = number[f->edges[e].to] = 1;
	for (size_t v = 0; v < f->n_vertices; v++) {
		uint8_t kind = f->vertices[v].kind;
		bool data = kind == FLOW_READ || kind == FLOW_WRITE || kind == FLOW_SHUFFLE;
		bool keep = number[v] || !data;

		number[v] = kept;
		f->vertices[kept] = f->vertices[v];
		kept += keep;
	}
	f->n_vertices = kept;
	for (size_t e = 0; e < f->n_edges; e++) {
		f->edges[e].from = number[f->edges[e].from];
		f->edges[e].to = number[f->edges[e].to];
	}
	return 0;
}

int flow_edges_by_from(const void *a, const void *b)
{
	const struct flow_edge *x = a, *y = b;

	return ORDER(x->from, y->from) ?: ORDER(x->to, y->to);
}

static int make_graph(struct making *m)
{
	struct job_flow *f = m->f;
	int err = make_vertices(m);

	err = err ? err : join_tasks(m);
	err = err ? err : join_data(m);
	err = err ? err : join_all_shuffles(m);
	err = err ? err : drop_alone(f);
	if (err)
		return err;
	say_missing(m);
	sort(f->edges, f->n_edges, flow_edges_by_from);
	return 0;
}

int flow_graph(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct making m = {.f = f, .shuffled = STATE_NONE};
	int err;

	if (f->spark)
		return flow_graph_stages(f);
	m.vertex_of = scratch_array(&room, f->n_tasks, sizeof(*m.vertex_of));
	for (size_t t = 0; t < f->n_tasks; t++) {
		m.n_maps += f->tasks[t].done && f->tasks[t].group == FLOW_MAPS;
		m.n_reduces += f->tasks[t].done && f->tasks[t].group == FLOW_REDUCES;
	}
	find_named(&m);
	err = flow_places(&m.maps, &room, f, FLOW_MAPS);
	err = err ? err : flow_places(&m.reduces, &room, f, FLOW_REDUCES);
	return err ? err : make_graph(&m);
}
