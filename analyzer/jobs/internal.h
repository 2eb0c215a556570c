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
/* flow_order.c: what each attempt waited for before it started. */
int flow_order(struct job_flow *f);
/* flow_paths.c, flow_cluster.c */
int flow_count_paths(struct job_flow *f);
int flow_cluster_pairs(struct job_flow *f);
/* flow_critical.c */
int flow_critical(struct job_flow *f);
/* flow_without.c */
int flow_without(struct job_flow *f);

/* flow_job.c: the attempt of this name; STATE_NONE: it is none of the job's. task_of: of each of states.ids. */
uint32_t flow_task_of(const struct job_flow *f, const uint32_t *task_of, uint32_t item);
/* Made with malloc(); NULL: no memory. */
uint32_t *flow_tasks_by_id(const struct job_flow *f);

static inline const struct state *flow_state(const struct job_flow *f, uint32_t state)
{
	return &f->s->at[state];
}

static inline double flow_seconds(const struct job_flow *f, uint32_t state)
{
	return (double)(f->s->at[state].end_ns - f->s->at[state].start_ns) / 1e9;
}

/* For sort(): edges by where they begin, then end; for sort_with(): tasks' numbers by when they ended, of one time the
 * later one first. */
int flow_edges_by_from(const void *a, const void *b);
int flow_tasks_by_end(const void *a, const void *b, void *tasks);

/* Edges; nothing where there are too many, which is noted. */
int flow_edge(struct job_flow *f, struct flow_edge e);
int flow_vertex(struct job_flow *f, enum flow_vertex_kind kind, uint32_t state, uint32_t task);

/* ---- flow_places.c: which attempts of a group ran on a server at a time ------------------------------- */

struct flow_places {
	uint32_t *at;	     /* tasks, by node and start */
	size_t *first;	     /* of each node, n + 1 */
	int64_t *longest_ns; /* of each node */
	size_t next;	     /* of flow_places_next() */
};
int flow_places(struct flow_places *p, const struct job_flow *f, enum flow_group_kind group);
void flow_places_release(struct flow_places *p);
/* Attempts that ended well and ran on that server within the span: begin, then next until STATE_NONE. */
void flow_places_begin(struct flow_places *p, const struct job_flow *f, uint32_t node,
		       int64_t to_ns);
uint32_t flow_places_next(struct flow_places *p, const struct job_flow *f, uint32_t node,
			  int64_t from_ns);

/* ---- flow_cells.c: what is usual ------------------------------------------------------------------------ */

/* What counts of a state that is compared: of a reduce that waits, only after its last input. */
struct flow_cells {
	struct flow_cell_value *at; /* by cell, then node */
	size_t n;
	uint32_t *of; /* of each of job_flow.states: its place; UINT32_MAX: it is not compared */
	/* What was asked last. */
	bool known;
	size_t from;
	uint32_t node;
	double usual;
};
int flow_cells(struct flow_cells *c, const struct job_flow *f);
void flow_cells_release(struct flow_cells *c);
/* ln of the median of other nodes' states in the cell of states.at[state]; NaN: fewer than four. `own`: ln of its
 * own, may be NULL. */
double flow_usual(struct flow_cells *c, const struct job_flow *f, uint32_t state, double *own);

#endif
