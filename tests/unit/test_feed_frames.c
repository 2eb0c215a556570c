// SPDX-License-Identifier: BSD-2-Clause
/* source/feed.h, frames: what comes as a stream gives the intervals that files of the same give, and damage costs what it may. */
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

#define LATER ((T0 + 1000000) * NS) /* long after all was recorded */

static const struct feed_opts all = {.to_ns = INT64_MAX, .interval_s = 10, .threads = 1};
static struct kept a, b;

struct pipe {
	int fd[2];
	struct feed *f;
};

static void pipe_open_with(struct pipe *p, const struct feed_opts *o)
{
	assert_int_equal(pipe(p->fd), 0);
	assert_int_equal(feed_of_frames(&p->f, p->fd[0], o), 0);
	memset(&a, 0, sizeof(a));
}

static void pipe_open(struct pipe *p)
{
	pipe_open_with(p, &all);
}

static void pipe_write(struct pipe *p, const void *at, size_t n)
{
	assert_int_equal(write(p->fd[1], at, n), n);
}

/* No more comes: what the feed gives then, until END. */
static ssize_t pipe_end(struct pipe *p, int64_t now_ns)
{
	struct feed_item item;
	ssize_t n;

	close(p->fd[1]);
	n = keep_until(&a, p->f, now_ns);
	if (n >= 0)
		for (int i = 0; i < 2; i++) {
			assert_int_equal(feed_next(p->f, &item), 0);
			assert_int_equal(item.kind, FEED_END);
		}
	return n;
}

static void pipe_close(struct pipe *p)
{
	feed_free(p->f);
	close(p->fd[0]);
}

static struct feed_counts counts(const struct pipe *p)
{
	struct feed_counts n;

	feed_counts(p->f, &n);
	return n;
}

static int count_note(void *arg, const char *line)
{
	struct text *t = arg;

	text_add(t, "%s;", line);
	return 0;
}

static void notes_are(const struct pipe *p, const char *words)
{
	struct text t TEXT_SCOPED = {0};
	const struct feed_left_out to = {NULL, count_note, &t};

	assert_int_equal(feed_left_out(p->f, &to), 0);
	if (!strstr(text_of(&t), words))
		fail_msg("'%s' is not in '%s'", words, text_of(&t));
}

/* ---- the same as of files ---- */

/* What is none of a feed's: kinds that it does not judge, and one that nobody knows yet. */
static void add_others(int64_t sec, struct text *t)
{
	const struct wire_lines lines = {"app/log.1", "7-9", 0, "x\n", 2};
	struct text newer TEXT_SCOPED = {0};

	assert_int_equal(wire_put_copy("one", sec * NS, "lmpw", 4, t), 0);
	assert_int_equal(wire_put_lines("two", sec * NS, &lines, t), 0);
	assert_int_equal(wire_put_copy("three", sec * NS, "", 0, &newer), 0);
	newer.at[AT_KIND] = WIRE_KINDS + (char)(sec % 100);
	seal(&newer);
	text_put_bytes(t, newer.at, newer.len);
}

/* Second i of host "one" or "two", and that of its file. */
static void record(struct series_writer *w, struct wire_encoder *e, int i, int64_t sec,
		   struct text *t)
{
	add_others(sec, t);
	add_frame(e, (uint64_t)i, sec, t);
	append_second(w, (uint64_t)i, sec);
}

/* "two" begins later than "one", and is silent now and then; then both for more than an hour. */
static void record_both(struct fixture *fx, struct text *t)
{
	struct series_writer *v = writer(fx, "one"), *w = writer(fx, "two");
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);

	for (int i = 0; i < 200; i++) {
		int64_t sec = T0 + i + (i > 150 ? 5000 : 0);

		record(v, one, i, sec, t);
		if (i > 4 && (i < 50 || i > 75))
			record(w, two, i, sec, t);
	}
	series_writer_free(v);
	series_writer_free(w);
	wire_encoder_free(one);
	wire_encoder_free(two);
}

