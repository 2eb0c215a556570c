// SPDX-License-Identifier: BSD-2-Clause
/* source.h: sources that are left out, each with its reason. */
#include "source_bad.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/text_clean.h"

int source_leave_out(struct sources *s, const char *path, const char *server, const char *why)
{
	struct source_bad *at = array_add(&s->bad, &s->n_bad);

	if (!at)
		return -ENOMEM;
	*at = (struct source_bad){.path = path ? strdup(path) : NULL, .why = strdup(why)};
	snprintf(at->server, sizeof(at->server), "%s", server);
	if ((path && !at->path) || !at->why) {
		free(at->path);
		free(at->why);
		s->n_bad--;
		return -ENOMEM;
	}
	if (path)
		text_clean(at->path);
	text_clean(at->why);
	return s->strict ? -EBADMSG : 0;
}

int source_note(struct sources *s, const char *fmt, ...)
{
	struct text line TEXT_SCOPED = {0};
	va_list ap;

	va_start(ap, fmt);
	text_vadd(&line, fmt, ap);
	va_end(ap);
	if (line.failed)
		return -ENOMEM;
	warn("%s", text_clean(line.at));
	text_add(&s->notes, "%s\n", line.at);
	return s->notes.failed ? -ENOMEM : 0;
}

int sources_drop(struct sources *s, size_t i, const char *fmt, ...)
{
	struct source_file f = s->at[i];
	char why[400];
	va_list ap;
	int err;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	memmove(&s->at[i], &s->at[i + 1], (s->n - i - 1) * sizeof(*s->at));
	s->n--;
	/* found while it was read, or by what it says */
	if (f.why)
		fail("cannot read '%s': %s; '%s' is left out", f.path, why, f.host);
	else
		fail("'%s' is left out: %s", f.path, why);
	err = source_leave_out(s, f.path, f.host, why);
	free(f.path);
	free(f.why);
	return err;
}

static int pass(void *arg, const struct series_time *t, const struct second_row *row)
{
	(void)arg;
	(void)t;
	(void)row;
	return 0;
}

int sources_verify(struct sources *s, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < s->n; i++) {
		struct source_file *f = &s->at[i];
		struct series_reader *r = NULL;
		int err;

		if (f->why || !f->seconds || f->last_ns < from_ns || f->first_ns >= to_ns)
			continue;
		err = series_reader_new(&r, f->path);
		if (!err)
			err = series_reader_rows(r, from_ns, to_ns, SERIES_ALL,
						 HIST_LAT | HIST_DEV | HIST_RUNQ, pass, NULL);
		series_reader_free(r);
		if (err == -ENOMEM)
			return err;
		/* a writer that came meanwhile does no harm */
		if (err && err != -ESTALE && !(f->why = strdup(series_error())))
			return -ENOMEM;
	}
	return 0;
}

ssize_t sources_drop_unreadable(struct sources *s)
{
	ssize_t dropped = 0;
	int err = 0;

	for (size_t i = s->n; i && !err; i--) {
		char why[400];

		if (!s->at[i - 1].why)
			continue;
		source_reason(s->at[i - 1].why, s->at[i - 1].path, why, sizeof(why));
		err = sources_drop(s, i - 1, "%s", why);
		dropped++;
	}
	if (!err && dropped && !s->n)
		err = -EBADMSG;
	return err ?: dropped;
}
