// SPDX-License-Identifier: BSD-2-Clause
/* series.h: what is written is read back, whatever happens to the writer, the disk and the clock. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "series_util.h"

static void what_is_written_is_read_back(void **state)
{
	struct fixture *fx = *state;
	struct series_reader *r;
	struct found found;
	struct stat st;
	uint64_t n;
	int64_t first, last;

	write_seconds(fx, 0, 100, T0);
	assert_int_equal(stat(day_path(fx, T0), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640 & ~fx->umask);
	assert_int_equal(access(wal_path(fx, T0), F_OK), -1);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_string_equal(series_reader_host(r), "s3");
	assert_int_equal(series_reader_interval_ms(r), 1000);
	assert_int_equal(series_reader_span(r, &n, &first, &last), 0);
	assert_int_equal(n, 100);
	assert_true(first == T0 * NS && last == (T0 + 99) * NS);
	assert_int_equal(read_rows(r, ALL_HISTS, &found), 0);
	for (int f = 0; f < FAM_COUNT; f++)
		assert_int_equal(found.rows[f], 100);
	assert_int_equal(found.wrong, 0);
	for (int h = 0; h < GRID_HISTS; h++)
		assert_int_equal(found.hists[h], 100);
	series_reader_free(r);
	/* Reading leaves nothing behind. */
	assert_int_equal(access(wal_path(fx, T0), F_OK), -1);
}

struct want {
	int64_t from, to;
	int seen, stop_after;
	unsigned int families;
};

static int count_range(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct want *w = arg;

	assert_true(!row->lat && !row->dev && !row->runq);
	assert_true(t->wall_ns >= w->from && t->wall_ns < w->to);
	assert_true(w->families & 1U << row->family);
	return ++w->seen == w->stop_after ? 4711 : 0;
}

static void a_range_is_half_open_and_can_be_stopped(void **state)
{
	struct fixture *fx = *state;
	struct want w = {.from = (T0 + 10) * NS, .to = (T0 + 20) * NS, .families = SERIES_ALL};
	struct series_reader *r;

	write_seconds(fx, 0, 50, T0);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_int_equal(series_reader_rows(r, w.from, w.to, w.families, 0, count_range, &w), 0);
	assert_int_equal(w.seen, 10 * FAM_COUNT);
	w.seen = 0;
	w.stop_after = 7;
	assert_int_equal(series_reader_rows(r, w.from, w.to, w.families, 0, count_range, &w), 4711);
	assert_int_equal(w.seen, 7);
	/* And the reader is good for another call. */
	w.seen = w.stop_after = 0;
	assert_int_equal(series_reader_rows(r, w.from, w.to, w.families, 0, count_range, &w), 0);
	assert_int_equal(w.seen, 10 * FAM_COUNT);
	w.seen = 0;
	w.families = 1U << FAM_NET | 1U << FAM_PROCESS;
	assert_int_equal(series_reader_rows(r, w.from, w.to, w.families, 0, count_range, &w), 0);
	assert_int_equal(w.seen, 20);
	series_reader_free(r);
}