static void recorded_frames_give_what_files_give(void **state)
{
	struct fixture *fx = *state;
	struct text t TEXT_SCOPED = {0};
	struct feed_counts files;
	struct pipe p;
	FILE *file = tmpfile();

	record_both(fx, &t);
	assert_int_equal(gather_dir(fx->dir, &all, &b, &files), 0);
	assert_int_equal(fwrite(t.at, t.len, 1, file), 1);
	fflush(file);
	rewind(file);
	pipe_open(&p);
	assert_int_equal(dup2(fileno(file), p.fd[0]), p.fd[0]);
	assert_int_equal(pipe_end(&p, LATER), b.intervals);
	assert_same(&a, &b);
	assert_int_equal(counts(&p).seconds, files.seconds);
	assert_int_equal(counts(&p).lost, files.lost);
	assert_int_equal(counts(&p).duplicates, 0);
	fclose(file);
	pipe_close(&p);
}

/* However they come in, and with the clock of now. */
static void frames_of_now_give_what_files_give(void **state)
{
	struct fixture *fx = *state;
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct series_writer *v = writer(fx, "one"), *w = writer(fx, "two");
	struct feed_counts files;
	struct pipe p;

	pipe_open(&p);
	for (int i = 0; i < 95; i++) {
		struct text t TEXT_SCOPED = {0};

		record(v, one, i, T0 + i, &t);
		record(w, two, i, T0 + i, &t);
		pipe_write(&p, t.at, t.len / 3);
		keep_until(&a, p.f, (T0 + i + 1) * NS - NS / 2);
		pipe_write(&p, t.at + t.len / 3, t.len - t.len / 3);
		keep_until(&a, p.f, (T0 + i + 1) * NS);
		assert_null(feed_trouble(p.f));
		/* 5 s after its end: others may come. */
		if (i >= 15)
			assert_int_equal(a.intervals, (T0 % 10 + i - 5) / 10);
	}
	series_writer_free(v);
	series_writer_free(w);
	wire_encoder_free(one);
	wire_encoder_free(two);
	assert_int_equal(gather_dir(fx->dir, &all, &b, &files), 0);
	pipe_end(&p, (T0 + 95) * NS);
	assert_same(&a, &b);
	pipe_close(&p);
}

/* ---- what comes twice, late, or not at all ---- */

static void of_a_second_that_comes_twice_the_first_counts(void **state)
{
	struct wire_encoder *e = encoder("one", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;
	uint64_t lost;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 10; i++)
		add_frame(e, (uint64_t)i, T0 + i, &t);
	pipe_write(&p, t.at, t.len);
	keep_until(&a, p.f, LATER);
	pipe_write(&p, t.at, t.len);
	/* Another one of the same time: another run, say. */
	text_reset(&t);
	add_frame(e, 1000, T0 + 5, &t);
	pipe_write(&p, t.at, t.len);
	pipe_end(&p, LATER);
	assert_int_equal(counts(&p).seconds, 10);
	assert_int_equal(counts(&p).duplicates, 11);
	assert_int_equal(a.at[0].seconds, 10);
	lost = a.at[0].lost;
	assert_int_equal(lost, 0 + 1 + 2 + 0 + 1 + 2 + 0 + 1 + 2 + 0);
	wire_encoder_free(e);
	pipe_close(&p);
}

static void late_seconds_are_dropped_and_counted(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0),
			    *three = encoder("three", 0);
	struct text t TEXT_SCOPED = {0};
	bool told = false;
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 60; i++) {
		text_reset(&t);
		add_frame(one, (uint64_t)i, T0 + i, &t);
		add_frame(three, (uint64_t)i, T0 + i, &t);
		/* 5 s behind, which is waited for; then 16, which is not. */
		if (i >= 5 && i < 30)
			add_frame(two, (uint64_t)i - 5, T0 + i - 5, &t);
		if (i >= 41)
			add_frame(two, (uint64_t)i - 16, T0 + i - 16, &t);
		pipe_write(&p, t.at, t.len);
		keep_until(&a, p.f, (T0 + i) * NS);
		told |= feed_trouble(p.f) &&
			strstr(feed_trouble(p.f), "of 'two' came more than 5 s late");
	}
	pipe_end(&p, (T0 + 60) * NS);
	assert_int_equal(counts(&p).seconds + counts(&p).duplicates, 2 * 60 + 25 + 19);
	assert_true(counts(&p).duplicates >= 10 && told);
	notes_are(&p, " frames of 'two' left out: too late");
	wire_encoder_free(one);
	wire_encoder_free(three);
	wire_encoder_free(two);
	pipe_close(&p);
}

