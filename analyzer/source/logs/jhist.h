/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the job history of Hadoop 0.21 and later (Events.avpr), as log_jhist.c reads them of JSON and
 * log_jhist_binary.c of Avro's binary form: the fields that are wanted of any event, by their names there.
 */
#ifndef LIMPET_JHIST_H
#define LIMPET_JHIST_H

#include "log_source.h"

enum jhist_text {
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
	JHIST_TEXTS
};
enum jhist_number {
	JHIST_SUBMIT,
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
	JHIST_NUMBERS
};

struct jhist_event {
	char record[64]; /* without its namespace: "MapAttemptFinished" */
	char text[JHIST_TEXTS][LOG_ID_LEN];
	int64_t number[JHIST_NUMBERS]; /* -1: not said */
};

/* The place of a field with this name; JHIST_TEXTS, JHIST_NUMBERS: it is not wanted. */
enum jhist_text jhist_text_of(const char *name, size_t len);
enum jhist_number jhist_number_of(const char *name, size_t len);
/* The same of a counter. */
enum jhist_number jhist_counter_of(const char *name, size_t len);

void jhist_begin(struct jhist_event *e, const char *record, size_t len);
/* What it says becomes states. */
void jhist_take(struct log *l, const struct jhist_event *e);

#endif
