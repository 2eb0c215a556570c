/* SPDX-License-Identifier: BSD-2-Clause */
/* limpet report: the stacks of servers that are indicted, beside their peers'. */
#ifndef LIMPET_REPORT_STACKS_H
#define LIMPET_REPORT_STACKS_H

#include "analyzer/source/source.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/verdict/verdict.h"

/* With names of `symbols`: sections for the page, the caller's to free; NULL: there are none. -ENOMEM. */
int report_stacks(const struct verdict *a, const struct sources *s, struct symbols *symbols,
		  char **sections);

#endif
