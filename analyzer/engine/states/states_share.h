/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of work, while it is judged: what states_share.c and states_slots.c share, and nobody else. */
#ifndef LIMPET_STATES_SHARE_H
#define LIMPET_STATES_SHARE_H

#include "states_parts.h"

struct shared {
	double done, expected;
	double bytes;	/* of its tasks, on average */
	int64_t own_ns; /* slot time of them while the job's tasks were queued */
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

/* Sums over a node's tasks, up to one of them. */
typedef __int128 task_sum; /* of times: a million of them in ns */

struct shares {
	struct states_job *j;
	size_t signal, n;
	struct task *at;	 /* by node and start */
	size_t *first;		 /* at[first[i] … first[i + 1]) are of node i */
	int64_t *ends;		 /* of the same, by node and end */
	task_sum *begun, *ended; /* starts, and ends, of those of the node before it, added up */
	task_sum *begun_all, *ended_all; /* of each node */
	unsigned int *slots;		 /* of each node */
	struct there *there;
	uint32_t *nodes; /* by group */
	size_t *group;	 /* nodes[group[g] … group[g + 1]) are of group g */
	uint32_t *here;	 /* nodes of the job that is looked at */
	size_t n_here;
	struct shared *all, *one; /* all: PARTS of each node */
	double *offered;
	struct count *count;
	struct evidence *out;
};

/* states_slots.c: tasks of a kind by node and start, and their sums, slots, when nodes were there, and nodes by group; what is told of
 * slots. What they fill is the caller's to free. 0 or -ENOMEM. */
int slots_gather(struct shares *w, enum state_kind kind);
int slots_tell(struct shares *w);
/* Slot time that tasks of all jobs took on a node in [from, to). */
task_sum slots_taken_ns(const struct shares *w, uint32_t node, int64_t from, int64_t to);
void slots_release(struct shares *w);

#endif
