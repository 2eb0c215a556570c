// SPDX-License-Identifier: BSD-2-Clause
/* track.h: what is learnt and what not, the slow test, servers that come later. */
#include "robust_bench.h"

/* 1.2 x from the beginning: too little for the fast test. Pushes are counted from 1, and 21 is the
 * first multiple of three from 20 on. */
static void what_always_was_is_chronic(void **state)
{
	(void)state;
	for (size_t n = 4; n <= 6; n++) {
		struct bench b = bench(n);

		b.x[2] = 12;
		for (int w = 1; w <= 60; w++) {
			push(&b);
			assert_true(b.l[2].chronic == (n >= 5 && w >= 21));
			assert_int_equal(b.l[2].slow_windows, n >= 5 && w >= 21 ? w - w % 3 : 0);
		}
		for (size_t i = 0; i < n; i++)
			assert_true(!b.was_odd[i] && b.was_chronic[i] == (n >= 5 && i == 2));
		if (n >= 5)
			assert_true(fabs(b.l[2].slow_ratio - 12.5 / 10.5) < 1e-6);
		track_free(b.t);
	}
}

static void an_offset_of_its_own_is_learnt(void **state)
{
	struct bench b = bench(6);
	double d = log(11.5 / 10.5); /* not enough to be chronic */

	(void)state;
	b.x[2] = 11;
	assert_true(isnan(track_offset(b.t, 2)));
	for (int w = 1; w <= 60; w++) {
		b.x[2] = 11;
		push(&b);
		assert_true(w < 20 ? b.l[2].offset == 0 : fabs(b.l[2].offset - d) < 0.0013);
	}
	assert_true(track_offset(b.t, 2) == b.l[2].offset && track_offset(b.t, 0) == 0);
	nobody_is_odd(&b);
	track_free(b.t);
}

/* One of six gets worse over `rise` windows, to 1.35 x and stays so. */
static struct bench ramp(int before, int rise)
{
	struct bench b = bench(6);

	for (int w = 0; w < before + rise + 200; w++) {
		double up = w < before ? 0 : fmin(1, (w - before + 1.0) / rise);

		noise(&b, 0.02);
		b.x[1] *= exp(up * log(1.38)); /* 1.36 with the constant 0.5 */
		push(&b);
		if (w < before)
			nobody_is_odd(&b);
	}
	return b;
}

/* As long as there is a past, a fault that begins slowly is not learnt, nor while it lasts. */
static void a_fault_that_rises_is_not_learnt(void **state)
{
	static const int rises[] = {1, 6, 12, 20};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct bench b = ramp(60, rises[k]);

		assert_true(b.l[1].odd && b.l[1].offset < 0.02);
		for (size_t i = 0; i < 6; i++)
			assert_true(b.was_odd[i] == (i == 1));
		track_free(b.t);
	}
}

/* Where nothing but the rise was ever seen, the slow test tells. */
static void what_always_rose_is_chronic_at_least(void **state)
{
	struct bench b = ramp(0, 300);

	(void)state;
	assert_true(b.l[1].chronic);
	for (size_t i = 0; i < 6; i++)
		assert_true(i == 1 || (!b.was_odd[i] && !b.was_chronic[i]));
	track_free(b.t);
}

/* A fault leaves the offset alone: before, in it, and for as many windows after. */
static void offsets_are_kept_through_a_fault(void **state)
{
	struct track_params p = TRACK_PARAMS_DEFAULT;
	double before, after = NAN;
	struct bench b;

	(void)state;
	p.slow_z = INFINITY;
	p.offset_intervals = 40; /* turns at every 20th push */
	b = bench_of(6, &p);
	b.x[2] = 11;
	push_times(&b, 30);
	before = track_offset(b.t, 2);
	assert_true(fabs(before - log(11.5 / 10.5)) < 0.0013);
	b.x[2] = 20;
	push_times(&b, 4);
	assert_true(b.l[2].odd && b.l[2].offset == before);
	/* What was learnt is forgotten in time; of the fault nothing comes in its place. */
	push_times(&b, 40);
	assert_true(b.l[2].odd && b.l[2].offset == 0 && isnan(track_offset(b.t, 2)));
	b.x[2] = 11;
	for (int w = 1; isnan(after) && w < 100; w++) {
		push(&b);
		after = track_offset(b.t, 2);
		assert_true(isnan(after) || w >= 5 + 14 + 11);
	}
	assert_true(fabs(after - log(11.5 / 10.5)) < 0.0013);
	track_free(b.t);
}

static void offsets_may_be_told(void **state)
{
	struct bench b = bench(6);

	(void)state;
	track_set_offset(b.t, 0, 0.2);
	track_set_offset(b.t, 1, 9);
	track_set_offset(b.t, 2, -9);
	track_set_offset(b.t, 3, NAN);
	assert_true(fabs(track_offset(b.t, 0) - 0.2) < 0.0013);
	assert_true(fabs(track_offset(b.t, 1) - 0.405465) < 1e-9);
	assert_true(track_offset(b.t, 2) == 0 && isnan(track_offset(b.t, 3)));
	b.x[0] = 12;
	push(&b);
	assert_true(b.l[0].offset == track_offset(b.t, 0) && b.l[0].ratio < 1);
	b.x[0] = 10;
	push_times(&b, 7 + 20); /* more new windows than the twelve it stands for */
	assert_true(b.l[0].offset == 0 && b.l[1].offset == 0);
	track_free(b.t);
	/* Where none is used, none is learnt. */
	b = bench_of(6, &(struct track_params){.z = 4, .ratio = 1.3, .sigma_min = 0.06, .of = 1});
	track_set_offset(b.t, 0, 0.2);
	b.x[0] = 11;
	push_times(&b, 50);
	assert_true(b.l[0].offset == 0 && isnan(track_offset(b.t, 0)));
	track_free(b.t);
}

/* The old ones see nothing of it but peers that come. */
static void more_may_come(void **state)
{
	struct bench b = bench(5), whole = bench(8);

	(void)state;
	for (int w = 0; w < 100; w++) {
		noise(&b, 0.1);
		if (w >= 40 && b.n == 5) {
			b.n = 8;
			assert_int_equal(track_grow(b.t, 8), 0);
			noise(&b, 0.1);
		}
		for (size_t i = 0; i < 8; i++)
			whole.x[i] = i < b.n ? b.x[i] : NAN;
		push(&b);
		push(&whole);
		for (size_t i = 0; i < b.n; i++) {
			assert_true(b.l[i].judged && b.l[i].z == whole.l[i].z);
			assert_true(b.l[i].of == whole.l[i].of && b.l[i].odd == whole.l[i].odd);
			assert_int_equal(b.l[i].slow_windows, whole.l[i].slow_windows);
		}
	}
	assert_int_equal(b.l[7].slow_windows, 59);
	assert_int_equal(track_grow(b.t, 3), 0); /* never less */
	push(&b);
	track_free(b.t);
	track_free(whole.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_always_was_is_chronic),
		cmocka_unit_test(an_offset_of_its_own_is_learnt),
		cmocka_unit_test(more_may_come),
		cmocka_unit_test(offsets_may_be_told),
		cmocka_unit_test(offsets_are_kept_through_a_fault),
		cmocka_unit_test(what_always_rose_is_chronic_at_least),
		cmocka_unit_test(a_fault_that_rises_is_not_learnt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
