/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics as text for scrapers, for both programs: OpenMetrics 1.0, and the older Prometheus text format
 * 0.0.4 from the same calls. Of each family first mt_family(), then its samples, each of them begun by
 * mt_sample() or mt_labels() and ended by one of the values:
 *
 *	struct metrics_text t = {.format = FORMAT_OPENMETRICS};
 *
 *	mt_family(&t, &(struct mt_family){"limpet_servers", "", MT_GAUGE, "Servers with data."});
 *	mt_sample(&t, "limpet_servers", "", "", "");
 *	mt_u64(&t, 7);
 *	text = mt_end(&t, &len);
 *
 * Out of memory is told once, by mt_end() (text.h).
 */
#ifndef LIMPET_METRICS_TEXT_H
#define LIMPET_METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum openmetrics_format { FORMAT_OPENMETRICS, FORMAT_PROMETHEUS, FORMATS };

struct metrics_text {
	enum openmetrics_format format;
	struct text text;
};

enum mt_type { MT_COUNTER, MT_GAUGE, MT_HISTOGRAM, MT_INFO };

struct mt_family {
	const char *name, *unit; /* unit "": none; else the name ends with it */
	enum mt_type type;
	const char *help; /* without quotes, backslashes and line ends: written as it is */
};

void mt_family(struct metrics_text *t, const struct mt_family *f);

/* What the names of a type's samples end with: "_total", "_info" or "". */
const char *mt_suffix(enum mt_type type);

/* NAME SUFFIX {LABELS,MORE} and a blank; labels are text as mt_escape() makes it, or "". */
void mt_sample(struct metrics_text *t, const char *name, const char *suffix, const char *labels,
	       const char *more);

/* The same with pairs of a label's name and its value as it is: n of them. */
void mt_labels(struct metrics_text *t, const char *name, const char *const (*labels)[2], size_t n);

/* Values, each with the end of its line. Digits: significant ones, at most 17. Time is in seconds, exactly:
 * a double has not the digits for many seconds in ns. */
void mt_u64(struct metrics_text *t, uint64_t v);
void mt_double(struct metrics_text *t, double v, int digits);
void mt_ns(struct metrics_text *t, uint64_t ns);

/* Text as it is: lines that are made elsewhere. */
void mt_put(struct metrics_text *t, const char *s);

/* The whole text, for the caller to free(), and its length; NULL: out of memory. */
char *mt_end(struct metrics_text *t, size_t *len);

/* Writes len bytes as they stand in a label value: characters as text_shown() has them on a page (text_clean.h), and bytes that are no
 * UTF-8 and controls of ASCII as \\xNN. `to` has room for MT_ESCAPED(len) bytes. Returns the end, which is a NUL. */
#define MT_ESCAPED(len) (5 * (len) + 1)
char *mt_escape(char *to, const char *from, size_t len);

/* The Content-Type of a format. */
const char *openmetrics_content_type(enum openmetrics_format format);

/* Which format a client wants, by its Accept header (NULL: none sent). */
enum openmetrics_format openmetrics_negotiate(const char *accept);

#endif
