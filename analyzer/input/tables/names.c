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

/*
 * Open addressing, at most half full. A slot holds the name's number + 1, 0 is empty, and above that eight bits of its
 * hash, by which most other names are passed over without a look at them: where there are many, each look at another
 * place waits for memory.
 */
enum { NUMBER_BITS = 24 };
#define NUMBERS ((1U << NUMBER_BITS) - 1)

/* Text of names, one behind the other: a name needs no memory of its own. */
struct text {
	struct text *before;
	size_t n, room;
	char at[];
};
enum {
	TEXT_FIRST = 1 << 9,
	TEXT_MOST = 1 << 20
}; /* bytes of a block: each is twice the one before */

struct index {
	uint64_t seed[2]; /* at random: a file cannot be made up so that all its names collide */
	struct text *text;
	uint32_t *hash; /* of each name: the table grows without a look at them */
	size_t mask;
	uint32_t slot[];
};

/* Both halves of the product (as wyhash has it): of a factor that nobody knows, no difference of words cancels another. */
static uint64_t mix(uint64_t x, uint64_t y)
{
	unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_of(const char *s)
{
	uint64_t word;

	memcpy(&word, s, sizeof(word));
	return word;
}

/* Up to 7 bytes as one word; of as many bytes no two are the same. */
static uint64_t short_word(const char *s, size_t len)
{
	uint32_t first, last;

	if (len >= 4) {
		memcpy(&first, s, 4);
		memcpy(&last, s + len - 4, 4);
		return (uint64_t)first << 32 | last;
	}
	return len ? (uint64_t)(unsigned char)s[0] << 16 |
			       (uint64_t)(unsigned char)s[len / 2] << 8 | (unsigned char)s[len - 1]
		   : 0;
}

static uint32_t hash(const struct index *x, const char *s, size_t len)
{
	uint64_t h = x->seed[0] ^ len;
	size_t i = 0;

	for (; i + 8 < len; i += 8)
		h = mix(h ^ word_of(s + i), x->seed[1]);
	/* the last eight bytes, some of them for the second time */
	h = mix(h ^ (len >= 8 ? word_of(s + len - 8) : short_word(s, len)), x->seed[1]);
	return (uint32_t)(h ^ h >> 32);
}

static bool is(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !memcmp(name, s, len);
}

/* The slot where the name is, or the empty one where it belongs. */
static uint32_t *place(const struct names *s, struct index *x, const char *name, size_t len,
		       uint32_t h)
{
	size_t i = h & x->mask;

	while (x->slot[i] && ((x->slot[i] ^ h) >> NUMBER_BITS ||
			      !is(s->at[(x->slot[i] & NUMBERS) - 1], name, len)))
		i = (i + 1) & x->mask;
	return &x->slot[i];
}

/* What a slot holds of the name with this number. */
static uint32_t slot_of(size_t number, uint32_t h)
{
	return (uint32_t)(number + 1) | (h & ~NUMBERS);
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
	struct index *old = s->index, *x = calloc(1, sizeof(*x) + 2 * cap * sizeof(x->slot[0]));
	uint32_t *hashes = old ? old->hash : NULL;
	int err = x ? array_extend(&s->at, s->n, cap) : -ENOMEM;

	err = err ? err : array_extend(&hashes, s->n, cap);
	if (old)
		old->hash = hashes;
	if (err) {
		free(x);
		return err;
	}
	if (old)
		*x = *old;
	else
		seed(x);
	x->hash = hashes;
	x->mask = 2 * cap - 1;
	for (size_t i = 0; i < s->n; i++) {
		size_t to = hashes[i] & x->mask;

		while (x->slot[to])
			to = (to + 1) & x->mask;
		x->slot[to] = slot_of(i, hashes[i]);
	}
	free(old);
	s->index = x;
	s->cap = cap;
	return 0;
}

/* The name's own copy; NULL: no memory. */
static char *keep(struct index *x, const char *name, size_t len)
{
	struct text *t = x->text;
	size_t room = t ? 2 * t->room : TEXT_FIRST;
	char *at;

	if (!t || t->room - t->n < len + 1) {
		room = room < TEXT_MOST ? room : TEXT_MOST;
		room = room < len + 1 ? len + 1 : room;
		t = malloc(sizeof(*t) + room);
		if (!t)
			return NULL;
		*t = (struct text){.before = x->text, .room = room};
		x->text = t;
	}
	at = t->at + t->n;
	t->n += len + 1;
	memcpy(at, name, len);
	at[len] = '\0';
	return at;
}

int64_t names_find_n(const struct names *s, const char *name, size_t len)
{
	struct index *x = s->index;

	return x ? (int64_t)(*place(s, x, name, len, hash(x, name, len)) & NUMBERS) - 1 : -1;
}

void names_soon(const struct names *s, const char *name, size_t len)
{
	const struct index *x = s->index;

	if (x)
		__builtin_prefetch(&x->slot[hash(x, name, len) & x->mask], 1);
}

int64_t names_find(const struct names *s, const char *name)
{
	return names_find_n(s, name, strlen(name));
}

int64_t names_add_n(struct names *s, const char *name, size_t len)
{
	struct index *x = s->index;
	uint32_t h = x ? hash(x, name, len) : 0;
	uint32_t *at = x ? place(s, x, name, len, h) : NULL;
	char *copy;

	if (at && *at)
		return (int64_t)(*at & NUMBERS) - 1;
	if (s->n >= (s->max ? s->max : TABLE_NAMES_MAX) || s->n == NUMBERS) {
		errno = E2BIG;
		return -1;
	}
	if (s->n == s->cap) {
		at = NULL;
		x = grow(s) ? NULL : s->index;
		h = x ? hash(x, name, len) : 0;
		at = x ? place(s, x, name, len, h) : NULL;
	}
	copy = at ? keep(x, name, len) : NULL;
	if (!copy) {
		errno = ENOMEM;
		return -1;
	}
	*at = slot_of(s->n, h);
	x->hash[s->n] = h;
	s->at[s->n] = copy;
	return (int64_t)s->n++;
}

int64_t names_add(struct names *s, const char *name)
{
	return names_add_n(s, name, strlen(name));
}

void names_release(struct names *s)
{
	struct index *x = s->index;

	while (x && x->text) {
		struct text *before = x->text->before;

		free(x->text);
		x->text = before;
	}
	if (x)
		free(x->hash);
	free(s->at);
	free(x);
	*s = (struct names){0};
}

/* Whether eight bytes are all of ' ' … '~'. */
static bool are_plain(const char *s)
{
	const uint64_t ones = 0x0101010101010101U, high = 0x80 * ones;
	uint64_t word = word_of(s);

	return !((word | (word + ones)) & high) && (((word | high) - ' ' * ones) & high) == high;
}

static bool is_clean(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		/* most names are ASCII */
		size_t n = len - i >= 8 && are_plain(s + i) ? 8
			   : s[i] >= ' ' && s[i] <= '~'	    ? 1
							    : text_character(s + i, len - i);

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