/* Four a second: each has a place of its own, also where one a second came before. */
static void seconds_may_be_shorter(void **state)
{
	struct wire_encoder_opts o = {.host = "one", .tool = "test", .interval_ms = 250};
	struct wire_encoder *slow = encoder("one", 0), *e;
	struct text t TEXT_SCOPED = {0};
	struct second s;
	struct pipe p;

	(void)state;
	pipe_open(&p);
	assert_int_equal(wire_encoder_new(&e, &o), 0);
	second_init(&s);
	add_frame(slow, 1, T0, &t);
	for (int i = 4; i < 40; i++) {
		fill_second(&s, (uint64_t)i, T0 * NS + i * NS / 4);
		assert_int_equal(wire_encode(e, &s, 0, &t), 0);
	}
	/* The first one again. */
	add_frame(slow, 1, T0, &t);
	pipe_write(&p, t.at, t.len < 60000 ? t.len : 60000);
	keep_until(&a, p.f, LATER);
	if (t.len > 60000)
		pipe_write(&p, t.at + 60000, t.len - 60000);
	pipe_end(&p, LATER);
	assert_int_equal(a.at[0].seconds, 37);
	assert_int_equal(counts(&p).duplicates, 1);
	second_release(&s);
	wire_encoder_free(slow);
	wire_encoder_free(e);
	pipe_close(&p);
}

/* Nobody says anything any more: the time goes on. */
static void a_stream_that_is_silent_goes_on(void **state)
{
	struct wire_encoder *e = encoder("one", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	assert_int_equal(keep_until(&a, p.f, T0 * NS), 0);
	for (int i = 0; i < 15; i++)
		add_frame(e, (uint64_t)i, T0 + i, &t);
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, (T0 + 15) * NS), 0);
	assert_int_equal(keep_until(&a, p.f, (T0 + 16) * NS), 1);
	assert_int_equal(keep_until(&a, p.f, (T0 + 24) * NS), 0);
	assert_int_equal(keep_until(&a, p.f, (T0 + 26) * NS), 1);
	/* A silence is given when it is over. */
	assert_int_equal(keep_until(&a, p.f, (T0 + 56) * NS), 0);
	text_reset(&t);
	for (int i = 50; i < 60; i++)
		add_frame(e, (uint64_t)i, T0 + i, &t);
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, (T0 + 58) * NS), 0);
	assert_int_equal(keep_until(&a, p.f, (T0 + 66) * NS), 4);
	assert_int_equal(a.at[a.n - 2].host, SIZE_MAX);
	pipe_end(&p, (T0 + 57) * NS);
	wire_encoder_free(e);
	pipe_close(&p);
}

/* Nobody read for a while, a terminal's Ctrl-Z say: what waits in the pipe is not late. */
static void what_waits_in_the_pipe_is_not_late(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 60; i++) {
		text_reset(&t);
		add_frame(one, (uint64_t)i, T0 + i, &t);
		add_frame(two, (uint64_t)i, T0 + i, &t);
		pipe_write(&p, t.at, t.len);
		/* The writer is held up by a pipe that is full: a second comes after the other. */
		if (i < 14 || i >= 17)
			keep_until(&a, p.f, (T0 + i + (i < 14 ? 0 : 100)) * NS);
	}
	pipe_end(&p, (T0 + 160) * NS);
	assert_int_equal(counts(&p).seconds, 2 * 60);
	assert_int_equal(counts(&p).duplicates, 0);
	wire_encoder_free(one);
	wire_encoder_free(two);
	pipe_close(&p);
}

