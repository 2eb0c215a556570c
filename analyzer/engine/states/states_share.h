/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of work, while it is judged: what states_share.c and states_slots.c share, and nobody else. */
#ifndef LIMPET_STATES_SHARE_H
#define LIMPET_STATES_SHARE_H

#include "states_parts.h"

struct shared {
	double done, expected;
	double bytes; /* of its tasks, on average */
	int64_t from_ns, to_ns;
};

/* One task, by job and start. */
struct task {
	uint32_t job, node;
	int32_t group;
	int64_t from, to, bytes;
	bool counts, ended; /* starts the queue's time; ended well */
	bool offered;	    /* to all nodes */
};

/* When a node is known by a task of this kind, and when it did anything last. */
struct there {
	int64_t first, last;
};

struct shares {
	struct states_job *j;
	size_t signal, n;
	struct task *at;
	unsigned int *slots; /* of each node */
	struct there *there;
	uint32_t *nodes; /* by group */
	size_t *group;	 /* nodes[group[g] … group[g + 1]) are of group g */
	uint32_t *here;	 /* nodes of the job that is looked at */
	size_t n_here;
	struct shared *all, *one; /* all: PARTS of each node */
	double *offered;
	struct look_mean *mean;
	struct weighed *out;
};

/* states_slots.c: tasks of a kind by node and start, slots, when nodes were there, and nodes by group; what is told of
 * slots. What they fill is the caller's to free. 0 or -ENOMEM. */
int slots_gather(struct shares *w, enum state_kind kind);
int slots_tell(struct shares *w);

#endif
