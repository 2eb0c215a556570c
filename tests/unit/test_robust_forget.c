// SPDX-License-Identifier: BSD-2-Clause
/* robust_forget(): what is over goes, what is open stays, and nothing else changes. And time goes on, interval by interval. */
#include "robust_box.h"

#include <errno.h>
#include "analyzer/output/verdict_print.h"
#include "analyzer/track/internal.h"

#define HOUR ((int64_t)3600 * 1000000000)

/* What both verdicts say of what is not older than that, is the same. */
static void same_but_for_old(struct box *b)
{
	struct verdict all = box_verdict(b->all), less = box_verdict(b->less);
	int64_t before = b->now - b->keep_ns;
	size_t k = 0, m = 0;

	for (size_t i = 0; i < all.n_incidents; i++) {
		char *one, *other;

		if (!all.incidents[i].open && all.incidents[i].last_ns < before)
			continue;
		assert_true(k < less.n_incidents);
		one = verdict_incident_json(&all, i);
		other = verdict_incident_json(&less, k++);
		assert_string_equal(one, other);
		free(one);
		free(other);
	}
	assert_int_equal(k, less.n_incidents);
	for (size_t i = 0; i < all.n_notices; i++) {
		if (all.notices[i].to_ns < before)
			continue;
		assert_true(m < less.n_notices);
		assert_int_equal(notice_compare(&all.notices[i], &less.notices[m]), 0);
		assert_true(all.notices[i].ratio == less.notices[m].ratio);
		assert_int_equal(all.notices[i].to_ns, less.notices[m++].to_ns);
	}
	assert_int_equal(m, less.n_notices);
	assert_int_equal(all.n_windows, less.n_windows);
	assert_int_equal(all.from_ns, less.from_ns);
	verdict_release(&all);
	verdict_release(&less);
}

/* Forty cases, one after the other, each a story of its own, since more than two hours go by before it is the same server's
 * turn: those of the last three hours are there. */
static void what_is_over_is_forgotten(void **state)
{
	enum { CASES = 40, BAD_S = 100, GOOD_S = 1300, KEPT = 3 * 3600 / (BAD_S + GOOD_S) + 2 };
	struct verdict a;
	struct box b;

	(void)state;
	box_setup(&b, 6, 3 * HOUR, NULL);
	box_lasts(&b, 200);
	for (int i = 0; i < CASES; i++) {
		b.like[i % 6] = SLOW;
		box_lasts(&b, BAD_S);
		same_but_for_old(&b);
		b.like[i % 6] = HEALTHY;
		box_lasts(&b, GOOD_S);
		same_but_for_old(&b);
		assert_true(b.less->track->n_spells <= KEPT);
	}
	a = box_verdict(b.all);
	assert_int_equal(a.n_incidents, CASES);
	verdict_release(&a);
	a = box_verdict(b.less);
	assert_in_range(a.n_incidents, KEPT - 3, KEPT);
	assert_int_equal(a.n_incidents, b.less->track->n_spells);
	verdict_release(&a);
	/* all that there was, and nobody is indicted of anything */
	robust_forget(b.less, INT64_MAX);
	a = box_verdict(b.less);
	assert_int_equal(a.n_incidents + a.n_notices + a.n_ruled_out + b.less->track->n_spells, 0);
	verdict_release(&a);
	box_done(&b);
}

/* Whatever its age, and whole. */
static void what_is_open_stays(void **state)
{
	struct verdict a;
	struct box b;

	(void)state;
	box_setup(&b, 6, HOUR, NULL);
	box_lasts(&b, 200);
	b.like[2] = SLOW;
	for (int i = 0; i < 12; i++) {
		box_lasts(&b, 600);
		b.like[4] = i % 4 ? HEALTHY : SLOW;
		same_but_for_old(&b);
	}
	box_lasts(&b, 200);
	robust_forget(b.less, INT64_MAX);
	a = box_verdict(b.less);
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].node, 2);
	assert_true(a.incidents[0].open);
	assert_in_range(a.incidents[0].onset_ns, BOX_T0 + 195 * 1000000000LL,
			BOX_T0 + 205 * 1000000000LL);
	verdict_release(&a);
	box_done(&b);
}

/* It comes and goes every few minutes for half a day, now by this one, now by that one: one story, told
 * from its beginning, though its cases are not all kept. */
