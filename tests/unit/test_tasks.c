// SPDX-License-Identifier: BSD-2-Clause
/* tasks.h: sums hold whatever threads do; bounded; named safely. */
#include "task_samples.h"
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userspace/probe/tasks/tasks.h"

/* ---- a kernel side of our own: what a pass and the end of a thread give ---- */

struct fake {
	struct task_sample pass[64], gone[64];
	int n_pass, n_gone, passes, calls;
	uint64_t now_ns, lost, burn_ns;
	int err;
};

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static int fake_look(void *source, bool pass, task_sample_fn fn, void *arg, uint64_t *lost)
{
	struct fake *f = source;
	struct task_sample begin = {.start_ns = f->now_ns};
	uint64_t until = cpu_now() + f->burn_ns;

	f->calls++;
	*lost = f->lost;
	if (f->err)
		return f->err;
	if (pass) {
		f->passes++;
		fn(arg, &begin);
		for (int i = 0; i < f->n_pass; i++)
			fn(arg, &f->pass[i]);
		f->n_pass = 0;
		while (cpu_now() < until)
			;
	}
	for (int i = 0; i < f->n_gone; i++)
		fn(arg, &f->gone[i]);
	f->n_gone = 0;
	f->now_ns += S;
	return 0;
}

static struct tasks *start(struct fake *f, unsigned int interval_s)
{
	struct tasks_opts o = {
		.look = fake_look, .source = f, .interval_s = interval_s, .proc = "/nonexistent"};

	memset(f, 0, sizeof(*f));
	f->now_ns = 1000 * S;
	return tasks_new(&o);
}

/* A look and its rows. */
static void second_of(struct tasks *t, struct second *s, double interval_s)
{
	second_clear(s);
	s->interval_s = interval_s;
	assert_int_equal(tasks_look(t), 0);
	assert_int_equal(tasks_add_rows(t, s), 0);
}

static const struct second_row *row_of(const struct second *s, const char *instance)
{
	const struct second_row *found = NULL;

	for (size_t i = 0; i < s->n_rows; i++) {
		if (strcmp(s->rows[i].instance, instance))
			continue;
		assert_null(found); /* no name twice */
		found = &s->rows[i];
	}
	return found;
}

/* What a row tells, as the whole number that it stands for. */
static double amount(const struct second *s, const char *instance, enum metric_id m)
{
	const struct second_row *row = row_of(s, instance);
	double v = row ? second_value(row, m) * s->interval_s * metrics[m].per : 0;

	assert_true(fabs(v - round(v)) < 1e-3);
	return round(v);
}

static double amount_of_all(const struct second *s, enum metric_id m)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_rows; i++)
		sum += amount(s, s->rows[i].instance, m);
	return sum;
}