/* The frames of the pace that a pipe gives: a server that begins later, 3 s behind, loses nothing. */
static void who_joins_behind_is_waited_for(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0),
			    *three = encoder("three", 0);
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 60; i++) {
		struct text t TEXT_SCOPED = {0};

		add_frame(one, (uint64_t)i, T0 + i, &t);
		add_frame(two, (uint64_t)i, T0 + i, &t);
		if (i >= 20 && i != 30)
			add_frame(three, (uint64_t)i - 3, T0 + i - 3, &t);
		for (size_t at = 0; at < t.len; at += t.len / 6 + 1) {
			pipe_write(&p, t.at + at,
				   t.len - at < t.len / 6 + 1 ? t.len - at : t.len / 6 + 1);
			keep_until(&a, p.f, LATER);
		}
	}
	pipe_end(&p, LATER);
	assert_int_equal(counts(&p).seconds, 2 * 60 + 39);
	assert_int_equal(counts(&p).duplicates, 0);
	wire_encoder_free(one);
	wire_encoder_free(two);
	wire_encoder_free(three);
	pipe_close(&p);
}

/* Of what was recorded the clock of now says nothing: the others do. The one may be the first that comes. */
static void one_clock_that_is_ahead_costs_itself(void **state)
{
	static const struct {
		int from, ahead_s;
		uint64_t taken;
	} cases[] = {{0, 7200, 0}, {20, 7200, 20}, {20, 20, 60}, {0, 40, 60}, {59, 7200, 59}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0),
				    *wrong = encoder("wrong", 0);
		struct text t TEXT_SCOPED = {0};
		struct pipe p;

		pipe_open(&p);
		for (int i = 0; i < 60; i++) {
			text_reset(&t);
			add_frame(wrong, (uint64_t)i,
				  T0 + i + (i < cases[k].from ? 0 : cases[k].ahead_s), &t);
			add_frame(one, (uint64_t)i, T0 + i, &t);
			add_frame(two, (uint64_t)i, T0 + i, &t);
			pipe_write(&p, t.at, t.len);
			keep_until(&a, p.f, LATER);
		}
		pipe_end(&p, LATER);
		if (counts(&p).seconds < 2 * 60 + cases[k].taken || counts(&p).duplicates)
			fail_msg("case %zu: %llu taken, %llu late", k,
				 (unsigned long long)counts(&p).seconds,
				 (unsigned long long)counts(&p).duplicates);
		if (cases[k].ahead_s > 3600)
			notes_are(&p, "left out: the clock they come from is ahead");
		wire_encoder_free(one);
		wire_encoder_free(two);
		wire_encoder_free(wrong);
		pipe_close(&p);
	}
}

/* One server alone: nobody contradicts its gaps, of which each is longer than a window. */
static void a_server_alone_is_believed(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 60; i++) {
		text_reset(&t);
		add_frame(one, (uint64_t)i, T0 + i / 15 * 1000 + i, &t);
		if (i < 20)
			add_frame(two, (uint64_t)i, T0 + i / 15 * 1000 + i, &t);
		pipe_write(&p, t.at, t.len);
		keep_until(&a, p.f, LATER);
	}
	pipe_end(&p, LATER);
	assert_int_equal(counts(&p).seconds, 60 + 20);
	assert_int_equal(counts(&p).duplicates, 0);
	wire_encoder_free(one);
	wire_encoder_free(two);
	pipe_close(&p);
}

