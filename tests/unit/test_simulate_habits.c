// SPDX-License-Identifier: BSD-2-Clause
/*
 * What simulated servers do besides working has the statistics that was asked for, and nothing else moves.
 * Bounds are four standard errors, from the number of independent values that a correlation time leaves.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/simulate.d/latency.h"
#include "tools/simulate.d/sim.h"
#include "tools/simulate.d/workload.h"
#include "unit.h"

#define ERRORS 4.0

#define NEAR(value, expected, error)                                                    \
	do {                                                                            \
		double v_ = (value), e_ = (expected), s_ = (error);                     \
		if (!(fabs(v_ - e_) < ERRORS * s_))                                     \
			fail_msg("%s is %g, not %g +- %g", #value, v_, e_, ERRORS *s_); \
	} while (0)

enum { SERVERS = 6 };

/* Nothing varies but what is asked for. */
static struct setup quiet(const char *workload, unsigned int seconds)
{
	return (struct setup){.clients = SERVERS,
			      .servers = SERVERS,
			      .seconds = seconds,
			      .workload = workload_by_name(workload),
			      .seed = 1,
			      .cluster_seed = 1};
}

static struct run simulated(const struct setup *s)
{
	struct run r = {.servers = s->servers, .seconds = s->seconds};

	r.v = calloc((size_t)r.servers * r.seconds, TOTALS * sizeof(*r.v));
	assert_non_null(r.v);
	assert_int_equal(pfs_simulate(s, &r), 0);
	return r;
}

static double total(const struct run *r, unsigned int server, unsigned int t, enum total which)
{
	return (double)run_at(r, server, t)[which];
}

static double mean_from(const struct run *r, unsigned int server, unsigned int from,
			unsigned int to, enum total which)
{
	double sum = 0;

	for (unsigned int t = from; t < to; t++)
		sum += total(r, server, t, which) / (to - from);
	return sum;
}

/* Of a server's ln service, wander or what else, about `mid`, with another's `lag` later. */
struct series {
	double *x;
	unsigned int n;
};

static double covariance(const struct series *a, const struct series *b, unsigned int lag)
{
	double sum = 0;

	for (unsigned int t = 0; t + lag < a->n; t++)
		sum += a->x[t] * b->x[t + lag] / (a->n - lag);
	return sum;
}

/* All clients are at work after so long. */
enum { BEGUN = 10 };

static struct series ln_service(const struct run *r, const struct run *without, unsigned int i)
{
	struct series s = {.n = r->seconds - BEGUN};

	s.x = calloc(s.n, sizeof(double));
	for (unsigned int t = 0; t < s.n; t++)
		s.x[t] = log(total(r, i, t + BEGUN, T_SERVICE) /
			     total(without, i, t + BEGUN, T_SERVICE));
	return s;
}

static void service_wanders(void **state)
{
	enum { TAU = 60, SECONDS = 20000 };
	const double sd = 0.3, var = sd * sd;
	struct setup s = quiet("light", SECONDS);
	struct run without = simulated(&s), with;
	double now = 0, later = 0, rack = 0, apart = 0;
	/* of a variance or covariance at one server */
	double error = var * sqrt(2 / tanh(1.0 / TAU) / SECONDS);
	struct series x[SERVERS];

	(void)state;
	s.habits.wander.term[0] = (struct wander){sd, TAU};
	s.habits.rack = 2;
	s.habits.shared = 0.8;
	with = simulated(&s);
	for (unsigned int i = 0; i < SERVERS; i++) {
		x[i] = ln_service(&with, &without, i);
		/* the factor's mean is 1, its logarithm's half the variance less */
		for (unsigned int t = 0; t < x[i].n; t++)
			x[i].x[t] += var / 2;
	}
	for (unsigned int i = 0; i < SERVERS; i++) {
		now += covariance(&x[i], &x[i], 0) / SERVERS;
		later += covariance(&x[i], &x[i], TAU) / SERVERS;
		rack += covariance(&x[i], &x[i ^ 1], 0) / SERVERS;
		apart += covariance(&x[i], &x[(i + 2) % SERVERS], 0) / SERVERS;
	}
	/* three racks are independent */
	error /= sqrt(SERVERS / 2.0);
	NEAR(now, var, error);
	NEAR(later, var * exp(-1), error);
	NEAR(rack, 0.8 * var, error);
	NEAR(apart, 0, error);
	for (unsigned int i = 0; i < SERVERS; i++)
		free(x[i].x);
	free(without.v);
	free(with.v);
}

