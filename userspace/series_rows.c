// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a series file holds: its rows, its devices, the time it spans. Nothing is given to a caller
 * that has not been checked, and all of one call is of one moment of a file being written.
 */
#include "series_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct query {
	enum metric_family family;
	int64_t from_ns, to_ns;
	sqlite3_stmt *st;
	int n_columns;
	int metric_of[M_COUNT]; /* of column COL_VALUES + i */
	int col_lat;		/* or 0 */
	int64_t n_rows;
};

enum { COL_WALL, COL_MONO, COL_SEQ, COL_LOST, COL_STARTED, COL_DEVICE, COL_NAME, COL_VALUES };

/* ---- devices -------------------------------------------------------------------------------- */

static int64_t column_known(sqlite3_stmt *st, int col)
{
	int64_t v = -1;

	if (sqlite3_column_type(st, col) == SQLITE_INTEGER)
		v = sqlite3_column_int64(st, col);
	return v < 0 ? -1 : v;
}

/* Its family is FAM_COUNT if this limpet does not know it. */
static int read_device(struct series_reader *r, sqlite3_stmt *st, struct device_identity *d)
{
	const char *text[5]; /* family, name, model, firmware, driver */
	int f = 0;

	for (int i = 0; i < 5; i++) {
		text[i] = series_column_text(st, i);
		if (!text[i] || (i == 1 && (!*text[i] || !series_instance_valid(text[i]))))
			return series_damaged(r, "a device has no valid name or identity");
	}
	while (f < FAM_COUNT && strcmp(text[0], metric_family_names[f]))
		f++;
	memset(d, 0, sizeof(*d));
	d->family = f;
	snprintf(d->name, sizeof(d->name), "%s", text[1]);
	series_copy_text(d->model, sizeof(d->model), text[2]);
	series_copy_text(d->firmware, sizeof(d->firmware), text[3]);
	series_copy_text(d->driver, sizeof(d->driver), text[4]);
	d->rotational = (int)column_known(st, 5);
	d->rotational = d->rotational > 1 ? -1 : d->rotational;
	d->size_bytes = column_known(st, 6);
	d->speed_mbps = column_known(st, 7);
	return 0;
}

