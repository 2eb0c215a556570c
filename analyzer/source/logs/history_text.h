/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that read the job history of Hadoop 0.18 to 1.x (log_history.c), and nobody else. */
#ifndef LIMPET_HISTORY_TEXT_H
#define LIMPET_HISTORY_TEXT_H

#include "log_source.h"

/* Keys that are heeded. */
/* clang-format off */
#define HISTORY_KEYS(X) \
	X(JOBID) X(JOBNAME) X(SUBMIT_TIME) X(LAUNCH_TIME) \
	X(TOTAL_MAPS) X(TOTAL_REDUCES) X(JOB_STATUS) X(TASKID) \
	X(TASK_TYPE) X(SPLITS) X(TASK_ATTEMPT_ID) X(START_TIME) \
	X(FINISH_TIME) X(SHUFFLE_FINISHED) X(SORT_FINISHED) X(TRACKER_NAME) \
	X(HOSTNAME) X(TASK_STATUS) X(STATE_STRING) X(COUNTERS) \
	X(LOCALITY) X(AVATAAR) X(ERROR)
/* clang-format on */
#define HISTORY_KEY_ENUM(NAME) K_##NAME,
enum history_key { HISTORY_KEYS(HISTORY_KEY_ENUM) K_COUNT };

/* How a record begins; HISTORY_NONE: it does not. */
enum history_type {
	HISTORY_META,
	HISTORY_JOB,
	HISTORY_TASK,
	HISTORY_MAP_ATTEMPT,
	HISTORY_REDUCE_ATTEMPT,
	HISTORY_NONE
};

/* As isspace() of the C locale. */
static inline bool history_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Before the first record. */
void history_init(void);
/* Of a line with its NUL. */
enum history_type history_type(const char *line, size_t len);
/* Values of a record of that type, without escapes: they lie in it, and it is changed. s NULL: it has none of the key.
 * false: it is cut off, or none. */
bool history_values(struct piece v[K_COUNT], enum history_type type, char *s, size_t len);

/* Nanoseconds since 1970; -1: it is not said. */
int64_t history_time(struct piece v);

/* Volumes of an attempt, in {(group)(…)[(NAME)(…)(value)]}, and in "group.name:value," of 0.18. */
struct history_volumes {
	int64_t bytes, records, cpu_ms, memory_bytes; /* -1: not said */
};
/* kind: of a map or of a reduce. */
struct history_volumes history_volumes(struct piece counters, enum state_kind kind);

/* history_places.c: where the input of tasks lies, of logs which do not say how far an attempt was from it (before 1.x). */
struct history_places {
	struct names tasks, places;
	uint32_t *place; /* of each of `tasks` */
	size_t bytes;
};

/* A record of a task. 0 or -ENOMEM. */
int history_place(struct history_places *p, const struct piece v[K_COUNT]);
/* How far the attempt of the record was, as 1.x words it; "": it is not known. */
const char *history_locality(const struct history_places *p, const struct piece v[K_COUNT]);
void history_places_release(struct history_places *p); /* takes a zeroed one */

#endif