static void host_names_are_checked(void **state)
{
	static const char *const good[] = {"s3", "a", "node-17.example.org", "_x", "9"};
	static const char *const bad[] = {
		"",    ".",
		"..",  ".hidden",
		"-x",  "a/b",
		"a b", "a\nb",
		"é",   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	struct fixture *fx = *state;
	struct series_writer *w;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_null(series_check_host(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct series_writer_opts o = {.dir = fx->dir, .host = bad[i], .interval_ms = 1000};

		assert_non_null(series_check_host(bad[i]));
		assert_int_equal(series_writer_new(&w, &o), -EINVAL);
		assert_null(w);
	}
}

static void days_are_files_and_the_clock_may_step_back(void **state)
{
	static const int64_t jump[] = {-5, 5, -4, 6, -86401, 7};
	struct fixture *fx = *state;
	int64_t midnight = (T0 / 86400 + 1) * 86400;
	struct series_writer *w = writer(fx, "s3");
	struct second s;

	second_init(&s);
	for (int i = 0; i < 6; i++) {
		fill_second(&s, (uint64_t)i, (midnight + jump[i]) * NS);
		assert_int_equal(series_writer_append(w, &s), 0);
	}
	second_release(&s);
	assert_int_equal(series_writer_free(w), 0);
	assert_int_equal(count_seconds(day_path(fx, midnight - 1)), 2);
	assert_int_equal(count_seconds(day_path(fx, midnight)), 3);
	assert_int_equal(count_seconds(day_path(fx, midnight - 86401)), 1);
	/* One run of the probe, though its files were opened again and again. */
	assert_int_equal(query(day_path(fx, midnight), "SELECT count(*) FROM boot"), 1);
	assert_int_equal(query(day_path(fx, midnight - 1), "SELECT count(*) FROM device"), 4);
}

static void every_run_is_told_apart(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w;
	struct second s;

	write_seconds(fx, 0, 5, T0);
	write_seconds(fx, 0, 5, T0 + 5);
	assert_int_equal(count_seconds(day_path(fx, T0)), 10);
	assert_int_equal(query(day_path(fx, T0), "SELECT count(*) FROM boot"), 2);
	assert_int_equal(query(day_path(fx, T0), "SELECT count(DISTINCT boot_id) FROM boot"), 1);
	w = writer(fx, "s3");
	second_init(&s);
	fill_second(&s, 3, (T0 + 20) * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	assert_int_equal(series_writer_append(w, &s), -EEXIST);
	assert_non_null(strstr(series_error(), "second 3"));
	fill_second(&s, 4, (T0 + 20) * NS); /* the same wall clock second is no error */
	assert_int_equal(series_writer_append(w, &s), 0);
	second_release(&s);
	series_writer_free(w);
	assert_int_equal(count_seconds(day_path(fx, T0)), 12);
}

static int collect_device(void *arg, const struct device_identity *id)
{
	struct device_identity *d = arg;

	while (*d->name)
		d++;
	*d = *id;
	return 0;
}

static void a_replaced_disk_is_another_device(void **state)
{
	struct fixture *fx = *state;
	struct device_identity d = {FAM_DISK, "loop3", "Old\nModel", "1", "", 1, 1 << 20, -1, "x"};
	struct device_identity seen[8] = {0};
	struct series_writer *w = writer(fx, "s3");
	struct series_reader *r;
	struct second s;

	second_init(&s);
	for (int i = 0; i < 4; i++) {
		if (i == 1 || i == 3)
			assert_int_equal(series_writer_identity(w, &d), 0);
		fill_second(&s, (uint64_t)i, (T0 + i) * NS);
		assert_int_equal(series_writer_append(w, &s), 0);
		if (i == 2)
			snprintf(d.model, sizeof(d.model), "New");
	}
	second_release(&s);
	series_writer_free(w);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_int_equal(series_reader_devices(r, collect_device, seen), 0);
	series_reader_free(r);
	assert_string_equal(seen[0].model, "Old?Model");
	assert_int_equal(seen[0].rotational, 1);
	assert_true(seen[0].size_bytes == 1 << 20 && seen[0].speed_mbps == -1);
	assert_string_equal(seen[0].detail, "x");
	assert_string_equal(seen[1].name, "eth0");
	assert_string_equal(seen[2].name, "[2001:db8::1]>24007");
	assert_string_equal(seen[3].name, "fio:1234");
	assert_string_equal(seen[4].name, "loop3");
	assert_string_equal(seen[4].model, "New");
	assert_string_equal(seen[5].name, "");
}

static void rename_metric(struct fixture *fx, const char *from, const char *to)
{
	char text[300];
	int64_t id;

	snprintf(text, sizeof(text), "SELECT id FROM metric WHERE family = 'disk' AND name = '%s'",
		 from);
	id = query(day_path(fx, T0), text);
	snprintf(text, sizeof(text),
		 "UPDATE metric SET name = '%s', adler = %u WHERE family = 'disk' AND name = '%s'",
		 to, series_metric_check(id, "disk", to, 0, 1), from);
	sql(day_path(fx, T0), text);
}

/* As of an older limpet, or a newer one with the same schema. */
static void metrics_and_families_may_be_others(void **state)
{
	struct fixture *fx = *state;
	struct found found;
	int measured = 0;

	for (uint64_t seq = 0; seq < 5; seq++)
		measured += !isnan(value_of(seq, M_AWAIT));
	write_seconds(fx, 0, 5, T0);
	rename_metric(fx, "await", "of-the-future/s");
	sql(day_path(fx, T0), "ALTER TABLE chunk DROP COLUMN process;"
			      "ALTER TABLE chunk ADD COLUMN gpu BLOB");
	assert_int_equal(read_file(day_path(fx, T0), &found), 0);
	assert_int_equal(found.rows[FAM_DISK], 5);
	assert_int_equal(found.rows[FAM_PROCESS], 0);
	assert_int_equal(found.wrong, measured); /* NaN now */
	/* Written on, it gets what it lacks. */
	write_seconds(fx, 5, 5, T0 + 5);
	assert_int_equal(
		query(day_path(fx, T0), "SELECT count(*) FROM metric WHERE name = 'await'"), 1);
	sql(day_path(fx, T0), "UPDATE chunk SET process = NULL"); /* refused: it should be there */
	assert_int_equal(read_file(day_path(fx, T0), &found), -EBADMSG);
}

/* A child that holds the writer until it is killed; returns when it has it. */
static pid_t holding_child(struct fixture *fx)
{
	int fd[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = 1000};
		struct series_writer *w;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (series_writer_new(&w, &o) || write(fd[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fd[0], &c, 1), 1);
	close(fd[0]);
	close(fd[1]);
	return pid;
}

static void a_second_writer_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = 1000};
	pid_t pid = holding_child(fx);
	struct series_writer *w, *other;
	char text[32];

	assert_int_equal(series_writer_new(&w, &o), -EBUSY);
	snprintf(text, sizeof(text), "process %d", (int)pid);
	assert_non_null(strstr(series_error(), text));
	other = writer(fx, "s4"); /* another host is no conflict */
	series_writer_free(other);
	/* Nothing of a killed one stays in the way. */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(series_writer_new(&w, &o), 0);
	/* Nor can one process have two. */
	assert_int_equal(series_writer_new(&other, &o), -EBUSY);
	series_writer_free(w);
	assert_int_equal(series_writer_new(&w, &o), 0);
	series_writer_free(w);
}

/* Writes, but not past midnight within a test, and tells of every second that was committed; until killed. */
static pid_t writing_child(struct fixture *fx, uint64_t seq, int *from)
{
	int fd[2];
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct series_writer *w;
		struct second s;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd[0]);
		w = writer(fx, "s3");
		second_init(&s);
		for (;; seq++, usleep(500)) {
			fill_second(&s, seq, (T0 + (int64_t)seq) * NS);
			if (series_writer_append(w, &s) ||
			    write(fd[1], &seq, sizeof(seq)) != (ssize_t)sizeof(seq))
				_exit(1);
		}
	}
	close(fd[1]);
	*from = fd[0];
	return pid;
}

