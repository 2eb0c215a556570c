/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that Hadoop gives to what it runs, the same in all versions and logs:
 *
 *	job_T_N, task_T_N_m_K, attempt_T_N_m_K_A; in 0.18 tip_T_N_m_K, task_T_N_m_K_A
 *
 * with T a time or sometimes nothing, N the job's number, m a map, r a reduce.
 */
#ifndef LIMPET_HADOOP_IDS_H
#define LIMPET_HADOOP_IDS_H

#include "log_source.h"

/* The job of a task or attempt: of states.jobs; STATE_NONE where the text is none of these. */
uint32_t hadoop_job_of(struct log *l, struct piece id);

/* STATE_MAP or STATE_REDUCE by the id of a task or attempt; STATE_KIND_COUNT: neither. */
enum state_kind hadoop_kind_of(struct piece id);

/* The log is of the server that its banner names behind "STARTUP_MSG:   host = ": "NAME/ADDRESS". */
void hadoop_host(struct log *l, const char *said);

#endif
