/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the service knows beside what it receives: SQLite databases in DIR, mode 0600. serve.db has the senders, and several
 * processes may have it open: the service, and the commands that change its senders. The version of its tables is user_version.
 */
#ifndef LIMPET_SERVE_DB_H
#define LIMPET_SERVE_DB_H

#include <sqlite3.h>

#include "userspace/common/options.h"

/* Makes the folder and serve.db where they are not there. 0 or -errno with the sentence. Closed by sqlite3_close(). */
int serve_db_open(sqlite3 **db, const char *dir, char why[WHY_LEN]);

/* Another database, with tables of one's own: statements that make those that are not there. */
int serve_db_open_other(sqlite3 **db, const char *dir, const char *name, const char *tables,
			char why[WHY_LEN]);

/* Statements, formatted as by sqlite3_mprintf(). 0 or -errno with the sentence. */
int serve_db_do(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...);

/* One statement, for sqlite3_step(); NULL with the sentence. */
sqlite3_stmt *serve_db_ask(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...);

/* What SQLite said last, as -errno and a sentence. */
int serve_db_fail(sqlite3 *db, char why[WHY_LEN]);

#endif
