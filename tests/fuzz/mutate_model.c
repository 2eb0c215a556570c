// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes other models of one: changes, removes or doubles a value somewhere in the JSON, for nearly
 * everything else is no JSON and gets no further than jansson. All follows from the seed.
 */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static size_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (size_t)(state % n) : 0;
}

static json_t *number(void)
{
	static const double reals[] = {0,    1,	    -1,	    0.5,  1e-9, 1e6, 1.0000001e6,
				       1e18, 1e308, 4e-320, -0.0, 2,	3};
	static const int64_t whole[] = {0,	1,	   -1,	      2,	 3,	   10,
					100000, INT32_MAX, 1LL << 32, INT64_MAX, INT64_MIN};

	if (below(2))
		return json_real(reals[below(sizeof(reals) / sizeof(*reals))]);
	return json_integer(whole[below(sizeof(whole) / sizeof(*whole))]);
}

static json_t *value(const json_t *old)
{
	static const char *const texts[] = {"", "kl", "await", "gfs1", "gfs9", "a b", "%user"};

	switch (below(8)) {
	case 0: return json_null();
	case 1: return json_string(texts[below(sizeof(texts) / sizeof(*texts))]);
	case 2: return json_array();
	case 3: return json_object();
	case 4:
		if (json_is_real(old))
			return json_real(json_real_value(old) * ((double)below(9) / 4));
		return json_is_integer(old)
			       ? json_integer(json_integer_value(old) ^ (json_int_t)below(4))
			       : json_true();
	default: return number();
	}
}

static void change_array(json_t *a)
{
	size_t n = json_array_size(a), i = below(n);

	switch (below(4)) {
	case 0: json_array_remove(a, i); break;
	case 1: json_array_insert_new(a, i, json_deep_copy(json_array_get(a, below(n)))); break;
	default: json_array_set_new(a, i, value(json_array_get(a, i)));
	}
}

static void change_object(json_t *o, const char *key)
{
	static const char *const keys[] = {"await", "kl", "cwnd", "x", "ganesha", ""};
	json_t *old = json_object_get(o, key);

	switch (below(4)) {
	case 0: json_object_del(o, key); break;
	case 1:
		json_object_set_new(o, keys[below(sizeof(keys) / sizeof(*keys))],
				    json_deep_copy(old));
		break;
	default: json_object_set_new(o, key, value(old));
	}
}

/* Goes down at random, and changes what it comes to. */
static void change(json_t *at)
{
	const char *key = NULL, *k;
	json_t *child = NULL, *v;
	size_t i = 0, n;

	if (json_is_array(at)) {
		child = json_array_get(at, below(json_array_size(at)));
	} else if (json_is_object(at) && json_object_size(at)) {
		n = below(json_object_size(at));
		json_object_foreach(at, k, v) {
			if (i++ == n) {
				key = k;
				child = v;
			}
		}
	}
	if (child && (json_is_array(child) || json_is_object(child)) && below(6))
		change(child);
	else if (key)
		change_object(at, key);
	else if (json_is_array(at))
		change_array(at);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	json_t *root;
	size_t n = 0;

	state = 0x9e3779b97f4a7c15ULL ^ seed * 0xff51afd7ed558ccdULL;
	below(1);
	root = below(8) ? json_loadb((const char *)data, size, 0, NULL) : NULL;
	for (size_t i = below(3) + 1; root && i; i--)
		change(root);
	if (root)
		n = json_dumpb(root, (char *)data, max, JSON_COMPACT);
	json_decref(root);
	return n && n <= max ? n : LLVMFuzzerMutate(data, size, max);
}
