// SPDX-License-Identifier: BSD-2-Clause
/* What recordings saw while jobs were slow: rules/meanwhile.h. */
#include "unit.h"

#include <math.h>

#include "analyzer/rules/meanwhile.h"
#include "analyzer/stat/rng.h"

enum { NODES = 6, INTERVALS = 60 };
#define INTERVAL_NS ((int64_t)4 * 1000000000)
#define AT(i)	    ((int64_t)1700000000 * 1000000000 + (i)*INTERVAL_NS)

static struct track_history history;
static struct rng noise;
static struct meanwhile odd;

static int start(void **arg)
{
	(void)arg;
	history = (struct track_history){0};
	rng_seed(&noise, 7);
	return 0;
}

static int end(void **arg)
{
	(void)arg;
	track_history_release(&history);
	return 0;
}

/* Intervals [from, to) of one signal: `slow` is worse than the others by so much, who are `apart`. */
static void look(enum signal signal, size_t slow, double by, double apart, int from, int to)
{
	for (int i = from; i < to; i++)
		for (size_t n = 0; n < NODES; n++) {
			double d = 0.3 * rng_normal(&noise) + (n == slow ? by : 0) +
				   apart * ((double)n - 2.5);

			meanwhile_add(&history, n, signal,
				      &(struct track_point){AT(i), d, 100 * exp(d), 100});
		}
}

static bool ask(size_t node, int from, int to)
{
	return meanwhile_cause(&history, node, AT(from), AT(to), &odd);
}

static void the_cause_is_what_was_worse_meanwhile(void **arg)
{
	(void)arg;
	look(SIG_WRITE_DEVICE, 2, 2, 0, 20, INTERVALS);
	look(SIG_RETRANS, SIZE_MAX, 0, 0, 0, INTERVALS);
	assert_true(ask(2, 20, INTERVALS));
	assert_int_equal(odd.cause, CAUSE_DEVICE_SLOW);
	assert_int_equal(odd.signal, SIG_WRITE_DEVICE);
	assert_true(fabs(odd.evidence.effect - 2) < 0.3);
	assert_int_equal(odd.evidence.n_peers, NODES - 1);
	assert_true(odd.evidence.t > odd.evidence.needs && odd.from_ns <= AT(20) &&
		    odd.to_ns >= AT(INTERVALS));
	for (size_t n = 0; n < NODES; n++)
		assert_true(n == 2 || !ask(n, 20, INTERVALS));
}

/* What was before, and over, is no cause; nor what was seen in three intervals. */
static void only_the_time_in_question_counts(void **arg)
{
	(void)arg;
	look(SIG_READ_DEVICE, SIZE_MAX, 0, 0, 0, INTERVALS);
	look(SIG_WRITE_DEVICE, 2, 2, 0, 0, 20);
	look(SIG_WRITE_DEVICE, SIZE_MAX, 0, 0, 20, INTERVALS);
	look(SIG_OOO, 2, 9, 0, 57, INTERVALS);
	assert_false(ask(2, 30, INTERVALS));
	assert_true(ask(2, 0, 15));
}

static void peers_that_are_apart_are_a_poor_yardstick(void **arg)
{
	(void)arg;
	look(SIG_WRITE_DEVICE, 5, 0.6, 0.6, 0, INTERVALS);
	assert_false(ask(5, 0, INTERVALS));
}

/* A hog's bytes stand before the disk that they make slow. */
static void of_several_causes_the_first_in_order(void **arg)
{
	(void)arg;
	look(SIG_WRITE_DEVICE, 1, 3, 0, 0, INTERVALS);
	for (int i = 0; i < INTERVALS; i++)
		for (size_t n = 0; n < NODES; n++)
			meanwhile_add(
				&history, n, SIG_FOREIGN_WRITE,
				&(struct track_point){AT(i), n == 1 ? 2 : 0, n == 1 ? 9000 : 0, 0});
	assert_true(ask(1, 0, INTERVALS));
	assert_int_equal(odd.cause, CAUSE_DISK_HOG);
}

