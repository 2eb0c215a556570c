// SPDX-License-Identifier: BSD-2-Clause
/* track/track.h: since when an entity is in trouble, at which values, and when that is over. */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/track/track.h"
#include "analyzer/stat/rng.h"
#include "userspace/common/clock.h"

enum { N = 8, SLOW = 3, INTERVAL_S = 4 };
#define T0 (1700000000LL * 1000000000)

struct group {
	struct track_group f;
	struct rng rng;
	int64_t now;
	double by; /* SLOW is worse by this, ln */
	double once; /* in every interval whose number is a multiple of 8: by this instead; 0: as ever */
	bool gone;     /* SLOW has no value */
	bool alone;    /* and works at a load that no other has */
	size_t others; /* so many of the others never have one */
	unsigned int intervals;
};

static void begin(struct group *g, bool logarithmic)
{
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	struct track_opts o = {
		.logarithmic = logarithmic, .gate = p.gate, .interval_s = INTERVAL_S};

	p.interval_s = INTERVAL_S;
	p.k_min = EVIDENCE_SHORTEST;
	*g = (struct group){.now = T0};
	rng_seed(&g->rng, 11);
	assert_int_equal(track_group_init(&g->f, &o, &p), 0);
	assert_int_equal(track_group_grow(&g->f, N), 0);
}

static void lasts(struct group *g, int seconds)
{
	for (; seconds > 0; seconds -= INTERVAL_S, g->now += INTERVAL_S * 1000000000LL) {
		struct residual in[N];
		struct track_values shown[N];
		double by = g->once != 0 && g->intervals++ % 8 == 0 ? g->once : g->by;

		for (size_t i = 0; i < N; i++) {
			in[i] = (struct residual){.r = 0.03 * rng_normal(&g->rng) +
						       (i == SLOW ? by : 0)};
			shown[i] = (struct track_values){10 * exp(in[i].r), 10, N - 1, false};
			if (i == SLOW && g->gone)
				in[i].r = shown[i].value = NAN;
			shown[i].alone = i == SLOW && g->alone;
			if (i >= N - g->others)
				in[i].r = shown[i].value = NAN;
		}
		track_group_push(&g->f, in, 1, shown, g->now, g->now + INTERVAL_S * 1000000000LL);
	}
}

static const struct track_entity *slow(const struct group *g)
{
	return &g->f.at[SLOW];
}

static double seconds(int64_t ns)
{
	return (double)(ns - T0) / 1e9;
}

static struct finding told(const struct group *g)
{
	return track_finding(&g->f, SLOW, (struct finding_about){0});
}

static void others_are_well(const struct group *g)
{
	for (size_t i = 0; i < N; i++)
		if (i != SLOW)
			assert_int_equal(track_level(&g->f.at[i]), EVIDENCE_NONE);
}

/* The onset is where it became worse, not where there was evidence enough; the values are of all of it since. */
static void onset_and_values(void **state)
{
	static const double by[] = {0.4, 0.7, 1.5, 4};

	(void)state;
	for (size_t k = 0; k < sizeof(by) / sizeof(*by); k++) {
		struct group g;
		struct finding e;

		begin(&g, true);
		lasts(&g, 400);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_NONE);
		g.by = by[k];
		lasts(&g, 200);
		e = told(&g);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
		assert_true(seconds(e.onset_ns) == 400);
		assert_true(seconds(e.decided_ns) > 400 && seconds(e.decided_ns) <= 600);
		assert_true(seconds(e.last_ns) == 600);
		assert_true(e.open && !e.held && !e.chronic);
		assert_true(fabs(e.value / exp(by[k]) - 10) < 0.3 && fabs(e.peers - 10) < 1e-9);
		assert_int_equal(e.judged, 50);
		assert_int_equal(e.flagged, 50);
		assert_true(e.score >= e.needs && e.needs > 1);
		assert_true(e.lower < e.ratio && e.lower > 1);
		others_are_well(&g);
		track_group_release(&g.f);
	}
}

