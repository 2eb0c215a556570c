// SPDX-License-Identifier: BSD-2-Clause
/* Processors that other guests of the hosts take: said after 80 s of it, and why a verdict is not sure. */
#include "robust_fleet.h"

#include "analyzer/verdict/sentences.h"

static const struct notice *said(struct fleet_of *f)
{
	const struct verdict *a = fleet_tell(f);

	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == NOTICE_STOLEN)
			return &a->notices[i];
	return NULL;
}

static void after_a_while(void **state)
{
	const struct notice *m;
	char text[SENTENCE_LEN];
	struct fleet_of f;
	int64_t began, ended;

	(void)state;
	fleet_begin(&f, 5);
	for (int i = 0; i < SERVERS; i++)
		f.stolen[i] = 19;
	fleet_lasts(&f, 200);
	assert_null(said(&f));
	f.stolen[2] = 40;
	f.stolen[4] = 30;
	began = f.now;
	fleet_lasts(&f, 76);
	assert_null(said(&f));
	fleet_lasts(&f, FLEET_S);
	m = said(&f);
	assert_non_null(m);
	assert_string_equal(
		sentence_notice(&f.a, m, text),
		"other guests take the processors of servers, on up to 2 of 6 for a fifth of the "
		"time or more, most on s2 (40 %): faults are hard to see meanwhile");
	assert_true(m->node == SIZE_MAX && !m->replaces);
	assert_true(m->from_ns <= began && m->from_ns >= began - 4 * INTERVAL_NS);
	assert_true(m->to_ns == f.now);
	ended = f.now;
	memset(f.stolen, 0, sizeof(f.stolen));
	fleet_lasts(&f, 300);
	/* it is told still, at its worst and with its time, and nobody is indicted for it */
	m = said(&f);
	assert_non_null(m);
	assert_non_null(
		strstr(sentence_notice(&f.a, m, text),
		       "on up to 2 of 6 for a fifth of the time or more, most on s2 (40 %)"));
	assert_true(m->to_ns >= ended && m->to_ns <= ended + 4 * INTERVAL_NS);
	assert_int_equal(fleet_tell(&f)->n_incidents, 0);
	fleet_end(&f);
}

static void not_in_passing(void **state)
{
	struct fleet_of f;

	(void)state;
	fleet_begin(&f, 6);
	fleet_lasts(&f, 120);
	/* again and again, but for twenty seconds only */
	for (int i = 0; i < 5; i++) {
		f.stolen[1] = 100;
		fleet_lasts(&f, 20);
		f.stolen[1] = 0;
		fleet_lasts(&f, 80);
	}
	assert_null(said(&f));
	/* nor of servers of which it is not known */
	for (int i = 0; i < SERVERS; i++)
		f.stolen[i] = NAN;
	fleet_lasts(&f, 120);
	assert_null(said(&f));
	fleet_end(&f);
}

/* The server says nothing for a while, as one does that gets no processor at all. */
static void silence_does_not_end_it(void **state)
{
	const struct notice *m;
	struct fleet_of f;
	int64_t began;

	(void)state;
	fleet_begin(&f, 8);
	fleet_lasts(&f, 120);
	began = f.now;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < SERVERS; i++) {
			f.stolen[i] = 90;
			f.silent[i] = false;
		}
		fleet_lasts(&f, 28);
		for (int i = 0; i < SERVERS; i++)
			f.silent[i] = true;
		fleet_lasts(&f, 60);
	}
	m = said(&f);
	assert_non_null(m);
	assert_true(m->from_ns <= began && m->from_ns >= began - 4 * INTERVAL_NS);
	fleet_end(&f);
}

static void a_doubt(void **state)
{
	struct fleet_of f;

	(void)state;
	for (int much = 0; much < 2; much++) {
		const struct verdict *a;
		char text[SENTENCE_LEN];

		fleet_begin(&f, 7);
		fleet_lasts(&f, 120);
		f.hog[3] = true;
		for (int i = 0; i < SERVERS; i++)
			f.stolen[i] = much ? 35 : 15;
		fleet_lasts(&f, 120);
		a = fleet_tell(&f);
		assert_int_equal(a->n_incidents, 1);
		assert_int_equal(a->incidents[0].node, 3);
		assert_int_equal(a->incidents[0].cause, CAUSE_DISK_HOG);
		assert_true((a->incidents[0].confidence < 0.95) == much);
		assert_string_equal(sentence_doubts(&a->incidents[0], text),
				    much ? "other guests have its processors 35 % of the time"
					 : "");
		fleet_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_while),
		cmocka_unit_test(not_in_passing),
		cmocka_unit_test(silence_does_not_end_it),
		cmocka_unit_test(a_doubt),
	};

	return cmocka_run_group_tests_name("robust: processors that other guests take", tests, NULL,
					   NULL);
}
