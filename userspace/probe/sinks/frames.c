// SPDX-License-Identifier: BSD-2-Clause
/* Seconds as frames into a pipe or a file: see frames.h. */
#include "frames.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/safe_open.h"

struct waiting_frame {
	struct waiting_frame *next;
	char *at;
	size_t len;
	uint64_t lost; /* that it says: should it be dropped, the next one does */
};

struct frames {
	char *path;
	int fd;
	struct wire_encoder *encoder;
	struct waiting_frame *first, **end;
	size_t begun; /* bytes of the first that are written */
	size_t bytes; /* of all that wait */
	uint64_t dropped,
		dropped_new; /* since the reader fell behind; not yet in a second's `lost` */
};

/* ---- life ---- */

int frames_open(struct frames **out, const char *path)
{
	struct frames *f = calloc(1, sizeof(*f));
	char why[SAFE_WHY_LEN];

	*out = f;
	if (!f || !(f->path = strdup(path))) {
		fail("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	f->end = &f->first;
	f->fd = -1;
	if (!strcmp(path, "-")) {
		f->fd = STDOUT_FILENO;
		if (!isatty(f->fd))
			return 0;
		fail("'--frames -': frames are no text for a terminal; give a file, or a pipe");
		return EXIT_USAGE;
	}
	f->fd = safe_open_new(path, why);
	if (f->fd >= 0)
		return 0;
	fail("cannot write frames to '%s': %s", path, why);
	return EXIT_FAILED;
}

int frames_begin(struct frames *f, const struct wire_encoder_opts *o)
{
	if (!wire_encoder_new(&f->encoder, o))
		return 0;
	fail("%s", series_error());
	return EXIT_FAILED;
}

struct wire_encoder *frames_encoder(struct frames *f)
{
	return f->encoder;
}

static void frames_take_first(struct frames *f)
{
	struct waiting_frame *w = f->first;

	f->first = w->next;
	if (!f->first)
		f->end = &f->first;
	f->bytes -= w->len;
	f->begun = 0;
	free(w->at);
	free(w);
}

/* ---- writing ---- */

/* What is said when the reader takes everything again. */
static void frames_caught_up(struct frames *f)
{
	if (f->dropped)
		warn("frames are read again; %llu second%s dropped meanwhile, which 'lost' of the "
		     "next one counts",
		     (unsigned long long)f->dropped, f->dropped == 1 ? " was" : "s were");
	f->dropped = 0;
}

/* It is the end of the recording, and what waits will not be taken. */
static int frames_failed(struct frames *f, int err)
{
	while (f->first)
		frames_take_first(f);
	if (err == EPIPE)
		fail("cannot write frames to '%s': nobody reads them any more", f->path);
	else
		fail("cannot write frames to '%s': %s", f->path, strerror(err));
	return EXIT_FAILED;
}

/* Never more than PIPE_BUF at once, which a pipe that polls writable takes without blocking, also one that we
 * did not open (jsonl.c). */
static int frames_push(struct frames *f, int wait_ms, int stop_fd)
{
	struct pollfd p[2] = {{.fd = f->fd, .events = POLLOUT},
			      {.fd = wait_ms ? stop_fd : -1, .events = POLLIN}};
	int64_t until_ns = wait_ms ? clock_ns(CLOCK_MONOTONIC) + wait_ms * NS_PER_MS : 0;

	while (f->first) {
		struct waiting_frame *w = f->first;
		size_t left = w->len - f->begun;
		int64_t rest_ns = wait_ms ? until_ns - clock_ns(CLOCK_MONOTONIC) : 0;
		ssize_t n;

		/* One that takes little again and again has no more time than one that takes nothing. */
		if (rest_ns < 0 || poll(p, 2, (int)((rest_ns + NS_PER_MS - 1) / NS_PER_MS)) <= 0 ||
		    p[1].revents || !p[0].revents)
			return 0;
		n = write(f->fd, w->at + f->begun, left < PIPE_BUF ? left : PIPE_BUF);
		if (n < 0 && errno == EAGAIN && !wait_ms)
			return 0;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return frames_failed(f, errno);
		f->begun += n > 0 ? (size_t)n : 0;
		if (f->begun == w->len)
			frames_take_first(f);
	}
	frames_caught_up(f);
	return 0;
}

int frames_flush(struct frames *f)
{
	return frames_push(f, 0, -1);
}

int frames_waiting(const struct frames *f)
{
	return f && f->first ? f->fd : -1;
}

/* The oldest but one that was begun. */
static void frames_drop(struct frames *f)
{
	struct waiting_frame **at = f->begun ? &f->first->next : &f->first, *w = *at;

	if (!f->dropped)
		warn("the reader of '%s' takes no frames, and no more fit in memory: the oldest "
		     "are dropped from now on",
		     f->path);
	*at = w->next;
	if (!w->next)
		f->end = at;
	f->bytes -= w->len;
	f->dropped++;
	f->dropped_new += 1 + w->lost;
	free(w->at);
	free(w);
}

static int frames_add(struct frames *f, struct text *frame, uint64_t lost)
{
	struct waiting_frame *w = calloc(1, sizeof(*w));
	size_t len;

	if (!w || !(w->at = text_take(frame, &len))) {
		free(w);
		return -ENOMEM;
	}
	w->len = len;
	w->lost = lost;
	*f->end = w;
	f->end = &w->next;
	f->bytes += len;
	while (f->bytes > FRAMES_WAIT_MAX && (f->begun ? f->first->next : f->first) != w)
		frames_drop(f);
	return 0;
}

int frames_write(struct frames *f, const struct second *s)
{
	struct text frame TEXT_SCOPED = {0};
	int err = wire_encode(f->encoder, s, f->dropped_new, &frame);

	/* A second that no frame can hold is one that is lost. */
	if (err == -E2BIG) {
		warn("%s", series_error());
		f->dropped_new += 1 + s->lost;
		return frames_flush(f);
	}
	if (!err) {
		uint64_t lost = s->lost + f->dropped_new;

		f->dropped_new = 0;
		err = frames_add(f, &frame, lost);
	}
	if (err) {
		fail("cannot make a frame: %s", err == -ENOMEM ? strerror(ENOMEM) : series_error());
		return EXIT_FAILED;
	}
	return frames_flush(f);
}

int frames_close(struct frames *f, int wait_ms, int stop_fd)
{
	int status = 0;
	size_t n = 0;

	if (!f)
		return 0;
	if (f->first)
		status = frames_push(f, wait_ms, stop_fd);
	for (; f->first; n++)
		frames_take_first(f);
	if (n && !status) {
		fail("the reader of '%s' has not taken the last %zu frame%s", f->path, n,
		     n > 1 ? "s" : "");
		status = EXIT_FAILED;
	}
	wire_encoder_free(f->encoder);
	if (f->fd > STDOUT_FILENO && close(f->fd) && !status)
		status = frames_failed(f, errno);
	free(f->path);
	free(f);
	return status;
}