static void sigkill_loses_no_committed_second(void **state)
{
	struct fixture *fx = *state;
	uint64_t next = 0, committed;

	srand(3);
	for (int round = 0; round < 25; round++) {
		struct series_reader *r;
		struct found found;
		int from, status;
		pid_t pid = writing_child(fx, next, &from);

		/* Once it writes, some moment later. */
		assert_int_equal(read(from, &committed, sizeof(committed)), sizeof(committed));
		usleep((useconds_t)(rand() % 20000));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status));
		while (read(from, &committed, sizeof(committed)) == sizeof(committed))
			;
		close(from);
		assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
		assert_int_equal(read_rows(r, ALL_HISTS, &found), 0);
		series_reader_free(r);
		assert_int_equal(found.wrong, 0);
		/* The one after it may be committed and not told. */
		assert_in_range(found.rows[FAM_HOST], committed + 1, committed + 2);
		for (int f = 0; f < FAM_COUNT; f++)
			assert_int_equal(found.rows[f], found.rows[FAM_HOST]);
		next = (uint64_t)found.rows[FAM_HOST];
	}
}

static void a_file_is_read_while_it_is_written(void **state)
{
	struct fixture *fx = *state;
	uint64_t told = 0, first;
	int from, last = 0;
	pid_t pid = writing_child(fx, 0, &from);

	assert_int_equal(read(from, &first, sizeof(first)), sizeof(first));
	fcntl(from, F_SETFL, O_NONBLOCK);
	for (int round = 0; round < 12; round++) {
		struct series_reader *r;
		struct found found;

		while (read(from, &told, sizeof(told)) == sizeof(told))
			;
		assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
		assert_int_equal(read_rows(r, ALL_HISTS, &found), 0);
		assert_int_equal(found.wrong, 0);
		assert_true(found.rows[FAM_DISK] > (int)told && found.rows[FAM_DISK] >= last);
		last = found.rows[FAM_DISK];
		/* The reader stays: a later look sees what came meanwhile. */
		usleep(1000);
		assert_int_equal(read_rows(r, 0, &found), 0);
		assert_true(found.rows[FAM_DISK] >= last);
		series_reader_free(r);
	}
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* reading did not stop the writer */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(from);
}

