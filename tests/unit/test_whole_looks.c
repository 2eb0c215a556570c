// SPDX-License-Identifier: BSD-2-Clause
/* whole_looks.h: a sweep in the middle of a look takes everything as the look before it left it. */
#include "unit.h"

#include <string.h>

#include "bpf/whole_looks.h"

/* The kernel side in small: sums of two remote hosts, and what goes with them. */
static struct tally host[2];
static struct look_counts counts[2];
static struct tcp_record seen;
static __u64 id, done;

static int setup(void **state)
{
	(void)state;
	memset(host, 0, sizeof(host));
	memset(counts, 0, sizeof(counts));
	memset(&seen, 0, sizeof(seen));
	id = done = 0;
	return 0;
}

/* So many sockets of a host in the look that runs. */
static void find(struct tally *t, __u64 sockets)
{
	looks_sums(t, id)[0] += sockets;
}

static void end(const struct look_args *args)
{
	looks_count(counts, id, args, 1);
	done = id;
}

static void check(__u64 at, __u64 walks, __u64 one, __u64 two)
{
	looks_publish(&seen, counts, at);
	assert_int_equal(seen.walks, walks);
	assert_int_equal(looks_whole(&host[0], at)[0], one);
	assert_int_equal(looks_whole(&host[1], at)[0], two);
}

static void a_sweep_takes_whole_looks(void **state)
{
	struct look_args walk = {.walk = 1, .at_work = 3, .looked = 2, .any = 1};

	(void)state;
	check(done, 0, 0, 0);
	assert_int_equal(seen.head.index, 0);
	id++;
	find(&host[0], 8);
	find(&host[0], 4);
	check(done, 0, 0, 0);
	end(&walk);
	check(done, 1, 12, 0);
	assert_int_equal(seen.head.index, 1);
	/* The second walk has found all, and has counted itself; only its end publishes it. */
	id++;
	find(&host[0], 8);
	check(done, 1, 12, 0);
	find(&host[1], 5);
	looks_count(counts, id, &walk, 1);
	check(done, 1, 12, 0);
	done = id;
	check(done, 2, 20, 5);
	assert_int_equal(seen.passes, 2);
	assert_int_equal(seen.timed, 2);
	assert_int_equal(seen.at_work, 6);
	assert_int_equal(seen.looked, 4);
}

/* It goes on with what it had begun with. */
static void a_look_may_end_within_a_sweep(void **state)
{
	struct look_args walk = {.walk = 1, .any = 1};
	__u64 begun;

	(void)state;
	for (int i = 0; i < 5; i++) {
		id++;
		find(&host[0], 1);
		/* Not every look has to do with every host. */
		if (i == 1)
			find(&host[1], 100);
		begun = done;
		end(&walk);
		check(begun, (__u64)i, (__u64)i, i > 1 ? 100 : 0);
		check(done, (__u64)i + 1, (__u64)i + 1, i > 0 ? 100 : 0);
	}
}

/* One that is no walk counts as none; those left out count where it found nothing. */
static void what_a_look_counts(void **state)
{
	struct look_args rest = {.walk = 1, .every = 1, .left_out = 9}, look = {.any = 1};

	(void)state;
	id++;
	looks_count(counts, id, &rest, 0);
	looks_publish(&seen, counts, id);
	assert_int_equal(seen.passes, 10);
	assert_int_equal(seen.walks, 1);
	assert_int_equal(seen.timed, 0);
	id++;
	rest.any = 1;
	looks_count(counts, id, &rest, 1);
	looks_publish(&seen, counts, id);
	assert_int_equal(seen.passes, 11);
	id++;
	looks_count(counts, id, &look, 1);
	looks_publish(&seen, counts, id);
	assert_int_equal(seen.passes, 12);
	assert_int_equal(seen.walks, 2);
	assert_int_equal(seen.timed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_sweep_takes_whole_looks, setup),
		cmocka_unit_test_setup(a_look_may_end_within_a_sweep, setup),
		cmocka_unit_test_setup(what_a_look_counts, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
