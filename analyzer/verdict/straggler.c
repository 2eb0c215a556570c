// SPDX-License-Identifier: BSD-2-Clause
/* straggler.h: the table of causes. */
#include "straggler.h"

#define TASK_CAUSE_ROW(NAME, WORD, WHAT) [TASK_##NAME] = {WORD, WHAT},
const struct task_cause_row task_causes[TASK_CAUSE_COUNT] = {TASK_CAUSES(TASK_CAUSE_ROW)};
