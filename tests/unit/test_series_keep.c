// SPDX-License-Identifier: BSD-2-Clause
/* series.h: old days are removed by their rules, and nothing else ever is. */
#include "unit.h"

#include <dirent.h>
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

#define DAY 86400

static char told[20][512];
static int n_told;

static void hear(void *arg, const char *text)
{
	assert_ptr_equal(arg, told);
	assert_true(n_told < 20);
	snprintf(told[n_told++], sizeof(told[0]), "%s", text);
}

static struct series_writer *keeper(struct fixture *fx, unsigned int days, uint64_t bytes)
{
	struct series_writer_opts o = {.dir = fx->dir,
				       .host = "s3",
				       .interval_ms = 1000,
				       .keep_days = days,
				       .keep_bytes = bytes,
				       .notify = hear,
				       .notify_arg = told};
	struct series_writer *w = NULL;

	n_told = 0;
	assert_int_equal(series_writer_new(&w, &o), 0);
	return w;
}

static void append(struct series_writer *w, uint64_t seq, int64_t sec)
{
	struct second s;

	second_init(&s);
	fill_second(&s, seq, sec * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	second_release(&s);
}

static void put(struct fixture *fx, const char *name, size_t size)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", fx->dir, name);
	assert_int_equal(fill_file(path, size), 0);
}

static int there(struct fixture *fx, const char *name)
{
	char path[400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", fx->dir, name);
	return !lstat(path, &st);
}

/* Names that are nearly those of an old day of s3. */
static const char *const others[] = {
	"s4-20200101.limpet",		"s3-2020010.limpet",
	"s3-202001011.limpet",		"s3-20200101.limpet.bak",
	"s3-20200101.limpet2",		"s3-x-20200101.limpet",
	"s3-20200101-2.limpet",		"as3-20200101.limpet",
	"s3-20200101-1.limpet",		"s3-20200101",
	"s3-2020010a.limpet",		"S3-20200101.limpet",
	"s3.20200101.limpet",		"s33-20200101.limpet",
	"s3-20200101-1.limpet-journal", "s3--0200101.limpet",
	"s3-20200102.limpet-wal2",	"s3",
	"s3-20200101 .limpet",
};
#define OTHERS (sizeof(others) / sizeof(*others))

static void put_others(struct fixture *fx)
{
	char path[400], target[400];

	for (size_t i = 0; i < OTHERS; i++)
		put(fx, others[i], 10000);
	/* Not a file: a folder, a link to a file elsewhere. */
	snprintf(path, sizeof(path), "%s/s3-20190101.limpet", fx->dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/s3-20190102.limpet", fx->dir);
	snprintf(target, sizeof(target), "%s/s3", fx->dir);
	assert_int_equal(symlink(target, path), 0);
}

static void check_others(struct fixture *fx)
{
	for (size_t i = 0; i < OTHERS; i++)
		if (!there(fx, others[i]))
			fail_msg("'%s' was removed", others[i]);
	assert_true(there(fx, "s3-20190101.limpet"));
	assert_true(there(fx, "s3-20190102.limpet"));
}

static void so_many_days_are_kept(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w;

	put_others(fx);
	put(fx, "s3-20200103.limpet", 100);
	put(fx, "s3-20200103.limpet-wal", 100);
	put(fx, "s3-20200103.limpet-shm", 100);
	w = keeper(fx, 3, 0);
	for (uint64_t i = 0; i < 5; i++) {
		append(w, 2 * i, T0 + (int64_t)i * DAY);
		append(w, 2 * i + 1, T0 + (int64_t)i * DAY + 1);
		assert_true(there(fx, "s3-20200103.limpet") == (i < 2));
	}
	assert_false(there(fx, "s3-20200103.limpet-wal"));
	assert_false(there(fx, "s3-20200103.limpet-shm"));
	for (int i = 0; i < 5; i++)
		assert_true(!access(day_path(fx, T0 + i * DAY), F_OK) == (i >= 2));
	assert_int_equal(n_told, 3);
	assert_non_null(strstr(told[0], "s3-20200103.limpet' ("));
	assert_non_null(strstr(told[2], "for 3 days are kept"));
	series_writer_free(w);
	check_others(fx);
	assert_int_equal(count_seconds(day_path(fx, T0 + 3 * DAY)), 2);
}

/* A clock that once ran far ahead must not cost what there is. */
static void a_wrong_clock_costs_one_day_at_most(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = keeper(fx, 4, 0);

	for (uint64_t i = 0; i < 4; i++)
		append(w, i, T0 + (int64_t)i * DAY);
	append(w, 4, T0 + 30000LL * DAY);
	append(w, 5, T0 + 3 * DAY + 1);
	append(w, 6, T0 - 1000LL * DAY); /* the oldest now, and open: it stays */
	append(w, 7, T0 - 1000LL * DAY + 1);
	series_writer_free(w);
	for (int i = 1; i < 4; i++)
		assert_true(!access(day_path(fx, T0 + i * DAY), F_OK));
	assert_int_equal(access(day_path(fx, T0), F_OK), -1);
	assert_int_equal(count_seconds(day_path(fx, T0 - 1000LL * DAY)), 2);
	assert_int_equal(count_seconds(day_path(fx, T0 + 3 * DAY)), 2);
	assert_int_equal(n_told, 1);
}

static void so_many_bytes_are_kept(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w;
	uint64_t seq = 0;

	put_others(fx);
	for (int i = 1; i <= 5; i++) {
		char name[32];

		snprintf(name, sizeof(name), "s3-2020010%d.limpet", i);
		put(fx, name, 1000000);
	}
	put(fx, "s3-20200103.limpet-wal", 500000);
	w = keeper(fx, 0, 8000000);
	append(w, seq++, T0);
	assert_int_equal(n_told, 0); /* 5.5 MB and an empty day */
	series_writer_free(w);
	/* Only once a minute, and with what the minutes add. */
	w = keeper(fx, 0, 3200000);
	append(w, seq++, T0 + 1);
	assert_int_equal(n_told, 3);
	assert_non_null(strstr(told[2], "s3-20200103.limpet' (1.5 MB), for 3.2 MB are kept"));
	put(fx, "s3-20200101.limpet", 3000000);
	put(fx, "s3-20200102.limpet", 10);
	for (; seq < 50; seq++)
		append(w, seq, T0 + (int64_t)seq);
	assert_true(there(fx, "s3-20200101.limpet"));
	for (; seq < 70; seq++)
		append(w, seq, T0 + (int64_t)seq);
	assert_false(there(fx, "s3-20200101.limpet"));
	assert_true(there(fx, "s3-20200102.limpet"));
	assert_true(there(fx, "s3-20200104.limpet"));
	series_writer_free(w);
	check_others(fx);
	assert_int_equal(count_seconds(day_path(fx, T0)), 70);
}

static void a_day_larger_than_the_limit_is_told_once(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = keeper(fx, 0, 1000);

	put(fx, "s3-20200101.limpet", 10);
	for (uint64_t seq = 0; seq < 300; seq++)
		append(w, seq, T0 + (int64_t)seq);
	assert_int_equal(n_told, 2);
	assert_non_null(strstr(told[0], "removed"));
	assert_non_null(strstr(told[1], "the day that is written is not removed"));
	series_writer_free(w);
	assert_int_equal(count_seconds(day_path(fx, T0)), 300);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(so_many_days_are_kept),
		CASE(a_wrong_clock_costs_one_day_at_most),
		CASE(so_many_bytes_are_kept),
		CASE(a_day_larger_than_the_limit_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
