/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share, and nobody else: the steps of job_flow_make(), in their order. */
#ifndef LIMPET_FLOW_INTERNAL_H
#define LIMPET_FLOW_INTERNAL_H

#include "job_flow.h"

/* All return 0 or -ENOMEM. */

/* flow_job.c: its time, states, groups and attempts. -ENODATA: it has no attempt. */
int flow_job(struct job_flow *f);
/* flow_graph.c, flow_stages.c: vertices and edges; what each attempt got last. */
int flow_graph(struct job_flow *f);
int flow_graph_stages(struct job_flow *f);
/* flow_order.c: what each reduce got last of maps, if no shuffle came later: it needs the output of every map, so that it got the last no earlier
 * than the last map ended; what each attempt waited for before it started. */
int flow_got_maps(struct job_flow *f);
int flow_order(struct job_flow *f);
/* flow_paths.c, flow_cluster.c */
int flow_count_paths(struct job_flow *f);
int flow_cluster_pairs(struct job_flow *f);
/* flow_cells.c: what is usual, for flow_usual() */
int flow_cells(struct job_flow *f);
/* flow_critical.c */
int flow_critical(struct job_flow *f);
/* flow_without.c */
int flow_without(struct job_flow *f);

/* flow_job.c: the attempt of this name; STATE_NONE: it is none of the job's. */
uint32_t flow_task_of(const struct job_flow *f, uint32_t item);
/* n times STATE_NONE, in that scratch; NULL: no memory. */
uint32_t *flow_none(struct scratch *room, size_t n);

static inline const struct state *flow_state(const struct job_flow *f, uint32_t state)
{
	return &f->s->at[state];
}

static inline double flow_seconds(const struct job_flow *f, uint32_t state)
{
	return (double)(f->s->at[state].end_ns - f->s->at[state].start_ns) / 1e9;
}

/* Until when an attempt can get what it waits for. */
static inline int64_t flow_waits_until(const struct job_flow *f, const struct flow_task *t)
{
	int64_t until = t->wait == STATE_NONE ? t->end_ns : flow_state(f, t->wait)->end_ns;

	return until < t->end_ns ? until : t->end_ns;
}

/* The server that an attempt ran on. */
static inline uint32_t flow_node(const struct job_flow *f, uint32_t task)
{
	return flow_state(f, f->tasks[task].state)->node;
}

/* flow_order.c. Remembers the last that a reduce got while it waited. */
void flow_got(struct job_flow *f, uint32_t task, uint32_t state, uint32_t map);
/* For sort(): edges by where they begin, then end; for sort_with(): tasks' numbers by when they ended, of one time the
 * later one first. */
int flow_edges_by_from(const void *a, const void *b);
int flow_tasks_by_end(const void *a, const void *b, void *tasks);

/* An edge with the seconds and bytes of e; nothing where there are too many, which is noted. */
int flow_join(struct job_flow *f, uint32_t from, uint32_t to, struct flow_edge e, bool guess);
/* One that takes as long, and moves as much, as a state; STATE_NONE: not known. */
struct flow_edge flow_edge_of(const struct job_flow *f, uint32_t state);
int flow_vertex(struct job_flow *f, enum flow_vertex_kind kind, uint32_t state, uint32_t task);

/* ---- flow_places.c: which attempts of a group ran on a server at a time ------------------------------- */

struct flow_places {
	uint32_t *at;	     /* tasks, by node and start */
	size_t *first;	     /* of each node, n + 1 */
	int64_t *longest_ns; /* of each node */
	size_t next;	     /* of flow_places_next() */
};
/* In that scratch. */
int flow_places(struct flow_places *p, struct scratch *room, const struct job_flow *f,
		enum flow_group_kind group);
/* Attempts that ended well and ran on that server within the span: begin, then next until STATE_NONE. */
void flow_places_begin(struct flow_places *p, const struct job_flow *f, uint32_t node,
		       int64_t to_ns);
uint32_t flow_places_next(struct flow_places *p, const struct job_flow *f, uint32_t node,
			  int64_t from_ns);

/* ---- flow_cells.c: what is usual ------------------------------------------------------------------------ */

/* ln of the median of other nodes' states in the cell of states.at[state]; NaN: fewer than four. own: ln of what counts of
 * its own: of a reduce that waits, only what comes after its last input. */
double flow_usual(const struct job_flow *f, uint32_t state, double *own);

#endif
