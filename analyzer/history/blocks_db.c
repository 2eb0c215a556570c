// SPDX-License-Identifier: BSD-2-Clause
#include "blocks_db.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/database.h"
#include "userspace/common/disk_thread.h"
#include "userspace/common/map.h"

#define WAITING_BYTES ((size_t)64 << 20)
#define READ_BUSY_MS  200

static const char block_tables[] =
	"CREATE TABLE IF NOT EXISTS block(signal TEXT NOT NULL, from_ns INTEGER NOT NULL,"
	" bytes BLOB NOT NULL, UNIQUE(signal, from_ns));"
	"CREATE INDEX IF NOT EXISTS block_from ON block(from_ns);"
	"CREATE TABLE IF NOT EXISTS wide(signal TEXT NOT NULL, from_ns INTEGER NOT NULL,"
	" bytes BLOB NOT NULL, UNIQUE(signal, from_ns));"
	"CREATE INDEX IF NOT EXISTS wide_from ON wide(from_ns);";

struct blocks_db {
	sqlite3 *db;			     /* the thread's */
	int64_t keep_ns, trimmed_ns, bad_ns; /* the thread's, too: of the block that was bad last */
	struct disk_thread *thread;
	pthread_mutex_t lock;
	char why[WHY_LEN]; /* under the lock */
};

struct block_job {
	struct blocks_db *d;
	char signal[64];
	int64_t from_ns;
	bool whole;
	void *bytes;
	size_t len;
};

struct days_kept {
	struct blocks_db *d;
	int64_t keep_ns;
};

int blocks_db_new(struct blocks_db **out, const char *dir, unsigned int keep_days,
		  char why[WHY_LEN])
{
	struct blocks_db *d = calloc(1, sizeof(*d));
	int err;

	*out = NULL;
	snprintf(why, WHY_LEN, "out of memory");
	if (!d)
		return -ENOMEM;
	pthread_mutex_init(&d->lock, NULL);
	d->keep_ns = keep_days * NS_PER_DAY;
	err = database_open(&d->db, dir, BLOCKS_DB, block_tables, why);
	/* a file of before has no wide ones */
	if (!err)
		err = database_do(d->db, why, "%s", block_tables);
	if (!err && !(d->thread = disk_thread_new(WAITING_BYTES)))
		err = -EAGAIN;
	if (err)
		blocks_db_free(d);
	else
		*out = d;
	return err;
}

void blocks_db_free(struct blocks_db *d)
{
	if (!d)
		return;
	disk_thread_free(d->thread);
	sqlite3_close(d->db);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static void say(struct blocks_db *d, const char *why)
{
	pthread_mutex_lock(&d->lock);
	snprintf(d->why, sizeof(d->why), "%s", why);
	pthread_mutex_unlock(&d->lock);
}

static void block_job_free(struct block_job *j)
{
	if (j)
		free(j->bytes);
	free(j);
}

/* ---- rows of blocks ------------------------------------------------------------------------------------ */

static const char *table_of(const struct block_span *span)
{
	return span->wide ? "wide" : "block";
}

/* NULL: it cannot be read now. */
static sqlite3_stmt *blocks_between(sqlite3 *db, const struct block_span *span)
{
	char sql[160];
	sqlite3_stmt *s = NULL;

	snprintf(sql, sizeof(sql),
		 "SELECT from_ns, bytes FROM %s WHERE signal = ?1 AND from_ns >= ?2 AND from_ns < "
		 "?3 ORDER BY from_ns",
		 table_of(span));
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		return NULL;
	sqlite3_bind_text(s, 1, span->signal, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, span->from_ns);
	sqlite3_bind_int64(s, 3, span->to_ns);
	return s;
}

struct block_reading {
	int64_t from_ns;
	block_fn *fn;
	void *arg;
};

static int on_row(void *arg, const struct block_row *row)
{
	const struct block_reading *to = arg;

	return to->fn(to->arg, to->from_ns, row);
}

static int read_blocks(sqlite3 *db, const struct block_span *span, block_fn *fn, void *arg)
{
	struct block_reading to = {.fn = fn, .arg = arg};
	sqlite3_stmt *s = blocks_between(db, span);
	int err = s ? 0 : -EIO, rc = SQLITE_DONE;

	while (!err && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		to.from_ns = sqlite3_column_int64(s, 0);
		err = block_unpack(sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1),
				   on_row, &to);
		err = err == -EINVAL ? 0 : err;
	}
	sqlite3_finalize(s);
	return !err && rc != SQLITE_DONE ? -EIO : err;
}

