// SPDX-License-Identifier: BSD-2-Clause
/* A file that is copied, from the side of the one that has it: its rows into parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "series_part.h"
#include "series_reader.h"

/* Rows of one table in a part. */
#define ROWS_MAX 4096

/* Statements that are kept, for preparing them takes longer than running them. */
enum {
	AT_META,
	AT_BOOT,
	AT_METRIC,
	AT_DEVICE,
	TABLES_BEFORE, /* the chunk comes here */
	AT_STACK = TABLES_BEFORE,
	AT_USER,
	TABLES,
	AT_AGAIN = TABLES,
	AT_CHUNK,
	STATEMENTS
};

struct series_copy {
	char *path;
	struct series_reader *r;
	sqlite3_stmt *st[STATEMENTS];
	int64_t origin;
	dev_t dev; /* of the file that is open */
	ino_t ino;
};

/* ---- life ---------------------------------------------------------------------------------------------- */

static int find_origin(struct series_copy *c)
{
	int64_t origin = -1;
	int rc;

	series_set_budget(c->r);
	rc = series_query(c->r, &origin, "SELECT started_ns FROM boot ORDER BY id LIMIT 1");
	if (rc)
		return series_read_failed(c->r, rc);
	if (origin < 0)
		return series_damaged(c->r, "it has no run of a probe");
	if (c->origin >= 0 && origin != c->origin)
		return series_fail(-ESTALE, "'%s' is another file than before", c->path);
	c->origin = origin;
	return 0;
}

static void close_reader(struct series_copy *c)
{
	for (int i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(c->st[i]);
		c->st[i] = NULL;
	}
	series_reader_free(c->r);
	c->r = NULL;
}

static int open_reader(struct series_copy *c)
{
	int err;

	close_reader(c);
	err = series_reader_new(&c->r, c->path);
	if (err)
		return err;
	c->dev = c->r->seen.st_dev;
	c->ino = c->r->seen.st_ino;
	return find_origin(c);
}

int series_copy_new(struct series_copy **out, const char *path)
{
	struct series_copy *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return series_no_memory();
	c->origin = -1;
	c->path = strdup(path);
	err = c->path ? open_reader(c) : series_no_memory();
	if (err)
		series_copy_free(c);
	else
		*out = c;
	return err;
}

void series_copy_free(struct series_copy *c)
{
	if (!c)
		return;
	close_reader(c);
	free(c->path);
	free(c);
}

const char *series_copy_host(const struct series_copy *c)
{
	return c->r ? c->r->host : "";
}

int64_t series_copy_origin(const struct series_copy *c)
{
	return c->origin;
}

/* A file that was removed or replaced is still open here. One that nobody wrote to when it was opened is read without looking at
 * a -wal; once there is one, it is opened anew. */
