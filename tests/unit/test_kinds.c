// SPDX-License-Identifier: BSD-2-Clause
/* evidence.h: whether entities are of two kinds, by what they had in each part of a time. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "analyzer/evidence/evidence.h"

/* Levels of n entities; those from `first` on are `apart` (ln) above, in parts [from, to). */
static const double *levels_of(size_t n, size_t first, double apart, size_t from, size_t to)
{
	static double at[12 * KINDS_TIMES];

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < KINDS_TIMES; t++)
			at[i * KINDS_TIMES + t] = 0.03 * (double)((5 * i + 3 * t) % 4) +
						  (i >= first && t >= from && t < to ? apart : 0);
	return at;
}

static void two_kinds_are_apart_from_the_first_to_the_last(void **state)
{
	static const size_t of[] = {0, 1, 2, 3, 4, 5, 6, 7};
	double room[8];

	(void)state;
	for (size_t n = 3; n <= 5; n++) {
		const double *at = levels_of(8, n, 0.7, 0, KINDS_TIMES);

		assert_true(fabs(kinds_apart(at, of, n, of + n, 8 - n, room) - 0.7) < 0.1);
		assert_true(fabs(kinds_apart(at, of + n, 8 - n, of, n, room) + 0.7) < 0.1);
	}
	/* not in the first part, or in the last one; too little; and the other way round at times */
	assert_true(
		isnan(kinds_apart(levels_of(8, 4, 0.7, 1, KINDS_TIMES), of, 4, of + 4, 4, room)));
	assert_true(isnan(
		kinds_apart(levels_of(8, 4, 0.7, 0, KINDS_TIMES - 1), of, 4, of + 4, 4, room)));
	assert_true(
		isnan(kinds_apart(levels_of(8, 4, 0.15, 0, KINDS_TIMES), of, 4, of + 4, 4, room)));
	/* two of eight make no kind of the values' own */
	bool slow[8];

	assert_true(isnan(kinds_split(levels_of(8, 6, 0.7, 0, KINDS_TIMES), 8, slow)));
	assert_true(fabs(kinds_split(levels_of(8, 5, 0.7, 0, KINDS_TIMES), 8, slow) - 0.7) < 0.1);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(slow[i], i >= 5);
}

static void one_that_is_slow_among_a_kind_moves_no_kind(void **state)
{
	static const size_t of[] = {0, 1, 2, 3, 4, 5, 6, 7};
	double at[8 * KINDS_TIMES], room[8];

	(void)state;
	memcpy(at, levels_of(8, 4, 0.7, 0, KINDS_TIMES), sizeof(at));
	for (size_t t = 3; t < KINDS_TIMES; t++)
		at[1 * KINDS_TIMES + t] += 3;
	assert_true(fabs(kinds_apart(at, of, 4, of + 4, 4, room) - 0.7) < 0.2);
	/* nor does one without values; of two that are elsewhere nobody knows what the kind is */
	at[2 * KINDS_TIMES] = NAN;
	assert_true(fabs(kinds_apart(at, of, 4, of + 4, 4, room) - 0.7) < 0.2);
	at[2 * KINDS_TIMES + 5] = NAN;
	assert_true(isnan(kinds_apart(at, of, 4, of + 4, 4, room)));
	/* one of a kind that is as quick as the others, or between: the rest are slow, and no kind */
	for (double less = 0.4; less < 0.8; less += 0.3) {
		memcpy(at, levels_of(8, 4, 0.7, 0, KINDS_TIMES), sizeof(at));
		for (size_t t = 0; t < KINDS_TIMES; t++)
			at[5 * KINDS_TIMES + t] -= less;
		assert_true(isnan(kinds_apart(at, of, 4, of + 4, 4, room)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_kinds_are_apart_from_the_first_to_the_last),
		cmocka_unit_test(one_that_is_slow_among_a_kind_moves_no_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
