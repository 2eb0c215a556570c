// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes other series files of one: changes a cell of a table through SQLite, or the bytes of a
 * section of a chunk before they are compressed and summed up, or pages and bytes of the database.
 * All follows from the seed.
 */
#include "fuzz.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/series/series_grid.h"

enum { PAGE = 4096 };

static uint64_t state;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t n)
{
	return n ? (size_t)(any() % n) : 0;
}

/* ---- bytes and pages ---- */

static size_t mutate_region(uint8_t *data, size_t size)
{
	size_t at = below(size), n = 1 + below(64);

	n = n < size - at ? n : size - at;
	LLVMFuzzerMutate(data + at, n, n);
	return size;
}

static size_t copy_page(uint8_t *data, size_t size, bool swap)
{
	size_t pages = size / PAGE;
	uint8_t kept[PAGE], *a, *b;

	if (pages < 2)
		return mutate_region(data, size);
	a = data + PAGE * below(pages);
	b = data + PAGE * below(pages);
	memcpy(kept, b, PAGE);
	memmove(b, a, PAGE);
	if (swap)
		memcpy(a, kept, PAGE);
	return size;
}

static size_t truncate_at(size_t size)
{
	size_t cut = below(size);

	if (any() % 2)
		cut -= cut % PAGE;
	return cut ? cut : size;
}

/* ---- cells ---- */

static const struct {
	const char *table, *column;
} cells[] = {{"chunk", "id"},	       {"chunk", "first_ns"},	 {"chunk", "last_ns"},
	     {"chunk", "seconds"},     {"chunk", "head"},	 {"chunk", "disk"},
	     {"chunk", "hist"},	       {"chunk", "process"},	 {"meta", "key"},
	     {"meta", "value"},	       {"boot", "id"},		 {"boot", "started_ns"},
	     {"device", "id"},	       {"device", "family"},	 {"device", "name"},
	     {"device", "rotational"}, {"device", "detail"},	 {"device", "size_bytes"},
	     {"metric", "id"},	       {"metric", "family"},	 {"metric", "name"},
	     {"metric", "kind"},       {"metric", "per"},	 {"metric", "adler"},
	     {"sqlite_schema", "sql"}, {"sqlite_schema", "type"}};

static const char *const sections[] = {"head", "disk",	 "net",	    "tcp",
				       "host", "remote", "process", "hist"};

static void bind_value(sqlite3_stmt *st)
{
	static const int64_t numbers[] = {0,
					  1,
					  -1,
					  1 << 16,
					  20001,
					  INT32_MAX,
					  1LL << 32,
					  1LL << 53,
					  INT64_MAX,
					  INT64_MIN,
					  1795230000000000000};
	static const char *const texts[] = {"",	    "disk",  "process", "host",
					    "rate", "gauge", "await",	"\033[2J",
					    "../x", "1000",  "second",	"index"};

	switch (any() % 6) {
	case 0: sqlite3_bind_null(st, 1); break;
	case 1: sqlite3_bind_double(st, 1, (double)(int64_t)any()); break;
	case 2:
		sqlite3_bind_text(st, 1, texts[below(sizeof(texts) / sizeof(*texts))], -1,
				  SQLITE_STATIC);
		break;
	case 3: sqlite3_bind_zeroblob(st, 1, 1 + (int)below(300)); break;
	default: sqlite3_bind_int64(st, 1, numbers[below(sizeof(numbers) / sizeof(*numbers))]);
	}
}

