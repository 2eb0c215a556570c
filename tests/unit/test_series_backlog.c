// SPDX-License-Identifier: BSD-2-Clause
/* series.h: a disk that is full for a while costs no second, or exactly as many as are said. */
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

static char ballast[2][300];

/* Takes all the room there is. */
static int fill_up(struct fixture *fx, int which)
{
	static const char zeros[4096];
	int fd;

	snprintf(ballast[which], sizeof(ballast[which]), "%s/ballast%d", fx->dir, which);
	fd = open(ballast[which], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return -1;
	for (size_t n = sizeof(zeros); n; n /= 2)
		while (write(fd, zeros, n) > 0)
			;
	return close(fd);
}

/* With room for a -wal, which is 4 MiB long before it is begun anew. */
static struct series_writer *small_writer(struct fixture *fx, size_t backlog_bytes)
{
	struct series_writer_opts o = {
		.dir = fx->dir, .host = "s3", .interval_ms = 1000, .backlog_bytes = backlog_bytes};
	struct series_writer *w = NULL;

	if (mount("none", fx->dir, "none", MS_REMOUNT, "size=8m"))
		return NULL;
	return series_writer_new(&w, &o) ? NULL : w;
}

static int append(struct series_writer *w, uint64_t seq, int64_t sec)
{
	struct second s;
	int err;

	second_init(&s);
	fill_second(&s, seq, sec * NS);
	err = series_writer_append(w, &s);
	second_release(&s);
	return err;
}

/* Writes until the full disk is noticed, and makes sure it stays full. Returns how many are kept. */
static int until_full(struct fixture *fx, struct series_writer *w, uint64_t *seq)
{
	int err = 0;

	for (; !err && *seq < 1000; ++*seq) {
		err = append(w, *seq, T0 + (int64_t)*seq);
		if (*seq == 20)
			fill_up(fx, 0);
	}
	fill_up(fx, 1);
	return err == SERIES_KEPT;
}

static int nothing_lost(struct fixture *fx)
{
	struct series_writer *w = small_writer(fx, 0);
	uint64_t seq = 0, kept, dropped, first;
	struct found found;

	CHILD_CHECK(w);
	CHILD_CHECK(until_full(fx, w, &seq));
	CHILD_CHECK(strstr(series_error(), "No space left on device"));
	first = seq - 1;
	CHILD_CHECK(first > 20);
	for (int i = 0; i < 100; i++, seq++) {
		CHILD_CHECK(append(w, seq, T0 + (int64_t)seq) == SERIES_KEPT);
		CHILD_CHECK(strstr(series_error(), "No space left on device"));
		series_writer_backlog(w, &kept, &dropped);
		CHILD_CHECK(kept == seq + 1 - first && !dropped);
	}
	/* What was written before can be read all the time. */
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] == (int)first);
	CHILD_CHECK(append(w, 5, T0) == -EEXIST); /* one that is there, while some are kept */
	unlink(ballast[0]);
	unlink(ballast[1]);
	CHILD_CHECK(append(w, seq, T0 + (int64_t)seq) == 0);
	series_writer_backlog(w, &kept, &dropped);
	CHILD_CHECK(!kept && !dropped);
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] == (int)seq + 1);
	CHILD_CHECK(found.wrong == 0);
	CHILD_CHECK(series_writer_free(w) == 0);
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] == (int)seq + 1);
	CHILD_CHECK(found.wrong == 0 && found.hists[0] == (int)seq + 1);
	return 0;
}

static void a_full_disk_loses_nothing(void **state)
{
	in_small_tmpfs(*state, nothing_lost);
}

struct losses {
	uint64_t extra, at, seen;
};

static int count_lost(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct losses *l = arg;

	(void)row;
	l->seen++;
	if (t->lost != t->seq % 3) {
		l->extra += t->lost - t->seq % 3;
		l->at = t->seq;
	}
	return 0;
}

static int some_dropped(struct fixture *fx)
{
	struct series_writer *w = small_writer(fx, 60000);
	uint64_t seq = 0, kept, dropped, first;
	struct losses l = {0};
	struct series_reader *r;

	CHILD_CHECK(w);
	CHILD_CHECK(until_full(fx, w, &seq));
	first = seq - 1;
	for (int i = 0; i < 300; i++, seq++)
		CHILD_CHECK(append(w, seq, T0 + (int64_t)seq) == SERIES_KEPT);
	series_writer_backlog(w, &kept, &dropped);
	CHILD_CHECK(kept > 5 && dropped > 5 && kept + dropped == seq - first);
	unlink(ballast[0]);
	unlink(ballast[1]);
	CHILD_CHECK(append(w, seq, T0 + (int64_t)seq) == 0);
	seq++;
	/* One more went in, so one more may have gone. */
	series_writer_backlog(w, &kept, &dropped);
	CHILD_CHECK(!kept);
	CHILD_CHECK(series_writer_free(w) == 0);
	CHILD_CHECK(!series_reader_new(&r, day_path(fx, T0)));
	CHILD_CHECK(!series_reader_rows(r, 0, INT64_MAX, 1U << FAM_HOST, 0, count_lost, &l));
	series_reader_free(r);
	CHILD_CHECK(l.seen == seq - dropped);
	CHILD_CHECK(l.extra == dropped && l.at == first + dropped);
	return 0;
}

static void what_is_dropped_is_counted(void **state)
{
	in_small_tmpfs(*state, some_dropped);
}

/* Kept over midnight, each second goes into its day; what remains at the end is told. */
static int over_midnight(struct fixture *fx)
{
	int64_t midnight = (T0 / 86400 + 1) * 86400;
	struct series_writer *w = small_writer(fx, 0);
	struct found found;

	CHILD_CHECK(w);
	CHILD_CHECK(append(w, 0, midnight - 20) == 0);
	fill_up(fx, 0);
	for (int i = 1; i < 40; i++) {
		int err = append(w, (uint64_t)i, midnight - 20 + i);

		CHILD_CHECK(err == 0 || err == SERIES_KEPT);
		CHILD_CHECK(fill_up(fx, 1) == 0);
	}
	unlink(ballast[0]);
	unlink(ballast[1]);
	CHILD_CHECK(append(w, 40, midnight + 20) == 0);
	CHILD_CHECK(!read_file(day_path(fx, midnight - 1), &found));
	CHILD_CHECK(found.rows[FAM_DISK] == 20 && !found.wrong);
	CHILD_CHECK(!read_file(day_path(fx, midnight), &found));
	CHILD_CHECK(found.rows[FAM_DISK] == 21 && !found.wrong);
	fill_up(fx, 0);
	for (uint64_t i = 41; i < 300; i++) {
		if (append(w, i, midnight - 20 + (int64_t)i) == SERIES_KEPT && i > 290)
			break;
		fill_up(fx, 1);
	}
	CHILD_CHECK(series_writer_free(w) == -ENOSPC);
	CHILD_CHECK(strstr(series_error(), "seconds are lost that could not be written"));
	return 0;
}

static void midnight_may_pass_meanwhile(void **state)
{
	in_small_tmpfs(*state, over_midnight);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(a_full_disk_loses_nothing),
		CASE(what_is_dropped_is_counted),
		CASE(midnight_may_pass_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
