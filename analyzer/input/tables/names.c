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

/* Open addressing, at most half full; a slot holds the name's number + 1, 0 is empty, and its hash, so that other names
 * are passed over, and the table grows, without a look at them. */
struct slot {
	uint32_t number, hash;
};

struct index {
	uint64_t seed[2]; /* at random: a file cannot be made up so that all its names collide */
	size_t mask;
	struct slot slot[];
};

/* Both halves of the product (as wyhash has it): of a factor that nobody knows, no difference of words cancels another. */
static uint64_t mix(uint64_t x, uint64_t y)
{
	unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t hash(const struct index *x, const char *s)
{
	size_t len = strlen(s);
	uint64_t h = x->seed[0] ^ len, word;

	for (; len >= sizeof(word); len -= sizeof(word), s += sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = mix(h ^ word, x->seed[1]);
	}
	word = 0;
	memcpy(&word, s, len);
	h = mix(h ^ word, x->seed[1]);
	return (uint32_t)(h ^ h >> 32);
}

/* The slot where the name is, or the empty one where it belongs. */
static size_t place(const struct names *s, const struct index *x, const char *name, uint32_t h)
{
	size_t i = h & x->mask;

	while (x->slot[i].number &&
	       (x->slot[i].hash != h || strcmp(s->at[x->slot[i].number - 1], name)))
		i = (i + 1) & x->mask;
	return i;
}

static void seed(struct index *x)
{
	if (getrandom(x->seed, sizeof(x->seed), GRND_NONBLOCK) != (ssize_t)sizeof(x->seed))
		x->seed[0] = x->seed[1] = (uint64_t)(uintptr_t)x;
	x->seed[1] |= 1;
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
		memcpy(x->seed, old->seed, sizeof(x->seed));
	else
		seed(x);
	for (size_t i = 0; old && i <= old->mask; i++) {
		size_t to = old->slot[i].hash & x->mask;

		if (!old->slot[i].number)
			continue;
		while (x->slot[to].number)
			to = (to + 1) & x->mask;
		x->slot[to] = old->slot[i];
	}
	free(old);
	s->index = x;
	s->cap = cap;
	return 0;
}

int64_t names_find(const struct names *s, const char *name)
{
	const struct index *x = s->index;

	return x ? (int64_t)x->slot[place(s, x, name, hash(x, name))].number - 1 : -1;
}

int64_t names_add(struct names *s, const char *name)
{
	int64_t known = names_find(s, name);
	struct index *x;
	uint32_t h;
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
	h = hash(x, name);
	x->slot[place(s, x, name, h)] = (struct slot){(uint32_t)(s->n + 1), h};
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
		/* most names are ASCII */
		size_t n = s[i] >= ' ' && s[i] <= '~' ? 1 : text_character(s + i, len - i);

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
