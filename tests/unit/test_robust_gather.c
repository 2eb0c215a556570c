// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h: intervals of series files, the same however they are read. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userspace/series/series.h"
#include "series_util.h"
#include "robust_intervals.h"

static const struct feed_opts all = {.to_ns = INT64_MAX, .interval_s = 10, .threads = 2};
static struct kept a, b;

static void hops_are_the_sums_of_their_seconds(void **state)
{
	struct fixture *fx = *state;
	struct feed_counts out;
	double kb = 0;
	uint64_t lost = 0;

	write_host(fx, "one", 1000, 95, T0 + 3);
	write_host(fx, "two", 5000, 30, T0 + 30);
	assert_int_equal(gather_dir(fx->dir, &all, &a, &out), 0);
	assert_int_equal(a.hosts, 2);
	assert_string_equal(a.host[0], "one");
	assert_int_equal(a.intervals, 10);
	assert_int_equal(a.n, 13);
	assert_int_equal(out.seconds, 125);
	assert_int_equal(out.duplicates, 0);
	assert_int_equal(a.identities, 4); /* a disk and an interface each */
	assert_true(a.at[0].from_ns == T0 * NS && a.at[0].seconds == 7);
	assert_int_equal(a.at[1].seconds, 10);
	for (uint64_t seq = 1007; seq < 1017; seq++) {
		double v = value_of(seq, M_RKB_S);

		kb += isnan(v) ? 0 : v * INTERVAL_S;
		lost += seq % 3;
	}
	assert_true(fabs(a.at[1].reads_kb - kb) < 1e-6 * kb);
	assert_int_equal(a.at[1].lost, lost);
	assert_string_equal(a.at[1].cgroup, "/jobs/7");
	assert_true(a.at[1].events > 0 && a.at[1].n_runq > 0 && a.at[1].boots == 1);
}

static void slices_and_threads_do_not_matter(void **state)
{
	static const unsigned int stretches[] = {1, 2, 7, 100};
	struct fixture *fx = *state;
	struct feed_opts o = all;
	struct feed_counts out, first;

	write_host(fx, "one", 1000, 400, T0 + 3);
	write_host(fx, "one", 2000, 100, T0 + 380); /* the clock was set back */
	write_host(fx, "two", 5000, 130, T0 + 30);
	write_host(fx, "two", 9000, 50, T0 + 300);
	write_host(fx, "six", 5000, 4000, T0 - 1000);
	assert_int_equal(gather_dir(fx->dir, &all, &a, &first), 0);
	assert_int_equal(first.duplicates, 23);
	assert_int_equal(first.seconds, 400 + 100 - 23 + 180 + 4000);
	for (size_t i = 0; i < 4; i++) {
		o.stretch = stretches[i];
		o.threads = 1 + (unsigned int)i;
		assert_int_equal(gather_dir(fx->dir, &o, &b, &out), 0);
		assert_same(&a, &b);
		assert_memory_equal(&out, &first, sizeof(out));
	}
	/* cut off at both ends, in the middle of intervals */
	o.from_ns = (T0 + 15) * NS, o.to_ns = (T0 + 38) * NS;
	assert_int_equal(gather_dir(fx->dir, &o, &b, &out), 0);
	assert_int_equal(b.intervals, 3);
	assert_int_equal(out.seconds, 23 + 23 + 8);
	o.from_ns = (T0 + 90000) * NS, o.to_ns = INT64_MAX;
	assert_int_equal(gather_dir(fx->dir, &o, &b, &out), -ENODATA);
}

/* 30 s of silence are three intervals, two hours are one, and none before the first and after the last. */
static void silence_is_given_but_not_for_long(void **state)
{
	struct fixture *fx = *state;
	struct feed_opts o = all;
	struct feed_counts out;

	write_host(fx, "one", 1, 20, T0);
	write_host(fx, "one", 100, 20, T0 + 50);
	write_host(fx, "one", 200, 10, T0 + 70 + 7200);
	write_host(fx, "one", 300, 10, T0 + 80 + 7200 + 10 * 86400); /* another file */
	for (o.stretch = 0; o.stretch < 3; o.stretch++) {
		assert_int_equal(gather_dir(fx->dir, &o, &a, &out), 0);
		assert_int_equal(a.intervals, 2 + 3 + 2 + 1 + 1 + 1 + 1);
		assert_true(a.at[2].host == SIZE_MAX && a.at[4].host == SIZE_MAX);
		assert_true(a.at[7].host == SIZE_MAX && a.at[7].from_ns == (T0 + 70) * NS);
		assert_true(a.at[8].host == 0);
		assert_true(a.at[9].host == SIZE_MAX);
		assert_int_equal(a.at[8].boots, 1);
	}
}

static void a_probe_started_anew_is_seen(void **state)
{
	struct fixture *fx = *state;
	struct feed_counts out;

	write_host(fx, "one", 1, 5, T0);
	write_host(fx, "one", 1, 5, T0 + 5);
	assert_int_equal(gather_dir(fx->dir, &all, &a, &out), 0);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.at[0].boots, 2);
	assert_int_equal(a.at[0].seconds, 10);
}

static void errors_end_it(void **state)
{
	struct fixture *fx = *state;
	struct feed_opts o = all;
	char *paths[] = {fx->dir};
	struct feed_counts out;
	struct sources s;

	write_host(fx, "s3", 1, 200, T0);
	assert_int_equal(sources_open(&s, paths, 1, NULL, NULL), 0);
	o.interval_s = 0;
	assert_int_equal(gather_sources(&s, &o, &a, &out), -EINVAL);
	/* damage that only shows when rows are read */
	sql(day_path(fx, T0), "UPDATE chunk SET disk = zeroblob(100) WHERE id = 61");
	o.interval_s = 10;
	assert_int_equal(gather_sources(&s, &o, &a, &out), -EBADMSG);
	sources_release(&s);
}

/* A day of a host whose clock was years off before. */
static void a_wrong_clock_is_an_error_not_a_hang(void **state)
{
	struct fixture *fx = *state;
	struct feed_opts o = all;
	struct feed_counts out;

	write_host(fx, "one", 1, 20, 1000);
	write_host(fx, "one", 100, 20, T0);
	assert_int_equal(gather_dir(fx->dir, &all, &a, &out), -E2BIG);
	o.from_ns = (T0 - 1000) * NS;
	assert_int_equal(gather_dir(fx->dir, &o, &a, &out), 0);
	assert_int_equal(a.intervals, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hops_are_the_sums_of_their_seconds),
		TEST(slices_and_threads_do_not_matter),
		TEST(silence_is_given_but_not_for_long),
		TEST(a_probe_started_anew_is_seen),
		TEST(errors_end_it),
		TEST(a_wrong_clock_is_an_error_not_a_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
