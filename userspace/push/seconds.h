/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The newest seconds of this host as frames, out of the series files that the probe writes. A reader is kept open between two
 * looks, at most for a minute: then all is read anew that a file says besides its seconds, and the next frame says it, too.
 */
#ifndef LIMPET_PUSH_SECONDS_H
#define LIMPET_PUSH_SECONDS_H

#include "userspace/common/text.h"
#include "userspace/series/series.h"

struct seconds;

/* The strings stay the caller's. NULL: out of memory. */
struct seconds *seconds_new(const char *dir, const char *host);
void seconds_free(struct seconds *s); /* takes NULL */

/*
 * Adds the frames of the seconds after after_ns, oldest first, to `to`: about `most` bytes at most, but one frame if there is one.
 * Those before yesterday are passed over. Returns how many, with *last_ns the time of the last one; 0: none is there yet; a negative errno with
 * series_error().
 */
int seconds_next(struct seconds *s, int64_t after_ns, int64_t now_ns, size_t most, struct text *to,
		 int64_t *last_ns);

#endif
