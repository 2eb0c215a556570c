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

enum wire_kind { WIRE_SECOND = 1 };

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
	WIRE_FIELDS
};

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
};

#endif
