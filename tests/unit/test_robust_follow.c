// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h, files that grow: intervals of files that grow, come, go, and are damaged meanwhile. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/source/frame/frame.h"
#include "analyzer/source/follow_files.h"
#include "userspace/series/series.h"
#include "series_util.h"
#include "robust_intervals.h"

#define MIDNIGHT 1795305600LL /* 2026-11-22T00:00:00Z */

static const struct feed_opts all = {.to_ns = INT64_MAX, .interval_s = 10, .threads = 1};
static struct kept a, b;

static struct feed *following(struct fixture *fx)
{
	char *paths[] = {fx->dir};
	struct feed *f;

	assert_int_equal(feed_of_growing(&f, paths, 1, &all), 0);
	memset(&a, 0, sizeof(a));
	return f;
}

static uint64_t dropped(const struct feed *f)
{
	struct feed_counts g;

	feed_counts(f, &g);
	return g.duplicates;
}

/* Two hosts and a midnight: interval by interval the same that gathering finds afterwards. */
static void hops_come_as_they_are_complete(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *one, *two;
	struct feed_counts out;
	const int64_t t0 = MIDNIGHT - 45;

	assert_int_equal(keep_until(&a, f, t0 * NS), 0);
	assert_null(feed_trouble(f));
	one = writer(fx, "one");
	two = writer(fx, "two");
	for (int i = 0; i < 90; i++) {
		append_second(one, 100 + (uint64_t)i, t0 + i);
		if (i >= 5)
			append_second(two, 900 + (uint64_t)i, t0 + i);
		if (i % 3)
			continue;
		assert_true(keep_until(&a, f, (t0 + i + 1) * NS) >= 0);
		if (feed_trouble(f))
			fail_msg("%s", feed_trouble(f));
		/* complete once both have gone beyond: at the latest a poll later */
		if (a.intervals)
			assert_true(a.last_ns >= (t0 + i - 3) / 10 * 10 * NS - 10 * NS);
	}
	series_writer_free(one);
	series_writer_free(two);
	assert_int_equal(keep_until(&a, f, (t0 + 200) * NS) >= 1, 1);
	assert_int_equal(dropped(f), 0);
	assert_int_equal(gather_dir(fx->dir, &all, &b, &out), 0);
	assert_int_equal(out.seconds, 175);
	a.n = 0;
	for (size_t i = 0; i < b.n; i++)
		assert_true(b.at[i].host != SIZE_MAX);
	feed_free(f);

	/* all of it at once, later */
	f = following(fx);
	assert_true(keep_until(&a, f, (t0 + 101) * NS) > 0);
	assert_same(&a, &b);
	feed_free(f);
}

/* The same, compared interval by interval with what was given while it grew. */
static void what_was_given_early_is_whole(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *w = writer(fx, "one");
	struct feed_counts out;

	for (int i = 0; i < 200; i++) {
		append_second(w, 100 + (uint64_t)i, T0 + i);
		assert_true(keep_until(&a, f, (T0 + i) * NS + NS / 2) >= 0);
	}
	assert_int_equal(a.n, 19);
	series_writer_free(w);
	assert_int_equal(keep_until(&a, f, (T0 + 206) * NS), 1);
	assert_int_equal(gather_dir(fx->dir, &all, &b, &out), 0);
	assert_same(&a, &b);
	feed_free(f);
}

static void late_seconds_are_dropped_and_counted(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *one = writer(fx, "one"), *two = writer(fx, "two");

	for (int i = 0; i < 30; i++) {
		append_second(one, 1 + (uint64_t)i, T0 + i);
		if (i < 12)
			append_second(two, 1 + (uint64_t)i, T0 + i);
	}
	/* the interval from 10 on waits for two until its grace is over */
	assert_int_equal(keep_until(&a, f, (T0 + 24) * NS), 1);
	assert_int_equal(keep_until(&a, f, (T0 + 26) * NS), 1);
	assert_int_equal(a.at[3].seconds, 2);
	for (int i = 12; i < 30; i++)
		append_second(two, 1 + (uint64_t)i, T0 + i);
	assert_int_equal(keep_until(&a, f, (T0 + 27) * NS), 0);
	assert_int_equal(keep_until(&a, f, (T0 + 36) * NS), 1);
	assert_int_equal(dropped(f), 8);
	assert_int_equal(a.at[5].seconds, 10);
	/* a clock set back: 5 seconds again */
	for (int i = 0; i < 15; i++)
		append_second(two, 100 + (uint64_t)i, T0 + 25 + i);
	assert_true(keep_until(&a, f, (T0 + 46) * NS) >= 1);
	assert_int_equal(dropped(f), 13);
	series_writer_free(one);
	series_writer_free(two);
	feed_free(f);
}

/* A file whose host is beyond the interval is not looked at while others are waited for; once more than that
 * interval is due it is. */
