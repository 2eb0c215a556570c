// SPDX-License-Identifier: BSD-2-Clause
/* The zlib streams that the sections of a chunk are, and the Adler-32 that tells their damage. */
#include "series_grid.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* A zlib stream by hand, for deflate() would clear 200 kB of tables for it. */
static int store(struct code_out *o, const struct code_out *from)
{
	uint32_t n = (uint32_t)from->len, sum = (uint32_t)adler32(1, from->at, n);
	const unsigned char head[] = {0x78,	 0x01,		1, n & 0xff, n >> 8 & 0xff,
				      ~n & 0xff, ~n >> 8 & 0xff};
	const unsigned char tail[] = {sum >> 24, sum >> 16 & 0xff, sum >> 8 & 0xff, sum & 0xff};

	code_put_bytes(o, head, sizeof(head));
	code_put_bytes(o, from->at, n);
	code_put_bytes(o, tail, sizeof(tail));
	return o->failed ? -ENOMEM : 0;
}

static int deflate_to(struct code_out *o, const struct code_out *from, int level)
{
	uLongf len = compressBound(from->len);
	unsigned char *at = malloc(len);
	int rc = at ? compress2(at, &len, from->at, from->len, level) : Z_MEM_ERROR;

	if (!rc)
		code_put_bytes(o, at, len);
	free(at);
	return rc || o->failed ? -ENOMEM : 0;
}

int series_zip(struct code_out *o, int level)
{
	struct code_out packed = {0};
	int err;

	code_put_unsigned(&packed, o->len);
	err = level || o->len > UINT16_MAX ? deflate_to(&packed, o, level) : store(&packed, o);
	code_out_release(o);
	*o = packed;
	return err;
}

unsigned char *series_unzip(struct code_in *in, int section, const struct series_blob *b,
			    int64_t id, int *err)
{
	const unsigned char *from = b->at;
	unsigned char *at;
	uLongf len;
	uLong used;

	*in = (struct code_in){.at = from, .end = b->len ? from + b->len : from};
	len = (uLongf)code_get_below(in, SECTION_MAX);
	used = (uLong)(in->end - in->at);
	*err = -EBADMSG;
	/* What zlib packs 1032 times at most is not given more memory than that. */
	if (in->bad || !len || len / 1100 > used)
		return NULL;
	*err = -ENOMEM;
	at = malloc(len);
	if (!at)
		return NULL;
	from = in->at;
	*in = (struct code_in){.at = at, .end = at + len};
	*err = -EBADMSG;
	if (uncompress2(at, &len, from, &used) == Z_OK && at + len == in->end &&
	    from + used == (const unsigned char *)b->at + b->len &&
	    code_get_unsigned(in) == (uint64_t)id && code_get_byte(in) == (unsigned int)section &&
	    !in->bad) {
		*err = 0;
		return at;
	}
	free(at);
	return NULL;
}
