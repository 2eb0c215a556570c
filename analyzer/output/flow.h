/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that flow over lines of standard output, under 100 columns, and the numbers and names of an
 * verdict as words. What is not printable ASCII becomes '?', whatever it came from.
 */
#ifndef LIMPET_FLOW_H
#define LIMPET_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/verdict/verdict.h"

struct flow {
	size_t column, hang; /* where we are; where the lines after the first begin */
	bool begun;	     /* a word stands on this line */
};

/* Begins a line `first` columns to the right, or after `label` in a field as wide as `hang`. */
struct flow flow_start(size_t first, size_t hang);
struct flow flow_label(const char *label, size_t hang);
/* Words, separated by blanks; one that begins with a closing mark needs none before it, and TIE is a
 * blank at which no line ends. Of a format, at most 1023 characters. */
#define TIE "\1"
void flow_text(struct flow *f, const char *text);
void flow(struct flow *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void flow_end(void);
/* A paragraph of its own. */
void flow_say(size_t first, size_t hang, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

enum { WORDS_LEN = 256 };

/* "31.4 ms" of a value in the signal's unit; "-": not known. All return buf or a constant,
 * and tie number and unit. */
const char *words_value(const struct verdict_signal *s, double v, char buf[WORDS_LEN]);
const char *words_ratio(double r, char buf[WORDS_LEN]);	 /* "3.20 x" */
const char *words_score(double z, char buf[WORDS_LEN]);	 /* "22.1" */
const char *words_span(int64_t ns, char buf[WORDS_LEN]); /* "50 s", "12 min", "11 h" */
/* "read latency of sdb" */
const char *words_signal(const struct verdict_signal *s, const char *disk, char buf[WORDS_LEN]);

#endif
