// SPDX-License-Identifier: BSD-2-Clause
/* sinks/frames.h: nothing waits for a reader, what is dropped is counted, and every frame that is written is whole. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/options.h"
#include "userspace/probe/sinks/frames.h"
#include "wire_util.h"

static const char *fifo(struct fixture *fx)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/pipe", fx->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

static struct frames *begin(const char *path)
{
	const struct wire_encoder_opts o = {.host = "a", .tool = "test 1", .interval_ms = 1000};
	struct frames *f;

	assert_int_equal(frames_open(&f, path), 0);
	assert_int_equal(frames_begin(f, &o), 0);
	return f;
}

static int write_one(struct frames *f, struct second *s, uint64_t seq)
{
	fill_second(s, seq, (T0 + (int64_t)seq) * NS);
	return frames_write(f, s);
}

struct heard {
	uint64_t frames, lost, last;
	uint64_t own; /* lost in the seconds that came themselves (series_util.h) */
	struct wire_decoder *d;
};

/* What is in the pipe. */
static size_t hear(struct heard *h, int fd)
{
	unsigned char at[65536];
	ssize_t n = read(fd, at, sizeof(at));

	for (size_t from = 0, taken; n > 0 && from < (size_t)n; from += taken) {
		int got = wire_decoder_take(h->d, at + from, (size_t)n - from, &taken);

		assert_true(got >= 0);
		if (!got)
			continue;
		assert_int_equal(wire_decoder_unpack(h->d), 0);
		h->frames++;
		h->lost += wire_decoder_time(h->d)->lost;
		h->own += wire_decoder_time(h->d)->seq % 3;
		h->last = wire_decoder_time(h->d)->seq;
	}
	return n > 0 ? (size_t)n : 0;
}

static void nothing_waits_and_what_is_dropped_is_counted(void **state)
{
	const char *path = fifo(*state);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	struct frames *f = begin(path);
	struct heard h = {0};
	struct second s;
	const uint64_t n = 5000; /* some 8 MB */
	uint64_t all = 0;

	second_init(&s);
	assert_int_equal(wire_decoder_new(&h.d), 0);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(write_one(f, &s, i), 0);
	for (uint64_t i = 0; i <= n; i++)
		all += i % 3;
	assert_true(frames_waiting(f) >= 0);
	while (hear(&h, fd))
		assert_int_equal(frames_flush(f), 0);
	assert_int_equal(frames_waiting(f), -1);
	assert_int_equal(h.last, n - 1);
	assert_true(h.frames > 500 && h.frames < n);
	/* The oldest are dropped: the number of the last of them is said by the next second. */
	assert_int_equal(write_one(f, &s, n), 0);
	hear(&h, fd);
	assert_int_equal(h.last, n);
	assert_int_equal(h.frames + h.lost, n + 1 + all);
	assert_int_equal(frames_close(f, FRAMES_CLOSE_MS, -1), 0);
	assert_int_equal(hear(&h, fd), 0);
	assert_false(wire_decoder_midway(h.d));
	wire_decoder_free(h.d);
	second_release(&s);
	close(fd);
}

static void a_reader_that_leaves_ends_it(void **state)
{
	const char *path = fifo(*state);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	struct frames *f = begin(path);
	struct second s;

	signal(SIGPIPE, SIG_IGN);
	second_init(&s);
	assert_int_equal(write_one(f, &s, 0), 0);
	close(fd);
	assert_int_equal(write_one(f, &s, 1), EXIT_FAILED);
	assert_int_equal(frames_waiting(f), -1);
	assert_int_equal(frames_close(f, FRAMES_CLOSE_MS, -1), 0);
	assert_int_equal(frames_close(NULL, FRAMES_CLOSE_MS, -1), 0);
	second_release(&s);
}

/* Takes little, again and again. */
static void *take_slowly(void *arg)
{
	int fd = *(int *)arg;
	char at[4096];

	while (read(fd, at, sizeof(at)) > 0)
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	return NULL;
}

