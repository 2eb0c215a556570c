/* SPDX-License-Identifier: BSD-2-Clause */
/* limpet show --stacks and --pprof: where threads were met, of all files together. */
#ifndef LIMPET_SHOW_STACKS_H
#define LIMPET_SHOW_STACKS_H

#include "analyzer/output/stack_profile.h"
#include "analyzer/symbols/symbols.h"
#include "userspace/series/series.h"

/*
 * Adds what a file has in [from_ns, to_ns), its host outermost: what threads were met in to `met`, what they
 * computed to `computed`, which may be the same; `symbols` has names for places, NULL: none. `places`: the files of
 * frames are noted, which a profile of pprof names. 0 or a negative errno with series_error().
 */
int show_stacks_read(struct series_reader *r, int64_t from_ns, int64_t to_ns,
		     struct symbols *symbols, struct stack_profile *met,
		     struct stack_profile *computed, bool places);

#endif
