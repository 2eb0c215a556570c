// SPDX-License-Identifier: BSD-2-Clause
/* Whole numbers and columns of them, out of bytes that may be anything. */
#include "series_code.h"

#include <endian.h>
#include <string.h>

static uint64_t unfold_sign(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

const unsigned char *code_get_bytes(struct code_in *in, size_t n)
{
	const unsigned char *at = in->at;

	if (in->bad || n > (size_t)(in->end - at)) {
		in->bad = 1;
		return NULL;
	}
	in->at += n;
	return at;
}

unsigned int code_get_byte(struct code_in *in)
{
	const unsigned char *at = code_get_bytes(in, 1);

	return at ? *at : 0;
}

uint64_t code_get_unsigned(struct code_in *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		unsigned int byte = code_get_byte(in);

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	in->bad = 1;
	return 0;
}

uint64_t code_get_below(struct code_in *in, uint64_t max)
{
	uint64_t v = code_get_unsigned(in);

	if (v <= max)
		return v;
	in->bad = 1;
	return 0;
}

int64_t code_get_signed(struct code_in *in)
{
	return (int64_t)unfold_sign(code_get_unsigned(in));
}

double code_get_double(struct code_in *in)
{
	const unsigned char *at = code_get_bytes(in, 8);
	uint64_t bits = 0;
	double v;

	for (int i = 0; at && i < 8; i++)
		bits |= (uint64_t)at[i] << 8 * i;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The bits of a column, the lowest of each byte first. `at` may come to lie past the end. */
struct bits_in {
	const unsigned char *from;
	size_t bytes, at;
};

/* Of 56 bits, a number that is not in full takes so many at most besides its k. */
#define FAST_K (56 - CODE_QUOTIENT)

/* The next 57 bits or more; zeros after the end. */
static uint64_t peek_bits(const struct bits_in *b)
{
	size_t byte = b->at >> 3;
	uint64_t v = 0;

	if (b->bytes >= sizeof(v) && byte <= b->bytes - sizeof(v))
		memcpy(&v, b->from + byte, sizeof(v)); /* one load */
	else if (byte < b->bytes)
		memcpy(&v, b->from + byte, b->bytes - byte);
	return le64toh(v) >> (b->at & 7);
}

static uint64_t get_bits(struct bits_in *b, unsigned int n)
{
	uint64_t v = peek_bits(b) & ((1ULL << n) - 1);

	b->at += n;
	return v;
}

/* The ones before the next zero, CODE_QUOTIENT at most. */
static unsigned int count_ones(uint64_t v)
{
	return (unsigned int)__builtin_ctzll(~v | 1ULL << CODE_QUOTIENT);
}

static uint64_t get_in_full(struct bits_in *b)
{
	uint64_t low;

	b->at += CODE_QUOTIENT;
	low = get_bits(b, 32);
	return low | get_bits(b, 32) << 32;
}

static uint64_t get_rice(struct bits_in *b, unsigned int k)
{
	unsigned int q = count_ones(peek_bits(b));

	if (q == CODE_QUOTIENT)
		return get_in_full(b);
	b->at += q + 1;
	return (uint64_t)q << k | get_bits(b, k);
}

/* The number that u stands for, and in *before what the next one is added to. */
static inline int64_t number_of(uint64_t u, unsigned int mode, uint64_t *before)
{
	uint64_t x = *before + (mode == CODE_ABOVE ? u : unfold_sign(u));

	if (mode == CODE_DELTA)
		*before = x;
	return (int64_t)x;
}

/*
 * n numbers into x; NULL: passed over. Where a number begins is known only once the one before is, so
 * what is waited for is kept short: `acc` has the next `left` bits at least, and where it is filled
 * from does not hang on the number before. No branch but the one for numbers in full.
 */
static inline __attribute__((always_inline)) void get_numbers(struct bits_in *b, unsigned int k,
							      unsigned int mode, uint64_t base,
							      int64_t *x, size_t n)
{
	const uint64_t mask = (1ULL << k) - 1;
	size_t i = 0, byte = b->at >> 3;
	unsigned int left = 0, q;
	uint64_t acc = 0, v;

	for (; k <= FAST_K && i < n && b->bytes >= 8 && byte <= b->bytes - 8; i++) {
		memcpy(&v, b->from + byte, sizeof(v));
		acc |= le64toh(v) << left;
		byte += (63 - left) >> 3;
		left |= 56;
		q = count_ones(acc);
		if (q == CODE_QUOTIENT)
			break;
		acc >>= q + 1;
		if (x)
			x[i] = number_of((uint64_t)q << k | (acc & mask), mode, &base);
		acc >>= k;
		left -= q + 1 + k;
	}
	b->at = 8 * byte - left;
	for (; i < n && b->at <= 8 * b->bytes; i++) {
		v = get_rice(b, k);
		if (x)
			x[i] = number_of(v, mode, &base);
	}
}

/* What a column begins with. */
struct column_head {
	unsigned int mode, k;
	int64_t base;
	int constant;
};

static struct column_head get_column_head(struct code_in *in, size_t n)
{
	unsigned int head = n ? code_get_byte(in) : CODE_CONSTANT;
	struct column_head c = {.mode = head >> 6,
				.k = head & 0x3f,
				.base = n ? code_get_signed(in) : 0,
				.constant = head == CODE_CONSTANT};

	if (!c.constant && (c.mode >= CODE_MODES || c.k > CODE_K_MAX))
		in->bad = 1;
	return c;
}

static void end_column(struct code_in *in, const struct bits_in *b)
{
	if (b->at > 8 * b->bytes)
		in->bad = 1;
	else
		in->at += (b->at + 7) / 8;
}

void code_get_ints(struct code_in *in, int64_t *x, size_t n)
{
	struct column_head c = get_column_head(in, n);
	struct bits_in b = {.from = in->at, .bytes = (size_t)(in->end - in->at)};
	uint64_t base = (uint64_t)c.base;

	if (!c.constant && !in->bad) {
		if (c.mode == CODE_ABOVE) {
			get_numbers(&b, c.k, CODE_ABOVE, base, x, n);
		} else if (c.mode == CODE_CENTRE) {
			get_numbers(&b, c.k, CODE_CENTRE, base, x, n);
		} else {
			x[0] = c.base;
			get_numbers(&b, c.k, CODE_DELTA, base, x + 1, n - 1);
		}
		end_column(in, &b);
	}
	for (size_t i = 0; i < n && (c.constant || in->bad); i++)
		x[i] = c.base;
}

void code_pass_ints(struct code_in *in, size_t n)
{
	struct column_head c = get_column_head(in, n);
	struct bits_in b = {.from = in->at, .bytes = (size_t)(in->end - in->at)};

	if (c.constant || in->bad)
		return;
	get_numbers(&b, c.k, CODE_ABOVE, 0, NULL, n - (c.mode == CODE_DELTA));
	end_column(in, &b);
}