/* The reader has the time for all that waits, not anew for each piece: 4 MB are a thousand. */
static void a_slow_reader_is_left_at_the_end(void **state)
{
	const char *path = fifo(*state);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	struct frames *f = begin(path);
	struct second s;
	pthread_t reader;

	signal(SIGPIPE, SIG_IGN);
	second_init(&s);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(write_one(f, &s, i), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	assert_int_equal(pthread_create(&reader, NULL, take_slowly, &fd), 0);
	assert_int_equal(frames_close(f, 100, -1), EXIT_FAILED);
	assert_non_null(strstr(said_last(), "has not taken the last"));
	pthread_join(reader, NULL);
	second_release(&s);
	close(fd);
}

/* Who is told to end does not wait: an hour here. */
static void a_signal_ends_the_wait_at_the_end(void **state)
{
	const char *path = fifo(*state);
	int fd = open(path, O_RDONLY | O_NONBLOCK), stop[2];
	struct frames *f = begin(path);
	struct second s;

	second_init(&s);
	for (uint64_t i = 0; frames_waiting(f) < 0; i++)
		assert_int_equal(write_one(f, &s, i), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "x", 1), 1);
	assert_int_equal(frames_close(f, 3600000, stop[0]), EXIT_FAILED);
	assert_non_null(strstr(said_last(), "has not taken the last"));
	close(stop[0]);
	close(stop[1]);
	second_release(&s);
	close(fd);
}

/* A second that no frame can hold is one that is lost, and no end. */
static void a_second_that_is_too_large_is_lost(void **state)
{
	const char *path = fifo(*state);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	struct frames *f = begin(path);
	struct heard h = {0};
	struct second s;

	assert_int_equal(wire_decoder_new(&h.d), 0);
	second_init(&s);
	s.wall_ns = T0 * NS;
	s.interval_s = INTERVAL_S;
	for (int i = 0; i < 60000; i++) {
		char name[INSTANCE_LEN];
		struct second_row *row;

		snprintf(name, sizeof(name), "x%d>1", i);
		row = second_add_row(&s, FAM_REMOTE, name, 0);
		for (int m = metric_first[FAM_REMOTE]; m < metric_first[FAM_REMOTE + 1]; m++)
			second_set(row, m, 1e300 / (i + m));
	}
	assert_int_equal(frames_write(f, &s), 0);
	assert_int_equal(write_one(f, &s, 6), 0);
	hear(&h, fd);
	assert_true(h.frames == 1 && h.lost == h.own + 1 && h.last == 6);
	assert_int_equal(frames_close(f, FRAMES_CLOSE_MS, -1), 0);
	wire_decoder_free(h.d);
	second_release(&s);
	close(fd);
}

static void where_frames_go(void **state)
{
	struct fixture *fx = *state;
	char path[300];
	struct frames *f;
	struct stat st;

	assert_int_equal(frames_open(&f, fifo(fx)), EXIT_FAILED);
	frames_close(f, FRAMES_CLOSE_MS, -1);
	snprintf(path, sizeof(path), "%s/file", fx->dir);
	f = begin(path);
	assert_int_equal(frames_close(f, FRAMES_CLOSE_MS, -1), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640 & ~fx->umask);
	assert_int_equal(frames_open(&f, path), EXIT_FAILED);
	frames_close(f, FRAMES_CLOSE_MS, -1);
	assert_int_equal(frames_open(&f, fx->dir), EXIT_FAILED);
	frames_close(f, FRAMES_CLOSE_MS, -1);
	/* A link is followed if it is ours (safe_open.h), to a place where nothing is yet. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("elsewhere", path), 0);
	if (!geteuid()) {
		assert_int_equal(lchown(path, 65534, 65534), 0);
		assert_int_equal(frames_open(&f, path), EXIT_FAILED);
		frames_close(f, FRAMES_CLOSE_MS, -1);
		assert_int_equal(lchown(path, 0, 0), 0);
	}
	f = begin(path);
	assert_int_equal(frames_close(f, FRAMES_CLOSE_MS, -1), 0);
	assert_int_equal(frames_open(&f, path), EXIT_FAILED);
	frames_close(f, FRAMES_CLOSE_MS, -1);
	snprintf(path, sizeof(path), "%s/elsewhere", fx->dir);
	assert_int_equal(lstat(path, &st), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_waits_and_what_is_dropped_is_counted,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_leaves_ends_it, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_slow_reader_is_left_at_the_end, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_signal_ends_the_wait_at_the_end, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_second_that_is_too_large_is_lost, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(where_frames_go, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
