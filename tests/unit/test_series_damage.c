// SPDX-License-Identifier: BSD-2-Clause
/*
 * series.h: files that are not what they seem. Whatever they hold, reading ends, in an error with a
 * reason or in rows that are valid.
 */
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

/* Reading the file fails like this, and says this. */
static void refused(struct fixture *fx, int err, const char *reason)
{
	struct found found;
	int got = read_file(day_path(fx, T0), &found);

	if (got != err || !strstr(series_error(), reason) ||
	    !strstr(series_error(), day_path(fx, T0)))
		fail_msg("expected %d '%s', got %d '%s'", err, reason, got,
			 got ? series_error() : "");
}

static void put_file(struct fixture *fx, const void *text, size_t len)
{
	FILE *f = fopen(day_path(fx, T0), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void other_files_are_told_from_series(void **state)
{
	static const char text[] = "time,node,await\n1795230000,s3,2.5\n";
	static const char header[100] = "SQLite format 3";
	struct fixture *fx = *state;

	refused(fx, -ENOENT, "No such file");
	put_file(fx, "", 0);
	refused(fx, -ENODATA, "it is empty");
	put_file(fx, text, sizeof(text));
	refused(fx, -EINVAL, "not a series file");
	put_file(fx, header, 50);
	refused(fx, -EINVAL, "not a series file");
	put_file(fx, header, 100);
	refused(fx, -EBADMSG, "damaged");
	unlink(day_path(fx, T0));
	sql(day_path(fx, T0), "CREATE TABLE t(x); PRAGMA application_id = 17");
	refused(fx, -EINVAL, "another program's SQLite database");
	unlink(day_path(fx, T0));
	assert_int_equal(mkdir(day_path(fx, T0), 0755), 0);
	refused(fx, -EINVAL, "not a regular file");
	rmdir(day_path(fx, T0));
	assert_int_equal(mkfifo(day_path(fx, T0), 0644), 0);
	refused(fx, -EINVAL, "not a regular file");
}

static void a_newer_schema_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w;
	struct second s;

	write_seconds(fx, 0, 5, T0);
	sql(day_path(fx, T0), "PRAGMA user_version = 2");
	refused(fx, -EPROTONOSUPPORT, "written by a newer limpet (schema 2, this reads 1)");
	/* And not written into, either. */
	w = writer(fx, "s3");
	second_init(&s);
	fill_second(&s, 9, (T0 + 9) * NS);
	assert_int_equal(series_writer_append(w, &s), -EBADMSG);
	assert_non_null(strstr(series_error(), "move it away"));
	assert_int_equal(rename(day_path(fx, T0), path_with(fx, T0, ".old")), 0);
	assert_int_equal(series_writer_append(w, &s), 0);
	series_writer_free(w);
	second_release(&s);
	assert_int_equal(query(path_with(fx, T0, ".old"), "SELECT count(*) FROM second"), 5);
}

static void *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	void *p;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*size = (size_t)st.st_size;
	p = malloc(*size);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, *size, f), *size);
	fclose(f);
	return p;
}

static void truncated_files_are_refused_at_any_length(void **state)
{
	struct fixture *fx = *state;
	unsigned char *image;
	struct found found;
	size_t size;

	write_seconds(fx, 0, 300, T0);
	image = load(day_path(fx, T0), &size);
	srand(4);
	for (int i = 0; i < 300; i++) {
		size_t cut = (size_t)rand() % size;

		if (i % 4 == 0)
			cut -= cut % 4096;
		put_file(fx, image, cut);
		if (read_file(day_path(fx, T0), &found) >= 0)
			fail_msg("cut to %zu of %zu bytes: read", cut, size);
		assert_true(*series_error());
	}
	free(image);
}

/*
 * SQLite has no checksums: a flip inside a number is another number, and inside a key another key.
 * So a success may be wrong, and what is asserted is this: it ends, every error has a reason, rows
 * are valid and in order (check_row), and there are not more of them than were written.
 */
