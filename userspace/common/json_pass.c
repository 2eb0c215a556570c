// SPDX-License-Identifier: BSD-2-Clause
/* json_pass.h */
#include "json_pass.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of eight bytes those that are `byte` have their high bit set, and perhaps bytes above such a one; the lowest is one. */
static uint64_t bytes_like(uint64_t eight, char byte)
{
	uint64_t x = eight ^ 0x0101010101010101U * (unsigned char)byte;

	return (x - 0x0101010101010101U) & ~x & 0x8080808080808080U;
}

/* The first quote or backslash; `end`: there is none. Eight bytes at a time: strings are short, and a call of memchr() for
 * each costs more. */
static const char *quote_or_escape(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t eight, hits;

		memcpy(&eight, p, 8);
		eight = le64toh(eight);
		hits = bytes_like(eight, '"') | bytes_like(eight, '\\');
		if (hits)
			return p + __builtin_ctzll(hits) / 8;
	}
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
}

const char *json_string_end(const char *p, const char *end)
{
	for (;; p += 2) {
		p = quote_or_escape(p, end);
		if (p == end)
			return NULL;
		if (*p == '"')
			return p;
		if (end - p < 2)
			return NULL;
	}
}

/* Both kinds of brackets differ from each other in one bit, which other bytes do not come into by it. */
enum { BRACKET_BIT = '{' ^ '[' };

const char *json_nested_end(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			p = json_string_end(p + 1, end);
			if (!p)
				return NULL;
		} else if ((*p | BRACKET_BIT) == '{') {
			depth++;
		} else if ((*p | BRACKET_BIT) == '}' && !--depth) {
			return p + 1;
		}
	}
	return NULL;
}

const char *json_plain_end(const char *p, const char *end)
{
	while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == '.' ||
			   *p == '-' || *p == '+' || *p == 'E'))
		p++;
	return p;
}
