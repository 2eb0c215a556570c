// SPDX-License-Identifier: BSD-2-Clause
/* Whether an opened file is what it claims to be: its schema, tables, columns, meta and times. */
#include "series_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

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
	int rc = series_query(r, &ok,
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
	int rc = series_query(r, &n, "SELECT count(*) FROM pragma_table_info(%Q) WHERE name = %Q",
			      table, column);

	*has = n != 0;
	return rc ? series_read_failed(r, rc) : 0;
}

struct needed {
	const char *table, *columns[11];
};

static const struct needed needed[] = {
	{"meta", {"key", "value"}},
	{"boot", {"id", "started_ns"}},
	{"device",
	 {"id", "family", "name", "model", "firmware", "driver", "rotational", "size_bytes",
	  "speed_mbps", "detail"}},
	{"metric", {"id", "family", "name", "kind", "per", "adler"}},
	{"chunk", {"id", "first_ns", "last_ns", "seconds", "head", "hist"}}};

/*
 * What rows are looked up by, or come in the order of, must be the number SQLite gives them ("rowid"):
 * of any other column it would sort them first, in memory. An index made for a primary key tells one
 * that is none.
 */
static int check_row_number(struct series_reader *r, const char *table)
{
	int64_t ok = 0;
	int rc = series_query(r, &ok,
			      "SELECT (SELECT count(*) = 1 AND min(name = 'id' AND"
			      " upper(type) = 'INTEGER') FROM pragma_table_info(%Q) WHERE pk > 0)"
			      " AND NOT EXISTS (SELECT 1 FROM pragma_index_list(%Q)"
			      " WHERE origin = 'pk')",
			      table, table);

	if (rc)
		return series_read_failed(r, rc);
	return ok ? 0
		  : series_damaged(r, "rows of its table '%s' have no number as their key", table);
}

static int check_keys(struct series_reader *r)
{
	static const char *const numbered[] = {"device", "metric", "chunk"};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(numbered) / sizeof(*numbered); i++)
		err = check_row_number(r, numbered[i]);
	return err;
}

/* One question for all columns of a table: a file is opened for each stretch of time that is read of it. */
static int missing_columns(struct series_reader *r, const struct needed *t, int64_t *missing)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(r->db, "SELECT name FROM pragma_table_info(?)", -1, &st, NULL);
	size_t n = 0;

	*missing = 0;
	for (; t->columns[n]; n++)
		*missing |= (int64_t)1 << n;
	if (!rc)
		rc = sqlite3_bind_text(st, 1, t->table, -1, SQLITE_STATIC);
	while (!rc && (rc = series_step(r, st)) == SQLITE_ROW) {
		const char *name = series_column_text(st, 0);

		rc = 0;
		for (size_t i = 0; name && i < n; i++)
			if (!strcmp(name, t->columns[i]))
				*missing &= ~((int64_t)1 << i);
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : series_read_failed(r, rc);
}

static int check_columns(struct series_reader *r)
{
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		const struct needed *t = &needed[i];
		int64_t missing = 0;
		int err = check_table(r, t->table);

		err = err ? err : missing_columns(r, t, &missing);
		for (size_t c = 0; !err && missing; c++, missing >>= 1)
			if (missing & 1)
				err = series_damaged(r, "its table '%s' has no column '%s'",
						     t->table, t->columns[c]);
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

int series_each_meta(struct series_reader *r, series_meta_fn fn)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(r->db, "SELECT key, value FROM meta", -1, &st, NULL), err = 0;

	for (int n = 0; !err && !rc && (rc = series_step(r, st)) == SQLITE_ROW; n++) {
		const char *key = series_column_text(st, 0);

		rc = 0;
		err = n == SERIES_MAX_META ? series_damaged(r, "its table 'meta' has no end")
		      : key		   ? fn(r, key, st, 1)
					   : 0;
	}
	sqlite3_finalize(st);
	return err || rc == SQLITE_DONE ? err : series_read_failed(r, rc);
}

