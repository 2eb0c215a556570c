// SPDX-License-Identifier: BSD-2-Clause
/* array.h, sort.h and clock.h: at sizes 0, 1, 2, round powers of two; with no memory; in any order. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

struct thing {
	int id;
	double x[3];
};

static void test_add(void **state)
{
	struct thing *at = NULL;
	unsigned int n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct thing *t = array_add(&at, &n), none = {0};

		assert_true(t && t == &at[i] && n == (unsigned int)i + 1);
		assert_memory_equal(t, &none, sizeof(none));
		if (!t)
			return;
		memset(t, 0xff, sizeof(*t)); /* what is taken from the end leaves its bytes */
		t->id = i;
		if (i % 100 == 99) {
			n -= 37;
			for (unsigned int k = n; k < (unsigned int)i + 1; k++) {
				t = array_add(&at, &n);
				assert_memory_equal(t, &none, sizeof(none));
				t->id = (int)k;
			}
		}
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(at[i].id, i);
	free(at);
}

static void test_insert(void **state)
{
	int *at = NULL;
	size_t n = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 500; i++) {
		int v = rand() % 1000, *new;
		size_t where = search_first(k, n, at[k] < v);

		new = array_insert(&at, &n, where);
		assert_true(new == at + where &&*new == 0);
		*new = v;
		for (size_t k = 1; k < n; k++)
			assert_true(at[k - 1] <= at[k]);
	}
	assert_int_equal(n, 500);
	free(at);
}

static void test_extend(void **state)
{
	static const size_t sizes[] = {0, 1, 1, 2, 3, 4, 100, 101, 5, 128, 129, 1000};
	short *at = NULL;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_int_equal(array_extend(&at, n, sizes[i]), 0);
		for (; n < sizes[i]; n++) {
			assert_int_equal(at[n], 0);
			at[n] = (short)n;
		}
		*array_add(&at, &n) = (short)n;
		n--;
	}
	for (size_t k = 0; k < n; k++)
		assert_int_equal(at[k], k);
	free(at);
}

static void test_refill(void **state)
{
	long *at = NULL;
	unsigned int n = 0, room = 0;

	(void)state;
	for (int times = 0; times < 5; times++) {
		const long *before = at;

		for (n = 0; n < 300;) {
			long *v = array_refill(&at, &n, &room);

			assert_true(v == at + n - 1 && *v == 0);
			*v = -1;
		}
		assert_true(!times || before == at); /* filled again without the allocator */
		assert_int_equal(room, 512);
	}
	free(at);
}

/* Sizes beyond size_t, and beyond what there is: nothing is changed. */
static void test_no_memory(void **state)
{
	struct thing *at = NULL, *refilled = NULL, *was;
	uint8_t byte = 255;
	size_t n = 0, huge = SIZE_MAX / 2 + 1;

	(void)state;
	was = array_add(&at, &n);
	was->id = 7;
	assert_int_equal(array_extend(&at, n, SIZE_MAX), -ENOMEM);
	assert_int_equal(array_extend(&at, n, SIZE_MAX / 16), -ENOMEM);
	assert_null(array_add(&at, &huge));
	assert_null(array_add(&at, &byte));
	assert_null(array_refill(&refilled, &byte, &byte));
	assert_true(huge == SIZE_MAX / 2 + 1 && at == was && at->id == 7);
	free(at);
}

static int by_digit(const void *a, const void *b, void *arg)
{
	int of = *(int *)arg, x = *(const int *)a / of % 10, y = *(const int *)b / of % 10;

	return ORDER(x, y);
}

static int against(const void *key, const void *element)
{
	return ORDER(*(const int *)key, (int)*(const double *)element);
}