/* It was a little worse long before: the onset is where it became as much worse as it is, also when it comes again. */
static void onset_of_the_larger_step(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	lasts(&g, 200);
	g.by = 0.15;
	lasts(&g, 20);
	for (int times = 0; times < 2; times++) {
		double began = seconds(g.now);
		struct finding e;

		g.by = 1.5;
		lasts(&g, 400);
		e = told(&g);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
		assert_true(fabs(seconds(e.onset_ns) - began) <= INTERVAL_S);
		assert_true(fabs(e.value / exp(g.by) - 10) < 0.5);
		g.by = 0;
		lasts(&g, 900);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_NONE);
		g.by = 0.15;
		lasts(&g, 20);
	}
	track_group_release(&g.f);
}

/* What an interval in eight is better does not end it, and what one in eight is worse does not begin it. */
static void single_intervals_change_nothing(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	g.once = 1.5;
	lasts(&g, 800);
	assert_int_not_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	track_group_release(&g.f);
	begin(&g, true);
	lasts(&g, 400);
	g.by = 1;
	g.once = -0.01;
	lasts(&g, 400);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	assert_true(fabs(seconds(told(&g).onset_ns) - 400) <= INTERVAL_S);
	assert_int_equal(told(&g).judged, 100 - (seconds(told(&g).onset_ns) > 400));
	assert_true(told(&g).flagged < 90 && told(&g).flagged > 80);
	track_group_release(&g.f);
}

/* Its end is its last bad interval, however long it takes until the test is sure of it; until then there is something to
 * tell of it. */
static void the_end(void **state)
{
	static const struct {
		double by;
		int seconds;
	} cases[] = {{1, 400}, {1, 24}, {3, 24}, {0.4, 60}, {0.35, 400}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct group g;
		struct finding e;

		begin(&g, true);
		lasts(&g, 600);
		g.by = cases[k].by;
		lasts(&g, cases[k].seconds);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
		g.by = 0;
		for (int s = 0; track_level(slow(&g)) != EVIDENCE_NONE; s += INTERVAL_S) {
			assert_true(s < 600);
			lasts(&g, INTERVAL_S);
			e = told(&g);
			assert_true(e.open == (track_level(slow(&g)) != EVIDENCE_NONE));
			assert_true(fabs(seconds(e.onset_ns) - 600) <= INTERVAL_S);
			assert_true(fabs(seconds(e.last_ns) - 600 - cases[k].seconds) <=
				    INTERVAL_S);
			assert_true(fabs(log(e.value / 10) - cases[k].by) < 0.06);
			assert_true(fabs(e.peers - 10) < 1e-9);
			assert_true(abs((int)e.judged - cases[k].seconds / INTERVAL_S) <= 1);
		}
		/* the next one is another, with a beginning of its own */
		g.by = 0;
		lasts(&g, 1000);
		g.by = 1;
		g.once = 0;
		e.onset_ns = g.now;
		lasts(&g, 200);
		assert_true(told(&g).open && told(&g).onset_ns == e.onset_ns);
		assert_true(fabs(told(&g).value - 10 * exp(1)) < 0.5);
		track_group_release(&g.f);
	}
}

/* What it was indicted of stands while it says nothing, but not for ever. */
static void silence_ends_it(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	lasts(&g, 400);
	g.by = 1;
	lasts(&g, 200);
	g.gone = true;
	lasts(&g, 60);
	assert_true(told(&g).open && told(&g).held);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	lasts(&g, 200);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_NONE);
	assert_false(told(&g).open);
	assert_true(seconds(told(&g).last_ns) == 600);
	track_group_release(&g.f);
}

/* As bad after the silence as before: that begins anew, when there is as much of it again as can be judged. */
static void what_comes_after_a_silence_is_new(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	lasts(&g, 400);
	g.by = 1;
	lasts(&g, 200);
	g.gone = true;
	lasts(&g, 400);
	g.gone = false;
	for (int i = 0; i < 3; i++) {
		lasts(&g, INTERVAL_S);
		assert_int_equal(track_level(slow(&g)), EVIDENCE_NONE);
	}
	lasts(&g, 100);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	assert_true(seconds(told(&g).onset_ns) == 1000);
	assert_true(seconds(told(&g).decided_ns) >= 1000 + 4 * INTERVAL_S);
	assert_int_equal(told(&g).judged, told(&g).flagged);
	assert_true(told(&g).judged <= 28);
	track_group_release(&g.f);
}

