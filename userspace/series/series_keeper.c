// SPDX-License-Identifier: BSD-2-Clause
/*
 * A file that is copied, from the side of the one that keeps it: it is opened or begun, and a part becomes one transaction or
 * nothing. Whatever a part says, what becomes of it is a file that a reader takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "series_keeper.h"

#define BUSY_MS 2000
/* Small pages: each minute writes the last bytes of a few. */
#define PAGE_BYTES 1024
#define WAL_PAGES  256
#define ASIDE_MAX  32
#define PATH_LEN   4096

int series_part_damaged(const struct series_keeper *k, const char *what)
{
	return series_fail(-EBADMSG, "what is to be kept in '%s' cannot be right: %s", k->path,
			   what);
}

int series_keeper_failed(const struct series_keeper *k, int rc)
{
	return series_sql_fail(k->db, rc, "cannot write", k->path);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* The UTC day of HOST-YYYYMMDD.limpet, or -1. */
static int64_t day_of(const char *file, const char *host)
{
	size_t len = strlen(host);
	struct tm tm = {0};
	char date[16];
	int64_t day;

	if (strncmp(file, host, len) || file[len] != '-' ||
	    strlen(file) != len + 9 + strlen(SERIES_SUFFIX) ||
	    strspn(file + len + 1, "0123456789") != 8 || strcmp(file + len + 9, SERIES_SUFFIX) != 0)
		return -1;
	if (sscanf(file + len + 1, "%4d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
		return -1;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	day = (int64_t)timegm(&tm) / 86400;
	strftime(date, sizeof(date), "%Y%m%d", &tm);
	return !strncmp(date, file + len + 1, 8) ? day : -1;
}

/* Created here and not by SQLite, for the mode; -wal and -shm take it over. */
static int create_file(struct series_keeper *k)
{
	int fd = open(k->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		      0640);
	int err = 0;

	if (fd < 0 || fstat(fd, &k->file))
		err = series_fail(-errno, "cannot write '%s': %s", k->path, strerror(errno));
	else if (!S_ISREG(k->file.st_mode))
		err = series_fail(-EINVAL, "cannot write '%s': it is not a regular file", k->path);
	if (fd >= 0)
		close(fd);
	return err;
}

/* SQLite goes on writing into a file that was removed or replaced, and the data would be lost. */
static bool file_is_there(const struct series_keeper *k)
{
	struct stat st;

	return !stat(k->path, &st) && st.st_dev == k->file.st_dev && st.st_ino == k->file.st_ino;
}

static void close_db(struct series_keeper *k)
{
	sqlite3_finalize(k->insert);
	sqlite3_finalize(k->device);
	sqlite3_finalize(k->fill);
	k->insert = k->device = k->fill = NULL;
	/* Somebody who has the file open to read keeps SQLite from removing the -wal: then at least nothing is in it. */
	if (k->db)
		series_sql(k->db, NULL, "PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite3_close(k->db);
	k->db = NULL;
	if (k->has_heap)
		series_heap_keeper(-1);
	k->has_heap = false;
}

#define IDENTITY "model, firmware, driver, detail, rotational, size_bytes, speed_mbps"

static int setup(struct series_keeper *k)
{
	int rc = series_sql(
		k->db, NULL,
		"PRAGMA page_size=%d; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
		"PRAGMA temp_store=MEMORY; PRAGMA cache_size=-128;"
		"PRAGMA wal_autocheckpoint=%d; PRAGMA journal_size_limit=%d; BEGIN IMMEDIATE",
		PAGE_BYTES, WAL_PAGES, WAL_PAGES * PAGE_BYTES);

	if (!rc)
		rc = series_tables_make(k->db);
	if (!rc)
		rc = series_sql(k->db, NULL, "COMMIT");
	if (!rc)
		rc = series_insert_prepare(k->db, &k->insert);
	if (!rc)
		rc = sqlite3_prepare_v3(k->db,
					"INSERT INTO device(id, family, name, " IDENTITY
					") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
					-1, SQLITE_PREPARE_PERSISTENT, &k->device, NULL);
	if (!rc)
		rc = sqlite3_prepare_v3(
			k->db,
			"UPDATE device SET (" IDENTITY ") = (?4, ?5, ?6, ?7, ?8, ?9, ?10)"
			" WHERE id = ?1 AND family = ?2 AND name = ?3 AND coalesce(" IDENTITY
			") IS NULL",
			-1, SQLITE_PREPARE_PERSISTENT, &k->fill, NULL);
	return rc ? series_keeper_failed(k, rc) : 0;
}

static int open_db(struct series_keeper *k)
{
	int rc, err;

	series_heap_keeper(1);
	k->has_heap = true;
	rc = sqlite3_open_v2(k->path, &k->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc)
		return series_keeper_failed(k, rc);
	sqlite3_db_config(k->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(k->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(k->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(k->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_extended_result_codes(k->db, 1);
	sqlite3_busy_timeout(k->db, BUSY_MS);
	err = series_check_schema(k->db, "cannot continue", k->path, "");
	return err < 0 ? err : setup(k);
}

/* ---- what the file has already ------------------------------------------------------------------------- */

static int find_metrics(struct series_keeper *k)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(k->db, SERIES_METRIC_ROWS, -1, &st, NULL);
	int err = 0;

	while (!err && !rc && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		err = series_metric_read(&k->metrics, st);
	}
	sqlite3_finalize(st);
	if (err == -ENOMEM)
		return series_no_memory();
	if (err)
		return series_fail(err, "'%s' is damaged: a metric is not valid", k->path);
	k->s.metrics = k->metrics.n;
	return rc == SQLITE_DONE ? 0 : series_keeper_failed(k, rc);
}

/* -EBADMSG: chunks are missing, or stand where others were. */
static int find_chunks(struct series_keeper *k)
{
	enum { KEPT, BAD, PACKED, FOUND };
	int64_t v[FOUND] = {1, 0, 0};
	int rc = series_sql(
		k->db, v,
		"SELECT coalesce(max(id + seconds), 1), coalesce(sum(bad), 0),"
		" (SELECT value FROM meta WHERE key = 'packed') FROM (SELECT id, seconds,"
		" id <> coalesce(lag(id + seconds) OVER (ORDER BY id), 1) OR seconds < 1 OR"
		" seconds > %d OR first_ns / %lld <> %lld OR last_ns / %lld <> %lld AS bad"
		" FROM chunk)",
		GRID_SECONDS_MAX, NS_PER_DAY, (long long)k->day, NS_PER_DAY, (long long)k->day);

	if (rc)
		return series_keeper_failed(k, rc);
	if (v[BAD] || v[PACKED] >= v[KEPT])
		return series_fail(-EBADMSG, "'%s' is damaged: seconds are missing", k->path);
	k->s.at.kept = v[KEPT];
	return 0;
}

static int find_stacks(struct series_keeper *k)
{
	int rc = 0;

	for (int s = 0; !rc && s < STACKS_KINDS; s++) {
		int64_t *at = s == STACKS_MET ? &k->s.at.stack : &k->s.at.user_stack;
		const char *table = series_stack_tables[s];

		k->s.stacks[s] = !sqlite3_table_column_metadata(k->db, NULL, table, "folded", NULL,
								NULL, NULL, NULL, NULL);
		if (k->s.stacks[s])
			rc = series_sql(k->db, at, "SELECT coalesce(max(id), 0) FROM %s", table);
	}
	return rc ? series_keeper_failed(k, rc) : 0;
}

/* Six numbers; without them, as in a file that is no copy, nothing was taken yet. */
static int find_takes(struct series_keeper *k)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(k->db, "SELECT value FROM meta WHERE key = 'kept'", -1, &st,
				    NULL);
	const char *at;
	char *end;

	if (!rc)
		rc = sqlite3_step(st);
	at = rc == SQLITE_ROW ? series_column_text(st, 0) : NULL;
	for (int i = 0; at && i < TAKES; i++, at = end) {
		long long v = strtoll(at, &end, 10);

		k->s.takes[i] = end > at && v > 0 ? v : 0;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : series_keeper_failed(k, rc);
}

/* Where it stands. -EBADMSG: what is there is not in order; -EEXIST: it is another recording. */
static int find_state(struct series_keeper *k)
{
	int64_t v[5] = {-1, 0, 0, 0, 0};
	int err, rc = series_sql(k->db, v,
				 "SELECT coalesce((SELECT started_ns FROM boot ORDER BY id LIMIT 1)"
				 ", -1), (SELECT coalesce(max(id), 0) FROM boot),"
				 " (SELECT coalesce(max(id), 0) FROM metric),"
				 " (SELECT coalesce(max(id), 0) FROM device),"
				 " (SELECT count(*) FROM device)");

	if (rc)
		return series_keeper_failed(k, rc);
	k->s.at.boot = v[1];
	k->s.at.metric = v[2];
	k->s.at.device = v[3];
	k->s.devices = v[4];
	err = find_metrics(k);
	if (!err)
		err = find_chunks(k);
	if (!err)
		err = find_stacks(k);
	if (!err)
		err = find_takes(k);
	return !err && v[0] >= 0 && v[0] != k->origin ? -EEXIST : err;
}

/* ---- another file of this name ------------------------------------------------------------------------- */

static const char *const beside[] = {"", "-wal", "-shm"};

static bool is_free(const char *path)
{
	struct stat st;
	bool taken = false;

	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		char name[PATH_LEN + 8];

		snprintf(name, sizeof(name), "%s%s", path, beside[i]);
		taken |= !lstat(name, &st);
	}
	return !taken;
}

/* The file and what lies beside it, to the first name that is free. The file first: SQLite removes the -wal beside one that is
 * empty. */
static int move_aside(struct series_keeper *k, const char *suffix, char **aside)
{
	int stem = (int)(strlen(k->path) - strlen(SERIES_SUFFIX)), n = 0;
	char to[PATH_LEN], from_name[PATH_LEN + 8], to_name[PATH_LEN + 8];

	do
		snprintf(to, sizeof(to), "%.*s-%d%s", stem, k->path, ++n, suffix);
	while (n < ASIDE_MAX && !is_free(to));
	if (n == ASIDE_MAX)
		return series_fail(-EEXIST,
				   "cannot rename '%s': there are too many of that day already",
				   k->path);
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		snprintf(from_name, sizeof(from_name), "%s%s", k->path, beside[i]);
		snprintf(to_name, sizeof(to_name), "%s%s", to, beside[i]);
		if (rename(from_name, to_name) && !i)
			return series_fail(-errno, "cannot rename '%s': %s", k->path,
					   strerror(errno));
	}
	*aside = strdup(to);
	return *aside ? 0 : series_no_memory();
}

static void forget(struct series_keeper *k)
{
	close_db(k);
	free(k->metrics.def);
	k->metrics = (struct series_metrics){0};
	k->s = (struct kept_state){.at = {.kept = 1}};
}

/* One that is not there is begun with the first part. */
static int open_file(struct series_keeper *k, bool begin)
{
	struct stat st;
	int err;

	forget(k);
	if (!begin && lstat(k->path, &st) && errno == ENOENT)
		return 0;
	err = create_file(k);
	if (!err)
		err = open_db(k);
	return err ? err : find_state(k);
}

/* What SQLite says of it, last. */
bool series_keeper_corrupt(const struct series_keeper *k)
{
	int rc = k->db ? sqlite3_errcode(k->db) & 0xff : 0;

	return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;
}

/* What no reader would take is none of the disk's troubles; -EBADMSG is also a table or a column that is not there. */
static bool is_damage(const struct series_keeper *k, int err)
{
	return err == -EBADMSG || err == -EINVAL || series_keeper_corrupt(k);
}

/* What is in the way is moved aside. */
static int open_or_begin(struct series_keeper *k, char **aside)
{
	int err = open_file(k, false);
	/* One of a newer limpet is whole, for that one. */
	bool whole = err == -EEXIST || err == -EPROTONOSUPPORT;

	if (!err || (!whole && !is_damage(k, err)))
		return err;
	forget(k);
	err = move_aside(k, whole ? SERIES_SUFFIX : ".damaged", aside);
	return err ? err : open_file(k, false);
}

int series_keeper_open(struct series_keeper **out, const char *dir, const char *file,
		       const char *host, int64_t origin, char **aside)
{
	struct series_keeper *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	*aside = NULL;
	if (!k || asprintf(&k->path, "%s/%s", dir, file) < 0) {
		free(k);
		return series_no_memory();
	}
	k->day = series_check_host(host) ? -1 : day_of(file, host);
	k->origin = origin;
	if (k->day < 0 || origin < 0 || strlen(k->path) > PATH_LEN - 64) {
		err = series_fail(-EINVAL, "'%.300s' is not the name of a series file of '%.100s'",
				  file, host);
	} else {
		memcpy(k->host, host, strlen(host) + 1);
		err = open_or_begin(k, aside);
	}
	if (err)
		series_keeper_close(k);
	else
		*out = k;
	return err;
}

void series_keeper_close(struct series_keeper *k)
{
	if (!k)
		return;
	forget(k);
	free(k->path);
	free(k);
}

void series_keeper_cursor(const struct series_keeper *k, struct series_cursor *now)
{
	*now = k->s.at;
	if (k->db && !file_is_there(k))
		*now = (struct series_cursor){.kept = 1};
}

/* ---- a part -------------------------------------------------------------------------------------------- */

/* What a reader asks of every file. */
static int check_whole(struct series_keeper *k)
{
	int64_t ok = 0;
	int rc = series_sql(
		k->db, &ok,
		"SELECT (SELECT count(*) FROM meta WHERE key IN ('host', 'interval_ms')) = 2"
		" AND EXISTS (SELECT 1 FROM boot) AND EXISTS (SELECT 1 FROM metric)");

	if (rc)
		return series_keeper_failed(k, rc);
	return ok ? 0 : series_part_damaged(k, "it does not say whose it is, or what was measured");
}

static int note_takes(struct series_keeper *k)
{
	char text[TAKES * 21], *at = text;
	int rc;

	for (int i = 0; i < TAKES; i++)
		at += sprintf(at, "%s%lld", i ? " " : "", (long long)k->s.takes[i]);
	rc = series_sql(k->db, NULL, "INSERT OR REPLACE INTO meta VALUES ('kept', %Q)", text);
	return rc ? series_keeper_failed(k, rc) : 0;
}

static int take_all(struct series_keeper *k, struct code_in *in)
{
	int rc = series_sql(k->db, NULL, "BEGIN IMMEDIATE"), err;

	if (rc)
		return series_keeper_failed(k, rc);
	k->chunk = k->another = false;
	k->stacks = 0;
	err = series_keeper_rows(k, in);
	if (err || k->another)
		return err;
	err = check_whole(k);
	if (!err)
		err = note_takes(k);
	rc = err ? 0 : series_sql(k->db, NULL, "COMMIT");
	return rc ? series_keeper_failed(k, rc) : err;
}

static void free_reader(struct series_keeper *k)
{
	if (k->r)
		series_inflater_release(&k->r->inflater);
	free(k->r);
	k->r = NULL;
}

/* As it was, in the file and here; a file that was begun for this goes. */
static void take_back(struct series_keeper *k, const struct kept_state *was)
{
	if (!sqlite3_get_autocommit(k->db))
		series_sql(k->db, NULL, "ROLLBACK");
	k->s = *was;
	k->metrics.n = was->metrics;
	if (!k->s.at.boot) {
		forget(k);
		unlink(k->path);
	}
}

/* The file is not one that this part goes into. Its sender hears so, and begins with another one. */
static int begin_another(struct series_keeper *k, const char *suffix, const char *why)
{
	char *aside = NULL;
	int err;

	forget(k);
	err = move_aside(k, suffix, &aside);
	if (!err)
		err = series_fail(-EEXIST, "'%s' %s: it is '%s' now, and another one is begun",
				  k->path, why, aside);
	free(aside);
	return err;
}

/* What a part begins with: where the one stood whom it was made for. False: we have less. */
static int get_from(struct series_keeper *k, struct code_in *in, bool *have)
{
	const struct series_cursor *at = &k->s.at;
	const int64_t ours[] = {at->kept,   at->boot,  at->metric,
				at->device, at->stack, at->user_stack};

	if (code_get_byte(in) != PART_FROM)
		return series_part_damaged(k, "it does not say what it follows");
	*have = true;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		*have &= (int64_t)code_get_below(in, INT64_MAX) <= ours[i];
	return in->bad ? series_part_damaged(k, "it does not say what it follows") : 0;
}

int series_keeper_take(struct series_keeper *k, const void *part, size_t len)
{
	const unsigned char *at = len ? part : (const unsigned char *)"";
	struct code_in in = {.at = at, .end = at + len};
	struct kept_state was;
	bool have = false, corrupt;
	int err;

	if (len > PART_MAX)
		return series_part_damaged(k, "it is too long");
	err = k->db && file_is_there(k) ? 0 : open_file(k, false);
	if (!err)
		err = get_from(k, &in, &have);
	if (err || !have)
		return err;
	err = k->db ? 0 : open_file(k, true);
	if (err)
		return err;
	was = k->s;
	err = take_all(k, &in);
	corrupt = err && series_keeper_corrupt(k);
	free_reader(k);
	if (!err && !k->another)
		return 0;
	take_back(k, &was);
	if (k->another && !was.at.boot)
		return series_part_damaged(k, "a chunk is of no run of the probe");
	if (corrupt)
		return begin_another(k, ".damaged", "is damaged");
	return k->another ? begin_another(k, SERIES_SUFFIX, "is of another recording") : err;
}
