// SPDX-License-Identifier: BSD-2-Clause
/* vote.h and checklist.h: k of the last 2k-1, and the truth table of the FAST'10 rules. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/checklist.h"
#include "analyzer/methods/vote.h"

/* "x" odd, "." fine, "-" not judged. */
static struct vote run(unsigned int k, const char *windows)
{
	struct vote v = {0};

	for (size_t w = 0; windows[w]; w++)
		vote_push(&v, k, w,
			  windows[w] == 'x'   ? VOTE_ODD
			  : windows[w] == '.' ? VOTE_FINE
					      : VOTE_ABSTAIN,
			  (struct vote_odd){(double)w, 2, 1});
	return v;
}

static void three_of_five_indict(void **state)
{
	struct vote v;

	(void)state;
	assert_false(run(3, "xx").indicted);
	assert_true(run(3, "xxx").indicted);
	assert_true(run(3, "x.x.x").indicted);
	assert_false(run(3, "x..x.x").indicted);
	assert_true(run(3, "x-x-x").indicted);
	assert_false(run(3, "x-x--x").indicted);
	assert_false(run(3, "x..x..x..x..x").indicted);
	v = run(3, "..x..x.xx....x.");
	assert_true(v.indicted);
	assert_int_equal(v.onset, 5);
	assert_int_equal(v.last, 8);
	assert_int_equal(v.flagged, 3);
	assert_int_equal(v.held, 4);
	assert_int_equal(v.judged, 15);
	assert_true(v.key == 8 && v.value == 6 && v.peers == 3);
}

/* Windows that are odd alone are no finding; two indictments add up. */
static void evidence_is_the_indictments(void **state)
{
	struct vote v;

	(void)state;
	v = run(3, "x.....xx-x..");
	assert_true(v.flagged == 3 && v.held == 3 && v.key == 9);
	v = run(3, "xxx......x......xx.x.x.....x");
	assert_int_equal(v.onset, 0);
	assert_int_equal(v.last, 21);
	assert_true(v.flagged == 7 && v.held == 9 && v.key == 21);
	v = run(1, "x..x");
	assert_true(v.flagged == 2 && v.held == 2);
	v = run(3, "x..x..x");
	assert_true(!v.indicted && v.flagged == 0 && v.held == 0);
}

static void other_votes(void **state)
{
	(void)state;
	assert_true(run(1, "..x").indicted);
	assert_false(run(2, "x..x").indicted);
	assert_true(run(2, "x.x").indicted);
	assert_false(run(16, "xxxxxxxxxxxxxxx").indicted);
	assert_true(run(16, "xxxxxxxxxxxxxxxx").indicted);
	assert_int_equal(run(16, "..xxxxxxxxxxxxxxxx").onset, 2);
	assert_int_equal(run(3, "-----").judged, 0);
}

/* Against the definition, on random windows. */
static void vote_agrees_with_counting(void **state)
{
	(void)state;
	srand(4);
	for (int round = 0; round < 2000; round++) {
		unsigned int k = 1 + (unsigned int)rand() % 16;
		char w[60] = "";
		int indicted = 0;
		bool counted[60] = {false};
		unsigned int flagged = 0;
		struct vote v;

		for (size_t i = 0; i < sizeof(w) - 1; i++) {
			unsigned int odd = 0;

			w[i] = "x.x-"[rand() % 4];
			for (size_t j = 0; j < 2 * k - 1 && j <= i; j++)
				odd += w[i - j] == 'x';
			indicted |= odd >= k;
			for (size_t j = 0; odd >= k && j < 2 * k - 1 && j <= i; j++)
				counted[i - j] |= w[i - j] == 'x';
		}
		for (size_t i = 0; i < sizeof(w) - 1; i++)
			flagged += counted[i];
		v = run(k, w);
		assert_int_equal(v.indicted, indicted);
		assert_int_equal(v.flagged, flagged);
		assert_true(v.value == 2 * flagged && v.peers == flagged);
		for (size_t i = 0; i < sizeof(w) - 1; i++)
			if (counted[i])
				assert_true(v.last >= i && v.onset <= i && v.key == (double)v.last);
	}
}

/* Every combination of symptoms, written from the paper's sentences and not from the table. */
static void checklist_is_the_papers(void **state)
{
	(void)state;
	for (unsigned int s = 0; s < 32; s++) {
		unsigned int rx = s & SYM_NET_RECEIVE, tx = s & SYM_NET_TRANSMIT;
		const struct checklist_row *r = checklist_rule(s);
		enum cause cause = CAUSE_NONE;
		unsigned int number = 5;

		if (s & SYM_STORAGE_THROUGHPUT) {
			number = 1;
			cause = CAUSE_DISK_HOG;
		} else if (s & SYM_STORAGE_LATENCY) {
			number = 2;
			cause = CAUSE_DISK_BUSY;
		} else if ((rx && tx) || ((rx || tx) && !(s & SYM_CONGESTION))) {
			number = 3;
			cause = CAUSE_NETWORK_HOG;
		} else if (s & SYM_CONGESTION) {
			number = 4;
			cause = CAUSE_PACKET_LOSS;
		}
		assert_int_equal(r->number, number);
		assert_int_equal(r->cause, cause);
	}
}

static void metrics_have_their_symptoms(void **state)
{
	(void)state;
	assert_int_equal(checklist_symptom(M_WKB_S), SYM_STORAGE_THROUGHPUT);
	assert_int_equal(checklist_symptom(M_W_AWAIT), SYM_STORAGE_LATENCY);
	assert_int_equal(checklist_symptom(M_RXKB_S), SYM_NET_RECEIVE);
	assert_int_equal(checklist_symptom(M_TXKB_S), SYM_NET_TRANSMIT);
	assert_int_equal(checklist_symptom(M_CWND_LN), SYM_CONGESTION);
	assert_int_equal(checklist_symptom(M_UTIL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_of_five_indict),
		cmocka_unit_test(evidence_is_the_indictments),
		cmocka_unit_test(other_votes),
		cmocka_unit_test(vote_agrees_with_counting),
		cmocka_unit_test(checklist_is_the_papers),
		cmocka_unit_test(metrics_have_their_symptoms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
