// SPDX-License-Identifier: BSD-2-Clause
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safe_open.h"

#define DB_VERSION 1
/* Commands hold it for milliseconds; who waits is the thread that answers senders. */
#define DB_BUSY_MS 250

int database_fail(sqlite3 *db, char why[WHY_LEN])
{
	int rc = sqlite3_errcode(db), system = sqlite3_system_errno(db);

	snprintf(why, WHY_LEN, "cannot use '%.120s': %.100s", sqlite3_db_filename(db, NULL),
		 sqlite3_errmsg(db));
	if (rc == SQLITE_BUSY)
		return -EAGAIN;
	if (rc == SQLITE_FULL)
		return -ENOSPC;
	return rc == SQLITE_NOMEM ? -ENOMEM : system ? -system : -EIO;
}

sqlite3_stmt *database_ask(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;
	char *sql;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (!sql || sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		database_fail(db, why);
	sqlite3_free(sql);
	return s;
}

int database_do(sqlite3 *db, char why[WHY_LEN], const char *fmt, ...)
{
	va_list ap;
	char *sql;
	int err = 0;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (!sql) {
		snprintf(why, WHY_LEN, "out of memory");
		return -ENOMEM;
	}
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		err = database_fail(db, why);
	sqlite3_free(sql);
	return err;
}

/*
 * By us and not by SQLite, for the mode, which -wal and -shm take over. One that is there is not opened: to close a descriptor of it
 * would end the locks that another connection of this process has.
 */
static int db_create(int folder, const char *name, char *why)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;

	if (fd >= 0)
		close(fd);
	if ((fd < 0 && errno != EEXIST) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW)) {
		int err = -errno;

		snprintf(why, WHY_LEN, "cannot use '%.100s': %s", name, strerror(-err));
		return err;
	}
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	snprintf(why, WHY_LEN, "cannot use '%.100s': it is not a file of ours with mode 0600",
		 name);
	return -EPERM;
}

static int db_setup(sqlite3 *db, const char *name, const char *tables, char *why)
{
	sqlite3_stmt *s;
	int version = 0, err;

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_extended_result_codes(db, 0);
	sqlite3_busy_timeout(db, DB_BUSY_MS);
	err = database_do(db, why, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
	s = err ? NULL : database_ask(db, why, "PRAGMA user_version");
	if (s && sqlite3_step(s) == SQLITE_ROW)
		version = sqlite3_column_int(s, 0);
	else if (!err)
		err = database_fail(db, why);
	sqlite3_finalize(s);
	if (!err && version > DB_VERSION) {
		snprintf(why, WHY_LEN, "'%.100s' is of a newer limpet (its version is %d)", name,
			 version);
		err = -EPROTONOSUPPORT;
	}
	if (!err && version < DB_VERSION)
		err = database_do(db, why, "BEGIN IMMEDIATE; %s PRAGMA user_version=%d; COMMIT",
				  tables, DB_VERSION);
	return err;
}

int database_open(sqlite3 **out, const char *dir, const char *name, const char *tables,
		  char why[WHY_LEN])
{
	char reason[SAFE_WHY_LEN], *path = NULL;
	int folder = safe_make_folder(dir, false, reason), err;
	sqlite3 *db = NULL;

	*out = NULL;
	if (folder < 0) {
		snprintf(why, WHY_LEN, "cannot use '%.100s': %.120s", dir, reason);
		return folder;
	}
	err = db_create(folder, name, why);
	if (!err && asprintf(&path, "%s/%s", dir, name) < 0) {
		snprintf(why, WHY_LEN, "out of memory");
		err = -ENOMEM;
	}
	if (!err)
		err = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
			      ? database_fail(db, why)
			      : db_setup(db, name, tables, why);
	free(path);
	close(folder);
	if (err) {
		sqlite3_close(db);
		return err;
	}
	*out = db;
	return 0;
}
