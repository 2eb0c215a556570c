// SPDX-License-Identifier: BSD-2-Clause
/* The tables of a series file, as a writer makes them and fills them but for the seconds. */
#include "series_writer.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

/* Formatted with: application id, schema. */
static const char tables_sql[] =
	"PRAGMA application_id=%d; PRAGMA user_version=%d;"
	"CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS boot(id INTEGER PRIMARY KEY, boot_id TEXT, started_ns INTEGER);"
	"CREATE TABLE IF NOT EXISTS device(id INTEGER PRIMARY KEY, family TEXT NOT NULL,"
	" name TEXT NOT NULL, model TEXT, firmware TEXT, driver TEXT, rotational INTEGER,"
	" size_bytes INTEGER, speed_mbps INTEGER, detail TEXT);"
	"CREATE INDEX IF NOT EXISTS device_name ON device(family, name);"
	"CREATE TABLE IF NOT EXISTS metric(id INTEGER PRIMARY KEY, family TEXT NOT NULL,"
	" name TEXT NOT NULL, kind TEXT NOT NULL, per REAL NOT NULL, adler INTEGER NOT NULL,"
	" UNIQUE(family, name, kind, per));"
	"CREATE TABLE IF NOT EXISTS chunk(id INTEGER PRIMARY KEY, first_ns INTEGER NOT NULL,"
	" last_ns INTEGER NOT NULL, seconds INTEGER NOT NULL, head BLOB NOT NULL)";

/*
 * The row of this run is there already when the clock stepped back into a day we wrote before.
 * Formatted with: host, interval, tool, cgroups, pids and missing twice each, boot id, start of the run twice.
 */
static const char begin_sql[] =
	"INSERT OR REPLACE INTO meta VALUES ('host', %Q), ('interval_ms', %u), ('tool', %Q);"
	"DELETE FROM meta WHERE key IN ('cgroups', 'pids', 'missing');"
	"INSERT INTO meta SELECT 'cgroups', %Q WHERE %Q IS NOT NULL;"
	"INSERT INTO meta SELECT 'pids', %Q WHERE %Q IS NOT NULL;"
	"INSERT INTO meta SELECT 'missing', %Q WHERE %Q IS NOT NULL;"
	"INSERT INTO boot(boot_id, started_ns) SELECT nullif(%Q, ''), %lld"
	" WHERE %lld NOT IN (SELECT started_ns FROM boot)";

/* One way for a new file and for one begun by an older limpet of the same schema. */
static int add_column(sqlite3 *db, const char *column)
{
	if (!sqlite3_table_column_metadata(db, NULL, "chunk", column, NULL, NULL, NULL, NULL, NULL))
		return 0;
	return series_sql(db, NULL, "ALTER TABLE chunk ADD COLUMN \"%w\" BLOB", column);
}

int series_tables_make(sqlite3 *db)
{
	int rc = series_sql(db, NULL, tables_sql, SERIES_APP_ID, SERIES_SCHEMA);

	for (int s = 0; !rc && s < SECTIONS; s++)
		rc = add_column(db, series_section_name(s));
	return rc;
}

/* The row of the metric as this limpet means it; a new one if need be. */
static int number_metric(struct series_writer *w, int m)
{
	const char *family = metric_family_names[metrics[m].family], *name = metrics[m].name;
	int rate = metrics[m].kind == KIND_RATE, rc;
	const char *kind = rate ? "rate" : "gauge";
	double per = rate ? metrics[m].per : 1;
	int64_t number = 0;

	rc = series_sql(w->db, &number,
			"SELECT id FROM metric WHERE family = %Q AND name = %Q AND kind = %Q AND"
			" per = %!.17g",
			family, name, kind, per);
	if (!rc && !number) {
		rc = series_sql(w->db, &number, "SELECT coalesce(max(id), 0) + 1 FROM metric");
		if (!rc)
			rc = series_sql(w->db, NULL,
					"INSERT INTO metric VALUES (%lld, %Q, %Q, %Q, %!.17g, %u)",
					(long long)number, family, name, kind, per,
					series_metric_check(number, family, name, rate, per));
	}
	w->metrics.number[m] = number < METRIC_NUMBERS_MAX ? (int)number : 0;
	return rc;
}

