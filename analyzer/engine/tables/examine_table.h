/* SPDX-License-Identifier: BSD-2-Clause */
/* One examination of a table, the entry to this room: columns of servers compared in intervals. */
#ifndef LIMPET_EXAMINE_TABLE_H
#define LIMPET_EXAMINE_TABLE_H

#include "analyzer/source/source.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/verdict.h"

/* The sources are open and tables (sources.tabular). 0, also where nothing could be judged
 * (verdict.cannot); negative errno after a message. */
int examine_table(const struct analysis_opts *o, const struct sources *s, struct verdict *a);

#endif
