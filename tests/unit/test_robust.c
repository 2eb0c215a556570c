// SPDX-License-Identifier: BSD-2-Clause
/* The engine of `robust` on servers made by hand: what must be found, how soon, and when it is over. */
#include "robust_disks.h"

/* The one indicted is this server, and nobody else is so much as suspicious. */
static const struct incident *only(const struct verdict *a, size_t node)
{
	assert_int_equal(a->n_incidents, 1);
	assert_int_equal(a->incidents[0].node, node);
	assert_int_equal(a->incidents[0].suspicious, SUSPICION_NONE);
	return &a->incidents[0];
}

static void slow_device(void **state)
{
	struct fleet_box b;
	const struct incident *in;

	(void)state;
	setup(&b, 6, 1);
	lasts(&b, 200);
	all_well(tell(&b));
	b.like[3].slow = 2;
	lasts(&b, 60);
	in = only(tell(&b), 3);
	assert_int_equal(in->cause, CAUSE_DEVICE_SLOW);
	assert_true(in->open);
	/* within a minute, and not before it began */
	assert_true(since_t0(in->decided_ns) <= 260 && since_t0(in->decided_ns) > 200);
	assert_true(fabs(since_t0(in->onset_ns) - 200) <= 8);
	assert_true(in->n_findings > 0);
	assert_float_equal(in->findings[0].ratio, 2, 0.3);
	assert_float_equal(in->findings[0].p99 / in->findings[0].p99_peers, 2, 0.5);
	assert_float_equal(in->findings[0].w1, 2, 0.3);
	done(&b);
}

/* Three times slower is named within half a minute, whatever noise there was. */
static void three_times_slower_is_named_soon(void **state)
{
	(void)state;
	for (uint64_t seed = 40; seed < 50; seed++) {
		struct fleet_box b;
		const struct incident *in;

		setup(&b, 6, seed);
		lasts(&b, 300);
		all_well(tell(&b));
		b.like[seed % 6].slow = 3;
		lasts(&b, 32);
		in = only(tell(&b), seed % 6);
		assert_true(since_t0(in->decided_ns) <= 332);
		assert_true(fabs(since_t0(in->onset_ns) - 300) <= 8);
		done(&b);
	}
}

static void two_at_once(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 8, 2);
	lasts(&b, 100);
	b.like[1].slow = 2.5;
	b.like[6].slow = 2;
	lasts(&b, 80);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 2);
	assert_int_equal(indicted(a), 2);
	assert_true(incidents(a, 1) && incidents(a, 6));
	done(&b);
}

/* Too little to be seen at once, there from the beginning: found all the same, and in time. */
static void chronic(void **state)
{
	static const double slow[] = {1.25, 1.3};

	(void)state;
	for (size_t k = 0; k < sizeof(slow) / sizeof(*slow); k++) {
		struct fleet_box b;
		const struct incident *in;

		setup(&b, 8, 3);
		b.like[5].slow = slow[k];
		lasts(&b, 28);
		assert_int_equal(indicted(tell(&b)), 0);
		lasts(&b, 600);
		in = only(tell(&b), 5);
		assert_true(in->open);
		assert_true(since_t0(in->onset_ns) <= 8);
		assert_float_equal(in->findings[0].ratio, slow[k], 0.05);
		assert_true(in->findings[0].lower > 1.05);
		assert_true(in->findings[0].lower < in->findings[0].ratio);
		/* not known yet to have been so always: that takes an hour */
		assert_false(in->chronic);
		done(&b);
	}
}

static void what_was_always_there_is_chronic(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 8, 3);
	b.like[5].slow = 1.4;
	lasts(&b, 3700);
	assert_true(only(tell(&b), 5)->chronic);
	done(&b);
}

static void over_is_over(void **state)
{
	struct fleet_box b;
	const struct incident *in;

	(void)state;
	setup(&b, 6, 4);
	lasts(&b, 120);
	b.like[2].slow = 3;
	lasts(&b, 120);
	assert_true(only(tell(&b), 2)->open);
	b.like[2].slow = 1;
	lasts(&b, 120);
	in = only(tell(&b), 2);
	assert_false(in->open);
	assert_true(fabs(since_t0(in->onset_ns) - 120) <= 8);
	assert_true(since_t0(in->last_ns) > 200 && since_t0(in->last_ns) <= 270);
	done(&b);
}

/* After an hour of it, too: the end is seen as soon. */
static void a_long_one_is_over_as_soon(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 5);
	lasts(&b, 600);
	b.like[2].slow = 2;
	lasts(&b, 3600);
	assert_true(only(tell(&b), 2)->open);
	b.like[2].slow = 1;
	lasts(&b, 180);
	assert_false(only(tell(&b), 2)->open);
	assert_true(since_t0(b.a.incidents[0].last_ns) <= 4240);
	/* and what comes an hour later is another */
	lasts(&b, 3600);
	b.like[2].slow = 3;
	lasts(&b, 60);
	assert_true(incidents(tell(&b), 2) && b.a.incidents[0].node == 2);
	assert_true(b.a.incidents[0].open);
	done(&b);
}

