// SPDX-License-Identifier: BSD-2-Clause
/* Probes that are started anew: said, with the time, and nobody is indicted for it. */
#include "robust_fleet.h"

#include "analyzer/verdict/sentences.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/methods/examine_sources.h"
#include "userspace/series/series.h"
#include "series_util.h"
#include "robust_intervals.h"

#define S 1000000000LL

static size_t restarts(const struct verdict *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_notices; i++)
		n += a->notices[i].kind == NOTICE_RESTART;
	return n;
}

static const struct notice *restart_of(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == NOTICE_RESTART && a->notices[i].node == node)
			return &a->notices[i];
	fail_msg("no notice that server %zu's probe was started anew", node);
	return NULL;
}

static void one_run_is_no_restart(void **state)
{
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 1);
	fleet_lasts(&f, 100);
	f.silent[3] = true; /* away for a while, and the same run again */
	fleet_lasts(&f, 100);
	f.silent[3] = false;
	fleet_lasts(&f, 100);
	assert_int_equal(restarts(fleet_tell(&f)), 0);
	fleet_end(&f);
}

static void within_a_interval(void **state)
{
	struct text text TEXT_SCOPED = {0};
	const struct notice *m;
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 2);
	fleet_lasts(&f, 100);
	f.boots[3] = 2;
	f.boot[3][1] = f.now + 1 * S;
	f.seconds[3] = 2;
	fleet_lasts(&f, FLEET_S);
	f.boots[3] = 1;
	f.boot[3][0] = f.boot[3][1];
	f.seconds[3] = FLEET_S;
	fleet_lasts(&f, 200);
	m = restart_of(fleet_tell(&f), 3);
	assert_int_equal(restarts(&f.a), 1);
	assert_true(m->from_ns == FLEET_T0 + 101 * S && m->to_ns == m->from_ns);
	assert_string_equal(sentence_notice(&text, &f.a, m),
			    "the probe of s3 was started anew, at 2023-11-14T22:15:01Z");
	assert_false(m->replaces);
	assert_int_equal(f.a.n_incidents, 0);
	fleet_end(&f);
}

static void between_intervals(void **state)
{
	struct text text TEXT_SCOPED = {0};
	const struct notice *m;
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 3);
	fleet_lasts(&f, 100);
	f.silent[1] = true;
	fleet_lasts(&f, 60);
	f.silent[1] = false;
	f.boot[1][0] = f.now - 2 * S; /* before its first second */
	fleet_lasts(&f, 200);
	m = restart_of(fleet_tell(&f), 1);
	assert_true(m->from_ns == FLEET_T0 + 158 * S);
	/* again: one notice, from the first to the last */
	f.boot[1][0] = f.now + 1 * S;
	fleet_lasts(&f, 30);
	m = restart_of(fleet_tell(&f), 1);
	assert_int_equal(restarts(&f.a), 1);
	assert_true(m->from_ns == FLEET_T0 + 158 * S && m->to_ns == FLEET_T0 + 361 * S);
	assert_non_null(strstr(sentence_notice(&text, &f.a, m), "22:19:21Z"));
	assert_int_equal(f.a.n_incidents, 0);
	fleet_end(&f);
}

/* What a run says of itself may be a clock's that was wrong: then it is the interval it was first seen in. */
static void with_clocks_that_were_wrong(void **state)
{
	static const int64_t starts[] = {0,	    -5,		  INT64_MIN,
					 INT64_MAX, FLEET_T0 - 1, FLEET_T0 + 9999 * S};
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 4);
	fleet_lasts(&f, 48);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		f.boot[0][0] = starts[i];
		fleet_lasts(&f, FLEET_S);
		assert_true(restart_of(fleet_tell(&f), 0)->to_ns ==
			    FLEET_T0 + (48 + FLEET_S * (int64_t)i) * S);
	}
	assert_int_equal(restarts(&f.a), 1);
	fleet_end(&f);
}

