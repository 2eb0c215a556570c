/* SPDX-License-Identifier: BSD-2-Clause */
/* What logs say of attempts of tasks, for all that asks what stragglers have in common. */
#ifndef LIMPET_TASK_FACTS_H
#define LIMPET_TASK_FACTS_H

#include "analyzer/source/logs/states.h"

/* For each state: restarted[i]: the attempt began again after a server was lost; twin[i] (NULL: not wanted): another attempt
 * of the same task ran beside it. 0 or -ENOMEM. */
int task_attempts(const struct states *s, bool *restarted, bool *twin);

#endif