static void caches_hit_and_warm_up(void **state)
{
	enum { TAU = 30, SECONDS = 6000, WARM = 300 };
	struct setup s = quiet("light", SECONDS);
	double var = 0.4 * 0.4, error = var * sqrt(2 / tanh(1.0 / TAU) / SECONDS / SERVERS),
	       now = 0, mid = 0, n = 0;
	struct run r;

	(void)state;
	s.habits.cache = 0.6;
	s.habits.hits.term[0] = (struct wander){0.4, TAU};
	r = simulated(&s);
	for (unsigned int i = 0; i < SERVERS; i++)
		for (unsigned int t = 0; t < SECONDS; t++, n++) {
			double hit = total(&r, i, t, T_HIT),
			       logit = log(hit / (1 - hit)) - log(0.6 / 0.4);

			mid += logit;
			now += logit * logit;
		}
	NEAR(now / n, var, error);
	NEAR(mid / n, 0, sqrt(var * 2 * TAU / n));
	free(r.v);
	/* Without wander the hit rate only grows: nothing at first, two thirds in about WARM s. */
	s.habits.hits = (struct wanders){0};
	s.habits.warm_s = WARM;
	r = simulated(&s);
	for (unsigned int i = 0; i < SERVERS; i++) {
		assert_true(total(&r, i, 0, T_HIT) == 0);
		for (unsigned int t = 1; t < SECONDS; t++)
			assert_true(total(&r, i, t, T_HIT) >= total(&r, i, t - 1, T_HIT));
		/* paces differ by 30 %: four deviations either way */
		assert_true(total(&r, i, WARM, T_HIT) > 0.6 * (1 - exp(-exp(-1.2))));
		assert_true(total(&r, i, WARM, T_HIT) < 0.6 * (1 - exp(-exp(1.3))));
		assert_true(fabs(total(&r, i, SECONDS - 1, T_HIT) - 0.6) < 0.01);
		/* and the disk is quicker then: 0.4 of 6.2 ms and 0.6 of 1 */
		assert_true(mean_from(&r, i, SECONDS - 99, SECONDS, T_SERVICE) <
			    0.6 * mean_from(&r, i, BEGUN, BEGUN + 9, T_SERVICE));
	}
	free(r.v);
}

/* In the histogram: so many in the quick peak, nothing between, the others where they always are. */
static void cached_requests_are_a_peak_of_their_own(void **state)
{
	enum { DRAWS = 20000 };
	static struct lat_hist lat, dev;
	struct disk_now d = {.service_s = 0.4 * 0.02 + 0.6 * 0.0005,
			     .hit = 0.6,
			     .hit_s = 0.0005,
			     .batch = 1,
			     .held = 1};
	struct flow f = {FLOW_SINGLE, OP_READ, 2, DRAWS, d.service_s * DRAWS};
	struct rng r = stream(1, FOR_LATENCY, 3);
	double quick = 0, between = 0;

	(void)state;
	latency_draw(&d, &f, &r, &lat, &dev);
	for (uint32_t b = 0; b < LAT_BUCKETS; b++) {
		double s = (double)(bucket_low(b, LAT_SUB_BITS) << LAT_SHIFT) / 1e9;

		quick += s < 0.002 ? lat.n[OP_READ][2][b] : 0;
		between += s >= 0.002 && s < 0.01 ? lat.n[OP_READ][2][b] : 0;
	}
	NEAR(quick / DRAWS, 0.6, sqrt(0.24 / DRAWS));
	assert_true(between == 0);
}

static void clocks_tick(void **state)
{
	enum { DRAWS = 20000 };
	static struct lat_hist lat, dev;
	const double tick = 0.004, mean = 0.0015;
	struct disk_now d = {.service_s = mean, .batch = 1, .held = 1, .tick_s = tick};
	struct flow f = {FLOW_SINGLE, OP_WRITE, 0, DRAWS, mean * DRAWS};
	struct rng r = stream(1, FOR_LATENCY, 4);
	uint32_t none = lat.n[OP_WRITE][0][0], at_ticks = 0;

	(void)state;
	latency_draw(&d, &f, &r, &lat, &dev);
	none = lat.n[OP_WRITE][0][0];
	for (int k = 1; k < 50; k++)
		at_ticks += lat.n[OP_WRITE][0]
				 [bucket_of((uint64_t)(k * tick * 1e9) >> LAT_SHIFT, LAT_SUB_BITS)];
	assert_int_equal(none + at_ticks, DRAWS);
	/* 1.5 ms of 4 fall on a tick as often as not: the mean stays */
	NEAR(none / (double)DRAWS, 1 - mean / tick, sqrt(0.25 / DRAWS));
	NEAR(f.sum_s / DRAWS, mean, tick * 0.5 / sqrt(DRAWS));
}