static void a_watcher_that_slept_misses_nothing(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *one = writer(fx, "one"), *two = writer(fx, "two");

	for (int i = 0; i < 40; i++) {
		append_second(one, 1 + (uint64_t)i, T0 + i);
		if (i < 9 || i > 12)
			append_second(two, 1 + (uint64_t)i, T0 + i);
		if (i < 13)
			assert_int_equal(keep_until(&a, f, (T0 + i) * NS + NS / 2), 0);
	}
	assert_int_equal(keep_until(&a, f, (T0 + 40) * NS), 3);
	assert_int_equal(a.n, 6);
	for (size_t i = 0; i < a.n; i++)
		assert_int_equal(a.at[i].seconds, i == 1 ? 9 : i == 3 ? 7 : 10);
	assert_int_equal(dropped(f), 0);
	series_writer_free(one);
	series_writer_free(two);
	feed_free(f);
}

static void a_clock_far_ahead_hurries_nobody(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *one = writer(fx, "one"), *two = writer(fx, "two");

	for (int i = 0; i < 100; i++) {
		append_second(one, 1 + (uint64_t)i, T0 + i);
		append_second(two, 1 + (uint64_t)i, i < 50 ? T0 + i : T0 + 3 * 365 * 86400LL + i);
		assert_true(keep_until(&a, f, (T0 + i) * NS + NS / 2) >= 0);
		assert_true(a.last_ns <= (T0 + i) * NS);
	}
	assert_int_equal(a.intervals, 9);
	assert_non_null(feed_trouble(f));
	assert_int_equal(dropped(f), 0);
	for (size_t i = 0; i < a.n; i++)
		assert_int_equal(a.at[i].seconds, 10);
	series_writer_free(one);
	series_writer_free(two);
	feed_free(f);
}

/* Garbage, a file cut short, one that vanishes: trouble, and the others go on. */
static void trouble_is_no_failure(void **state)
{
	struct fixture *fx = *state;
	char *paths[] = {fx->dir};
	struct feed_opts o = {.from_ns = T0 * NS, .to_ns = INT64_MAX, .interval_s = 10};
	struct feed *f;
	struct series_writer *one = writer(fx, "one");
	char path[400];

	memset(&a, 0, sizeof(a));
	assert_int_equal(feed_of_growing(&f, paths, 1, &o), 0);
	write_host(fx, "s3", 1, 200, T0 - 175);
	snprintf(path, sizeof(path), "%s/zero-20261121.limpet", fx->dir);
	assert_int_equal(fill_file(path, 0), 0);
	for (int i = 0; i < 60; i++) {
		append_second(one, 1 + (uint64_t)i, T0 + i);
		if (i == 15) {
			snprintf(path, sizeof(path), "%s/junk-20261121.limpet", fx->dir);
			assert_int_equal(fill_file(path, 5000), 0);
		}
		if (i == 25)
			assert_int_equal(truncate(day_path(fx, T0), 20000), 0);
		if (i == 40)
			assert_int_equal(unlink(day_path(fx, T0)) | unlink(path), 0);
		assert_true(keep_until(&a, f, (T0 + i) * NS + NS / 2) >= 0);
		if (i >= 15 && i < 40 && !feed_trouble(f))
			fail_msg("no trouble in poll %d", i);
		if ((i < 15 || i >= 40) && feed_trouble(f))
			fail_msg("trouble in poll %d: %s", i, feed_trouble(f));
	}
	assert_int_equal(a.intervals, 5);
	/* what had been read of s3 was not lost, also what was not given yet */
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(a.at[i].seconds, i == 5 ? 5 : 10);
	assert_int_equal(a.at[5].host, 1);
	assert_int_equal(a.n, 8);
	assert_int_equal(a.begun, 1);
	series_writer_free(one);
	feed_free(f);
}

static int add_left_out(void *arg, const char *server, const char *path, const char *why)
{
	char *text = arg;
	size_t len = strlen(text);

	(void)path;
	snprintf(text + len, 1000 - len, "%s: %s; ", server, why);
	return 0;
}

static int add_note(void *arg, const char *line)
{
	return add_left_out(arg, "", "", strstr(line, "both") ? "overlap" : line);
}

/* What is left out, and what overlaps, is told for as long as it is so. */
static void what_is_left_out_is_told(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	char path[400], other[400], text[1000] = "";
	const struct feed_left_out told = {add_left_out, add_note, text};

	write_host(fx, "two", 1, 20, T0);
	snprintf(path, sizeof(path), "%s/two-20261121.limpet", fx->dir);
	snprintf(other, sizeof(other), "%s/two-20261121-1.limpet", fx->dir);
	assert_int_equal(rename(path, other), 0);
	write_host(fx, "two", 100, 10, T0 + 15);
	snprintf(path, sizeof(path), "%s/junk-20261121.limpet", fx->dir);
	assert_int_equal(fill_file(path, 5000), 0);
	for (int i = 0; i < 2; i++) {
		*text = 0;
		assert_true(keep_until(&a, f, (T0 + 26 + i) * NS) >= 0);
		assert_non_null(strstr(feed_trouble(f), "junk-20261121.limpet"));
		assert_int_equal(feed_left_out(f, &told), 0);
		assert_string_equal(text, "junk: it is not a series file; : overlap; ");
	}
	assert_int_equal(unlink(path), 0);
	assert_true(keep_until(&a, f, (T0 + 28) * NS) >= 0);
	assert_non_null(strstr(feed_trouble(f), "of the same time"));
	*text = 0;
	assert_int_equal(feed_left_out(f, &told), 0);
	assert_string_equal(text, ": overlap; ");
	feed_free(f);
}

