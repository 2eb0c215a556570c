/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a keeper: series_keeper.c has the file and the transaction, series_keeper_rows.c takes the rows of a part. */
#ifndef LIMPET_SERIES_KEEPER_H
#define LIMPET_SERIES_KEEPER_H

#include <sys/stat.h>

#include "series_part.h"
#include "series_reader.h"

/* What reading all of the file takes, of what a reader may (struct series_left); row `kept` of meta has it. */
enum {
	TAKES_UNZIP,
	TAKES_GRID,
	TAKES_ROWS,
	TAKES_CELLS,
	TAKES_STACKS,
	TAKES = TAKES_STACKS + STACKS_KINDS
};

/* What the file has; of a part that is not taken this becomes again what it was. */
struct kept_state {
	struct series_cursor at;
	int64_t devices;	   /* rows */
	bool stacks[STACKS_KINDS]; /* the table is there */
	size_t metrics;		   /* series_metrics.n */
	int64_t takes[TAKES];
};

struct series_keeper {
	char *path;
	char host[HOST_LEN];
	int64_t origin, day;
	sqlite3 *db;
	sqlite3_stmt *insert, *device, *fill;
	struct stat file;
	bool has_heap;
	struct series_metrics metrics;
	struct kept_state s;
	/* Of the part that is taken now. */
	struct series_reader *r; /* of the same connection: it sees what is not committed yet */
	bool chunk;		 /* it had one */
	bool another;		 /* it is of another recording than the file */
	size_t stacks;		 /* bytes */
	int64_t boot;		 /* is known to be there */
};

/* series_keeper.c: both set series_error(). -EBADMSG. */
int series_part_damaged(const struct series_keeper *k, const char *what);
int series_keeper_failed(const struct series_keeper *k, int rc);
/* What SQLite says of the file, last. */
bool series_keeper_corrupt(const struct series_keeper *k);

/* All rows of a part, which `in` is at the first of, in a transaction of the caller's. 0 also where k->another. */
int series_keeper_rows(struct series_keeper *k, struct code_in *in);

#endif
