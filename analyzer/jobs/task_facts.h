/* SPDX-License-Identifier: BSD-2-Clause */
/* What logs say of attempts of tasks, for all that asks what stragglers have in common. */
#ifndef LIMPET_TASK_FACTS_H
#define LIMPET_TASK_FACTS_H

#include "analyzer/source/logs/states.h"

/* 1: the task's data were elsewhere, 0: they were not, -1: the log does not say. */
int task_not_local(const struct states *s, const struct state *task);

/* The part of an attempt's class that says which stage it is of: its first bytes, so many ("stage 3 ANY": 7). */
size_t task_stage_len(const char *cls);

/* For each state: whether it is an attempt that was begun again since a server was lost; twin (NULL: not wanted): whether
 * another attempt of the same task ran beside it. 0 or -ENOMEM. */
int task_attempts(const struct states *s, bool *restarted, bool *twin);

#endif
