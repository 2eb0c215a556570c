// SPDX-License-Identifier: BSD-2-Clause
/* A server that hangs while all clients wait for it: found before they give up. What else is not read. */
#include "robust_fleet.h"

/* All stand still, in the middle of an interval; who hangs has two connections that nobody reads, 2 s later. */
static void stand_still(struct fleet_of *f, const double *unread)
{
	f->work = 0.5;
	fleet_lasts(f, FLEET_S);
	f->work = 0;
	memcpy(f->unread, unread, sizeof(f->unread));
}

static void stops(double locked, enum cause cause)
{
	static const double unread[SERVERS] = {[2] = 2};
	struct fleet_of f;
	const struct verdict *a;
	int seconds = 0;

	fleet_begin(&f, 5);
	fleet_lasts(&f, 120);
	stand_still(&f, unread);
	f.locked[2] = locked;
	for (; !fleet_tell(&f)->n_incidents && seconds < 200; seconds += FLEET_S)
		fleet_lasts(&f, FLEET_S);
	a = fleet_tell(&f);
	assert_int_equal(a->n_incidents, 1);
	assert_int_equal(a->incidents[0].node, 2);
	assert_int_equal(a->incidents[0].cause, cause);
	assert_true(seconds <= 40);
	fleet_end(&f);
}

static void hangs(void **state)
{
	(void)state;
	stops(0, CAUSE_HUNG);
}

/* The same of a server of which it is known that 16 of its 20 threads wait for a lock. */
static void hangs_in_a_lock(void **state)
{
	(void)state;
	stops(16, CAUSE_BUSY_LOCK);
}

/* Threads that wait for a lock where the work is done as ever are no fault: many wait as a rule. */
static void locks_alone(void **state)
{
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 5);
	fleet_lasts(&f, 120);
	f.locked[2] = 16;
	fleet_lasts(&f, 400);
	assert_int_equal(fleet_tell(&f)->n_incidents, 0);
	fleet_end(&f);
}

static void none(uint64_t seed, double work, const double *unread)
{
	struct fleet_of f;

	fleet_begin(&f, seed);
	fleet_lasts(&f, 120);
	if (work < 1)
		stand_still(&f, unread);
	memcpy(f.unread, unread, sizeof(f.unread));
	fleet_lasts(&f, 400);
	assert_int_equal(fleet_tell(&f)->n_incidents, 0);
	fleet_end(&f);
}

static void others(void **state)
{
	static const double nobody[SERVERS] = {0}, one[SERVERS] = {[2] = 1},
			    all[SERVERS] = {2, 2, 2, 2, 2, 2};

	(void)state;
	/* there is nothing to do */
	none(5, 0, nobody);
	/* one of a port of another kind, while there is work; all of them everywhere */
	none(6, 1, one);
	none(7, 0, all);
}

/* Two hand on what a third one does not take, so they read no more: only the third one's end is at fault. */
static void hand_on(void **state)
{
	static const double relays[SERVERS] = {[2] = 1, [4] = 1};
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 5);
	fleet_lasts(&f, 120);
	stand_still(&f, relays);
	memcpy(f.stalled, relays, sizeof(f.stalled));
	fleet_lasts(&f, 400);
	assert_int_equal(fleet_tell(&f)->n_incidents, 0);
	/* and without: each hangs by itself */
	memset(f.stalled, 0, sizeof(f.stalled));
	fleet_lasts(&f, 100);
	assert_int_equal(fleet_tell(&f)->n_incidents, 2);
	fleet_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hangs),       cmocka_unit_test(hangs_in_a_lock),
		cmocka_unit_test(locks_alone), cmocka_unit_test(others),
		cmocka_unit_test(hand_on),
	};

	return cmocka_run_group_tests_name("robust: connections that nobody reads", tests, NULL,
					   NULL);
}
