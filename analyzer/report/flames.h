/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a server that is indicted: in what its threads were met, and what they computed, more often than its peers'. */
#ifndef LIMPET_REPORT_FLAMES_H
#define LIMPET_REPORT_FLAMES_H

#include <stdio.h>

#include "analyzer/output/stack_profile.h"

enum flames { FLAMES_MET, FLAMES_COMPUTED, FLAMES };

/* A section of the page; both profiles are sorted, with the server's name as the outermost frame. Nothing where
 * either is empty. 0 or -ENOMEM. */
int report_flames(FILE *to, enum flames kind, const char *server, const struct stack_profile *own,
		  const struct stack_profile *peers);

#endif