/* Servers that were cloned with their name. A router that sends a frame twice is no other probe. */
static void two_probes_of_one_name_are_told(void **state)
{
	(void)state;
	for (int others = 0; others < 2; others++) {
		struct wire_encoder *one = encoder("one", 0), *two;
		struct wire_encoder_opts o = {.host = "one",
					      .tool = "test 1",
					      .interval_ms = 1000,
					      .boot_ns = (T0 - others) * NS};
		struct text t TEXT_SCOPED = {0};
		struct pipe p;

		assert_int_equal(wire_encoder_new(&two, &o), 0);
		pipe_open(&p);
		for (int i = 0; i < 20; i++) {
			text_reset(&t);
			add_frame(one, (uint64_t)i, T0 + i, &t);
			add_frame(two, (uint64_t)i, T0 + i, &t);
			pipe_write(&p, t.at, t.len);
			keep_until(&a, p.f, LATER);
			if (i == 19)
				assert_int_equal(feed_trouble(p.f) != NULL, others);
		}
		pipe_end(&p, LATER);
		assert_int_equal(counts(&p).duplicates, 20);
		notes_are(&p, others ? "20 frames of 'one' left out: another probe" : "");
		wire_encoder_free(one);
		wire_encoder_free(two);
		pipe_close(&p);
	}
}

/* A second in ten minutes, say, and not all servers at once: nobody says near a frame that it is right, and all of it was recorded. */
static void seconds_may_be_far_apart(void **state)
{
	static const char *const names[] = {"one", "two", "three"};
	static const int every_s[] = {20, 60, 600};

	(void)state;
	for (size_t k = 0; k < 3 * sizeof(every_s) / sizeof(*every_s); k++) {
		int n = (int)k % 3 + 1, step_s = every_s[k / 3];
		struct text t TEXT_SCOPED = {0};
		struct pipe p;

		pipe_open(&p);
		for (int i = 0; i < 12; i++) {
			struct wire_encoder *e = encoder(names[i % n], 0);

			text_reset(&t);
			add_frame(e, (uint64_t)(i / n), T0 + i * step_s / n, &t);
			pipe_write(&p, t.at, t.len);
			keep_until(&a, p.f, LATER);
			wire_encoder_free(e);
		}
		pipe_end(&p, LATER);
		if (counts(&p).seconds != 12 || counts(&p).duplicates)
			fail_msg("%d servers, each %d s: %llu taken, %llu late", n, step_s,
				 (unsigned long long)counts(&p).seconds,
				 (unsigned long long)counts(&p).duplicates);
		pipe_close(&p);
	}
}

/* After a gap one server is just beyond the window, and the other one a second before it. */
static void a_gap_of_a_window_costs_nothing(void **state)
{
	(void)state;
	for (int gap_s = 50; gap_s < 110; gap_s++) {
		struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
		struct text t TEXT_SCOPED = {0};
		struct pipe p;

		pipe_open(&p);
		for (int i = 0; i < 10; i++) {
			int64_t sec = T0 + i + (i < 5 ? 0 : gap_s);

			text_reset(&t);
			add_frame(one, (uint64_t)i, sec + 1, &t);
			add_frame(two, (uint64_t)i, sec, &t);
			pipe_write(&p, t.at, t.len);
			keep_until(&a, p.f, LATER);
		}
		pipe_end(&p, LATER);
		if (counts(&p).seconds != 20)
			fail_msg("%d s: %llu taken", gap_s, (unsigned long long)counts(&p).seconds);
		wire_encoder_free(one);
		wire_encoder_free(two);
		pipe_close(&p);
	}
}

/* It is whole, and says nothing: nor of the time, by whatever hosts. */
static void a_frame_that_is_refused_moves_nothing(void **state)
{
	static const char *const names[] = {"bad1", "bad2", "one"};
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct text t TEXT_SCOPED = {0}, bad TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 60; i++) {
		text_reset(&t);
		for (size_t k = 0; k < 3; k++) {
			struct wire_encoder *e = encoder(names[k], 0);

			text_reset(&bad);
			add_frame(e, 1, T0 + i + (i % 2 ? 30 : 7200), &bad);
			bad.len = body_at(bad.at);
			seal(&bad);
			text_put_bytes(&t, bad.at, bad.len);
			wire_encoder_free(e);
		}
		add_frame(one, (uint64_t)i, T0 + i, &t);
		add_frame(two, (uint64_t)i, T0 + i, &t);
		pipe_write(&p, t.at, t.len);
		keep_until(&a, p.f, LATER);
	}
	pipe_end(&p, LATER);
	assert_int_equal(counts(&p).seconds, 2 * 60);
	assert_int_equal(counts(&p).duplicates, 0);
	notes_are(&p, "frames of 'one' left out: damaged");
	wire_encoder_free(one);
	wire_encoder_free(two);
	pipe_close(&p);
}

