/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a verdict that is about tasks. */
#ifndef LIMPET_VERDICT_TASKS_H
#define LIMPET_VERDICT_TASKS_H

#include <jansson.h>

#include "analyzer/verdict/verdict.h"

/* As text; nothing where no job was looked at. */
void verdict_tasks(const struct verdict *a);

/* The caller's; NULL: out of memory. */
json_t *verdict_jobs_json(const struct verdict *a);
json_t *verdict_stragglers_json(const struct verdict *a);

#endif
