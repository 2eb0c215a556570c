// SPDX-License-Identifier: BSD-2-Clause
/*
 * score.h: what a run adds to which count, and the edges of rates.
 *
 * `test_score -` computes for tests/numeric/score_reference.py instead: outcomes come on standard
 * input, a line each (cannot faulty hit named cause_known missed free alarmed untimely misnamed
 * not_judged ttd_s); an empty line or the end asks for the scores, one line of numbers: k, n, value,
 * lo and hi of every rate, then tp, fp, tn, fn, MCC, median and largest time, and starts anew.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/evaluate/score.h"

static void check_rate(const struct score *s, enum score_rate r, size_t k, size_t n)
{
	if (s->rate[r].k != k || s->rate[r].n != n)
		fail_msg("%s is %zu of %zu and not %zu of %zu", score_rate_names[r], s->rate[r].k,
			 s->rate[r].n, k, n);
}

/* Those of the papers, in the order of enum score_rate; ours are looked at one by one. */
static void check_rates(const struct score *s, const struct rate expected[RATE_60S])
{
	for (int r = 0; r < RATE_60S; r++)
		check_rate(s, (enum score_rate)r, expected[r].k, expected[r].n);
}

static void check_matrix(const struct score *s, size_t tp, size_t fp, size_t tn, size_t fn)
{
	assert_int_equal(s->tp, tp);
	assert_int_equal(s->fp, fp);
	assert_int_equal(s->tn, tn);
	assert_int_equal(s->fn, fn);
}

static void a_hit(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.faulty = 1,
					.hit = 1,
					.named = 1,
					.cause_known = true,
					.free = 9,
					.ttd_s = 96});
	check_rates(&s, (struct rate[]){{1, 1},
					{0, 1},
					{1, 1},
					{0, 1},
					{1, 1},
					{0, 9},
					{0, 0},
					{0, 0},
					{1, 1},
					{1, 1}});
	check_matrix(&s, 1, 0, 9, 0);
	assert_true(score_ttd(&s, 0.5) == 96 && score_mcc(&s) == 1);
	score_release(&s);
}

/* Two servers are faulty, one is found, and by a wrong cause; a healthy one is indicted as well. */
static void half_a_hit_is_a_miss_of_the_run(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.faulty = 2,
					.hit = 1,
					.named = 0,
					.cause_known = true,
					.missed = 1,
					.free = 4,
					.alarmed = 1,
					.misnamed = 0,
					.ttd_s = NAN});
	check_rates(&s, (struct rate[]){{0, 1},
					{1, 1},
					{0, 1},
					{0, 1},
					{1, 2},
					{1, 4},
					{0, 0},
					{0, 0},
					{1, 2},
					{1, 2}});
	check_matrix(&s, 1, 1, 3, 1);
	assert_int_equal(s.n_ttd, 0);
	score_release(&s);
}

/* The faulty server was indicted before its fault began: an alarm, and a miss. */
static void an_early_indictment_counts_twice(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.faulty = 1,
					.missed = 1,
					.free = 4,
					.untimely = 1,
					.misnamed = 1,
					.ttd_s = NAN});
	check_rates(&s, (struct rate[]){{0, 1},
					{1, 1},
					{0, 0},
					{1, 1},
					{0, 1},
					{1, 5},
					{0, 0},
					{0, 0},
					{0, 1},
					{0, 1}});
	check_matrix(&s, 0, 1, 4, 1);
	score_release(&s);
}

static void a_run_without_judgement_is_a_miss_and_no_restraint(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.cannot = true,
					.faulty = 1,
					.cause_known = true,
					.not_judged = 6,
					.ttd_s = NAN});
	score_add(&s, &(struct outcome){.cannot = true, .not_judged = 6, .ttd_s = NAN});
	check_rates(&s, (struct rate[]){{0, 1},
					{0, 0},
					{0, 1},
					{0, 0},
					{0, 1},
					{0, 0},
					{0, 0},
					{0, 0},
					{0, 0},
					{0, 0}});
	check_matrix(&s, 0, 0, 0, 0);
	assert_int_equal(s.not_judged, 12);
	assert_true(s.faulty == 1 && s.fault_free == 1);
	assert_true(s.cannot_faulty == 1 && s.cannot_fault_free == 1);
	score_release(&s);
}