static void what_is_written_while_the_folder_is_away_is_kept(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	char away[300];
	struct second s;

	second_init(&s);
	fill_second(&s, 0, T0 * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	snprintf(away, sizeof(away), "%s.away", fx->dir);
	assert_int_equal(rename(fx->dir, away), 0);
	fill_second(&s, 1, (T0 + 1) * NS);
	assert_int_equal(series_writer_append(w, &s), SERIES_KEPT);
	assert_non_null(strstr(series_error(), fx->dir));
	assert_int_equal(mkdir(fx->dir, 0755), 0);
	fill_second(&s, 2, (T0 + 2) * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	assert_int_equal(count_seconds(day_path(fx, T0)), 2);
	/* A file that is removed is begun anew. */
	assert_int_equal(unlink(day_path(fx, T0)), 0);
	fill_second(&s, 3, (T0 + 3) * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	fill_second(&s, 4, (T0 + 4) * NS);
	assert_int_equal(series_writer_append(w, &s), 0);
	assert_int_equal(count_seconds(day_path(fx, T0)), 2);
	second_release(&s);
	series_writer_free(w);
	remove_tree(fx->dir);
	assert_int_equal(rename(away, fx->dir), 0);
	assert_int_equal(count_seconds(day_path(fx, T0)), 1);
}

static void a_missing_folder_is_refused_at_once(void **state)
{
	struct series_writer_opts o = {
		.dir = "/nonexistent/folder", .host = "s3", .interval_ms = 1000};
	struct series_writer *w;

	(void)state;
	assert_int_equal(series_writer_new(&w, &o), -ENOENT);
	assert_non_null(strstr(series_error(), "/nonexistent/folder"));
}

static void names_of_files_may_be_odd(void **state)
{
	struct fixture *fx = *state;
	char odd[300];

	write_seconds(fx, 0, 5, T0);
	snprintf(odd, sizeof(odd), "%s/a?mode=rw&b#c%%41 é.limpet", fx->dir);
	assert_int_equal(rename(day_path(fx, T0), odd), 0);
	assert_int_equal(count_seconds(odd), 5);
}

/* ---- needs a small file system: a tmpfs in a mount namespace of a child ----------------------- */

static int read_only_folder(struct fixture *fx)
{
	struct found found;
	int from, err;
	uint64_t seq;
	pid_t pid;

	write_seconds(fx, 0, 5, T0);
	CHILD_CHECK(remount(fx, 1) == 0);
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] == 5);
	CHILD_CHECK(remount(fx, 0) == 0);
	/* What a killed writer leaves: read, or refused with what to do; never passed over. */
	pid = writing_child(fx, 5, &from);
	CHILD_CHECK(read(from, &seq, sizeof(seq)) == sizeof(seq));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(from, &seq, sizeof(seq)) == sizeof(seq))
		;
	CHILD_CHECK(remount(fx, 1) == 0);
	err = read_file(day_path(fx, T0), &found);
	CHILD_CHECK(err ? err == -EACCES && strstr(series_error(), "copy both there")
			: found.rows[0] > (int)seq);
	CHILD_CHECK(remount(fx, 0) == 0);
	unlink(shm_path(fx, T0));
	CHILD_CHECK(remount(fx, 1) == 0);
	err = read_file(day_path(fx, T0), &found);
	CHILD_CHECK(err == -EACCES && strstr(series_error(), "copy both there"));
	CHILD_CHECK(remount(fx, 0) == 0);
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] > (int)seq);
	/* An empty -wal is as good as none. */
	write_seconds(fx, 100000, 1, T0 + 70000);
	CHILD_CHECK(fill_file(wal_path(fx, T0), 0) == 0);
	CHILD_CHECK(remount(fx, 1) == 0);
	CHILD_CHECK(!read_file(day_path(fx, T0), &found) && found.rows[0] > (int)seq + 1);
	CHILD_CHECK(remount(fx, 0) == 0);
	return 0;
}

