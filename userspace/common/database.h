/* SPDX-License-Identifier: BSD-2-Clause */
/* SQLite databases of a program's own: files with mode 0600, written ahead (WAL). The version of their tables is user_version. */
#ifndef LIMPET_DATABASE_H
#define LIMPET_DATABASE_H

#include <sqlite3.h>

#include "options.h"

/* Makes the folder, the file and its tables where they are not there: statements that make those that are missing. Closed by
 * sqlite3_close(). 0 or -errno with the sentence. */
int database_open(sqlite3 **db, const char *dir, const char *name, const char *tables,
		  char why[WHY_LEN]);

/* Statements, formatted as by sqlite3_mprintf(). 0 or -errno with the sentence. */
int database_do(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...);

/* One statement, for sqlite3_step(); NULL with the sentence. */
sqlite3_stmt *database_ask(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...);

/* What SQLite said last, as -errno and a sentence. */
int database_fail(sqlite3 *db, char why[WHY_LEN]);

#endif