/* "UPDATE …" with a random row: 0 if one was changed. */
static int run(sqlite3 *db, const char *what, const char *table, const char *after)
{
	sqlite3_stmt *st = NULL;
	char *sql = sqlite3_mprintf(
		"%s WHERE rowid = (SELECT rowid FROM \"%w\" LIMIT 1 OFFSET ?2 %% max(1,"
		" (SELECT count(*) FROM \"%w\")))%s",
		what, table, table, after);
	int rc = sql ? sqlite3_prepare_v2(db, sql, -1, &st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (rc)
		return -1;
	bind_value(st);
	sqlite3_bind_int64(st, 2, (int64_t)(any() >> 40));
	rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE && sqlite3_changes(db) ? 0 : -1;
}

static int change_cell(sqlite3 *db)
{
	size_t c = below(sizeof(cells) / sizeof(*cells));
	const char *table = cells[c].table, *column = cells[c].column;
	char what[200];

	switch (any() % 8) {
	case 0: snprintf(what, sizeof(what), "DELETE FROM \"%s\"", table); break;
	case 1:
	case 2:
	case 3:
		snprintf(what, sizeof(what), "UPDATE \"%s\" SET \"%s\" = \"%s\" + %d", table,
			 column, column, (int)(any() % 5) - 2);
		break;
	default: snprintf(what, sizeof(what), "UPDATE \"%s\" SET \"%s\" = ?1", table, column);
	}
	return run(db, what, table, "");
}

/* ---- sections of a chunk ---- */

static int put_section(sqlite3 *db, const char *column, int64_t id, const struct code_out *o)
{
	sqlite3_stmt *st = NULL;
	char *sql = sqlite3_mprintf("UPDATE chunk SET \"%w\" = ?1 WHERE id = ?2", column);
	int rc = sql ? sqlite3_prepare_v2(db, sql, -1, &st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (rc)
		return -1;
	sqlite3_bind_blob(st, 1, o->at, (int)o->len, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, id);
	rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : -1;
}

/* Of the bytes that are compressed in a blob, others, compressed. */
static int remake(struct code_out *o, const struct series_blob *b, int section, int64_t id)
{
	struct series_inflater f = {0};
	struct code_in in;
	unsigned char *more = NULL;
	size_t n = 0;

	if (!series_unzip(&f, &in, section, b, id)) {
		n = (size_t)(in.end - f.at);
		more = malloc(n + 64);
	}
	if (more) {
		memcpy(more, f.at, n);
		n = LLVMFuzzerMutate(more, n, n + 64);
		code_put_bytes(o, more, n);
	}
	series_inflater_release(&f);
	free(more);
	return !more || !n || series_zip(o, 1) ? -1 : 0;
}

static int change_section(sqlite3 *db)
{
	/* series.h: families from 0 on, head, hist */
	static const int numbers[] = {SEC_HEAD, FAM_DISK,   FAM_NET,	 FAM_TCP,
				      FAM_HOST, FAM_REMOTE, FAM_PROCESS, SEC_HIST};
	size_t i = below(sizeof(sections) / sizeof(*sections));
	char *sql = sqlite3_mprintf("SELECT id, \"%w\" FROM chunk LIMIT 1 OFFSET %u %% max(1,"
				    " (SELECT count(*) FROM chunk))",
				    sections[i], (unsigned int)(any() >> 40));
	sqlite3_stmt *st = NULL;
	struct code_out o = {0};
	int err = -1;

	if (sql && !sqlite3_prepare_v2(db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW &&
	    sqlite3_column_type(st, 1) == SQLITE_BLOB) {
		struct series_blob b = {sqlite3_column_blob(st, 1),
					(size_t)sqlite3_column_bytes(st, 1)};
		int64_t id = sqlite3_column_int64(st, 0);

		err = remake(&o, &b, numbers[i], id);
		sqlite3_finalize(st);
		st = NULL;
		if (!err)
			err = put_section(db, sections[i], id, &o);
	}
	sqlite3_finalize(st);
	sqlite3_free(sql);
	code_out_release(&o);
	return err;
}

/* ---- a database in memory ---- */

static int give_up(void *steps)
{
	return ++*(int *)steps > 100;
}

static sqlite3 *open_image(const uint8_t *data, size_t size, int *steps)
{
	unsigned char *copy = sqlite3_malloc64(size);
	sqlite3 *db = NULL;

	if (!copy || sqlite3_open(":memory:", &db)) {
		sqlite3_free(copy);
		sqlite3_close(db);
		return NULL;
	}
	memcpy(copy, data, size);
	copy[18] = copy[19] = 1; /* not WAL mode, which needs a file */
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	sqlite3_progress_handler(db, 1000, give_up, steps);
	if (sqlite3_deserialize(db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
				SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)) {
		sqlite3_close(db);
		return NULL;
	}
	return db;
}

static size_t mutate_database(uint8_t *data, size_t size, size_t max, bool section)
{
	int steps = 0;
	sqlite3 *db = size > 100 ? open_image(data, size, &steps) : NULL;
	uint8_t mode[2] = {data[18], data[19]};
	unsigned char *image;
	sqlite3_int64 n = 0;
	int err = -1;

	for (int i = 0; db && err && i < 5; i++)
		err = section ? change_section(db) : change_cell(db);
	image = err ? NULL : sqlite3_serialize(db, "main", &n, 0);
	if (image && n > 100 && (size_t)n <= max) {
		memcpy(data, image, (size_t)n);
		memcpy(data + 18, mode, 2);
		size = (size_t)n;
	} else {
		size = mutate_region(data, size);
	}
	sqlite3_free(image);
	sqlite3_close(db);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	state = 0x9e3779b97f4a7c15ULL ^ seed * 0xff51afd7ed558ccdULL;
	any();
	any();
	if (size < 32)
		return LLVMFuzzerMutate(data, size, max);
	switch (any() % 16) {
	case 0: return truncate_at(size);
	case 1: return copy_page(data, size, false);
	case 2: return copy_page(data, size, true);
	case 3:
	case 4:
	case 5: return mutate_region(data, size);
	case 6:
		return LLVMFuzzerMutate(data, size < 100 ? size : 100, size < 100 ? size : 100),
		       size;
	case 7:
	case 8:
	case 9:
	case 10: return mutate_database(data, size, max, false);
	default: return mutate_database(data, size, max, true);
	}
}
