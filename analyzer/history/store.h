/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histories of a service that never ends: of about the last hour in memory, at the intervals' resolution, in blocks of ten minutes; a block that
 * is over goes, a cell a minute, to DIR/history.db (blocks_db.h), where ten become a wide block, of which long spans are read. The judge puts, in its thread; another thread may read.
 */
#ifndef LIMPET_HISTORY_STORE_H
#define LIMPET_HISTORY_STORE_H

#include <stdatomic.h>

#include "blocks_db.h"

/* In memory: so many blocks, and no more bytes than that together, for which there are fewer blocks or wider columns. */
enum { STORE_BLOCKS = 7 };
#define STORE_BYTES ((size_t)96 << 20)

struct history_store;

/* Where the database cannot be used there is none, and history_store_trouble() says why. NULL: out of memory. */
struct history_store *history_store_new(const char *dir, unsigned int keep_days);
/* Keeps what there is of the block that is not over. Takes NULL. */
void history_store_free(struct history_store *s);

/* An observation, in its order of time; arg: the store. */
void history_store_observe(void *arg, const struct robust *r, const struct observation *o);
/* Now and then, after some: who are peers of each other. */
void history_store_step(struct history_store *s, const struct robust *r);
/* From now on so many days are kept; soon. 0 or -errno. */
int history_store_keep(struct history_store *s, unsigned int keep_days);
/* What is wrong with keeping; NULL: nothing is. */
const char *history_store_trouble(struct history_store *s, char why[WHY_LEN]);

struct history_asked {
	const struct verdict *
		a; /* by which servers and signals are numbered in what is read; others are left out */
	const char *server; /* NULL: of all; */
	size_t signal;	    /* SIZE_MAX: of every signal, and then of the time in memory alone */
	int64_t from_ns, to_ns;
	const atomic_bool *stop; /* set: reading ends soon, with -ECANCELED; NULL */
};

/* From any thread but that of the judge, and from one at a time. A finished history, to be released in any case: its columns reach from from_ns or
 * a little before to to_ns. 0, -ENOMEM, -ECANCELED, or -EIO: what was kept cannot be read now. */
int history_store_read(struct history_store *s, struct history *h, const struct history_asked *q);

#endif