static int read_meta_row(struct series_reader *r, const char *key, sqlite3_stmt *st, int col)
{
	const char *host = series_column_text(st, col);

	if (!strcmp(key, "host") && host && !series_check_host(host))
		snprintf(r->host, sizeof(r->host), "%s", host);
	if (!strcmp(key, "interval_ms")) {
		int64_t interval = series_column_known(st, col);

		r->interval_ms = interval > MAX_INTERVAL ? 0 : (unsigned int)interval;
	}
	if (!strcmp(key, "cgroups") && !r->cgroups)
		return series_cgroups_read(r, st, col);
	if (!strcmp(key, "pids") && !r->pids)
		return series_pids_read(r, st, col);
	if (!strcmp(key, "missing") && !r->missing)
		return series_missing_read(r, st, col);
	return 0;
}

static int read_meta(struct series_reader *r)
{
	int err = series_each_meta(r, read_meta_row);

	if (err)
		return err;
	if (!*r->host)
		return series_damaged(r, "its host name is missing or not valid");
	if (!r->interval_ms || r->interval_ms > MAX_INTERVAL)
		return series_damaged(r, "its interval is missing or not valid");
	return 0;
}

static int metric_of(const char *family, const char *name)
{
	for (int m = 0; m < M_COUNT; m++)
		if (!strcmp(metrics[m].name, name) &&
		    !strcmp(metric_family_names[metrics[m].family], family))
			return m;
	return METRIC_UNKNOWN;
}

int series_metric_take(struct series_metrics *m, const struct series_metric_row *row)
{
	bool rate = !strcmp(row->kind, "rate");

	if (row->id < 1 || row->id >= METRIC_NUMBERS_MAX || !(row->per > 0) || !(row->per < 1e18) ||
	    (!rate && strcmp(row->kind, "gauge") != 0) ||
	    row->adler != series_metric_check(row->id, row->family, row->name, rate, row->per))
		return -EBADMSG;
	if ((size_t)row->id >= m->n) {
		if (array_extend(&m->def, m->n, (size_t)row->id + 1))
			return -ENOMEM;
		for (size_t i = m->n; i <= (size_t)row->id; i++)
			m->def[i].metric = METRIC_NONE;
		m->n = (size_t)row->id + 1;
	}
	m->def[row->id] =
		(struct series_metric_def){metric_of(row->family, row->name), rate, row->per};
	return 0;
}

int series_metric_read(struct series_metrics *m, sqlite3_stmt *st)
{
	const struct series_metric_row row = {.id = sqlite3_column_int64(st, 0),
					      .family = series_column_text(st, 1),
					      .name = series_column_text(st, 2),
					      .kind = series_column_text(st, 3),
					      .per = sqlite3_column_double(st, 4),
					      .adler = sqlite3_column_int64(st, 5)};

	return row.family && row.name && row.kind ? series_metric_take(m, &row) : -EBADMSG;
}

static int read_metrics(struct series_reader *r)
{
	sqlite3_stmt *st;
	int rc, err = 0;

	rc = sqlite3_prepare_v2(r->db, SERIES_METRIC_ROWS, -1, &st, NULL);
	while (!err && !rc && (rc = series_step(r, st)) == SQLITE_ROW) {
		rc = 0;
		/* Its checksum tells what was changed by accident. */
		err = series_metric_read(&r->metrics, st);
	}
	sqlite3_finalize(st);
	if (err)
		return err == -ENOMEM ? series_no_memory()
				      : series_damaged(r, "a metric is not valid");
	if (rc != SQLITE_DONE)
		return series_read_failed(r, rc);
	return r->metrics.n ? 0 : series_damaged(r, "it has no metrics");
}

int series_check(struct series_reader *r)
{
	int err = check_version(r);

	if (!err)
		err = check_columns(r);
	if (!err)
		err = check_keys(r);
	if (!err)
		err = read_meta(r);
	if (!err)
		err = read_metrics(r);
	return err ? err : series_check_unchanged(r);
}
