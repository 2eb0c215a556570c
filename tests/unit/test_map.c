// SPDX-License-Identifier: BSD-2-Clause
/* map.h beside an array that is searched from its begin; with hashes that collide; without memory; hashes of all lengths. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/map.h"

/* A limit for realloc(), the number of calls that succeed still; -1: there is none. */
static int left = -1;

void *__real_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size)
{
	if (!left)
		return NULL;
	left -= left > 0;
	return __real_realloc(at, size);
}

struct thing {
	uint32_t key, value;
};

struct things {
	struct thing *at;
	size_t n, room;
	struct map by_key;
	uint64_t hashes; /* as many there are; 0: all that numbers have */
};

static uint64_t hash_of(const struct things *t, uint32_t key)
{
	uint64_t hash = map_hash_number(key);

	/* of those that are alike, the bits that a slot has, too */
	return t->hashes ? hash % t->hashes * 0x01000001 : hash;
}

static size_t find(const struct things *t, uint32_t key)
{
	return map_find(i, &t->by_key, hash_of(t, key), t->at[i].key == key);
}

static size_t find_plainly(const struct things *t, uint32_t key)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].key == key)
			return i;
	return MAP_NONE;
}

static void add(struct things *t, uint32_t key)
{
	struct thing *new = map_append(&t->by_key, hash_of(t, key),
				       array_refill(&t->at, &t->n, &t->room), &t->n);

	assert_true(new == &t->at[t->n - 1]);
	assert_int_equal(t->by_key.n, t->n);
	new->key = key;
}

static void take_out(struct things *t, size_t i)
{
	map_remove(&t->by_key, i);
	t->at[i] = t->at[--t->n];
}

static void release(struct things *t)
{
	map_release(&t->by_key);
	map_release(&t->by_key);
	free(t->at);
}

static void beside_a_plain_search(uint64_t hashes, uint32_t keys, int steps)
{
	struct things t = {.hashes = hashes};

	for (int step = 0; step < steps; step++) {
		uint32_t key = (uint32_t)rand() % keys;
		size_t at = find(&t, key);

		assert_int_equal(at, find_plainly(&t, key));
		/* grows for a while, then shrinks */
		if (at == MAP_NONE)
			add(&t, key);
		else if (rand() % 8 < (step / 500 % 2 ? 6 : 2))
			take_out(&t, at);
		if (step % 5000 == 4999) {
			map_clear(&t.by_key);
			t.n = 0;
		}
	}
	for (uint32_t key = 0; key < keys; key++)
		assert_int_equal(find(&t, key), find_plainly(&t, key));
	while (t.n)
		take_out(&t, (size_t)rand() % t.n);
	for (uint32_t key = 0; key < keys; key++)
		assert_true(find(&t, key) == MAP_NONE);
	release(&t);
}

static void test_any_order(void **state)
{
	(void)state;
	srand(1);
	beside_a_plain_search(0, 1, 100);
	beside_a_plain_search(0, 40, 10000);
	beside_a_plain_search(0, 3000, 20000);
	beside_a_plain_search(1, 60, 10000);
	beside_a_plain_search(7, 300, 20000);
}

/* Those with one key are met in the order of their numbers. */
static void test_several_with_one_key(void **state)
{
	struct things t = {0};
	uint32_t met = 0;
	size_t none;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		add(&t, i % 10);
		t.at[i].value = i;
	}
	none = map_find(i, &t.by_key, hash_of(&t, 3),
			t.at[i].key == 3 &&
				(assert_int_equal(t.at[i].value, 10 * met + 3), met++, false));
	assert_true(none == MAP_NONE);
	assert_int_equal(met, 100);
	release(&t);
}

