// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writing the series file: one transaction a second into the file of that second's UTC day.
 *
 * Lock: .HOST.lock in the folder, held with flock(2), so that it dies with its process and no
 * stale one can keep a writer out. A file of its own, since SQLite takes fcntl(2) locks on the
 * database and NFS makes one kind of both.
 */
#include "series_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY_NS	   (86400LL * 1000000000)
#define MAX_DAY_NS (253402300800LL / 86400) /* year 10000 */
#define FILE_MODE  0640
#define BUSY_MS	   1000 /* someone writes with the sqlite3 shell: one interval, then give up */
#define LAT_COLUMN "lat"
#define SQL_MAX	   8192

struct device {
	struct device_identity id;
	int known;	/* the caller gave the identity; else only the name is set */
	int64_t row_id; /* in the open file; 0: not there yet */
};

enum {
	STMT_BEGIN,
	STMT_COMMIT,
	STMT_SECOND,
	STMT_FAMILY, /* and FAM_COUNT - 1 more */
	STMT_COUNT = STMT_FAMILY + FAM_COUNT
};

struct series_writer {
	char *dir, *tool, *lock_path, *path;
	char host[HOST_LEN];
	char boot_id[40];
	unsigned int interval_ms;
	int64_t started_ns;
	int lock_fd;

	sqlite3 *db; /* the open file, or NULL */
	sqlite3_stmt *stmt[STMT_COUNT];
	int64_t day; /* since the epoch, of the open file */
	int64_t boot;
	dev_t dev;
	ino_t ino;

	struct device *devices;
	size_t n_devices, cap_devices;
	unsigned char blob[LAT_BLOB_MAX];
};

/* ---- the lock ------------------------------------------------------------------------------- */

static int lock_is_ours(const struct series_writer *w)
{
	struct stat held, there;

	return w->lock_fd >= 0 && !fstat(w->lock_fd, &held) && !stat(w->lock_path, &there) &&
	       held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

static int lock_refused(const struct series_writer *w, int fd)
{
	char pid[16] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strspn(pid, "0123456789") : 0] = 0;
	return series_fail(-EBUSY,
			   "cannot write in '%s': another probe%s%s already writes the series of "
			   "host '%s' there (give one of them another --host or folder)",
			   w->dir, *pid ? ", process " : "", pid, w->host);
}

static int lock_take(struct series_writer *w)
{
	char pid[16];
	int n, err;

	if (lock_is_ours(w))
		return 0;
	/* A writer that ends removes its lock file: what we locked may no longer be the one others
	 * find under the name, and then we try again. */
	for (int tries = 0; tries < 100; tries++) {
		if (w->lock_fd >= 0)
			close(w->lock_fd);
		w->lock_fd =
			open(w->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
		if (w->lock_fd < 0) {
			err = -errno;
			return series_fail(err, "cannot write in '%s': %s", w->dir, strerror(-err));
		}
		if (flock(w->lock_fd, LOCK_EX | LOCK_NB)) {
			err = errno == EWOULDBLOCK ? lock_refused(w, w->lock_fd)
						   : series_fail(-errno, "cannot lock '%s': %s",
								 w->lock_path, strerror(errno));
			close(w->lock_fd);
			w->lock_fd = -1;
			return err;
		}
		if (!lock_is_ours(w))
			continue;
		/* For the message of whoever comes second; a full disk is no reason to fail here. */
		n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
		if (ftruncate(w->lock_fd, 0) || pwrite(w->lock_fd, pid, (size_t)n, 0) != n)
			errno = 0;
		return 0;
	}
	return series_fail(-EBUSY, "cannot lock '%s': it is removed again and again", w->lock_path);
}

static void lock_drop(struct series_writer *w)
{
	if (lock_is_ours(w))
		unlink(w->lock_path);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	w->lock_fd = -1;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Appends to a statement being built; callers stay far below SQL_MAX. */
static void __attribute__((format(printf, 2, 3))) sql_add(char *sql, const char *fmt, ...)
{
	size_t len = strlen(sql);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sql + len, SQL_MAX - len, fmt, ap);
	va_end(ap);
}

static int exec(struct series_writer *w, const char *sql)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL);
}

