// SPDX-License-Identifier: BSD-2-Clause
/* input/logs/states_away.c: states whose times cannot be right. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/logs/log_source.h"
#include "userspace/common/clock.h"

#define DAY_S	86400
#define NOW_S	1800000000LL
#define AHEAD_S (NOW_S + DAY_S + 60)

static char text[8192];
static int numbers;

/* A map from then to then, in seconds; end 0: it has none. Returns its number. */
static int map(long long start_s, long long end_s)
{
	size_t n = strlen(text);

	n += (size_t)snprintf(text + n, sizeof(text) - n,
			      "MapAttempt TASK_ATTEMPT_ID=\"attempt_1_0001_m_%06d_0\" "
			      "TASK_TYPE=\"MAP\" START_TIME=\"%lld000\" HOSTNAME=\"s1\" .\n",
			      numbers, start_s);
	if (end_s)
		snprintf(text + n, sizeof(text) - n,
			 "MapAttempt TASK_ATTEMPT_ID=\"attempt_1_0001_m_%06d_0\" TASK_TYPE=\"MAP\" "
			 "FINISH_TIME=\"%lld000\" TASK_STATUS=\"SUCCESS\" HOSTNAME=\"s1\" .\n",
			 numbers, end_s);
	return numbers++;
}

static void begin(void)
{
	strcpy(text,
	       "Meta VERSION=\"1\" .\nJob JOBID=\"job_1_0001\" SUBMIT_TIME=\"1799990000000\" .\n");
	numbers = 0;
}

static struct states read_at(int64_t now_ns)
{
	char path[] = "/tmp/limpet-away-XXXXXX";
	struct states s = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	if (now_ns)
		states_now(&s, now_ns);
	assert_int_equal(states_read(&s, path), 0);
	assert_int_equal(states_finish(&s), 0);
	unlink(path);
	return s;
}

static const struct state *number(struct states *s, int n)
{
	char id[40];

	snprintf(id, sizeof(id), "attempt_1_0001_m_%06d_0", n);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->ids.at[s->at[i].id], id))
			return &s->at[i];
	return NULL;
}

static void what_is_ahead_of_the_present_is_left_out(void **state)
{
	int near, end, start, open;
	struct states s;

	(void)state;
	begin();
	for (int i = 0; i < 4; i++)
		map(NOW_S - 100, NOW_S - 90 + i);
	near = map(NOW_S - 100, AHEAD_S - 120); /* a zone may be that */
	end = map(NOW_S - 100, AHEAD_S);
	start = map(AHEAD_S, AHEAD_S + 10);
	open = map(NOW_S - 50, 0);
	strcat(text,
	       "Job JOBID=\"job_1_0001\" FINISH_TIME=\"2795375578865\" JOB_STATUS=\"SUCCESS\" .\n");
	s = read_at(NOW_S * NS_PER_S);
	assert_int_equal(s.counts.away, 2);
	assert_int_equal(s.n, 6);
	assert_non_null(number(&s, near));
	assert_null(number(&s, end));
	assert_null(number(&s, start));
	assert_int_equal(s.job[0].finish_ns, 0);
	assert_int_equal(s.job[0].submit_ns / NS_PER_S, 1799990000);
	/* what is open ends where its log does, and not where the wrong line would have it */
	assert_non_null(number(&s, open));
	assert_int_equal(number(&s, open)->end_ns, (AHEAD_S - 120) * NS_PER_S);
	states_release(&s);
}

static void where_most_are_ahead_the_present_is_wrong(void **state)
{
	struct states s;
	int open;

	(void)state;
	begin();
	for (int i = 0; i < 4; i++)
		map(NOW_S - 100, NOW_S - 90 + i);
	open = map(NOW_S - 50, 0);
	s = read_at(1000 * NS_PER_S);
	assert_int_equal(s.counts.away, 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(number(&s, open)->end_ns, (NOW_S - 50) * NS_PER_S);
	states_release(&s);
}

static void what_lasts_through_months_of_silence_is_left_out(void **state)
{
	int start, end, open, late;
	struct states s;

	(void)state;
	begin();
	for (int i = 0; i < 4; i++)
		map(NOW_S - 100 * DAY_S, NOW_S - 100 * DAY_S + 10 + i);
	start = map(1, NOW_S - 100 * DAY_S + 10);
	end = map(NOW_S - 100 * DAY_S, NOW_S - 60 * DAY_S);
	open = map(1, 0);
	late = map(NOW_S - 50, NOW_S - 10); /* of another time, by itself */
	s = read_at(0);
	assert_int_equal(s.counts.away, 3);
	assert_int_equal(s.n, 5);
	assert_null(number(&s, start));
	assert_null(number(&s, end));
	assert_null(number(&s, open));
	assert_non_null(number(&s, late));
	states_release(&s);
}

static void what_lasts_for_months_beside_others_stays(void **state)
{
	struct states s;

	(void)state;
	begin();
	map(NOW_S - 90 * DAY_S, NOW_S - 10);
	for (int i = 1; i < 7; i++)
		map(NOW_S - i * 14 * DAY_S, NOW_S - i * 14 * DAY_S + 20);
	s = read_at(NOW_S * NS_PER_S);
	assert_int_equal(s.counts.away, 0);
	assert_int_equal(s.n, 7);
	states_release(&s);
	/* nor is anything known to be wrong where all is as long */
	begin();
	map(NOW_S - 90 * DAY_S, NOW_S - 10);
	map(NOW_S - 80 * DAY_S, NOW_S - 10);
	s = read_at(NOW_S * NS_PER_S);
	assert_int_equal(s.n, 2);
	states_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_ahead_of_the_present_is_left_out),
		cmocka_unit_test(where_most_are_ahead_the_present_is_wrong),
		cmocka_unit_test(what_lasts_through_months_of_silence_is_left_out),
		cmocka_unit_test(what_lasts_for_months_beside_others_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
