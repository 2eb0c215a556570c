// SPDX-License-Identifier: BSD-2-Clause
/* series.h: the lists in meta, written and read back: the file system's own control groups, and what
 * a host cannot measure. */
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

/* A run of two seconds that was told these. */
static void run_with(struct fixture *fx, uint64_t seq, const char *const *cgroups, size_t n)
{
	run_with_cgroups(fx, "s3", seq, T0 + (int64_t)seq, 2, cgroups, n);
}

struct got {
	char path[SERIES_MAX_CGROUPS][SERIES_CGROUP_LEN];
	size_t n, stop_after;
};

static int take(void *arg, const char *path)
{
	struct got *g = arg;

	assert_true(g->n < SERIES_MAX_CGROUPS && strlen(path) < SERIES_CGROUP_LEN);
	strcpy(g->path[g->n++], path);
	return g->n == g->stop_after ? 4711 : 0;
}

static struct got got;

static int read_cgroups(struct fixture *fx)
{
	struct series_reader *r;
	int err = series_reader_new(&r, day_path(fx, T0));

	got.n = 0;
	if (err)
		return err;
	err = series_reader_cgroups(r, take, &got);
	series_reader_free(r);
	return err;
}

static void what_is_told_is_read_back(void **state)
{
	static const char *const told[] = {"/system.slice/glusterd.service", "/it's a%s/\xc3\xa9",
					   "/"};
	struct fixture *fx = *state;
	struct found found;

	run_with(fx, 0, told, 3);
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 3);
	assert_string_equal(got.path[0], told[0]);
	assert_string_equal(got.path[1], "/it's a%s/??"); /* as the text of a process's */
	assert_string_equal(got.path[2], "/");
	got.stop_after = 2;
	assert_int_equal(read_cgroups(fx), 4711);
	assert_int_equal(got.n, 2);
	got.stop_after = 0;
	assert_int_equal(read_file(day_path(fx, T0), &found), 0);
	assert_int_equal(found.rows[FAM_HOST], 2);
}

static void the_last_run_counts(void **state)
{
	static const char *const first[] = {"/a"}, *const second[] = {"/b", "/c"};
	struct fixture *fx = *state;

	run_with(fx, 0, first, 1);
	run_with(fx, 10, second, 2);
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 2);
	assert_string_equal(got.path[0], "/b");
	assert_string_equal(got.path[1], "/c");
	run_with(fx, 20, NULL, 0);
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 0);
	assert_int_equal(query(day_path(fx, T0), "SELECT count(*) FROM meta WHERE key = 'cgroups'"),
			 0);
}

/* An older limpet wrote no such row, a newer one may write others. */
static void files_without_them_are_read(void **state)
{
	static const char *const told[] = {"/a"};
	struct fixture *fx = *state;

	run_with(fx, 0, told, 1);
	sql(day_path(fx, T0), "INSERT INTO meta VALUES ('of the future', x'00ff')");
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 1);
	sql(day_path(fx, T0), "UPDATE meta SET value = '' WHERE key = 'cgroups'");
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 0);
	sql(day_path(fx, T0), "UPDATE meta SET value = NULL WHERE key = 'cgroups'");
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 0);
	sql(day_path(fx, T0), "DELETE FROM meta WHERE key = 'cgroups'");
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 0);
}

static void as_many_and_as_long_as_allowed(void **state)
{
	static char paths[SERIES_MAX_CGROUPS + 1][SERIES_CGROUP_LEN + 1];
	const char *told[SERIES_MAX_CGROUPS + 1];
	struct fixture *fx = *state;
	struct series_writer_opts o = {
		.dir = fx->dir, .host = "s3", .interval_ms = 1000, .tool = "", .cgroups = told};
	struct series_writer *w;

	for (size_t i = 0; i <= SERIES_MAX_CGROUPS; i++) {
		memset(paths[i], 'a' + (int)(i % 26), SERIES_CGROUP_LEN - 1);
		paths[i][0] = '/';
		told[i] = paths[i];
	}
	run_with(fx, 0, told, SERIES_MAX_CGROUPS);
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, SERIES_MAX_CGROUPS);
	for (size_t i = 0; i < got.n; i++)
		assert_string_equal(got.path[i], told[i]);
	o.n_cgroups = SERIES_MAX_CGROUPS + 1;
	assert_int_equal(series_writer_new(&w, &o), -EINVAL);
	o.n_cgroups = 1;
	told[0] = "system.slice";
	assert_int_equal(series_writer_new(&w, &o), -EINVAL);
	assert_non_null(strstr(series_error(), "'system.slice'"));
	paths[0][SERIES_CGROUP_LEN - 1] = 'x';
	told[0] = paths[0];
	assert_int_equal(series_writer_new(&w, &o), -EINVAL);
	assert_null(w);
}

