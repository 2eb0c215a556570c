// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables of healthy kinds: what is made has the statistics that its kind says. Bounds are four standard
 * errors of what is estimated, from the number of rows and the correlation time: by chance one of 16,000
 * would be beyond them.
 */
#include "tools/simulate.d/habits.c"
#include "tools/simulate.d/noise.c"
#include "tools/simulate.d/queue.c"
#include "tools/simulate.d/table_kinds.c"
#include "tools/simulate.d/table_make.c"
#include "tools/simulate.d/wander.c"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define ERRORS 4.0

enum { SERVERS = 6, ROWS_MOST = 25000 };

/* A table, by server; latency as a logarithm. */
struct made {
	unsigned int n[SERVERS];
	double *at[SERVERS], *x[SERVERS], *y[SERVERS];
};

static struct made make(struct table_order o)
{
	struct made m = {0};
	char *text = NULL, *line, *rest;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!o.servers)
		o.servers = SERVERS;
	assert_true(o.kind && f);
	assert_int_equal(table_make(&o, f), 0);
	fclose(f);
	for (int i = 0; i < SERVERS; i++) {
		m.at[i] = calloc(ROWS_MOST, sizeof(double));
		m.x[i] = calloc(ROWS_MOST, sizeof(double));
		m.y[i] = calloc(ROWS_MOST, sizeof(double));
	}
	line = strtok_r(text, "\n", &rest);
	assert_string_equal(line, "time,node,throughput,latency");
	while ((line = strtok_r(NULL, "\n", &rest))) {
		char *to;
		double at = strtod(line, &to), x, y;
		unsigned int i = (unsigned int)strtoul(to + 2, &to, 10) - 1, k;

		assert_true(i < SERVERS && m.n[i] < ROWS_MOST);
		x = strtod(to + 1, &to);
		y = to[1] ? log(strtod(to + 1, NULL)) : NAN;
		k = m.n[i]++;
		m.at[i][k] = at;
		m.x[i][k] = x;
		m.y[i][k] = y;
	}
	free(text);
	return m;
}

static struct made made(const char *kind, uint64_t seed)
{
	return make((struct table_order){.kind = table_kind_by_name(kind), .seed = seed});
}

static void made_free(struct made *m)
{
	for (int i = 0; i < SERVERS; i++) {
		free(m->at[i]);
		free(m->x[i]);
		free(m->y[i]);
	}
}

static double mean(const double *x, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += x[i] / n;
	return sum;
}

/* Of x and of y `lag` rows later, about the true means. */
static double covariance(const double *x, const double *y, unsigned int n, unsigned int lag,
			 double mean_x, double mean_y)
{
	double sum = 0;

	for (unsigned int i = 0; i + lag < n; i++)
		sum += (x[i] - mean_x) * (y[i + lag] - mean_y) / (n - lag);
	return sum;
}

#define NEAR(value, expected, error)                                                    \
	do {                                                                            \
		double v_ = (value), e_ = (expected), s_ = (error);                     \
		if (!(fabs(v_ - e_) < ERRORS * s_))                                     \
			fail_msg("%s is %g, not %g +- %g", #value, v_, e_, ERRORS *s_); \
	} while (0)

static void white_is_white(void **state)
{
	struct made m = made("white-0.5", 1);

	(void)state;
	for (int i = 0; i < SERVERS; i++) {
		unsigned int n = m.n[i];
		double mid = log(5), var = covariance(m.y[i], m.y[i], n, 0, mid, mid);

		assert_int_equal(n, 24 * 240);
		NEAR(mean(m.y[i], n), mid, 0.5 / sqrt(n));
		NEAR(var, 0.25, 0.25 * sqrt(2.0 / n));
		NEAR(covariance(m.y[i], m.y[i], n, 1, mid, mid), 0, 0.25 / sqrt(n));
		NEAR(covariance(m.y[i], m.y[(i + 1) % SERVERS], n, 0, mid, mid), 0, 0.25 / sqrt(n));
	}
	made_free(&m);
}

/* An AR(1) of constant tau steps has as many independent values of its square as n / tau, of products of two
 * independent ones likewise: the sum of squared correlations is coth(1 / tau). Pooled over all servers. */
static void wander_has_its_time(void **state)
{
	static const struct {
		const char *kind;
		double sd, tau;
	} of[] = {{"wander-1min", 0.25, 4},
		  {"wander-10min-0.25", 0.25, 40},
		  {"wander-1h-0.25", 0.25, 240},
		  {"wander-smooth", 0.25, 240}};

	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(*of); k++) {
		struct made m = made(of[k].kind, 2);
		double white = table_kind_by_name(of[k].kind)->white, mid = log(5),
		       var = of[k].sd * of[k].sd, n = m.n[0] * (double)SERVERS, now = 0, later = 0,
		       cross = 0;
		double error =
			sqrt(2 / tanh(1 / of[k].tau) / n) * var + white * white * sqrt(2 / n);
		unsigned int lag = (unsigned int)of[k].tau;

		for (int i = 0; i < SERVERS; i++) {
			const double *y = m.y[i], *next = m.y[(i + 1) % SERVERS];

			now += covariance(y, y, m.n[i], 0, mid, mid) / SERVERS;
			later += covariance(y, y, m.n[i], lag, mid, mid) / SERVERS;
			cross += covariance(y, next, m.n[i], 0, mid, mid) / SERVERS;
		}
		NEAR(now, var + white * white, error);
		NEAR(later, var * exp(-(double)lag / of[k].tau), error);
		NEAR(cross, 0, error);
		made_free(&m);
	}
}

