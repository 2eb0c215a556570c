// SPDX-License-Identifier: BSD-2-Clause
/* Whether an opened file is what it claims to be: its schema, tables, columns, meta and times. */
#include "series_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_INTERVAL 86400000

static int check_version(struct series_reader *r)
{
	int err = series_check_schema(r->db, "cannot read", r->path, "");

	return err == 1 ? series_fail(-ENODATA, "cannot read '%s': it is empty", r->path) : err;
}

/* A real table: no view, and no virtual table, which would run code of SQLite's extensions. */
static int check_table(struct series_reader *r, const char *table)
{
	int64_t ok = 0;
	int rc = series_sql(r->db, &ok,
			    "SELECT count(*) = 1 AND min(type = 'table' AND rootpage > 0 AND"
			    " sql LIKE 'CREATE TABLE%%') FROM sqlite_master"
			    " WHERE name = %Q COLLATE NOCASE",
			    table);

	if (rc)
		return series_read_failed(r, rc);
	return ok ? 0 : series_damaged(r, "it has no table '%s'", table);
}

int series_has_column(struct series_reader *r, const char *table, const char *column, int *has)
{
	int64_t n = 0;
	int rc = series_sql(r->db, &n, "SELECT count(*) FROM pragma_table_info(%Q) WHERE name = %Q",
			    table, column);

	*has = n != 0;
	return rc ? series_read_failed(r, rc) : 0;
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

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		int has, err = check_table(r, needed[i].table);

		for (const char *const *c = needed[i].columns; !err && *c; c++) {
			err = series_has_column(r, needed[i].table, *c, &has);
			if (!err && !has)
				err = series_damaged(r, "its table '%s' has no column '%s'",
						     needed[i].table, *c);
		}
		if (err)
			return err;
	}
	return 0;
}

const char *series_column_text(sqlite3_stmt *st, int col)
{
	const char *text;

	if (sqlite3_column_type(st, col) == SQLITE_NULL)
		return "";
	if (sqlite3_column_type(st, col) != SQLITE_TEXT)
		return NULL;
	text = (const char *)sqlite3_column_text(st, col);
	return text && strlen(text) == (size_t)sqlite3_column_bytes(st, col) ? text : NULL;
}

static int read_meta(struct series_reader *r)
{
	static const char sql[] = "SELECT (SELECT value FROM meta WHERE key = 'host'),"
				  " (SELECT value FROM meta WHERE key = 'interval_ms')";
	const char *host = NULL;
	int64_t interval = 0;
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(r->db, sql, -1, &st, NULL);

	if (!rc && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		host = series_column_text(st, 0);
		if (host && !series_check_host(host))
			snprintf(r->host, sizeof(r->host), "%s", host);
		if (sqlite3_column_type(st, 1) == SQLITE_INTEGER)
			interval = sqlite3_column_int64(st, 1);
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_ROW)
		return series_read_failed(r, rc);
	if (!*r->host)
		return series_damaged(r, "its host name is missing or not valid");
	if (interval < 1 || interval > MAX_INTERVAL)
		return series_damaged(r, "its interval is missing or not valid");
	r->interval_ms = (unsigned int)interval;
	return 0;
}

/*
 * Ranges of time are looked up in the order of wall_ns, where what is no whole number stands
 * before or after every time and would be passed over in silence: three looks at the ends.
 */
static int check_times(struct series_reader *r)
{
	int64_t bad = 0;
	int rc = series_sql(r->db, &bad,
			    "SELECT EXISTS (SELECT 1 FROM second WHERE wall_ns IS NULL) OR"
			    " EXISTS (SELECT 1 FROM second WHERE wall_ns < 0) OR"
			    " EXISTS (SELECT 1 FROM second WHERE wall_ns >= '')");

	if (rc)
		return series_read_failed(r, rc);
	return bad ? series_damaged(r, "a second has no valid time") : 0;
}

int series_check(struct series_reader *r)
{
	int err = check_version(r);

	if (!err)
		err = check_columns(r);
	if (!err)
		err = read_meta(r);
	if (!err)
		err = check_times(r);
	return err ? err : series_check_unchanged(r);
}