static void what_cannot_be_is_damage(void **state)
{
	static const char *const bad[] = {
		"17",
		"x'2f61'",
		"'a'",
		"'/a' || char(10)",
		"char(10) || '/a'",
		"'/a' || char(10, 10) || '/b'",
		"'/a' || char(10) || 'b'",
		"'/a' || char(9)",
		"'/a' || char(0) || '/b'",
		"'/' || char(233)",
		"'/' || replace(hex(zeroblob(2048)), '00', 'aa')",
		"substr(replace(hex(zeroblob(65)), '00', char(10) || '/a'), 2)",
		"'/' || replace(hex(zeroblob(300000)), '00', 'aa')",
	};
	static const char *const told[] = {"/a"};
	struct fixture *fx = *state;
	char text[200];

	run_with(fx, 0, told, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "UPDATE meta SET value = %s WHERE key = 'cgroups'",
			 bad[i]);
		sql(day_path(fx, T0), text);
		if (read_cgroups(fx) != -EBADMSG ||
		    !strstr(series_error(), "its control groups are not valid"))
			fail_msg("%s was taken", bad[i]);
	}
	sql(day_path(fx, T0),
	    "UPDATE meta SET value = substr(replace(hex(zeroblob(64)), '00', char(10) || '/a'), 2)"
	    " WHERE key = 'cgroups'");
	assert_int_equal(read_cgroups(fx), 0);
	assert_int_equal(got.n, 64);
}

/* ---- processes, in the same kind of text ------------------------------------------------------- */

static int read_pids(struct fixture *fx)
{
	struct series_reader *r;
	int err = series_reader_new(&r, day_path(fx, T0));

	got.n = 0;
	if (err)
		return err;
	err = series_reader_pids(r, take, &got);
	series_reader_free(r);
	return err;
}

static void processes_are_read_back(void **state)
{
	static const uint32_t told[] = {1, 4294967295u, 812};
	struct series_writer_opts o = {.pids = told, .n_pids = 3}, many = {.n_pids = 65};
	struct fixture *fx = *state;
	struct series_writer *w;

	run_told(fx, "s3", 0, T0, 2, o);
	assert_int_equal(read_pids(fx), 0);
	assert_int_equal(got.n, 3);
	assert_string_equal(got.path[0], "1");
	assert_string_equal(got.path[1], "4294967295");
	assert_string_equal(got.path[2], "812");
	/* those of the last run */
	o.n_pids = 1;
	run_told(fx, "s3", 10, T0 + 10, 2, o);
	assert_int_equal(read_pids(fx), 0);
	assert_int_equal(got.n, 1);
	run_told(fx, "s3", 20, T0 + 20, 2, (struct series_writer_opts){0});
	assert_int_equal(read_pids(fx), 0);
	assert_int_equal(got.n, 0);
	many.dir = fx->dir;
	many.host = "s4";
	many.interval_ms = 1000;
	assert_int_equal(series_writer_new(&w, &many), -EINVAL);
	assert_null(w);
}

static void what_is_no_process_is_damage(void **state)
{
	static const char *const bad[] = {"'a'", "'-1'", "'12345678901'", "'1' || char(10)",
					  "'1 2'"};
	static const uint32_t told[] = {1};
	struct fixture *fx = *state;
	char text[200];

	run_told(fx, "s3", 0, T0, 2, (struct series_writer_opts){.pids = told, .n_pids = 1});
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "UPDATE meta SET value = %s WHERE key = 'pids'",
			 bad[i]);
		sql(day_path(fx, T0), text);
		if (read_pids(fx) != -EBADMSG ||
		    !strstr(series_error(), "its processes are not valid"))
			fail_msg("%s was taken", bad[i]);
	}
}

/* ---- what a host cannot measure, in the same kind of text ------------------------------------- */

static int read_missing(struct fixture *fx)
{
	struct series_reader *r;
	int err = series_reader_new(&r, day_path(fx, T0));

	got.n = 0;
	if (err)
		return err;
	err = series_reader_missing(r, take, &got);
	series_reader_free(r);
	return err;
}

static void write_missing(struct fixture *fx, uint64_t seq, const char *missing)
{
	struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = 1000};
	struct series_writer *w = NULL;
	struct second s;

	assert_int_equal(series_writer_new(&w, &o), 0);
	second_init(&s);
	s.missing = missing;
	fill_second(&s, seq, (T0 + (int64_t)seq) * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	second_release(&s);
	assert_int_equal(series_writer_free(w), 0);
}

static void what_is_missing_is_read_back(void **state)
{
	struct fixture *fx = *state;

	write_missing(fx, 1, "sched: this kernel has no field 'rq.clock'\nhost: it's\x1b[31m\n");
	assert_int_equal(read_missing(fx), 0);
	assert_int_equal(got.n, 2);
	assert_string_equal(got.path[0], "sched: this kernel has no field 'rq.clock'");
	assert_string_equal(got.path[1], "host: it's?[31m");
	/* Of the last run. */
	write_missing(fx, 2, NULL);
	assert_int_equal(read_missing(fx), 0);
	assert_int_equal(got.n, 0);
}

static void what_cannot_be_missing_is_passed_over(void **state)
{
	static const char *const bad[] = {"x'00'", "'a' || char(27)", "'a' || char(10)",
					  "replace(hex(zeroblob(600)), '00', 'aa')"};
	struct fixture *fx = *state;
	char text[200];

	write_missing(fx, 1, "sched: x");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "UPDATE meta SET value = %s WHERE key = 'missing'",
			 bad[i]);
		sql(day_path(fx, T0), text);
		if (read_missing(fx) || got.n)
			fail_msg("%s was taken", bad[i]);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_told_is_read_back),
		TEST(the_last_run_counts),
		TEST(files_without_them_are_read),
		TEST(as_many_and_as_long_as_allowed),
		TEST(what_cannot_be_is_damage),
		TEST(processes_are_read_back),
		TEST(what_is_no_process_is_damage),
		TEST(what_is_missing_is_read_back),
		TEST(what_cannot_be_missing_is_passed_over),
	};

	return cmocka_run_group_tests_name("series: lists", tests, NULL, NULL);
}
