// SPDX-License-Identifier: BSD-2-Clause
/* The simulator's arithmetic: the closed network of queues, TCP under loss, noise with memory. */
#include "tools/simulate.d/noise.c"
#include "tools/simulate.d/queue.c"
#include "tools/simulate.d/tcp.c"
#include "unit.h"

enum { N = 6 };

static void servers(struct visit *v, double slow)
{
	for (int i = 0; i < N; i++)
		v[i] = (struct visit){.ratio = 1, .demand = {[ST_DISK] = i ? 0.001 : 0.001 * slow}};
}

/* Six striped servers, one 2.5 times slower, 16 requests under way: as measured on real ones, nearly
 * all of them wait at the slow one, and 0.7 at each of the others. */
static void slowest_holds_all(void **state)
{
	struct visit v[N];
	double x;

	(void)state;
	servers(v, 2.5);
	x = queue_solve(v, N, 16, 1, 0, 0);
	assert_true(x > 0.9 / 0.0025 && x < 1 / 0.0025);
	for (int i = 1; i < N; i++)
		assert_true(queue_length(x * 0.001) > 0.5 && queue_length(x * 0.001) < 0.75);
	assert_true(queue_length(x * 0.0025) > 12);
}

static void requests_are_conserved(void **state)
{
	struct visit v[N];

	(void)state;
	for (double window = 1; window < 5000; window *= 3) {
		double sum = 0, x, shared = 0.0007 * N, r;

		servers(v, 1.3);
		v[2].channel_s = 0.01;
		v[3].delay_s = 0.004;
		v[4].demand[ST_TX] = 0.0009;
		v[4].ratio = 1.2;
		x = queue_solve(v, N, window, 10, shared, 0.02);
		for (int i = 0; i < N; i++)
			for (int k = 0; k < STATIONS; k++)
				sum += queue_length(x * v[i].ratio * v[i].demand[k]);
		r = x * 0.01 / 10;
		sum += 10 * r + queue_length(r) + x * (0.004 + 0.02) +
		       10 * queue_length(x * shared / 10);
		assert_true(fabs(sum - window) < 1e-4 * window);
	}
	assert_true(queue_solve(v, N, 0, 10, 0.1, 0) == 0);
	servers(v, 1);
	assert_true(queue_solve(v, 1, 1e9, 1, 0, 0) <= 1000); /* never beyond the disk */
}

static void loss_slows_tcp(void **state)
{
	double last = INFINITY;

	(void)state;
	assert_true(isinf(tcp_rate_kb(0, 0.001)));
	for (double p = 1e-5; p < 0.9; p *= 1.5) {
		double rate = tcp_rate_kb(p, 0.0003);

		assert_true(rate > 0 && rate < last);
		last = rate;
	}
	/* Where timeouts are rare it is the square root's law. */
	assert_true(fabs(tcp_rate_kb(1e-6, 0.1) / (TCP_SEGMENT_KB / 0.1 / sqrt(2e-6 / 3)) - 1) <
		    0.01);
	assert_true(fabs(tcp_window(0.0015, 1e9) - sqrt(1000)) < 1e-9);
	assert_true(tcp_window(0, 170) == 170 && tcp_window(1, 170) > 1 &&
		    tcp_window(1e-9, 44) == 44);
	/* 1.8 to 3 times its peers' packets under 5 % of loss, as measured. */
	assert_true(tcp_acks(0.05, 5) / tcp_acks(0, 45) > 1.8);
	assert_true(tcp_acks(0.9, 45) == 1 && tcp_acks(0, 45) == 0.5);
}

static void noise_is_as_said(void **state)
{
	enum { DRAWS = 200000 };
	struct ar1 a;
	struct spikes s;
	double mean = 0, x = 0, xx = 0, lag = 0, last = 0, high = 0;

	(void)state;
	ar1_init(&a, stream(1, FOR_DISK, 2), 0.9, 0.3);
	for (int i = 0; i < DRAWS; i++) {
		mean += ar1_factor(&a) / DRAWS;
		x += a.x / DRAWS;
		xx += a.x * a.x / DRAWS;
		lag += a.x * last / DRAWS;
		last = a.x;
	}
	assert_true(fabs(mean - 1) < 0.02 && fabs(x) < 0.02);
	assert_true(fabs(sqrt(xx) - 0.3) < 0.01 && fabs(lag / xx - 0.9) < 0.01);
	spikes_init(&s, stream(1, FOR_DISK, 3), 0.01);
	for (int i = 0; i < DRAWS; i++) {
		double f = spikes_factor(&s);

		assert_true(f == 1 || (f >= 1.5 && f <= 10));
		high += f > 1;
	}
	/* Two seconds on average, in one second of a hundred that are free. */
	assert_true(fabs(high / DRAWS - 0.02 / 1.02) < 0.003);
}

static void streams_differ(void **state)
{
	struct rng a = stream(1, FOR_DISK, 2), b = stream(1, FOR_DISK, 3),
		   c = stream(2, FOR_DISK, 2), d = stream(1, FOR_LOAD, 2),
		   again = stream(1, FOR_DISK, 2);
	uint64_t x = rng_u64(&a);

	(void)state;
	assert_true(x == rng_u64(&again));
	assert_true(x != rng_u64(&b) && x != rng_u64(&c) && x != rng_u64(&d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowest_holds_all), cmocka_unit_test(requests_are_conserved),
		cmocka_unit_test(loss_slows_tcp),    cmocka_unit_test(noise_is_as_said),
		cmocka_unit_test(streams_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