/* The other way round, for reading the seconds that are to be folded. */
static int number_metrics(struct series_writer *w)
{
	struct series_metric_def *def;
	size_t n = 1;
	int rc = 0;

	for (int m = 0; !rc && m < M_COUNT; m++) {
		rc = number_metric(w, m);
		if (!rc && w->metrics.number[m] < 1)
			return SQLITE_CORRUPT;
		if ((size_t)w->metrics.number[m] >= n)
			n = (size_t)w->metrics.number[m] + 1;
	}
	if (rc)
		return rc;
	if (array_extend(&w->metrics.def, w->metrics.n, n))
		return SQLITE_NOMEM;
	def = w->metrics.def;
	w->metrics.n = n;
	for (size_t i = 0; i < n; i++)
		def[i] = (struct series_metric_def){.metric = METRIC_UNKNOWN};
	for (int m = 0; m < M_COUNT; m++)
		def[w->metrics.number[m]] =
			(struct series_metric_def){m, metrics[m].kind == KIND_RATE, metrics[m].per};
	return 0;
}

static int find_end(struct series_writer *w)
{
	int64_t next = 1, plain = 0;
	int rc =
		series_sql(w->db, &next, "SELECT id + seconds FROM chunk ORDER BY id DESC LIMIT 1");

	if (!rc)
		rc = series_sql(w->db, &plain, "SELECT count(id) FROM chunk WHERE seconds = 1");
	w->next_id = next;
	w->n_plain = (size_t)plain;
	w->fold_from = 0;
	w->minute = -1;
	if (!rc)
		rc = series_sql(w->db, &w->last_device, "SELECT coalesce(max(id), 0) FROM device");
	for (int f = 0; !rc && f < FAM_COUNT; f++)
		rc = series_sql(w->db, &w->n_stored[f],
				"SELECT count(id) FROM device WHERE family = %Q",
				metric_family_names[f]);
	return rc;
}

/* INSERT INTO chunk(id, first_ns, last_ns, seconds, disk, …, head, hist) VALUES (?, …) */
int series_insert_prepare(sqlite3 *db, sqlite3_stmt **insert)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	int rc = SQLITE_NOMEM;
	char *text;

	sqlite3_str_appendall(sql, "INSERT INTO chunk(id, first_ns, last_ns, seconds");
	for (int s = 0; s < SECTIONS; s++)
		sqlite3_str_appendf(sql, ", \"%w\"", series_section_name(s));
	sqlite3_str_appendall(sql, ") VALUES (?, ?, ?, ?");
	for (int s = 0; s < SECTIONS; s++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (text)
		rc = sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, insert, NULL);
	sqlite3_free(text);
	return rc;
}

static int prepare(struct series_writer *w)
{
	int rc = series_insert_prepare(w->db, &w->insert);

	if (!rc)
		rc = sqlite3_prepare_v3(w->db, "BEGIN IMMEDIATE", -1, SQLITE_PREPARE_PERSISTENT,
					&w->begin, NULL);
	if (!rc)
		rc = sqlite3_prepare_v3(w->db, "COMMIT", -1, SQLITE_PREPARE_PERSISTENT, &w->commit,
					NULL);
	return rc;
}

int series_run(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : rc;
}

int series_tables_create(struct series_writer *w)
{
	long long started = w->started_ns;
	int rc = series_tables_make(w->db);

	if (!rc)
		rc = series_sql(w->db, NULL, begin_sql, w->host, w->interval_ms, w->tool,
				w->cgroups, w->cgroups, w->pids, w->pids, w->missing, w->missing,
				w->boot_id, started, started);
	if (!rc)
		rc = number_metrics(w);
	if (!rc)
		rc = find_end(w);
	return rc ? rc : prepare(w);
}

int series_insert_chunk(struct series_writer *w, const struct series_packed *p,
			const struct grid *g, int64_t id)
{
	int rc;

	sqlite3_bind_int64(w->insert, 1, id);
	sqlite3_bind_int64(w->insert, 2, g->time[0].wall_ns);
	sqlite3_bind_int64(w->insert, 3, g->time[g->n - 1].wall_ns);
	sqlite3_bind_int64(w->insert, 4, (int64_t)g->n);
	for (int s = 0; s < SECTIONS; s++)
		if (p->section[s].len)
			sqlite3_bind_blob(w->insert, 5 + s, p->section[s].at,
					  (int)p->section[s].len, SQLITE_STATIC);
	rc = series_run(w->insert);
	sqlite3_clear_bindings(w->insert);
	return rc;
}