/* Killed in the middle, started again, and an hour of nothing. */
static void a_killed_writer_comes_back(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);
	struct series_writer *w;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		w = writer(fx, "one");
		for (int i = 0; i < 25; i++)
			append_second(w, 1 + (uint64_t)i, T0 + i);
		raise(SIGKILL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(keep_until(&a, f, (T0 + 26) * NS), 2);
	w = writer(fx, "one");
	for (int i = 27; i < 40; i++)
		append_second(w, 1 + (uint64_t)i, T0 + i);
	assert_int_equal(keep_until(&a, f, (T0 + 46) * NS), 2);
	assert_null(feed_trouble(f));
	assert_true(a.at[2].seconds == 8 && a.at[2].boots == 2 && a.at[3].boots == 1);
	/* nobody says anything: that is given when it is over, and as one interval if it was longer than an hour */
	for (int i = 1; i <= 100; i++)
		assert_int_equal(keep_until(&a, f, (T0 + 46 + i * 100) * NS), 0);
	assert_int_equal(a.intervals, 4);
	for (int i = 0; i < 15; i++)
		append_second(w, 100 + (uint64_t)i, T0 + 20000 + i);
	assert_int_equal(keep_until(&a, f, (T0 + 20020) * NS), 2);
	assert_int_equal(a.at[a.n - 1].seconds, 10);
	assert_true(a.last_ns == (T0 + 20000) * NS);
	series_writer_free(w);
	feed_free(f);
}

static void a_new_host_is_told(void **state)
{
	struct fixture *fx = *state;
	struct feed *f = following(fx);

	write_host(fx, "two", 1, 20, T0);
	assert_int_equal(keep_until(&a, f, (T0 + 16) * NS), 1);
	write_host(fx, "one", 1, 10, T0 + 10);
	assert_int_equal(keep_until(&a, f, (T0 + 30) * NS), 1);
	assert_int_equal(a.begun, 2);
	assert_string_equal(a.host[0], "two");
	assert_string_equal(a.host[1], "one");
	assert_int_equal(a.n, 3);
	assert_true(a.at[2].host == 1 && a.at[2].seconds == 10);
	feed_free(f);
}

/* As many servers as there may be, and then the file of one more where that of a known one was. */
static void one_host_too_many(void **state)
{
	const struct feed_opts o = {.to_ns = INT64_MAX, .interval_s = 10, .threads = 1};
	struct fixture *fx = *state;
	char one[400], two[400], *paths[] = {one};
	struct follow_host *hosts;
	struct feed *feed;
	struct follow *f;

	write_host(fx, "one", 1, 5, T0);
	write_host(fx, "two", 1, 5, T0);
	snprintf(two, sizeof(two), "%s/one-20261121.limpet", fx->dir);
	snprintf(one, sizeof(one), "%s/of-somebody.limpet", fx->dir);
	assert_int_equal(rename(two, one), 0);
	snprintf(two, sizeof(two), "%s/two-20261121.limpet", fx->dir);
	assert_int_equal(feed_of_growing(&feed, paths, 1, &o), 0);
	f = (struct follow *)feed;
	feed_now(feed, (T0 + 60) * NS);
	assert_int_equal(follow_look(f), 0);
	assert_true(f->n_hosts == 1 && f->file[0].known);
	hosts = calloc(SOURCE_HOSTS_MAX, sizeof(*hosts));
	assert_non_null(hosts);
	hosts[0] = f->host[0];
	free(f->host);
	f->host = hosts;
	f->n_hosts = SOURCE_HOSTS_MAX;
	assert_int_equal(rename(two, one), 0);
	feed_now(feed, (T0 + 70) * NS);
	assert_int_equal(follow_look(f), 0);
	assert_non_null(strstr(f->trouble, "'two' is left out"));
	assert_false(f->file[0].known);
	assert_int_equal(f->file[0].host, 0);
	assert_int_equal(f->host[0].n_files, 0);
	feed_free(feed);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hops_come_as_they_are_complete),
		TEST(what_was_given_early_is_whole),
		TEST(late_seconds_are_dropped_and_counted),
		TEST(a_watcher_that_slept_misses_nothing),
		TEST(a_clock_far_ahead_hurries_nobody),
		TEST(trouble_is_no_failure),
		TEST(what_is_left_out_is_told),
		TEST(a_killed_writer_comes_back),
		TEST(a_new_host_is_told),
		TEST(one_host_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
