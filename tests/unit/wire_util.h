/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames for tests: of seconds whose values follow from their number (series_util.h), and made right again after a change. */
#ifndef LIMPET_WIRE_UTIL_H
#define LIMPET_WIRE_UTIL_H

#include "userspace/wire/internal.h"
#include "series_util.h"

static inline struct wire_encoder *encoder(const char *host, int level)
{
	struct wire_encoder_opts o = {.host = host,
				      .tool = "test 1",
				      .interval_ms = 1000,
				      .boot_ns = T0 * NS,
				      .level = level};
	struct wire_encoder *e = NULL;

	if (wire_encoder_new(&e, &o))
		fail_msg("%s", series_error());
	return e;
}

static inline void add_frame(struct wire_encoder *e, uint64_t seq, int64_t sec, struct text *to)
{
	struct second s;

	second_init(&s);
	fill_second(&s, seq, sec * NS);
	if (wire_encode(e, &s, 0, to))
		fail_msg("%s", series_error());
	second_release(&s);
}

static inline size_t body_at(const char *frame)
{
	return WIRE_FIXED + (size_t)(unsigned char)frame[AT_HOST_LEN] + 4;
}

static inline void put_le(char *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (char)(v >> 8 * i);
}

/* The length and the checksums of one frame, after it was changed. */
static inline void seal(struct text *frame)
{
	size_t body = body_at(frame->at);

	put_le(frame->at + AT_LENGTH, frame->len - body, 4);
	put_le(frame->at + AT_SUM, wire_sum(frame->at + body, frame->len - body), 4);
	put_le(frame->at + body - 4, wire_sum(frame->at, body - 4), 4);
}

/* All of it at once: what wire_decoder_take() says last. */
static inline int take_all(struct wire_decoder *d, const struct text *t)
{
	size_t taken;

	return wire_decoder_take(d, text_of(t), t->len, &taken);
}

#endif