/* A signal that is not here is no cause by itself. */
static void each_signal_has_its_cause(void **arg)
{
	static const enum cause causes[SIG_COUNT] = {
		[SIG_FOREIGN_READ] = CAUSE_DISK_HOG,   [SIG_FOREIGN_WRITE] = CAUSE_DISK_HOG,
		[SIG_SWAP] = CAUSE_MEMORY_PRESSURE,    [SIG_MEM_PRESSURE] = CAUSE_MEMORY_PRESSURE,
		[SIG_READ_DEVICE] = CAUSE_DEVICE_SLOW, [SIG_WRITE_DEVICE] = CAUSE_DEVICE_SLOW,
		[SIG_READ] = CAUSE_IO_SCHEDULER,       [SIG_WRITE] = CAUSE_IO_SCHEDULER,
		[SIG_RETRANS] = CAUSE_PACKET_LOSS,     [SIG_RETRANS_IN] = CAUSE_PACKET_LOSS,
		[SIG_OOO] = CAUSE_PACKET_LOSS,	       [SIG_RUNQ] = CAUSE_CPU_HOG,
		[SIG_FOREIGN_RX] = CAUSE_NETWORK_HOG,  [SIG_FOREIGN_TX] = CAUSE_NETWORK_HOG};

	(void)arg;
	for (enum signal s = 0; s < SIG_COUNT; s++) {
		for (int i = 0; i < INTERVALS; i++)
			for (size_t n = 0; n < NODES; n++)
				meanwhile_add(&history, n, s,
					      &(struct track_point){AT(i), n == 2 ? 3 : 0,
								    n == 2 ? 1e4 : 1, 1});
		assert_int_equal(ask(2, 0, INTERVALS), causes[s] != CAUSE_NONE);
		assert_true(causes[s] == CAUSE_NONE || (odd.cause == causes[s] && odd.signal == s));
		track_history_release(&history);
	}
}

/* Of a server's disks one is enough. */
static void the_worst_disk_counts(void **arg)
{
	(void)arg;
	for (int i = 0; i < INTERVALS; i++)
		for (size_t n = 0; n < NODES; n++)
			for (int disk = 0; disk < 8; disk++) {
				double d = n == 3 && disk == 4 ? 2 : 0;

				meanwhile_add(&history, n, SIG_READ_DEVICE,
					      &(struct track_point){AT(i), d, 10 * exp(d), 10});
			}
	assert_true(ask(3, 0, INTERVALS));
	assert_int_equal(odd.cause, CAUSE_DEVICE_SLOW);
}

static void nothing_seen_is_no_cause(void **arg)
{
	(void)arg;
	assert_false(ask(0, 0, 10));
	look(SIG_WRITE_DEVICE, 2, 2, 0, 0, 3);
	assert_false(ask(2, 0, 10));
	assert_false(ask(99, 0, 10));
}

static void what_rose_everywhere_is_found(void **arg)
{
	struct meanwhile_rise rise;

	(void)arg;
	look(SIG_WRITE_DEVICE, SIZE_MAX, 0, 0, 0, INTERVALS);
	look(SIG_RUNQ, SIZE_MAX, 0, 0, 0, 30);
	assert_false(meanwhile_rose(&history, AT(30), AT(INTERVALS), &rise));
	for (int i = 30; i < INTERVALS; i++)
		for (size_t n = 0; n < NODES; n++)
			meanwhile_add(&history, n, SIG_RUNQ,
				      &(struct track_point){AT(i), 0, 500, 500});
	assert_true(meanwhile_rose(&history, AT(30), AT(INTERVALS), &rise));
	assert_int_equal(rise.signal, SIG_RUNQ);
	assert_true(fabs(rise.ratio - 5) < 1.5);
	assert_int_equal(rise.servers, NODES);
	assert_false(meanwhile_rose(&history, AT(0), AT(INTERVALS), &rise)); /* beside nothing */
}

/* Of one server it is the others' business. */
static void what_rose_on_one_rose_not_everywhere(void **arg)
{
	struct meanwhile_rise rise;

	(void)arg;
	look(SIG_WRITE_DEVICE, SIZE_MAX, 0, 0, 0, 30);
	look(SIG_WRITE_DEVICE, 2, 2, 0, 30, INTERVALS);
	assert_false(meanwhile_rose(&history, AT(30), AT(INTERVALS), &rise));
}

#define SEEN_TEST(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SEEN_TEST(the_cause_is_what_was_worse_meanwhile),
		SEEN_TEST(only_the_time_in_question_counts),
		SEEN_TEST(peers_that_are_apart_are_a_poor_yardstick),
		SEEN_TEST(of_several_causes_the_first_in_order),
		SEEN_TEST(each_signal_has_its_cause),
		SEEN_TEST(the_worst_disk_counts),
		SEEN_TEST(nothing_seen_is_no_cause),
		SEEN_TEST(what_rose_everywhere_is_found),
		SEEN_TEST(what_rose_on_one_rose_not_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
