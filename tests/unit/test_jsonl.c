// SPDX-License-Identifier: BSD-2-Clause
/* jsonl.h: every line is one valid object that gives back what went in, or there is an error. */
#include "unit.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/probe/sinks/jsonl.h"

static void fill(struct second *s)
{
	struct second_row *row;

	second_init(s);
	s->seq = 12;
	s->wall_ns = 1795230000000000000LL;
	s->late_ns = 200000;
	s->interval_s = 1.0001;
	row = second_add_row(s, FAM_DISK, "loop3", 1);
	second_set(row, M_R_S, 23);
	second_set(row, M_AWAIT, INFINITY);
	row->lat->n[OP_READ][0][20] = 7;
	row->lat->n[OP_WRITE][2][LAT_BUCKETS - 1] = UINT32_MAX;
	row = second_add_row(s, FAM_NET, "eth0", 0);
	second_set(row, M_RXKB_S, 0.5);
	second_set(second_add_row(s, FAM_TCP, "", 0), M_TCPSCK, 3);
	second_set(second_add_row(s, FAM_HOST, "", 0), M_CSWCH_S, 1234.5678);
}

/* The objects written by n calls; checks that each is one line. */
static json_t *lines(const struct second *s, int n)
{
	char *text = NULL, *at, *end;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *all = json_array();

	assert_non_null(f);
	for (int i = 0; i < n; i++)
		assert_int_equal(jsonl_write(f, "s3", s, -1), 0);
	fclose(f);
	for (at = text; *at; at = end + 1) {
		json_t *o;

		end = strchr(at, '\n');
		assert_non_null(end);
		o = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
		assert_true(json_is_object(o));
		json_array_append_new(all, o);
	}
	free(text);
	assert_int_equal(json_array_size(all), n);
	return all;
}

static void a_line_gives_back_the_second(void **state)
{
	json_t *all, *o, *disk, *bucket;
	struct second s;

	(void)state;
	fill(&s);
	all = lines(&s, 2);
	o = json_array_get(all, 1);
	assert_string_equal(json_string_value(json_object_get(o, "host")), "s3");
	assert_string_equal(json_string_value(json_object_get(o, "time")), "2026-11-21T03:00:00Z");
	assert_int_equal(json_integer_value(json_object_get(o, "seq")), 12);
	assert_true(fabs(json_real_value(json_object_get(o, "interval_s")) - 1.0001) < 1e-9);
	assert_true(fabs(json_real_value(json_object_get(o, "late_ms")) - 0.2) < 1e-9);
	disk = json_object_get(json_object_get(o, "disk"), "loop3");
	assert_true(json_real_value(json_object_get(disk, "r/s")) == 23);
	assert_null(json_object_get(disk, "rxkB/s"));
	bucket = json_object_get(json_object_get(json_object_get(disk, "lat"), "read"), "<=16K");
	assert_int_equal(json_array_size(bucket), 1);
	bucket = json_array_get(bucket, 0);
	assert_true(fabs(json_number_value(json_array_get(bucket, 0)) -
			 (double)bucket_low(20, LAT_SUB_BITS) * 0.256) < 1e-6);
	assert_int_equal(json_integer_value(json_array_get(bucket, 2)), 7);
	o = json_object_get(o, "system");
	assert_true(fabs(json_real_value(json_object_get(o, "cswch/s")) - 1234.5678) < 1e-3);
	json_decref(all);
	second_release(&s);
}

static void not_measured_is_null(void **state)
{
	json_t *all, *disk, *bucket;
	struct second s;

	(void)state;
	fill(&s);
	s.interval_s = NAN;
	all = lines(&s, 1);
	disk = json_object_get(json_array_get(all, 0), "disk");
	disk = json_object_get(disk, "loop3");
	assert_true(json_is_null(json_object_get(disk, "w/s")));
	assert_true(json_is_null(json_object_get(disk, "await")));
	assert_true(json_is_null(json_object_get(json_array_get(all, 0), "interval_s")));
	bucket = json_object_get(json_object_get(json_object_get(disk, "lat"), "write"), ">128K");
	bucket = json_array_get(bucket, 0);
	assert_true(json_is_null(json_array_get(bucket, 1)));
	assert_true(json_integer_value(json_array_get(bucket, 2)) == UINT32_MAX);
	json_decref(all);
	second_release(&s);
}

static void odd_names_still_give_valid_json(void **state)
{
	struct second s;

	(void)state;
	second_init(&s);
	s.wall_ns = 250000000;
	second_add_row(&s, FAM_DISK, "a\"b\\c\n\x1b\xff", 0);
	json_decref(lines(&s, 1));
	second_release(&s);
}

static void a_closed_pipe_is_an_error(void **state)
{
	struct second s;
	int fd[2];
	FILE *f;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	fill(&s);
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	f = fdopen(fd[1], "w");
	assert_int_equal(jsonl_write(f, "s3", &s, -1), -EPIPE);
	fclose(f);
	second_release(&s);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *f = fopen("/dev/full", "w");
	struct second s;

	(void)state;
	if (!f)
		SKIP("there is no /dev/full");
	fill(&s);
	assert_int_equal(jsonl_write(f, "s3", &s, -1), -ENOSPC);
	fclose(f);
	second_release(&s);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A reader slower than the writer, and signals all the time: still whole lines. */
static void signals_do_not_cut_lines(void **state)
{
	struct sigaction sa = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {0};
	struct second s;
	int fd[2], status;
	pid_t pid;
	FILE *f;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int n = 0, bad = 0;
		char *line = NULL;
		size_t cap = 0;
		ssize_t len;

		close(fd[1]);
		f = fdopen(fd[0], "r");
		while ((len = getline(&line, &cap, f)) > 0) {
			json_t *o = json_loadb(line, (size_t)len, 0, NULL);

			bad += !json_is_object(o);
			json_decref(o);
			n++;
			if (n % 100 == 0)
				usleep(2000);
		}
		free(line);
		_exit(bad || n != 1000);
	}
	close(fd[0]);
	f = fdopen(fd[1], "w");
	fill(&s);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(jsonl_write(f, "s3", &s, -1), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	fclose(f);
	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
	second_release(&s);
}

static void what_is_missing_is_in_the_line(void **state)
{
	struct second s;
	json_t *all, *list;

	(void)state;
	fill(&s);
	s.missing = "sched: this kernel has no field 'rq.clock'\nhost: \"quoted\"\n";
	all = lines(&s, 1);
	list = json_object_get(json_array_get(all, 0), "missing");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(json_string_value(json_array_get(list, 0)),
			    "sched: this kernel has no field 'rq.clock'");
	assert_string_equal(json_string_value(json_array_get(list, 1)), "host: \"quoted\"");
	json_decref(all);
	s.missing = NULL;
	all = lines(&s, 1);
	assert_null(json_object_get(json_array_get(all, 0), "missing"));
	json_decref(all);
	second_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_in_the_line),
		cmocka_unit_test(a_line_gives_back_the_second),
		cmocka_unit_test(not_measured_is_null),
		cmocka_unit_test(odd_names_still_give_valid_json),
		cmocka_unit_test(a_closed_pipe_is_an_error),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(signals_do_not_cut_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
