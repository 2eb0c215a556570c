// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading the series file, which may come from anywhere: the header is checked before SQLite sees
 * it, views, triggers and functions of the file are never run, and every query has a budget of
 * steps that grows with the file's size only.
 */
#include "series_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS	     2000
#define MAX_TABLE    4096      /* devices or runs of the probe in one file */
#define MAX_VALUE    (1 << 20) /* bytes of one value: a histogram has 9 KiB */
#define MAX_INTERVAL 86400000
/* A row needs about 100 steps and 80 bytes; PROGRESS_STEPS is how often we look. */
#define PROGRESS_STEPS 1000
#define STEPS_BASE     1000000
#define STEPS_PER_BYTE 16

struct series_reader {
	char *path;
	sqlite3 *db;
	char host[HOST_LEN];
	unsigned int interval_ms;
	int immutable;	  /* read without locks: there was no -wal */
	struct stat seen; /* the file as it was then */
	int64_t steps_left;

	struct device_identity *devices; /* of this query, in the order of their ids */
	int64_t *device_ids;
	size_t n_devices;
	struct boot {
		int64_t id, started_ns;
	} * boots;
	size_t n_boots;
	struct lat_hist lat;
};

static int sql_failed(struct series_reader *r, int rc)
{
	return series_fail(series_sqlite_errno(r->db, rc), "cannot read '%s': %s", r->path,
			   series_sqlite_reason(r->db, rc));
}

static int damaged(struct series_reader *r, const char *what)
{
	return series_fail(-EBADMSG, "cannot read '%s': it is damaged: %s", r->path, what);
}

/* ---- opening -------------------------------------------------------------------------------- */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Size of the -wal file, or -1 if there is none. */
static int64_t wal_size(const char *path)
{
	struct stat st;
	char *wal;
	int64_t size = -1;

	if (asprintf(&wal, "%s-wal", path) < 0)
		return -1;
	if (!stat(wal, &st))
		size = st.st_size;
	free(wal);
	return size;
}

/*
 * What can be said before SQLite opens the file. The first page is only what the last checkpoint
 * left: with a -wal beside it, version and size are for SQLite to tell.
 */
static int check_header(struct series_reader *r, int64_t wal)
{
	unsigned char h[100];
	int64_t page_size, pages;
	ssize_t n;
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;

	if (fd < 0 || fstat(fd, &r->seen)) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return series_fail(err, "cannot open '%s': %s", r->path, strerror(-err));
	}
	n = S_ISREG(r->seen.st_mode) ? pread(fd, h, sizeof(h), 0) : -1;
	close(fd);
	if (!S_ISREG(r->seen.st_mode))
		return series_fail(-EINVAL, "cannot read '%s': it is not a regular file", r->path);
	if (!n && wal <= 0)
		return series_fail(-ENODATA, "cannot read '%s': it is empty", r->path);
	if (n <= 0 && wal > 0)
		return 0;
	if (n < (ssize_t)sizeof(h) || memcmp(h, "SQLite format 3", 16))
		return series_fail(-EINVAL, "cannot read '%s': it is not a series file", r->path);
	page_size = h[16] << 8 | h[17];
	page_size = page_size == 1 ? 65536 : page_size;
	if (page_size < 512 || page_size & (page_size - 1))
		return damaged(r, "its page size is not valid");
	pages = be32(h + 28);
	if (wal <= 0 && (r->seen.st_size < pages * page_size || r->seen.st_size % page_size))
		return series_fail(-EBADMSG,
				   "cannot read '%s': it is truncated (%lld bytes, of which %lld "
				   "are there)",
				   r->path, (long long)(pages * page_size),
				   (long long)r->seen.st_size);
	return 0;
}