static void test_sort(void **state)
{
	double *none = NULL, x[] = {3, -1, INFINITY, 2, 2, 0}, less[] = {-1, 0, 2, 2, 3, INFINITY};
	const char *words[] = {"oss2", "oss10", "mds"};
	int numbers[] = {19, 28, 37, 46}, of = 1, three = 3, four = 4;

	(void)state;
	sort(none, 0, by_double);
	sort_with(none, 0, by_digit, NULL);
	assert_null(search(&three, none, 0, against));
	sort(x, 6, by_double);
	assert_memory_equal(x, less, sizeof(x));
	assert_true(search(&three, x, 5, against) == &x[4]);
	assert_null(search(&four, x, 5, against));
	sort(words, 3, by_string);
	assert_string_equal(words[0], "mds");
	assert_string_equal(words[2], "oss2");
	sort_with(numbers, 4, by_digit, &of);
	assert_true(numbers[0] == 46 && numbers[3] == 19);
	of = 10;
	sort_with(numbers, 4, by_digit, &of);
	assert_true(numbers[0] == 19 && numbers[3] == 46);
}

/* Against counting from the start. */
static void test_search_first(void **state)
{
	int x[101];

	(void)state;
	srand(2);
	for (size_t n = 0; n <= 101; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = rand() % 50;
		for (size_t i = 1; i < n; i++)
			x[i] = x[i] > x[i - 1] ? x[i] : x[i - 1];
		for (int key = -1; key <= 50; key++) {
			size_t lower = 0, upper = 0;

			while (lower < n && x[lower] < key)
				lower++;
			while (upper < n && x[upper] <= key)
				upper++;
			assert_int_equal(search_first(i, n, x[i] < key), lower);
			assert_int_equal(search_first(i, n, x[i] <= key), upper);
		}
	}
}

COMPARISON(by_tens, int, ORDER(*a / 10, *b / 10))
COMPARISON_WITH(by_weight, uint32_t, int, ORDER(with[*a], with[*b]) ?: ORDER(*a, *b))

/* Against loops. */
static void test_lists(void **state)
{
	int x[101];
	uint32_t order[101];

	(void)state;
	srand(3);
	for (size_t n = 0; n <= 101; n++) {
		size_t first = n, count = 0;

		for (size_t i = 0; i < n; i++) {
			x[i] = rand() % 50;
			order[i] = (uint32_t)i;
			first = first == n && x[i] > 45 ? i : first;
			count += x[i] > 45;
		}
		sort_with(order, n, by_weight, x);
		for (size_t i = 1; i < n; i++)
			assert_true(x[order[i - 1]] < x[order[i]] ||
				    (x[order[i - 1]] == x[order[i]] && order[i - 1] < order[i]));
		assert_int_equal(index_if(i, n, x[i] > 45), first);
		assert_int_equal(any_of(i, n, x[i] > 45), count > 0);
		assert_int_equal(count_if(i, n, x[i] > 45), count);
		assert_ptr_equal(find_if(i, x, n, x[i] > 45), count ? &x[first] : NULL);
		sort(x, n, by_tens);
		for (size_t i = 1; i < n; i++)
			assert_true(x[i - 1] / 10 <= x[i] / 10);
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)x[i];
		assert_int_equal(keep_first(x, n, by_tens),
				 count_if(i, n, !i || order[i] / 10 != order[i - 1] / 10));
	}
	for (size_t i = 0; i < 101; i++)
		x[i] = (int)i;
	assert_int_equal(keep_if(i, x, 101, x[i] % 3 == 1), 34);
	for (size_t i = 0; i < 34; i++)
		assert_int_equal(x[i], 3 * i + 1);
}

static void test_clock(void **state)
{
	int64_t before = clock_ns(CLOCK_MONOTONIC), after = clock_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_true(before > 0 && before <= after);
	assert_true(clock_ns(CLOCK_REALTIME) > 1700000000 * NS_PER_S);
	assert_int_equal(clock_ns((clockid_t)1000000), 0);
	assert_int_equal(ns_of_s(0.3), 300000000);
	assert_int_equal(ns_of_s(-1.5), -1500000000);
	assert_true(s_of_ns(1500000000) == 1.5 && s_of_ns(NS_PER_DAY) == 86400);
	assert_int_equal(ns_of_timespec((struct timespec){3, 4}), 3000000004);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),	     cmocka_unit_test(test_insert),
		cmocka_unit_test(test_extend),	     cmocka_unit_test(test_refill),
		cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_sort),
		cmocka_unit_test(test_search_first), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
