// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: logs between two looks, renamed, copied and begun anew. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Of its file: what was read. */
static uint64_t taken(const struct open_log *o)
{
	return o->before + o->end;
}

void log_rest(struct log *l)
{
	struct open_log *o = (struct open_log *)l;
	size_t left = o->end - o->at;
	char *rest;

	if (!o->bytes || !log_bytes_plain(o->bytes))
		return;
	log_bytes_close(o->bytes);
	o->bytes = NULL;
	/* as a rule it is the begin of a line, or nothing */
	rest = left ? malloc(left + 1) : NULL;
	if (left && !rest)
		return;
	if (left)
		memcpy(rest, o->buf + o->at, left);
	free(o->buf);
	o->buf = rest;
	o->before += o->at;
	o->at = 0;
	o->end = o->cap = left;
}

bool log_rests(const struct log *l)
{
	return !((const struct open_log *)l)->bytes;
}

/* What began in its begin may have ended in what is passed over. */
static void drop_open(struct log *l)
{
	for (size_t i = 0; i < l->s->n; i++) {
		const struct state *x = &l->s->at[i];

		if (x->file == l->file && x->outcome == OUTCOME_OPEN && x->kind != STATE_DEAD)
			state_drop(l, (enum state_kind)x->kind, x->id);
	}
}

int log_late(struct log *l, uint64_t size, uint64_t most)
{
	struct open_log *o = (struct open_log *)l;
	size_t begin = LOG_HEAD;
	int err = size > most ? log_some(l, &begin) : 0;

	if (err < 0 || size <= most || !l->source || !l->source->by_lines || o->stopped ||
	    !o->bytes || !log_bytes_plain(o->bytes) || taken(o) >= size - most)
		return err < 0 ? err : 0;
	log_note(l, "%" PRIu64 " MiB of it were written before it was watched and are passed over",
		 (size - most - taken(o)) >> 20);
	log_bytes_close(o->bytes);
	o->bytes = log_bytes_open_at(o->path, size - most, &err);
	if (!o->bytes)
		return err;
	o->before = size - most;
	o->at = o->end = o->looked = o->n_last = 0;
	o->skipping = true; /* the rest of a line */
	drop_open(l);
	return 0;
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
