/* SPDX-License-Identifier: BSD-2-Clause */
/* What every command does with its output: complete or a message, never half in silence. */
#ifndef LIMPET_OUTPUT_H
#define LIMPET_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

/* Flushes standard output; after an error (disk full, or text that had no memory) prints it and returns EXIT_FAILED,
 * else `status`. A reader that went away (EPIPE) is no error worth a message. */
int output_finish(int status);

/* safe_replace() of ../userspace/safe_open.h: in one step, through no link of another user's. 0, or
 * negative errno after a message. */
int output_replace(const char *path, const char *text, size_t len);

enum { TIME_TEXT_LEN = 32 };

/* "2026-11-21T03:00:05Z"; with a fraction where there is one. Returns buf. For people: where local time was asked for
 * (times.h) it is that, "2026-11-21T04:00:05+01:00". */
const char *output_time(int64_t wall_ns, char buf[TIME_TEXT_LEN]);
/* For programs: always UTC. */
const char *output_time_utc(int64_t wall_ns, char buf[TIME_TEXT_LEN]);

/* A name in a sentence: a copy of its text (text_clean.h), with '?' for each , " and \ and for what is no text; it is
 * shown as text.h or html.h shows the sentence. Returns buf. */
const char *output_clean(const char *s, char *buf, size_t size);
/* A name in a table on a terminal: printable ASCII, as text_put_plain() makes it; no escape is cut. Returns buf. */
const char *output_plain(const char *s, char *buf, size_t size);

/* A field of CSV to standard output, as RFC 4180 quotes it; NULL is "". */
void output_csv(const char *s);

/* How far a long job has come, in [0, 1], as one line on standard error that is written over; nothing
 * unless that is a terminal. output_progress_end() removes the line. One thread at a time. */
void output_progress(const char *what, double part);
void output_progress_end(void);

#endif
