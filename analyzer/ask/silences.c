// SPDX-License-Identifier: BSD-2-Clause
#include "silences.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/database.h"
#include "userspace/common/sort.h"

/* What is over is known so long. */
#define KEEP_NS (365 * NS_PER_DAY)

static const char silence_tables[] =
	"CREATE TABLE IF NOT EXISTS silence(number INTEGER PRIMARY KEY AUTOINCREMENT, server TEXT "
	"NOT NULL,"
	" incident INTEGER NOT NULL, from_ns INTEGER NOT NULL, until_ns INTEGER NOT NULL,"
	" who TEXT NOT NULL, why TEXT NOT NULL, made_ns INTEGER NOT NULL);";

struct silences {
	sqlite3 *db;
	int64_t version; /* of the data that was read; -1: none was */
	struct silence *at;
	size_t n;
};

int silences_open(struct silences **out, const char *dir, char why[WHY_LEN])
{
	struct silences *s = calloc(1, sizeof(*s));
	int err = s ? database_open(&s->db, dir, "silences.db", silence_tables, why) : -ENOMEM;

	*out = NULL;
	if (!s)
		snprintf(why, WHY_LEN, "out of memory");
	if (err) {
		free(s);
		return err;
	}
	s->version = -1;
	*out = s;
	return 0;
}

void silences_close(struct silences *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	free(s->at);
	free(s);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static int64_t number_said(sqlite3 *db, const char *sql)
{
	char why[WHY_LEN];
	sqlite3_stmt *st = database_ask(db, why, "%s", sql);
	int64_t n = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;

	sqlite3_finalize(st);
	return n;
}

int silences_add(struct silences *s, struct silence *one, char why[WHY_LEN])
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	sqlite3_stmt *st;
	int err;

	err = database_do(s->db, why, "DELETE FROM silence WHERE until_ns < %lld",
			  (long long)(now_ns - KEEP_NS));
	if (!err)
		err = silences_refresh(s, now_ns, why);
	if (!err && s->n >= SILENCES_MAX) {
		snprintf(why, WHY_LEN, "there are %d already", SILENCES_MAX);
		err = -ENOSPC;
	}
	st = err ? NULL
		 : database_ask(s->db, why,
				"INSERT INTO silence(server, incident, from_ns, until_ns, who, "
				"why, made_ns) "
				"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
	if (!st)
		return err ? err : -EIO;
	sqlite3_bind_text(st, 1, one->server, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, (int64_t)one->incident);
	sqlite3_bind_int64(st, 3, one->from_ns);
	sqlite3_bind_int64(st, 4, one->until_ns);
	sqlite3_bind_text(st, 5, one->who, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 6, one->why, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 7, now_ns);
	if (sqlite3_step(st) != SQLITE_DONE)
		err = database_fail(s->db, why);
	sqlite3_finalize(st);
	one->number = sqlite3_last_insert_rowid(s->db);
	s->version = -1;
	return err;
}

int silences_end(struct silences *s, int64_t number, int64_t now_ns, char why[WHY_LEN])
{
	int err = database_do(
		s->db, why,
		"UPDATE silence SET until_ns = max(from_ns, %lld) WHERE number = %lld AND "
		"until_ns > max(%lld, from_ns)",
		(long long)now_ns, (long long)number, (long long)now_ns);

	s->version = -1;
	if (err || sqlite3_changes(s->db))
		return err;
	snprintf(why, WHY_LEN, "no silence has this number, or it is over");
	return -ENOENT;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static void read_text(sqlite3_stmt *st, int k, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(st, k);

	snprintf(to, size, "%s", text ? text : "");
}

static int read_all(struct silences *s, int64_t now_ns, char why[WHY_LEN])
{
	sqlite3_stmt *st =
		database_ask(s->db, why,
			     "SELECT number, server, incident, from_ns, until_ns, who, why FROM "
			     "silence WHERE until_ns > max(%lld, from_ns) ORDER BY number",
			     (long long)now_ns);
	int err = st ? 0 : -EIO, rc = SQLITE_DONE;
	struct silence *at = NULL;
	size_t n = 0;

	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct silence one = {.number = sqlite3_column_int64(st, 0),
				      .incident = (uint64_t)sqlite3_column_int64(st, 2),
				      .from_ns = sqlite3_column_int64(st, 3),
				      .until_ns = sqlite3_column_int64(st, 4)};

		read_text(st, 1, one.server, sizeof(one.server));
		read_text(st, 5, one.who, sizeof(one.who));
		read_text(st, 6, one.why, sizeof(one.why));
		err = array_put(&at, &n, one);
	}
	if (!err && rc != SQLITE_DONE)
		err = database_fail(s->db, why);
	sqlite3_finalize(st);
	if (err) {
		free(at);
		return err;
	}
	free(s->at);
	s->at = at;
	s->n = n;
	return 0;
}

int silences_refresh(struct silences *s, int64_t now_ns, char why[WHY_LEN])
{
	int64_t version = number_said(s->db, "PRAGMA data_version");
	int err;

	if (s->version >= 0 && version == s->version) {
		s->n = keep_if(i, s->at, s->n, s->at[i].until_ns > now_ns);
		return 0;
	}
	snprintf(why, WHY_LEN, "out of memory");
	err = read_all(s, now_ns, why);
	s->version = err ? -1 : version;
	return err;
}

const struct silence *silences_known(const struct silences *s, size_t *n)
{
	*n = s->n;
	return s->at;
}

const struct silence *silence_of(const struct silence *at, size_t n, const char *server,
				 uint64_t incident, int64_t now_ns)
{
	for (size_t i = 0; i < n; i++) {
		const struct silence *one = &at[i];
		bool of_it = one->incident ? one->incident == incident
					   : !*one->server || !strcmp(one->server, server);

		if (of_it && one->from_ns <= now_ns && one->until_ns > now_ns)
			return one;
	}
	return NULL;
}
