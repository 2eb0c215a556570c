// SPDX-License-Identifier: BSD-2-Clause
/* The engine of `robust` on servers made by hand: who must not be indicted, and time series that mean harm. */
#include "robust_disks.h"

#include "analyzer/verdict/status.h"
#include "userspace/common/options.h"

static void healthy(void **state)
{
	(void)state;
	for (uint64_t seed = 10; seed < 20; seed++) {
		struct fleet_box b;

		setup(&b, 6, seed);
		lasts(&b, 600);
		all_well(tell(&b));
		assert_int_equal(b.a.cannot.why, CANNOT_NOT);
		assert_int_equal(b.a.n_ruled_out, 0);
		for (size_t i = 0; i < 6; i++)
			assert_true(b.a.judged[i]);
		done(&b);
	}
}

/* A burst of up to 12 s indicts nobody, however slow the disk; half a minute of three times or more does. */
static void burst(void **state)
{
	static const double slow[] = {2.25, 5, 60};

	(void)state;
	for (size_t k = 0; k < sizeof(slow) / sizeof(*slow); k++)
		for (unsigned int seconds = 4; seconds <= 12; seconds += 4) {
			struct fleet_box b;

			setup(&b, 6, 21 + seconds);
			lasts(&b, 200);
			b.like[0].slow = slow[k];
			lasts(&b, seconds);
			b.like[0].slow = 1;
			/* at no time */
			for (int i = 0; i < 30; i++) {
				lasts(&b, 4);
				assert_int_equal(indicted(tell(&b)), 0);
			}
			done(&b);
		}
	for (size_t k = 1; k < sizeof(slow) / sizeof(*slow); k++) {
		struct fleet_box b;

		setup(&b, 6, 21);
		lasts(&b, 200);
		b.like[0].slow = slow[k];
		lasts(&b, 32);
		b.like[0].slow = 1;
		lasts(&b, 120);
		assert_int_equal(indicted(tell(&b)), 1);
		assert_true(incidents(&b.a, 0));
		assert_false(b.a.incidents[0].open);
		done(&b);
	}
}

/* The same burst once an hour is none the worse for coming again. */
static void bursts_that_come_again(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 28);
	for (int k = 0; k < 6; k++) {
		lasts(&b, 600);
		b.like[3].slow = 20;
		lasts(&b, 8);
		b.like[3].slow = 1;
		lasts(&b, 60);
		assert_int_equal(indicted(tell(&b)), 0);
	}
	done(&b);
}

static void hot_server(void **state)
{
	struct fleet_box b;
	const struct verdict *a;

	(void)state;
	setup(&b, 6, 22);
	lasts(&b, 100);
	b.like[4].load = 3;
	lasts(&b, 150);
	a = tell(&b);
	all_well(a);
	assert_true(noticed(a, NOTICE_HOT, 4));
	/* Most of its reads have no peer at their load, and that is said. */
	assert_int_equal(a->n_unjudged, 3); /* whole, device, mean */
	for (size_t i = 0; i < a->n_unjudged; i++) {
		assert_int_equal(a->unjudged[i].node, 4);
		assert_int_equal(a->unjudged[i].why, UNJUDGED_LOAD);
	}
	done(&b);
}

static void all_slow(void **state)
{
	struct fleet_box b;
	const struct verdict *a;
	bool replaces = false;

	(void)state;
	setup(&b, 6, 24);
	lasts(&b, 200);
	for (size_t i = 0; i < 6; i++)
		b.like[i].slow = 3;
	lasts(&b, 200);
	a = tell(&b);
	all_well(a);
	for (size_t i = 0; i < a->n_notices; i++)
		replaces |= a->notices[i].kind == NOTICE_FLEET && a->notices[i].replaces;
	assert_true(replaces);
	done(&b);
}

/* A suspicion takes nothing away: that all are slow is the verdict still. */
static void all_slow_beside_a_suspicion(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 4, 27);
	lasts(&b, 300);
	b.like[1].slow = 1.6;
	lasts(&b, 300);
	for (size_t i = 0; i < 4; i++)
		b.like[i].slow *= 3;
	lasts(&b, 200);
	assert_int_equal(tell(&b)->n_incidents, 1);
	assert_int_equal(b.a.incidents[0].suspicious, SUSPICION_PEERS);
	assert_non_null(verdict_replacement(&b.a));
	assert_string_equal(verdict_word(&b.a), "all-slow");
	done(&b);
}

/* Nobody can tell which half is slow: nobody is named, and it is said. */
static void half_of_them(void **state)
{
	static const size_t slow[] = {3, 4};

	(void)state;
	for (size_t k = 0; k < sizeof(slow) / sizeof(*slow); k++) {
		struct fleet_box b;
		bool said[6] = {false};

		setup(&b, 6, 25);
		lasts(&b, 120);
		for (size_t i = 0; i < slow[k]; i++)
			b.like[i].slow = 3;
		lasts(&b, 200);
		assert_int_equal(indicted(tell(&b)), 0);
		for (size_t i = 0; i < b.a.n_unjudged; i++)
			if (b.a.unjudged[i].why == UNJUDGED_HALVES) {
				assert_int_equal(b.a.unjudged[i].n, slow[k]);
				said[b.a.unjudged[i].node] = true;
			}
		for (size_t i = 0; i < 6; i++)
			assert_true(said[i]);
		/* over, nobody is left in doubt */
		for (size_t i = 0; i < slow[k]; i++)
			b.like[i].slow = 1;
		lasts(&b, 600);
		assert_int_equal(indicted(tell(&b)), 0);
		for (size_t i = 0; i < b.a.n_unjudged; i++)
			assert_int_not_equal(b.a.unjudged[i].why, UNJUDGED_HALVES);
		done(&b);
	}
}

