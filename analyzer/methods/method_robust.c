// SPDX-License-Identifier: BSD-2-Clause
/* robust: the engine, of series files, and its like for tables; needs no training. */
#include "method.h"

#include "analyzer/engine/examine.h"

static int make(struct verdict *v, const struct method *const *chosen,
		const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	(void)chosen;
	return examine(v, o, paths, n_paths, NULL);
}

static const char *const heeds[] = {"acknowledge", "offsets", "hop", "signal",
				    "given",	   "floor",   NULL};

const struct method method_robust = {
	.name = ROBUST_NAME,
	.summary = "compares every signal with the peers' and with its own past",
	.reads = READS_INTERVALS | READS_COLUMNS,
	.is_default = true,
	.words = WORDS_ROBUST,
	.causes = true,
	.heeds = heeds,
	.make = make,
};
