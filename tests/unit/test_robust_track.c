// SPDX-License-Identifier: BSD-2-Clause
/* track.h, the fast test: votes counted by hand, few peers, series made to deceive. */
#include "robust_bench.h"

static void equals_and_zeros_are_nothing(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct bench b = bench(6);

		for (size_t i = 0; i < 6; i++)
			b.x[i] = kind ? 0 : 10;
		push_times(&b, 100);
		nobody_is_odd(&b);
		for (size_t i = 0; i < 6; i++) {
			assert_true(b.l[i].judged && b.l[i].z == 0 && b.l[i].ratio == 1);
			assert_true(b.l[i].sigma == 0.0606 && b.l[i].offset == 0);
			assert_true(b.l[i].slow_d == 0 && b.l[i].slow_windows == 100 - 100 % 3);
			assert_false(b.was_flagged[i]);
		}
		track_free(b.t);
	}
}

static void one_and_two_are_never_judged(void **state)
{
	struct compared c[2] = {{.d = 3}, {.d = -3}};

	(void)state;
	for (size_t n = 0; n <= 2; n++) {
		struct bench b = bench(n);

		b.x[0] = 1000;
		for (int w = 0; w < 50; w++) {
			push(&b);
			/* Not even if somebody says so. */
			assert_int_equal(track_push(b.t, c, NULL, b.l), 0);
			for (size_t i = 0; i < n; i++) {
				assert_false(b.l[i].judged || b.l[i].flagged || b.l[i].odd);
				assert_true(isnan(b.l[i].d) && isnan(b.l[i].z));
			}
		}
		track_free(b.t);
	}
	track_free(NULL);
}

static void one_sample_is_no_proof(void **state)
{
	struct bench b = bench(6);

	(void)state;
	b.x[2] = 1e9;
	push(&b);
	assert_true(b.l[2].flagged && b.l[2].flags == 1 && b.l[2].of == 1);
	for (size_t i = 0; i < 6; i++)
		b.x[i] = NAN;
	push_times(&b, 400);
	assert_false(b.l[2].judged);
	nobody_is_odd(&b);
	track_free(b.t);
}

/* Flagged in 30, 31, 32: those overlap. 33 does not overlap with 30. */
static void a_step_is_odd_in_the_fourth_window(void **state)
{
	struct bench b = bench(6);

	(void)state;
	push_times(&b, 30);
	b.x[4] = 15;
	for (int w = 30; w < 60; w++) {
		push(&b);
		assert_true(b.l[4].flagged);
		assert_int_equal(b.l[4].flags, w < 34 ? w - 29 : 5);
		assert_true(b.l[4].odd == (w >= 33));
		assert_true(fabs(b.l[4].z - log(15.5 / 10.5) / 0.0606) < 1e-12);
		assert_true(fabs(b.l[4].ratio - 15.5 / 10.5) < 1e-12);
		assert_true(b.l[4].offset == 0);
	}
	for (size_t i = 0; i < 6; i++)
		assert_true(b.was_odd[i] == (i == 4));
	/* Over after five windows without a flag. */
	b.x[4] = 10;
	for (int w = 0; w < 8; w++) {
		push(&b);
		assert_true(b.l[4].odd == (w < 4));
		assert_int_equal(b.l[4].flags, w < 5 ? 4 - w : 0);
	}
	track_free(b.t);
}

/* Votes need not be in a row, but within the last five judged. */
static void three_of_five(void **state)
{
	static const struct {
		const char *flags;
		int odd; /* from this window on; -1: never */
	} cases[] = {{"1011", 3},     {"1001", -1},	  {"10011", 4},	    {"110011", 4 + 0},
		     {"11", -1},      {"111", -1},	  {"1110", -1},	    {"100101", -1},
		     {"10101", 4},    {"1000110001", -1}, {"11000011", -1}, {"110000111", -1},
		     {"1110001", -1}, {"11101", 4}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct bench b = bench(6);
		int odd = -1;

		push_times(&b, 10);
		for (int w = 0; w < 20; w++) {
			bool end = w >= (int)strlen(cases[k].flags);

			b.x[1] = !end && cases[k].flags[w] == '1' ? 30 : 10;
			push(&b);
			if (b.l[1].odd && odd < 0)
				odd = w;
		}
		assert_int_equal(odd, cases[k].odd);
		track_free(b.t);
	}
}

/*
 * Four intervals in a row, each worse alone, last as long as two windows that do not overlap: F is a window
 * flagged by far whose newest interval is worse, f one of which nobody looked at the interval, g one flagged not by
 * far, x one by far that is below the floor, w the interval alone, v a little too little, - no data.
 */