/* The first column of the first row as a number, or -1. */
static int64_t query_int(struct series_writer *w, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t v = -1;

	if (!sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return v;
}

static void forget_rows(struct series_writer *w)
{
	for (size_t i = 0; i < w->n_devices; i++)
		w->devices[i].row_id = 0;
}

static void close_file(struct series_writer *w)
{
	for (int i = 0; i < STMT_COUNT; i++) {
		sqlite3_finalize(w->stmt[i]);
		w->stmt[i] = NULL;
	}
	sqlite3_close(w->db); /* checkpoints, and removes the -wal when nobody else reads */
	w->db = NULL;
	free(w->path);
	w->path = NULL;
	forget_rows(w);
}

static int create_tables(struct series_writer *w)
{
	static const char fixed[] =
		"CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
		"CREATE TABLE IF NOT EXISTS boot(id INTEGER PRIMARY KEY, boot_id TEXT,"
		" started_ns INTEGER);"
		"CREATE TABLE IF NOT EXISTS device(id INTEGER PRIMARY KEY, family TEXT NOT NULL,"
		" name TEXT NOT NULL, model TEXT, firmware TEXT, driver TEXT, rotational INTEGER,"
		" size_bytes INTEGER, speed_mbps INTEGER);"
		"CREATE TABLE IF NOT EXISTS second(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,"
		" seq INTEGER NOT NULL, wall_ns INTEGER NOT NULL, mono_ns INTEGER NOT NULL,"
		" late_ns INTEGER, interval_s REAL, lost INTEGER, UNIQUE(boot, seq));"
		"CREATE INDEX IF NOT EXISTS second_wall ON second(wall_ns);";
	char sql[SQL_MAX];
	int rc = exec(w, fixed);

	for (int f = 0; !rc && f < FAM_COUNT; f++) {
		*sql = 0;
		sql_add(sql,
			"CREATE TABLE IF NOT EXISTS %s(second INTEGER NOT NULL,"
			" device INTEGER NOT NULL",
			metric_family_names[f]);
		for (int m = 0; m < M_COUNT; m++)
			if ((int)metrics[m].family == f)
				sql_add(sql, ", \"%s\" REAL", metrics[m].name);
		if (f == FAM_DISK)
			sql_add(sql, ", " LAT_COLUMN " BLOB");
		sql_add(sql, ", PRIMARY KEY(second, device)) WITHOUT ROWID");
		rc = exec(w, sql);
	}
	return rc;
}

/* A file begun by an older limpet of the same schema: gives it the columns it lacks. */
static int add_columns(struct series_writer *w)
{
	char sql[SQL_MAX];
	int rc = 0;

	for (int m = 0; !rc && m < M_COUNT; m++) {
		const char *table = metric_family_names[metrics[m].family];

		if (!sqlite3_table_column_metadata(w->db, NULL, table, metrics[m].name, NULL, NULL,
						   NULL, NULL, NULL))
			continue;
		*sql = 0;
		sql_add(sql, "ALTER TABLE %s ADD COLUMN \"%s\" REAL", table, metrics[m].name);
		rc = exec(w, sql);
	}
	return rc;
}

static int set_meta(struct series_writer *w)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(w->db,
				    "INSERT OR REPLACE INTO meta VALUES ('host', ?1),"
				    " ('interval_ms', ?2), ('tool', ?3)",
				    -1, &st, NULL);

	if (!rc) {
		sqlite3_bind_text(st, 1, w->host, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 2, w->interval_ms);
		sqlite3_bind_text(st, 3, w->tool, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
		rc = rc == SQLITE_DONE ? 0 : rc;
	}
	sqlite3_finalize(st);
	return rc;
}

/* The row of this run: there already when the clock stepped back into a day we wrote before. */
static int find_boot(struct series_writer *w)
{
	static const char *const sql[] = {
		"SELECT id FROM boot WHERE boot_id IS ?1 AND started_ns = ?2",
		"INSERT INTO boot(boot_id, started_ns) VALUES (?1, ?2)"};
	int rc = 0;

	w->boot = 0;
	for (int i = 0; i < 2 && !w->boot; i++) {
		sqlite3_stmt *st = NULL;

		rc = sqlite3_prepare_v2(w->db, sql[i], -1, &st, NULL);
		if (!rc) {
			if (*w->boot_id)
				sqlite3_bind_text(st, 1, w->boot_id, -1, SQLITE_STATIC);
			sqlite3_bind_int64(st, 2, w->started_ns);
			rc = sqlite3_step(st);
		}
		if (rc == SQLITE_ROW)
			w->boot = sqlite3_column_int64(st, 0);
		else if (rc == SQLITE_DONE && i == 1)
			w->boot = sqlite3_last_insert_rowid(w->db);
		sqlite3_finalize(st);
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			return rc;
	}
	return 0;
}

static int prepare(struct series_writer *w)
{
	char sql[SQL_MAX];
	int rc = 0;

	for (int i = 0; !rc && i < STMT_COUNT; i++) {
		int f = i - STMT_FAMILY, n = 2;

		*sql = 0;
		if (i == STMT_BEGIN)
			sql_add(sql, "BEGIN IMMEDIATE");
		else if (i == STMT_COMMIT)
			sql_add(sql, "COMMIT");
		else if (i == STMT_SECOND)
			sql_add(sql, "INSERT INTO second(boot, seq, wall_ns, mono_ns, late_ns,"
				     " interval_s, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
		else {
			sql_add(sql, "INSERT INTO %s(second, device", metric_family_names[f]);
			for (int m = 0; m < M_COUNT; m++)
				if ((int)metrics[m].family == f) {
					sql_add(sql, ", \"%s\"", metrics[m].name);
					n++;
				}
			if (f == FAM_DISK) {
				sql_add(sql, ", " LAT_COLUMN);
				n++;
			}
			sql_add(sql, ") VALUES (?");
			while (--n)
				sql_add(sql, ", ?");
			sql_add(sql, ")");
		}
		rc = sqlite3_prepare_v3(w->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &w->stmt[i],
					NULL);
	}
	return rc;
}

/* 1: an empty database, to be filled; 0: one of ours; else a negative errno. */
static int check_existing(struct series_writer *w)
{
	int64_t app = query_int(w, "PRAGMA application_id");
	int64_t schema = query_int(w, "PRAGMA user_version");
	int64_t tables = query_int(w, "SELECT count(*) FROM sqlite_master");
	int rc = sqlite3_errcode(w->db);

	if (tables < 0)
		return series_fail(
			series_sqlite_errno(w->db, rc),
			"cannot continue '%s': %s (move it away, and a new file is begun)", w->path,
			series_sqlite_reason(w->db, rc));
	if (!app && !schema && !tables)
		return 1;
	if (app != SERIES_APP_ID)
		return series_fail(-EBADMSG,
				   "cannot continue '%s': it is not a series file (move it away)",
				   w->path);
	if (schema != SERIES_SCHEMA)
		return series_fail(-EBADMSG,
				   "cannot continue '%s': written by %s limpet (schema %lld, this "
				   "writes %d); move it away, and a new file is begun",
				   w->path, schema > SERIES_SCHEMA ? "a newer" : "an older",
				   (long long)schema, SERIES_SCHEMA);
	return 0;
}

static int setup_file(struct series_writer *w)
{
	char sql[160];
	int fresh, rc;

	sqlite3_extended_result_codes(w->db, 1);
	sqlite3_busy_timeout(w->db, BUSY_MS);
	fresh = check_existing(w);
	if (fresh < 0)
		return fresh;
	/* The cache is small, for pages are written once and not looked at again. */
	rc = exec(w, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-512");
	if (!rc)
		rc = exec(w, "BEGIN IMMEDIATE");
	if (!rc && fresh) {
		snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d",
			 SERIES_APP_ID, SERIES_SCHEMA);
		rc = exec(w, sql);
	}
	if (!rc)
		rc = create_tables(w);
	if (!rc)
		rc = add_columns(w);
	if (!rc)
		rc = set_meta(w);
	if (!rc)
		rc = find_boot(w);
	if (!rc)
		rc = exec(w, "COMMIT");
	if (!rc)
		rc = prepare(w);
	return rc ? series_fail(series_sqlite_errno(w->db, rc), "cannot write '%s': %s", w->path,
				series_sqlite_reason(w->db, rc))
		  : 0;
}

/* Created here and not by SQLite, for the mode; -wal and -shm take it over. */
static int create_file(struct series_writer *w)
{
	int fd = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	struct stat st;
	int err = 0;

	if (fd < 0 || fstat(fd, &st)) {
		err = -errno;
	} else {
		w->dev = st.st_dev;
		w->ino = st.st_ino;
	}
	if (fd >= 0)
		close(fd);
	return err ? series_fail(err, "cannot write '%s': %s", w->path, strerror(-err)) : 0;
}

static int open_file(struct series_writer *w, int64_t day)
{
	time_t t = (time_t)(day * 86400);
	struct tm tm;
	char date[16];
	int rc, err;

	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%d", &tm);
	err = lock_take(w);
	if (err)
		return err;
	if (asprintf(&w->path, "%s/%s-%s" SERIES_SUFFIX, w->dir, w->host, date) < 0) {
		w->path = NULL;
		return series_fail(-ENOMEM, "out of memory");
	}
	err = create_file(w);
	if (!err) {
		rc = sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				     NULL);
		err = rc ? series_fail(series_sqlite_errno(w->db, rc), "cannot open '%s': %s",
				       w->path, series_sqlite_reason(w->db, rc))
			 : setup_file(w);
	}
	if (err)
		close_file(w);
	w->day = day;
	return err;
}

/* SQLite goes on writing into a file that was removed or replaced, and the data would be lost. */
static int file_is_there(const struct series_writer *w)
{
	struct stat st;

	return !stat(w->path, &st) && st.st_dev == w->dev && st.st_ino == w->ino;
}

/* ---- devices -------------------------------------------------------------------------------- */

static struct device *device_get(struct series_writer *w, enum metric_family family,
				 const char *name)
{
	struct device *d;

	for (size_t i = 0; i < w->n_devices; i++) {
		d = &w->devices[i];
		if (d->id.family == family && !strcmp(d->id.name, name))
			return d;
	}
	if (w->n_devices == w->cap_devices) {
		size_t cap = w->cap_devices ? 2 * w->cap_devices : 8;

		d = realloc(w->devices, cap * sizeof(*d));
		if (!d)
			return NULL;
		w->devices = d;
		w->cap_devices = cap;
	}
	d = &w->devices[w->n_devices++];
	memset(d, 0, sizeof(*d));
	d->id.family = family;
	snprintf(d->id.name, sizeof(d->id.name), "%s", name);
	d->id.rotational = -1;
	d->id.size_bytes = d->id.speed_mbps = -1;
	return d;
}

static void bind_known_text(sqlite3_stmt *st, int at, const char *text)
{
	if (*text)
		sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

static void bind_known_int(sqlite3_stmt *st, int at, int64_t v)
{
	if (v >= 0)
		sqlite3_bind_int64(st, at, v);
}

/* Runs one statement over ?1 family, ?2 name, ?3… the identity; *id is its first column. */
static int device_step(struct series_writer *w, const char *sql, const struct device_identity *d,
		       int64_t *id)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(w->db, sql, -1, &st, NULL);

	if (rc)
		return rc;
	sqlite3_bind_text(st, 1, metric_family_names[d->family], -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, d->name, -1, SQLITE_STATIC);
	if (sqlite3_bind_parameter_count(st) > 2) {
		bind_known_text(st, 3, d->model);
		bind_known_text(st, 4, d->firmware);
		bind_known_text(st, 5, d->driver);
		bind_known_int(st, 6, d->rotational);
		bind_known_int(st, 7, d->size_bytes);
		bind_known_int(st, 8, d->speed_mbps);
	}
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*id = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : rc;
}

/*
 * Gives the device its row in this file. A device that changed (a disk replaced under the same
 * name) gets a new row, so that what was measured before stays with what it was measured on.
 */
static int device_store(struct series_writer *w, struct device *d)
{
	static const char any[] = "SELECT max(id) FROM device WHERE family = ?1 AND name = ?2";
	static const char same[] =
		"SELECT max(id) FROM device WHERE family = ?1 AND name = ?2 AND model IS ?3"
		" AND firmware IS ?4 AND driver IS ?5 AND rotational IS ?6 AND size_bytes IS ?7"
		" AND speed_mbps IS ?8";
	/* Seen before its identity was known. */
	static const char blank[] =
		"SELECT max(id) FROM device WHERE family = ?1 AND name = ?2 AND model IS NULL"
		" AND firmware IS NULL AND driver IS NULL AND rotational IS NULL"
		" AND size_bytes IS NULL AND speed_mbps IS NULL";
	static const char fill[] =
		"UPDATE device SET model = ?3, firmware = ?4, driver = ?5, rotational = ?6,"
		" size_bytes = ?7, speed_mbps = ?8 WHERE id = (SELECT max(id) FROM device"
		" WHERE family = ?1 AND name = ?2)";
	static const char add[] =
		"INSERT INTO device(family, name, model, firmware, driver, rotational, size_bytes,"
		" speed_mbps) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
	int64_t id = 0, last = 0;
	int rc = device_step(w, d->known ? same : any, &d->id, &id);

	if (!rc && !id && d->known) {
		rc = device_step(w, blank, &d->id, &id);
		if (!rc && id)
			rc = device_step(w, any, &d->id, &last);
		if (!rc && id && id == last)
			rc = device_step(w, fill, &d->id, &last);
		else
			id = 0;
	}
	if (!rc && !id) {
		rc = device_step(w, add, &d->id, &last);
		id = sqlite3_last_insert_rowid(w->db);
	}
	if (!rc)
		d->row_id = id;
	return rc;
}

int series_writer_identity(struct series_writer *w, const struct device_identity *id)
{
	struct device_identity copy;
	struct device *d;

	if ((unsigned int)id->family >= FAM_COUNT || !*id->name)
		return series_fail(-EINVAL, "a device needs a family and a name");
	memset(&copy, 0, sizeof(copy));
	copy.family = id->family;
	series_copy_text(copy.name, sizeof(copy.name), id->name);
	series_copy_text(copy.model, sizeof(copy.model), id->model);
	series_copy_text(copy.firmware, sizeof(copy.firmware), id->firmware);
	series_copy_text(copy.driver, sizeof(copy.driver), id->driver);
	copy.rotational = id->rotational < 0 ? -1 : !!id->rotational;
	copy.size_bytes = id->size_bytes < 0 ? -1 : id->size_bytes;
	copy.speed_mbps = id->speed_mbps < 0 ? -1 : id->speed_mbps;
	d = device_get(w, copy.family, copy.name);
	if (!d)
		return series_fail(-ENOMEM, "out of memory");
	if (!d->known || memcmp(&d->id, &copy, sizeof(copy)))
		d->row_id = 0;
	d->id = copy;
	d->known = 1;
	return 0;
}

/* ---- a second ------------------------------------------------------------------------------- */

static int step(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : rc;
}

static int insert_row(struct series_writer *w, int64_t second, const struct second_row *row)
{
	sqlite3_stmt *st = w->stmt[STMT_FAMILY + row->family];
	char name[INSTANCE_LEN];
	struct device *d = NULL;
	int at = 3, rc;

	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = row->instance[i] == ' ' ? '?' : row->instance[i];
	series_copy_text(name, sizeof(name), name);
	if (*name) {
		d = device_get(w, row->family, name);
		if (!d)
			return SQLITE_NOMEM;
		rc = d->row_id ? 0 : device_store(w, d);
		if (rc)
			return rc;
	}
	sqlite3_clear_bindings(st);
	sqlite3_bind_int64(st, 1, second);
	sqlite3_bind_int64(st, 2, d ? d->row_id : SERIES_NO_DEVICE);
	for (int m = 0; m < M_COUNT; m++) {
		if (metrics[m].family != row->family)
			continue;
		if (isfinite(row->v[m]))
			sqlite3_bind_double(st, at, row->v[m]);
		at++;
	}
	if (row->family == FAM_DISK && row->lat)
		sqlite3_bind_blob(st, at, w->blob, (int)series_lat_encode(row->lat, w->blob),
				  SQLITE_STATIC);
	return step(st);
}

static int insert_second(struct series_writer *w, const struct second *s)
{
	sqlite3_stmt *st = w->stmt[STMT_SECOND];
	int64_t second;
	int rc;

	sqlite3_clear_bindings(st);
	sqlite3_bind_int64(st, 1, w->boot);
	sqlite3_bind_int64(st, 2, (int64_t)s->seq);
	sqlite3_bind_int64(st, 3, s->wall_ns);
	sqlite3_bind_int64(st, 4, (int64_t)s->mono_ns);
	sqlite3_bind_int64(st, 5, s->late_ns);
	if (isfinite(s->interval_s))
		sqlite3_bind_double(st, 6, s->interval_s);
	sqlite3_bind_int64(st, 7, (int64_t)s->lost);
	rc = step(st);
	second = sqlite3_last_insert_rowid(w->db);
	for (size_t i = 0; !rc && i < w->n_devices; i++)
		if (w->devices[i].known && !w->devices[i].row_id)
			rc = device_store(w, &w->devices[i]);
	for (size_t i = 0; !rc && i < s->n_rows; i++)
		rc = insert_row(w, second, &s->rows[i]);
	return rc;
}

/* The error stands in the connection and must be read before the rollback. */
static int append_failed(struct series_writer *w, const struct second *s, int rc)
{
	int err = series_sqlite_errno(w->db, rc);

	if (err == -EEXIST)
		series_fail(err,
			    "cannot write '%s': second %llu is there already, or has two rows"
			    " of one instance",
			    w->path, (unsigned long long)s->seq);
	else
		series_fail(err, "cannot write '%s': %s", w->path, series_sqlite_reason(w->db, rc));
	if (!sqlite3_get_autocommit(w->db))
		exec(w, "ROLLBACK");
	forget_rows(w);
	/* After an I/O error or damage the connection may hold on to what is gone: start anew. */
	if (err != -EEXIST && err != -EBUSY && err != -ENOMEM)
		close_file(w);
	return err;
}

int series_writer_append(struct series_writer *w, const struct second *s)
{
	int64_t day = s->wall_ns / DAY_NS;
	int rc, err;

	if (s->wall_ns < 0 || day >= MAX_DAY_NS || (int64_t)s->seq < 0 || (int64_t)s->mono_ns < 0 ||
	    (int64_t)s->lost < 0)
		return series_fail(-EINVAL, "cannot write second %llu: its time is out of range",
				   (unsigned long long)s->seq);
	for (size_t i = 0; i < s->n_rows; i++)
		if ((unsigned int)s->rows[i].family >= FAM_COUNT)
			return series_fail(-EINVAL, "cannot write second %llu: unknown family",
					   (unsigned long long)s->seq);
	if (w->db && (w->day != day || !file_is_there(w)))
		close_file(w);
	if (!w->db) {
		err = open_file(w, day);
		if (err)
			return err;
	}
	rc = step(w->stmt[STMT_BEGIN]);
	if (!rc)
		rc = insert_second(w, s);
	if (!rc)
		rc = step(w->stmt[STMT_COMMIT]);
	return rc ? append_failed(w, s, rc) : 0;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void read_boot_id(struct series_writer *w)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && fgets(w->boot_id, sizeof(w->boot_id), f))
		w->boot_id[strcspn(w->boot_id, "\n")] = 0;
	if (f)
		fclose(f);
}