static void faults_and_jobs_come_and_go(void **state)
{
	struct setup s = quiet("light", 86400);
	unsigned int on = 0, others = 0, begins[SERVERS] = {0};

	(void)state;
	s.fault = fault_by_name("slow-disk", false);
	s.intensity = 1.5;
	s.node = 2;
	s.fault_from = 1000;
	s.fault_seconds = 80000;
	s.duty = (struct duty){1200, 0.25};
	for (unsigned int t = 0; t < s.seconds; t++) {
		struct effect e = fault_effect(&s, 2, t);
		bool in = t >= 1000 && t < 81000 && (t - 1000) % 1200 < 300;

		assert_true(e.slow == (in ? 1.5 : 0));
		on += in;
		others += fault_effect(&s, 3, t).slow > 0;
		if (in)
			assert_int_equal(fault_since(&s, t), (t - 1000) % 1200);
	}
	assert_int_equal(on, 66 * 300 + 300);
	assert_int_equal(others, 0);
	s.fault = NULL;
	s.habits.job = (struct duty){3600, 0.1};
	s.habits.job_share = 0.2;
	for (unsigned int i = 0; i < SERVERS; i++) {
		bool was = fault_effect(&s, i, 0).job > 0;

		on = 0;
		for (unsigned int t = 0; t < s.seconds; t++) {
			struct effect e = fault_effect(&s, i, t);

			assert_true(e.job == e.disk_share && (e.job == 0.2 || e.job == 0));
			if (e.job > 0 && !was && !begins[i])
				begins[i] = t;
			was = e.job > 0;
			on += e.job > 0;
		}
		NEAR(on, 8640, 24 / ERRORS); /* a second more or less at each end */
		for (unsigned int k = 0; k < i; k++)
			assert_int_not_equal(begins[i], begins[k]);
	}
}

/* Nobody reads a server that hangs, from 5 s on until the clients have given up. */
static void the_hung_are_not_read(void **state)
{
	struct setup s = quiet("ddr", 300);
	struct run r;

	(void)state;
	s.fault = fault_by_name("hang", false);
	s.intensity = 1;
	s.node = 4;
	s.fault_from = 100;
	s.fault_seconds = 150;
	r = simulated(&s);
	for (unsigned int i = 0; i < SERVERS; i++)
		for (unsigned int t = 0; t < s.seconds; t++)
			assert_true(total(&r, i, t, T_UNREAD) ==
				    (i == 4 && t >= 105 && t < 142 ? s.clients : 0));
	free(r.v);
	/* A disk that is slow is waited for, and read: all that is under way is less than 5 s behind. */
	s.fault = fault_by_name("slow-disk", false);
	s.intensity = 3;
	r = simulated(&s);
	for (unsigned int t = 0; t < s.seconds; t++)
		assert_true(total(&r, 4, t, T_UNREAD) < 0.01);
	free(r.v);
}

/* A slow server is asked less by those that wait for it: by all, or by its own. */
static void loads_depend_on_answers(void **state)
{
	(void)state;
	for (int layout = LAYOUT_STRIPE; layout <= LAYOUT_FILE; layout++) {
		struct setup s = quiet("ddr", 200);
		double own, others = 0;
		struct run r;

		s.habits.layout = (enum layout)layout;
		s.fault = fault_by_name("slow-disk", false);
		s.intensity = 3;
		s.node = 1;
		s.fault_from = 100;
		s.fault_seconds = 100;
		r = simulated(&s);
		own = mean_from(&r, 1, 110, 200, T_RKB) / mean_from(&r, 1, 10, 100, T_RKB);
		for (unsigned int i = 0; i < SERVERS; i++)
			others += i == 1 ? 0
					 : mean_from(&r, i, 110, 200, T_RKB) /
						   mean_from(&r, i, 10, 100, T_RKB) / (SERVERS - 1);
		/* Its disk was not quite full before. */
		assert_true(own > 1 / 3.0 && own < 0.45);
		if (layout == LAYOUT_STRIPE)
			assert_true(fabs(others - own) < 0.01);
		else
			assert_true(fabs(others - 1) < 0.01);
		free(r.v);
	}
}

