/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that hold up their job, and what may be behind them. They are about tasks: no server is indicted by them.
 */
#ifndef LIMPET_STRAGGLER_H
#define LIMPET_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tasks have in common that may be why they take long. A row each: word, what holds of the task. */
#define TASK_CAUSES(X)                                                                          \
	X(NOT_LOCAL, "data-locality", "its data were on another server")                        \
	X(LESS_HARDWARE, "resource-heterogeneity", "its server has fewer cores or less memory") \
	X(RESTARTED, "network-failure", "it was begun again after its server was lost")

#define TASK_CAUSE_ENUM(NAME, ...) TASK_##NAME,
enum task_cause { TASK_CAUSES(TASK_CAUSE_ENUM) TASK_CAUSE_COUNT };

struct task_cause_row {
	const char *word, *what;
};
extern const struct task_cause_row task_causes[TASK_CAUSE_COUNT];

enum { TASK_NAME_LEN = 128 };

/* One attempt of a task. */
struct straggler {
	size_t node; /* of the verdict */
	size_t job;  /* of the verdict's jobs */
	char task[TASK_NAME_LEN];
	unsigned int flagged, judged; /* looks */
	int64_t onset_ns, last_ns;    /* the first and the last look at which it was one */
	double performance, median;   /* at the look at which it was furthest below */
	bool causes[TASK_CAUSE_COUNT];
};

/* A job, and how many of its tasks were looked at. */
struct straggler_job {
	char job[TASK_NAME_LEN];
	size_t tasks, looked_at, stragglers;
	size_t of[TASK_CAUSE_COUNT];  /* stragglers with this cause */
	size_t all[TASK_CAUSE_COUNT]; /* tasks looked at, with this cause: stragglers or not */
	bool known[TASK_CAUSE_COUNT]; /* the logs say, of any task */
	int64_t from_ns, to_ns;
};

#endif
