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
 *   fault      a word; "none" or empty: a fault-free run (needed). A word of what is no fault of a
 *              server (imbalance, hardware, half-cpu, fleet, scrub, skew, lossy-client, burst) is a
 *              fault-free run too
 *   node       the faulty servers, separated by blanks; of what is no fault: where it acts,
 *              which may be anything, a client for one
 *   intensity  of the fault, a number larger where it is easier to see: power is given over these; what is
 *              no number is passed over
 *   from, to   when the fault was there, as --from and --to take times; empty: all the time
 *
 * Empty lines are passed over. Everything else that does not fit is refused, with file and line.
 */
#ifndef LIMPET_TRUTH_H
#define LIMPET_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/verdict/verdict.h"

/* A fault as the papers' authors, limpet's simulator, its testbed and people call it, and what is right
 * to say of it. */
struct known_fault {
	const char *name;
	enum cause cause[VOCABULARIES]; /* CAUSE_NONE: the vocabulary has no word for it */
	enum direction direction;	/* in which packets are lost, if they are */
	unsigned int
		guesses; /* 1 << kind of each guess that is right; 0: nothing is to be guessed */
};

/* NULL if nobody calls a fault so. */
const struct known_fault *truth_fault(const char *name);
/* Whether this cause is right: the word of any vocabulary [D], so that methods can be mixed. */
bool truth_names(const struct known_fault *f, enum cause cause);
/* Whether the word is of something that is no fault of a server, "none" included. */
bool truth_harmless(const char *fault);

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
	const char *cluster, *workload, *intensity;
	const char *fault;		 /* "none" where there is none */
	const struct known_fault *known; /* NULL: no cause can be right */
	const char *
		*nodes;	 /* owned: the faulty servers, or where something acts that is no fault */
	size_t n_nodes;	 /* faulty servers: 0 in a fault-free run */
	size_t n_acting; /* of a fault-free run: nodes[0 … n_acting) */
	int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX where not given */
};

struct truth {
	struct labelled *at; /* as they came */
	size_t n;
};

/*
 * Adds the runs of one file; path must outlive the truth. 0, or negative errno after a message; the
 * truth then holds runs that came before and is still to be released.
 */
int truth_read(struct truth *t, const char *path);
void truth_release(struct truth *t); /* takes a zeroed one */

#endif