static double correlation(const struct made *m, int a, int b, double mid)
{
	return covariance(m->y[a], m->y[b], m->n[a], 0, mid, mid);
}

static void pairs_and_racks_share_their_wander(void **state)
{
	struct made m = made("pairs", 3);
	double mid = log(5), together = 0, apart = 0;
	/* one hour of 84: as many independent products */
	double error = 0.04 * sqrt(2 / tanh(1 / 240.0) / m.n[0]) + 0.04 / sqrt(m.n[0]);

	(void)state;
	for (int i = 0; i < SERVERS; i += 2) {
		together += correlation(&m, i, i + 1, mid) / 3;
		apart += correlation(&m, i, (i + 2) % SERVERS, mid) / 3;
	}
	NEAR(together, 0.04, error / sqrt(3));
	NEAR(apart, 0, error / sqrt(3));
	made_free(&m);
	/* racks share their terms but not their own parts */
	m = make((struct table_order){.kind = table_kind_by_name("racks"), .seed = 3});
	error = 0.0225 * (sqrt(2 / tanh(1 / 40.0) / m.n[0]) + sqrt(2 / tanh(1 / 960.0) / m.n[0]));
	NEAR(correlation(&m, 0, 1, mid), 0.8 * 2 * 0.0225, error);
	NEAR(correlation(&m, 0, 4, mid), 0, error);
	made_free(&m);
}

static void peaks_have_their_hit_rates(void **state)
{
	static const char *const kinds[] = {"peaks-equal", "peaks-near", "peaks-apart",
					    "peaks-cached"};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		const struct table_kind *kind = table_kind_by_name(kinds[k]);
		struct made m = made(kinds[k], 4);

		for (int i = 0; i < SERVERS; i++) {
			double hits = 0, n = m.n[i], low, high;

			/* 1 ms or 10, 10 % about it: nothing at 3 ms */
			for (unsigned int r = 0; r < m.n[i]; r++) {
				hits += m.y[i][r] < log(3);
				assert_true(fabs(m.y[i][r]) < 0.7 ||
					    fabs(m.y[i][r] - log(10)) < 0.7);
			}
			low = kind->hit[0] - ERRORS * sqrt(0.25 / n);
			high = kind->hit[1] + ERRORS * sqrt(0.25 / n);
			assert_true(hits / n > low && hits / n < high);
		}
		made_free(&m);
	}
}

/* Empty caches miss, full ones hit as said: means of 16 requests. */
static void caches_warm_up(void **state)
{
	struct made m = made("warm-up", 5);
	double first = 0, last = 0;

	(void)state;
	for (int i = 0; i < SERVERS; i++) {
		/* in the first minute nobody has much: a miss is 10 ms */
		first += mean(m.y[i], 4) / SERVERS;
		last += mean(m.y[i] + m.n[i] / 2, m.n[i] / 2) / SERVERS;
	}
	assert_true(first > log(8) && first < log(11));
	/* 0.85 to 0.9 hit: means of 1.9 to 2.35 ms, their logarithm less by half of the variance */
	assert_true(last > log(1.7) && last < log(2.4));
	made_free(&m);
}

