/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the writer and the reader of the series file share and nobody else needs: errors, SQL in one
 * call, the rules for names. The format is documented in series.h.
 */
#ifndef LIMPET_SERIES_SCHEMA_H
#define LIMPET_SERIES_SCHEMA_H

#include <sqlite3.h>
#include <stdarg.h>

#include "series.h"

/* Single-instance families (tcp, host) have this in their device column, and no device row. */
#define SERIES_NO_DEVICE 0

#define LAT_FLAT (LAT_OPS * LAT_SIZES * LAT_BUCKETS)

/* series_fail() for -ENOMEM. */
int series_no_memory(void);
/* The same for SQLite's code rc, without SQLite's jargon: "cannot read 'PATH': it is damaged". */
int series_sql_fail(sqlite3 *db, int rc, const char *cannot, const char *path);

/*
 * Runs SQL, several statements if need be, formatted as by sqlite3_mprintf() (%Q quotes a text, %w
 * the inside of a name). The columns of its last row, whole numbers, go to v, which may be NULL and
 * is left alone where there is no row; NULL gives 0. Returns SQLite's code.
 */
int series_sql(sqlite3 *db, int64_t *v, const char *fmt, ...);
int series_vsql(sqlite3 *db, int64_t *v, const char *fmt, va_list ap);

/* Runs a statement that gives no rows, and resets it. Returns SQLite's code. */
int series_run(sqlite3_stmt *st);

/* 0: a series file; 1: an empty database; -EINVAL: another program's; -EPROTONOSUPPORT: another
 * schema; or what SQLite says. `advice` ends the sentence. */
int series_check_schema(sqlite3 *db, const char *cannot, const char *path, const char *advice);

/* Makes the tables and the columns of chunk that are not there. Returns SQLite's code. */
int series_tables_make(sqlite3 *db);
/* Those of stacks, of one kind. */
int series_stacks_table(sqlite3 *db, enum series_stacks kind);
/* The statement that inserts a chunk: its id, first_ns, last_ns, seconds, then the sections by number. */
int series_insert_prepare(sqlite3 *db, sqlite3_stmt **insert);

/* What stands in table metric beside a metric, against damage. */
uint32_t series_metric_check(int64_t id, const char *family, const char *name, int rate,
			     double per);

#endif