static void four_intervals_without_a_break_are_enough(void **state)
{
	static const struct {
		const char *windows;
		int odd; /* from this window on; -1: never */
		bool few;
		double usual; /* known of it before */
	} cases[] = {
		{"wFFF", 3, false, 0},	  {"wwFFF", 4, false, 0},  {"FFF", -1, false, 0},
		{".FFF", -1, false, 0},	  {"w.FFF", -1, false, 0}, {"wfFF", -1, false, 0},
		{"wFFf", -1, false, 0},	  {"wFfF", -1, false, 0},  {"wwFF", -1, false, 0},
		{"w-FFF", -1, false, 0},  {"wFFw", -1, false, 0},  {"wFFwF", 4, false, 0},
		{"wFgF", -1, false, 0},	  {"gFFF", 3, false, 0},   {"wwgggg", 5, false, 0},
		{"wxgFF", -1, false, 0},  {"vFFF", -1, false, 0},  {"wFFF", -1, true, 0},
		{"wFFF", -1, false, 0.1},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct bench b = bench(cases[k].few ? 4 : 6);
		int odd = -1;

		if (cases[k].usual > 0)
			track_set_offset(b.t, 1, cases[k].usual);
		push_times(&b, 10);
		for (int w = 0; w < 20; w++) {
			char c = w < (int)strlen(cases[k].windows) ? cases[k].windows[w] : '.';

			b.x[1] = strchr("Ffx", c) ? 30 : c == 'g' ? 15 : c == '-' ? NAN : 10;
			b.newest[1] = strchr("Fgxw", c) ? log(1.31) : c == 'v' ? log(1.29) : 0;
			b.excess[1] = c != 'x';
			push(&b);
			if (b.l[1].odd && odd < 0)
				odd = w;
		}
		assert_int_equal(odd, cases[k].odd);
		track_free(b.t);
	}
}

/* As mean latencies have it: seven intervals for six apart, five by far; and worse alone is by z, too. */
static void a_longer_vote_needs_more_intervals(void **state)
{
	struct track_params p = TRACK_PARAMS_DEFAULT;

	(void)state;
	p.apart = 6;
	p.votes = 5;
	p.of = 7;
	for (int known = 0; known <= 2;
	     known++) { /* intervals that are worse before the windows are */
		struct bench b = bench_of(6, &p);

		push_times(&b, 10);
		b.newest[1] = log(1.31);
		push_times(&b, known);
		b.x[1] = 30;
		push_times(&b, 5);
		assert_true(b.was_odd[1] == (known == 2));
		track_free(b.t);
	}
	p = TRACK_PARAMS_DEFAULT;
	p.sigma_min =
		0.0606 * 2; /* flagged with z = 8.8; log(1.31) is 2.2 times that, log(1.7) 4.4 */
	for (int much = 0; much < 2; much++) {
		struct bench b = bench_of(6, &p);

		push_times(&b, 10);
		b.newest[1] = log(much ? 1.7 : 1.31);
		push(&b);
		b.x[1] = 30;
		push_times(&b, 3);
		assert_true(b.l[1].z > 8 && b.was_odd[1] == much);
		track_free(b.t);
	}
}

static void two_faults_at_once_are_both_named(void **state)
{
	struct bench b = bench(6);

	(void)state;
	for (int w = 0; w < 120; w++) {
		noise(&b, 0.03);
		if (w >= 60) {
			b.x[0] *= 2;
			b.x[5] *= 3;
		}
		push(&b);
		if (w == 59)
			nobody_is_odd(&b);
		if (w >= 63)
			assert_true(b.l[0].odd && b.l[5].odd);
	}
	for (size_t i = 1; i < 5; i++)
		assert_false(b.was_odd[i] || b.was_chronic[i] || b.was_flagged[i]);
	track_free(b.t);
}

/* Half bad: in the end the slow test names them. More: nobody can tell. Never a good one. */
static void with_half_and_more_bad_no_good_one_is_named(void **state)
{
	(void)state;
	for (size_t n = 5; n <= MOST; n++)
		for (size_t bad = (n + 1) / 2; bad < n; bad++) {
			struct bench b = bench(n);

			for (int w = 0; w < 200; w++) {
				noise(&b, 0.03);
				for (size_t i = 0; i < bad && w >= 40; i++)
					b.x[i] *= 2;
				push(&b);
			}
			for (size_t i = 0; i < n; i++) {
				if (i >= bad || 2 * bad > n + 1)
					assert_false(b.was_odd[i]);
				assert_true(b.was_chronic[i] == (i < bad && 2 * bad == n));
			}
			track_free(b.t);
		}
}

