/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the job history of Hadoop 0.21 and later (Events.avpr), as log_jhist.c reads them of JSON and
 * log_jhist_binary.c of Avro's binary form: the fields that are wanted of any event, by their names there.
 */
#ifndef LIMPET_JHIST_H
#define LIMPET_JHIST_H

#include "log_source.h"

/* Fields that are texts, and then numbers. */
enum jhist_field {
	JHIST_JOB,
	JHIST_JOB_NAME,
	JHIST_ATTEMPT,
	JHIST_TASK_TYPE,
	JHIST_TRACKER,
	JHIST_HOST,
	JHIST_STATUS,
	JHIST_JOB_STATUS,
	JHIST_LOCALITY,
	JHIST_AVATAAR,
	JHIST_CONTAINER,
	JHIST_ERROR, /* of it as much as there is room for */
	JHIST_TEXTS,
	JHIST_SUBMIT = JHIST_TEXTS,
	JHIST_LAUNCH,
	JHIST_START,
	JHIST_MAP_FINISH,
	JHIST_SHUFFLE_FINISH,
	JHIST_SORT_FINISH,
	JHIST_FINISH,
	JHIST_MAPS,
	JHIST_REDUCES,
	/* of its counters */
	JHIST_INPUT_BYTES,
	JHIST_HDFS_BYTES,
	JHIST_MAP_RECORDS,
	JHIST_SHUFFLED,
	JHIST_REDUCE_RECORDS,
	JHIST_CPU_MS,
	JHIST_MEMORY,
	JHIST_FIELDS
};

struct jhist_event {
	char record[64]; /* without its namespace: "MapAttemptFinished" */
	char text[JHIST_TEXTS][LOG_ID_LEN];
	int64_t number[JHIST_FIELDS]; /* of those that are numbers; -1: not said */
};

/* Which field has this name; JHIST_FIELDS: it is not wanted. */
enum jhist_field jhist_field_of(const char *name, size_t len);
/* A counter, if it is wanted and has a value (0 or more). */
void jhist_count(struct jhist_event *e, const char *name, size_t len, int64_t value);

void jhist_begin(struct jhist_event *e, const char *record, size_t len);
/* What it says becomes states. */
void jhist_take(struct log *l, const struct jhist_event *e);

#endif
