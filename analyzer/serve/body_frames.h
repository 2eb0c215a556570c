/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a request as frames (wire.h): all of them whole, of one kind and of one host, or none. Every byte may be hostile. */
#ifndef LIMPET_SERVE_BODY_FRAMES_H
#define LIMPET_SERVE_BODY_FRAMES_H

#include "userspace/common/options.h"
#include "userspace/wire/wire.h"

struct body_frame {
	size_t at, len; /* in the body */
	int64_t wall_ns;
};

/* Zeroed at first. */
struct body_frames {
	struct wire_decoder *decoder;
	const char *body;
	struct body_frame *at;
	size_t n, room;
	char host[HOST_LEN]; /* "": there is no frame */
};

/* -EBADMSG: this is something else, or damaged, or not complete; -EACCES: of several hosts; -ENOMEM. `why` has the sentence. */
int body_frames_split(struct body_frames *f, const void *body, size_t len, enum wire_kind kind,
		      char why[WHY_LEN]);
void body_frames_release(struct body_frames *f);

/* What a frame says, until the next call; as wire_decoder_copy() and wire_decoder_lines(). Copies and lines only. */
int body_frame_copy(struct body_frames *f, size_t number, const void **part, size_t *len);
int body_frame_lines(struct body_frames *f, size_t number, const struct wire_lines **lines);

#endif
