// SPDX-License-Identifier: BSD-2-Clause
/* scratch.h: arrays that are zeroed and aligned, of no element too; sizes beyond size_t; what comes after a release. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/scratch.h"

static void arrays_are_zeroed_and_aligned(void **state)
{
	struct scratch room SCRATCH_SCOPED = {0};

	(void)state;
	for (size_t n = 0; n < 100; n++) {
		unsigned char *at = scratch_array(&room, n, 3);

		assert_non_null(at);
		assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < 3 * n; i++)
			assert_int_equal(at[i], 0);
		memset(at, 1, 3 * n);
	}
	assert_false(room.failed);
}

static void one_that_is_too_large_is_remembered(void **state)
{
	struct scratch room = {0};

	(void)state;
	assert_null(scratch_array(&room, SIZE_MAX / 2, 3));
	assert_non_null(scratch_array(&room, 1, 1));
	assert_true(room.failed);
	scratch_release(&room);
	assert_false(room.failed);
	assert_null(scratch_array(&room, SIZE_MAX, 1));
	assert_true(room.failed);
	scratch_release(&room);
	scratch_release(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_zeroed_and_aligned),
		cmocka_unit_test(one_that_is_too_large_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