static void fault_free_runs_give_the_false_alarm_rate(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.free = 5, .ttd_s = NAN});
	score_add(&s,
		  &(struct outcome){
			  .free = 4, .alarmed = 2, .misnamed = 1, .not_judged = 1, .ttd_s = NAN});
	check_rates(&s, (struct rate[]){{0, 0},
					{1, 2},
					{0, 0},
					{1, 2},
					{0, 0},
					{0, 0},
					{2, 9},
					{1, 2},
					{0, 2},
					{0, 0}});
	check_matrix(&s, 0, 2, 7, 0);
	score_release(&s);
}

/* No recording is dropped: a run that failed is a miss, and no proof of restraint. */
static void a_run_that_failed_is_a_miss(void **state)
{
	struct outcome o = {.cannot = true, .failed = true, .faulty = 2, .ttd_s = NAN};
	struct score s = {0};

	(void)state;
	score_add(&s, &o);
	o.faulty = 0;
	score_add(&s, &o);
	check_rate(&s, RATE_ITP, 0, 1);
	check_rate(&s, RATE_TP, 0, 2);
	check_rate(&s, RATE_60S, 0, 1);
	check_rate(&s, RATE_IFP, 0, 0);
	check_rate(&s, RATE_ALARM_RUNS, 0, 0);
	assert_true(s.faulty == 1 && s.fault_free == 1);
	assert_true(s.failed_faulty == 1 && s.failed_fault_free == 1);
	assert_true(s.cannot_faulty == 1 && s.cannot_fault_free == 1);
	score_release(&s);
}

static void detected_within_a_minute(void **state)
{
	struct outcome o = {.faulty = 1, .hit = 1, .ttd_s = 60};
	struct score s = {0};

	(void)state;
	score_add(&s, &o);
	o.ttd_s = 60.001;
	score_add(&s, &o);
	o.hit = 0; /* not at all */
	o.ttd_s = NAN;
	score_add(&s, &o);
	score_add(&s, &(struct outcome){.free = 5, .ttd_s = NAN});
	check_rate(&s, RATE_60S, 1, 3);
	score_release(&s);
}

/* Of packet loss on the right servers only, and of methods that tell sides. */
static void the_side_of_packet_loss(void **state)
{
	struct outcome o = {
		.faulty = 2, .hit = 2, .named = 2, .directed = true, .direction = 2, .ttd_s = 30};
	struct score s = {0};

	(void)state;
	score_add(&s, &o);
	check_rate(&s, RATE_DIRECTION, 1, 1);
	o.direction = 1;
	score_add(&s, &o);
	check_rate(&s, RATE_DIRECTION, 1, 2);
	o.hit = 1;
	score_add(&s, &o);
	o.hit = 2;
	o.directed = false;
	score_add(&s, &o);
	check_rate(&s, RATE_DIRECTION, 1, 2);
	score_release(&s);
}

static void guesses_are_scored_apart(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(
		&s,
		&(struct outcome){
			.faulty = 3, .hit = 3, .named = 3, .guessed = 2, .guess = 1, .ttd_s = 30});
	score_add(&s, &(struct outcome){.faulty = 1, .hit = 1, .named = 1, .ttd_s = 30});
	check_rate(&s, RATE_GUESS, 1, 2);
	check_rate(&s, RATE_ITP, 2, 2);
	score_release(&s);
}

