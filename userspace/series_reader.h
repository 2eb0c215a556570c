/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a reader. series_open.c opens the file, series_check.c looks whether it is what it
 * claims to be, series_rows.c gives its contents.
 */
#ifndef LIMPET_SERIES_READER_H
#define LIMPET_SERIES_READER_H

#include <sys/stat.h>

#include "series_schema.h"

struct series_reader {
	char *path;
	sqlite3 *db;
	char host[HOST_LEN];
	unsigned int interval_ms;
	int immutable;	  /* read without locks: there was no -wal */
	struct stat seen; /* the file as it was then */
	int64_t steps_left;
	struct lat_hist lat;
};

/* Both set series_error() and return a negative errno. */
int series_damaged(const struct series_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int series_read_failed(const struct series_reader *r, int rc);

/* What one public function may take; to be called at its beginning. */
void series_set_budget(struct series_reader *r);

/* 0, or -ESTALE: a file that is read without locks is not the one that was opened. */
int series_check_unchanged(struct series_reader *r);

/* Everything that can be said without reading the rows; fills host and interval_ms. */
int series_check(struct series_reader *r);

/* A column a query may name: real, for a generated one would run an expression of the file. */
int series_has_column(struct series_reader *r, const char *table, const char *column, int *has);

/* The text of a column, "" for NULL; NULL if it is something else or has a NUL inside. */
const char *series_column_text(sqlite3_stmt *st, int col);

#endif
