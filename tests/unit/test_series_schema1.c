// SPDX-License-Identifier: BSD-2-Clause
/* series.h: files of schema 1, as limpet wrote them until 2026: read as ever, and as wary. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "series_util.h"

#define OLD "tests/data/replay/series/oss-amber-20261121.limpet"

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	int c;

	if (!in || !out)
		fail_msg("cannot copy '%s' to '%s' (run from the top of the tree)", from, to);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void old_file(struct fixture *fx)
{
	unlink(day_path(fx, T0));
	copy_file(OLD, day_path(fx, T0));
}

static int count_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	(void)t;
	assert_true(series_instance_valid(row->instance));
	++*(int *)arg;
	return 0;
}

static int read_all(struct fixture *fx, int *n)
{
	struct series_reader *r;
	int64_t from, to;
	uint64_t seconds;
	int err = series_reader_new(&r, day_path(fx, T0));

	*n = 0;
	if (!err)
		err = series_reader_span(r, &seconds, &from, &to);
	if (!err)
		err = series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, count_row, n);
	series_reader_free(r);
	return err;
}

/* Each is done to a good file, and must be refused with the reason. */
static const struct hostile {
	const char *sql, *reason;
	int err;
} hostile[] = {
	{"UPDATE disk SET await = 'fast' WHERE second = 5", "'await' is not a number", -EBADMSG},
	{"UPDATE disk SET await = x'00' WHERE second = 5", "'await' is not a number", -EBADMSG},
	{"UPDATE disk SET await = 9e999 WHERE second = 5", "'await' is not a number", -EBADMSG},
	{"UPDATE disk SET lat = x'ffffffffffffff' WHERE second = 5", "histogram", -EBADMSG},
	{"UPDATE disk SET lat = x'ff' WHERE second = 5", "histogram", -EBADMSG},
	{"UPDATE disk SET lat = 'text' WHERE second = 5", "histogram", -EBADMSG},
	{"UPDATE disk SET lat = 4711 WHERE second = 5", "histogram", -EBADMSG},
	{"UPDATE disk SET lat = zeroblob(900000) WHERE second = 5", "histogram", -EBADMSG},
	{"UPDATE disk SET lat = zeroblob(90000000) WHERE second = 5", "too large", -EBADMSG},
	{"UPDATE disk SET device = 99 WHERE second = 5", "no device", -EBADMSG},
	{"UPDATE disk SET device = 'x' WHERE second = 5", "no device", -EBADMSG},
	{"UPDATE disk SET device = (SELECT id FROM device WHERE family = 'net') WHERE second = 5",
	 "no device", -EBADMSG},
	{"UPDATE second SET wall_ns = -5 WHERE id = 5", "no valid time", -EBADMSG},
	{"UPDATE second SET wall_ns = 'noon' WHERE id = 5", "no valid time", -EBADMSG},
	{"UPDATE second SET wall_ns = x'00' WHERE id = 5", "no valid time", -EBADMSG},
	{"UPDATE second SET wall_ns = 1795230000000000000.5 WHERE id = 5", "", 0},
	{"UPDATE second SET wall_ns = 0.5 WHERE id = 5", "not valid", -EBADMSG},
	{"UPDATE second SET seq = -1 WHERE id = 5", "not valid", -EBADMSG},
	{"UPDATE second SET lost = NULL WHERE id = 5", "not valid", -EBADMSG},
	{"UPDATE second SET mono_ns = 'x' WHERE id = 5", "not valid", -EBADMSG},
	{"UPDATE second SET boot = 77 WHERE id = 5", "no run of the probe", -EBADMSG},
	{"UPDATE boot SET started_ns = 'x'", "no run of the probe", -EBADMSG},
	{"UPDATE meta SET value = '../../etc/passwd' WHERE key = 'host'", "host name", -EBADMSG},
	{"UPDATE meta SET value = 's3' || char(0) || 'x' WHERE key = 'host'", "host name",
	 -EBADMSG},
	{"UPDATE meta SET value = x'7333' WHERE key = 'host'", "host name", -EBADMSG},
	{"DELETE FROM meta WHERE key = 'host'", "host name", -EBADMSG},
	{"UPDATE meta SET value = 0 WHERE key = 'interval_ms'", "interval", -EBADMSG},
	{"UPDATE meta SET value = 1e300 WHERE key = 'interval_ms'", "interval", -EBADMSG},
	{"UPDATE device SET name = char(27) || '[2J'", "device has no valid name", -EBADMSG},
	{"UPDATE device SET name = hex(zeroblob(30))", "device has no valid name", -EBADMSG},
	{"UPDATE device SET name = ''", "device has no valid name", -EBADMSG},
	{"UPDATE device SET model = x'00'", "device has no valid name", -EBADMSG},
	{"DROP TABLE net", "no table 'net'", -EBADMSG},
	{"DROP TABLE net; CREATE VIEW net AS SELECT id AS second, 0 AS device FROM second",
	 "no table 'net'", -EBADMSG},
	{"DROP TABLE second; CREATE VIEW second AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL "
	 "SELECT"
	 " id FROM n) SELECT id, 1 AS boot, id AS seq, id AS wall_ns, 1 AS mono_ns, 0 AS lost FROM "
	 "n",
	 "no table 'second'", -EBADMSG},
	{"DROP TABLE net; CREATE VIRTUAL TABLE net USING fts5(second, device)", "no table 'net'",
	 -EBADMSG},
	{"ALTER TABLE disk RENAME COLUMN lat TO tal", "no column 'lat'", -EBADMSG},
	{"ALTER TABLE disk DROP COLUMN lat; ALTER TABLE disk ADD COLUMN lat AS (x'ffff')",
	 "no column 'lat'", -EBADMSG},
	{"UPDATE net SET second = 7777 WHERE second = 5", "no second", -EBADMSG},
	{"DELETE FROM second WHERE id = 5", "no second", -EBADMSG},
	{"DROP INDEX second_wall; ALTER TABLE second RENAME TO s; CREATE TABLE second AS SELECT id,"
	 " boot, seq, wall_ns + 0 AS wall_ns, mono_ns, lost FROM s",
	 "'second' have no number as their key", -EBADMSG},
	{"DROP INDEX second_wall", "'second' has no index by 'wall_ns'", -EBADMSG},
	{"DROP INDEX second_wall; CREATE INDEX second_wall ON second(wall_ns) WHERE lost = 0",
	 "'second' has no index by 'wall_ns'", -EBADMSG},
	{"DROP INDEX second_wall; CREATE INDEX second_wall ON second(wall_ns + 0)",
	 "'second' has no index by 'wall_ns'", -EBADMSG},
	{"DROP INDEX second_wall; CREATE INDEX second_wall ON second(wall_ns, lost)",
	 "'second' has no index by 'wall_ns'", -EBADMSG},
	{"CREATE TABLE d AS SELECT * FROM disk; DROP TABLE disk; ALTER TABLE d RENAME TO disk",
	 "'disk' has no index by 'second'", -EBADMSG},
	{"CREATE TABLE d AS SELECT * FROM device; DROP TABLE device;"
	 "ALTER TABLE d RENAME TO device",
	 "'device' have no number as their key", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'await', 'r/s')",
	 "", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 99999 WHERE name = "
	 "'tcp'",
	 "damaged", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1 WHERE name = 'tcp'",
	 "damaged", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE tcp('"
	 " WHERE name = 'tcp'",
	 "", -EBADMSG},
	{"PRAGMA writable_schema = ON; DELETE FROM sqlite_master", "", -EBADMSG},
	{"CREATE TRIGGER t AFTER INSERT ON second BEGIN DELETE FROM second; END", "", 0},
};