static void noise_alone_names_nobody(void **state)
{
	static const double sizes[] = {0.01, 0.05, 0.2, 0.6};

	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (size_t n = 3; n <= MOST; n++) {
			struct bench b = bench(n);

			for (int w = 0; w < 400; w++) {
				noise(&b, sizes[k]);
				for (size_t i = 0; i < n; i++)
					if (rand() % 4 == 0)
						b.x[i] = NAN;
				push(&b);
			}
			nobody_is_odd(&b);
			track_free(b.t);
		}
}

/* Judged every other window: flagged in 30, 32, 34. */
static void presence_may_alternate(void **state)
{
	struct bench b = bench(6);

	(void)state;
	for (int w = 0; w < 60; w++) {
		b.x[3] = w % 2 ? NAN : w < 30 ? 10 : 15;
		push(&b);
		assert_true(b.l[3].judged == !(w % 2));
		assert_true(b.l[3].odd == (w >= 34 && !(w % 2)));
	}
	for (size_t i = 0; i < 6; i++)
		assert_true(b.was_odd[i] == (i == 3));
	track_free(b.t);
}

static void silence_is_forgotten(void **state)
{
	(void)state;
	for (int silent = 1; silent < 30; silent++) {
		struct bench b = bench(6);

		b.x[3] = 15;
		push_times(&b, 2);
		b.x[3] = NAN;
		push_times(&b, silent);
		b.x[3] = 15;
		push(&b);
		/* The first flag is silent + 2 windows old; those of more than 15 do not count. */
		assert_true(b.l[3].odd == (silent + 2 <= 15));
		assert_int_equal(b.l[3].flags, silent + 2 <= 15 ? 3 : silent + 1 <= 15 ? 2 : 1);
		push_times(&b, 3);
		assert_true(b.l[3].odd);
		b.x[3] = NAN;
		push_times(&b, 15);
		b.x[3] = 10;
		push(&b);
		assert_false(b.l[3].odd);
		track_free(b.t);
	}
}

static void few_need_more(void **state)
{
	(void)state;
	for (size_t n = 4; n <= 5; n++)
		for (int much = 0; much < 2; much++) {
			struct bench b = bench(n);

			push_times(&b, 30);
			b.x[1] = much ? 25 : 19;
			for (int w = 30; w < 60; w++) {
				push(&b);
				assert_true(b.l[1].low == (n < 5));
				assert_true(b.l[1].flagged == (n == 5 || much));
				assert_true(b.l[1].odd == (n == 5 ? w >= 33 : much && w >= 34));
			}
			for (size_t i = 0; i < n; i++)
				assert_true(!b.was_chronic[i] || (n == 5 && i == 1));
			track_free(b.t);
		}
}

/* The others' medians move with the worse one, both alike: late, but told. */
static void three_are_enough(void **state)
{
	struct bench b = bench(3);

	(void)state;
	push_times(&b, 30);
	b.x[1] = 100;
	push_times(&b, 4);
	nobody_is_odd(&b);
	push_times(&b, 4);
	assert_true(b.l[1].judged && b.l[1].low && b.l[1].odd);
	assert_false(b.l[0].odd || b.l[2].odd);
	track_free(b.t);
}

static void without_an_excess_nothing_is_flagged(void **state)
{
	struct bench b = bench(6);

	(void)state;
	b.x[1] = 30;
	b.excess[1] = false;
	push_times(&b, 100);
	assert_true(b.l[1].z > 4 && b.l[1].slow_z > 4);
	nobody_is_odd(&b);
	/* In half of the windows is enough for the slow test. */
	b.excess[1] = true;
	push_times(&b, 99);
	assert_false(b.was_chronic[1]);
	push_times(&b, 3);
	assert_true(b.l[1].chronic);
	track_free(b.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_and_zeros_are_nothing),
		cmocka_unit_test(one_and_two_are_never_judged),
		cmocka_unit_test(one_sample_is_no_proof),
		cmocka_unit_test(a_step_is_odd_in_the_fourth_window),
		cmocka_unit_test(three_of_five),
		cmocka_unit_test(four_intervals_without_a_break_are_enough),
		cmocka_unit_test(a_longer_vote_needs_more_intervals),
		cmocka_unit_test(two_faults_at_once_are_both_named),
		cmocka_unit_test(with_half_and_more_bad_no_good_one_is_named),
		cmocka_unit_test(noise_alone_names_nobody),
		cmocka_unit_test(presence_may_alternate),
		cmocka_unit_test(silence_is_forgotten),
		cmocka_unit_test(few_need_more),
		cmocka_unit_test(three_are_enough),
		cmocka_unit_test(without_an_excess_nothing_is_flagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
