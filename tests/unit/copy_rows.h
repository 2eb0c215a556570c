/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a part (series.h, "copying a file"), found by a reading of their own, so that tests and fuzz_copy can put others in
 * their place. */
#ifndef LIMPET_COPY_ROWS_H
#define LIMPET_COPY_ROWS_H

#include "userspace/series/series_code.h"
#include "userspace/series/series_grid.h"
#include "userspace/series/series_part.h"

#define PART_ROWS 1024

struct part_rows {
	size_t n;
	struct {
		const unsigned char *at;
		size_t len;
	} row[PART_ROWS];
};

static inline void pass_text(struct code_in *in)
{
	code_get_bytes(in, code_get_unsigned(in));
}

static inline void pass_signed(struct code_in *in, int n)
{
	while (n--)
		code_get_signed(in);
}

/* Behind the kind; `in` is bad if it is none. */
static inline void pass_row(struct code_in *in, unsigned int kind)
{
	static const struct {
		int numbers, texts, last; /* varints, then texts, then varints, signed or not */
	} shapes[] = {
		[PART_FROM] = {6, 0, 0},  [PART_BOOT] = {1, 1, 1},   [PART_DEVICE] = {1, 6, 3},
		[PART_CHUNK] = {5, 0, 0}, [PART_STACKS] = {3, 1, 0},
	};
	uint64_t n;

	if (kind == PART_META) {
		pass_text(in);
		if (code_get_byte(in))
			pass_text(in);
		else
			code_get_signed(in);
	} else if (kind == PART_METRIC) {
		code_get_unsigned(in);
		for (int i = 0; i < 3; i++)
			pass_text(in);
		code_get_bytes(in, 8);
		code_get_unsigned(in);
	} else if (kind < PART_META || kind > PART_FROM) {
		in->bad = 1;
	} else {
		if (kind == PART_STACKS)
			code_get_byte(in);
		pass_signed(in, shapes[kind].numbers);
		for (int i = 0; i < shapes[kind].texts; i++)
			pass_text(in);
		pass_signed(in, shapes[kind].last);
		for (n = kind == PART_CHUNK ? code_get_unsigned(in) : 0; n && !in->bad; n--) {
			code_get_byte(in);
			pass_text(in);
		}
	}
}

/* The rows, to the first that is none. */
static inline void part_rows(struct part_rows *r, const void *part, size_t len)
{
	struct code_in in = {.at = part, .end = (const unsigned char *)part + len};

	r->n = 0;
	while (in.at < in.end && r->n < PART_ROWS) {
		const unsigned char *at = in.at;

		pass_row(&in, code_get_byte(&in));
		if (in.bad)
			break;
		r->row[r->n].at = at;
		r->row[r->n++].len = (size_t)(in.at - at);
	}
}

/* A chunk as its row has it. */
struct part_chunk {
	uint64_t id, seconds;
	int64_t first_ns, last_ns, before_ns;
	struct code_out section[SECTIONS + 1]; /* the last has a number that is none */
};

static inline void part_chunk_get(struct part_chunk *c, const unsigned char *at, size_t len)
{
	struct code_in in = {.at = at + 1, .end = at + len};

	memset(c, 0, sizeof(*c));
	c->id = code_get_unsigned(&in);
	c->first_ns = code_get_signed(&in);
	c->last_ns = code_get_signed(&in);
	c->seconds = code_get_unsigned(&in);
	c->before_ns = code_get_signed(&in);
	for (uint64_t n = code_get_unsigned(&in); n && !in.bad; n--) {
		unsigned int s = code_get_byte(&in);
		size_t size = code_get_unsigned(&in);
		const unsigned char *blob = code_get_bytes(&in, size);

		if (blob && s < SECTIONS)
			code_put_bytes(&c->section[s], blob, size);
	}
}

static inline void part_chunk_put(struct code_out *o, const struct part_chunk *c)
{
	unsigned int n = 0;

	code_put_byte(o, PART_CHUNK);
	code_put_unsigned(o, c->id);
	code_put_signed(o, c->first_ns);
	code_put_signed(o, c->last_ns);
	code_put_unsigned(o, c->seconds);
	code_put_signed(o, c->before_ns);
	for (int s = 0; s <= SECTIONS; s++)
		n += c->section[s].len > 0;
	code_put_unsigned(o, n);
	for (int s = 0; s <= SECTIONS; s++)
		if (c->section[s].len) {
			code_put_byte(o, (unsigned int)s);
			code_put_unsigned(o, c->section[s].len);
			code_put_bytes(o, c->section[s].at, c->section[s].len);
		}
}

static inline void part_chunk_release(struct part_chunk *c)
{
	for (int s = 0; s <= SECTIONS; s++)
		code_out_release(&c->section[s]);
}

#endif