/* Four that have values are few, however many there are without. */
static void those_without_values_are_no_peers(void **state)
{
	static const double by[] = {1.6, 3};

	(void)state;
	for (size_t k = 0; k < 2; k++)
		for (size_t others = 0; others <= 4; others++) {
			struct group g;
			bool few = others > 3;

			begin(&g, true);
			g.others = others;
			lasts(&g, 400);
			g.by = log(by[k]);
			lasts(&g, 2000);
			assert_int_equal(slow(&g)->best.n_peers, N - 1 - others);
			assert_int_equal(track_few(slow(&g)), few);
			assert_int_equal(track_level(slow(&g)),
					 few && k == 0 ? EVIDENCE_SUSPICIOUS : EVIDENCE_INDICTED);
			track_group_release(&g.f);
		}
}

/* From the beginning, and for an hour: it was always there. */
static void always(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	g.by = 0.5;
	lasts(&g, 3000);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	assert_true(seconds(told(&g).onset_ns) <= INTERVAL_S);
	assert_false(told(&g).chronic);
	lasts(&g, 1000);
	assert_true(told(&g).chronic);
	track_group_release(&g.f);
	/* as long, but from later on */
	begin(&g, true);
	lasts(&g, 400);
	g.by = 0.5;
	lasts(&g, 4000);
	assert_true(told(&g).open);
	assert_false(told(&g).chronic);
	track_group_release(&g.f);
}

/* Numbers are averaged as they are, latencies as logarithms. */
static void means_of_both_kinds(void **state)
{
	(void)state;
	for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
		struct group g;
		struct residual in[N] = {0};
		struct track_values shown[N];

		begin(&g, logarithmic);
		in[SLOW].r = 1;
		for (int k = 0; k < 2; k++) {
			for (size_t i = 0; i < N; i++)
				shown[i] =
					(struct track_values){k ? 40 : 10, k ? 4 : 1, N - 1, false};
			track_group_push(&g.f, in, 1, shown, T0 + k, T0 + k + 1);
		}
		assert_true(fabs(track_means(&g.f, SLOW).value - (logarithmic ? 20 : 25)) < 1e-9);
		assert_true(fabs(track_means(&g.f, SLOW).peers - (logarithmic ? 2 : 2.5)) < 1e-9);
		assert_true(isnan(track_means(&g.f, 0).value));
		track_group_release(&g.f);
	}
}

/* More entities, in the midst of it, change nothing of those that were there. */
static void growing(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	lasts(&g, 400);
	g.by = 1;
	lasts(&g, 200);
	assert_int_equal(track_group_grow(&g.f, N), 0);
	assert_int_equal(g.f.n, N);
	assert_int_equal(track_group_grow(&g.f, 3 * N), 0);
	assert_int_equal(g.f.n, 3 * N);
	assert_int_equal(track_level(slow(&g)), EVIDENCE_INDICTED);
	assert_true(seconds(told(&g).onset_ns) == 400);
	for (size_t i = N; i < 3 * N; i++) {
		assert_int_equal(track_level(&g.f.at[i]), EVIDENCE_NONE);
		assert_true(g.f.at[i].judged == 0 && !g.f.at[i].tested);
	}
	track_group_release(&g.f);
}

static struct track_look look_of(const struct group *g, enum evidence_level level)
{
	return (struct track_look){.evidence = {.level = level,
						.n = 40,
						.n_peers = 5,
						.effect = log(3),
						.lower = log(2),
						.t = 8,
						.needs = 4,
						.least = log(1.5)},
				   .value = 30,
				   .peers = 10,
				   .from_ns = T0,
				   .to_ns = g->now};
}

