// SPDX-License-Identifier: BSD-2-Clause
/* task_exits.h: who is waited for, for how long, and as what (test_tasks.c has what comes of it). */
#include "task_samples.h"
#include "unit.h"

#include "userspace/probe/tasks/task_exits.h"
#include "userspace/probe/tasks/task_table.h"

/* More than are waited for: the oldest, whose end may be told all the same. */
static void those_that_are_waited_for_are_bounded(void **state)
{
	struct task_exits e = {0};
	struct task_sample s;
	struct task_exit x;
	size_t n = 0;

	(void)state;
	for (uint32_t tid = 1; tid <= TASK_EXITS_MOST + 100; tid++) {
		s = sample(tid, tid, tid, tid, 0, 0);
		assert_int_equal(task_exits_add(&e, &s, 1, tid % 2), 0);
	}
	assert_int_equal(e.n, TASK_EXITS_MOST);
	s = sample(99, 99, 99, 99, 0, 0);
	assert_false(task_exits_freed(&e, &s));
	for (uint32_t tid = 101; tid <= 150; tid++) {
		s = sample(tid, tid, tid, tid, 0, 0);
		assert_int_equal(task_exits_freed(&e, &s), tid % 2);
	}
	assert_false(task_exits_overdue(&e, 2, &x));
	while (task_exits_overdue(&e, 3, &x))
		assert_int_equal(x.last.tid, 151 + n++);
	assert_int_equal(n, TASK_EXITS_MOST - 50);
	assert_int_equal(e.n, 0);
	task_exits_release(&e);
}

/* What a pass has met is counted by then, and newer. */
static void one_that_a_pass_meets_is_known_like_that(void **state)
{
	struct task_sample s = sample(7, 7, 2 * S, 10, 0, 0);
	struct task_exits e = {0};
	struct task_table t;
	struct task_exit x;
	int64_t used[USES];

	(void)state;
	task_table_init(&t);
	task_table_pass(&t, 1 * S);
	assert_true(task_table_whole(&t, &s));
	assert_int_equal(task_exits_add(&e, &s, 1, true), 0);
	assert_int_equal(task_table_take(&t, &s, used), 0);
	assert_false(task_table_whole(&t, &s));
	s.stage = TASK_ENDING;
	s.cpu_ns = 12;
	task_exits_met(&e, &s, 2);
	assert_false(task_exits_overdue(&e, 3, &x));
	assert_true(task_exits_overdue(&e, 4, &x));
	assert_int_equal(x.last.cpu_ns, 12);
	assert_int_equal(x.last.stage, TASK_EXITS);
	assert_false(x.whole);
	assert_int_equal(task_exits_add(&e, &s, 4, true), 0);
	task_exits_met(&e, &s, 5);
	assert_false(task_exits_freed(&e, &s));
	assert_int_equal(e.n, 0);
	task_exits_release(&e);
	task_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_waited_for_are_bounded),
		cmocka_unit_test(one_that_a_pass_meets_is_known_like_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