/* Each may have so many seconds that only some fit. */
static void what_is_held_of_servers_is_bounded(void **state)
{
	const struct feed_opts week = {.to_ns = INT64_MAX, .interval_s = 604800, .threads = 1};
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open_with(&p, &week);
	for (int i = 0; i < 14; i++) {
		struct wire_encoder *e = encoder((char[]){'a', (char)('a' + i), 0}, 0);

		add_frame(e, 1, T0, &t);
		wire_encoder_free(e);
	}
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, LATER), 0);
	assert_non_null(strstr(feed_trouble(p.f), "are all that can be kept"));
	pipe_end(&p, LATER);
	assert_int_equal(counts(&p).seconds, 10);
	notes_are(&p, "4 frames left out: there are too many servers");
	pipe_close(&p);
}

static int sum_left_out(void *arg, const char *line)
{
	if (!strstr(line, "too late")) /* they are duplicates */
		*(uint64_t *)arg += strtoull(line, NULL, 10);
	return 0;
}

/* Hosts that begin, end and leave gaps, with clocks that are anywhere, are refused now and then, and are read at any pace: it ends,
 * and each frame was given or is counted. */
static void of_any_stream_each_frame_is_counted(void **state)
{
	static const int ahead_s[] = {0, 0, 0, 1, 3, 7, 30, 100, 7200, -4, -30, -7200};
	static const char *const names[] = {"a", "b", "c", "d"};

	(void)state;
	srand(17);
	for (int round = 0; round < 300; round++) {
		int hosts = 1 + rand() % 4, offset[4], gap = 0;
		uint64_t sent = 0, left_out = 0;
		const struct feed_left_out to = {NULL, sum_left_out, &left_out};
		bool live = rand() % 2;
		struct pipe p;

		pipe_open(&p);
		for (int h = 0; h < hosts; h++)
			offset[h] = ahead_s[(size_t)rand() % 12];
		for (int i = 0; i < 40; i++) {
			struct text t TEXT_SCOPED = {0};

			gap += rand() % 16 ? 0 : 1 << rand() % 12;
			for (int h = 0; h < hosts; h++) {
				struct wire_encoder *e = encoder(names[h], 0);
				size_t at = t.len;

				if (rand() % 8)
					add_frame(e, (uint64_t)i, T0 + 10000 + i + gap + offset[h],
						  &t);
				if (t.len > at && rand() % 16 == 0)
					t.at[t.len - 1] ^= 1;
				sent += t.len > at;
				if (rand() % 32 == 0)
					offset[h] = ahead_s[(size_t)rand() % 12];
				wire_encoder_free(e);
			}
			pipe_write(&p, text_of(&t), t.len);
			if (rand() % 3)
				assert_true(keep_until(&a, p.f,
						       live ? (T0 + 10000 + i + gap) * NS
							    : LATER) >= 0);
			a.n = 0;
		}
		assert_true(pipe_end(&p, LATER) >= 0);
		assert_int_equal(feed_left_out(p.f, &to), 0);
		if (counts(&p).seconds + counts(&p).duplicates + left_out != sent)
			fail_msg("round %d: %llu given, %llu twice or late, %llu left out, of %llu",
				 round, (unsigned long long)counts(&p).seconds,
				 (unsigned long long)counts(&p).duplicates,
				 (unsigned long long)left_out, (unsigned long long)sent);
		pipe_close(&p);
	}
}

static void a_clock_that_is_ahead_hurries_nobody(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 10; i++) {
		add_frame(one, (uint64_t)i, T0 + i, &t);
		add_frame(two, (uint64_t)i, T0 + i + 86400, &t);
	}
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, (T0 + 10) * NS), 0);
	assert_non_null(strstr(feed_trouble(p.f), "the clock of 'two' is ahead"));
	pipe_end(&p, (T0 + 10) * NS);
	assert_int_equal(counts(&p).seconds, 10);
	notes_are(&p, "10 frames left out: the clock they come from is ahead");
	wire_encoder_free(one);
	wire_encoder_free(two);
	pipe_close(&p);
}

