/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers and names of a verdict as words. */
#ifndef LIMPET_WORDS_H
#define LIMPET_WORDS_H

#include <stdint.h>

#include "analyzer/verdict/verdict.h"

enum { WORDS_LEN = 256 };

/* "31.4 ms" of a value in the signal's unit; "-": not known. All return buf or a constant,
 * and tie number and unit (text.h). */
const char *words_value(const struct verdict_signal *s, double v, char buf[WORDS_LEN]);
/* The same for a sentence, in three digits and in the unit that fits: "16.6 MiB/s", "1.32 s", "0". */
const char *words_quantity(const struct verdict_signal *s, double v, char buf[WORDS_LEN]);
const char *words_ratio(double r, char buf[WORDS_LEN]);	 /* "3.20 x" */
const char *words_score(double z, char buf[WORDS_LEN]);	 /* "22.1" */
const char *words_span(int64_t ns, char buf[WORDS_LEN]); /* "50 s", "12 min", "11 h", "5 days" */
/* What a signal does by its role, "indicts", and what it is for, "may indict". */
extern const char *const role_words[], *const may_words[];

/* "read latency of sdb" */
const char *words_signal(const struct verdict_signal *s, const char *disk, char buf[WORDS_LEN]);

#endif
