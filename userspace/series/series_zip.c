// SPDX-License-Identifier: BSD-2-Clause
/* The zlib streams that the sections of a chunk are, and the Adler-32 that tells their damage. */
#include "series_grid.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "userspace/common/array.h"

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

void series_inflater_release(struct series_inflater *f)
{
	if (f->stream)
		inflateEnd(f->stream);
	free(f->stream);
	free(f->at);
	*f = (struct series_inflater){0};
}

static int get_ready(struct series_inflater *f, size_t len)
{
	z_stream *z = f->stream;

	if (len > f->cap) {
		if (array_extend(&f->at, f->cap, len))
			return -ENOMEM;
		f->cap = len;
	}
	if (z)
		return inflateReset(z) ? -ENOMEM : 0;
	z = calloc(1, sizeof(*z));
	if (!z || inflateInit(z)) {
		free(z);
		return -ENOMEM;
	}
	f->stream = z;
	return 0;
}

int series_unzip(struct series_inflater *f, struct code_in *in, int section,
		 const struct series_blob *b, int64_t id)
{
	const unsigned char *from = b->at;
	size_t len, packed;
	z_stream *z;
	int err;

	*in = (struct code_in){.at = from, .end = b->len ? from + b->len : from};
	len = (size_t)code_get_below(in, SECTION_MAX);
	packed = (size_t)(in->end - in->at);
	/* What zlib packs 1032 times at most is not given more memory than that. */
	if (in->bad || !len || len / 1100 > packed)
		return -EBADMSG;
	err = get_ready(f, len);
	if (err)
		return err;
	z = f->stream;
	z->next_in = (unsigned char *)(uintptr_t)in->at;
	z->avail_in = (uInt)packed;
	z->next_out = f->at;
	z->avail_out = (uInt)len;
	*in = (struct code_in){.at = f->at, .end = f->at + len};
	/* All at once: so zlib makes no window and copies nothing into it. */
	if (inflate(z, Z_FINISH) != Z_STREAM_END || z->avail_in || z->avail_out ||
	    code_get_unsigned(in) != (uint64_t)id || code_get_byte(in) != (unsigned int)section)
		return -EBADMSG;
	return in->bad ? -EBADMSG : 0;
}