static void rounding_is_whole(void **state)
{
	struct made m = made("whole-ms-equal", 6), bytes = made("whole-MB", 6);
	double quarter = 0, all = 0, sum = 0;

	(void)state;
	for (int i = 0; i < SERVERS; i++) {
		for (unsigned int r = 0; r < m.n[i]; r++) {
			double ms = exp(m.y[i][r]);

			assert_true(ms > 0.5 && fabs(ms - round(ms)) < 1e-6);
			quarter += round(ms) == 1;
			all++;
		}
		for (unsigned int r = 0; r < bytes.n[i]; r++) {
			double units = bytes.x[i][r] * 15 / 256e6;

			assert_true(fabs(units - round(units)) < 1e-4);
			sum += bytes.x[i][r];
		}
	}
	/* 1.5 ms and 30 %: half are under 1.5 */
	NEAR(quarter / all, 0.5, sqrt(0.25 / all));
	/* What is no whole unit is not lost: the mean of exp(0.3 e) */
	NEAR(sum / all / USUAL_BYTES_S, exp(0.045), 0.32 / sqrt(all));
	made_free(&m);
	made_free(&bytes);
}

/* One is asked ten times as much: its latency goes with the load as everybody's. */
static void load_is_one_function_for_all(void **state)
{
	struct table_order o = {
		.kind = table_kind_by_name("load-10"), .seed = 7, .servers = SERVERS};
	struct made m = make(o);
	unsigned int one = the_one(&o);

	(void)state;
	for (unsigned int i = 0; i < SERVERS; i++) {
		unsigned int n = m.n[i];
		double x = 0;

		for (unsigned int r = 0; r < n; r++)
			x += log(m.x[i][r] / USUAL_BYTES_S) / n;
		NEAR(x, i == one ? log(10) : 0, 0.3 / sqrt(n));
		NEAR(mean(m.y[i], n), log(5) + (i == one ? 0.7 * log(10) : 0),
		     sqrt(0.04 + 0.0441) / sqrt(n));
	}
	made_free(&m);
}

/* Clients that wait for answers: a slow server is asked less, and with striping so is everybody. */
static void slow_answers_slow_the_load(void **state)
{
	static const struct {
		const char *kind;
		bool all;
	} of[] = {{"closed-stripe", true}, {"closed-own", false}};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct table_order o = {.kind = table_kind_by_name(of[k].kind), .seed = 8};
		struct made was = make(o), is;
		double quick = 0, others = 0;

		o.slow = 3;
		o.node = 2;
		is = make(o);
		for (int i = 0; i < SERVERS; i++) {
			double load = mean(is.x[i], is.n[i]) / mean(was.x[i], was.n[i]);

			if (i == 2) {
				/* It is busy all the time: 1 / 3 of what it could, of which it used 0.75. */
				assert_true(load > 0.3 && load < 0.5);
				assert_true(mean(is.y[i], is.n[i]) - mean(was.y[i], was.n[i]) >
					    log(3));
			} else {
				quick += load / (SERVERS - 1);
				others += (mean(is.y[i], is.n[i]) - mean(was.y[i], was.n[i])) /
					  (SERVERS - 1);
			}
		}
		if (of[k].all)
			assert_true(quick > 0.3 && quick < 0.5 && others < 0);
		else
			assert_true(quick == 1 && others == 0);
		made_free(&was);
		made_free(&is);
	}
}

/* What does limp is the same table, but for one server and the time that is asked for. */
static void slow_is_a_factor(void **state)
{
	struct table_order o = {.kind = table_kind_by_name("wander-1h-0.1"),
				.seed = 9,
				.servers = SERVERS,
				.hours = 8};
	struct made was = make(o), is;
	unsigned int on = 0;

	(void)state;
	o.slow = 1.5;
	o.slow_from_h = 2;
	o.duty = (struct duty){3600, 0.25};
	o.node = table_node(&o);
	is = make(o);
	for (unsigned int i = 0; i < SERVERS; i++) {
		assert_int_equal(was.n[i], is.n[i]);
		for (unsigned int r = 0; r < is.n[i]; r++) {
			double factor = is.y[i][r] - was.y[i][r];
			bool slow = i == o.node && r >= 480 && r % 240 < 60;

			assert_true(fabs(factor - (slow ? log(1.5) : 0)) < 1e-4);
			on += slow;
		}
	}
	assert_int_equal(on, 6 * 60);
	assert_int_not_equal(o.node, the_one(&o));
	made_free(&was);
	made_free(&is);
}

