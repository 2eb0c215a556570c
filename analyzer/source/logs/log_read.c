// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: files as lines, parts or wholes for their source, whether they are complete or still grow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* Read at a time: large enough that reading costs little, small enough for many logs at once. */
enum { CHUNK = 1 << 18 };

static bool usable(const struct open_log *o)
{
	return !o->stopped && !o->log.s->reading->err;
}

/* What a source returned. */
static void heed(struct open_log *o, int err)
{
	if (err == -ENOMEM)
		reading_failed(o->log.s);
	o->stopped |= err != 0;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static void take_line(struct open_log *o, char *line, size_t len)
{
	struct log *l = &o->log;

	l->line_number++;
	l->s->counts.lines++;
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = 0;
	if (len > LOG_LINE_MAX) {
		l->s->counts.overlong++;
		return;
	}
	if (o->nul && memchr(line, 0, len)) {
		l->s->counts.junk++;
		return;
	}
	heed(o, l->source->line(l, line, len));
}

/* The rest of buf has no newline, and more may come: it is kept, unless it is too long. */
static void keep(struct open_log *o, size_t left)
{
	if (!o->skipping && left <= LOG_LINE_MAX) {
		o->looked = left;
		return;
	}
	if (!o->skipping) {
		o->log.line_number++;
		o->log.s->counts.lines++;
		o->log.s->counts.overlong++;
	}
	o->skipping = true;
	o->at = o->end;
	o->looked = 0;
}

/* The lines that are there; at the end of the file also the one that has no end. */
static void take_lines(struct open_log *o, bool last)
{
	while (o->at < o->end && usable(o)) {
		char *line = o->buf + o->at;
		size_t left = o->end - o->at;
		/* what was looked at before has no newline */
		char *nl = memchr(line + o->looked, '\n', left - o->looked);

		if (!nl && !last) {
			keep(o, left);
			return;
		}
		o->log.offset = o->before + o->at;
		o->log.cut = !nl;
		o->at += nl ? (size_t)(nl - line) + 1 : left;
		o->looked = 0;
		if (!o->skipping)
			take_line(o, line, nl ? (size_t)(nl - line) : left);
		o->skipping = false;
	}
}

void log_take(struct open_log *o, bool last)
{
	struct log *l = &o->log;

	if (!usable(o)) /* it could not be opened, say */
		return;
	if (l->source->line) {
		take_lines(o, last);
	} else if (l->source->part && o->at < o->end) {
		l->offset = o->before + o->at;
		heed(o, l->source->part(l, o->buf + o->at, o->end - o->at));
		o->at = o->end;
	} else if (l->source->whole && last) {
		l->offset = 0;
		heed(o, l->source->whole(l, (unsigned char *)o->buf, o->end));
		o->at = o->end;
	}
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

/* Whose it is, once there is enough to tell. */
static void identify(struct open_log *o, bool last)
{
	struct log *l = &o->log;
	size_t n = o->end < LOG_HEAD ? o->end : LOG_HEAD;
	char kept, *nl;

	if (l->source || !n || (o->end < LOG_HEAD && !last && !memchr(o->buf, '\n', o->end)))
		return;
	nl = n == LOG_HEAD ? memrchr(o->buf, '\n', n) : NULL;
	n = nl ? (size_t)(nl - o->buf) + 1 : n;
	kept = o->buf[n];
	o->buf[n] = 0;
	l->source = log_source_of(o->buf, n);
	o->buf[n] = kept;
	if (l->source) {
		log_zone(o);
		l->own = calloc(1, l->source->own_size ?: 1);
		o->opened = l->own;
		heed(o, !l->own ? -ENOMEM : l->source->open ? l->source->open(l) : 0);
	} else if (o->end >= LOG_HEAD) {
		o->stopped = true;
	}
}

/* Room for CHUNK more; what was taken goes. */
static int make_room(struct open_log *o)
{
	size_t cap = o->cap ? o->cap : 2 * CHUNK;
	char *buf;

	if (o->at) {
		memmove(o->buf, o->buf + o->at, o->end - o->at);
		o->before += o->at;
		o->end -= o->at;
		o->at = 0;
	}
	while (cap - o->end < CHUNK)
		cap *= 2;
	if (o->log.source && o->log.source->whole && o->end >= LOG_WHOLE_MAX) {
		log_note(&o->log, "it is larger than %zu bytes", LOG_WHOLE_MAX);
		return -EFBIG;
	}
	if (cap == o->cap)
		return 0;
	buf = realloc(o->buf, cap + 1);
	if (!buf) {
		reading_failed(o->log.s);
		return -ENOMEM;
	}
	o->buf = buf;
	o->cap = cap;
	return 0;
}

static void remember(struct open_log *o, const char *bytes, size_t n)
{
	size_t kept = n < LOG_LAST ? LOG_LAST - n : 0;

	kept = kept < o->n_last ? kept : o->n_last;
	n = n < LOG_LAST ? n : (bytes += n - LOG_LAST, (size_t)LOG_LAST);
	memmove(o->last, o->last + o->n_last - kept, kept);
	memcpy(o->last + kept, bytes, n);
	o->n_last = kept + n;
}

/* One more chunk: 1, 0 there is none now, negative errno. */
static int read_chunk(struct open_log *o)
{
	int err = make_room(o);
	ssize_t got;

	if (err)
		return err;
	got = log_bytes_read(o->bytes, o->buf + o->end, CHUNK);
	if (got == -EBADMSG)
		log_note(&o->log,
			 "the compressed file is cut off or damaged: it is read up to there");
	if (got <= 0)
		return (int)got;
	o->nul = memchr(o->buf + o->end, 0, (size_t)got) || (o->nul && o->end);
	remember(o, o->buf + o->end, (size_t)got);
	o->end += (size_t)got;
	return 1;
}

int log_some(struct log *l, size_t *most)
{
	struct open_log *o = (struct open_log *)l;
	int got = 0, err = 0;

	if (usable(o) && !o->bytes) /* it rests: on where it was */
		o->bytes = log_bytes_open_at(o->path, o->before + o->end, &err);
	if (err)
		return err;
	while (usable(o) && *most && (got = read_chunk(o)) > 0) {
		*most -= *most < CHUNK ? *most : CHUNK;
		identify(o, false);
		if (l->source)
			log_take(o, false);
	}
	if (got < 0)
		o->stopped = true;
	if (l->s->reading->err)
		return l->s->reading->err;
	/* what its source refuses, or is damaged, was noted */
	return got == -EBADMSG || got == -EFBIG || !usable(o) ? 0 : got;
}

int log_more(struct log *l)
{
	size_t all = SIZE_MAX;

	return log_some(l, &all);
}

/* ---- files ----------------------------------------------------------------------------------------- */

int log_named(struct open_log *o, const char *path)
{
	struct states *s = o->log.s;
	size_t had = s->files.n;
	char *copy = strdup(path);
	int64_t file;

	o->stem = log_stem(s, path);
	file = copy ? names_add(&s->files, path) : -1;
	if (file < 0 || o->stem == STATE_NONE) {
		free(copy);
		return copy && errno == E2BIG ? -E2BIG : -ENOMEM;
	}
	free(o->path);
	o->log.path = o->path = copy;
	if (s->files.n > had && array_extend(&s->reading->stem_of, had, had + 1))
		return -ENOMEM;
	s->reading->stem_of[file] = o->stem;
	o->log.file = (uint32_t)file;
	return 0;
}

struct log *log_open(struct states *s, const char *path, int *err)
{
	struct open_log *o = reading_of(s) ? calloc(1, sizeof(*o)) : NULL;

	*err = -ENOMEM;
	if (!o)
		return NULL;
	o->log = (struct log){.s = s, .node = STATE_NONE};
	o->bytes = log_bytes_open(path, err);
	*err = o->bytes ? log_named(o, path) : *err;
	if (!*err) {
		o->next = s->reading->logs;
		s->reading->logs = o;
		return &o->log;
	}
	log_bytes_close(o->bytes);
	free(o->path);
	free(o);
	return NULL;
}

/* Task and history may say the end of one so far apart. */
#define ZONE_SAME_NS (2 * 60 * NS_PER_S)

/* For states_zone(): by how much all its ends lie beside those that a history says. */
static void keep_apart(const struct open_log *o, int64_t quarters)
{
	struct stem *stem = &o->log.s->reading->stem[o->stem];
	int16_t n = (int16_t)(llabs(quarters) < INT16_MAX ? quarters : INT16_MAX);

	for (size_t i = 0; i < o->n_apart; i++)
		if (llabs(o->apart[i] - quarters * ZONE_QUARTER_NS) > ZONE_SAME_NS)
			n = INT16_MAX;
	stem->quarters = stem->ends && stem->quarters != n ? INT16_MAX : n;
	stem->ends = (uint8_t)(stem->ends + o->n_apart < UINT8_MAX ? stem->ends + o->n_apart
								   : UINT8_MAX);
}

/* Whether its ends lie by whole quarters of an hour from those that a history says: its zone, then. */
static void tell_zone(struct open_log *o)
{
	const struct log *l = &o->log;
	int64_t apart, zone;

	if (!o->n_apart || !l->source->local_time)
		return;
	sort(o->apart, o->n_apart, by_int64);
	apart = o->apart[o->n_apart / 2];
	apart = (apart + (apart < 0 ? -ZONE_QUARTER_NS : ZONE_QUARTER_NS) / 2) / ZONE_QUARTER_NS;
	zone = o->zone_ns / ZONE_QUARTER_NS + apart; /* in quarters */
	keep_apart(o, apart);
	if (apart)
		log_note(&o->log,
			 "its times are %+.2f h beside those of the jobs' history: '--zone "
			 "%s%s%c%02d:%02d' joins them",
			 (double)apart / 4, l->node == STATE_NONE ? "" : l->s->nodes.at[l->node],
			 l->node == STATE_NONE ? "" : "=", zone < 0 ? '-' : '+', abs((int)zone) / 4,
			 abs((int)zone) % 4 * 15);
}

/* What is left of it goes to its source, and then it is no more among those that are open. */
static int finish(struct open_log *o)
{
	struct log *l = &o->log;

	identify(o, true);
	if (!l->source)
		return o->before + o->end ? -EINVAL : -ENODATA;
	if (o->bytes && log_bytes_cut(o->bytes) && !o->stopped)
		log_note(l, "the compressed file is cut off: it is read up to there");
	if (usable(o))
		log_take(o, true);
	if (usable(o) && l->source->end)
		heed(o, l->source->end(l));
	if (o->opened && l->source->close)
		l->source->close(l);
	free(l->own);
	tell_zone(o);
	return l->s->reading->err;
}

int log_close(struct log *l)
{
	struct open_log *o = (struct open_log *)l, **at;
	int err;

	if (!l)
		return 0;
	err = finish(o);
	at = &l->s->reading->logs;
	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	for (size_t i = 0; i < l->s->reading->n_no_peer; i++)
		if (l->s->reading->no_peer[i].by == o)
			l->s->reading->no_peer[i].by = NULL;
	log_bytes_close(o->bytes);
	free(o->path);
	free(o->buf);
	free(o);
	return err;
}

int states_read(struct states *s, const char *path)
{
	int err, more = 0;
	struct log *l = log_open(s, path, &err);

	if (l) {
		more = log_more(l);
		err = log_close(l);
	}
	err = more ? more : err;
	if (err == -EINVAL)
		fail("'%s' is no log of jobs that limpet knows", path);
	else if (err == -ENODATA)
		fail("'%s' is empty", path);
	else if (err)
		fail("cannot read '%s': %s", path, strerror(-err));
	return err;
}

bool states_is_log(const char *path)
{
	int err;
	struct log_bytes *bytes = log_bytes_open(path, &err);
	char *head = bytes ? malloc(LOG_HEAD + 1) : NULL, *nl;
	size_t n = 0;
	ssize_t got;
	bool is = false;

	while (head && n < LOG_HEAD && (got = log_bytes_read(bytes, head + n, LOG_HEAD - n)) > 0)
		n += (size_t)got;
	if (n) {
		nl = n == LOG_HEAD ? memrchr(head, '\n', LOG_HEAD) : NULL;
		n = nl ? (size_t)(nl - head) + 1 : n;
		head[n] = 0;
		is = log_source_of(head, n);
	}
	log_bytes_close(bytes);
	free(head);
	return is;
}
