/* SPDX-License-Identifier: BSD-2-Clause */
/* What the encoder and the decoder of frames share: bytes of a frame (wire.h has the format), and the inside of a decoder, of which
 * wire_decode.c takes the bytes and wire_fields.c reads what the body says. */
#ifndef LIMPET_WIRE_INTERNAL_H
#define LIMPET_WIRE_INTERNAL_H

#include <zlib.h>

#include "wire.h"

#define WIRE_MAGIC	  "lmpw"
#define WIRE_FIXED	  24 /* bytes of the header before the host's name */
#define WIRE_INTERVAL_MAX 3600000
#define WIRE_TOOL_LEN	  64 /* with the NUL */

/* Places in the header. */
enum { AT_VERSION = 4, AT_KIND, AT_HOST_LEN, AT_FLAGS, AT_LENGTH = 8, AT_SUM = 12, AT_TIME = 16 };

enum wire_field {
	FIELD_SECOND = 1,
	FIELD_INTERVAL,
	FIELD_TOOL,
	FIELD_DEVICE,
	FIELD_CGROUPS,
	FIELD_PIDS,
	FIELD_MISSING,
	FIELD_COPY, /* of a copy; from here on of lines */
	FIELD_PATH,
	FIELD_IDENTITY,
	FIELD_OFFSET,
	FIELD_BYTES,
	WIRE_FIELDS
};

/* Adds a header and the body. -ENOMEM: nothing. */
int wire_put_frame(struct text *to, enum wire_kind kind, const char *host, int64_t wall_ns,
		   const struct text *body);
void wire_put_varint(struct text *t, uint64_t v);
void wire_put_field(struct text *t, enum wire_field field, const char *at, size_t len);
bool wire_path_valid(const char *path);
bool wire_identity_valid(const char *identity);

static inline uint32_t wire_sum(const void *at, size_t n)
{
	return (uint32_t)crc32(0, at, (uInt)n);
}

struct wire_decoder {
	unsigned char head[WIRE_HEAD_MAX];
	unsigned char *body;
	size_t n_head, n_body; /* that have come */
	size_t cap;	       /* of body */
	bool headed, complete; /* the header is; the frame is, or was damaged */
	int broken;	       /* not 0: the stream ended with this error */
	char why[256];	       /* for that */
	/* Of the header. */
	char host[HOST_LEN];
	int64_t wall_ns;
	size_t len;
	uint32_t sum;
	/* Of the body, once it is unpacked; the fields are in it. */
	bool unpacked;
	struct wire_part {
		const unsigned char *at; /* NULL: the frame does not have it */
		size_t len;
	} field[WIRE_FIELDS];
	unsigned int interval_ms;
	char tool[WIRE_TOOL_LEN];
	struct series_second *second;
	unsigned int kinds; /* bits: 1 << enum wire_kind, that are given */
	struct wire_lines lines;
	char path[WIRE_PATH_LEN], identity[WIRE_IDENTITY_LEN];
};

#endif