/* ---- series that mean harm ------------------------------------------------------------------------*/

static void nothing_at_all(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 30);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_NO_INTERVAL);
	lasts(&b, 4);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_FEW_WINDOWS);
	for (size_t i = 0; i < 6; i++)
		b.like[i].nothing = true;
	lasts(&b, 400);
	assert_int_equal(tell(&b)->n_incidents, 0);
	done(&b);
}

static void two_servers(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 2, 31);
	b.like[1].slow = 9;
	lasts(&b, 400);
	assert_int_equal(tell(&b)->cannot.why, CANNOT_FEW_SERVERS);
	assert_int_equal(b.a.n_incidents, 0);
	done(&b);
}

static void missing_values(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 32);
	for (int i = 0; i < 150; i++) {
		for (size_t k = 0; k < 6; k++) {
			b.like[k].silent = rng_uniform(&b.rng) < 0.4;
			b.like[k].nan = rng_uniform(&b.rng) < 0.5;
		}
		lasts(&b, 4);
	}
	all_well(tell(&b));
	done(&b);
}

/* With a third of what it says missing a slow one is found all the same. */
static void missing_values_hide_nobody(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 8, 35);
	for (int i = 0; i < 150; i++) {
		for (size_t k = 0; k < 8; k++)
			b.like[k].silent = rng_uniform(&b.rng) < 0.33;
		b.like[2].slow = i < 75 ? 1 : 3;
		lasts(&b, 4);
	}
	assert_int_equal(tell(&b)->n_incidents, 1);
	assert_int_equal(indicted(&b.a), 1);
	assert_true(incidents(&b.a, 2));
	done(&b);
}

static void gone_and_back(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 33);
	lasts(&b, 100);
	b.like[1].silent = true;
	lasts(&b, 200);
	assert_true(noticed(tell(&b), NOTICE_SILENT, 1));
	b.like[1].silent = false;
	lasts(&b, 4); /* the notice is of this window still */
	all_well(tell(&b));
	assert_true(b.a.judged[1]);
	lasts(&b, 196);
	b.now += 3600 * SEC_NS;
	lasts(&b, 200);
	all_well(tell(&b));
	assert_string_equal(verdict_word(&b.a), "clean");
	done(&b);
}

/* A server that is silent in the end is not well, and says why not; one that came late is. */
static void silent_in_the_end(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 35);
	b.like[4].silent = true;
	lasts(&b, 100);
	b.like[4].silent = false;
	lasts(&b, 100);
	b.like[1].silent = true;
	for (int s = 0; s < 24; s += 4) { /* a few intervals are no silence */
		lasts(&b, 4);
		assert_int_equal(verdict_exit(tell(&b), true), EXIT_DONE);
	}
	lasts(&b, 40);
	all_well(tell(&b));
	assert_string_equal(verdict_word(&b.a), "partly-judged");
	assert_int_equal(verdict_exit(&b.a, true), EXIT_NO_JUDGEMENT);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(verdict_status(&b.a, i, false),
				 i == 1 ? STATUS_UNJUDGED : STATUS_WELL);
	assert_string_equal(verdict_reason(&b.a, 1, false), "silent");
	for (size_t i = 2; i < 5; i++) /* of most of them it is the recording that ends */
		b.like[i].silent = true;
	lasts(&b, 400);
	assert_int_equal(verdict_judged(tell(&b)), 6);
	done(&b);
}

/* An indicted server that falls silent is not healed by that, and not indicted for ever. */
static void silent_while_indicted(void **state)
{
	struct fleet_box b;

	(void)state;
	setup(&b, 6, 36);
	lasts(&b, 200);
	b.like[1].slow = 4;
	lasts(&b, 60);
	assert_true(incidents(tell(&b), 1) && b.a.incidents[0].open);
	b.like[1].silent = true;
	lasts(&b, 40);
	assert_true(incidents(tell(&b), 1) && b.a.incidents[0].open);
	assert_int_equal(verdict_status(&b.a, 1, true), STATUS_INDICTED);
	assert_int_equal(b.a.n_unjudged, 0);
	lasts(&b, 400);
	assert_true(incidents(tell(&b), 1));
	assert_false(b.a.incidents[0].open);
	assert_true(since_t0(b.a.incidents[0].last_ns) <= 264);
	assert_int_equal(verdict_status(&b.a, 1, false), STATUS_INDICTED);
	assert_int_equal(verdict_status(&b.a, 1, true), STATUS_UNJUDGED);
	done(&b);
}

static void time_must_go_on(void **state)
{
	struct fleet_box b;
	const struct interval *none[NODES] = {NULL};

	(void)state;
	setup(&b, 6, 34);
	lasts(&b, 12);
	assert_int_equal(robust_push(b.r, b.now - b.interval_s * SEC_NS, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.r, b.now + 1, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.r, b.now, none, 6), 0);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy),
		cmocka_unit_test(burst),
		cmocka_unit_test(bursts_that_come_again),
		cmocka_unit_test(hot_server),
		cmocka_unit_test(all_slow),
		cmocka_unit_test(all_slow_beside_a_suspicion),
		cmocka_unit_test(half_of_them),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(two_servers),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(missing_values_hide_nobody),
		cmocka_unit_test(gone_and_back),
		cmocka_unit_test(silent_in_the_end),
		cmocka_unit_test(silent_while_indicted),
		cmocka_unit_test(time_must_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
