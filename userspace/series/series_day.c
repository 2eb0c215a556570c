// SPDX-License-Identifier: BSD-2-Clause
/* The file a writer writes into: found or begun, checked, given the tables and columns it lacks. */
#include "series_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 1000 /* someone writes with the sqlite3 shell: one interval, then give up */

/* What is not ours is not touched. */
static int check(struct series_writer *w)
{
	int err = series_check_schema(w->db, "cannot continue", w->path,
				      " (move it away, and a new file is begun)");

	return err == -EINVAL || err == -EPROTONOSUPPORT ? -EBADMSG : err < 0 ? err : 0;
}

/*
 * Our files have neither triggers nor views: should one be in there all the same, it does not run,
 * and neither does SQL that would write past the tables.
 */
static int open_db(struct series_writer *w)
{
	int rc =
		sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc)
		return series_sql_fail(w->db, rc, "cannot write", w->path);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_extended_result_codes(w->db, 1);
	sqlite3_busy_timeout(w->db, BUSY_MS);
	return check(w);
}

/* The cache is small, for pages are written once and not looked at again; and nothing is written
 * anywhere but into the folder. */
static int setup_file(struct series_writer *w)
{
	int rc = series_sql(w->db, NULL,
			    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
			    "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-512; BEGIN IMMEDIATE");

	if (!rc)
		rc = series_tables_create(w);
	if (!rc)
		rc = series_sql(w->db, NULL, "COMMIT");
	return rc ? series_sql_fail(w->db, rc, "cannot write", w->path) : 0;
}

/* What somebody else made, or may write into, is not ours to continue. */
static int check_owner(const char *path, const char *suffix, const struct stat *st)
{
	const char *wrong = NULL;

	if (!S_ISREG(st->st_mode))
		wrong = "it is not a regular file";
	else if (st->st_uid && st->st_uid != geteuid())
		wrong = "it belongs to another user";
	else if (st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != getegid()))
		wrong = "others may write into it";
	if (!wrong)
		return 0;
	return series_fail(-EPERM,
			   "cannot continue '%s%s': %s (move it away, and a new file is begun)",
			   path, suffix, wrong);
}

/* SQLite takes for its own what lies beside the file under these names. */
static int check_beside(const struct series_writer *w)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	struct stat st;
	char *path;
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (asprintf(&path, "%s%s", w->path, suffixes[i]) < 0)
			return series_no_memory();
		if (!lstat(path, &st))
			err = check_owner(w->path, suffixes[i], &st);
		free(path);
	}
	return err;
}

/* Created here and not by SQLite, for the mode; -wal and -shm take it over. */
static int create_file(struct series_writer *w)
{
	int fd = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		      0640);
	int err = 0;

	if (fd < 0 || fstat(fd, &w->file))
		err = series_fail(-errno, "cannot write '%s': %s", w->path, strerror(errno));
	else
		err = check_owner(w->path, "", &w->file);
	if (fd >= 0)
		close(fd);
	return err ? err : check_beside(w);
}

/* SQLite goes on writing into a file that was removed or replaced, and the data would be lost. */
static int file_is_there(const struct series_writer *w)
{
	struct stat st;

	return !stat(w->path, &st) && st.st_dev == w->file.st_dev && st.st_ino == w->file.st_ino;
}

static int open_file(struct series_writer *w)
{
	int err = create_file(w);

	if (!err)
		err = open_db(w);
	return err ? err : setup_file(w);
}

static void close_db(struct series_writer *w)
{
	sqlite3_finalize(w->begin);
	sqlite3_finalize(w->insert);
	sqlite3_finalize(w->commit);
	w->begin = w->insert = w->commit = NULL;
	/* Closing checkpoints and removes the -wal, but not while somebody has the file open: then it stays, empty. */
	if (w->db)
		sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_close(w->db);
	w->db = NULL;
}

/* On a full disk what is due to go makes room; and an empty file would only be in readers' way. */
static int open_or_make_room(struct series_writer *w)
{
	struct stat st;
	int err = open_file(w);

	if (err == -ENOSPC && (w->keep_days || w->keep_bytes)) {
		close_db(w);
		series_keep(w);
		err = open_file(w);
	}
	if (err) {
		close_db(w);
		if (!stat(w->path, &st) && st.st_ino == w->file.st_ino && !st.st_size)
			unlink(w->path);
	}
	return err;
}

int series_day_open(struct series_writer *w, int64_t day)
{
	time_t t = (time_t)(day * 86400);
	struct tm tm;
	char date[16];
	int err, another = day != w->day;

	if (w->db && !another && file_is_there(w))
		return 0;
	if (w->db && file_is_there(w))
		series_fold(w);
	series_day_close(w);
	err = series_lock_take(w);
	if (err)
		return err;
	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%d", &tm);
	if (asprintf(&w->path, "%s/%s-%s" SERIES_SUFFIX, w->dir, w->host, date) < 0) {
		w->path = NULL;
		return series_no_memory();
	}
	err = open_or_make_room(w);
	if (err) {
		series_day_close(w);
		return err;
	}
	w->day = day;
	if (another) {
		series_devices_next_day(w);
		series_keep(w);
	}
	return 0;
}

void series_day_close(struct series_writer *w)
{
	close_db(w);
	free(w->path);
	w->path = NULL;
	for (size_t i = 0; i < w->n_devices; i++)
		w->devices[i].row_id = 0;
}
