/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a verdict that is about tasks. */
#ifndef LIMPET_VERDICT_TASKS_H
#define LIMPET_VERDICT_TASKS_H

#include <jansson.h>

#include "analyzer/verdict/verdict.h"

/* As text; nothing where no job was looked at. */
void verdict_tasks(const struct verdict *a);

/* The caller's; NULL: out of memory. */
json_t *verdict_straggling_json(const struct verdict *a);
json_t *verdict_job_json(const struct verdict *a, size_t i);
json_t *verdict_straggler_object(const struct verdict *a, size_t i);
json_t *verdict_task_json(const struct verdict *a, size_t i);
json_t *verdict_state_json(const struct verdict *a, size_t i);
/* Takes both objects: one with what the other has. NULL: out of memory. */
json_t *with_json(json_t *one, json_t *more);

#endif