static int look_at_file(struct series_copy *c)
{
	struct stat now;

	if (stat(c->path, &now))
		return series_fail(-errno, "cannot read '%s': %s", c->path, strerror(errno));
	if (now.st_dev != c->dev || now.st_ino != c->ino)
		return series_fail(-ESTALE, "'%s' is another file than before", c->path);
	if (!c->r || (c->r->immutable && (series_check_unchanged(c->r) || series_wal_size(c->r))))
		return open_reader(c);
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void put_blob(struct code_out *o, sqlite3_stmt *st, int col)
{
	struct series_blob b = series_column_blob(st, col);

	code_put_unsigned(o, b.len);
	code_put_bytes(o, b.len ? b.at : "", b.len);
}

static void put_string(struct code_out *o, const char *text)
{
	size_t len = strlen(text);

	code_put_unsigned(o, len);
	code_put_bytes(o, text, len);
}

/* As the writer has it already: printable, and not too long. What no reader takes for a text is none. */
static void put_text(struct code_out *o, sqlite3_stmt *st, int col)
{
	const char *text = series_column_text(st, col);
	char clean[PART_TEXT];

	series_copy_text(clean, sizeof(clean), text ? text : "");
	put_string(o, clean);
}

static bool is_lines(const char *text)
{
	const char *at = text;

	while ((*at >= ' ' && *at <= '~') || *at == '\n')
		at++;
	return !*at && at - text < PART_VALUE;
}

/* Something newer that is no text of lines and no number is passed over. */
static void put_meta(struct code_out *o, sqlite3_stmt *st)
{
	const char *key = series_column_text(st, 0), *text = series_column_text(st, 1);
	bool number = sqlite3_column_type(st, 1) == SQLITE_INTEGER;

	if (!key || !*key || strlen(key) >= PART_KEY || !is_lines(key) || strchr(key, '\n') ||
	    (!number && (!text || !is_lines(text))))
		return;
	code_put_byte(o, PART_META);
	put_string(o, key);
	code_put_byte(o, !number);
	if (number)
		code_put_signed(o, sqlite3_column_int64(st, 1));
	else
		put_string(o, text);
}

static void put_boot(struct code_out *o, sqlite3_stmt *st)
{
	code_put_byte(o, PART_BOOT);
	code_put_unsigned(o, (uint64_t)sqlite3_column_int64(st, 0));
	put_text(o, st, 1);
	code_put_signed(o, sqlite3_column_int64(st, 2));
}

static void put_metric(struct code_out *o, sqlite3_stmt *st)
{
	code_put_byte(o, PART_METRIC);
	code_put_unsigned(o, (uint64_t)sqlite3_column_int64(st, 0));
	for (int i = 1; i < 4; i++)
		put_text(o, st, i);
	code_put_double(o, sqlite3_column_double(st, 4));
	code_put_unsigned(o, (uint64_t)sqlite3_column_int64(st, 5));
}

static void put_device(struct code_out *o, sqlite3_stmt *st)
{
	code_put_byte(o, PART_DEVICE);
	code_put_unsigned(o, (uint64_t)sqlite3_column_int64(st, 0));
	for (int i = 1; i < 7; i++)
		put_text(o, st, i);
	for (int i = 7; i < 10; i++)
		code_put_signed(o, series_column_known(st, i));
}

static void put_stacks(struct code_out *o, sqlite3_stmt *st, enum series_stacks kind)
{
	code_put_byte(o, PART_STACKS);
	code_put_byte(o, (unsigned int)SEC_STACKS(kind));
	code_put_unsigned(o, (uint64_t)sqlite3_column_int64(st, 0));
	code_put_signed(o, sqlite3_column_int64(st, 1));
	code_put_signed(o, sqlite3_column_int64(st, 2));
	put_blob(o, st, 3);
}

static void put_met(struct code_out *o, sqlite3_stmt *st)
{
	put_stacks(o, st, STACKS_MET);
}

static void put_user(struct code_out *o, sqlite3_stmt *st)
{
	put_stacks(o, st, STACKS_USER);
}

#define DEVICE_ROW                                                              \
	"SELECT id, family, name, model, firmware, driver, detail, rotational," \
	" size_bytes, speed_mbps FROM device"

/* The tables, in the order of a part. */
static const struct copied_table {
	const char *sql;
	void (*put)(struct code_out *o, sqlite3_stmt *st);
	size_t cursor;	  /* place in struct series_cursor; NOT_BY_ID: all of it, each time */
	const char *name; /* of one that may not be there; NULL: it is */
} tables[TABLES + 1] = {
#define NOT_BY_ID SIZE_MAX
#define BY(field) offsetof(struct series_cursor, field)
	[AT_META] = {"SELECT key, value FROM meta WHERE key NOT IN (" PART_OWN ") LIMIT 250",
		     put_meta, NOT_BY_ID, NULL},
	/* With the last one that is there, by which the receiver sees that it has the same ones. */
	[AT_BOOT] = {"SELECT id, boot_id, started_ns FROM boot WHERE id >= ? ORDER BY id", put_boot,
		     BY(boot), NULL},
	[AT_METRIC] = {"SELECT id, family, name, kind, per, adler FROM metric WHERE id > ?"
		       " ORDER BY id",
		       put_metric, BY(metric), NULL},
	[AT_DEVICE] = {DEVICE_ROW " WHERE id > ? ORDER BY id", put_device, BY(device), NULL},
	[AT_STACK] = {"SELECT id, from_ns, to_ns, folded FROM stack WHERE id > ? ORDER BY id",
		      put_met, BY(stack), "stack"},
	[AT_USER] = {"SELECT id, from_ns, to_ns, folded FROM user_stack WHERE id > ? ORDER BY id",
		     put_user, BY(user_stack), "user_stack"},
	/* A device that was seen before its identity was known has it filled in later (series_device.c): a disk, an interface,
	 * or a process that came lately. */
	[AT_AGAIN] = {DEVICE_ROW " WHERE id <= ?1 AND (family IN ('disk', 'net') OR id > ?1 - 32)"
				 " AND coalesce(model, firmware, driver, rotational, size_bytes,"
				 " speed_mbps, detail) IS NOT NULL ORDER BY id DESC LIMIT 512",
		      put_device, BY(device), NULL},
};

static int64_t *cursor_of(struct series_cursor *c, const struct copied_table *t)
{
	return (int64_t *)((char *)c + t->cursor);
}

/* The statement at its beginning; NULL: there is no such table. */
static int begin_table(struct series_copy *c, int i, sqlite3_stmt **st)
{
	const struct copied_table *t = &tables[i];
	int rc = 0;

	*st = NULL;
	if (!c->st[i] && t->name &&
	    sqlite3_table_column_metadata(c->r->db, NULL, t->name, "folded", NULL, NULL, NULL, NULL,
					  NULL))
		return 0;
	if (!c->st[i])
		rc = sqlite3_prepare_v3(c->r->db, t->sql, -1, SQLITE_PREPARE_PERSISTENT, &c->st[i],
					NULL);
	*st = c->st[i];
	return rc;
}

/* *full: there are more rows than one part takes. */
static int put_table(struct series_copy *c, int i, struct series_cursor *next, struct code_out *o,
		     bool *full)
{
	const struct copied_table *t = &tables[i];
	int64_t *at = t->cursor == NOT_BY_ID ? NULL : cursor_of(next, t);
	sqlite3_stmt *st;
	size_t n = 0;
	int rc = begin_table(c, i, &st);

	if (!rc && !st)
		return 0;
	if (!rc && at)
		rc = sqlite3_bind_int64(st, 1, *at);
	while (!rc && !*full && (rc = series_step(c->r, st)) == SQLITE_ROW) {
		rc = 0;
		t->put(o, st);
		if (at && sqlite3_column_int64(st, 0) > *at)
			*at = sqlite3_column_int64(st, 0);
		*full = at && i < TABLES && (++n == ROWS_MAX || o->len > PART_FULL);
	}
	sqlite3_reset(st);
	return rc && rc != SQLITE_DONE ? series_read_failed(c->r, rc) : 0;
}

/* ---- the chunk ----------------------------------------------------------------------------------------- */

/* The one that has the second with this id, else the first behind it. */
static int prepare_chunk(struct series_copy *c)
{
	sqlite3_str *sql = sqlite3_str_new(c->r->db);
	int rc = SQLITE_NOMEM;
	char *text;

	sqlite3_str_appendall(sql, "SELECT id, first_ns, last_ns, seconds,"
				   " coalesce((SELECT b.last_ns FROM chunk b WHERE b.id < c.id"
				   " ORDER BY b.id DESC LIMIT 1), 0)");
	for (int s = 0; s < SECTIONS; s++)
		sqlite3_str_appendf(sql, ", \"%w\"", series_section_name(s));
	sqlite3_str_appendall(sql,
			      " FROM chunk c WHERE id >= coalesce((SELECT max(id) FROM chunk"
			      " WHERE id <= ?1), 0) AND id + seconds > ?1 ORDER BY id LIMIT 1");
	text = sqlite3_str_finish(sql);
	if (text)
		rc = sqlite3_prepare_v3(c->r->db, text, -1, SQLITE_PREPARE_PERSISTENT,
					&c->st[AT_CHUNK], NULL);
	sqlite3_free(text);
	return rc;
}

static void put_sections(struct code_out *o, sqlite3_stmt *st)
{
	enum { FIRST = 5 };
	unsigned int n = 0;

	for (int s = 0; s < SECTIONS; s++)
		n += series_column_blob(st, FIRST + s).len > 0;
	code_put_unsigned(o, n);
	for (int s = 0; s < SECTIONS; s++)
		if (series_column_blob(st, FIRST + s).len) {
			code_put_byte(o, (unsigned int)s);
			put_blob(o, st, FIRST + s);
		}
}

/* 1: there is one. */
static int put_row(struct series_copy *c, sqlite3_stmt *st, int64_t plain_ns,
		   struct series_cursor *next, struct code_out *o)
{
	int64_t id = sqlite3_column_int64(st, 0), last_ns = sqlite3_column_int64(st, 2);
	int64_t seconds = sqlite3_column_int64(st, 3);

	if (id > next->kept)
		return series_fail(-ENODATA, "'%s' has no second %lld", c->path,
				   (long long)next->kept);
	if (seconds == 1 && last_ns >= plain_ns)
		return 0;
	if (id < 1 || seconds < 1 || seconds > GRID_SECONDS_MAX)
		return series_damaged(c->r, "a chunk is not where it belongs");
	code_put_byte(o, PART_CHUNK);
	code_put_unsigned(o, (uint64_t)id);
	code_put_signed(o, sqlite3_column_int64(st, 1));
	code_put_signed(o, last_ns);
	code_put_unsigned(o, (uint64_t)seconds);
	code_put_signed(o, sqlite3_column_int64(st, 4));
	put_sections(o, st);
	next->kept = id + seconds;
	return 1;
}

static int put_chunk(struct series_copy *c, int64_t plain_ns, struct series_cursor *next,
		     struct code_out *o)
{
	int rc = c->st[AT_CHUNK] ? 0 : prepare_chunk(c), got = 0;

	if (!rc)
		rc = sqlite3_bind_int64(c->st[AT_CHUNK], 1, next->kept);
	if (!rc)
		rc = series_step(c->r, c->st[AT_CHUNK]);
	if (rc == SQLITE_ROW)
		got = put_row(c, c->st[AT_CHUNK], plain_ns, next, o);
	else if (rc != SQLITE_DONE)
		got = series_read_failed(c->r, rc);
	sqlite3_reset(c->st[AT_CHUNK]);
	return got;
}

/* ---- a part -------------------------------------------------------------------------------------------- */

static void put_from(struct code_out *o, const struct series_cursor *from)
{
	const int64_t at[] = {from->kept,   from->boot,	 from->metric,
			      from->device, from->stack, from->user_stack};

	code_put_byte(o, PART_FROM);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		code_put_unsigned(o, (uint64_t)at[i]);
}

static int put_part(struct series_copy *c, const struct series_cursor *from, int64_t plain_ns,
		    struct series_cursor *next, struct code_out *o)
{
	struct series_cursor again = *from; /* for rows that move no cursor */
	bool full = false, ignored = false;
	int err = 0, got = 0;

	put_from(o, from);
	for (int i = 0; i < TABLES_BEFORE && !err; i++)
		err = put_table(c, i, next, o, &full);
	if (!err && !full)
		got = put_chunk(c, plain_ns, next, o);
	err = got < 0 ? got : err;
	for (int i = TABLES_BEFORE; i < TABLES && !err; i++) {
		full |= o->len > PART_FULL;
		err = full ? 0 : put_table(c, i, next, o, &full);
	}
	if (!err && got)
		err = put_table(c, AT_AGAIN, &again, o, &ignored);
	if (!err && o->failed)
		err = series_no_memory();
	if (!err && o->len > PART_MAX)
		err = series_fail(-E2BIG, "'%s': a chunk is larger than a message may be", c->path);
	return err;
}

/* All of one moment. */
static int read_part(struct series_copy *c, const struct series_cursor *from, int64_t plain_ns,
		     struct series_cursor *next, struct code_out *o)
{
	int err = look_at_file(c), rc;
	bool began;

	if (err)
		return err;
	series_set_budget(c->r);
	rc = series_sql(c->r->db, NULL, "BEGIN");
	if (rc)
		return series_read_failed(c->r, rc);
	began = series_cpu_begin(c->r);
	err = put_part(c, from, plain_ns, next, o);
	series_cpu_end(c->r, began, 0);
	series_sql(c->r->db, NULL, "ROLLBACK");
	return err;
}

int series_copy_out(struct series_copy *c, const struct series_cursor *from, int64_t plain_ns,
		    struct text *to, struct series_cursor *next)
{
	struct code_out o = {0};
	int err;

	*next = *from;
	err = read_part(c, from, plain_ns, next, &o);
	if (err)
		*next = *from;
	if (!err && memcmp(next, from, sizeof(*next)) != 0) {
		text_put_bytes(to, (const char *)o.at, o.len);
		err = to->failed ? series_no_memory() : 1;
	}
	code_out_release(&o);
	return err;
}