#define assert_amount(got, want)                                             \
	do {                                                                 \
		double got_ = (got), want_ = (double)(want);                 \
		if (got_ != want_)                                           \
			fail_msg("%s is %.0f, not %.0f", #got, got_, want_); \
	} while (0)

/* ---- cases ---- */

static void what_was_before_the_first_look_does_not_count(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	f.pass[f.n_pass++] = sample(10, 10, 10, 5000 * S, 1 << 30, 1 << 30);
	f.gone[f.n_gone] = sample(11, 11, 11, 7 * S, 1 << 20, 0); /* not met by the pass, and old */
	f.gone[f.n_gone++].stage = TASK_FREED;
	assert_int_equal(tasks_look(t), 0);
	f.pass[f.n_pass++] = sample(10, 10, 10, 5000 * S + 300 * MS, (1 << 30) + 131072, 1 << 30);
	second_of(t, &s, 1.25);
	assert_amount(amount(&s, "work:10", M_P_CPU), 300 * MS);
	assert_amount(amount(&s, "work:10", M_P_RKB_S), 131072);
	assert_amount(amount(&s, "work:10", M_P_WKB_S), 0);
	assert_amount(amount_of_all(&s, M_P_CPU), 300 * MS);
	assert_amount(amount_of_all(&s, M_P_RKB_S), 131072);
	assert_true(fabs(second_value(row_of(&s, "work:10"), M_P_CPU) - 24) < 1e-9);
	assert_non_null(row_of(&s, TASKS_REST));
	second_release(&s);
	tasks_free(t);
}

static void a_short_life_is_seen_whole(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	f.gone[f.n_gone] = sample(20, 20, f.now_ns + 5, 200 * MS, 1 << 20, 2 << 20);
	f.gone[f.n_gone++].stage = TASK_FREED;
	/* And one that a pass has met half-way. */
	f.pass[f.n_pass++] = sample(21, 21, f.now_ns + 7, 40 * MS, 1 << 20, 0);
	f.gone[f.n_gone] = sample(21, 21, f.now_ns + 7, 100 * MS, 3 << 20, 0);
	f.gone[f.n_gone++].stage = TASK_FREED;
	second_of(t, &s, 1);
	assert_amount(amount(&s, "work:20", M_P_CPU), 200 * MS);
	assert_amount(amount(&s, "work:20", M_P_WKB_S), 2 << 20);
	assert_amount(amount(&s, "work:21", M_P_CPU), 100 * MS);
	assert_amount(amount(&s, "work:21", M_P_RKB_S), 3 << 20);
	second_of(t, &s, 1);
	assert_amount(amount_of_all(&s, M_P_CPU), 0);
	assert_int_equal(s.n_rows, 1);
	second_release(&s);
	tasks_free(t);
}

/* CPU time and bytes read that a look and its rows give; 0 of a process that has no row. */
static void check_second(struct tasks *t, const char *who, uint64_t cpu_ns, uint64_t read)
{
	struct second s;

	second_init(&s);
	second_of(t, &s, 1);
	assert_amount(amount(&s, who, M_P_CPU), cpu_ns);
	assert_amount(amount(&s, who, M_P_RKB_S), read);
	assert_amount(amount_of_all(&s, M_P_CPU), cpu_ns);
	assert_amount(amount_of_all(&s, M_P_RKB_S), read);
	second_release(&s);
}

static void an_end_that_is_not_told_is_what_was_told_of_the_exit(void **state)
{
	struct fake f;
	struct tasks *t = start(&f, 1);
	uint64_t born;

	(void)state;
	tasks_look(t);
	born = f.now_ns;
	/* In the usual order, in one look or two: as if nobody had told of the exit. */
	f.gone[f.n_gone] = sample(20, 20, born, 200 * MS, 1 << 20, 0);
	f.gone[f.n_gone++].stage = TASK_EXITS;
	f.gone[f.n_gone] = sample(20, 20, born, 230 * MS, 2 << 20, 0);
	f.gone[f.n_gone++].stage = TASK_FREED;
	check_second(t, "work:20", 230 * MS, 2 << 20);
	for (int late = 0; late < 3; late++) {
		born = f.now_ns - 3 * MS; /* before the pass that did not meet it any more */
		f.gone[f.n_gone] = sample(21, 21, born, 200 * MS, 1 << 20, 0);
		f.gone[f.n_gone++].stage = TASK_EXITS;
		check_second(t, "work:21", 0, 0);
		if (late == 2) /* nor has the next */
			check_second(t, "work:21", 0, 0);
		if (late) {
			f.gone[f.n_gone] = sample(21, 21, born, 230 * MS, 2 << 20, 0);
			f.gone[f.n_gone++].stage = TASK_FREED;
			check_second(t, "work:21", 230 * MS, 2 << 20);
		} else {
			check_second(t, "work:21", 0, 0);
			check_second(t, "work:21", 200 * MS, 1 << 20);
			/* It was late after all: nothing twice. */
			f.gone[f.n_gone] = sample(21, 21, born, 230 * MS, 2 << 20, 0);
			f.gone[f.n_gone++].stage = TASK_FREED;
		}
		check_second(t, "work:21", 0, 0);
		check_second(t, "work:21", 0, 0);
	}
	tasks_free(t);
}

/* Its parent does not wait for it: every pass meets it, and it is not what nobody tells of. */
static void a_zombie_is_waited_for(void **state)
{
	for (int told = 0; told < 3; told++) {
		struct fake f;
		struct tasks *t = start(&f, 1);
		struct task_sample z;
		uint64_t born;

		(void)state;
		tasks_look(t);
		born = f.now_ns;
		/* Met on its way out before what it had when it began is told. */
		z = sample(22, 22, born, 90 * MS, 5 << 20, 0);
		z.stage = TASK_ENDING;
		f.pass[f.n_pass++] = z;
		f.gone[f.n_gone] = sample(22, 22, born, 80 * MS, 5 << 20, 0);
		f.gone[f.n_gone++].stage = TASK_EXITS;
		check_second(t, "work:22", 90 * MS, 5 << 20);
		for (int k = 0; told < 2 && k < 20; k++) { /* or its parent does at once */
			z.cpu_ns += 30 * MS;
			f.pass[f.n_pass++] = z;
			check_second(t, "work:22", 30 * MS, 0);
		}
		if (told == 1) {
			f.gone[f.n_gone] = sample(22, 22, born, z.cpu_ns + 30 * MS, 5 << 20, 0);
			f.gone[f.n_gone++].stage = TASK_FREED;
			check_second(t, "work:22", 30 * MS, 0);
		}
		for (int k = 0; k < 5; k++)
			check_second(t, "work:22", 0, 0);
		tasks_free(t);
	}
}

static void a_number_that_comes_back_is_another_thread(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	f.pass[f.n_pass++] = sample(30, 30, 30, 900 * MS, 0, 5 << 20);
	tasks_look(t);
	/* The end of the first is told after the pass has met the second. */
	f.pass[f.n_pass++] = sample(30, 30, f.now_ns + 9, 950 * MS, 0, 6 << 20);
	f.gone[f.n_gone] = sample(30, 30, 30, 930 * MS, 0, 7 << 20);
	f.gone[f.n_gone++].stage = TASK_FREED;
	second_of(t, &s, 1);
	assert_amount(amount(&s, "work:30", M_P_CPU), (950 + 30) * MS);
	assert_amount(amount(&s, "work:30", M_P_WKB_S), (6 + 2) << 20);
	f.pass[f.n_pass++] = sample(30, 30, 1001 * S + 9, 990 * MS, 0, 6 << 20);
	second_of(t, &s, 1);
	assert_amount(amount_of_all(&s, M_P_CPU), 40 * MS);
	second_release(&s);
	tasks_free(t);
}

static void threads_add_up_to_their_process(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	for (uint32_t k = 0; k < 3; k++) {
		f.pass[f.n_pass] =
			sample(40, 40 + k, f.now_ns + 40 + k, (k + 1) * 100 * MS, k << 20, 0);
		f.pass[f.n_pass++].leader_start_ns = f.now_ns + 40;
	}
	/* One that ended when its leader had gone: whose it was is known by the number alone. */
	f.gone[f.n_gone] = sample(40, 49, f.now_ns + 99, 50 * MS, 0, 0);
	f.gone[f.n_gone].leader_start_ns = 0;
	memset(f.gone[f.n_gone].comm, 0, sizeof(f.gone->comm));
	f.gone[f.n_gone++].stage = TASK_FREED;
	second_of(t, &s, 1);
	assert_amount(amount(&s, "work:40", M_P_CPU), 650 * MS);
	assert_amount(amount(&s, "work:40", M_P_RKB_S), 3 << 20);
	assert_int_equal(s.n_rows, 2);
	second_release(&s);
	tasks_free(t);
}

/* The leader's end is not told, and the thread that called exec() lives on, or ends at once. */
static void an_exec_whose_leader_is_not_freed_counts_nothing_twice(void **state)
{
	(void)state;
	for (int lives = 0; lives < 2; lives++) {
		struct task_sample exits, now_leader;
		struct fake f;
		struct tasks *t = start(&f, 1);
		uint64_t begin;

		tasks_look(t);
		begin = f.now_ns;
		exits = sample(50, 50, begin, 800 * MS, 8 << 20, 0);
		exits.stage = TASK_EXITS;
		f.gone[f.n_gone++] = exits;
		now_leader = sample(50, 50, begin, 150 * MS, 2 << 20, 0);
		if (!lives) {
			now_leader.stage = TASK_EXITS;
			f.gone[f.n_gone++] = now_leader;
			now_leader.stage = TASK_FREED;
			f.gone[f.n_gone++] = now_leader;
			check_second(t, "work:50", 150 * MS, 2 << 20);
			/* The leader's, as it was. */
			check_second(t, "work:50", 0, 0);
			check_second(t, "work:50", 800 * MS, 8 << 20);
		} else {
			check_second(t, "work:50", 0, 0);
			f.pass[f.n_pass++] = now_leader;
			check_second(t, "work:50", 150 * MS, 2 << 20);
			/* It may sleep for long: it is neither the one who exited nor forgotten. */
			check_second(t, "work:50", 0, 0);
			check_second(t, "work:50", 0, 0);
			check_second(t, "work:50", 0, 0);
			now_leader.cpu_ns += 40 * MS;
			f.pass[f.n_pass++] = now_leader;
			check_second(t, "work:50", 40 * MS, 0);
		}
		for (int k = 0; k < 4; k++)
			check_second(t, "work:50", 0, 0);
		tasks_free(t);
	}
}

/* A look, its rows added to the sums; only the rest may be below nothing. */
static void add_look(struct tasks *t, double sum[2])
{
	struct second s;

	second_init(&s);
	second_of(t, &s, 1);
	sum[0] += amount_of_all(&s, M_P_CPU);
	sum[1] += amount_of_all(&s, M_P_RKB_S);
	for (size_t i = 0; i < s.n_rows; i++)
		assert_true(!strcmp(s.rows[i].instance, TASKS_REST) ||
			    second_value(&s.rows[i], M_P_CPU) >= 0);
	second_release(&s);
}

/* Thread 51 of 50 calls exec(): it becomes 50, the old leader 51, in every order of being seen. */
static void an_exec_by_a_thread_counts_nothing_twice(void **state)
{
	(void)state;
	for (int order = 0; order < 6; order++) {
		struct task_sample exits, was_leader, now_leader;
		double sum[2] = {0, 0};
		struct fake f;
		struct tasks *t = start(&f, 1);
		uint64_t begin;

		tasks_look(t);
		begin = f.now_ns;
		f.pass[f.n_pass++] = sample(50, 50, begin, 800 * MS, 8 << 20, 0);
		f.pass[f.n_pass] = sample(50, 51, begin + 5, 100 * MS, 1 << 20, 0);
		f.pass[f.n_pass++].leader_start_ns = begin;
		add_look(t, sum);
		/* The old leader's exit is told while the number is still his, or not at all. */
		exits = sample(50, 50, begin, 805 * MS, 9 << 20, 0);
		exits.stage = TASK_EXITS;
		was_leader = sample(50, 51, begin, 810 * MS, 9 << 20, 0);
		was_leader.leader_start_ns = begin;
		was_leader.stage = TASK_FREED;
		now_leader = sample(50, 50, begin, 150 * MS, 2 << 20, 0);
		if (order >= 3)
			f.gone[f.n_gone++] = exits;
		if (order % 3 == 0) { /* the end first */
			f.gone[f.n_gone++] = was_leader;
			add_look(t, sum);
		}
		f.pass[f.n_pass++] = now_leader;
		if (order % 3 == 1)
			f.gone[f.n_gone++] = was_leader;
		add_look(t, sum);
		if (order % 3 == 2) {
			f.gone[f.n_gone++] = was_leader;
			add_look(t, sum);
		}
		for (int k = 0; k < 4; k++)
			add_look(t, sum);
		assert_amount(sum[0], (810 + 150) * MS);
		assert_amount(sum[1], (9 + 2) << 20);
		/* And it ends as any other. */
		exits = sample(50, 50, begin, 180 * MS, 3 << 20, 0);
		exits.stage = TASK_EXITS;
		f.gone[f.n_gone++] = exits;
		for (int k = 0; k < 4; k++)
			add_look(t, sum);
		assert_amount(sum[0], (810 + 180) * MS);
		assert_amount(sum[1], (9 + 3) << 20);
		tasks_free(t);
	}
}

static void the_busiest_are_shown_and_the_rest_is_theirs_who_are_not(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	/* 100…119 by CPU, 200…219 by bytes; 300 a little of both, under the floors. */
	for (uint32_t k = 0; k < 20; k++) {
		f.pass[f.n_pass++] = sample(100 + k, 100 + k, f.now_ns, (k + 20) * MS, 0, 0);
		f.pass[f.n_pass++] = sample(200 + k, 200 + k, f.now_ns, k, k << 20, k << 18);
	}
	f.pass[f.n_pass++] = sample(300, 300, f.now_ns, 9 * MS, 65000, 0);
	second_of(t, &s, 1);
	assert_int_equal(s.n_rows, 11);
	for (uint32_t k = 15; k < 20; k++) {
		char name[32];

		snprintf(name, sizeof(name), "work:%u", 100 + k);
		assert_amount(amount(&s, name, M_P_CPU), (k + 20) * MS);
		snprintf(name, sizeof(name), "work:%u", 200 + k);
		assert_amount(amount(&s, name, M_P_RKB_S), k << 20);
	}
	assert_amount(amount(&s, TASKS_REST, M_P_RKB_S), (14 * 15 / 2 << 20) + 65000);
	assert_amount(amount_of_all(&s, M_P_CPU), (19 * 20 / 2 + 400 + 9) * MS + 190);
	assert_amount(amount_of_all(&s, M_P_WKB_S), 190 << 18);
	/* First by both: one row. And what is under the floor is not shown even when alone. */
	f.pass[f.n_pass++] = sample(119, 119, 1001 * S, 39 * MS + 500 * MS, 1 << 20, 0);
	f.pass[f.n_pass++] = sample(300, 300, 1001 * S, 9 * MS + 9 * MS, 65000 + 65000, 0);
	second_of(t, &s, 1);
	assert_int_equal(s.n_rows, 2);
	assert_amount(amount(&s, TASKS_REST, M_P_CPU), 9 * MS);
	second_release(&s);
	tasks_free(t);
}

static void names_are_printable_and_without_blanks(void **state)
{
	static const struct {
		const char *comm, *name;
	} cases[] = {
		{"a b\tc\nd", "a?b?c?d:60"},
		{"caf\xc3\xa9", "caf??:60"},
		{"\x7f\x1b[2J", "??[2J:60"},
		{"kworker/0:1", "kworker/0:1:60"},
		{"quote\"back\\", "quote\"back\\:60"},
		{"(rest)", "(rest):60"},
		{"", "?:60"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct second s;
		struct fake f;
		struct tasks *t = start(&f, 1);

		second_init(&s);
		tasks_look(t);
		f.pass[f.n_pass] = sample(60, 60, f.now_ns, S, 0, 0);
		memset(f.pass[f.n_pass].comm, 0, 16);
		memcpy(f.pass[f.n_pass++].comm, cases[i].comm, strlen(cases[i].comm));
		second_of(t, &s, 1);
		assert_int_equal(s.n_rows, 2);
		assert_string_equal(s.rows[0].instance, cases[i].name);
		second_release(&s);
		tasks_free(t);
	}
	{ /* all 16 bytes, without an end */
		struct second s;
		struct fake f;
		struct tasks *t = start(&f, 1);

		second_init(&s);
		tasks_look(t);
		f.pass[f.n_pass] = sample(60, 60, f.now_ns, S, 0, 0);
		memset(f.pass[f.n_pass++].comm, 'x', 16);
		second_of(t, &s, 1);
		assert_string_equal(s.rows[0].instance, "xxxxxxxxxxxxxxxx:60");
		second_release(&s);
		tasks_free(t);
	}
}

static void two_lives_of_one_number_are_one_row(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	f.gone[f.n_gone] = sample(70, 70, f.now_ns + 1, 300 * MS, 0, 0);
	f.gone[f.n_gone++].stage = TASK_FREED;
	f.gone[f.n_gone] = sample(70, 70, f.now_ns + 2, 200 * MS, 0, 1 << 20);
	f.gone[f.n_gone++].stage = TASK_FREED;
	second_of(t, &s, 1);
	assert_int_equal(s.n_rows, 2);
	assert_amount(amount(&s, "work:70", M_P_CPU), 500 * MS);
	assert_amount(amount(&s, "work:70", M_P_WKB_S), 1 << 20);
	second_release(&s);
	tasks_free(t);
}

static void where_bytes_are_not_accounted_they_are_unknown(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	f.pass[f.n_pass] = sample(80, 80, f.now_ns, S, UNKNOWN, UNKNOWN);
	f.pass[f.n_pass++].cancelled_write_bytes = UNKNOWN;
	second_of(t, &s, 1);
	assert_int_equal(s.n_rows, 2);
	for (size_t i = 0; i < s.n_rows; i++) {
		assert_false(isnan(second_value(&s.rows[i], M_P_CPU)));
		assert_true(isnan(second_value(&s.rows[i], M_P_RKB_S)));
		assert_true(isnan(second_value(&s.rows[i], M_P_WKB_S)));
		assert_true(isnan(second_value(&s.rows[i], M_P_CCWKB_S)));
	}
	second_release(&s);
	tasks_free(t);
}

static void a_look_that_fails_gives_no_rows_and_loses_nothing(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	f.err = -EPERM;
	second_clear(&s);
	s.interval_s = 1;
	assert_int_equal(tasks_look(t), -EPERM);
	assert_int_equal(tasks_add_rows(t, &s), 0);
	assert_int_equal(s.n_rows, 0);
	f.err = 0;
	f.lost = 3;
	f.pass[f.n_pass++] = sample(90, 90, f.now_ns, S, 0, 0);
	s.lost = 4;
	assert_int_equal(tasks_look(t), 0); /* its second is not written: none is asked for */
	f.pass[f.n_pass++] = sample(90, 90, 1001 * S, 2 * S, 0, 0);
	second_of(t, &s, 1);
	assert_amount(amount(&s, "work:90", M_P_CPU), 2 * S);
	assert_int_equal(s.lost, 4 + 3);
	second_of(t, &s, 1);
	assert_int_equal(s.lost, 4 + 3);
	second_release(&s);
	tasks_free(t);
}

static void memory_is_small_for_few(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);

	(void)state;
	second_init(&s);
	tasks_look(t);
	for (uint32_t k = 0; k < 60; k++)
		f.pass[f.n_pass++] = sample(100 + k, 100 + k, f.now_ns, S, 0, 0);
	second_of(t, &s, 1);
	assert_true(tasks_bytes(t) < 128 * 1024);
	second_release(&s);
	tasks_free(t);
}

/* ---- the cost ---- */

static void a_costly_look_is_taken_every_ten_seconds(void **state)
{
	double sum[2] = {0, 0};
	const char *said = NULL;
	int seconds = 0, passes;
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 1);
	uint64_t begin, used = 0;

	(void)state;
	second_init(&s);
	f.burn_ns = 50 * MS; /* the first, which meets everything, does not count */
	tasks_look(t);
	f.burn_ns = 0;
	second_of(t, &s, 1);
	assert_null(tasks_trouble(t));
	f.burn_ns = 20 * MS;
	while (!said && seconds++ < 20) {
		second_of(t, &s, 1);
		said = tasks_trouble(t);
	}
	assert_non_null(said);
	assert_null(tasks_trouble(t)); /* once */
	assert_int_equal(s.n_rows, 1);
	for (int i = 0; i < 9; i++) {
		second_of(t, &s, 1);
		assert_int_equal(s.n_rows, 0);
	}
	f.burn_ns = 0;
	begin = f.now_ns;
	f.pass[f.n_pass++] = sample(95, 95, begin, 3 * S + 7, (1 << 20) + 3, 0);
	passes = f.passes;
	for (int i = 0; i < 10; i++) {
		double cpu;

		/* What ends meanwhile is taken at once and shown after the next look. */
		f.gone[f.n_gone] = sample(96, 96, f.now_ns, 100 * MS, 0, 0);
		f.gone[f.n_gone++].stage = TASK_FREED;
		used += 100 * MS;
		second_of(t, &s, 1);
		cpu = amount(&s, "work:95", M_P_CPU);
		assert_true(cpu >= 3 * S / 10 && cpu <= 3 * S / 10 + 10);
		assert_non_null(row_of(&s, TASKS_REST));
		sum[0] += amount_of_all(&s, M_P_CPU);
		sum[1] += amount_of_all(&s, M_P_RKB_S);
	}
	assert_int_equal(f.passes - passes, 1);
	for (int i = 0; i < 10; i++) {
		second_of(t, &s, 1);
		sum[0] += amount_of_all(&s, M_P_CPU);
		sum[1] += amount_of_all(&s, M_P_RKB_S);
	}
	assert_int_equal(f.passes - passes, 2);
	assert_amount(sum[0], 3 * S + 7 + used);
	assert_amount(sum[1], (1 << 20) + 3);
	second_release(&s);
	tasks_free(t);
}

