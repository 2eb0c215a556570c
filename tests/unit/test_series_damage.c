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

/* Copied as 'cp --sparse=always' copies it: pages that are free, and say nothing, become holes. */
static void an_honest_copy_may_have_holes(void **state)
{
	struct fixture *fx = *state;
	struct found found;
	char command[900];
	struct stat st;

	write_seconds(fx, 0, 200, T0);
	sql(day_path(fx, T0), "PRAGMA secure_delete = ON; CREATE TABLE t(x);"
			      "INSERT INTO t VALUES (zeroblob(20000000)); DROP TABLE t");
	snprintf(command, sizeof(command), "cp --sparse=always '%s' '%s.copy' && mv '%s.copy' '%s'",
		 day_path(fx, T0), day_path(fx, T0), day_path(fx, T0), day_path(fx, T0));
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(day_path(fx, T0), &st), 0);
	assert_true(st.st_size > 20000000);
	assert_true(st.st_blocks * 512 < st.st_size / 4);
	assert_int_equal(read_file(day_path(fx, T0), &found), 0);
}

/* What a file makes SQLite need is the file's fault, and no lack of memory. */
static void memory_that_a_file_asks_for_is_its_fault(void **state)
{
	struct fixture *fx = *state;
	char columns[8192] = "x", *text = NULL;
	size_t n = 1, len = 0;
	FILE *to = open_memstream(&text, &len);

	write_seconds(fx, 0, 5, T0);
	for (int i = 0; i < 190; i++)
		n += (size_t)snprintf(columns + n, sizeof(columns) - n, ", column_number_%d", i);
	fprintf(to, "BEGIN;");
	for (int i = 0; i < 3000; i++)
		fprintf(to, "CREATE TABLE t%d(%s);", i, columns);
	fprintf(to, "COMMIT");
	fclose(to);
	sql(day_path(fx, T0), text);
	free(text);
	refused(fx, -EBADMSG, "reading it takes more");
}

/* Nobody limits us from outside, and SQLite has no limit left once nothing is read. */
static void sqlites_memory_is_limited_while_a_file_is_open(void **state)
{
	struct fixture *fx = *state;
	struct series_reader *a, *b;
	int64_t one, two;

	write_seconds(fx, 0, 5, T0);
	assert_int_equal(sqlite3_hard_heap_limit64(-1), 0);
	assert_int_equal(series_reader_new(&a, day_path(fx, T0)), 0);
	one = sqlite3_hard_heap_limit64(-1);
	assert_int_equal(series_reader_new(&b, day_path(fx, T0)), 0);
	two = sqlite3_hard_heap_limit64(-1);
	assert_true(one > 0 && one <= 128 << 20 && two > one && two <= 2 * one);
	series_reader_free(a);
	series_reader_free(b);
	assert_int_equal(sqlite3_hard_heap_limit64(-1), 0);
}

static void another_schema_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w;
	struct second s;

	write_seconds(fx, 0, 5, T0);
	sql(day_path(fx, T0), "PRAGMA user_version = -7");
	refused(fx, -EPROTONOSUPPORT, "written by an unknown limpet (schema -7, this reads 2)");
	sql(day_path(fx, T0), "PRAGMA user_version = 1");
	refused(fx, -EPROTONOSUPPORT, "written by an older limpet (schema 1, this reads 2)");
	sql(day_path(fx, T0), "PRAGMA user_version = 3");
	refused(fx, -EPROTONOSUPPORT, "written by a newer limpet (schema 3, this reads 2)");
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
	assert_int_equal(query(path_with(fx, T0, ".old"), "SELECT sum(seconds) FROM chunk"), 5);
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

/* A file with chunks of a minute and of a second, as while it is written. */
static void *mixed_image(struct fixture *fx, int seconds, size_t *size)
{
	struct series_writer *w = writer(fx, "s3");
	struct second s;
	void *image;

	second_init(&s);
	for (int i = 0; i < seconds; i++) {
		fill_second(&s, (uint64_t)i, (T0 + i) * NS);
		assert_int_equal(series_writer_append(w, &s), 0);
	}
	second_release(&s);
	sql(day_path(fx, T0), "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_true(query(day_path(fx, T0), "SELECT min(seconds) = 1 AND max(seconds) = 60"
					    " FROM chunk"));
	image = load(day_path(fx, T0), size);
	series_writer_free(w);
	unlink(day_path(fx, T0));
	return image;
}

