/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of tables share: a folder, texts in it, tables read with what was said on the way. */
#ifndef LIMPET_TEST_TABLE_UTIL_H
#define LIMPET_TEST_TABLE_UTIL_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/tables/internal.h"

static char folder[64];
static char said[4096]; /* what the last read_…() printed on stderr */

static inline int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/limpet-table.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static inline const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline const char *put(const char *name, const void *text, size_t len)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Reads with stderr in `said`. */
static inline int quietly(struct table *t, const char *path, const struct table_opts *o,
			  bool finish)
{
	char log[300];
	int old = dup(STDERR_FILENO), fd, err;
	ssize_t n;

	snprintf(log, sizeof(log), "%s/log", folder);
	fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(old >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	err = path ? table_read(t, path, o) : 0;
	if (!err && finish)
		err = table_finish(t, o);
	dup2(old, STDERR_FILENO);
	close(old);
	n = pread(fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = 0;
	close(fd);
	return err;
}

static inline int read_text(struct table *t, const char *text, const struct table_opts *o)
{
	*t = (struct table){0};
	return quietly(t, put("x.csv", text, strlen(text)), o, true);
}

/* The value of node, instance, metric at a time in seconds; NAN: there is none. */
static inline double value(const struct table *t, const char *node, const char *instance,
			   const char *metric, double time)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct sample *s = &t->at[i];

		if (!strcmp(t->nodes.at[s->node], node) &&
		    !strcmp(t->instances.at[s->instance], instance) &&
		    !strcmp(t->metrics.at[s->metric], metric) && s->time_ns == llround(time * 1e9))
			return s->value;
	}
	return NAN;
}

#define ok(t, text, o) assert_int_equal(read_text(t, text, o), 0)
#define value_is(t, node, instance, metric, time, want) \
	assert_true(value(t, node, instance, metric, time) == (want))

/* Refused, with these words, and without a leak (the sanitizers look). */
static inline void bad(const char *text, const struct table_opts *o, const char *words)
{
	struct table t;

	assert_true(read_text(&t, text, o) < 0);
	if (!strstr(said, words))
		fail_msg("'%s' is not in: %s", words, said);
	table_release(&t);
}

static const struct table_opts none;

#endif
