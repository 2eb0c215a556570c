/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a decoder: wire_decode.c takes the bytes of a frame, wire_fields.c reads what its body says. */
#ifndef LIMPET_WIRE_DECODER_H
#define LIMPET_WIRE_DECODER_H

#include "wire_bytes.h"

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