/* Ten times slow for two minutes of every ten: one incident, which comes and goes. */
static void comes_and_goes(void **state)
{
	struct fleet_box b;
	const struct incident *in;

	(void)state;
	setup(&b, 6, 6);
	lasts(&b, 300);
	for (int k = 0; k < 5; k++) {
		b.like[4].slow = 10;
		lasts(&b, 120);
		b.like[4].slow = 1;
		lasts(&b, 480);
	}
	in = only(tell(&b), 4);
	assert_int_equal(in->times, 5);
	assert_float_equal(in->duty, 0.2, 0.06);
	assert_true(fabs(since_t0(in->onset_ns) - 300) <= 8);
	assert_false(in->open);
	done(&b);
}

/* With one's own hardware one is found, and other hardware is said to be that. */
static void other_model(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 8, 23);
	for (size_t i = 0; i < 8; i++) {
		struct device_identity id = {.family = FAM_DISK,
					     .name = "sda",
					     .rotational = 1,
					     .size_bytes = -1,
					     .speed_mbps = -1};

		strcpy(id.model, i < 5 ? "FAST 1" : "SLOW 2");
		assert_int_equal(robust_identity(b.r, i, &id), 0);
		b.like[i].slow = i < 5 ? 1 : 1.8;
	}
	lasts(&b, 400);
	a = tell(&b);
	all_well(a);
	assert_true(noticed(a, NOTICE_HARDWARE, 5));
	assert_true(noticed(a, NOTICE_HARDWARE, 7));
	assert_false(noticed(a, NOTICE_HARDWARE, 0));
	/* and a slow one among its own model is found all the same */
	b.like[0].slow = 2.5;
	lasts(&b, 80);
	only(tell(&b), 0);
	b.like[0].slow = 1;
	/* of three of its model one is slow, which is suspicious: told after what is indicted */
	b.like[7].slow *= 1.6;
	lasts(&b, 600);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 2);
	assert_int_equal(a->incidents[1].node, 7);
	assert_int_equal(a->incidents[1].suspicious, SUSPICION_PEERS);
	/* That its model is slower is still so. */
	for (size_t i = 5; i < 8; i++)
		assert_true(noticed(a, NOTICE_HARDWARE, i));
	assert_false(noticed(a, NOTICE_HARDWARE, 0));
	done(&b);
}

/* Among three or four there is too little to compare with for a difference under twice: more than that is found. */
static void few_servers(void **state)
{
	(void)state;
	for (size_t n = 3; n <= 4; n++) {
		struct fleet_box b;

		setup(&b, n, 27);
		lasts(&b, 300);
		b.like[1].slow = 1.8;
		lasts(&b, 600);
		assert_int_equal(tell(&b)->n_incidents, 1);
		assert_int_equal(b.a.incidents[0].node, 1);
		assert_int_equal(b.a.incidents[0].suspicious, SUSPICION_PEERS);
		b.like[1].slow = 5;
		lasts(&b, 300);
		only(tell(&b), 1);
		done(&b);
	}
}

/* From suspicion to indictment it is told all the time, also where an interval in which it is as quick as its peers
 * completes the evidence. */
static void told_without_a_break(void **state)
{
	(void)state;
	for (unsigned int quick = 0; quick < 8; quick++) {
		struct fleet_box b;
		bool was = false;

		setup(&b, 4, 27 + quick);
		lasts(&b, 300);
		b.like[1].slow = 1.6;
		lasts(&b, 300);
		for (unsigned int k = 0; k < 32 && !was; k++) {
			b.like[1].slow = k % 8 == quick || k % 8 == (quick + 3) % 8 ? 1 : 3;
			lasts(&b, 4);
			assert_true(incidents(tell(&b), 1));
			was = indicted(&b.a);
		}
		assert_true(was);
		done(&b);
	}
}

static void acknowledged(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 26);
	robust_acknowledge(b.r, 3);
	lasts(&b, 100);
	b.like[3].slow = 3;
	lasts(&b, 100);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	assert_true(noticed(a, NOTICE_ACKNOWLEDGED, 3));
	assert_false(a->notices[0].suspicious);
	done(&b);
	/* a suspicion is told as no more than that */
	setup(&b, 4, 27);
	robust_acknowledge(b.r, 1);
	lasts(&b, 300);
	b.like[1].slow = 1.6;
	lasts(&b, 300);
	a = tell(&b);
	assert_int_equal(a->n_incidents, 0);
	assert_true(noticed(a, NOTICE_ACKNOWLEDGED, 1));
	assert_true(a->notices[0].suspicious);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_device),
		cmocka_unit_test(three_times_slower_is_named_soon),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(chronic),
		cmocka_unit_test(what_was_always_there_is_chronic),
		cmocka_unit_test(over_is_over),
		cmocka_unit_test(a_long_one_is_over_as_soon),
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(other_model),
		cmocka_unit_test(few_servers),
		cmocka_unit_test(told_without_a_break),
		cmocka_unit_test(acknowledged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
