/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that hold up their job, and what may be behind them. They are about tasks: no server is indicted by them.
 */
#ifndef LIMPET_STRAGGLER_H
#define LIMPET_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/series/series.h"

enum {
	TASK_NAME_LEN = 128,
	TASK_CAUSES_MAX = 16,
	JOB_SIGNS_MAX = 8,
	JOB_TASKS_MAX = 4000,
	JOB_STATES_MAX = 1000,
	JOB_WAITS_MAX = 8
};

/* What tasks have in common that may be why they take long; a verdict has a table of these. */
struct task_cause {
	char word[32]; /* "data-locality" */
	char what[96]; /* what holds of the task: "its data were on another server" */
};

/* One attempt of a task. */
struct straggler {
	size_t node; /* of the verdict */
	size_t job;  /* of the verdict's jobs */
	char task[TASK_NAME_LEN];
	bool running; /* it has no end yet */
	int64_t start_ns;
	unsigned int flagged, judged; /* looks */
	int64_t onset_ns, last_ns;    /* the first and the last look at which it was one */
	double performance, median; /* at the look at which it was furthest below; NaN: not known */
	double takes_s, usual_s;    /* how long it takes, and its like; NaN: not known */
	uint32_t causes;	    /* a bit for each of the verdict's task causes */
};

/* Of tasks that ended well and took 1.5 times the median of those like them: how long beyond it, and how much of that their inputs
 * explain at most. And how many of all tasks are not in that, and why. */
struct straggling {
	double beyond_s, explained_s;
	size_t tasks, few, uneven, no_input;
};

/* One attempt of a job that runs, which may have ended: for people to look at. */
struct job_task {
	size_t node, job; /* of the verdict, and of its jobs */
	char task[TASK_NAME_LEN];
	char stage[48];		    /* of its job; "": not said */
	const char *kind, *outcome; /* constants: "map"; "open", "ok" */
	bool straggler;
	bool waited_for;	  /* by the job: it is on its critical path */
	double progress;	  /* 0 … 1; NaN: not said */
	int64_t start_ns, end_ns; /* end_ns of an open one: the newest time of the logs */
	double takes_s, usual_s;  /* as of struct straggler */
	uint32_t causes;
};

/* A part of an attempt, or a transfer, as logs tell it (limpet-states(1)): for people to look at. */
struct job_state {
	size_t node;		    /* of the verdict */
	char peer[HOST_LEN];	    /* the other end, which may be no server of it; "": none */
	const char *kind, *outcome; /* constants: "shuffle"; "ok" */
	char id[TASK_NAME_LEN], job[TASK_NAME_LEN]; /* job "": not said */
	int64_t start_ns, end_ns, bytes;	    /* bytes -1: not said */
};

/* Something about how a job uses its servers: "idle-nodes", and a sentence. */
struct job_sign {
	char word[32];
	char what[160];
};

/* What a job that runs waited for: a part of its time so far (analyzer/jobs/job_flow.h). */
struct job_wait {
	size_t node;		/* of the verdict: tasks there; SIZE_MAX: none */
	const char *why, *what; /* constants: "slot", "until the server took the next task" */
	double s, lost_s; /* lost: what its tasks took longer than their like on other servers */
};

/* A job, and how many of its tasks were looked at. */
struct straggler_job {
	char job[TASK_NAME_LEN];
	size_t tasks, looked_at, stragglers;
	size_t of[TASK_CAUSES_MAX];  /* stragglers with this cause */
	size_t all[TASK_CAUSES_MAX]; /* tasks looked at, with this cause: stragglers or not */
	uint32_t known; /* a bit for each cause of which the logs say whether any task has it */
	int64_t from_ns, to_ns;
	struct job_sign signs[JOB_SIGNS_MAX];
	size_t n_signs;
	struct job_wait waits[JOB_WAITS_MAX]; /* the longest first */
	size_t n_waits;
	double waited_s; /* its time so far, of which these are the most; 0: it was not looked at */
	/* What is behind its stragglers, a sentence ("": nothing is known), the decision or program that says so, and which server or
	 * cause it names ("": none). */
	char decision[160], decided_by[32], subject[HOST_LEN];
};

/* By job, onset and name. */
void stragglers_in_order(struct straggler *at, size_t n);
/* Their numbers: first what takes most times as long as its like. order: room for n. */
void stragglers_worst_first(struct straggler *at, size_t n, size_t *order);
/* Likewise of jobs: first those whose decision names a server or a cause, then those with the most late tasks. */
void jobs_worst_first(const struct straggler_job *at, size_t n, size_t *order);

#endif
