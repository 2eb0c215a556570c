/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One examination from sources to verdict: what `limpet diagnose` does unless a trained method is asked
 * for, and what `limpet report` and `limpet evaluate` build on.
 */
#ifndef LIMPET_ROBUST_EXAMINE_H
#define LIMPET_ROBUST_EXAMINE_H

#include <stddef.h>

#include "analyzer/input/gather.h"
#include "robust.h"
#include "analyzer/input/tables/table.h"
#include "userspace/common/options.h"

struct examine_opts {
	int64_t from_ns, to_ns;
	struct robust_params params;
	const char *peers; /* file: groups; NULL: all are peers */
	const char
		*offsets; /* file: own usual offsets, read if there and replaced afterwards; NULL */
	struct string_list acknowledged; /* servers whose trouble is known */
	unsigned int threads;
	bool progress;
	/* Tables: which column is judged, in cells of which other (NULL: all alike). */
	const char *signal, *given;
	double floor;
	struct table_opts table;
	/* Called with the engine before the first interval, to observe it; again, if all begins anew
	 * because a file was found to be damaged. NULL. */
	void (*ready)(void *arg, struct robust *r);
	/* Called after each interval; an error ends it. Files are read once before then, as what was told
	 * of a file that is found to be damaged cannot be taken back. NULL. */
	int (*step)(void *arg, struct robust *r);
	/* Called with the engine after the last interval; NULL. */
	void (*done)(void *arg, struct robust *r);
	void *arg;
};

/* What a command sets before its options are parsed. */
#define EXAMINE_DEFAULT \
	((struct examine_opts){.to_ns = INT64_MAX, .params = ROBUST_PARAMS_DEFAULT, .threads = 1})

/* Options of every command that examines; `base` is the offset of the struct above. */
#define EXAMINE_AT(base, field) ((base) + offsetof(struct examine_opts, field))
#define EXAMINE_OPTIONS(base)                                                                 \
	{0,	   "acknowledge",                                                             \
	 OPT_LIST, EXAMINE_AT(base, acknowledged),                                            \
	 "NODE",   "its trouble is known: shown, not indicted (repeatable)",                  \
	 0,	   0},                                                                        \
		{0,	     "offsets",                                                       \
		 OPT_STRING, EXAMINE_AT(base, offsets),                                       \
		 "FILE",     "keep each server's usual offset there between runs",            \
		 0,	     0},                                                              \
		{0,	     "signal",                                                        \
		 OPT_STRING, EXAMINE_AT(base, signal),                                        \
		 "COLUMN",   "of a table: the column that is judged; larger is worse",        \
		 0,	     0},                                                              \
		{0,	     "given",                                                         \
		 OPT_STRING, EXAMINE_AT(base, given),                                         \
		 "COLUMN",   "of a table: only lines with a like value of this are compared", \
		 0,	     0},                                                              \
		{0,	     "floor",                                                         \
		 OPT_DOUBLE, EXAMINE_AT(base, floor),                                         \
		 "X",	     "of a table: a smaller excess over the peers is no evidence",    \
		 0,	     1e18},                                                           \
	{                                                                                     \
		0, "hop", OPT_DOUBLE, EXAMINE_AT(base, params.interval_s), "SECONDS",         \
			"look so often (10); a window is three of them", 1, 3600              \
	}

/* 0, also where nothing could be judged (verdict.cannot); negative errno after a message. */
int examine(const struct examine_opts *o, char *const *paths, size_t n_paths, struct verdict *a);

/* tables.c: the same of tables (sources->tabular); called by examine(). */
int examine_table(const struct examine_opts *o, const struct sources *s, struct verdict *a);

/* offsets.c: JSON, keyed by server, disk and signal. Both 0 or negative errno after a message; a file
 * that is not there yet is fine to read. Loaded for the servers from number `from` on, before their first
 * interval; saved after the last. */
int offsets_load(struct robust *r, size_t from, const char *path);
int offsets_save(const struct robust *r, const char *path);

#endif
