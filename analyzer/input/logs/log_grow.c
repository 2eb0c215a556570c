// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: logs between two looks, renamed, copied and begun anew. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log_parts.h"

/* Of its file: what was read. */
static uint64_t taken(const struct open_log *o)
{
	return o->before + o->end;
}

void log_rest(struct log *l)
{
	struct open_log *o = (struct open_log *)l;
	size_t left = o->end - o->at;

	if (!o->bytes || !log_bytes_plain(o->bytes))
		return;
	log_bytes_close(o->bytes);
	o->bytes = NULL;
	/* as a rule it is the begin of a line, or nothing */
	if (o->buf && left) {
		char *rest = malloc(left + 1);

		if (!rest)
			return;
		memcpy(rest, o->buf + o->at, left);
		free(o->buf);
		o->buf = rest;
	} else {
		free(o->buf);
		o->buf = NULL;
	}
	o->before += o->at;
	o->at = 0;
	o->end = o->cap = left;
}

bool log_rests(const struct log *l)
{
	return !((const struct open_log *)l)->bytes;
}

int log_wake(struct open_log *o)
{
	int err = 0;

	if (!o->bytes)
		o->bytes = log_bytes_open_at(o->path, taken(o), &err);
	return err;
}

bool log_in(const struct log *l, const char *path)
{
	const struct open_log *o = (const struct open_log *)l;
	char bytes[LOG_LAST];
	size_t n = 0;
	ssize_t got = 1;
	int err;
	struct log_bytes *b = log_bytes_open_at(path, taken(o) - o->n_last, &err);

	while (b && n < o->n_last && (got = log_bytes_read(b, bytes + n, o->n_last - n)) > 0)
		n += (size_t)got;
	log_bytes_close(b);
	return b && got > 0 && !memcmp(bytes, o->last, n);
}

int log_moved(struct log *l, const char *path)
{
	struct open_log *o = (struct open_log *)l;
	int err = log_named(o, path);

	/* of what is compressed now, or no more, the file is another one */
	if (!err && o->bytes && log_bytes_plain(o->bytes)) {
		log_bytes_close(o->bytes);
		o->bytes = NULL;
	}
	return err;
}

int log_next(struct log *l, const char *path, bool joined)
{
	struct open_log *o = (struct open_log *)l;
	int err;

	if (!joined && l->source && !o->stopped)
		log_take(o, true);
	if (!joined)
		o->at = o->end = o->looked = o->skipping = 0;
	err = log_named(o, path);
	if (err)
		return err;
	log_bytes_close(o->bytes);
	o->bytes = log_bytes_open(path, &err);
	o->before = -(uint64_t)o->end; /* modulo: the next byte is the file's first */
	o->n_last = 0;
	return o->bytes ? 0 : err;
}