/* A URI that names exactly this file, whatever characters the name has. */
static char *make_uri(const char *path, int immutable)
{
	char *uri = malloc(3 * strlen(path) + 64), *at = uri;

	if (!uri)
		return NULL;
	at += sprintf(at, "file:%s", *path == '/' ? "//" : "");
	for (; *path; path++)
		if (strchr("/._-", *path) || (*path >= '0' && *path <= '9') ||
		    (*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z'))
			*at++ = *path;
		else
			at += sprintf(at, "%%%02X", (unsigned int)(unsigned char)*path);
	sprintf(at, "%s", immutable ? "?immutable=1" : "");
	return uri;
}

static int progress(void *arg)
{
	struct series_reader *r = arg;

	r->steps_left -= PROGRESS_STEPS;
	return r->steps_left < 0;
}

static void harden(struct series_reader *r)
{
	static const struct {
		int what, max;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, MAX_VALUE},  {SQLITE_LIMIT_SQL_LENGTH, 65536},
		{SQLITE_LIMIT_COLUMN, 512},	   {SQLITE_LIMIT_EXPR_DEPTH, 20},
		{SQLITE_LIMIT_COMPOUND_SELECT, 2}, {SQLITE_LIMIT_FUNCTION_ARG, 8},
		{SQLITE_LIMIT_ATTACHED, 0},	   {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	static const int off[] = {
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL,
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
		SQLITE_DBCONFIG_ENABLE_VIEW,
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
		SQLITE_DBCONFIG_TRUSTED_SCHEMA,
#endif
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(r->db, limits[i].what, limits[i].max);
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
		sqlite3_db_config(r->db, off[i], 0, NULL);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_extended_result_codes(r->db, 1);
	sqlite3_busy_timeout(r->db, BUSY_MS);
	sqlite3_progress_handler(r->db, PROGRESS_STEPS, progress, r);
}

static void set_budget(struct series_reader *r)
{
	int64_t wal = wal_size(r->path);
	struct stat st;
	int64_t size = stat(r->path, &st) ? 0 : st.st_size;

	r->steps_left = STEPS_BASE + STEPS_PER_BYTE * (size + (wal > 0 ? wal : 0));
}

static int prepare(struct series_reader *r, sqlite3_stmt **st, const char *sql)
{
	*st = NULL;
	set_budget(r);
	return sqlite3_prepare_v2(r->db, sql, -1, st, NULL);
}

/* No memory mapping: a file cut short while mapped would be SIGBUS. */
static int open_db(struct series_reader *r, int immutable)
{
	char *uri = make_uri(r->path, immutable);
	int rc;

	if (!uri)
		return SQLITE_NOMEM;
	sqlite3_close(r->db);
	r->db = NULL;
	r->immutable = immutable;
	rc = sqlite3_open_v2(uri, &r->db,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (rc)
		return rc;
	harden(r);
	set_budget(r);
	rc = sqlite3_exec(r->db,
			  "PRAGMA mmap_size=0; PRAGMA cell_size_check=1;"
			  "PRAGMA temp_store=MEMORY; PRAGMA query_only=1",
			  NULL, NULL, NULL);
	return rc ? rc : sqlite3_exec(r->db, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL);
}

/*
 * Without a -wal nobody writes, and the file is read as it lies, without leaving a -shm and a -wal
 * of our own beside it; should a writer come meanwhile, check_unchanged() tells. With a -wal, SQLite
 * needs the -shm, and where that cannot be made an empty -wal is as good as none.
 */
static int open_file(struct series_reader *r)
{
	int64_t wal = wal_size(r->path);
	int rc, err = check_header(r, wal);

	if (err)
		return err;
	rc = open_db(r, wal < 0);
	if (rc && wal == 0 && (rc & 0xff) != SQLITE_CORRUPT && (rc & 0xff) != SQLITE_NOTADB)
		rc = open_db(r, 1);
	if (!rc)
		return 0;
	if (wal > 0 && ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY))
		return series_fail(
			-EACCES,
			"cannot read '%s': its latest seconds are in '%s-wal', which can "
			"only be read in a folder that can be written (copy both there)",
			r->path, r->path);
	return sql_failed(r, rc);
}

static int check_unchanged(struct series_reader *r)
{
	struct stat now;

	if (!r->immutable)
		return 0;
	if (!stat(r->path, &now) && now.st_ino == r->seen.st_ino && now.st_dev == r->seen.st_dev &&
	    now.st_size == r->seen.st_size && now.st_mtim.tv_sec == r->seen.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == r->seen.st_mtim.tv_nsec)
		return 0;
	return series_fail(-ESTALE, "'%s' was written to while it was read (try again)", r->path);
}

/* ---- what the file claims to be ------------------------------------------------------------- */

static int get_pragma(struct series_reader *r, const char *sql, int64_t *v)
{
	sqlite3_stmt *st;
	int rc = prepare(r, &st, sql);

	if (!rc)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? 0 : sql_failed(r, rc);
}

static int check_version(struct series_reader *r)
{
	int64_t app = 0, schema = 0, tables = 0;
	int err = get_pragma(r, "PRAGMA application_id", &app);

	if (!err)
		err = get_pragma(r, "PRAGMA user_version", &schema);
	if (!err)
		err = get_pragma(r, "SELECT count(name) FROM sqlite_master", &tables);
	if (err)
		return err;
	if (!app && !schema && !tables)
		return series_fail(-ENODATA, "cannot read '%s': it is empty", r->path);
	if (app != SERIES_APP_ID)
		return series_fail(-EINVAL,
				   "cannot read '%s': it is not a series file, but another "
				   "program's SQLite database",
				   r->path);
	if (schema != SERIES_SCHEMA)
		return series_fail(-EPROTONOSUPPORT,
				   "cannot read '%s': written by %s limpet (schema %lld, this "
				   "reads %d)",
				   r->path, schema > SERIES_SCHEMA ? "a newer" : "an older",
				   (long long)schema, SERIES_SCHEMA);
	return 0;
}

/* A real table: no view, and no virtual table, which would run code of SQLite's extensions. */
static int check_table(struct series_reader *r, const char *table)
{
	char what[80];
	sqlite3_stmt *st;
	int rc, ok = 0;

	rc = prepare(r, &st,
		     "SELECT count(*), min(type = 'table' AND rootpage > 0 AND sql LIKE"
		     " 'CREATE TABLE%') FROM sqlite_master WHERE name = ?1 COLLATE NOCASE");
	if (!rc) {
		sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW)
		ok = sqlite3_column_int64(st, 0) == 1 && sqlite3_column_int(st, 1) == 1;
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW)
		return sql_failed(r, rc);
	snprintf(what, sizeof(what), "it has no table '%s'", table);
	return ok ? 0 : damaged(r, what);
}

/* A column the query may name: real, for a generated one would run an expression of the file. */
static int has_column(struct series_reader *r, const char *table, const char *column, int *has)
{
	sqlite3_stmt *st;
	int rc = prepare(r, &st, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");

	if (!rc) {
		sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 2, column, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	*has = rc == SQLITE_ROW;
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : sql_failed(r, rc);
}

static int check_columns(struct series_reader *r)
{
	const struct {
		const char *table, *columns[10];
	} needed[] = {
		{"meta", {"key", "value"}},
		{"boot", {"id", "started_ns"}},
		{"device",
		 {"id", "family", "name", "model", "firmware", "driver", "rotational", "size_bytes",
		  "speed_mbps"}},
		{"second", {"id", "boot", "seq", "wall_ns", "mono_ns", "lost"}},
		{metric_family_names[FAM_DISK], {"second", "device", "lat"}},
		{metric_family_names[FAM_NET], {"second", "device"}},
		{metric_family_names[FAM_TCP], {"second", "device"}},
		{metric_family_names[FAM_HOST], {"second", "device"}},
	};
	char what[120];
	int err = 0, has;

	for (size_t i = 0; !err && i < sizeof(needed) / sizeof(*needed); i++) {
		err = check_table(r, needed[i].table);
		for (size_t c = 0; !err && c < 10 && needed[i].columns[c]; c++) {
			err = has_column(r, needed[i].table, needed[i].columns[c], &has);
			if (err || has)
				continue;
			snprintf(what, sizeof(what), "its table '%s' has no column '%s'",
				 needed[i].table, needed[i].columns[c]);
			err = damaged(r, what);
		}
	}
	return err;
}

static int read_meta(struct series_reader *r)
{
	const char *host = NULL;
	int64_t interval;
	sqlite3_stmt *st;
	int rc = prepare(r, &st,
			 "SELECT (SELECT value FROM meta WHERE key = 'host'),"
			 " (SELECT value FROM meta WHERE key = 'interval_ms')");

	if (!rc)
		rc = sqlite3_step(st);
	if (rc != SQLITE_ROW) {
		sqlite3_finalize(st);
		return sql_failed(r, rc);
	}
	if (sqlite3_column_type(st, 0) == SQLITE_TEXT)
		host = (const char *)sqlite3_column_text(st, 0);
	if (host && (size_t)sqlite3_column_bytes(st, 0) == strlen(host) && !series_check_host(host))
		snprintf(r->host, sizeof(r->host), "%s", host);
	interval = sqlite3_column_type(st, 1) == SQLITE_INTEGER ? sqlite3_column_int64(st, 1) : 0;
	sqlite3_finalize(st);
	if (!*r->host)
		return damaged(r, "its host name is missing or not valid");
	if (interval < 1 || interval > MAX_INTERVAL)
		return damaged(r, "its interval is missing or not valid");
	r->interval_ms = (unsigned int)interval;
	return 0;
}

/*
 * Ranges of time are looked up in the order of wall_ns, where what is no whole number stands
 * before or after every time and would be passed over in silence: three looks at the ends.
 */
static int check_times(struct series_reader *r)
{
	sqlite3_stmt *st;
	int rc = prepare(r, &st,
			 "SELECT EXISTS (SELECT 1 FROM second WHERE wall_ns IS NULL) OR"
			 " EXISTS (SELECT 1 FROM second WHERE wall_ns < 0) OR"
			 " EXISTS (SELECT 1 FROM second WHERE wall_ns >= '')");
	int bad = 1;

	if (!rc)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		bad = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW)
		return sql_failed(r, rc);
	return bad ? damaged(r, "a second has no valid time") : 0;
}

int series_reader_new(struct series_reader **out, const char *path)
{
	struct series_reader *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return series_fail(-ENOMEM, "out of memory");
	r->path = strdup(path);
	err = r->path ? open_file(r) : series_fail(-ENOMEM, "out of memory");
	if (!err)
		err = check_version(r);
	if (!err)
		err = check_columns(r);
	if (!err)
		err = read_meta(r);
	if (!err)
		err = check_times(r);
	if (!err)
		err = check_unchanged(r);
	if (err)
		series_reader_free(r);
	else
		*out = r;
	return err;
}

static void forget_tables(struct series_reader *r)
{
	free(r->devices);
	free(r->device_ids);
	free(r->boots);
	r->devices = NULL;
	r->device_ids = NULL;
	r->boots = NULL;
	r->n_devices = r->n_boots = 0;
}

void series_reader_free(struct series_reader *r)
{
	if (!r)
		return;
	forget_tables(r);
	sqlite3_close(r->db);
	free(r->path);
	free(r);
}

const char *series_reader_host(const struct series_reader *r)
{
	return r->host;
}

unsigned int series_reader_interval_ms(const struct series_reader *r)
{
	return r->interval_ms;
}

/* ---- devices and runs ----------------------------------------------------------------------- */

/* The text of a column, "" for NULL; NULL if it is something else or has a NUL inside. */
static const char *column_text(sqlite3_stmt *st, int col)
{
	const char *text;

	if (sqlite3_column_type(st, col) == SQLITE_NULL)
		return "";
	if (sqlite3_column_type(st, col) != SQLITE_TEXT)
		return NULL;
	text = (const char *)sqlite3_column_text(st, col);
	return text && strlen(text) == (size_t)sqlite3_column_bytes(st, col) ? text : NULL;
}

static int64_t column_known(sqlite3_stmt *st, int col)
{
	int64_t v =
		sqlite3_column_type(st, col) == SQLITE_INTEGER ? sqlite3_column_int64(st, col) : -1;

	return v < 0 ? -1 : v;
}

/* 0: filled; 1: of a family this limpet does not know; else a negative errno. */
static int read_device(struct series_reader *r, sqlite3_stmt *st, struct device_identity *d)
{
	const char *family = column_text(st, 1), *name = column_text(st, 2);
	const char *model = column_text(st, 3), *firmware = column_text(st, 4);
	const char *driver = column_text(st, 5);
	int f = 0;

	if (!family || !name || !model || !firmware || !driver || !*name ||
	    !series_instance_valid(name))
		return damaged(r, "a device has no valid name or identity");
	while (f < FAM_COUNT && strcmp(family, metric_family_names[f]))
		f++;
	memset(d, 0, sizeof(*d));
	d->family = f;
	snprintf(d->name, sizeof(d->name), "%s", name);
	series_copy_text(d->model, sizeof(d->model), model);
	series_copy_text(d->firmware, sizeof(d->firmware), firmware);
	series_copy_text(d->driver, sizeof(d->driver), driver);
	d->rotational = (int)column_known(st, 6);
	d->rotational = d->rotational > 1 ? -1 : d->rotational;
	d->size_bytes = column_known(st, 7);
	d->speed_mbps = column_known(st, 8);
	return f == FAM_COUNT;
}

static int load_devices(struct series_reader *r)
{
	sqlite3_stmt *st;
	int rc, err = 0;

	r->devices = calloc(MAX_TABLE, sizeof(*r->devices));
	r->device_ids = calloc(MAX_TABLE, sizeof(*r->device_ids));
	if (!r->devices || !r->device_ids)
		return series_fail(-ENOMEM, "out of memory");
	rc = prepare(r, &st,
		     "SELECT id, family, name, model, firmware, driver, rotational, size_bytes,"
		     " speed_mbps FROM device ORDER BY id");
	while (!rc && !err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		if (r->n_devices == MAX_TABLE) {
			err = damaged(r, "it has too many devices");
			break;
		}
		err = read_device(r, st, &r->devices[r->n_devices]);
		if (err == 0)
			r->device_ids[r->n_devices++] = sqlite3_column_int64(st, 0);
		else if (err == 1)
			err = 0;
	}
	if (!err && rc != SQLITE_DONE)
		err = sql_failed(r, rc);
	sqlite3_finalize(st);
	return err;
}

static int load_boots(struct series_reader *r)
{
	sqlite3_stmt *st;
	size_t cap = 0;
	int rc, err = 0;

	rc = prepare(r, &st, "SELECT id, started_ns FROM boot ORDER BY id");
	while (!rc && !err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		if (r->n_boots == cap) {
			struct boot *boots;

			cap = cap ? 2 * cap : 16;
			boots = realloc(r->boots, cap * sizeof(*boots));
			if (!boots) {
				err = series_fail(-ENOMEM, "out of memory");
				break;
			}
			r->boots = boots;
		}
		r->boots[r->n_boots].id = sqlite3_column_int64(st, 0);
		r->boots[r->n_boots++].started_ns = column_known(st, 1);
	}
	if (!err && rc != SQLITE_DONE)
		err = sql_failed(r, rc);
	sqlite3_finalize(st);
	return err;
}

/* ---- rows ----------------------------------------------------------------------------------- */

struct query {
	enum metric_family family;
	int64_t from_ns, to_ns;
	sqlite3_stmt *st;
	int n_columns;
	int metric_of[M_COUNT]; /* of column COL_VALUES + i */
	int col_lat;		/* or 0 */
	int64_t n_rows;
};

enum { COL_WALL, COL_MONO, COL_SEQ, COL_LOST, COL_BOOT, COL_DEVICE, COL_VALUES };

static int prepare_rows(struct series_reader *r, struct query *q, int with_lat)
{
	const char *table = metric_family_names[q->family];
	sqlite3_str *sql = sqlite3_str_new(r->db);
	char *text;
	int rc, has, err = 0;

	/* CROSS JOIN keeps SQLite to this order: a range of the index, then the key of the family. */
	sqlite3_str_appendall(sql, "SELECT s.wall_ns, s.mono_ns, s.seq, s.lost, s.boot, f.device");
	for (int m = 0; !err && m < M_COUNT; m++) {
		if (metrics[m].family != q->family)
			continue;
		err = has_column(r, table, metrics[m].name, &has);
		if (err || !has)
			continue;
		sqlite3_str_appendf(sql, ", f.\"%w\"", metrics[m].name);
		q->metric_of[q->n_columns++] = m;
	}
	if (with_lat && q->family == FAM_DISK) {
		sqlite3_str_appendall(sql, ", f.lat");
		q->col_lat = COL_VALUES + q->n_columns;
	}
	sqlite3_str_appendf(sql,
			    " FROM second s CROSS JOIN %s f ON f.second = s.id"
			    " WHERE s.wall_ns >= ?1 AND s.wall_ns < ?2 ORDER BY s.wall_ns, s.id",
			    table);
	text = sqlite3_str_finish(sql);
	if (err || !text) {
		sqlite3_free(text);
		return err ? err : series_fail(-ENOMEM, "out of memory");
	}
	rc = prepare(r, &q->st, text);
	sqlite3_free(text);
	return rc ? sql_failed(r, rc) : 0;
}

static int row_time(struct series_reader *r, sqlite3_stmt *st, struct series_time *t)
{
	const struct boot *b = r->boots;
	int64_t boot = sqlite3_column_int64(st, COL_BOOT);
	size_t lo = 0, hi = r->n_boots;

	for (int col = COL_WALL; col <= COL_BOOT; col++)
		if (sqlite3_column_type(st, col) != SQLITE_INTEGER ||
		    sqlite3_column_int64(st, col) < 0)
			return damaged(r, "a second has a time or number that is not valid");
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (b[mid].id < boot)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == r->n_boots || b[lo].id != boot || b[lo].started_ns < 0)
		return damaged(r, "a second belongs to no run of the probe");
	t->wall_ns = sqlite3_column_int64(st, COL_WALL);
	t->mono_ns = (uint64_t)sqlite3_column_int64(st, COL_MONO);
	t->seq = (uint64_t)sqlite3_column_int64(st, COL_SEQ);
	t->lost = (uint64_t)sqlite3_column_int64(st, COL_LOST);
	t->boot = b[lo].started_ns;
	return 0;
}

static int row_instance(struct series_reader *r, struct query *q, const char **name)
{
	int64_t id = sqlite3_column_int64(q->st, COL_DEVICE);

	*name = "";
	if (sqlite3_column_type(q->st, COL_DEVICE) != SQLITE_INTEGER)
		return damaged(r, "a row belongs to no device");
	if (id == SERIES_NO_DEVICE)
		return 0;
	for (size_t i = 0; i < r->n_devices; i++)
		if (r->device_ids[i] == id && r->devices[i].family == q->family) {
			*name = r->devices[i].name;
			return 0;
		}
	return damaged(r, "a row belongs to no device");
}

static int row_values(struct series_reader *r, struct query *q, double *v)
{
	char what[80];
	double x = 0;

	for (int i = 0; i < q->n_columns; i++) {
		int type = sqlite3_column_type(q->st, COL_VALUES + i);

		if (type == SQLITE_NULL)
			x = NAN;
		else
			x = sqlite3_column_double(q->st, COL_VALUES + i);
		if ((type != SQLITE_NULL && type != SQLITE_FLOAT && type != SQLITE_INTEGER) ||
		    isinf(x)) {
			snprintf(what, sizeof(what), "a value of '%s' is not a number",
				 metrics[q->metric_of[i]].name);
			return damaged(r, what);
		}
		v[q->metric_of[i]] = x;
	}
	return 0;
}

static int row_lat(struct series_reader *r, struct query *q, const struct lat_hist **lat)
{
	const void *blob;
	int type, len;

	*lat = NULL;
	if (!q->col_lat)
		return 0;
	type = sqlite3_column_type(q->st, q->col_lat);
	if (type == SQLITE_NULL)
		return 0;
	blob = sqlite3_column_blob(q->st, q->col_lat);
	len = sqlite3_column_bytes(q->st, q->col_lat);
	if (type != SQLITE_BLOB || (len && !blob) || series_lat_decode(&r->lat, blob, (size_t)len))
		return damaged(r, "a latency histogram does not decode");
	*lat = &r->lat;
	return 0;
}

static int family_rows(struct series_reader *r, struct query *q, series_row_fn fn, void *arg)
{
	const struct lat_hist *lat;
	struct series_time t;
	double v[M_COUNT];
	const char *instance;
	int64_t last = q->from_ns;
	int rc, err;

	for (int m = 0; m < M_COUNT; m++)
		v[m] = NAN;
	while ((rc = sqlite3_step(q->st)) == SQLITE_ROW) {
		err = row_time(r, q->st, &t);
		/* A damaged index gives the wrong rows. */
		if (!err && (t.wall_ns < last || t.wall_ns >= q->to_ns))
			err = damaged(r, "its seconds are not in order");
		last = t.wall_ns;
		if (!err)
			err = row_instance(r, q, &instance);
		if (!err)
			err = row_values(r, q, v);
		if (!err)
			err = row_lat(r, q, &lat);
		q->n_rows++;
		if (!err)
			err = fn(arg, &t, q->family, instance, v, lat);
		if (err)
			return err;
	}
	return rc == SQLITE_DONE ? 0 : sql_failed(r, rc);
}

/*
 * SQLite has no checksums, and a row whose key was damaged would be passed over in silence: when the
 * whole file was read, every row of the family must have been. Not count(*), which SQLite does in
 * one step that the budget cannot end.
 */
static int check_complete(struct series_reader *r, const struct query *q)
{
	sqlite3_stmt *st;
	char sql[160];
	int64_t rows = -1;
	int rc, whole = 0;

	snprintf(sql, sizeof(sql),
		 "SELECT (SELECT count(second) FROM %s), NOT EXISTS (SELECT 1 FROM second WHERE"
		 " wall_ns < ?1 OR wall_ns >= ?2)",
		 metric_family_names[q->family]);
	rc = prepare(r, &st, sql);
	if (!rc) {
		sqlite3_bind_int64(st, 1, q->from_ns);
		sqlite3_bind_int64(st, 2, q->to_ns);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW) {
		rows = sqlite3_column_int64(st, 0);
		whole = sqlite3_column_int(st, 1);
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW)
		return sql_failed(r, rc);
	return whole && rows != q->n_rows ? damaged(r, "rows belong to no second") : 0;
}

/* All of one call sees the same state of a file that is being written. */
static int begin_read(struct series_reader *r)
{
	int rc;

	set_budget(r);
	rc = sqlite3_exec(r->db, "BEGIN", NULL, NULL, NULL);
	return rc ? sql_failed(r, rc) : 0;
}

static void end_read(struct series_reader *r)
{
	sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
	forget_tables(r);
}

int series_reader_rows(struct series_reader *r, int64_t from_ns, int64_t to_ns, int with_lat,
		       series_row_fn fn, void *arg)
{
	int err = begin_read(r), changed;

	if (err)
		return err;
	err = load_devices(r);
	if (!err)
		err = load_boots(r);
	for (int f = 0; !err && f < FAM_COUNT; f++) {
		struct query q = {.family = f, .from_ns = from_ns, .to_ns = to_ns};

		err = prepare_rows(r, &q, with_lat);
		if (!err) {
			sqlite3_bind_int64(q.st, 1, from_ns);
			sqlite3_bind_int64(q.st, 2, to_ns);
			err = family_rows(r, &q, fn, arg);
		}
		if (!err)
			err = check_complete(r, &q);
		sqlite3_finalize(q.st);
	}
	/* What looks like damage may be a writer that came meanwhile. */
	changed = !err || err == -EBADMSG ? check_unchanged(r) : 0;
	end_read(r);
	return changed ? changed : err;
}

int series_reader_span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns,
		       int64_t *last_ns)
{
	sqlite3_stmt *st;
	int rc = prepare(r, &st, "SELECT count(wall_ns), min(wall_ns), max(wall_ns) FROM second");

	*seconds = 0;
	*first_ns = *last_ns = 0;
	if (!rc)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		*seconds = (uint64_t)sqlite3_column_int64(st, 0);
		*first_ns = sqlite3_column_int64(st, 1);
		*last_ns = sqlite3_column_int64(st, 2);
	}
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? check_unchanged(r) : sql_failed(r, rc);
}

int series_reader_devices(struct series_reader *r,
			  int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	int err = begin_read(r);

	if (err)
		return err;
	err = load_devices(r);
	if (!err)
		err = check_unchanged(r);
	for (size_t i = 0; !err && i < r->n_devices; i++)
		err = fn(arg, &r->devices[i]);
	end_read(r);
	return err;
}