static void truncated_files_are_refused_at_any_length(void **state)
{
	struct fixture *fx = *state;
	unsigned char *image;
	struct found found;
	size_t size;

	image = mixed_image(fx, 300, &size);
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

/* Every bit that counts is checked: what is read is what was written, or nothing is. */
static void flipped_bits_are_errors_never_other_values(void **state)
{
	enum { SECONDS = 200, FLIPS = 1500 };
	struct fixture *fx = *state;
	int refusals = 0, intact = 0;
	unsigned char *image;
	struct found found;
	size_t size;

	image = mixed_image(fx, SECONDS, &size);
	srand(5);
	for (int i = 0; i < FLIPS; i++) {
		/* Every fourth in the headers of pages, where it hurts most. */
		size_t at = ((size_t)rand() << 15 | (size_t)rand()) % size;
		unsigned char was;
		int err;

		if (i % 4 == 0)
			at = at / 4096 * 4096 + (size_t)rand() % 16;
		was = image[at];
		image[at] = (unsigned char)(i % 3 ? was ^ 1 << rand() % 8 : rand());
		put_file(fx, image, size);
		err = read_file(day_path(fx, T0), &found);
		refusals += err != 0;
		if (err && (err > 0 || !*series_error()))
			fail_msg("byte %zu: %d without a reason", at, err);
		for (int f = 0; !err && f < FAM_COUNT; f++)
			if (found.rows[f] != SECONDS)
				fail_msg("byte %zu (%d to %d): %d rows", at, was, image[at],
					 found.rows[f]);
		if (!err && found.wrong)
			fail_msg("byte %zu (%d to %d): %d wrong", at, was, image[at], found.wrong);
		image[at] = was;
		intact += !err;
	}
	free(image);
	print_message("# of %d flips: %d refused, %d without effect\n", FLIPS, refusals, intact);
	assert_true(refusals > FLIPS / 4);
}

/* Each is done to a good file of 90 seconds, and must be refused with the reason. */
static const struct hostile {
	const char *sql, *reason;
	int err;
} hostile[] = {
	{"UPDATE chunk SET disk = NULL WHERE id = 61", "a part of a chunk is missing", -EBADMSG},
	{"UPDATE chunk SET hist = NULL WHERE id = 61", "a part of a chunk is missing", -EBADMSG},
	{"UPDATE chunk SET disk = 'text'", "a part of a chunk is missing", -EBADMSG},
	{"UPDATE chunk SET disk = x'ff'", "does not decode", -EBADMSG},
	{"UPDATE chunk SET disk = x'ffffff03789c'", "does not decode", -EBADMSG},
	{"UPDATE chunk SET disk = zeroblob(900000)", "does not decode", -EBADMSG},
	{"UPDATE chunk SET disk = zeroblob(90000000) WHERE id = 61", "too large", -EBADMSG},
	{"UPDATE chunk SET disk = CAST(disk || x'00' AS BLOB)", "does not decode", -EBADMSG},
	{"UPDATE chunk SET disk = net", "does not decode", -EBADMSG},
	{"UPDATE chunk SET hist = disk", "does not decode", -EBADMSG},
	{"UPDATE chunk SET disk = (SELECT disk FROM chunk WHERE id = 1)", "does not decode",
	 -EBADMSG},
	{"UPDATE chunk SET head = (SELECT head FROM chunk WHERE id = 1)", "does not decode",
	 -EBADMSG},
	{"UPDATE chunk SET head = x''", "does not decode", -EBADMSG},
	{"UPDATE chunk SET head = 17", "does not decode", -EBADMSG},
	{"UPDATE chunk SET first_ns = first_ns + 1", "not where it belongs", -EBADMSG},
	{"UPDATE chunk SET last_ns = last_ns - 1", "not where it belongs", -EBADMSG},
	{"UPDATE chunk SET first_ns = 'noon'", "no valid time", -EBADMSG},
	{"UPDATE chunk SET last_ns = -5", "no valid time", -EBADMSG},
	{"UPDATE chunk SET first_ns = 0, last_ns = 9223372036854775807 WHERE id = 61",
	 "not all of one day", -EBADMSG},
	{"UPDATE chunk SET seconds = 59", "not where it belongs", -EBADMSG},
	{"UPDATE chunk SET id = 62 WHERE id = 61", "seconds are missing", -EBADMSG},
	{"DELETE FROM chunk WHERE id = 1", "seconds are missing", -EBADMSG},
	{"DELETE FROM chunk WHERE id = 61", "last seconds are missing", -EBADMSG},
	{"DELETE FROM chunk", "last seconds are missing", -EBADMSG},
	{"DELETE FROM chunk; DELETE FROM meta WHERE key = 'packed'", "", 0}, /* nothing yet */
	{"UPDATE metric SET name = 'r/z' WHERE name = 'r/s'", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET per = 1000 WHERE per = 1024", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET per = 'x' WHERE name = 'r/s'", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET kind = 'gauge' WHERE name = 'r/s'", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET adler = 0", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET id = 1000000000 WHERE id = 1", "a metric is not valid", -EBADMSG},
	{"UPDATE metric SET id = 9999 WHERE id = 2", "a metric is not valid", -EBADMSG},
	{"DELETE FROM metric WHERE id = 2", "does not decode", -EBADMSG},
	{"DELETE FROM metric", "no metrics", -EBADMSG},
	{"DELETE FROM metric WHERE id > 20", "does not decode", -EBADMSG},
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
	{"UPDATE device SET detail = x'00'", "device has no valid name", -EBADMSG},
	{"DELETE FROM device; DELETE FROM boot", "", 0}, /* chunks need neither */
	{"DROP TABLE chunk", "no table 'chunk'", -EBADMSG},
	{"ALTER TABLE chunk RENAME TO c; CREATE VIEW chunk AS SELECT * FROM c", "no table 'chunk'",
	 -EBADMSG},
	{"DROP TABLE chunk; CREATE VIEW chunk AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT"
	 " id FROM n) SELECT id, 1 AS first_ns, 1 AS last_ns, 1 AS seconds, x'' AS head FROM n",
	 "no table 'chunk'", -EBADMSG},
	{"DROP TABLE metric; CREATE VIRTUAL TABLE metric USING fts5(family, name, kind, per, "
	 "adler)",
	 "no table 'metric'", -EBADMSG},
	{"ALTER TABLE chunk DROP COLUMN hist; ALTER TABLE chunk ADD COLUMN hist AS (x'ffff')",
	 "no column 'hist'", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 99999 WHERE name = "
	 "'chunk'",
	 "damaged", -EBADMSG},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1 WHERE name = 'chunk'",
	 "", -EBADMSG},
	{"PRAGMA writable_schema = ON; DELETE FROM sqlite_master", "", -EBADMSG},
	{"CREATE TRIGGER t AFTER INSERT ON chunk BEGIN DELETE FROM chunk; END", "", 0},
};

static void hostile_contents_are_refused(void **state)
{
	struct fixture *fx = *state;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct found found;
		int err;

		unlink(day_path(fx, T0));
		write_seconds(fx, 1, 90, T0);
		sql(day_path(fx, T0), hostile[i].sql);
		err = read_file(day_path(fx, T0), &found);
		if (err != hostile[i].err || (err && !strstr(series_error(), hostile[i].reason)))
			fail_msg("%s: %d '%s'", hostile[i].sql, err, err ? series_error() : "");
	}
}

