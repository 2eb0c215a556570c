// SPDX-License-Identifier: BSD-2-Clause
/* Sets of names, numbered as they came (table.h): an array, and a hash table of numbers over it. */
#include "table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "userspace/common/text_clean.h"
#include "userspace/common/array.h"

/* Open addressing, at most half full; a slot holds the name's number + 1, 0 is empty. */
struct index {
	uint64_t seed; /* at random: a file cannot be made up so that all its names collide */
	size_t mask;
	uint32_t slot[];
};

static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++) {
		h = (h ^ (unsigned char)*s) * 0x9e3779b97f4a7c15;
		h ^= h >> 29;
	}
	return h ^ h >> 32;
}

/* The slot where the name is, or the empty one where it belongs. */
static size_t place(const struct names *s, const struct index *x, const char *name)
{
	size_t i = hash(x->seed, name) & x->mask;

	while (x->slot[i] && strcmp(s->at[x->slot[i] - 1], name))
		i = (i + 1) & x->mask;
	return i;
}

static int grow(struct names *s)
{
	size_t cap = s->cap ? 2 * s->cap : 64;
	struct index *old = s->index, *x;

	if (array_extend(&s->at, s->n, cap))
		return -ENOMEM;
	x = calloc(1, sizeof(*x) + 2 * cap * sizeof(x->slot[0]));
	if (!x)
		return -ENOMEM;
	x->mask = 2 * cap - 1;
	if (old)
		x->seed = old->seed;
	else if (getrandom(&x->seed, sizeof(x->seed), GRND_NONBLOCK) < 0)
		x->seed = (uint64_t)(uintptr_t)x;
	for (size_t i = 0; i < s->n; i++)
		x->slot[place(s, x, s->at[i])] = (uint32_t)(i + 1);
	free(old);
	s->index = x;
	s->cap = cap;
	return 0;
}

int64_t names_find(const struct names *s, const char *name)
{
	const struct index *x = s->index;

	return x ? (int64_t)x->slot[place(s, x, name)] - 1 : -1;
}

int64_t names_add(struct names *s, const char *name)
{
	int64_t known = names_find(s, name);
	struct index *x;
	char *copy;

	if (known >= 0)
		return known;
	if (s->n >= (s->max ? s->max : TABLE_NAMES_MAX)) {
		errno = E2BIG;
		return -1;
	}
	copy = s->n < s->cap || !grow(s) ? strdup(name) : NULL;
	if (!copy) {
		errno = ENOMEM;
		return -1;
	}
	x = s->index;
	x->slot[place(s, x, name)] = (uint32_t)(s->n + 1);
	s->at[s->n] = copy;
	return (int64_t)s->n++;
}

void names_release(struct names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i]);
	free(s->at);
	free(s->index);
	*s = (struct names){0};
}

static bool is_clean(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = text_character(s + i, len - i);

		if (!n)
			return false;
		i += n;
	}
	return true;
}

const char *name_check(const char *name, size_t len, size_t max)
{
	if (len > max)
		return "is too long";
	return is_clean(name, len) ? NULL : "is not printable UTF-8";
}
