// SPDX-License-Identifier: BSD-2-Clause
/* engine/tables: what adds up over time, what one look says, and when nobody can tell. */
#include "robust_tables.h"

/*
 * What became slow for `slow` of the servers, in spans of `for_s` seconds that begin every `every`; each interval has so
 * many rows of a server.
 */
static void write_spans(size_t slow, double by, int every, int for_s, int seconds, int step)
{
	begin("time,node,load,lat");
	for (int s = 0; s < seconds; s += step)
		for (size_t i = 0; i < NODES; i++)
			fprintf(text, "%d,n%zu,5,%.3f\n", T0 + s, i,
				noise() * (i < slow && s >= every && s % every < for_s ? by : 1));
}

/* Five times slower for ten minutes of every hour: one incident, with its duty cycle. */
static void comes_and_goes(void **state)
{
	struct analysis_opts o = usual();
	const struct incident *in;
	struct verdict a;

	(void)state;
	o.given = NULL;
	write_spans(1, 5, 3600, 600, 6 * 3600, 2);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n0");
	in = &a.incidents[0];
	assert_int_equal(in->times, 5);
	assert_true(fabs(in->duty - 1.0 / 6) < 0.05);
	assert_int_equal(in->onset_ns, (T0 + 3600) * 1000000000LL);
	assert_false(in->open);
	verdict_release(&a);
}

/* What is over is told, with its end. */
static void over_is_over(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	write_spans(1, 3, 7200, 1800, 14400, 2);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n0");
	assert_false(a.incidents[0].open);
	assert_true(a.incidents[0].last_ns > (T0 + 7200 + 1700) * 1000000000LL);
	assert_true(a.incidents[0].last_ns <= (T0 + 7200 + 1890) * 1000000000LL);
	verdict_release(&a);
}

/* A burst of a few rows is nothing, however bad. */
static void bursts_indict_nobody(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	write_spans(1, 100, 3600, 10, 14400, 1);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_true(a.judged[0]);
	verdict_release(&a);
}

/* A difference near what indicts is now enough, now a suspicion. It has not been away, so it came once. */
static void what_is_nearly_enough_comes_once(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	for (int seed = 1; seed <= 3; seed++) {
		srand((unsigned int)seed);
		begin("time,node,lat");
		for (int s = 0; s < 86400; s += 15)
			for (int i = 0; i < NODES; i++)
				fprintf(text, "%d,n%d,%.3f\n", T0 + s, i,
					pow(noise(), 5) * (i == 2 ? 1.25 : 1));
		assert_int_equal(judge(&o, &a), 0);
		only(&a, "n2");
		assert_int_equal(a.incidents[0].times, 1);
		verdict_release(&a);
	}
}

/* A gap of days is no time: what was seen before it counts with what is seen after. */
static void evidence_spans_gaps(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	for (int slow = 0; slow < 2; slow++) {
		begin("time,node,load,lat");
		/* one minute every quarter of an hour */
		for (int s = 0; s < 2400; s += 2)
			for (int i = 0; i < NODES; i++)
				fprintf(text, "%d,n%d,5,%.3f\n", T0 + s / 60 * 900 + s % 60, i,
					noise() * (i == 2 && slow ? 3 : 1));
		assert_int_equal(judge(&o, &a), 0);
		only(&a, slow ? "n2" : NULL);
		assert_int_equal(a.n_windows, 320);
		assert_true(a.judged[2]);
		verdict_release(&a);
	}
}

/* Half of them or more: nobody is named, and it is said. */
static void halves_are_said(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	for (size_t slow = 3; slow <= 4; slow++) {
		write_spans(slow, 3, 1, 1, 2400, 2);
		assert_int_equal(judge(&o, &a), 0);
		only(&a, NULL);
		assert_int_equal(a.n_unjudged, NODES);
		for (size_t i = 0; i < a.n_unjudged; i++) {
			assert_int_equal(a.unjudged[i].why, UNJUDGED_HALVES);
			assert_int_equal(a.unjudged[i].n, slow);
			assert_false(a.judged[i]);
		}
		assert_int_equal(a.cannot.why, CANNOT_UNJUDGED);
		verdict_release(&a);
	}
}

