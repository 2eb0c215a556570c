// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a series file holds: its rows, its devices, the time it spans. All of one call is of one
 * moment of a file being written.
 */
#include "series_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices -------------------------------------------------------------------------------- */

int64_t series_column_known(sqlite3_stmt *st, int col)
{
	int64_t v = -1;

	if (sqlite3_column_type(st, col) == SQLITE_INTEGER)
		v = sqlite3_column_int64(st, col);
	return v < 0 ? -1 : v;
}

/* Its family is FAM_COUNT if this limpet does not know it. */
static int read_device(struct series_reader *r, sqlite3_stmt *st, struct device_identity *d)
{
	const char *text[6]; /* family, name, model, firmware, driver, detail */
	int64_t rotational;
	int f = 0;

	for (int i = 0; i < 6; i++) {
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
	series_copy_text(d->detail, sizeof(d->detail), text[5]);
	rotational = series_column_known(st, 6);
	d->rotational = rotational > 1 ? -1 : (int)rotational;
	d->size_bytes = series_column_known(st, 7);
	d->speed_mbps = series_column_known(st, 8);
	return 0;
}

/* Checks every device and calls back for those of known families; fn may be NULL: then once is enough. */
static int each_device(struct series_reader *r,
		       int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	struct device_identity d;
	sqlite3_stmt *st;
	bool began = false;
	int rc, err = 0, n = 0;

	if (!fn && r->devices_checked)
		return 0;
	rc = sqlite3_prepare_v2(r->db,
				"SELECT family, name, model, firmware, driver, detail,"
				" rotational, size_bytes, speed_mbps FROM device"
				" NOT INDEXED ORDER BY id",
				-1, &st, NULL);
	if (!fn)
		began = series_cpu_begin(r);
	while (!err && !rc && (rc = series_step(r, st)) == SQLITE_ROW) {
		rc = 0;
		err = n++ == SERIES_MAX_ROWS ? series_damaged(r, "it has too many devices")
					     : read_device(r, st, &d);
		if (!err && fn && d.family < FAM_COUNT)
			err = fn(arg, &d);
	}
	sqlite3_finalize(st);
	rc = series_cpu_end(r, began, rc);
	if (!err && rc != SQLITE_DONE)
		err = series_read_failed(r, rc);
	r->devices_checked |= !err;
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

void series_reader_want(struct series_reader *r, const bool *wanted)
{
	for (int m = 0; m < M_COUNT; m++)
		r->unwanted[m] = wanted && !wanted[m];
	for (size_t i = 0; i < r->metrics.n; i++) {
		int *metric = &r->metrics.def[i].metric;

		if (*metric <= METRIC_FIRST_UNWANTED)
			*metric = metric_unwanted(*metric);
		if (*metric >= 0 && r->unwanted[*metric])
			*metric = metric_unwanted(*metric);
	}
}

static int rows_of(struct series_reader *r, unsigned int families, const struct series_range *q)
{
	struct series_chunk *chunks = NULL;
	bool several = families & (families - 1) || families & SERIES_SECONDS;
	size_t n = 0;
	int err = each_device(r, NULL, NULL);

	if (!err)
		err = series_chunks_list(r, q->from_ns, q->to_ns, several, &chunks, &n);
	if (!err && families & SERIES_SECONDS)
		err = series_chunks_rows(r, chunks, n, FAM_COUNT, q);
	for (int f = 0; !err && f < FAM_COUNT; f++) {
		if (!(families & 1U << f))
			continue;
		second_row_init(&r->row, f, "");
		err = series_chunks_rows(r, chunks, n, f, q);
	}
	series_chunks_free(chunks, n);
	return err;
}

int series_reader_rows(struct series_reader *r, int64_t from_ns, int64_t to_ns,
		       unsigned int families, unsigned int hists, series_row_fn fn, void *arg)
{
	struct series_range q = {from_ns, to_ns, hists, fn, arg};
	int err = begin_read(r);

	return err ? err : end_read(r, rows_of(r, families, &q));
}

int series_reader_try(struct series_reader *r, int64_t from_ns, int64_t to_ns, series_row_fn fn,
		      void *arg)
{
	struct series_range q = {from_ns, to_ns, HIST_LAT | HIST_DEV | HIST_RUNQ, fn, arg};

	return rows_of(r, SERIES_ALL | SERIES_SECONDS, &q);
}

int series_reader_devices(struct series_reader *r,
			  int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	int err = begin_read(r);

	return err ? err : end_read(r, each_device(r, fn, arg));
}

static int span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns, int64_t *last_ns)
{
	struct series_chunk *c = NULL;
	size_t n = 0;
	int err = series_chunks_list(r, 0, INT64_MAX, false, &c, &n);

	for (size_t i = 0; !err && i < n; i++) {
		*first_ns = !i || c[i].first_ns < *first_ns ? c[i].first_ns : *first_ns;
		*last_ns = !i || c[i].last_ns > *last_ns ? c[i].last_ns : *last_ns;
		*seconds += c[i].n;
	}
	series_chunks_free(c, n);
	return err;
}

int series_reader_span(struct series_reader *r, uint64_t *seconds, int64_t *first_ns,
		       int64_t *last_ns)
{
	int err = begin_read(r);

	*seconds = 0;
	*first_ns = *last_ns = 0;
	if (err)
		return err;
	return end_read(r, span(r, seconds, first_ns, last_ns));
}

/* ---- stacks --------------------------------------------------------------------------------- */

static int has_stacks(struct series_reader *r, const char *table, int64_t *has)
{
	static const char *const columns[] = {"from_ns", "to_ns", "folded"};
	int rc = series_query(r, has,
			      "SELECT count(*) = 1 AND min(type = 'table' AND rootpage > 0 AND"
			      " sql LIKE 'CREATE TABLE%%') FROM sqlite_master"
			      " WHERE name = %Q COLLATE NOCASE",
			      table);
	int err = rc ? series_read_failed(r, rc) : 0;

	for (size_t i = 0; !err && *has && i < sizeof(columns) / sizeof(*columns); i++) {
		int column = 0;

		err = series_has_column(r, table, columns[i], &column);
		if (!err && !column)
			err = series_damaged(r, "its table '%s' has no column '%s'", table,
					     columns[i]);
	}
	return err;
}

static int give_stacks(struct series_reader *r, sqlite3_stmt *st, enum series_stacks kind,
		       series_stacks_fn fn, void *arg)
{
	int64_t from_ns = series_column_known(st, 0), to_ns = series_column_known(st, 1);
	struct series_blob b = series_column_blob(st, 2);
	struct code_in in;
	size_t len;
	int err = from_ns < 0 || to_ns < from_ns
			  ? -EBADMSG
			  : series_unzip(&r->inflater, &in, SEC_STACKS(kind), &b, from_ns);

	if (err == -ENOMEM)
		return series_no_memory();
	len = err ? 0 : (size_t)(in.end - in.at);
	if (err || len > SERIES_STACKS_MAX || len > r->left.unzip)
		return series_damaged(r, "its stacks cannot be unpacked");
	r->left.unzip -= len;
	for (size_t i = 0; i < len; i++)
		if (in.at[i] != '\n' && (in.at[i] < ' ' || in.at[i] > '~'))
			return series_damaged(r, "its stacks are no text");
	return fn(arg, from_ns, to_ns, (const char *)in.at, len);
}

static int each_stacks(struct series_reader *r, enum series_stacks kind, int64_t from, int64_t to,
		       series_stacks_fn fn, void *arg)
{
	char sql[96];
	sqlite3_stmt *st;
	int64_t has = 0;
	int err = has_stacks(r, series_stack_tables[kind], &has), rc, n = 0;

	if (err || !has)
		return err;
	snprintf(sql, sizeof(sql),
		 "SELECT from_ns, to_ns, folded FROM %s NOT INDEXED ORDER BY rowid",
		 series_stack_tables[kind]);
	rc = sqlite3_prepare_v2(r->db, sql, -1, &st, NULL);
	while (!err && !rc && (rc = series_step(r, st)) == SQLITE_ROW) {
		int64_t at = series_column_known(st, 0);

		rc = 0;
		if (n++ == SERIES_MAX_STACKS)
			err = series_damaged(r, "it has too many stacks");
		else if (at < 0 || (at >= from && at < to))
			err = give_stacks(r, st, kind, fn, arg);
	}
	sqlite3_finalize(st);
	return err || rc == SQLITE_DONE ? err : series_read_failed(r, rc);
}

int series_reader_stacks(struct series_reader *r, enum series_stacks kind, int64_t from_ns,
			 int64_t to_ns, series_stacks_fn fn, void *arg)
{
	int err = begin_read(r);

	return err ? err : end_read(r, each_stacks(r, kind, from_ns, to_ns, fn, arg));
}
