/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes as lines, for logs and pipes. */
#ifndef LIMPET_WATCH_PLAIN_H
#define LIMPET_WATCH_PLAIN_H

#include "changes.h"

/*
 * "2026-11-21T20:05:30Z opened oss-3 limps: disk-hog: …": time of the data, a word of change_words, the
 * text. As JSON an object: {"time", "change", "node", "cause", "text"}, and "incident" or "notice" as
 * in the JSON of a verdict. Flushed at once. 0; -EIO if standard output cannot be written, -ENOMEM.
 */
int plain_line(const struct verdict *a, const struct change *c, bool json);

/* The object alone, on one line, for the caller to free(). NULL: out of memory. */
char *plain_json(const struct verdict *a, const struct change *c);

#endif