/* What is flipped in a chunk of a second is not packed with the others, and not lost in silence. */
static void a_damaged_second_is_not_packed(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	struct found found;
	struct second s;

	second_init(&s);
	for (int i = 0; i < 40; i++) {
		fill_second(&s, (uint64_t)i, (T0 + i) * NS);
		assert_int_equal(series_writer_append(w, &s), 0);
	}
	sql(day_path(fx, T0), "UPDATE chunk SET disk = net WHERE id = 21;"
			      "UPDATE chunk SET tcp = NULL WHERE id = 31");
	series_writer_free(w);
	second_release(&s);
	assert_int_equal(query(day_path(fx, T0), "SELECT count(*) FROM chunk"), 5);
	assert_int_equal(query(day_path(fx, T0), "SELECT sum(seconds) FROM chunk"), 40);
	assert_int_equal(read_file(day_path(fx, T0), &found), -EBADMSG);
}

/* A file as it was before somebody wrote to it again, read in one go: told, not mixed. */
static int append_meanwhile(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct fixture *fx = arg;

	if (t->seq == 3 && row->family == FAM_NET)
		write_seconds(fx, 1000, 20, T0 + 1000);
	return 0;
}

static void a_file_that_changes_without_a_lock_is_noticed(void **state)
{
	struct fixture *fx = *state;
	struct series_reader *r;

	write_seconds(fx, 0, 10, T0);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_int_equal(series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, 0, append_meanwhile, fx),
			 -ESTALE);
	series_reader_free(r);
	assert_int_equal(count_seconds(day_path(fx, T0)), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(other_files_are_told_from_series, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(an_honest_copy_may_have_holes, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(memory_that_a_file_asks_for_is_its_fault,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(sqlites_memory_is_limited_while_a_file_is_open,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(another_schema_is_refused, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(truncated_files_are_refused_at_any_length,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(flipped_bits_are_errors_never_other_values,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(hostile_contents_are_refused, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_damaged_second_is_not_packed, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_changes_without_a_lock_is_noticed,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