/* ---- damage ---- */

static void a_damaged_body_costs_one_second_of_one_server(void **state)
{
	struct wire_encoder *one = encoder("one", 0), *two = encoder("two", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 10; i++) {
		size_t at = t.len;

		add_frame(one, (uint64_t)i, T0 + i, &t);
		if (i == 4)
			t.at[at + 100] ^= 1;
		add_frame(two, (uint64_t)i, T0 + i, &t);
	}
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, LATER), 0);
	assert_string_equal(feed_trouble(p.f), "a frame of 'one' is damaged, and left out");
	assert_int_equal(pipe_end(&p, LATER), 1);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.at[0].seconds, 9);
	assert_int_equal(a.at[1].seconds, 10);
	notes_are(&p, "1 frame of 'one' left out: damaged");
	wire_encoder_free(one);
	wire_encoder_free(two);
	pipe_close(&p);
}

static void a_damaged_header_ends_it(void **state)
{
	struct wire_encoder *e = encoder("one", 0);
	struct text t TEXT_SCOPED = {0};
	struct feed_item item;
	struct pipe p;

	(void)state;
	pipe_open(&p);
	add_frame(e, 0, T0, &t);
	text_put(&t, "{\"host\":");
	pipe_write(&p, t.at, t.len);
	assert_int_equal(keep_until(&a, p.f, LATER), -EPROTO);
	assert_int_equal(feed_next(p.f, &item), -EPROTO);
	close(p.fd[1]);
	wire_encoder_free(e);
	pipe_close(&p);
}

static void a_stream_that_is_cut_gives_what_it_has(void **state)
{
	struct wire_encoder *e = encoder("one", 0);
	struct text t TEXT_SCOPED = {0};
	struct pipe p;

	(void)state;
	pipe_open(&p);
	for (int i = 0; i < 10; i++)
		add_frame(e, (uint64_t)i, T0 + i, &t);
	pipe_write(&p, t.at, t.len - 1);
	pipe_end(&p, LATER);
	assert_int_equal(a.at[0].seconds, 9);
	notes_are(&p, "the stream ends in the middle of a frame");
	wire_encoder_free(e);
	pipe_close(&p);
	pipe_open(&p);
	assert_int_equal(pipe_end(&p, LATER), 0);
	assert_int_equal(a.n, 0);
	pipe_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recorded_frames_give_what_files_give, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(frames_of_now_give_what_files_give, fixture_setup,
						fixture_teardown),
		cmocka_unit_test(of_a_second_that_comes_twice_the_first_counts),
		cmocka_unit_test(late_seconds_are_dropped_and_counted),
		cmocka_unit_test(seconds_may_be_shorter),
		cmocka_unit_test(a_stream_that_is_silent_goes_on),
		cmocka_unit_test(what_waits_in_the_pipe_is_not_late),
		cmocka_unit_test(who_joins_behind_is_waited_for),
		cmocka_unit_test(one_clock_that_is_ahead_costs_itself),
		cmocka_unit_test(a_server_alone_is_believed),
		cmocka_unit_test(two_probes_of_one_name_are_told),
		cmocka_unit_test(seconds_may_be_far_apart),
		cmocka_unit_test(a_gap_of_a_window_costs_nothing),
		cmocka_unit_test(a_frame_that_is_refused_moves_nothing),
		cmocka_unit_test(what_is_held_of_servers_is_bounded),
		cmocka_unit_test(of_any_stream_each_frame_is_counted),
		cmocka_unit_test(a_clock_that_is_ahead_hurries_nobody),
		cmocka_unit_test(a_damaged_body_costs_one_second_of_one_server),
		cmocka_unit_test(a_damaged_header_ends_it),
		cmocka_unit_test(a_stream_that_is_cut_gives_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
