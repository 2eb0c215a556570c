/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The logs that a Hadoop 1.2.1 would leave of the simulated jobs: the JobTracker's history, a file a job,
 * and of each slave what its TaskTracker and its DataNode log of tasks, shuffles and blocks. They tell of
 * the same tasks as the series files, and draw what these do not say (fractions of the second in which
 * a task is handed out, ports, numbers of blocks) from a generator of their own.
 *
 *	DIR/history/job_…              epoch milliseconds
 *	DIR/SLAVE/hadoop-*.log         UTC
 */
#ifndef LIMPET_SIM_HADOOP_LOGS_H
#define LIMPET_SIM_HADOOP_LOGS_H

#include <stdint.h>

#include "hadoop.h"

/* Each of these happens in second `t` of the run. */
void hadoop_logs_job(struct hadoop_logs *l, unsigned int t, unsigned int maps,
		     unsigned int reduces);
void hadoop_logs_job_end(struct hadoop_logs *l, unsigned int t);
void hadoop_logs_begin(struct hadoop_logs *l, unsigned int t, unsigned int slave,
		       struct task *task);
/* The task's stage went from `before` to `after` (1 or more: it is done) on its way through w. */
void hadoop_logs_progress(struct hadoop_logs *l, unsigned int t, const struct slave *slaves,
			  unsigned int slave, struct task *task, const struct work *w,
			  double before, double after);
/* The second is over: what happened in it is put in order. */
void hadoop_logs_second(struct hadoop_logs *l);

#endif