static void rows_are_as_many_as_said(void **state)
{
	struct table_order o = {
		.kind = table_kind_by_name("one-slow"), .seed = 10, .servers = SERVERS};
	struct made m = make(o), half = made("half-missing", 10), late;
	unsigned int one = the_one(&o);

	(void)state;
	for (unsigned int i = 0; i < SERVERS; i++) {
		assert_int_equal(m.n[i], i == one ? 24 * 60 : 24 * 720);
		NEAR(half.n[i], 24 * 120, sqrt(24 * 60));
	}
	made_free(&m);
	made_free(&half);
	o.kind = table_kind_by_name("late-start");
	late = make(o);
	one = the_one(&o);
	for (unsigned int i = 0; i < SERVERS; i++)
		assert_int_equal(late.n[i], i == one ? 18 * 240 : 24 * 240);
	made_free(&late);
	o.kind = table_kind_by_name("rare-requests");
	late = make(o);
	for (unsigned int i = 0; i < SERVERS; i++) {
		unsigned int none = 0;

		/* a row without a request has no latency, and one without a latency no request */
		for (unsigned int r = 0; r < late.n[i]; r++) {
			none += isnan(late.y[i][r]);
			assert_true(isnan(late.y[i][r]) == !(late.x[i][r] > 0));
		}
		/* exp(-5 exp(0.3 e)) over the normal e: 1.4 % */
		assert_true(none > 40 && none < 140);
	}
	made_free(&late);
}

/* Every kind makes rows, finite ones, the same for the same seed, and of the same level for all servers
 * but where it says that they differ. */
static void every_kind_is_made(void **state)
{
	unsigned int kinds = 0;

	(void)state;
	for (const struct table_kind *k = table_kinds; k->name; k++, kinds++) {
		char *text[3] = {0};
		size_t size[3];

		assert_ptr_equal(table_kind_by_name(k->name), k);
		for (int t = 0; t < 3; t++) {
			struct table_order o = {
				.kind = k, .servers = 3, .seed = t == 2 ? 12 : 11, .hours = 12};
			FILE *f = open_memstream(&text[t], &size[t]);

			assert_int_equal(table_make(&o, f), 0);
			fclose(f);
		}
		assert_string_equal(text[0], text[1]);
		assert_string_not_equal(text[0], text[2]);
		assert_null(strstr(text[0], "nan"));
		assert_null(strstr(text[0], "inf"));
		assert_null(strstr(text[0], ",-"));
		assert_true(size[0] > 3 * 12 * 60 * 20);
		for (int t = 0; t < 3; t++)
			free(text[t]);
	}
	assert_true(kinds >= 40);
	assert_null(table_kind_by_name("none"));
}

static void options_are_read_strictly(void **state)
{
	static const char *const bad[] = {"",	   "0.1",      "0.1:",	     ":1h",    "0:1h",
					  "0.1:0", "0.1:1y",   "0.1:1h,",    "-1:1h",  "0.1:1h;",
					  "4:1h",  "0.1:400d", "0.1:1h,0.1", "nan:1h", "0.1:nan"};
	struct wanders w;
	struct duty d;
	double s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(read_wanders("wander", bad[i], &w), -EINVAL);
	assert_int_equal(read_wanders("wander", "0.1:90,0.2:1h", &w), 0);
	assert_true(w.term[0].sd == 0.1 && w.term[0].tau_s == 90 && w.term[1].sd == 0.2 &&
		    w.term[1].tau_s == 3600 && w.term[2].sd == 0);
	assert_true(fabs(wanders_variance(&w) - 0.05) < 1e-12);
	assert_int_equal(read_wanders("wander", "1:1m,1:1m,1:1m,1:1m,1:1m,1:1m,1:1m", &w), -EINVAL);
	assert_int_equal(read_duty("duty", "1h:0.3", &d), 0);
	assert_true(duty_on(&d, 0) && duty_on(&d, 1079) && !duty_on(&d, 1080) && duty_on(&d, 3600));
	assert_int_equal(read_duty("duty", "1h:0", &d), -EINVAL);
	assert_int_equal(read_duty("duty", "1h:1.1", &d), -EINVAL);
	assert_int_equal(read_duty("duty", "0:0.5", &d), -EINVAL);
	assert_int_equal(read_time_s("t", "2d", &s), 0);
	assert_true(s == 2 * 86400);
	assert_true(duty_on(&(struct duty){0}, 12345));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(white_is_white),
		cmocka_unit_test(wander_has_its_time),
		cmocka_unit_test(pairs_and_racks_share_their_wander),
		cmocka_unit_test(peaks_have_their_hit_rates),
		cmocka_unit_test(caches_warm_up),
		cmocka_unit_test(rounding_is_whole),
		cmocka_unit_test(load_is_one_function_for_all),
		cmocka_unit_test(slow_answers_slow_the_load),
		cmocka_unit_test(slow_is_a_factor),
		cmocka_unit_test(rows_are_as_many_as_said),
		cmocka_unit_test(every_kind_is_made),
		cmocka_unit_test(options_are_read_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
