/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of many log files, of a second at a time: they are put in order of time when the second is over.
 * What could not be written is kept in mind until hadoop_lines_close().
 */
#ifndef LIMPET_SIM_HADOOP_LINES_H
#define LIMPET_SIM_HADOOP_LINES_H

#include <stdint.h>
#include <time.h>

#include "sim.h"

enum log_file { HISTORY, TASKTRACKER, DATANODE, LOG_FILES };

struct hadoop_lines;

/* NULL after a message. Makes dir, and the folders in it. */
struct hadoop_lines *hadoop_lines_open(const struct setup *s, const char *dir);
/* 0, or -1 after a message. */
int hadoop_lines_close(struct hadoop_lines *l);
void hadoop_lines_failed(struct hadoop_lines *l, int err); /* errno */

/* The history goes to this file from now on. */
void hadoop_lines_history(struct hadoop_lines *l, const char *name);
/* A line of a file as it is; slave is 0 of the history. */
__attribute__((format(printf, 5, 6))) void hadoop_line(struct hadoop_lines *l, enum log_file f,
						       unsigned int slave, int64_t ms,
						       const char *format, ...);
/* With the stamp, the level and the end that a daemon's log has. */
__attribute__((format(printf, 5, 6))) void hadoop_log(struct hadoop_lines *l, enum log_file f,
						      unsigned int slave, int64_t ms,
						      const char *format, ...);
void hadoop_lines_second(struct hadoop_lines *l);

/* UTC. */
struct tm hadoop_lines_time(int64_t ms);

#endif
