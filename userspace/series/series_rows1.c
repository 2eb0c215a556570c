// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rows of a file of schema 1: a table for each family, a column for each metric. Nothing is
 * given to a caller that has not been checked.
 */
#include "series_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct query {
	enum metric_family family;
	const struct series_range *range;
	sqlite3_stmt *st;
	int n_columns;
	int metric_of[M_COUNT]; /* of column COL_VALUES + i */
	int col_lat;		/* or 0 */
	int64_t n_rows;
};

enum {
	COL_WALL,
	COL_MONO,
	COL_SEQ,
	COL_LOST,
	COL_STARTED,
	COL_INTERVAL,
	COL_DEVICE,
	COL_NAME,
	COL_VALUES
};

static int prepare_rows(struct series_reader *r, struct query *q)
{
	const char *table = metric_family_names[q->family];
	sqlite3_str *sql = sqlite3_str_new(r->db);
	int rc, has, err = series_has_column(r, "second", "interval_s", &has);
	char *text;

	/* CROSS JOIN keeps to this order: a range of the index, then the key of the family. */
	sqlite3_str_appendf(sql,
			    "SELECT s.wall_ns, s.mono_ns, s.seq, s.lost,"
			    " (SELECT started_ns FROM boot WHERE id = s.boot), %s, f.device,"
			    " (SELECT name FROM device WHERE id = f.device AND family = %Q)",
			    has ? "s.interval_s" : "NULL", table);
	for (int m = 0; !err && m < M_COUNT; m++) {
		if (metrics[m].family != q->family || r->unwanted[m])
			continue;
		err = series_has_column(r, table, metrics[m].name, &has);
		if (err || !has)
			continue;
		sqlite3_str_appendf(sql, ", f.\"%w\"", metrics[m].name);
		q->metric_of[q->n_columns++] = m;
	}
	if (q->range->hists & HIST_LAT && q->family == FAM_DISK) {
		sqlite3_str_appendall(sql, ", f.lat");
		q->col_lat = COL_VALUES + q->n_columns;
	}
	sqlite3_str_appendf(
		sql,
		" FROM second s INDEXED BY second_wall CROSS JOIN %s f ON f.second = s.id"
		" WHERE s.wall_ns >= %lld AND s.wall_ns < %lld"
		" ORDER BY s.wall_ns, s.id",
		table, (long long)q->range->from_ns, (long long)q->range->to_ns);
	text = sqlite3_str_finish(sql);
	if (!err) {
		rc = text ? sqlite3_prepare_v2(r->db, text, -1, &q->st, NULL) : SQLITE_NOMEM;
		err = rc ? series_read_failed(r, rc) : 0;
	}
	sqlite3_free(text);
	return err;
}

static int row_time(struct series_reader *r, const struct query *q, int64_t last,
		    struct series_time *t)
{
	int64_t v[COL_STARTED + 1];

	for (int col = 0; col <= COL_STARTED; col++) {
		v[col] = series_column_known(q->st, col);
		if (v[col] < 0)
			return series_damaged(
				r, col == COL_STARTED
					   ? "a second belongs to no run of the probe"
					   : "a second has a time or number that is not valid");
	}
	/* A damaged index gives the wrong rows. */
	if (v[COL_WALL] < last || v[COL_WALL] >= q->range->to_ns)
		return series_damaged(r, "its seconds are not in order");
	t->wall_ns = v[COL_WALL];
	t->mono_ns = (uint64_t)v[COL_MONO];
	t->seq = (uint64_t)v[COL_SEQ];
	t->lost = (uint64_t)v[COL_LOST];
	t->boot = v[COL_STARTED];
	t->interval_s = NAN;
	if (sqlite3_column_type(q->st, COL_INTERVAL) != SQLITE_NULL)
		t->interval_s = sqlite3_column_double(q->st, COL_INTERVAL);
	return 0;
}

static int row_instance(struct series_reader *r, const struct query *q, const char **name)
{
	int known = sqlite3_column_type(q->st, COL_DEVICE) == SQLITE_INTEGER;

	*name = "";
	if (known && sqlite3_column_int64(q->st, COL_DEVICE) == SERIES_NO_DEVICE)
		return 0;
	*name = series_column_text(q->st, COL_NAME);
	if (!known || !*name || !**name || !series_instance_valid(*name))
		return series_damaged(r, "a row belongs to no device");
	return 0;
}

static int row_values(struct series_reader *r, const struct query *q, double *v)
{
	for (int i = 0; i < q->n_columns; i++) {
		int m = q->metric_of[i], type = sqlite3_column_type(q->st, COL_VALUES + i);

		v[m] = type == SQLITE_NULL ? NAN : sqlite3_column_double(q->st, COL_VALUES + i);
		if (type == SQLITE_TEXT || type == SQLITE_BLOB || isinf(v[m]))
			return series_damaged(r, "a value of '%s' is not a number",
					      metrics[m].name);
	}
	return 0;
}

static int row_lat(struct series_reader *r, const struct query *q, struct lat_hist **lat)
{
	int type = q->col_lat ? sqlite3_column_type(q->st, q->col_lat) : SQLITE_NULL;
	const void *blob;
	int len;

	*lat = NULL;
	if (type == SQLITE_NULL)
		return 0;
	blob = sqlite3_column_blob(q->st, q->col_lat);
	len = sqlite3_column_bytes(q->st, q->col_lat);
	if (type != SQLITE_BLOB || (len && !blob) || series_lat_decode(&r->lat, blob, (size_t)len))
		return series_damaged(r, "a latency histogram does not decode");
	*lat = &r->lat;
	return 0;
}

static int each_row(struct series_reader *r, struct query *q)
{
	struct series_time t = {.wall_ns = q->range->from_ns};
	struct second_row *row = &r->row;
	const char *instance;
	int rc;

	for (; (rc = series_step(r, q->st)) == SQLITE_ROW; q->n_rows++) {
		int err = row_time(r, q, t.wall_ns, &t);

		if (!err)
			err = row_instance(r, q, &instance);
		if (!err)
			err = row_values(r, q, row->v);
		if (!err)
			err = row_lat(r, q, &row->lat);
		if (err)
			return err;
		snprintf(row->instance, sizeof(row->instance), "%s", instance);
		err = q->range->fn(q->range->arg, &t, row);
		if (err)
			return err;
	}
	return rc == SQLITE_DONE ? 0 : series_read_failed(r, rc);
}

/*
 * SQLite has no checksums, and a row whose key was damaged would be passed over in silence: when
 * the whole file was read, every row of the family must have been. Not count(*), which SQLite does
 * in one step that the budget cannot end.
 */
static int check_complete(struct series_reader *r, const struct query *q)
{
	int64_t missing = 0;
	int rc = series_query(r, &missing,
			      "SELECT NOT EXISTS (SELECT 1 FROM second WHERE wall_ns < %lld OR"
			      " wall_ns >= %lld) AND (SELECT count(second) FROM %s) <> %lld",
			      (long long)q->range->from_ns, (long long)q->range->to_ns,
			      metric_family_names[q->family], (long long)q->n_rows);

	if (rc)
		return series_read_failed(r, rc);
	return missing ? series_damaged(r, "rows belong to no second") : 0;
}

int series_rows1(struct series_reader *r, enum metric_family family, const struct series_range *q)
{
	struct query one = {.family = family, .range = q};
	int err;

	if (family > FAM_HOST)
		return 0;
	err = prepare_rows(r, &one);
	if (!err)
		err = each_row(r, &one);
	if (!err)
		err = check_complete(r, &one);
	sqlite3_finalize(one.st);
	return err;
}
