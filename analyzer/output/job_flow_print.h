/* SPDX-License-Identifier: BSD-2-Clause */
/* What a job waited for (analyzer/flow/job_flow.h) on standard output, as text and as JSON. */
#ifndef LIMPET_JOB_FLOW_PRINT_H
#define LIMPET_JOB_FLOW_PRINT_H

#include "analyzer/flow/job_flow.h"

/* About ten lines, under 100 columns. limping: the server (of states.nodes) that is to be told, STATE_NONE: the one
 * without which the job would have been quickest. jobs: how many the logs have. */
void job_flow_text(const struct job_flow *f, uint32_t limping, size_t jobs);

/* One object on one line; its keys are in limpet(1). 0 or -ENOMEM. */
enum { JOB_FLOW_SCHEMA = 1 };
int job_flow_json(const struct job_flow *f, uint32_t limping, size_t jobs);

/* What is missing, a sentence of bit i; NULL: there is no such bit. `code` is a word for programs. */
const char *job_flow_missing(unsigned int i, const char **code);

#endif
