// SPDX-License-Identifier: BSD-2-Clause
/* Tables of stacks: where the server's threads were met and what they computed, a row for a minute or so. */
#include "series_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const series_stack_tables[STACKS_KINDS] = {
	[STACKS_MET] = "stack",
	[STACKS_USER] = "user_stack",
};

int series_stacks_table(sqlite3 *db, enum series_stacks kind)
{
	return series_sql(
		db, NULL,
		"CREATE TABLE IF NOT EXISTS %s(id INTEGER PRIMARY KEY,"
		" from_ns INTEGER NOT NULL, to_ns INTEGER NOT NULL, folded BLOB NOT NULL)",
		series_stack_tables[kind]);
}

static int insert(struct series_writer *w, enum series_stacks kind, int64_t from_ns, int64_t to_ns,
		  const struct code_out *o)
{
	sqlite3_stmt *st = NULL;
	int rc = series_stacks_table(w->db, kind);
	char sql[96];

	snprintf(sql, sizeof(sql), "INSERT INTO %s(from_ns, to_ns, folded) VALUES (?, ?, ?)",
		 series_stack_tables[kind]);
	if (!rc)
		rc = sqlite3_prepare_v2(w->db, sql, -1, &st, NULL);
	if (!rc) {
		sqlite3_bind_int64(st, 1, from_ns);
		sqlite3_bind_int64(st, 2, to_ns);
		sqlite3_bind_blob(st, 3, o->at, (int)o->len, SQLITE_STATIC);
		rc = series_run(st);
	}
	sqlite3_finalize(st);
	return rc;
}

int series_writer_stacks(struct series_writer *w, enum series_stacks kind, int64_t from_ns,
			 int64_t to_ns, const char *folded)
{
	struct code_out o = {0};
	size_t len = strlen(folded);
	int err, rc;

	if (!w->db)
		return series_fail(-ENOENT, "no file is open for stacks");
	if (len > SERIES_STACKS_MAX || from_ns < 0 || to_ns < from_ns)
		return series_fail(-E2BIG, "stacks of a minute are longer than %d bytes",
				   SERIES_STACKS_MAX);
	code_put_unsigned(&o, (uint64_t)from_ns);
	code_put_byte(&o, SEC_STACKS(kind));
	code_put_bytes(&o, folded, len);
	err = o.failed ? -ENOMEM : series_zip(&o, FOLD_LEVEL);
	if (err) {
		code_out_release(&o);
		return series_no_memory();
	}
	rc = insert(w, kind, from_ns, to_ns, &o);
	code_out_release(&o);
	return rc ? series_sql_fail(w->db, rc, "cannot write", w->path) : 0;
}