/* Nobody indicted: "unproven" says that it knows nothing; of a run with a fault "well" is wrong. */
static void what_is_said_where_nobody_is_indicted(void **state)
{
	struct score s = {0};

	(void)state;
	score_add(&s, &(struct outcome){.faulty = 1, .hit = 1, .ttd_s = 30});
	score_add(&s, &(struct outcome){.faulty = 1, .missed = 1, .unproven = true, .ttd_s = NAN});
	score_add(&s, &(struct outcome){.faulty = 1, .missed = 1, .clear = true, .ttd_s = NAN});
	score_add(&s, &(struct outcome){.free = 5, .clear = true, .ttd_s = NAN});
	score_add(&s, &(struct outcome){.free = 5, .alarmed = 1, .ttd_s = NAN});
	score_add(&s, &(struct outcome){.cannot = true, .ttd_s = NAN});
	check_rate(&s, RATE_UNPROVEN, 1, 3);
	check_rate(&s, RATE_CLEAR, 1, 3);
	score_release(&s);
}

static void what_is_not_defined_is_nan(void **state)
{
	struct score s = {0}, all_healthy = {.tn = 7}, one_class = {.tp = 3, .fn = 1};

	(void)state;
	assert_true(isnan(rate_value((struct rate){0, 0})));
	assert_true(isnan(rate_wilson((struct rate){0, 0}).lo));
	assert_true(isnan(rate_wilson((struct rate){0, 0}).hi));
	assert_true(isnan(score_mcc(&s)) && isnan(score_mcc(&all_healthy)));
	assert_true(isnan(score_mcc(&one_class)));
	assert_true(isnan(score_ttd(&s, 1)));
	score_release(&s);
	assert_true(rate_wilson((struct rate){0, 3}).lo == 0);
	assert_true(rate_wilson((struct rate){3, 3}).hi == 1);
}

static void times_are_kept_whatever_their_number(void **state)
{
	struct score s = {0};

	(void)state;
	for (int i = 100; i > 0; i--)
		assert_int_equal(score_add(&s, &(struct outcome){.faulty = 1, .ttd_s = i}), 0);
	assert_true(score_ttd(&s, 0.5) == 50.5 && score_ttd(&s, 1) == 100);
	score_release(&s);
}

static void print_scores(struct score *s)
{
	for (int i = 0; i < RATE_COUNT; i++) {
		struct bounds w = rate_wilson(s->rate[i]);

		printf("%zu %zu %.17g %.17g %.17g ", s->rate[i].k, s->rate[i].n,
		       rate_value(s->rate[i]), w.lo, w.hi);
	}
	printf("%zu %zu %zu %zu %.17g ", s->tp, s->fp, s->tn, s->fn, score_mcc(s));
	printf("%.17g ", score_ttd(s, 0.5));
	printf("%.17g\n", score_ttd(s, 1));
	score_release(s);
}

static int compute(void)
{
	struct score s = {0};
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		struct outcome o = {0};
		int cannot, known;

		if (*line == '\n') {
			print_scores(&s);
			continue;
		}
		if (sscanf(line, "%d %zu %zu %zu %d %zu %zu %zu %zu %zu %zu %lf", &cannot,
			   &o.faulty, &o.hit, &o.named, &known, &o.missed, &o.free, &o.alarmed,
			   &o.untimely, &o.misnamed, &o.not_judged, &o.ttd_s) != 12)
			return 1;
		o.cannot = cannot;
		o.cause_known = known;
		if (score_add(&s, &o))
			return 1;
	}
	print_scores(&s);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit),
		cmocka_unit_test(half_a_hit_is_a_miss_of_the_run),
		cmocka_unit_test(an_early_indictment_counts_twice),
		cmocka_unit_test(a_run_without_judgement_is_a_miss_and_no_restraint),
		cmocka_unit_test(fault_free_runs_give_the_false_alarm_rate),
		cmocka_unit_test(a_run_that_failed_is_a_miss),
		cmocka_unit_test(detected_within_a_minute),
		cmocka_unit_test(the_side_of_packet_loss),
		cmocka_unit_test(guesses_are_scored_apart),
		cmocka_unit_test(what_is_said_where_nobody_is_indicted),
		cmocka_unit_test(what_is_not_defined_is_nan),
		cmocka_unit_test(times_are_kept_whatever_their_number),
	};

	if (argc > 1 && !strcmp(argv[1], "-"))
		return compute();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
