/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the text of a verdict: who was not judged, and what --explain adds (verdict_explain.c). */
#ifndef LIMPET_VERDICT_PARTS_H
#define LIMPET_VERDICT_PARTS_H

#include "analyzer/verdict/verdict.h"

/* Who was not judged on what, and why: grouped, the first ten groups. */
void verdict_unjudged(const struct verdict *a);
/* Signals, what was flagged and not indicted, and every look. */
void verdict_explain(const struct verdict *a);

#endif