/* Checks every device and calls back for those of known families; fn may be NULL. */
static int each_device(struct series_reader *r,
		       int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	struct device_identity d;
	sqlite3_stmt *st;
	int rc, err = 0;

	rc = sqlite3_prepare_v2(r->db,
				"SELECT family, name, model, firmware, driver, rotational,"
				" size_bytes, speed_mbps FROM device ORDER BY id",
				-1, &st, NULL);
	while (!err && !rc && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		err = read_device(r, st, &d);
		if (!err && fn && d.family < FAM_COUNT)
			err = fn(arg, &d);
	}
	sqlite3_finalize(st);
	return err || rc == SQLITE_DONE ? err : series_read_failed(r, rc);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int prepare_rows(struct series_reader *r, struct query *q, int with_lat)
{
	const char *table = metric_family_names[q->family];
	sqlite3_str *sql = sqlite3_str_new(r->db);
	int rc, has, err = 0;
	char *text;

	/* CROSS JOIN keeps to this order: a range of the index, then the key of the family. */
	sqlite3_str_appendf(sql,
			    "SELECT s.wall_ns, s.mono_ns, s.seq, s.lost,"
			    " (SELECT started_ns FROM boot WHERE id = s.boot), f.device,"
			    " (SELECT name FROM device WHERE id = f.device AND family = %Q)",
			    table);
	for (int m = 0; !err && m < M_COUNT; m++) {
		if (metrics[m].family != q->family)
			continue;
		err = series_has_column(r, table, metrics[m].name, &has);
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
			    " WHERE s.wall_ns >= %lld AND s.wall_ns < %lld"
			    " ORDER BY s.wall_ns, s.id",
			    table, (long long)q->from_ns, (long long)q->to_ns);
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
		v[col] = column_known(q->st, col);
		if (v[col] < 0)
			return series_damaged(
				r, col == COL_STARTED
					   ? "a second belongs to no run of the probe"
					   : "a second has a time or number that is not valid");
	}
	/* A damaged index gives the wrong rows. */
	if (v[COL_WALL] < last || v[COL_WALL] >= q->to_ns)
		return series_damaged(r, "its seconds are not in order");
	t->wall_ns = v[COL_WALL];
	t->mono_ns = (uint64_t)v[COL_MONO];
	t->seq = (uint64_t)v[COL_SEQ];
	t->lost = (uint64_t)v[COL_LOST];
	t->boot = v[COL_STARTED];
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

static int row_lat(struct series_reader *r, const struct query *q, const struct lat_hist **lat)
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

static int each_row(struct series_reader *r, struct query *q, series_row_fn fn, void *arg)
{
	const struct lat_hist *lat;
	struct series_time t = {.wall_ns = q->from_ns};
	const char *instance;
	double v[M_COUNT];
	int rc;

	for (int m = 0; m < M_COUNT; m++)
		v[m] = NAN;
	for (; (rc = sqlite3_step(q->st)) == SQLITE_ROW; q->n_rows++) {
		int err = row_time(r, q, t.wall_ns, &t);

		if (!err)
			err = row_instance(r, q, &instance);
		if (!err)
			err = row_values(r, q, v);
		if (!err)
			err = row_lat(r, q, &lat);
		if (!err)
			err = fn(arg, &t, q->family, instance, v, lat);
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
	int rc = series_sql(r->db, &missing,
			    "SELECT NOT EXISTS (SELECT 1 FROM second WHERE wall_ns < %lld OR"
			    " wall_ns >= %lld) AND (SELECT count(second) FROM %s) <> %lld",
			    (long long)q->from_ns, (long long)q->to_ns,
			    metric_family_names[q->family], (long long)q->n_rows);

	if (rc)
		return series_read_failed(r, rc);
	return missing ? series_damaged(r, "rows belong to no second") : 0;
}

static int family_rows(struct series_reader *r, struct query *q, int with_lat, series_row_fn fn,
		       void *arg)
{
	int err = prepare_rows(r, q, with_lat);

	if (!err)
		err = each_row(r, q, fn, arg);
	if (!err)
		err = check_complete(r, q);
	sqlite3_finalize(q->st);
	return err;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static int begin_read(struct series_reader *r)
{
	int rc;

	series_set_budget(r);
	rc = series_sql(r->db, NULL, "BEGIN");
	return rc ? series_read_failed(r, rc) : 0;
}

/* What looks like success or damage may be a writer that came meanwhile. */
static int end_read(struct series_reader *r, int err)
{
	int changed = !err || err == -EBADMSG ? series_check_unchanged(r) : 0;

	series_sql(r->db, NULL, "ROLLBACK");
	return changed ? changed : err;
}

int series_reader_rows(struct series_reader *r, int64_t from_ns, int64_t to_ns, int with_lat,
		       series_row_fn fn, void *arg)
{
	int err = begin_read(r);

	if (err)
		return err;
	err = each_device(r, NULL, NULL);
	for (int f = 0; !err && f < FAM_COUNT; f++) {
		struct query q = {.family = f, .from_ns = from_ns, .to_ns = to_ns};

		err = family_rows(r, &q, with_lat, fn, arg);
	}
	return end_read(r, err);
}

int series_reader_devices(struct series_reader *r,
			  int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	int err = begin_read(r);

	return err ? err : end_read(r, each_device(r, fn, arg));
}

int series_reader_span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns,
		       int64_t *last_ns)
{
	int64_t v[3] = {0};
	int rc;

	series_set_budget(r);
	rc = series_sql(r->db, v, "SELECT count(wall_ns), min(wall_ns), max(wall_ns) FROM second");
	*seconds = (uint64_t)v[0];
	*first_ns = v[1];
	*last_ns = v[2];
	return rc ? series_read_failed(r, rc) : series_check_unchanged(r);
}
