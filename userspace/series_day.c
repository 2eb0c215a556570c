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

/*
 * The row of this run is there already when the clock stepped back into a day we wrote before.
 * Formatted with: application id, schema, host, interval, tool, boot id, start of the run twice.
 */
static const char begin_sql[] =
	"PRAGMA application_id=%d; PRAGMA user_version=%d;"
	"CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS boot(id INTEGER PRIMARY KEY, boot_id TEXT, started_ns INTEGER);"
	"CREATE TABLE IF NOT EXISTS device(id INTEGER PRIMARY KEY, family TEXT NOT NULL,"
	" name TEXT NOT NULL, model TEXT, firmware TEXT, driver TEXT, rotational INTEGER,"
	" size_bytes INTEGER, speed_mbps INTEGER);"
	"CREATE TABLE IF NOT EXISTS second(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,"
	" seq INTEGER NOT NULL, wall_ns INTEGER NOT NULL, mono_ns INTEGER NOT NULL,"
	" late_ns INTEGER, interval_s REAL, lost INTEGER, UNIQUE(boot, seq));"
	"CREATE INDEX IF NOT EXISTS second_wall ON second(wall_ns);"
	"INSERT OR REPLACE INTO meta VALUES ('host', %Q), ('interval_ms', %u), ('tool', %Q);"
	"INSERT INTO boot(boot_id, started_ns) SELECT nullif(%Q, ''), %lld"
	" WHERE %lld NOT IN (SELECT started_ns FROM boot)";

static int add_column(struct series_writer *w, const char *table, const char *column,
		      const char *type)
{
	if (!sqlite3_table_column_metadata(w->db, NULL, table, column, NULL, NULL, NULL, NULL,
					   NULL))
		return 0;
	return series_sql(w->db, NULL, "ALTER TABLE %s ADD COLUMN \"%w\" %s", table, column, type);
}

/* One way for a new file and for one begun by an older limpet of the same schema. */
static int create_family(struct series_writer *w, int family)
{
	const char *table = metric_family_names[family];
	int rc = series_sql(w->db, NULL,
			    "CREATE TABLE IF NOT EXISTS %s(second INTEGER NOT NULL,"
			    " device INTEGER NOT NULL, PRIMARY KEY(second, device)) WITHOUT ROWID",
			    table);

	for (int m = 0; !rc && m < M_COUNT; m++)
		if ((int)metrics[m].family == family)
			rc = add_column(w, table, metrics[m].name, "REAL");
	if (!rc && family == FAM_DISK)
		rc = add_column(w, table, "lat", "BLOB");
	return rc;
}

static int create_tables(struct series_writer *w)
{
	long long started = w->started_ns;
	int rc = series_sql(w->db, NULL, begin_sql, SERIES_APP_ID, SERIES_SCHEMA, w->host,
			    w->interval_ms, w->tool, w->boot_id, started, started);

	for (int f = 0; !rc && f < FAM_COUNT; f++)
		rc = create_family(w, f);
	return rc ? rc
		  : series_sql(w->db, &w->boot, "SELECT id FROM boot WHERE started_ns = %lld",
			       started);
}

/* INSERT INTO disk(second, device, "r/s", …, lat) VALUES (?, …): insert_row() binds in order. */
static int prepare_row(struct series_writer *w, int family)
{
	sqlite3_str *sql = sqlite3_str_new(w->db);
	int rc = SQLITE_NOMEM, n = 2;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO %s(second, device", metric_family_names[family]);
	for (int m = 0; m < M_COUNT; m++)
		if ((int)metrics[m].family == family) {
			sqlite3_str_appendf(sql, ", \"%w\"", metrics[m].name);
			n++;
		}
	if (family == FAM_DISK) {
		sqlite3_str_appendall(sql, ", lat");
		n++;
	}
	sqlite3_str_appendall(sql, ") VALUES (?");
	while (--n)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (text)
		rc = sqlite3_prepare_v3(w->db, text, -1, SQLITE_PREPARE_PERSISTENT,
					&w->insert_row[family], NULL);
	sqlite3_free(text);
	return rc;
}

static int prepare(struct series_writer *w)
{
	int rc = sqlite3_prepare_v3(w->db,
				    "INSERT INTO second(boot, seq, wall_ns, mono_ns, late_ns,"
				    " interval_s, lost) VALUES (?, ?, ?, ?, ?, ?, ?)",
				    -1, SQLITE_PREPARE_PERSISTENT, &w->insert_second, NULL);

	for (int f = 0; !rc && f < FAM_COUNT; f++)
		rc = prepare_row(w, f);
	return rc;
}

/* What is not ours is not touched. */
static int check(struct series_writer *w)
{
	int err = series_check_schema(w->db, "cannot continue", w->path,
				      " (move it away, and a new file is begun)");

	return err == -EINVAL || err == -EPROTONOSUPPORT ? -EBADMSG : err < 0 ? err : 0;
}

static int setup_file(struct series_writer *w)
{
	int rc, err;

	rc = sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (!rc) {
		sqlite3_extended_result_codes(w->db, 1);
		sqlite3_busy_timeout(w->db, BUSY_MS);
		err = check(w);
		if (err)
			return err;
		/* The cache is small, for pages are written once and not looked at again. */
		rc = series_sql(w->db, NULL,
				"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
				"PRAGMA cache_size=-512; BEGIN IMMEDIATE");
	}
	if (!rc)
		rc = create_tables(w);
	if (!rc)
		rc = series_sql(w->db, NULL, "COMMIT");
	if (!rc)
		rc = prepare(w);
	return rc ? series_sql_fail(w->db, rc, "cannot write", w->path) : 0;
}

/* Created here and not by SQLite, for the mode; -wal and -shm take it over. */
static int create_file(struct series_writer *w)
{
	int fd = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640), err = 0;

	if (fd < 0 || fstat(fd, &w->file))
		err = series_fail(-errno, "cannot write '%s': %s", w->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* SQLite goes on writing into a file that was removed or replaced, and the data would be lost. */
static int file_is_there(const struct series_writer *w)
{
	struct stat st;

	return !stat(w->path, &st) && st.st_dev == w->file.st_dev && st.st_ino == w->file.st_ino;
}

int series_day_open(struct series_writer *w, int64_t day)
{
	time_t t = (time_t)(day * 86400);
	struct tm tm;
	char date[16];
	int err;

	if (w->db && w->day == day && file_is_there(w))
		return 0;
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
	w->day = day;
	err = create_file(w);
	if (!err)
		err = setup_file(w);
	if (err)
		series_day_close(w);
	return err;
}

void series_day_close(struct series_writer *w)
{
	sqlite3_finalize(w->insert_second);
	w->insert_second = NULL;
	for (int f = 0; f < FAM_COUNT; f++) {
		sqlite3_finalize(w->insert_row[f]);
		w->insert_row[f] = NULL;
	}
	sqlite3_close(w->db); /* checkpoints, and removes the -wal when nobody else reads */
	w->db = NULL;
	free(w->path);
	w->path = NULL;
	for (size_t i = 0; i < w->n_devices; i++)
		w->devices[i].row_id = 0;
}
