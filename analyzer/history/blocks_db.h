/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks in DIR/history.db: a row for each signal and ten minutes (table block), and one for each signal and a hundred minutes, a wide block, so
 * that long spans are read soon (table wide). A wide block is made anew of its ten blocks whenever one of them is written, in one transaction:
 * where it is, it has what they have. It may be missing, as in files of before: then there are the blocks. A thread of its own writes, and
 * removes those that are too old; who reads has a handle of its own. What is in it can be lost: it is made of recordings.
 */
#ifndef LIMPET_HISTORY_BLOCKS_DB_H
#define LIMPET_HISTORY_BLOCKS_DB_H

#include <sqlite3.h>
#include <stdbool.h>

#include "blocks.h"
#include "userspace/common/options.h"

#define BLOCKS_DB "history.db"

struct blocks_db;

/* keep_days: 0: for ever. 0 or -errno with the sentence. */
int blocks_db_new(struct blocks_db **d, const char *dir, unsigned int keep_days, char why[WHY_LEN]);
void blocks_db_free(struct blocks_db *d); /* writes what waits; takes NULL */
/* From now on as many; soon. 0 or -errno. */
int blocks_db_keep(struct blocks_db *d, unsigned int keep_days);

/* Takes the bytes. whole: it takes the place of one that is there. 0 or -errno: then they are gone. */
int blocks_db_put(struct blocks_db *d, const char *signal, int64_t from_ns, bool whole, void *bytes,
		  size_t len);
/* Why the last one could not be written; NULL: it could. Until the next call. */
const char *blocks_db_trouble(struct blocks_db *d, char why[WHY_LEN]);

/* Blocks that begin in [from, to). */
struct block_span {
	const char *signal;
	bool wide;
	int64_t from_ns, to_ns;
};
/* For one thread: the handle is opened when it is first needed, and NULL at first. Whether there are such; and their rows, in order of time: a
 * block that is damaged is passed over. fn may read others. 0, what fn returned, or -errno: it cannot be read now. */
typedef int block_fn(void *arg, int64_t from_ns, const struct block_row *row);
bool blocks_db_has(sqlite3 **reader, const char *dir, const struct block_span *span);
int blocks_db_read(sqlite3 **reader, const char *dir, const struct block_span *span, block_fn *fn,
		   void *arg);

#endif
