/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The series files of this host as copies, for one receiver: the newest one each minute, at a second that differs from host to
 * host; when it is complete so far the older ones, newest first and slowly. A file is asked for first, and sent from where the
 * receiver says; one that the receiver has completely is left alone until copies_forget().
 */
#ifndef LIMPET_PUSH_COPIES_H
#define LIMPET_PUSH_COPIES_H

#include "userspace/common/text.h"
#include "userspace/series/series.h"

/* Bytes a second, so that many hosts may begin at once. */
#define COPIES_NEWEST_RATE (128 << 10)
#define COPIES_OLDER_RATE  (64 << 10)

#define COPIES_PATH_LEN 384

struct copies;

/* The strings stay the caller's. NULL: out of memory. */
struct copies *copies_new(const char *dir, const char *host);
void copies_free(struct copies *c); /* takes NULL */

/* What the receiver has is not known any more. */
void copies_forget(struct copies *c);

/*
 * What is to be sent now: 1, with the path of the request and its body added to `body` (empty: a question); 0: nothing; a negative errno
 * with series_error(): a file cannot be read, and is left alone for a while.
 */
int copies_next(struct copies *c, int64_t wall_ns, struct text *body, char path[COPIES_PATH_LEN]);

/* What the receiver said to that. false: it does not come on. */
bool copies_answered(struct copies *c, const struct series_cursor *now);

/* Of `limpet-push check`: how many files there are, and their bytes. 0 or a negative errno. */
int copies_count(const char *dir, const char *host, size_t *n, uint64_t *bytes);

#endif
