// SPDX-License-Identifier: BSD-2-Clause
#include "body_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

/* A decoder that was left amid a stream cannot be used again. */
static void decoder_drop(struct body_frames *f)
{
	wire_decoder_free(f->decoder);
	f->decoder = NULL;
}

void body_frames_release(struct body_frames *f)
{
	decoder_drop(f);
	free(f->at);
	*f = (struct body_frames){0};
}

/* The frame that begins there, with its checksum. */
static int frame_decode(struct body_frames *f, size_t at, size_t len, size_t *taken)
{
	*taken = 0;
	return wire_decoder_take(f->decoder, f->body + at, len, taken);
}

/* 1: the next frame was noted; 0: there is none; negative errno. */
static int frame_note(struct body_frames *f, size_t *at, size_t len)
{
	size_t taken, from = *at;
	int got = from < len ? frame_decode(f, from, len - from, &taken) : 0;
	struct body_frame *new;

	if (got <= 0)
		return got;
	if (*f->host && strcmp(f->host, wire_decoder_host(f->decoder)) != 0)
		return -EACCES;
	snprintf(f->host, HOST_LEN, "%s", wire_decoder_host(f->decoder));
	new = array_refill(&f->at, &f->n, &f->room);
	if (!new)
		return -ENOMEM;
	*new = (struct body_frame){from, taken, wire_decoder_wall_ns(f->decoder)};
	*at += taken;
	return 1;
}

/* Of another kind, a frame is passed over: what was noted does not cover the body then. */
int body_frames_split(struct body_frames *f, const void *body, size_t len, enum wire_kind kind,
		      char why[WHY_LEN])
{
	size_t at = 0, noted = 0;
	int got;

	f->body = body;
	f->n = 0;
	*f->host = '\0';
	snprintf(why, WHY_LEN, "out of memory");
	if (!f->decoder && wire_decoder_new(&f->decoder))
		return -ENOMEM;
	wire_decoder_kinds(f->decoder, 1U << kind);
	while ((got = frame_note(f, &at, len)) > 0)
		noted += f->at[f->n - 1].len;
	if (got == -EACCES)
		snprintf(why, WHY_LEN, "there are frames of several hosts");
	else if (got < 0 && got != -ENOMEM)
		snprintf(why, WHY_LEN, "%s", series_error());
	else if (!got && noted < len)
		snprintf(why, WHY_LEN,
			 "the last frame is not complete, or of a kind that is not for here");
	if (!got && noted == len)
		return 0;
	decoder_drop(f);
	return got == -ENOMEM || got == -EACCES ? got : -EBADMSG;
}

/* Once more, for the decoder has the last frame only. */
static int frame_again(struct body_frames *f, size_t number)
{
	size_t taken;
	int got = frame_decode(f, f->at[number].at, f->at[number].len, &taken);

	return got > 0 ? 0 : got == -ENOMEM ? got : -EBADMSG;
}

int body_frame_copy(struct body_frames *f, size_t number, const void **part, size_t *len)
{
	int err = frame_again(f, number);

	return err ? err : wire_decoder_copy(f->decoder, part, len);
}

int body_frame_lines(struct body_frames *f, size_t number, const struct wire_lines **lines)
{
	int err = frame_again(f, number);

	return err ? err : wire_decoder_lines(f->decoder, lines);
}
