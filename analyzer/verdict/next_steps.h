/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an operator may do next about an incident: commands, by cause and file system, for people to read and to run. Nothing here is ever run.
 * Words in capitals are the reader's to fill in.
 */
#ifndef LIMPET_VERDICT_NEXT_STEPS_H
#define LIMPET_VERDICT_NEXT_STEPS_H

#include "verdict.h"

struct next_step {
	enum cause cause;
	const char *system; /* "Ceph"; "": whatever file system it is */
	const char *command;
	const char *what; /* it shows or does */
};

/* Rows of one cause, one after the other; how many. */
size_t next_steps(enum cause cause, const struct next_step **first);

/* The command for this incident, with its names. "": it needs one that the incident does not know, or that a shell would take for something else. */
const char *next_step_command(struct text *t, const struct verdict *a, const struct incident *in,
			      const struct next_step *step);

#endif