int series_writer_new(struct series_writer **out, const struct series_writer_opts *opts)
{
	const char *wrong = series_check_host(opts->host);
	struct series_writer *w;
	struct timespec now;
	int err;

	*out = NULL;
	if (wrong)
		return series_fail(-EINVAL, "host '%s': %s", opts->host, wrong);
	if (!opts->interval_ms)
		return series_fail(-EINVAL, "the interval must not be 0");
	w = calloc(1, sizeof(*w));
	if (!w)
		return series_fail(-ENOMEM, "out of memory");
	w->lock_fd = -1;
	w->interval_ms = opts->interval_ms;
	snprintf(w->host, sizeof(w->host), "%s", opts->host);
	w->dir = strdup(opts->dir);
	w->tool = strdup(opts->tool ? opts->tool : "");
	if (asprintf(&w->lock_path, "%s/.%s.lock", opts->dir, opts->host) < 0)
		w->lock_path = NULL;
	if (!w->dir || !w->tool || !w->lock_path) {
		err = series_fail(-ENOMEM, "out of memory");
		goto out;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	w->started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	read_boot_id(w);
	err = lock_take(w);
out:
	if (err)
		series_writer_free(w);
	else
		*out = w;
	return err;
}

int series_writer_free(struct series_writer *w)
{
	if (!w)
		return 0;
	close_file(w);
	lock_drop(w);
	free(w->devices);
	free(w->lock_path);
	free(w->dir);
	free(w->tool);
	free(w);
	return 0;
}