static void at_long_intervals_cost_does_not_matter(void **state)
{
	struct second s;
	struct fake f;
	struct tasks *t = start(&f, 10);

	(void)state;
	second_init(&s);
	f.burn_ns = 10 * MS;
	for (int i = 0; i < 8; i++)
		second_of(t, &s, 10);
	assert_null(tasks_trouble(t));
	assert_int_equal(f.passes, 8);
	second_release(&s);
	tasks_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_before_the_first_look_does_not_count),
		cmocka_unit_test(a_short_life_is_seen_whole),
		cmocka_unit_test(an_end_that_is_not_told_is_what_was_told_of_the_exit),
		cmocka_unit_test(a_zombie_is_waited_for),
		cmocka_unit_test(a_number_that_comes_back_is_another_thread),
		cmocka_unit_test(threads_add_up_to_their_process),
		cmocka_unit_test(an_exec_by_a_thread_counts_nothing_twice),
		cmocka_unit_test(an_exec_whose_leader_is_not_freed_counts_nothing_twice),
		cmocka_unit_test(the_busiest_are_shown_and_the_rest_is_theirs_who_are_not),
		cmocka_unit_test(names_are_printable_and_without_blanks),
		cmocka_unit_test(two_lives_of_one_number_are_one_row),
		cmocka_unit_test(where_bytes_are_not_accounted_they_are_unknown),
		cmocka_unit_test(a_look_that_fails_gives_no_rows_and_loses_nothing),
		cmocka_unit_test(a_costly_look_is_taken_every_ten_seconds),
		cmocka_unit_test(at_long_intervals_cost_does_not_matter),
		cmocka_unit_test(memory_is_small_for_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
