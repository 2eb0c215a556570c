// SPDX-License-Identifier: BSD-2-Clause
/* Whole numbers and columns of them, out of bytes that may be anything. */
#include "series_code.h"

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

struct bits_in {
	struct code_in *in;
	uint64_t acc;
	unsigned int n;
};

/* At most 32 at a time. */
static uint64_t get_bits(struct bits_in *b, unsigned int n)
{
	uint64_t v;

	for (; b->n < n; b->n += 8)
		b->acc |= (uint64_t)code_get_byte(b->in) << b->n;
	v = b->acc & ((1ULL << n) - 1);
	b->acc >>= n;
	b->n -= n;
	return v;
}

static uint64_t get_long(struct bits_in *b, unsigned int n)
{
	uint64_t low;

	if (n <= 32)
		return get_bits(b, n);
	low = get_bits(b, 32);
	return low | get_bits(b, n - 32) << 32;
}

static uint64_t get_rice(struct bits_in *b, unsigned int k)
{
	uint64_t q = 0;

	while (q < CODE_QUOTIENT && get_bits(b, 1))
		q++;
	if (q == CODE_QUOTIENT)
		return get_long(b, 64);
	return q << k | get_long(b, k);
}

void code_get_ints(struct code_in *in, int64_t *x, size_t n)
{
	unsigned int head = n ? code_get_byte(in) : CODE_CONSTANT, k = head & 0x3f;
	int64_t base = n ? code_get_signed(in) : 0;
	struct bits_in b = {.in = in};
	unsigned int mode = head >> 6;

	if (head != CODE_CONSTANT && (mode >= CODE_MODES || k > CODE_K_MAX))
		in->bad = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t u;

		x[i] = base;
		if (in->bad || head == CODE_CONSTANT || (mode == CODE_DELTA && !i))
			continue;
		u = get_rice(&b, k);
		u = mode == CODE_ABOVE ? u : unfold_sign(u);
		x[i] = (int64_t)(u + (uint64_t)(mode == CODE_DELTA ? x[i - 1] : base));
	}
}
