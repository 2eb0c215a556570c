// SPDX-License-Identifier: BSD-2-Clause
/* task_table.h: every difference once, whatever threads do; bounded. */
#include "task_samples.h"
#include "unit.h"

#include <stdlib.h>

#include "userspace/probe/tasks/task_table.h"

static void the_table_is_bounded_and_forgets_the_oldest(void **state)
{
	struct task_table t;
	int64_t used[USES];
	struct task_sample s;

	(void)state;
	task_table_init(&t);
	t.most = 512;
	task_table_pass(&t, 1000 * S);
	for (uint32_t tid = 1; tid <= 512; tid++) {
		s = sample(tid, tid, tid, tid, 0, 0);
		assert_int_equal(task_table_take(&t, &s, used), 0);
		assert_int_equal(used[USE_CPU], 0);
	}
	assert_int_equal(t.n, 512);
	assert_int_equal(t.forgotten, 0);
	/* All are of this pass: one more is not taken in, and what it does is not counted twice. */
	s = sample(1000, 1000, 1000, 70, 0, 0);
	assert_int_equal(task_table_take(&t, &s, used), 0);
	assert_int_equal(t.forgotten, 1);
	assert_int_equal(t.n, 512);
	for (int pass = 2; pass < 10; pass++) {
		task_table_pass(&t, (uint64_t)(999 + pass) * S);
		for (uint32_t tid = 1; tid <= 400; tid++) {
			s = sample(tid, tid, tid, tid + (uint64_t)pass, 0, 0);
			assert_int_equal(task_table_take(&t, &s, used), 0);
			assert_int_equal(used[USE_CPU], pass == 2 ? 2 : 1);
		}
	}
	/* New ones push out those that slept, not those that were seen. */
	for (uint32_t tid = 2000; tid < 2100; tid++) {
		s = sample(tid, tid, 1007 * S + tid, 5, 0, 0);
		assert_int_equal(task_table_take(&t, &s, used), 0);
		assert_int_equal(used[USE_CPU], 5);
	}
	assert_true(t.n <= 512);
	assert_int_equal(t.forgotten, 1 + 112);
	for (uint32_t tid = 1; tid <= 400; tid++) {
		s = sample(tid, tid, tid, tid + 19, 0, 0);
		assert_false(task_table_whole(&t, &s)); /* some of it was counted */
		assert_int_equal(task_table_take(&t, &s, used), 0);
		assert_int_equal(used[USE_CPU], 10);
	}
	/* One that was forgotten is not new. */
	s = sample(450, 450, 450, 460, 0, 0);
	assert_int_equal(task_table_take(&t, &s, used), 0);
	assert_int_equal(used[USE_CPU], 0);
	s.cpu_ns += 7;
	assert_int_equal(task_table_take(&t, &s, used), 0);
	assert_int_equal(used[USE_CPU], 7);
	task_table_release(&t);
	assert_null(t.at);
}

/* Against a plain array, with threads that run, end and come back with another's number. */
static void the_table_agrees_with_a_plain_array(void **state)
{
	static struct {
		uint64_t start, cpu, told;
		bool here;
	} plain[3000];
	struct task_table t;
	int64_t used[USES];

	(void)state;
	srand(7);
	task_table_init(&t);
	task_table_pass(&t, 1);
	for (uint64_t step = 0; step < 300000; step++) {
		uint32_t tid = 1 + (uint32_t)rand() % 3000;
		struct task_sample s;

		if (step % 5000 == 0)
			task_table_pass(&t, step + 2);
		if (!plain[tid - 1].here) {
			plain[tid - 1].here = true;
			plain[tid - 1].start = step + 2;
			plain[tid - 1].cpu = plain[tid - 1].told = 0;
		}
		plain[tid - 1].cpu += (uint64_t)rand() % 1000;
		s = sample(tid, tid, plain[tid - 1].start, plain[tid - 1].cpu, 0, 0);
		s.stage = rand() % 3 ? TASK_LIVES : TASK_FREED;
		if (s.stage == TASK_FREED)
			task_table_take_last(&t, &s, task_table_whole(&t, &s), used);
		else
			assert_int_equal(task_table_take(&t, &s, used), 0);
		assert_int_equal(used[USE_CPU], plain[tid - 1].cpu - plain[tid - 1].told);
		plain[tid - 1].told = plain[tid - 1].cpu;
		plain[tid - 1].here = s.stage != TASK_FREED;
	}
	for (uint32_t tid = 1; tid <= 3000; tid++)
		t.n -= plain[tid - 1].here;
	assert_int_equal(t.n, 0);
	assert_int_equal(t.forgotten, 0);
	task_table_release(&t);
}

static void memory_is_bounded_for_many(void **state)
{
	struct task_table table;
	int64_t used[USES];

	(void)state;
	task_table_init(&table);
	task_table_pass(&table, S);
	for (uint32_t tid = 1; tid <= 200000; tid++) {
		struct task_sample one = sample(tid, tid, tid, 1, 0, 0);

		assert_int_equal(task_table_take(&table, &one, used), 0);
	}
	assert_int_equal(table.n, TASK_TABLE_MOST);
	assert_int_equal(table.forgotten, 200000 - TASK_TABLE_MOST);
	assert_true(task_table_bytes(&table) < 4 << 20);
	task_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_bounded_and_forgets_the_oldest),
		cmocka_unit_test(the_table_agrees_with_a_plain_array),
		cmocka_unit_test(memory_is_bounded_for_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
