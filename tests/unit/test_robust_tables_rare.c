// SPDX-License-Identifier: BSD-2-Clause
/* engine/tables: rows that come rarely, or not at all, and clocks that are wrong: whose they are, they cost. */
#include "robust_tables.h"

enum { SLOW = 2 };

static struct analysis_opts alone(void)
{
	struct analysis_opts o = usual();

	o.given = NULL;
	return o;
}

static void row(long long s, int i)
{
	fprintf(text, "%lld,n%d,%.3f\n", T0 + s, i, noise() * (i == SLOW ? 3 : 1));
}

/* One that reports twice a day takes no verdict from those that report every ten seconds. */
static void nobody_waits_for_one(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	begin("time,node,lat");
	for (int s = 0; s < 86400; s += 10)
		for (int i = 0; i < NODES; i++)
			row(s, i);
	for (int s = 0; s < 3; s++)
		row(s * 43000LL, NODES);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_true(a.interval_s == 30);
	assert_int_equal(a.n_unjudged, 1);
	assert_int_equal(a.unjudged[0].node, NODES);
	assert_int_equal(a.unjudged[0].why, UNJUDGED_FEW_VALUES);
	verdict_release(&a);
}

/* Where half of them are that slow, all wait for them, and are judged. */
static void all_wait_for_half(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	begin("time,node,lat");
	for (int s = 0; s < 86400; s += 10)
		for (int i = 0; i < NODES; i++)
			if (i % 2 || s % 300 == 0)
				row(s, i);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_true(a.interval_s == 300);
	assert_int_equal(a.n_unjudged, 0);
	verdict_release(&a);
}

/* Rows an hour apart, one in five of which is missing: one fault, that has not been away. */
static void a_missing_row_ends_nothing(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	begin("time,node,lat");
	for (int s = 0; s < 400; s++)
		for (int i = 0; i < NODES; i++)
			if (rand() % 5)
				row(s * 3600LL, i);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_int_equal(a.incidents[0].times, 1);
	assert_true(a.incidents[0].open);
	assert_int_equal(a.n_unjudged, 0);
	verdict_release(&a);
}

/* Nine in a row are missing: what went on before is over, and what comes then is another time. */
static void silence_ends_it(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	for (int missing = 8; missing <= 9; missing++) {
		begin("time,node,lat");
		for (int s = 0; s < 400; s++)
			for (int i = 0; i < NODES; i++)
				if (i != SLOW || s < 200 || s >= 200 + missing)
					row(s * 3600LL, i);
		assert_int_equal(judge(&o, &a), 0);
		only(&a, "n2");
		assert_int_equal(a.incidents[0].times, missing == 9 ? 2 : 1);
		verdict_release(&a);
	}
}

/* A clock that is a day ahead for a while, and then back: the fault of another goes on till the end. */
static void a_clock_ahead_ends_nothing(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	begin("time,node,lat");
	for (int s = 0; s < 20000; s += 5)
		for (int i = 0; i < NODES; i++)
			row(i == 4 && s >= 5000 && s < 10000 ? s + 86400 : s, i);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_true(a.incidents[0].open);
	assert_int_equal(a.incidents[0].times, 1);
	assert_int_equal(a.n_unjudged, 0);
	verdict_release(&a);
}

/* One that begins at the end has too little, and that is what is said of it. */
static void who_comes_at_the_end(void **state)
{
	struct analysis_opts o = alone();
	struct verdict a;

	(void)state;
	begin("time,node,lat");
	for (int s = 0; s < 20000; s += 5)
		for (int i = 0; i <= NODES; i++)
			if (i < NODES || s >= 19950)
				row(s, i);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_int_equal(a.n_unjudged, 1);
	assert_string_equal(sentence_unjudged(&a.unjudged[0], sentence),
			    "judged in 3 windows of 20 s; 8 are needed");
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_one),
		cmocka_unit_test(all_wait_for_half),
		cmocka_unit_test(a_missing_row_ends_nothing),
		cmocka_unit_test(silence_ends_it),
		cmocka_unit_test(a_clock_ahead_ends_nothing),
		cmocka_unit_test(who_comes_at_the_end),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
