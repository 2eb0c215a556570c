/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From sources to verdict by the default method: series files through the engine, tables through
 * engine/tables. What the row `robust` of the table of methods does, and `limpet report` and
 * `limpet watch --once`, which watch the engine at work.
 */
#ifndef LIMPET_EXAMINE_SOURCES_H
#define LIMPET_EXAMINE_SOURCES_H

#include "analyzer/engine/examine.h"

/* 0, also where nothing could be judged (verdict.cannot); negative errno after a message. hooks: NULL is
 * none; of tables none is called. */
int examine(struct verdict *a, const struct analysis_opts *o, char *const *paths, size_t n_paths,
	    const struct examine_hooks *hooks);

#endif
