/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include "analyzer/source/logs/states.h"

static void every_kind_is_found_by_its_word(void **arg)
{
	(void)arg;
	for (enum state_kind k = 0; k < STATE_KIND_COUNT; k++) {
		assert_true(state_by_word(state_rows[k].word) == k);
		assert_true(state_rows[k].floor_s > 0);
	}
	assert_true(state_by_word("nap") == STATE_KIND_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_found_by_its_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
