/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What charts draw: every signal of every server over time, folded into a bounded number of columns
 * while the engine looks, and the latency distributions of those who are odd, at their worst.
 */
#ifndef LIMPET_HISTORY_H
#define LIMPET_HISTORY_H

#include "analyzer/engine/robust.h"

enum {
	HISTORY_COLUMNS = 360, /* at most */
	HISTORY_COLUMNS_MIN = 45,
	HISTORY_DISTS = 64, /* distributions kept */
};
#define HISTORY_BYTES ((size_t)192 << 20) /* beyond that columns are fewer */

/* Flagged: bad alone, or odd; odd: enough evidence to indict. */
enum { MARK_JUDGED = 1, MARK_FLAGGED = 2, MARK_ODD = 4 };

/* The interval with the largest z of those that end in a column's time; the marks of all of them, and the most
 * evidence. marks 0: none was judged. Values as they are shown, in the signal's unit. */
struct history_cell {
	float z, value, peers;
	uint8_t marks;
	uint16_t
		evidence; /* % of what is needed: 100 and more where it indicts, else less; not kept in files */
};

/* Whose row. */
struct history_entity {
	size_t node;
	const char *disk;
	size_t signal;
};

struct history_row {
	size_t node;
	char disk[INSTANCE_LEN]; /* "" of the server */
	size_t signal;		 /* row of the verdict's signals */
	size_t set;		 /* rows of one set are peers of each other; SIZE_MAX: not known */
	size_t worst;		 /* column with the largest z, flagged before unflagged */
	struct history_cell *at; /* columns */
};

/* One latency of an entity that was odd and of its peers, in the window that ends with its largest z. */
struct history_dist {
	size_t node;
	char disk[INSTANCE_LEN];
	size_t signal;
	double z;
	int64_t from_ns, to_ns;
	size_t n_peers;				       /* that had any event */
	uint64_t own[LAT_BUCKETS], peers[LAT_BUCKETS]; /* peers: all of them added up */
	/* What share of a peer's events is in this bucket or below: of the lowest and the highest peer,
	 * with more than HISTORY_ALL peers of the 10 and the 90 % quantile of them. */
	float low[LAT_BUCKETS], high[LAT_BUCKETS];
};
enum { HISTORY_ALL = 9 }; /* peers up to which a band is all of them */

struct history {
	int64_t first_ns, bin_ns; /* column c: intervals that end in (first + c bin, + bin] */
	size_t columns;		  /* used */
	size_t room;		  /* of a row */
	size_t most_columns, most_bytes; /* the owner's, before it begins; 0: as above */
	struct history_row *rows;	 /* in order of appearance */
	size_t n_rows;
	struct node_rows {
		size_t *at, n; /* numbers of its rows */
	} * nodes;
	size_t n_nodes;
	size_t cursor; /* row of the last look: the next one is mostly of the next row */
	struct history_dist *dists;
	size_t n_dists;
	const struct robust *engine; /* while it runs; NULL */
	bool failed;		     /* out of memory */
};

void history_release(struct history *h); /* takes a zeroed one */

/* Columns begin at first_ns and are bin_ns wide until they are more than there is room for: then two
 * become one. Without it they begin with the first look, as wide as an interval. */
void history_begin(struct history *h, int64_t first_ns, int64_t bin_ns);

/* A cell of a row, into the column that it ends in: the number of the row, or -ENOMEM. */
ssize_t history_put(struct history *h, const struct history_entity *k, int64_t end_ns,
		    struct history_cell cell);
/* After the last cell: the worst column of each row. */
void history_worsts(struct history *h);

/* For robust_observe(), with the history as arg. What fails is in `failed`. */
void history_observe(void *arg, const struct observation *o);
/* A finished history of the looks of a verdict: of a table, of one column. 0 or -ENOMEM. */
int history_of_looks(struct history *h, const struct verdict *a);
/* After the last look: who are peers of each other. */
void history_finish(struct history *h);
/*
 * A finished history of recordings, beside which logs were judged: number i of its n servers is map[i] in the verdict, whose looks
 * are those of job states; they come into the history as far as it reaches. 0 or -ENOMEM.
 */
int history_join(struct history *h, const size_t *map, size_t n, const struct verdict *a);

/* Whether a was worse than b, each in its worst column: what is marked as bad first. */
bool history_worse(const struct history_row *a, const struct history_row *b);
/* NULL: never judged. */
const struct history_row *history_find(const struct history *h, size_t node, const char *disk,
				       size_t s);
const struct history_dist *history_dist(const struct history *h, size_t node, const char *disk,
					size_t s);

/* ---- history_peers.c: what is asked of the engine ------------------------------------------------- */

/* Gives every row its set. */
void history_sets(struct history *h, const struct robust *r);
/* Fills own, peers, low, high and n_peers of the window now held, of which the rest says which. 0 or
 * -ENOMEM. */
int history_take(const struct robust *r, struct history_dist *d);
/* Has the engine tell its looks to h, and keep none itself. */
void history_attach(struct history *h, struct robust *r);

#endif