static void hostile_contents_are_refused(void **state)
{
	struct fixture *fx = *state;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		int err, n;

		unlink(day_path(fx, T0));
		old_file(fx);
		sql(day_path(fx, T0), hostile[i].sql);
		err = read_all(fx, &n);
		if (err != hostile[i].err || (err && !strstr(series_error(), hostile[i].reason)))
			fail_msg("%s: %d '%s'", hostile[i].sql, err, err ? series_error() : "");
	}
}

/* Against what the sqlite3 library says. */
struct sums {
	sqlite3_stmt *st[FAM_COUNT];
	int rows, hists;
};

static int compare_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct sums *s = arg;
	sqlite3_stmt *st = s->st[row->family];
	int at = 7;

	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_true(sqlite3_column_int64(st, 0) == t->wall_ns);
	assert_true((uint64_t)sqlite3_column_int64(st, 1) == t->seq);
	assert_true((uint64_t)sqlite3_column_int64(st, 2) == t->lost);
	assert_true(sqlite3_column_int64(st, 3) == t->boot);
	assert_true(sqlite3_column_double(st, 4) == t->interval_s);
	assert_true((uint64_t)sqlite3_column_int64(st, 5) == t->mono_ns);
	assert_string_equal(sqlite3_column_text(st, 6), row->instance);
	for (; at < sqlite3_column_count(st); at++) {
		const char *name = sqlite3_column_name(st, at);
		int m = metric_in_family(row->family, name);

		if (m < 0)
			continue;
		if (sqlite3_column_type(st, at) == SQLITE_NULL)
			assert_true(isnan(row->v[m]));
		else
			assert_true(row->v[m] == sqlite3_column_double(st, at));
	}
	s->rows++;
	s->hists += row->lat != NULL;
	assert_true(!row->dev && !row->runq);
	return 0;
}