/* Whose load no peer has is not judged, slow or not; the others are. */
static void alone_with_its_load(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		begin("time,node,load,lat");
		for (int s = 0; s < 2400; s += 2)
			for (int i = 0; i < NODES; i++)
				fprintf(text, "%d,n%d,%d,%.3f\n", T0 + s, i, i == 2 ? 900 : 100,
					noise() * (i == 2 && slow ? 5 : 1));
		assert_int_equal(judge(&o, &a), 0);
		assert_int_equal(a.n_unjudged, 1);
		assert_int_equal(a.unjudged[0].node, 2);
		assert_int_equal(a.unjudged[0].why, UNJUDGED_LOAD);
		assert_true(!a.judged[2] && a.judged[0] && a.judged[5]);
		only(&a, NULL);
		verdict_release(&a);
	}
}

/* On one column it is alone with its load, on another not: it is judged, and the one is named. */
static void alone_on_one_column(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	begin("time,node,r/s,r_await,w/s,w_await");
	for (int s = 0; s < 2400; s += 2)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,%d,%.3f,100,%.3f\n", T0 + s, i, i == 2 ? 900 : 100,
				noise() * (i == 2 ? 5 : 1), noise());
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_true(a.judged[2]);
	assert_int_equal(a.n_unjudged, 1);
	assert_int_equal(a.unjudged[0].node, 2);
	assert_int_equal(a.unjudged[0].why, UNJUDGED_LOAD);
	assert_string_equal(a.signals[a.unjudged[0].signal].name, "r_await");
	verdict_release(&a);
}

/* A log of a few minutes is looked at once: who is 4 x slower in it is found, and of equals nobody. */
static void one_look_at_a_short_table(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.given = NULL;
	for (int slow = 0; slow < 2; slow++) {
		begin("time,node,lat");
		for (int s = 0; s < 60; s += 3)
			for (int i = 0; i < NODES; i++)
				fprintf(text, "%d,n%d,%.3f\n", T0 + s, i,
					noise() * (i == 4 && slow ? 4 : 1));
		assert_int_equal(judge(&o, &a), 0);
		for (size_t i = 0; i < NODES; i++)
			assert_true(a.judged[i]);
		if (!slow)
			only(&a, NULL);
		if (slow) {
			/* and no more than a suspicion: what lasts a minute is in all rows */
			assert_int_equal(a.n_incidents, 1);
			assert_int_equal(a.incidents[0].node, 4);
			assert_int_equal(a.incidents[0].suspicious, SUSPICION_DATA);
			assert_true(fabs(a.incidents[0].findings[0].ratio - 4) < 0.4);
			assert_true(a.incidents[0].onset_ns == T0 * 1000000000LL);
			assert_true(a.incidents[0].open);
		}
		verdict_release(&a);
	}
}

/* A job's log is one look as well, each kind of work by itself. */
static void one_look_at_a_job(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	for (int slow = 0; slow < 2; slow++) {
		begin("time,node,state,duration,bytes");
		for (int s = 0; s < 40; s++)
			for (int i = 0; i < NODES; i++) {
				/* whoever writes larger files takes longer */
				int size = 1 << (rand() % 4 + (i == 2));

				fprintf(text, "%d.%d,n%d,write,%.4f,%d\n", T0 + s, i, i,
					size * noise() * (i == 4 && slow ? 3 : 1), size * 1000);
			}
		assert_int_equal(judge(&o, &a), 0);
		only(&a, slow ? "n4" : NULL);
		verdict_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(over_is_over),
		cmocka_unit_test(bursts_indict_nobody),
		cmocka_unit_test(what_is_nearly_enough_comes_once),
		cmocka_unit_test(evidence_spans_gaps),
		cmocka_unit_test(halves_are_said),
		cmocka_unit_test(alone_with_its_load),
		cmocka_unit_test(alone_on_one_column),
		cmocka_unit_test(one_look_at_a_short_table),
		cmocka_unit_test(one_look_at_a_job),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
