// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whole numbers and columns of them, as bytes. A column is Rice coded, each with its own parameter:
 * noise of ten different sizes in ten columns costs each its own entropy, where varints or shuffled
 * bytes, all through zlib together, took 16 % more of the whole file (tools/series-size).
 */
#include "series_code.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

void code_out_release(struct code_out *o)
{
	free(o->at);
	memset(o, 0, sizeof(*o));
}

void code_put_bytes(struct code_out *o, const void *from, size_t n)
{
	if (n > o->cap - o->len) {
		size_t cap = 2 * o->cap + n + 256;

		if (o->failed || array_extend(&o->at, o->cap, cap)) {
			o->failed = 1;
			return;
		}
		o->cap = cap;
	}
	if (n)
		memcpy(o->at + o->len, from, n);
	o->len += n;
}

void code_put_byte(struct code_out *o, unsigned int byte)
{
	unsigned char b = (unsigned char)byte;

	code_put_bytes(o, &b, 1);
}

void code_put_unsigned(struct code_out *o, uint64_t v)
{
	unsigned char buf[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		buf[n++] = (unsigned char)(v | 0x80);
	buf[n++] = (unsigned char)v;
	code_put_bytes(o, buf, n);
}

/* 0, -1, 1, -2, … become 0, 1, 2, 3, … */
static uint64_t fold_sign(uint64_t v)
{
	return v << 1 ^ (0 - (v >> 63));
}

void code_put_signed(struct code_out *o, int64_t v)
{
	code_put_unsigned(o, fold_sign((uint64_t)v));
}

void code_put_double(struct code_out *o, double v)
{
	unsigned char buf[8];
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	for (int i = 0; i < 8; i++)
		buf[i] = (unsigned char)(bits >> 8 * i);
	code_put_bytes(o, buf, sizeof(buf));
}

/* ---- columns -------------------------------------------------------------------------------- */

struct bits {
	struct code_out *o;
	uint64_t acc;
	unsigned int n;
};

/* At most 32 at a time. */
static void put_bits(struct bits *b, uint64_t v, unsigned int n)
{
	b->acc |= v << b->n;
	b->n += n;
	for (; b->n >= 8; b->n -= 8, b->acc >>= 8)
		code_put_byte(b->o, b->acc & 0xff);
}

static void put_long(struct bits *b, uint64_t v, unsigned int n)
{
	if (n > 32) {
		put_bits(b, v & UINT32_MAX, 32);
		v >>= 32;
		n -= 32;
	}
	put_bits(b, v, n);
}

static void put_rice(struct bits *b, uint64_t u, unsigned int k)
{
	uint64_t q = u >> k;

	if (q >= CODE_QUOTIENT) {
		put_bits(b, (1U << CODE_QUOTIENT) - 1, CODE_QUOTIENT);
		put_long(b, u, 64);
		return;
	}
	put_bits(b, (1U << q) - 1, (unsigned int)q + 1);
	put_long(b, k ? u & ((1ULL << k) - 1) : 0, k);
}

/* In bits. */
static size_t rice_cost(const uint64_t *u, size_t n, unsigned int k)
{
	size_t cost = 0;

	for (size_t i = 0; i < n; i++)
		cost += u[i] >> k >= CODE_QUOTIENT ? (CODE_QUOTIENT + 64) : (u[i] >> k) + 1 + k;
	return cost;
}

/* The cheapest k, looked for from the mean downwards: each step saves a bit of every number until
 * quotients grow. Beyond twice for nothing it gets no better. */
static size_t best_rice(const uint64_t *u, size_t n, unsigned int *best_k)
{
	size_t best = SIZE_MAX;
	double sum = 0;
	unsigned int k = 0;
	int worse = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)u[i];
	while (k < CODE_K_MAX && sum > (double)n * (double)(1ULL << k))
		k++;
	for (k = k < CODE_K_MAX ? k + 1 : k; worse < 2; k--) {
		size_t cost = rice_cost(u, n, k);

		worse = cost < best ? 0 : worse + 1;
		if (cost < best) {
			best = cost;
			*best_k = k;
		}
		if (!k)
			break;
	}
	return best;
}

/* What is left of x once what `mode` expects is taken away; returns how many. Unsigned, for sums
 * that overflow come back when read. */
static size_t residues(const int64_t *x, size_t n, int mode, int64_t base, uint64_t *u)
{
	size_t i, at = 0;

	for (i = mode == CODE_DELTA; i < n; i++) {
		uint64_t from = (uint64_t)(mode == CODE_DELTA ? x[i - 1] : base);
		uint64_t d = (uint64_t)x[i] - from;

		u[at++] = mode == CODE_ABOVE ? d : fold_sign(d);
	}
	return at;
}

void code_put_ints(struct code_out *o, const int64_t *x, size_t n)
{
	int64_t sorted[CODE_INTS_MAX], base[CODE_MODES];
	uint64_t u[CODE_INTS_MAX];
	size_t i, left, best = SIZE_MAX;
	struct bits b = {.o = o};
	int best_mode = 0;
	unsigned int best_k = 0;

	for (i = 1; i < n && x[i] == x[0]; i++)
		;
	if (i >= n) {
		if (n) {
			code_put_byte(o, CODE_CONSTANT);
			code_put_signed(o, x[0]);
		}
		return;
	}
	memcpy(sorted, x, n * sizeof(*x));
	sort(sorted, n, by_int64);
	base[CODE_CENTRE] = sorted[n / 2];
	base[CODE_DELTA] = x[0];
	base[CODE_ABOVE] = sorted[0];
	for (int mode = 0; mode < CODE_MODES; mode++) {
		unsigned int k = 0;
		size_t cost;

		left = residues(x, n, mode, base[mode], u);
		cost = best_rice(u, left, &k);
		if (cost < best) {
			best = cost;
			best_mode = mode;
			best_k = k;
		}
	}
	code_put_byte(o, (unsigned int)best_mode << 6 | best_k);
	code_put_signed(o, base[best_mode]);
	left = residues(x, n, best_mode, base[best_mode], u);
	for (i = 0; i < left; i++)
		put_rice(&b, u[i], best_k);
	put_bits(&b, 0, (8 - b.n) % 8);
}
