/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames (userspace/wire), a second each, into a pipe or a file.
 *
 * Whoever reads them never holds up the recording: a frame that cannot be written at once waits in memory, up to
 * FRAMES_WAIT_MAX bytes. Beyond that the oldest are dropped, a frame that was begun aside, and the next second has their
 * number, and what they said was lost, added to its `lost`. So a reader that falls behind loses what is old, and knows how much.
 */
#ifndef LIMPET_FRAMES_H
#define LIMPET_FRAMES_H

#include "userspace/second/second.h"
#include "userspace/wire/wire.h"

#define FRAMES_WAIT_MAX (4 << 20)
/* What a reader has at the end for all that waits. */
#define FRAMES_CLOSE_MS 5000

struct frames;

/* `path`: "-" is standard output. 0, or an exit status after a message. */
int frames_open(struct frames **f, const char *path);

/* Before the first second. 0 or an exit status after a message. */
int frames_begin(struct frames *f, const struct wire_encoder_opts *o);
struct wire_encoder *frames_encoder(struct frames *f);

/* Takes a second in, and writes what can be written without waiting. 0, or an exit status after a message: also when
 * nobody reads any more. */
int frames_write(struct frames *f, const struct second *s);

/* The descriptor that frames wait for until it can be written; -1: none waits. Then: frames_flush(). */
int frames_waiting(const struct frames *f);
int frames_flush(struct frames *f);

/* Waits wait_ms for the reader to take the rest, or until stop_fd can be read (-1: there is none); closes and frees. An exit
 * status after a message if it did not. Takes NULL. */
int frames_close(struct frames *f, int wait_ms, int stop_fd);

#endif