/* Two recordings of one server at a time: they take turns, which is no restart each time. */
static void runs_that_take_turns(void **state)
{
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 5);
	for (int i = 0; i < 30; i++) {
		f.boot[2][0] = FLEET_T0 - 100 - i % 2;
		fleet_lasts(&f, FLEET_S);
	}
	assert_true(restart_of(fleet_tell(&f), 2)->to_ns == FLEET_T0 + FLEET_S * S);
	fleet_end(&f);
}

/* Gaps of any length, of one server, of some, of all, again and again. */
static void nobody_is_indicted(void **state)
{
	(void)state;
	for (uint64_t seed = 20; seed < 32; seed++) {
		size_t who = seed % 3 == 0 ? SERVERS : seed % 3 == 1 ? 1 : 2;
		struct fleet_of f;

		fleet_begin(&f, seed);
		fleet_lasts(&f, 150);
		for (int again = 0; again < 6; again++) {
			for (size_t i = 0; i < who; i++)
				f.seconds[i] = 1 + seed % 3; /* until it ended */
			fleet_lasts(&f, FLEET_S);
			for (size_t i = 0; i < who; i++)
				f.silent[i] = true;
			fleet_lasts(&f, (int)(seed % 5) * FLEET_S);
			for (size_t i = 0; i < who; i++) {
				f.silent[i] = false;
				f.seconds[i] = 1 + (seed + 3) % 3;
				f.boot[i][0] = f.now + (FLEET_S - f.seconds[i]) * S;
			}
			fleet_lasts(&f, FLEET_S);
			for (size_t i = 0; i < who; i++)
				f.seconds[i] = FLEET_S;
			fleet_lasts(&f, 70);
			assert_int_equal(fleet_tell(&f)->n_incidents, 0);
			assert_int_equal(restarts(&f.a), who);
		}
		fleet_end(&f);
	}
}

/* And who limps is found all the same, with a probe that was started anew in the middle of it. */
static void a_restart_hides_nobody(void **state)
{
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 40);
	fleet_lasts(&f, 200);
	f.hog[4] = true;
	fleet_lasts(&f, 20);
	f.seconds[4] = 2;
	f.boots[4] = 2;
	f.boot[4][1] = f.now + 2 * S;
	fleet_lasts(&f, FLEET_S);
	f.seconds[4] = FLEET_S;
	f.boots[4] = 1;
	f.boot[4][0] = f.boot[4][1];
	fleet_lasts(&f, 60);
	assert_int_equal(fleet_tell(&f)->n_incidents, 1);
	assert_int_equal(f.a.incidents[0].node, 4);
	assert_int_equal(restarts(&f.a), 1);
	fleet_end(&f);
}

/* From files, as `limpet diagnose` does it: two runs within a day, and one that goes on into the next. */
static void from_files(void **state)
{
	static const char *const hosts[] = {"s0", "s1", "s2", "s3"};
	struct analysis_opts o = ANALYSIS_DEFAULT;
	struct fixture *fx = *state;
	int64_t midnight = (T0 / 86400 + 1) * 86400;
	char *paths[] = {fx->dir};
	struct verdict a;

	for (size_t i = 0; i < 4; i++) {
		write_host(fx, hosts[i], 1, i == 2 ? 112 : 400, midnight - 200);
		if (i == 2)
			/* the same values as the others', so that nothing else is told */
			write_host(fx, hosts[i], 113, 288, midnight - 88);
	}
	assert_int_equal(examine(&a, &o, paths, 1, NULL), 0);
	assert_int_equal(a.cannot.why, CANNOT_NOT);
	assert_int_equal(a.n_incidents, 0);
	assert_int_equal(restarts(&a), 1);
	assert_true(restart_of(&a, 2)->from_ns == (midnight - 88) * NS);
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_is_no_restart),
		cmocka_unit_test(within_a_interval),
		cmocka_unit_test(between_intervals),
		cmocka_unit_test(with_clocks_that_were_wrong),
		cmocka_unit_test(runs_that_take_turns),
		cmocka_unit_test(nobody_is_indicted),
		cmocka_unit_test(a_restart_hides_nobody),
		cmocka_unit_test_setup_teardown(from_files, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests_name("robust: probes started anew", tests, NULL, NULL);
}