static void flipped_bytes_never_crash_or_hang(void **state)
{
	enum { SECONDS = 200, FLIPS = 400 };
	struct fixture *fx = *state;
	int refusals = 0, intact = 0, wrong = 0, missing = 0;
	unsigned char *image;
	struct found found;
	size_t size;

	write_seconds(fx, 0, SECONDS, T0);
	image = load(day_path(fx, T0), &size);
	srand(5);
	for (int i = 0; i < FLIPS; i++) {
		/* Every fourth in the headers of pages, where it hurts most. */
		size_t at = (size_t)rand() % size;
		unsigned char was;
		int err;

		if (i % 4 == 0)
			at = at / 4096 * 4096 + (size_t)rand() % 16;
		was = image[at];
		image[at] = (unsigned char)(i % 3 ? was ^ 1 << rand() % 8 : rand());
		put_file(fx, image, size);
		image[at] = was;
		err = read_file(day_path(fx, T0), &found);
		refusals += err != 0;
		if (err && (err > 0 || !*series_error()))
			fail_msg("byte %zu: %d without a reason", at, err);
		if (err)
			continue;
		for (int f = 0; f < FAM_COUNT; f++)
			if (found.rows[f] > SECONDS)
				fail_msg("byte %zu: %d rows", at, found.rows[f]);
			else if (found.rows[f] < SECONDS && found.wrong >= 0) {
				missing++;
				break;
			}
		wrong += found.wrong > 0;
		intact += !found.wrong && found.rows[FAM_DISK] == SECONDS;
	}
	free(image);
	print_message(
		"# of %d flips: %d refused, %d without effect, %d wrong values, %d rows fewer\n",
		FLIPS, refusals, intact, wrong, missing);
	assert_true(refusals > 0);
}

/* Each is done to a good file of ten seconds, and must be refused with the reason. */
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
	{"UPDATE device SET name = hex(zeroblob(20))", "device has no valid name", -EBADMSG},
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
	{"UPDATE net SET second = 77 WHERE second = 5", "no second", -EBADMSG},
	{"DELETE FROM second WHERE id = 5", "no second", -EBADMSG},
	{"DROP INDEX second_wall; ALTER TABLE second RENAME TO s; CREATE TABLE second AS SELECT id,"
	 " boot, seq, wall_ns + 0 AS wall_ns, mono_ns, lost FROM s",
	 "", 0},
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
		struct found found;
		int err;

		unlink(day_path(fx, T0));
		write_seconds(fx, 1, 10, T0);
		sql(day_path(fx, T0), hostile[i].sql);
		err = read_file(day_path(fx, T0), &found);
		if (err != hostile[i].err || (err && !strstr(series_error(), hostile[i].reason)))
			fail_msg("%s: %d '%s'", hostile[i].sql, err, err ? series_error() : "");
	}
}

/* Without keys every row is compared with every other, which for a big file would take days. */
static void reading_has_a_budget(void **state)
{
	struct fixture *fx = *state;

	write_seconds(fx, 0, 5, T0);
	sql(day_path(fx, T0),
	    "DROP INDEX second_wall; PRAGMA foreign_keys = OFF;"
	    "CREATE TABLE d(second, device, lat); DROP TABLE disk; ALTER TABLE d RENAME TO disk;"
	    "INSERT INTO disk WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 20000) SELECT 1, 0, NULL FROM n;"
	    "ALTER TABLE second RENAME TO s;"
	    "CREATE TABLE second(id, boot, seq, wall_ns, mono_ns, lost);"
	    "INSERT INTO second WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < 20000) SELECT 1, 1, i, i, 1, 0 FROM n");
	refused(fx, -EBADMSG, "more steps than its size explains");
}

/* A file as it was before somebody wrote to it again, read in one go: told, not mixed. */
static int append_meanwhile(void *arg, const struct series_time *t, enum metric_family family,
			    const char *instance, const double v[M_COUNT],
			    const struct lat_hist *lat)
{
	struct fixture *fx = arg;

	(void)family;
	(void)instance;
	(void)v;
	(void)lat;
	if (t->seq == 3 && family == FAM_NET)
		write_seconds(fx, 1000, 20, T0 + 1000);
	return 0;
}

static void a_file_that_changes_without_a_lock_is_noticed(void **state)
{
	struct fixture *fx = *state;
	struct series_reader *r;

	write_seconds(fx, 0, 10, T0);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_int_equal(series_reader_rows(r, 0, INT64_MAX, 0, append_meanwhile, fx), -ESTALE);
	series_reader_free(r);
	assert_int_equal(count_seconds(day_path(fx, T0)), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(other_files_are_told_from_series, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_newer_schema_is_refused, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(truncated_files_are_refused_at_any_length,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(flipped_bytes_never_crash_or_hang, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(hostile_contents_are_refused, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(reading_has_a_budget, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_changes_without_a_lock_is_noticed,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
