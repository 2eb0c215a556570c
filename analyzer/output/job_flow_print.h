/* SPDX-License-Identifier: BSD-2-Clause */
/* What a job waited for (analyzer/jobs/job_flow.h) on standard output, as text and as JSON. */
#ifndef LIMPET_JOB_FLOW_PRINT_H
#define LIMPET_JOB_FLOW_PRINT_H

#include "analyzer/jobs/job_flow.h"

/* The server whose delay is told. */
struct flow_limping {
	uint32_t
		node; /* of states.nodes; STATE_NONE: that without which the job would have been quickest */
	const char *cause; /* it is indicted, with this word; NULL: it was asked for */
};

/* About ten lines, under 100 columns. jobs: how many the logs have. */
void job_flow_text(const struct job_flow *f, const struct flow_limping *limping, size_t jobs);

/* One object on one line; its keys are in limpet-flow(1). 0 or -ENOMEM. */
enum { JOB_FLOW_SCHEMA = 1 };
int job_flow_json(const struct job_flow *f, const struct flow_limping *limping, size_t jobs);

/* What is missing, a sentence of bit i; NULL: there is no such bit. `code` is a word for programs. */
const char *job_flow_missing(unsigned int i, const char **code);

#endif