static void a_story_stays_whole(void **state)
{
	struct verdict a;
	struct box b;

	(void)state;
	box_setup(&b, 6, HOUR, NULL);
	box_lasts(&b, 200);
	for (int i = 0; i < 110; i++) {
		b.like[3] = i == 20 ? FIO : DD;
		box_lasts(&b, 100);
		same_but_for_old(&b);
		b.like[3] = HEALTHY;
		box_lasts(&b, 300);
		same_but_for_old(&b);
		assert_true(b.less->track->n_spells <= 3600 / 400 + 3);
	}
	assert_int_equal(b.all->track->n_spells, 110);
	a = box_verdict(b.less);
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].cause, CAUSE_DISK_HOG);
	/* the strongest part, hours ago */
	assert_string_equal(a.incidents[0].culprit.name, "fio:12");
	assert_true(a.incidents[0].onset_ns < BOX_T0 + 250 * 1000000000LL);
	verdict_release(&a);
	/* at last */
	box_lasts(&b, 3700);
	assert_int_equal(b.less->track->n_spells, 0);
	box_done(&b);
}

/* A server that was gone for a while, and again a day later. */
static void remarks_are_forgotten(void **state)
{
	struct verdict a;
	struct box b;

	(void)state;
	box_setup(&b, 6, HOUR, NULL);
	for (int i = 0; i < 2; i++) {
		box_lasts(&b, 200);
		b.like[1] = SILENT;
		box_lasts(&b, 120);
		a = box_verdict(b.less);
		assert_int_equal(a.n_notices, 1);
		assert_int_equal(a.notices[0].kind, NOTICE_SILENT);
		/* not since the time before */
		assert_true(a.notices[0].from_ns > b.now - 130 * 1000000000LL);
		verdict_release(&a);
		b.like[1] = HEALTHY;
		box_lasts(&b, 3540);
		assert_int_equal(b.less->track->n_notices, 1);
		box_lasts(&b, 100);
		assert_int_equal(b.less->track->n_notices, 0);
		assert_int_equal(b.all->track->n_notices, 1);
	}
	box_done(&b);
}

/* Nothing is kept of what came to nothing: also by who never forgets. */
static void closed_cases_are_small(void **state)
{
	struct box b;

	(void)state;
	box_setup(&b, 6, 0, NULL);
	box_lasts(&b, 200);
	b.like[0] = SLOW;
	box_lasts(&b, 100);
	assert_int_equal(b.all->track->n_spells, 1);
	assert_non_null(b.all->track->spells[0]->findings);
	b.like[0] = HEALTHY;
	box_lasts(&b, 200);
	assert_true(b.all->track->spells[0]->state == TRACK_OVER);
	assert_null(b.all->track->spells[0]->findings);
	assert_true(b.all->track->spells[0]->incident.n_findings > 0);
	box_done(&b);
}

/* A disk with another name in every interval: what it did before is not kept of all that ever were. */
static void disks_that_are_gone_are_forgotten(void **state)
{
	struct box b;

	(void)state;
	box_setup(&b, 6, 0, NULL);
	for (int i = 0; i < 600; i++) {
		snprintf(b.intervals[0][HEALTHY].disks->name, INSTANCE_LEN, "dm-%d", i);
		box_lasts(&b, BOX_S);
	}
	/* 4 s that lose a 75th with each interval are less than 0.01 s after 446 of them */
	assert_in_range(b.all->nodes[0].before.n_disks, 440, 450);
	assert_int_equal(b.all->nodes[1].before.n_disks, 1);
	box_done(&b);
}

static void time_must_go_on(void **state)
{
	const struct interval *none[BOX_NODES] = {NULL};
	struct box b;

	(void)state;
	box_setup(&b, 6, 0, NULL);
	box_lasts(&b, 12);
	assert_int_equal(robust_push(b.all, b.now - BOX_INTERVAL_NS, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.all, b.now + 1, none, 6), -EINVAL);
	assert_int_equal(robust_push(b.all, b.now, none, 6), 0);
	box_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_over_is_forgotten),
		cmocka_unit_test(what_is_open_stays),
		cmocka_unit_test(a_story_stays_whole),
		cmocka_unit_test(remarks_are_forgotten),
		cmocka_unit_test(closed_cases_are_small),
		cmocka_unit_test(disks_that_are_gone_are_forgotten),
		cmocka_unit_test(time_must_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
