/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bottom of the coding of chunks: growing buffers to write to, bounded ones to read from, whole
 * numbers and columns of them. The format is documented in series.h.
 */
#ifndef LIMPET_SERIES_CODE_H
#define LIMPET_SERIES_CODE_H

#include <stddef.h>
#include <stdint.h>

/* Longest column of whole numbers. */
#define CODE_INTS_MAX 256

/* The byte a column begins with: how its numbers are coded, and Rice's parameter. */
enum { CODE_CENTRE, CODE_DELTA, CODE_ABOVE, CODE_MODES };
#define CODE_CONSTANT 0xff
#define CODE_K_MAX    56
#define CODE_QUOTIENT 20 /* so many ones, and the number follows in full */

/* Zeroed to begin with; `failed` once memory ran out, after which nothing is added. */
struct code_out {
	unsigned char *at;
	size_t len, cap;
	int failed;
};

void code_out_release(struct code_out *o);
void code_put_bytes(struct code_out *o, const void *from, size_t n);
void code_put_byte(struct code_out *o, unsigned int byte);
void code_put_unsigned(struct code_out *o, uint64_t v);
void code_put_signed(struct code_out *o, int64_t v);
void code_put_double(struct code_out *o, double v);
/* A column; n is not written, and at most CODE_INTS_MAX. */
void code_put_ints(struct code_out *o, const int64_t *x, size_t n);

/* `bad` once something was not there or not valid; what is read from then on is 0. */
struct code_in {
	const unsigned char *at, *end;
	int bad;
};

/* NULL at the end of the data. */
const unsigned char *code_get_bytes(struct code_in *in, size_t n);
unsigned int code_get_byte(struct code_in *in);
uint64_t code_get_unsigned(struct code_in *in);
/* Bad if it is more than max. */
uint64_t code_get_below(struct code_in *in, uint64_t max);
int64_t code_get_signed(struct code_in *in);
double code_get_double(struct code_in *in);
/* n at most CODE_INTS_MAX. */
void code_get_ints(struct code_in *in, int64_t *x, size_t n);
/* The same, and bad where that is, without the numbers. */
void code_pass_ints(struct code_in *in, size_t n);

#endif
