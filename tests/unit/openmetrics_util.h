/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of openmetrics.h share: a set of metrics, seconds for it, values found in its text. */
#ifndef LIMPET_TEST_OPENMETRICS_UTIL_H
#define LIMPET_TEST_OPENMETRICS_UTIL_H

#include "unit.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/probe/sinks/openmetrics.h"
#include "userspace/common/version.h"

#define S 1000000000ULL

/* Families of the text beside those of the metric table. */
#define OM_HISTOGRAMS 3
#define OM_OWN	      10

static inline struct openmetrics *make(void)
{
	struct openmetrics *om;

	assert_int_equal(openmetrics_new(&om, "s3"), 0);
	return om;
}

static char *openmetrics_of(struct openmetrics *om, enum openmetrics_format format)
{
	size_t len;
	char *text = openmetrics_text(om, format, &len);

	assert_non_null(text);
	assert_int_equal(len, strlen(text));
	return text;
}

/* The value of a series, all of it before the blank; NULL: not there. The last one's is kept. */
static inline const char *value_in(const char *text, const char *series)
{
	static char value[64];
	size_t n = strlen(series);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		if (strncmp(line, series, n) || line[n] != ' ')
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(line + n + 1, "\n"),
			 line + n + 1);
		return value;
	}
	return NULL;
}

static inline const char *value(struct openmetrics *om, const char *series)
{
	char *text = openmetrics_of(om, FORMAT_OPENMETRICS);
	const char *v = value_in(text, series);

	free(text);
	return v;
}

#define assert_value(om, series, expected)                \
	do {                                              \
		const char *got = value(om, series);      \
		if (!got)                                 \
			fail_msg("no series %s", series); \
		assert_string_equal(got, expected);       \
	} while (0)

#define assert_no_series(om, series)                                  \
	do {                                                          \
		const char *got = value(om, series);                  \
		if (got)                                              \
			fail_msg("%s has the value %s", series, got); \
	} while (0)

/* Begins second number n. */
static inline void begin(struct second *s, uint64_t n, double interval_s)
{
	second_clear(s);
	s->seq = n;
	s->mono_ns = n * S;
	s->wall_ns = 1795230000000000000LL + (int64_t)(n * S);
	s->interval_s = interval_s;
}

/* Every metric of every family measured, histograms included. */
static inline void fill(struct second *s)
{
	static const char *const names[FAM_COUNT] = {"sda", "eth0",	      "",
						     "",    "10.0.0.2>24007", "fio:1234"};
	struct second_row *row;

	for (int f = 0; f < FAM_COUNT; f++) {
		row = second_add_row(s, (enum metric_family)f, names[f],
				     f == FAM_DISK   ? HIST_LAT | HIST_DEV
				     : f == FAM_HOST ? HIST_RUNQ
						     : 0);
		assert_non_null(row);
		for (int m = 0; m < M_COUNT; m++)
			if (metrics[m].family == (enum metric_family)f)
				second_set(row, m, 2);
		if (row->lat) {
			row->lat->n[OP_READ][0][20] = 7;
			row->dev->n[OP_WRITE][2][200] = 3;
		}
		if (row->runq)
			row->runq->n[0] = 9;
	}
}

static inline int count(const char *text, const char *what)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

#endif
