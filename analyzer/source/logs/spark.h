/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that read Spark's event log (log_spark.c), and nobody else. */
#ifndef LIMPET_SPARK_H
#define LIMPET_SPARK_H

#include "log_source.h"
#include "userspace/common/json_scan.h"

enum {
	SPARK_APP_LEN = 128,
	/* their numbers count up from 0: of more the job is not known */
	SPARK_STAGES_MAX = 1 << 20,
};

/* One that was added, or had a task. */
struct spark_executor {
	uint32_t node;
	uint32_t tasks;
	bool released; /* it was ended on purpose: what was lost with it is no fault of its server; */
	int64_t released_ns; /* when that was told */
	bool failed;	     /* it is said otherwise */
	size_t losses;	     /* the last of spark.loss, of those that it had, and 1 more; 0: none */
};

/* What was lost with an executor: its output, or a fetch from it. Why it ended is said before or after. */
struct spark_loss {
	size_t before; /* the executor's one before, likewise */
	uint32_t id;   /* of states.ids */
	int64_t at_ns;
	bool fetch;
};

/* One application's log. */
struct spark {
	char app[SPARK_APP_LEN]; /* jobs and tasks are called after it */
	uint32_t name;		 /* of states.classes: what its user calls it */
	uint32_t *job;		 /* of each stage: the job that asked for it last */
	size_t n_jobs;
	struct names executors;
	struct spark_executor *executor; /* of each, unless memory was short */
	struct spark_loss *loss;
	size_t n_loss;
	bool failed; /* it was */
};

/* The executor's row, added if new; NULL. */
struct spark_executor *spark_executor(struct log *l, struct json_part id, struct json_part host);
/* What was lost with it, and why it ended: whatever was lost is charged to its server, or not. */
void spark_lost_with(struct log *l, struct spark_executor *e, struct spark_loss loss);
void spark_executor_ended(struct log *l, struct spark_executor *e, struct json_part why,
			  int64_t at_ns);
uint32_t spark_job_of(const struct spark *k, int64_t stage);

/* A name in the log without its escapes: STATE_NONE where it is none. */
uint32_t spark_node(struct log *l, struct json_part host);

/* spark_task.c: SparkListenerTaskStart and SparkListenerTaskEnd, from behind their first key. */
void spark_task_start(struct log *l, struct json_scan *j);
void spark_task_end(struct log *l, struct json_scan *j);

/* spark_job.c: SparkListenerJobStart and SparkListenerJobEnd. */
void spark_job_start(struct log *l, struct json_scan *j);
void spark_job_end(struct log *l, struct json_scan *j);

#endif
