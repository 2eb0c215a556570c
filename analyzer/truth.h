/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Labels: which recordings had which fault on which server, for `limpet evaluate`.
 *
 * A truth file is text as tables are (table.h: RFC 4180, also compressed), and its first line names
 * the columns, in any order; others are passed over:
 *
 *   source     series file, folder or table; relative to the truth file (needed)
 *   model      what 'limpet train' wrote; relative to the truth file
 *   cluster, workload   any words: scores are also given for each of them
 *   fault      a word; "none" or empty: a fault-free run (needed)
 *   node       the faulty servers, separated by blanks
 *   from, to   when the fault was there, as --from and --to take times; empty: all the time
 *
 * Empty lines are passed over. Everything else that does not fit is refused, with file and line.
 */
#ifndef LIMPET_TRUTH_H
#define LIMPET_TRUTH_H

#include <stddef.h>
#include <stdint.h>

enum {
	TRUTH_RUNS_MAX = 1000000,
	TRUTH_COLUMNS_MAX = 256,
	TRUTH_NODES_MAX = 1000, /* with a fault at once */
};

/* One run. Words are never NULL, but may be empty. */
struct labelled {
	const char *file; /* where it comes from, for messages */
	size_t line;
	char *words;	      /* owned: what the next ones point into */
	char *source, *model; /* owned, relative to here; model NULL: none given */
	const char *cluster, *workload;
	const char *fault;  /* "none" where there is none */
	const char *cause;  /* which cause is right; NULL: the checklist has none for this fault */
	const char **nodes; /* owned: the faulty servers */
	size_t n_nodes;
	int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX where not given */
};

struct truth {
	struct labelled *at; /* as they came */
	size_t n, cap;
};

/*
 * Adds the runs of one file; path must outlive the truth. 0, or negative errno after a message; the
 * truth then holds runs that came before and is still to be released.
 */
int truth_read(struct truth *t, const char *path);
void truth_release(struct truth *t); /* takes a zeroed one */

/* The checklist's cause for a fault of this name, such as "disk-busy" for "slow-disk"; NULL: none. */
const char *truth_cause(const char *fault);

#endif
