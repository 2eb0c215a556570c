/* SPDX-License-Identifier: BSD-2-Clause */
/* What logs say of attempts of tasks, for all that asks what stragglers have in common. */
#ifndef LIMPET_TASK_FACTS_H
#define LIMPET_TASK_FACTS_H

#include "analyzer/source/logs/states.h"

/* For each state: whether it is an attempt that was begun again since a server was lost; twin (NULL: not wanted): whether
 * another attempt of the same task ran beside it. 0 or -ENOMEM. */
int task_attempts(const struct states *s, bool *restarted, bool *twin);

#endif
