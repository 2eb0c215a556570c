/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks in DIR/history.db: a row for each signal and ten minutes. A thread of its own writes, and removes those that are too old;
 * who reads has a handle of its own. What is in it can be lost: it is made of recordings.
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

/* Takes the bytes. whole: it takes the place of one that is there. 0 or -errno: then they are gone. */
int blocks_db_put(struct blocks_db *d, const char *signal, int64_t from_ns, bool whole, void *bytes,
		  size_t len);
/* Why the last one could not be written; NULL: it could. Until the next call. */
const char *blocks_db_trouble(struct blocks_db *d, char why[WHY_LEN]);

/* For one thread: the handle is opened when it is first needed, and NULL at first. Whether there are blocks that begin in [from, to); and
 * their rows, in order of time: a block that is damaged is passed over. 0, what fn returned, or -errno: it cannot be read now. */
typedef int block_fn(void *arg, int64_t from_ns, const struct block_row *row);
bool blocks_db_has(sqlite3 **reader, const char *dir, const char *signal, int64_t from_ns,
		   int64_t to_ns);
int blocks_db_read(sqlite3 **reader, const char *dir, const char *signal, int64_t from_ns,
		   int64_t to_ns, block_fn *fn, void *arg);

#endif