/* ---- in the thread ------------------------------------------------------------------------------------- */

/* Once an hour. */
static int trim(struct blocks_db *d, char why[WHY_LEN])
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	int err;

	if (!d->keep_ns || (now_ns >= d->trimmed_ns && now_ns - d->trimmed_ns < NS_PER_HOUR))
		return 0;
	err = database_do(d->db, why,
			  "DELETE FROM wide WHERE from_ns < %lld;"
			  "DELETE FROM block WHERE from_ns < %lld",
			  (long long)(now_ns - d->keep_ns), (long long)(now_ns - d->keep_ns));
	if (!err)
		d->trimmed_ns = now_ns;
	return err;
}

/* instead: of one that is there, which stays otherwise. */
static int put_bytes(const struct block_job *j, const struct block_span *to, bool instead,
		     const void *bytes, size_t len, char why[WHY_LEN])
{
	sqlite3_stmt *s = database_ask(j->d->db, why,
				       "INSERT OR %s INTO %s(signal, from_ns, bytes) VALUES "
				       "(?1, ?2, ?3)",
				       instead ? "REPLACE" : "IGNORE", table_of(to));
	int err = 0;

	if (!s)
		return -EIO;
	sqlite3_bind_text(s, 1, to->signal, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, to->from_ns);
	sqlite3_bind_blob64(s, 3, bytes, len, SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		err = database_fail(j->d->db, why);
	sqlite3_finalize(s);
	return err;
}

/* Blocks that become a wide one. */
struct widening {
	struct history h;
	char (*names)[HOST_LEN]; /* by its nodes */
	size_t n_names;
	struct map by_name;
};

/* SIZE_MAX: out of memory. */
static size_t widening_node(struct widening *w, const char *server)
{
	uint64_t hash = map_hash(server, strlen(server));
	size_t at = map_find(i, &w->by_name, hash, !strcmp(w->names[i], server));
	char(*new)[HOST_LEN];

	if (at != MAP_NONE)
		return at;
	new = map_append(&w->by_name, hash, array_add(&w->names, &w->n_names), &w->n_names);
	if (!new)
		return SIZE_MAX;
	snprintf(*new, HOST_LEN, "%s", server);
	return w->n_names - 1;
}

static int widen_row(void *arg, int64_t from_ns, const struct block_row *row)
{
	struct widening *w = arg;
	const struct history_entity k = {.node = widening_node(w, row->server), .disk = row->disk};

	for (size_t c = 0; c < BLOCK_CELLS; c++) {
		ssize_t to;

		if (!row->at[c].marks)
			continue;
		to = k.node == SIZE_MAX ? -ENOMEM
					: history_put(&w->h, &k, from_ns + BLOCK_NS, row->at[c]);
		if (to < 0)
			return -ENOMEM;
		if (row->set != SIZE_MAX)
			w->h.rows[to].set = row->set;
	}
	return 0;
}

/* The wide block that j's is in. Where it cannot be made it is missing. */
static int write_wide(const struct block_job *j, char why[WHY_LEN])
{
	struct block_span wide = {j->signal, true, j->from_ns - j->from_ns % WIDE_NS, 0}, of = wide;
	struct widening w = {.h = {.most_columns = BLOCK_CELLS}};
	void *bytes;
	size_t len;
	int err;

	of.wide = false;
	of.to_ns = of.from_ns + WIDE_NS;
	history_begin(&w.h, of.from_ns, WIDE_CELL_NS);
	err = read_blocks(j->d->db, &of, widen_row, &w);
	if (err == -EIO)
		database_fail(j->d->db, why);
	else if (!err)
		err = block_pack(&w.h, w.names, 0, &bytes, &len);
	if (!err) {
		err = put_bytes(j, &wide, true, bytes, len, why);
		free(bytes);
	} else if (err != -EIO) {
		err = database_do(j->d->db, why,
				  "DELETE FROM wide WHERE signal = %Q AND from_ns = %lld",
				  wide.signal, (long long)wide.from_ns);
	}
	history_release(&w.h);
	map_release(&w.by_name);
	free(w.names);
	return err;
}

static int write_block(const struct block_job *j, char why[WHY_LEN])
{
	const struct block_span to = {j->signal, false, j->from_ns, 0};
	char ignored[WHY_LEN];
	int err = database_do(j->d->db, why, "BEGIN IMMEDIATE");

	if (err)
		return err;
	err = put_bytes(j, &to, j->whole, j->bytes, j->len, why);
	if (!err && sqlite3_changes(j->d->db))
		err = write_wide(j, why);
	if (!err)
		err = database_do(j->d->db, why, "COMMIT");
	if (err)
		database_do(j->d->db, ignored, "ROLLBACK");
	return err;
}

static void do_block(void *arg)
{
	struct block_job *j = arg;
	char why[WHY_LEN] = "";
	int err = write_block(j, why);

	if (!err)
		err = trim(j->d, why);
	/* Of a block that is well; one bad signal of the same ten minutes is said until then. */
	if (err || j->from_ns != j->d->bad_ns)
		say(j->d, err ? why : "");
	if (err)
		j->d->bad_ns = j->from_ns;
	block_job_free(j);
}

static void do_keep(void *arg)
{
	struct days_kept *j = arg;
	char why[WHY_LEN];

	j->d->keep_ns = j->keep_ns;
	j->d->trimmed_ns = 0;
	if (trim(j->d, why))
		say(j->d, why);
	free(j);
}

/* ---- from outside -------------------------------------------------------------------------------------- */

int blocks_db_put(struct blocks_db *d, const char *signal, int64_t from_ns, bool whole, void *bytes,
		  size_t len)
{
	struct block_job *j = malloc(sizeof(*j));
	int err;

	if (!j) {
		free(bytes);
		say(d, "out of memory");
		return -ENOMEM;
	}
	*j = (struct block_job){
		.d = d, .from_ns = from_ns, .whole = whole, .bytes = bytes, .len = len};
	snprintf(j->signal, sizeof(j->signal), "%s", signal);
	err = disk_thread_do(d->thread, do_block, j, len);
	if (err) {
		block_job_free(j);
		say(d, err == -EAGAIN ? "the disk does not keep up with the history"
				      : "out of memory");
	}
	return err;
}

int blocks_db_keep(struct blocks_db *d, unsigned int keep_days)
{
	struct days_kept *j = malloc(sizeof(*j));
	int err = -ENOMEM;

	if (j) {
		*j = (struct days_kept){d, keep_days * NS_PER_DAY};
		err = disk_thread_do(d->thread, do_keep, j, 0);
	}
	if (err)
		free(j);
	return err;
}

const char *blocks_db_trouble(struct blocks_db *d, char why[WHY_LEN])
{
	pthread_mutex_lock(&d->lock);
	memcpy(why, d->why, WHY_LEN);
	pthread_mutex_unlock(&d->lock);
	return *why ? why : NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int open_reader(sqlite3 **reader, const char *dir)
{
	char path[4200];

	if (*reader)
		return 0;
	snprintf(path, sizeof(path), "%s/" BLOCKS_DB, dir);
	if (!sqlite3_open_v2(path, reader, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) {
		sqlite3_busy_timeout(*reader, READ_BUSY_MS);
		return 0;
	}
	sqlite3_close(*reader);
	*reader = NULL;
	return -ENOENT;
}

bool blocks_db_has(sqlite3 **reader, const char *dir, const struct block_span *span)
{
	sqlite3_stmt *s = open_reader(reader, dir) ? NULL : blocks_between(*reader, span);
	bool has = s && sqlite3_step(s) == SQLITE_ROW;

	sqlite3_finalize(s);
	return has;
}

int blocks_db_read(sqlite3 **reader, const char *dir, const struct block_span *span, block_fn *fn,
		   void *arg)
{
	int err = open_reader(reader, dir) ? -EIO : read_blocks(*reader, span, fn, arg);

	/* It may have been replaced. */
	if (err == -EIO) {
		sqlite3_close_v2(*reader); /* fn of an outer one reads */
		*reader = NULL;
	}
	return err;
}
