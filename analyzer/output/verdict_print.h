/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A verdict on standard output, as text and as JSON; and one incident or notice of it as JSON, as messages
 * have it (verdict_text.c, verdict_json.c).
 */
#ifndef LIMPET_VERDICT_PRINT_H
#define LIMPET_VERDICT_PRINT_H

#include "analyzer/verdict/verdict.h"

/* Under 100 columns. explain: what was looked at and ruled out, besides. If nothing could be judged,
 * it is only the servers that were not: the caller says `cannot`. */
void verdict_text(const struct verdict *a, bool explain);

/* One object on one line; its keys are in limpet-json(5). 0 or -ENOMEM. */
enum { VERDICT_SCHEMA = 1 };
int verdict_json(const struct verdict *a, bool explain);
/* incidents[i], notices[i] or stragglers[i] alone, as they are in there, on one line; the caller frees it. NULL: out
 * of memory. */
char *verdict_incident_json(const struct verdict *a, size_t i);
char *verdict_notice_json(const struct verdict *a, size_t i);
char *verdict_straggler_json(const struct verdict *a, size_t i);

#endif
