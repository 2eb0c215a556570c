/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What methods of windows share (kl, cwnd and the baselines): one metric of one group is a task of its own, with the
 * thresholds and votes of its nodes. With threads asked for, tasks run in parallel, unless the method says otherwise. The
 * functions with `state` are those of struct method (method.h); the state is a struct window_run.
 */
#ifndef LIMPET_WINDOW_RUN_H
#define LIMPET_WINDOW_RUN_H

#include "method.h"

/* One metric of one group. */
struct window_task {
	const struct frame *f;
	size_t metric;
	/* judging */
	const struct trained *trained; /* NULL: it was not */
	struct vote *votes;
	double *threshold; /* NaN: none */
	struct coverage coverage;
	/* training */
	size_t row;	/* of the model's trained[] */
	size_t windows; /* looked at in this group */
};

struct window_run {
	const struct method *method;
	const struct params *p;
	struct model *train;	   /* NULL when judging */
	struct judgement *j;	   /* NULL when training */
	struct window_task *tasks; /* group by group */
	size_t n_tasks, n_rows;	   /* n_rows: metrics looked at */
	unsigned int threads;
	struct slice slice;
};

/* What the rows of methods that judge windows have in common; of those that need no training what trains is not asked. */
#define METHOD_OF_WINDOWS                                                           \
	.reads = READS_FRAMES, .heeds = method_frames_heeds, .make = method_frames, \
	.causes = true, .train_slice = window_run_train_slice,                      \
	.train_pass_end = window_run_train_end, .train_free = window_run_free,      \
	.judge_new = window_run_judge, .judge_slice = window_run_slice,             \
	.judge_end = window_run_judge_end, .judge_free = window_run_free

/* A row of the model for each metric. */
void *window_run_train(const struct method *method, const struct peers *peers, struct model *m);
void *window_run_judge(const struct method *method, const struct peers *peers,
		       const struct model *m, const size_t *index, struct judgement *j);
void window_run_free(void *state);

int window_run_slice(void *state, struct slice s);
int window_run_train_slice(void *state, struct slice s, unsigned int pass);
int window_run_train_end(void *state, unsigned int pass);
int window_run_judge_end(void *state);

/* The numbers of the windows that begin in a slice. */
struct slice windows_of_slice(const struct frame *f, const struct params *p, struct slice s);

/* A node in a window before it is looked at: not judged, no value known. */
struct explained window_run_blank(const struct window_run *r, const struct window_task *t, size_t w,
				  size_t node);
/* The node's vote as it was looked at. 0 or -ENOMEM. */
int window_run_vote(struct window_run *r, struct window_task *t, const struct explained *e,
		    double key);

#endif