/* One look at hours of it: the onset is when it begins, and it was decided at its end; it is not chronic for that. */
static void one_look(void **state)
{
	struct track_look x;
	struct finding e;
	struct group g;

	(void)state;
	begin(&g, true);
	g.now = T0 + 7200 * NS_PER_S;
	x = look_of(&g, EVIDENCE_INDICTED);
	track_group_look(&g.f, SLOW, &x);
	assert_int_equal(slow(&g)->state, TRACK_INDICTED);
	assert_true(slow(&g)->tested && slow(&g)->least == log(1.5) && !slow(&g)->brief);
	e = told(&g);
	assert_true(e.onset_ns == T0 && e.decided_ns == g.now && e.last_ns == g.now);
	assert_true(fabs(e.value - 30) < 1e-9 && fabs(e.peers - 10) < 1e-9);
	assert_true(fabs(e.ratio - 3) < 1e-9 && fabs(e.lower - 2) < 1e-9);
	assert_true(e.open && !e.chronic && e.judged == 0 && e.n_peers == 5);
	others_are_well(&g);
	track_group_release(&g.f);
}

/* Of a short time it makes nobody more than suspicious, and says so. */
static void one_brief_look(void **state)
{
	struct track_look x;
	struct group g;

	(void)state;
	begin(&g, true);
	x = look_of(&g, EVIDENCE_INDICTED);
	x.brief = true;
	track_group_look(&g.f, SLOW, &x);
	assert_true(slow(&g)->state == TRACK_SUSPECT && slow(&g)->brief);
	x = look_of(&g, EVIDENCE_SUSPICIOUS);
	x.brief = true;
	track_group_look(&g.f, 0, &x);
	assert_true(g.f.at[0].state == TRACK_SUSPECT && !g.f.at[0].brief);
	track_group_release(&g.f);
}

/* It counts where it says more than the time did. */
static void look_beside_time(void **state)
{
	static const struct {
		double by;
		bool over;
		enum evidence_level look;
		bool counts;
	} cases[] = {{0, false, EVIDENCE_NONE, false},
		     {0, false, EVIDENCE_SUSPICIOUS, true},
		     {1, false, EVIDENCE_INDICTED, false},
		     {1, true, EVIDENCE_INDICTED, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct track_look x;
		struct group g;

		begin(&g, true);
		lasts(&g, 400);
		g.by = cases[i].by;
		lasts(&g, 200);
		g.by = 0;
		lasts(&g, cases[i].over ? 2000 : 0);
		x = look_of(&g, cases[i].look);
		track_group_look(&g.f, SLOW, &x);
		assert_int_equal(slow(&g)->at_once, cases[i].counts);
		track_group_release(&g.f);
	}
}

/* What would have been seen of a server that no peer can be compared with any more counts for ten minutes. */
static void the_least_is_of_ten_minutes(void **state)
{
	struct group g;

	(void)state;
	begin(&g, true);
	lasts(&g, 1200);
	assert_true(slow(&g)->least > 0 && slow(&g)->least < log(2));
	g.gone = g.alone = true;
	lasts(&g, 540);
	assert_true(slow(&g)->least > 0 && slow(&g)->least < log(2));
	lasts(&g, 120);
	assert_true(isnan(slow(&g)->least));
	track_group_release(&g.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(onset_and_values),
		cmocka_unit_test(onset_of_the_larger_step),
		cmocka_unit_test(single_intervals_change_nothing),
		cmocka_unit_test(the_end),
		cmocka_unit_test(silence_ends_it),
		cmocka_unit_test(what_comes_after_a_silence_is_new),
		cmocka_unit_test(those_without_values_are_no_peers),
		cmocka_unit_test(always),
		cmocka_unit_test(means_of_both_kinds),
		cmocka_unit_test(growing),
		cmocka_unit_test(one_look),
		cmocka_unit_test(one_brief_look),
		cmocka_unit_test(look_beside_time),
		cmocka_unit_test(the_least_is_of_ten_minutes),
	};

	return cmocka_run_group_tests_name("track_signal", tests, NULL, NULL);
}