static void days_have_noon_and_midnight(void **state)
{
	struct setup s = quiet("light", 86000);
	double least, most;
	struct run r;

	(void)state;
	s.habits.daily = 0.5;
	r = simulated(&s);
	least = mean_from(&r, 0, BEGUN, 1000, T_RKB);
	most = mean_from(&r, 0, 43000, 44000, T_RKB);
	/* twice 0.5 in the logarithm of what is under way; disks that fill take the top off */
	assert_true(most / least > 1.8 && most / least < exp(1));
	free(r.v);
}

/* What one habit draws shifts no other noise: before it begins to act, a run is the one without it. */
static void habits_move_nothing_else(void **state)
{
	struct setup s = quiet("mixed", 200);
	struct run without, with;

	(void)state;
	s.noise = 1;
	s.missing = 0.0005;
	s.heterogeneity = 0.06;
	without = simulated(&s);
	s.habits.unread = true;
	s.habits.tick_s = 0.004;
	s.habits.unit_kb = 1024;
	with = simulated(&s);
	assert_memory_equal(with.v, without.v, sizeof(float) * TOTALS * 200 * SERVERS);
	free(with.v);
	/* of a cache half of the requests are as they were, with the same noise */
	s.habits.cache = 0.5;
	with = simulated(&s);
	for (unsigned int i = 0; i < SERVERS; i++)
		for (unsigned int t = 0; t < 200; t++) {
			double was = total(&without, i, t, T_SERVICE);

			if (total(&without, i, t, T_DISK_KB) > 0)
				assert_true(fabs(0.5 * was + 0.5 * total(&with, i, t, T_HIT_S) -
						 total(&with, i, t, T_SERVICE)) < 1e-5 * was);
		}
	free(with.v);
	free(without.v);
}

static void options_settle(void **state)
{
	static const struct habit_opts bad[] = {{.like = "nonsense"},  {.like = ""},
						{.like = "wander,"},   {.like = "wander,wander"},
						{.like = "all,cache"}, {.rack = 2},
						{.shared = 0.5},       {.warm = "10m"},
						{.hits = "0.1:1h"},    {.job_share = 0.5},
						{.layout = "replica"}, {.wander = "0.1"},
						{.job = "1h"}};
	struct habits h;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_true(habits_settle(&bad[i], &h) < 0);
	assert_int_equal(habits_settle(&(struct habit_opts){0}, &h), 0);
	assert_true(!h.wander.term[0].sd && !h.cache && !h.rack && !h.job.period_s && !h.tick_s &&
		    !h.unit_kb && !h.daily && !h.warm_s && !h.unread && h.layout == LAYOUT_STRIPE);
	assert_int_equal(habits_settle(&(struct habit_opts){.like = "all"}, &h), 0);
	assert_true(h.cache > 0 && h.rack == 2 && h.tick_s > 0 && h.unit_kb > 0 && h.daily > 0 &&
		    h.warm_s > 0 && h.hits.term[0].sd > 0 && wanders_variance(&h.wander) > 0.01);
	/* what is said by itself goes before */
	assert_int_equal(habits_settle(&(struct habit_opts){.like = "wander,ticks",
							    .wander = "0.2:2h",
							    .tick_ms = 1},
				       &h),
			 0);
	assert_true(h.wander.term[0].sd == 0.2 && h.wander.term[1].sd == 0 && h.tick_s == 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(service_wanders),
		cmocka_unit_test(caches_hit_and_warm_up),
		cmocka_unit_test(cached_requests_are_a_peak_of_their_own),
		cmocka_unit_test(clocks_tick),
		cmocka_unit_test(faults_and_jobs_come_and_go),
		cmocka_unit_test(the_hung_are_not_read),
		cmocka_unit_test(loads_depend_on_answers),
		cmocka_unit_test(days_have_noon_and_midnight),
		cmocka_unit_test(habits_move_nothing_else),
		cmocka_unit_test(options_settle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
