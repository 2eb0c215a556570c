// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h, feed_of_merged(): servers of which files grow here and servers whose frames come, as one feed: what files of all of them
 * give. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/source/feed.h"
#include "wire_util.h"
/* after series_util.h */
#include "robust_intervals.h"

static const struct feed_opts all = {
	.from_ns = INT64_MIN, .to_ns = INT64_MAX, .interval_s = 10, .threads = 1};
static struct kept a, b;

/* Frames through a pipe, and files that grow in a folder of their own. */
struct merged {
	int fd[2];
	struct fixture here;
	struct feed *f;
};

static void merged_open(struct merged *m, const struct fixture *fx)
{
	char *paths[] = {m->here.dir};
	struct feed *parts[2];

	snprintf(m->here.dir, sizeof(m->here.dir), "%.240s/here", fx->dir);
	assert_int_equal(mkdir(m->here.dir, 0700), 0);
	assert_int_equal(pipe(m->fd), 0);
	assert_int_equal(feed_of_frames(&parts[0], m->fd[0], &all), 0);
	assert_int_equal(feed_of_growing(&parts[1], paths, 1, &all), 0);
	assert_int_equal(feed_of_merged(&m->f, parts, 2, &all), 0);
	memset(&a, 0, sizeof(a));
}

static void merged_close(struct merged *m)
{
	feed_free(m->f);
	close(m->fd[0]);
	close(m->fd[1]);
}

static void send_frame(struct merged *m, struct wire_encoder *e, int i)
{
	struct text t TEXT_SCOPED = {0};

	add_frame(e, (uint64_t)i, T0 + i, &t);
	assert_int_equal(write(m->fd[1], t.at, t.len), t.len);
}

static uint64_t duplicates(const struct merged *m)
{
	struct feed_counts n;

	feed_counts(m->f, &n);
	return n.duplicates;
}

/* Both are away now and then, one after the other and together. */
static bool is_there(int host, int i)
{
	return host ? i > 4 && (i < 60 || i > 95) && (i < 120 || i > 175) : i < 120 || i > 180;
}

static void what_files_of_all_give(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *one = writer(fx, "one"), *two = writer(fx, "two"), *one_here;
	struct wire_encoder *e = encoder("two", 0);
	struct feed_counts files;
	struct merged m;

	merged_open(&m, fx);
	one_here = writer(&m.here, "one");
	for (int i = 0; i < 290; i++) {
		if (is_there(0, i) && i < 260) {
			append_second(one, (uint64_t)i, T0 + i);
			append_second(one_here, (uint64_t)i, T0 + i);
		}
		if (is_there(1, i) && i < 260) {
			append_second(two, (uint64_t)i, T0 + i);
			send_frame(&m, e, i);
		}
		assert_true(keep_until(&a, m.f, (T0 + i + 1) * NS) >= 0);
	}
	assert_null(feed_trouble(m.f));
	series_writer_free(one);
	series_writer_free(two);
	assert_int_equal(gather_dir(fx->dir, &all, &b, &files), 0);
	assert_int_equal(b.intervals, 26);
	assert_string_equal(a.host[0], "one");
	assert_string_equal(a.host[1], "two");
	assert_same(&a, &b);
	assert_int_equal(duplicates(&m), 0);
	series_writer_free(one_here);
	wire_encoder_free(e);
	merged_close(&m);
}

static void a_server_of_both_is_one(void **state)
{
	struct series_writer *here;
	struct wire_encoder *e = encoder("one", 0);
	struct merged m;

	merged_open(&m, *state);
	here = writer(&m.here, "one");
	for (int i = 0; i < 70; i++) {
		if (i < 40) {
			append_second(here, (uint64_t)i, T0 + i);
			send_frame(&m, e, i);
		}
		assert_true(keep_until(&a, m.f, (T0 + i + 1) * NS) >= 0);
	}
	assert_int_equal(a.hosts, 1);
	assert_int_equal(a.intervals, 4);
	assert_int_equal(a.n, 4);
	assert_int_equal(a.at[3].seconds, 10);
	assert_int_equal(duplicates(&m), 40);
	series_writer_free(here);
	wire_encoder_free(e);
	merged_close(&m);
}

/* The others are kept waiting by what never says anything for a minute, and what comes a minute late is dropped, and counted. */
static void what_is_away_costs_nobody_else(void **state)
{
	struct series_writer *here;
	struct wire_encoder *e = encoder("one", 0);
	struct merged m;

	merged_open(&m, *state);
	here = writer(&m.here, "two");
	for (int i = 0; i < 100; i++) {
		send_frame(&m, e, i);
		assert_true(keep_until(&a, m.f, (T0 + i + 1) * NS) >= 0);
		/* 5 s after the end of each, and a look later */
		if (i >= 70)
			assert_true(a.intervals >= (size_t)(i - 7) / 10);
	}
	for (int i = 20; i < 40; i++)
		append_second(here, (uint64_t)i, T0 + i);
	for (int i = 90; i < 130; i++) {
		append_second(here, (uint64_t)i, T0 + i);
		if (i >= 100)
			send_frame(&m, e, i);
		assert_true(keep_until(&a, m.f, (T0 + i + 1) * NS) >= 0);
	}
	assert_true(keep_until(&a, m.f, (T0 + 160) * NS) >= 0);
	assert_int_equal(a.hosts, 2);
	assert_int_equal(a.intervals, 13);
	assert_true(duplicates(&m) >= 20);
	assert_true(a.at[a.n - 1].host == 1 && a.at[a.n - 2].host == 0);
	series_writer_free(here);
	wire_encoder_free(e);
	merged_close(&m);
}

/* The numbers go on after servers that were known before. */
static void known_servers_have_their_numbers(void **state)
{
	static const char *const names[] = {"old", "two"};
	struct fixture *fx = *state;
	struct feed_opts o = all;
	struct feed_item item;
	struct feed *parts[2];
	struct merged m = {0};
	char *paths[] = {m.here.dir};

	snprintf(m.here.dir, sizeof(m.here.dir), "%.240s/known", fx->dir);
	assert_int_equal(mkdir(m.here.dir, 0700), 0);
	write_host(&m.here, "new", 0, 20, T0);
	write_host(&m.here, "two", 0, 20, T0);
	assert_int_equal(pipe(m.fd), 0);
	o.servers = names;
	o.n_servers = 2;
	o.from_ns = T0 * NS;
	assert_int_equal(feed_of_frames(&parts[0], m.fd[0], &o), 0);
	o.servers = NULL;
	o.n_servers = 0;
	assert_int_equal(feed_of_growing(&parts[1], paths, 1, &o), 0);
	o.servers = names;
	o.n_servers = 2;
	assert_int_equal(feed_of_merged(&m.f, parts, 2, &o), 0);
	feed_now(m.f, (T0 + 60) * NS);
	assert_int_equal(feed_next(m.f, &item), 0);
	assert_int_equal(item.kind, FEED_SERVER);
	assert_int_equal(item.server, 2);
	assert_string_equal(item.named.name, "new");
	while (!feed_next(m.f, &item) && item.kind != FEED_ROW)
		assert_int_not_equal(item.kind, FEED_SERVER);
	assert_int_equal(item.server, 1);
	assert_int_equal(feed_next(m.f, &item), 0);
	assert_true(item.kind == FEED_ROW && item.server == 2);
	merged_close(&m);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_files_of_all_give),
		TEST(a_server_of_both_is_one),
		TEST(what_is_away_costs_nobody_else),
		TEST(known_servers_have_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
