// SPDX-License-Identifier: BSD-2-Clause
/* All servers' tasks take longer than before: said, and no server is indicted for it. */
#include "states_jobs.h"

#include <string.h>

#include "analyzer/verdict/sentences.h"

static void all_are(double times)
{
	for (size_t i = 0; i < JOB_NODES; i++)
		slow[i] = times;
}

/* What is said of it; NULL: nothing. */
static const struct notice *said(void)
{
	judge();
	for (size_t i = 0; i < verdict.n_notices; i++)
		if (verdict.notices[i].kind == NOTICE_FLEET)
			return &verdict.notices[i];
	return NULL;
}

static void that_all_slowed_is_the_verdict(void **arg)
{
	char text[SENTENCE_LEN];
	const struct notice *m;
	double at;

	(void)arg;
	at = run_tasks(STATE_MAP, 1, 120, 10, 0);
	all_are(3);
	run_tasks(STATE_MAP, 1, 120, 10, at);
	m = said();
	only(NULL);
	assert_non_null(m);
	assert_string_equal(verdict_word(&verdict), "all-slow");
	assert_true(fabs(m->ratio - 3) < 0.5);
	assert_true(fabs((double)(m->from_ns - JOB_T0) / 1e9 - at) < 15);
	assert_int_equal(m->servers, JOB_NODES);
	assert_true(m->signal == SIGNAL_ALL);
	sentence_notice(&verdict, m, text);
	assert_non_null(strstr(text, ", so that none stands out: a map takes "));
}

/* Jobs of one program are alike, if they are as large; of another program, or of another size, nothing is known. */
static void a_later_job_of_the_same_program_tells(void **arg)
{
	struct state_job jobs[2] = {{.name = 0, .maps = 120, .reduces = 2},
				    {.name = 0, .maps = 120, .reduces = 2}};
	double at;

	(void)arg;
	at = run_tasks(STATE_MAP, 1, 120, 10, 0);
	all_are(3);
	run_tasks(STATE_MAP, 2, 120, 10, at);
	states.job = jobs;
	assert_non_null(said());
	jobs[1].maps = 240;
	assert_null(said());
	jobs[1].maps = 120;
	jobs[1].name = 1;
	assert_null(said());
	jobs[0].name = jobs[1].name = STATE_NONE;
	assert_null(said());
	states.job = NULL;
}

static void it_is_over_when_they_are_as_quick_again(void **arg)
{
	const struct notice *m;
	double from, to;

	(void)arg;
	from = run_tasks(STATE_MAP, 1, 120, 10, 0);
	all_are(3);
	to = run_tasks(STATE_MAP, 1, 120, 10, from);
	all_are(1);
	run_tasks(STATE_MAP, 1, 240, 10, to);
	m = said();
	assert_non_null(m);
	assert_true(fabs((double)(m->from_ns - JOB_T0) / 1e9 - from) < 15);
	assert_true(fabs((double)(m->to_ns - JOB_T0) / 1e9 - to) < 45);
}

static void healthy_jobs_and_one_slow_server_are_none(void **arg)
{
	double at;

	(void)arg;
	for (size_t k = 0; k < 40; k++) {
		end_jobs(NULL);
		start_jobs(NULL);
		rng_seed(&noise, 300 + k);
		run_tasks(STATE_REDUCER, 1, 24, 40, run_tasks(STATE_MAP, 1, 120, 10, 0));
		assert_null(said());
	}
	at = run_tasks(STATE_MAP, 1, 120, 10, 1000);
	slow[3] = 6;
	run_tasks(STATE_MAP, 1, 120, 10, at);
	assert_null(said());
}

/* Twice as many tasks at a time take twice as long: that is no trouble. */
static void more_tasks_at_a_time_explain_it(void **arg)
{
	double at;

	(void)arg;
	at = run_tasks(STATE_MAP, 1, 120, 10, 0);
	all_are(2.6);
	run_tasks(STATE_MAP, 1, 120, 10, at);
	assert_non_null(said());
	run_tasks(STATE_MAP, 1, 120, 10, at);
	assert_null(said());
}

/* On one of six servers tasks are as quick as they were: that five have one trouble is for the look at each. */
static void not_where_one_is_as_quick_as_before(void **arg)
{
	double at;

	(void)arg;
	at = run_tasks(STATE_MAP, 1, 120, 10, 0);
	all_are(3);
	slow[4] = 1;
	run_tasks(STATE_MAP, 1, 120, 10, at);
	assert_null(said());
}

#define JOB_TEST(f) cmocka_unit_test_setup_teardown(f, start_jobs, end_jobs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(that_all_slowed_is_the_verdict),
		JOB_TEST(a_later_job_of_the_same_program_tells),
		JOB_TEST(it_is_over_when_they_are_as_quick_again),
		JOB_TEST(healthy_jobs_and_one_slow_server_are_none),
		JOB_TEST(more_tasks_at_a_time_explain_it),
		JOB_TEST(not_where_one_is_as_quick_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
