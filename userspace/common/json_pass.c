// SPDX-License-Identifier: BSD-2-Clause
/* json_pass.h */
#include "json_pass.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* 64 bytes, a bit for each, the first one lowest. */
struct marks {
	uint64_t quotes, backslashes, opens, closes;
};
enum { BLOCK = 64 };

/* Both kinds of brackets differ from each other in one bit, which other bytes do not come into by it. */
enum { BRACKET_BIT = '{' ^ '[' };

#ifdef __SSE2__
static uint64_t like(const __m128i bytes[4], char byte)
{
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++) {
		__m128i same = _mm_cmpeq_epi8(bytes[i], _mm_set1_epi8(byte));

		bits |= (uint64_t)(unsigned int)_mm_movemask_epi8(same) << 16 * i;
	}
	return bits;
}

static struct marks marks_of(const char *p)
{
	__m128i bytes[4], brackets[4];

	for (int i = 0; i < 4; i++) {
		bytes[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
		brackets[i] = _mm_or_si128(bytes[i], _mm_set1_epi8(BRACKET_BIT));
	}
	return (struct marks){like(bytes, '"'), like(bytes, '\\'), like(brackets, '{'),
			      like(brackets, '}')};
}
#else
/* Of eight bytes, of which the first is the lowest, the bits of those that are `byte`. */
static uint64_t like(uint64_t eight, char byte)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fU;
	uint64_t x = eight ^ 0x0101010101010101U * (unsigned char)byte;

	x = ~(((x & low) + low) | x) & ~low;
	return (x >> 7) * 0x0102040810204080U >> 56;
}

static struct marks marks_of(const char *p)
{
	struct marks m = {0};

	for (int i = 0; i < BLOCK; i += 8) {
		uint64_t eight, brackets;

		memcpy(&eight, p + i, 8);
		eight = le64toh(eight);
		brackets = eight | 0x0101010101010101U * BRACKET_BIT;
		m.quotes |= like(eight, '"') << i;
		m.backslashes |= like(eight, '\\') << i;
		m.opens |= like(brackets, '{') << i;
		m.closes |= like(brackets, '}') << i;
	}
	return m;
}
#endif

/* From each bit on, until the next one: what is in strings, with the quotes that begin them. */
static uint64_t between(uint64_t quotes)
{
	for (int i = 1; i < BLOCK; i *= 2)
		quotes ^= quotes << i;
	return quotes;
}

/* What is passed over, so far. */
struct nest {
	size_t depth;
	bool in_string;
};

/* A block without a backslash; where it is over, NULL: not in here. */
static const char *pass_block(struct nest *n, const char *p, const struct marks *m)
{
	uint64_t strings = between(m->quotes) ^ (n->in_string ? UINT64_MAX : 0);
	uint64_t left = (m->opens | m->closes) & ~strings;

	for (; left; left &= left - 1) {
		if (m->opens & left & -left)
			n->depth++;
		else if (!--n->depth)
			return p + __builtin_ctzll(left) + 1;
	}
	n->in_string = strings >> (BLOCK - 1);
	return NULL;
}

/* The same byte by byte, up to `to` or one more. */
static const char *pass_bytes(struct nest *n, const char **at, const char *to)
{
	enum { OTHER, OPENS, CLOSES, QUOTE, ESCAPE };
	static const unsigned char kinds[256] = {['{'] = OPENS,	 ['['] = OPENS, ['}'] = CLOSES,
						 [']'] = CLOSES, ['"'] = QUOTE, ['\\'] = ESCAPE};
	const char *p = *at;

	for (; p < to; p++) {
		unsigned char kind = kinds[(unsigned char)*p];

		if (kind == QUOTE)
			n->in_string = !n->in_string;
		else if (kind == ESCAPE)
			p += n->in_string;
		else if (kind == OPENS)
			n->depth += !n->in_string;
		else if (kind == CLOSES && !n->in_string && !--n->depth)
			return p + 1;
	}
	*at = p;
	return NULL;
}

const char *json_nested_end(const char *p, const char *end)
{
	struct nest n = {0};
	const char *over = NULL;

	while (p < end && !over) {
		bool block = end - p >= BLOCK;
		struct marks m = block ? marks_of(p) : (struct marks){0};

		if (block && !m.backslashes) {
			over = pass_block(&n, p, &m);
			p += BLOCK;
		} else {
			over = pass_bytes(&n, &p, block ? p + BLOCK : end);
		}
	}
	return over;
}

const char *json_plain_end(const char *p, const char *end)
{
	while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == '.' ||
			   *p == '-' || *p == '+' || *p == 'E'))
		p++;
	return p;
}
