// SPDX-License-Identifier: BSD-2-Clause
/* look_times.h: when the TCP sockets are looked at, and which looks that are left out may count. */
#include "unit.h"

#include <string.h>

#include "bpf/whole_looks.h"
#include "userspace/common/clock.h"
#include "userspace/probe/look_times.h"

#define START (1000 * NS_PER_S)
#define CHEAP 50000  /* ns of processor time */
#define DEAR  150000 /* of a walk; one that reads every row may cost as much and be cheap */

/* What is counted, of looks and of those that come, in some seconds that begin now. */
struct seen {
	uint64_t came, counted, walks, every;
};

/* Looks that find as many at work, and end at once. */
static struct seen run(struct look_times *t, int64_t *now, int64_t seconds, uint32_t at_work,
		       int64_t cpu)
{
	struct seen n = {0};

	for (int64_t end = *now + seconds * NS_PER_S;;) {
		int64_t due = *now + look_times_wait(t, *now);
		struct look_args args;

		if (due >= end)
			break;
		*now = due;
		args = look_times_begin(t, due);
		args.any = args.at_work = args.looked = at_work;
		n.came++;
		n.counted += looks_made(&args);
		n.walks += args.walk;
		n.every += args.every;
		assert_null(look_times_end(t, &args, cpu));
	}
	/* All slots are half a step after a tenth: the rest of the time passes without one. */
	*now = (*now / NS_PER_S + 1) * NS_PER_S;
	return n;
}

static void test_ten_a_second_where_connections_work(void **state)
{
	struct look_times t;
	int64_t now = START;
	struct seen n;

	(void)state;
	look_times_init(&t, false);
	n = run(&t, &now, 60, 1, CHEAP);
	assert_int_equal(n.came, 600);
	assert_int_equal(n.counted, 600);
	assert_int_equal(n.walks, 600);
	assert_int_equal(n.every, 0);
	/* One second more, in which walks turn out to be dear. */
	run(&t, &now, 1, 1, DEAR);
	n = run(&t, &now, 60, 1, DEAR);
	assert_int_equal(n.came, 600);
	assert_int_equal(n.walks, 60);
}

static void test_rest(void **state)
{
	struct look_times t;
	int64_t now = START;
	struct seen n;

	(void)state;
	look_times_init(&t, false);
	n = run(&t, &now, 60, 0, CHEAP);
	assert_int_equal(n.came, 600);
	n = run(&t, &now, 60, 0, CHEAP);
	assert_int_equal(n.came, 60);
	assert_int_equal(n.counted, 600);
	assert_int_equal(n.walks, 60);
	assert_int_equal(n.every, 60);
	/* What reads all rows is not dear as soon as what leaves out most. */
	n = run(&t, &now, 60, 0, DEAR);
	assert_int_equal(n.every, 60);
	/* The look that finds something is the last of its kind: it is the one look of that second. */
	n = run(&t, &now, 1, 1, DEAR);
	assert_int_equal(n.came, 1);
	assert_int_equal(n.counted, 1);
	n = run(&t, &now, 1, 1, CHEAP);
	assert_int_equal(n.came, 10);
	assert_int_equal(n.counted, 10);
	/* A minute of quiet is needed again. */
	n = run(&t, &now, 59, 0, CHEAP);
	assert_int_equal(n.came, 590);
}

/* A walk that is dear leaves out rows that were quiet for long, and so cannot tell what happened meanwhile: what
 * was left out does not count. */
static void test_rest_of_many(void **state)
{
	struct look_times t;
	int64_t now = START;
	struct seen n;

	(void)state;
	look_times_init(&t, false);
	run(&t, &now, 61, 0, CHEAP);
	run(&t, &now, 1, 0, 5 * DEAR);
	n = run(&t, &now, 60, 0, DEAR);
	assert_int_equal(n.came, 60);
	assert_int_equal(n.counted, 60);
	assert_int_equal(n.walks, 60);
	assert_int_equal(n.every, 0);
	/* One look that took long, on a busy machine, costs one second. */
	run(&t, &now, 1, 0, CHEAP);
	n = run(&t, &now, 10, 0, CHEAP);
	assert_int_equal(n.counted, 100);
}

/* It comes as late as may be: each second that has a look has a walk, and what was left out before a sweep is not
 * counted after it. */
static void test_late(void **state)
{
	struct look_times t;
	int64_t now = START;
	struct look_args args;

	(void)state;
	look_times_init(&t, false);
	run(&t, &now, 61, 0, CHEAP);
	assert_int_equal(look_times_wait(&t, now), 950 * NS_PER_MS);
	/* Within its second. */
	now += 990 * NS_PER_MS;
	args = look_times_begin(&t, now);
	assert_int_equal(args.left_out, 9);
	look_times_end(&t, &args, CHEAP);
	now += 10 * NS_PER_MS;
	look_times_wait(&t, now);
	/* Past the sweep. */
	now += 1020 * NS_PER_MS;
	args = look_times_begin(&t, now);
	assert_int_equal(args.left_out, 0);
	assert_true(args.walk && args.every);
	look_times_end(&t, &args, CHEAP);
	assert_int_equal(look_times_wait(&t, now), 930 * NS_PER_MS);
	args = look_times_begin(&t, now + 930 * NS_PER_MS);
	assert_int_equal(args.left_out, 9);
	assert_true(args.walk && args.every);
	/* The clock is set back: no wait is longer than a second. */
	assert_in_range(look_times_wait(&t, now - 500 * NS_PER_S), 1, NS_PER_S);
}

static void test_turns(void **state)
{
	struct look_args did = {.at_work = 2500, .looked = 2000};
	struct look_times t;

	(void)state;
	look_times_init(&t, false);
	assert_non_null(strstr(look_times_end(&t, &did, CHEAP), "2500"));
	assert_non_null(strstr(t.said, "2000 of them, 80 %"));
	/* Once, though there are few for a moment. */
	assert_null(look_times_end(&t, &did, CHEAP));
	did.at_work = 2000;
	for (int i = 0; i < 599; i++)
		assert_null(look_times_end(&t, &did, CHEAP));
	did.at_work = 2001;
	assert_null(look_times_end(&t, &did, CHEAP));
	did.at_work = 2000;
	for (int i = 0; i < 599; i++)
		assert_null(look_times_end(&t, &did, CHEAP));
	assert_non_null(strstr(look_times_end(&t, &did, CHEAP), "all TCP connections"));
	assert_null(look_times_end(&t, &did, CHEAP));
}

static void test_netlink(void **state)
{
	struct look_times t;
	int64_t now = START;
	struct look_args args;
	const char *said = NULL;
	int looks = 0;

	(void)state;
	look_times_init(&t, true);
	assert_int_equal(run(&t, &now, 60, 0, CHEAP).came, 600);
	for (; !said && looks < 100; looks++) {
		now += look_times_wait(&t, now);
		args = look_times_begin(&t, now);
		said = look_times_end(&t, &args, 8 * NS_PER_MS);
	}
	assert_non_null(said);
	now = (now / NS_PER_S + 1) * NS_PER_S;
	assert_int_equal(run(&t, &now, 10, 0, 8 * NS_PER_MS).came, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ten_a_second_where_connections_work),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_rest_of_many),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_netlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
