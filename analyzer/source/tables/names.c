// SPDX-License-Identifier: BSD-2-Clause
/* Sets of names, numbered as they came (table.h): an array with a map over it, and their text. */
#include "table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/text_clean.h"
#include "userspace/common/array.h"

/* Text of names, one behind the other: a name needs no memory of its own. */
struct names_text {
	struct names_text *before;
	size_t n, room;
	char at[];
};
enum {
	TEXT_FIRST = 1 << 9,
	TEXT_MOST = 1 << 20
}; /* bytes of a block: each is twice the one before */

static bool is(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !memcmp(name, s, len);
}

/* The name's own copy; NULL: no memory. */
static char *names_keep(struct names *s, const char *name, size_t len)
{
	struct names_text *t = s->text;
	size_t room = t ? 2 * t->room : TEXT_FIRST;
	char *at;

	if (!t || t->room - t->n < len + 1) {
		room = room < TEXT_MOST ? room : TEXT_MOST;
		room = room < len + 1 ? len + 1 : room;
		t = malloc(sizeof(*t) + room);
		if (!t)
			return NULL;
		*t = (struct names_text){.before = s->text, .room = room};
		s->text = t;
	}
	at = t->at + t->n;
	t->n += len + 1;
	memcpy(at, name, len);
	at[len] = '\0';
	return at;
}

static size_t names_number(const struct names *s, const char *name, size_t len, uint64_t hash)
{
	return map_find(i, &s->by_name, hash, is(s->at[i], name, len));
}

int64_t names_find_n(const struct names *s, const char *name, size_t len)
{
	return (int64_t)names_number(s, name, len, map_hash(name, len));
}

void names_soon(const struct names *s, const char *name, size_t len)
{
	map_soon(&s->by_name, map_hash(name, len));
}

int64_t names_find(const struct names *s, const char *name)
{
	return names_find_n(s, name, strlen(name));
}

int64_t names_add_n(struct names *s, const char *name, size_t len)
{
	uint64_t hash = map_hash(name, len);
	size_t number = names_number(s, name, len, hash);
	char **new, *copy;

	if (number != MAP_NONE)
		return (int64_t)number;
	if (s->n >= (s->max ? s->max : TABLE_NAMES_MAX)) {
		errno = E2BIG;
		return -1;
	}
	copy = names_keep(s, name, len);
	new = copy ? map_append(&s->by_name, hash, array_add(&s->at, &s->n), &s->n) : NULL;
	if (!new) {
		errno = ENOMEM;
		return -1;
	}
	*new = copy;
	return (int64_t)s->n - 1;
}

int64_t names_add(struct names *s, const char *name)
{
	return names_add_n(s, name, strlen(name));
}

void names_release(struct names *s)
{
	while (s->text) {
		struct names_text *before = s->text->before;

		free(s->text);
		s->text = before;
	}
	map_release(&s->by_name);
	free(s->at);
	*s = (struct names){0};
}

/* Whether eight bytes are all of ' ' … '~'. */
static bool are_plain(const char *s)
{
	const uint64_t ones = 0x0101010101010101U, high = 0x80 * ones;
	uint64_t word = map_word(s);

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
