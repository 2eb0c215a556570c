// SPDX-License-Identifier: BSD-2-Clause
/* track/track.h: history, means of half minutes of the last three days. */
#include "unit.h"

#include <math.h>

#include "analyzer/track/track.h"

enum { SIGNALS = 3, PER_STEP = 6, DAY_STEPS = 2880 };
#define T0	    (1700000000 * NS_PER_S)
#define INTERVAL(i) (T0 + (int64_t)(i)*5 * NS_PER_S)
#define NEAR(a, b)  assert_true(fabs((double)(a) - (double)(b)) < 1e-5 * fabs((double)(b)))

static struct track_history h;

static int start(void **arg)
{
	(void)arg;
	h = (struct track_history){.signals = SIGNALS};
	return 0;
}

static int end(void **arg)
{
	(void)arg;
	track_history_release(&h);
	return 0;
}

/* In interval i its value is i + 1. */
static void add(size_t server, size_t signal, int from, int to)
{
	for (int i = from; i < to; i++)
		track_history_add(&h, server, signal,
				  &(struct track_point){INTERVAL(i), 0.5, i + 1, 2 * (i + 1)});
}

static void means_of_half_minutes(void **arg)
{
	struct track_mean m;

	(void)arg;
	add(4, 1, 0, 4 * PER_STEP);
	assert_int_equal(track_history_servers(&h), 5);
	assert_int_equal(track_history_step(&h, INTERVAL(PER_STEP)), 1);
	m = track_history(&h, 4, 1, 1, 2);
	NEAR(m.n, 2 * PER_STEP);
	NEAR(m.d, 0.5);
	NEAR(m.value, 2 * PER_STEP + 0.5); /* 7 to 18 */
	NEAR(m.peers, 2 * m.value);
	assert_int_equal(m.from_ns, INTERVAL(PER_STEP));
	assert_int_equal(m.to_ns, INTERVAL(3 * PER_STEP));
	/* another signal, another server, a server that nobody knows, a time without data */
	assert_true(track_history(&h, 4, 0, 1, 2).n == 0);
	assert_true(track_history(&h, 3, 1, 1, 2).n == 0);
	assert_true(track_history(&h, 9, 1, 1, 2).n == 0);
	assert_true(track_history(&h, 4, 1, 5, 9).n == 0);
}

static void the_worst_entity_counts(void **arg)
{
	struct track_mean m;

	(void)arg;
	for (int i = 0; i < PER_STEP; i++)
		for (int disk = 0; disk < 3; disk++)
			track_history_add(&h, 0, 0,
					  &(struct track_point){INTERVAL(i), disk == 1, disk, 7});
	m = track_history(&h, 0, 0, 0, 0);
	NEAR(m.n, PER_STEP);
	NEAR(m.d, 1);
	NEAR(m.value, 1);
}

static void three_days_are_kept(void **arg)
{
	int days = 4, last = days * DAY_STEPS - 1;

	(void)arg;
	add(0, 0, 0, days * DAY_STEPS * PER_STEP);
	NEAR(track_history(&h, 0, 0, last, last).n, PER_STEP);
	NEAR(track_history(&h, 0, 0, 0, last).n, 3 * DAY_STEPS * PER_STEP);
	assert_true(track_history(&h, 0, 0, 0, last - 3 * DAY_STEPS).n == 0);
	/* a silence of days leaves nothing of before in its place */
	add(0, 0, 9 * DAY_STEPS * PER_STEP, 9 * DAY_STEPS * PER_STEP + PER_STEP);
	NEAR(track_history(&h, 0, 0, 8 * DAY_STEPS, 9 * DAY_STEPS).n, PER_STEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(means_of_half_minutes, start, end),
		cmocka_unit_test_setup_teardown(the_worst_entity_counts, start, end),
		cmocka_unit_test_setup_teardown(three_days_are_kept, start, end),
	};

	return cmocka_run_group_tests_name("track_history", tests, NULL, NULL);
}