static void test_empty(void **state)
{
	struct map m = {0};

	(void)state;
	assert_true(map_find(i, &m, 5, i < 10) == MAP_NONE);
	map_soon(&m, 5);
	map_clear(&m);
	assert_int_equal(map_bytes(&m), 0);
	assert_int_equal(map_add(&m, 5), 0);
	assert_int_equal(map_find(i, &m, 5, true), 0);
	map_soon(&m, 5);
	map_release(&m);
	assert_int_equal(map_bytes(&m), 0);
}

static void test_no_memory(void **state)
{
	struct map full = {.n = MAP_MOST};
	struct things t = {0};

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		add(&t, i);
	/* first the array's, then the map's */
	for (left = 0; left < 2; left = left ? 2 : 1) {
		int had = left;

		assert_null(map_append(&t.by_key, hash_of(&t, 64),
				       array_refill(&t.at, &t.n, &t.room), &t.n));
		left = had;
		assert_int_equal(t.n, 64);
		assert_int_equal(t.by_key.n, 64);
		for (uint32_t i = 0; i < 65; i++)
			assert_true(find(&t, i) == (i < 64 ? i : MAP_NONE));
	}
	/* as many as there were find room */
	map_clear(&t.by_key);
	left = 0;
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(map_add(&t.by_key, hash_of(&t, i)), 0);
	assert_int_equal(map_add(&t.by_key, 1), -ENOMEM);
	left = -1;
	assert_int_equal(find(&t, 63), 63);
	assert_int_equal(map_add(&full, 1), -E2BIG);
	release(&t);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of any length, with one byte that differs: no two of 64 bits are the same, and no part of them is by far more often. */
static void test_hashes(void **state)
{
	enum { LENGTHS = 80 };
	static uint64_t at[LENGTHS * (LENGTHS + 1)];
	char text[LENGTHS + 1] = {0};
	int of[16] = {0}, low[16] = {0};
	size_t n = 0;

	(void)state;
	for (size_t len = 0; len < LENGTHS; len++) {
		at[n++] = map_hash(text, len);
		for (size_t i = 0; i < len; i++) {
			text[i] = 'x';
			at[n++] = map_hash(text, len);
			text[i] = 0;
		}
	}
	assert_true(map_hash_after(1, "a", 1) != map_hash_after(2, "a", 1));
	assert_true(map_hash_after(map_hash("a", 1), "b", 1) !=
		    map_hash_after(map_hash("b", 1), "a", 1));
	/* neither a piece's length nor one bit of a number before it stands for a bit of the piece */
	assert_true(map_hash("dd", 2) != map_hash("dde", 3));
	for (uint64_t i = 0; i < 64; i++) {
		assert_true(map_hash_after(i, "dd", 2) != map_hash_after(i ^ 1, "ddd", 3));
		assert_true(map_hash_after(i, "bcde", 4) != map_hash_after(i ^ 1, "ccde", 4));
	}
	for (size_t i = 0; i < n; i++) {
		of[at[i] >> 24 & 15]++;
		low[at[i] & 15]++;
	}
	qsort(at, n, sizeof(*at), by_number);
	for (size_t i = 1; i < n; i++)
		assert_true(at[i] != at[i - 1]);
	/* 200 each; nine standard deviations */
	for (int i = 0; i < 16; i++)
		assert_true(of[i] > 70 && of[i] < 330 && low[i] > 70 && low[i] < 330);
}

/* Numbers that follow each other, and those of which only the higher half differs, are spread as well. */
static void test_numbers(void **state)
{
	(void)state;
	for (int shift = 0; shift < 56; shift += 8) {
		struct map m = {0};
		size_t looked = 0;

		for (uint64_t i = 0; i < 4096; i++)
			assert_int_equal(map_add(&m, map_hash_number(i << shift)), 0);
		for (uint64_t i = 0; i < 4096; i++)
			looked += map_find(k, &m, map_hash_number(i << shift),
					   (looked++, k == i)) != i;
		assert_in_range(looked, 4096, 4096 + 1024);
		map_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order), cmocka_unit_test(test_several_with_one_key),
		cmocka_unit_test(test_empty),	  cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_hashes),	  cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