static void a_folder_that_cannot_be_written_is_read(void **state)
{
	in_small_tmpfs(*state, read_only_folder);
}

static int read_only_writer(struct fixture *fx)
{
	struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = 1000};
	struct series_writer *w;
	struct second s;

	second_init(&s);
	fill_second(&s, 0, T0 * NS);
	CHILD_CHECK(remount(fx, 1) == 0);
	CHILD_CHECK(series_writer_new(&w, &o) == -EROFS);
	CHILD_CHECK(remount(fx, 0) == 0);
	CHILD_CHECK(series_writer_new(&w, &o) == 0);
	CHILD_CHECK(series_writer_append(w, &s) == 0);
	fill_second(&s, 1, (T0 + 1) * NS);
	/* Over it, since a file system with a file open for writing is not remounted. */
	CHILD_CHECK(mount("none", fx->dir, "tmpfs", MS_RDONLY, NULL) == 0);
	CHILD_CHECK(series_writer_append(w, &s) == SERIES_KEPT);
	CHILD_CHECK(strstr(series_error(), "Read-only file system"));
	CHILD_CHECK(umount2(fx->dir, MNT_DETACH) == 0);
	fill_second(&s, 2, (T0 + 2) * NS);
	CHILD_CHECK(series_writer_append(w, &s) == 0);
	CHILD_CHECK(series_writer_free(w) == 0);
	second_release(&s);
	CHILD_CHECK(count_seconds(day_path(fx, T0)) == 3);
	return 0;
}

static void a_read_only_disk_is_waited_for(void **state)
{
	in_small_tmpfs(*state, read_only_writer);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(what_is_written_is_read_back),
		CASE(a_range_is_half_open_and_can_be_stopped),
		CASE(host_names_are_checked),
		CASE(days_are_files_and_the_clock_may_step_back),
		CASE(every_run_is_told_apart),
		CASE(a_replaced_disk_is_another_device),
		CASE(metrics_and_families_may_be_others),
		CASE(a_second_writer_is_refused),
		CASE(sigkill_loses_no_committed_second),
		CASE(a_file_is_read_while_it_is_written),
		CASE(what_is_written_while_the_folder_is_away_is_kept),
		CASE(a_missing_folder_is_refused_at_once),
		CASE(names_of_files_may_be_odd),
		CASE(a_folder_that_cannot_be_written_is_read),
		CASE(a_read_only_disk_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