static void an_old_file_is_read_as_ever(void **state)
{
	struct sums s = {0};
	struct series_reader *r;
	sqlite3 *db;
	char text[512];

	(void)state;
	assert_int_equal(sqlite3_open_v2(OLD, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	for (int f = 0; f <= FAM_HOST; f++) {
		snprintf(text, sizeof(text),
			 "SELECT wall_ns, seq, lost, started_ns, interval_s, mono_ns,"
			 " coalesce((SELECT name FROM device d WHERE d.id = f.device), ''), f.*"
			 " FROM second s JOIN boot b ON b.id = s.boot JOIN %s f ON f.second = s.id"
			 " ORDER BY wall_ns, s.id, f.device",
			 metric_family_names[f]);
		assert_int_equal(sqlite3_prepare_v2(db, text, -1, &s.st[f], NULL), SQLITE_OK);
	}
	assert_int_equal(series_reader_new(&r, OLD), 0);
	assert_string_equal(series_reader_host(r), "oss-amber");
	assert_int_equal(
		series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, compare_row, &s), 0);
	series_reader_free(r);
	assert_true(s.rows > 500 && s.hists > 0);
	for (int f = 0; f <= FAM_HOST; f++) {
		assert_int_equal(sqlite3_step(s.st[f]), SQLITE_DONE);
		sqlite3_finalize(s.st[f]);
	}
	sqlite3_close(db);
}

/* The day goes on in a new file, and the old one can be read beside it. */
static void a_day_begun_in_schema_1_is_set_aside(void **state)
{
	struct fixture *fx = *state;
	char aside[400];
	struct series_writer *w;
	struct found found;
	struct second s;
	int before, n;

	snprintf(aside, sizeof(aside), "%s/s3-20261121-1.limpet", fx->dir);
	old_file(fx);
	assert_int_equal(read_all(fx, &before), 0);
	write_seconds(fx, 0, 5, T0);
	assert_int_equal(read_file(day_path(fx, T0), &found), 0);
	assert_int_equal(found.rows[FAM_HOST], 5);
	assert_int_equal(query(aside, "PRAGMA user_version"), 1);
	assert_int_equal(rename(aside, day_path(fx, T0)), 0);
	assert_int_equal(read_all(fx, &n), 0);
	assert_int_equal(n, before);
	/* Nothing is overwritten. */
	assert_int_equal(fill_file(aside, 10), 0);
	w = writer(fx, "s3");
	second_init(&s);
	fill_second(&s, 0, T0 * NS);
	assert_int_equal(series_writer_append(w, &s), -EBADMSG);
	assert_non_null(strstr(series_error(), aside));
	assert_int_equal(unlink(aside), 0);
	assert_int_equal(series_writer_append(w, &s), 0);
	series_writer_free(w);
	second_release(&s);
}

/* One pair of varints for every count that is not 0. */
static size_t encode(const struct lat_hist *lat, unsigned char *buf)
{
	const uint32_t *flat = &lat->n[0][0][0];
	uint32_t skipped = 0;
	size_t len = 0;

	for (size_t i = 0; i < LAT_FLAT; i++, skipped++) {
		uint32_t pair[2] = {skipped, flat[i]};

		for (int k = 0; flat[i] && k < 2; k++) {
			for (; pair[k] >= 0x80; pair[k] >>= 7)
				buf[len++] = (unsigned char)(pair[k] | 0x80);
			buf[len++] = (unsigned char)pair[k];
		}
		skipped = flat[i] ? UINT32_MAX : skipped;
	}
	return len;
}

static void histograms_survive_their_coding(void **state)
{
	static struct lat_hist in, out;
	static unsigned char buf[LAT_FLAT * 6];
	uint32_t *flat = &in.n[0][0][0];

	(void)state;
	srand(1);
	for (int round = 0; round < 200; round++) {
		size_t len;

		memset(&in, 0, sizeof(in));
		for (int i = 0; i < round * 8; i++)
			flat[round == 199 ? i % LAT_FLAT : rand() % LAT_FLAT] =
				round == 199 ? UINT32_MAX : (uint32_t)rand() >> (rand() % 31);
		len = encode(&in, buf);
		assert_int_equal(series_lat_decode(&out, buf, len), 0);
		assert_memory_equal(&in, &out, sizeof(in));
		if (len) /* cut short: a number without an end or a pair without its count */
			assert_true(series_lat_decode(&out, buf, len - 1) == -EBADMSG);
	}
}

static void garbage_is_no_histogram(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int err;
	} cases[] = {{"\0\0", 2, -EBADMSG},
		     {"\x80\x0c\1", 3, -EBADMSG},
		     {"\xff\x0b\1", 3, 0},
		     {"\0\xff\xff\xff\xff\x1f", 6, -EBADMSG}};
	static struct lat_hist lat;
	unsigned char buf[256];
	int good = 0;

	(void)state;
	srand(2);
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)rand() % sizeof(buf);

		for (size_t i = 0; i < len; i++)
			buf[i] = (unsigned char)(rand() >> (rand() % 8));
		good += !series_lat_decode(&lat, buf, len);
	}
	assert_true(good < 10000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			series_lat_decode(&lat, (const unsigned char *)cases[i].bytes, cases[i].n),
			cases[i].err);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(an_old_file_is_read_as_ever),  CASE(a_day_begun_in_schema_1_is_set_aside),
		CASE(hostile_contents_are_refused), CASE(histograms_survive_their_coding),
		CASE(garbage_is_no_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
