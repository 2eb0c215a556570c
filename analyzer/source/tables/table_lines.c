// SPDX-License-Identifier: BSD-2-Clause
/* Text, compressed or not, as records of fields: RFC 4180 with commas, semicolons or tabs. */

#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unpack.h"

/* One line of the greatest length, and enough to read at a time. */
enum { BUFFER = TABLE_LINE_MAX + (1 << 18) };

/* A MiB of xz may become GiBs of empty lines; a table is never so many times longer than what it was packed into [D]. Of gzip
 * it cannot be: it packs no denser. */
enum { TIMES_MOST = 1000 };

int lines_open(struct lines *l, const char *name, int fd)
{
	*l = (struct lines){.name = name, .next = 1};
	l->buf = malloc(BUFFER + 1);
	l->gz = l->buf ? gzdopen(fd, "rb") : NULL;
	if (!l->gz) {
		close(fd);
		return -ENOMEM;
	}
	gzbuffer(l->gz, 1 << 17);
	return 0;
}

bool lines_packed(const struct lines *l)
{
	return l->unpack || !gzdirect(l->gz);
}

static int packed_failed(const struct lines *l, const char *why)
{
	return fail("'%s' line %llu: the compressed file is cut off or damaged (%s)", l->name,
		    (unsigned long long)l->next, why);
}

/* A file cut off in the middle gives what there is, and only then says so. */
static int read_failed(const struct lines *l)
{
	int code;
	const char *why = gzerror(l->gz, &code), *after = strstr(why, ">: ");

	if (code != Z_ERRNO)
		return packed_failed(l, after ? after + 3 : why); /* "<fd:3>: …" */
	code = errno ? errno : EIO;
	fail("cannot read '%s': %s", l->name, strerror(code));
	return -code;
}

/* Bytes of the file, of which gzip is undone. */
static ssize_t lines_raw(struct lines *l, void *to, size_t room)
{
	int got, code = Z_OK;

	errno = 0;
	got = gzread(l->gz, to, (unsigned int)room);
	if (got == 0)
		gzerror(l->gz, &code);
	return got < 0 || code == Z_BUF_ERROR ? read_failed(l) : got;
}

/* The first bytes are those of another program: it is to undo them, and what follows. */
static int lines_unpack(struct lines *l, const unsigned char *head, size_t n)
{
	l->unpack = unpack_new(head, n, TIMES_MOST);
	l->packed = l->unpack ? malloc(BUFFER) : NULL;
	if (!l->packed)
		return -ENOMEM;
	memcpy(l->packed, head, n);
	l->in = l->packed;
	l->n_in = n;
	return 0;
}

static ssize_t lines_read(struct lines *l, void *to, size_t room)
{
	ssize_t got;

	if (!l->known) {
		got = lines_raw(l, to, room);
		l->known = true;
		if (got <= 0 || !gzdirect(l->gz) || !unpack_name(to, (size_t)got))
			return got;
		if (lines_unpack(l, to, (size_t)got))
			return -ENOMEM;
	}
	if (!l->unpack)
		return lines_raw(l, to, room);
	while (!(got = unpack(l->unpack, &l->in, &l->n_in, to, room))) {
		got = lines_raw(l, l->packed, BUFFER);
		if (!got && !unpack_between(l->unpack))
			return packed_failed(l, "unexpected end of file");
		if (got <= 0)
			return got;
		l->in = l->packed;
		l->n_in = (size_t)got;
	}
	if (got != -EBADMSG)
		return got;
	return fail("'%s' line %llu: the compressed file cannot be read: %s", l->name,
		    (unsigned long long)l->next, unpack_why(l->unpack));
}

/* More text; what was not taken moves to the front. */
static int lines_fill(struct lines *l)
{
	ssize_t got;

	memmove(l->buf, l->buf + l->at, l->end - l->at);
	l->end -= l->at;
	l->at = 0;
	got = lines_read(l, l->buf + l->end, BUFFER - l->end);
	if (got < 0)
		return (int)got;
	l->eof = got == 0;
	l->end += (size_t)got;
	return 0;
}

int lines_close(struct lines *l)
{
	int code = l->gz ? gzclose_r(l->gz) : Z_OK;

	unpack_free(l->unpack);
	free(l->packed);
	free(l->buf);
	if (code == Z_OK || !l->eof)
		return 0;
	return fail("'%s': the compressed file is cut off or damaged", l->name);
}

int lines_peek(struct lines *l, const unsigned char **head, size_t *n)
{
	int err = 0;

	while (!l->eof && l->end < 4096 && !err)
		err = lines_fill(l);
	*head = (const unsigned char *)l->buf;
	*n = l->end < 4096 ? l->end : 4096;
	return err;
}

int lines_bad(const struct lines *l, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return fail("'%s' line %llu: %s", l->name, (unsigned long long)l->line, message);
}

static bool separates(const struct lines *l, char c)
{
	return l->sep ? c == l->sep : c == ',' || c == ';' || c == '\t';
}

/*
 * Where the record that begins at `from` ends (its newline), or NULL if it is not all here. A quote
 * opens only at the beginning of a field, and only quoted fields hold newlines.
 */
static char *record_end(struct lines *l, char *from, char *end, uint64_t *newlines)
{
	char *nl = memchr(from, '\n', (size_t)(end - from));
	enum { BEGIN, PLAIN, OPEN, CLOSED } in = BEGIN;

	*newlines = 1;
	if (l->whole || !memchr(from, '"', (size_t)((nl ? nl : end) - from)))
		return nl;
	*newlines = 0;
	for (char *p = from; p < end; p++) {
		*newlines += *p == '\n';
		if (in == OPEN)
			in = *p == '"' ? CLOSED : OPEN;
		else if (*p == '\n')
			return p;
		else if (*p == '"' && in != PLAIN)
			in = OPEN; /* a doubled one closes and opens again */
		else if (separates(l, *p))
			in = BEGIN;
		else if (*p != ' ' || in != BEGIN)
			in = PLAIN;
	}
	return NULL;
}

/* The next record as bytes, without its end of line, ended with NUL: 1, 0 at the end, < 0. */
static int next_record(struct lines *l, char **record, size_t *len)
{
	uint64_t newlines = 1;
	char *nl;
	int err;

	while (!(nl = record_end(l, l->buf + l->at, l->buf + l->end, &newlines)) && !l->eof) {
		l->line = l->next;
		if (l->end - l->at > TABLE_LINE_MAX)
			return lines_bad(l, "longer than %d bytes", TABLE_LINE_MAX);
		err = lines_fill(l);
		if (err)
			return err;
	}
	l->line = l->next;
	l->next += newlines;
	if (!nl && l->at == l->end)
		return 0;
	l->unfinished = !nl;
	*record = l->buf + l->at;
	*len = (size_t)((nl ? nl : l->buf + l->end) - *record);
	l->at = nl ? (size_t)(nl + 1 - l->buf) : l->end;
	if (*len > TABLE_LINE_MAX)
		return lines_bad(l, "longer than %d bytes", TABLE_LINE_MAX);
	if (*len && (*record)[*len - 1] == '\r')
		--*len;
	(*record)[*len] = 0;
	return memchr(*record, 0, *len) ? lines_bad(l, "this is no text: it holds a NUL byte") : 1;
}

/* Whichever stands most often outside of quotes; of those that stand as often, the first. */
static char separator(const char *s, size_t len)
{
	static const char seps[] = ",;\t";
	size_t n[3] = {0}, best = 0;
	bool open = false;

	for (size_t i = 0; i < len; i++) {
		open ^= s[i] == '"';
		for (size_t k = 0; k < 3 && !open; k++)
			n[k] += s[i] == seps[k];
	}
	for (size_t k = 1; k < 3; k++)
		if (n[k] > n[best])
			best = k;
	return seps[best];
}

/* The text of a quoted field from its quote on, without quotes, in place; NULL: it is not closed. */
static char *unquote(char *s, char *end, struct field *f)
{
	char *to = s, *p = s + 1;

	for (; p < end; p++) {
		if (*p == '"') {
			if (p + 1 == end || p[1] != '"')
				break;
			p++;
		}
		*to++ = *p;
	}
	if (p == end)
		return NULL;
	*f = (struct field){s, (size_t)(to - s), true};
	return p + 1;
}

static void plain(char *s, char *end, struct field *f)
{
	while (s < end && *s == ' ')
		s++;
	while (end > s && end[-1] == ' ')
		end--;
	*f = (struct field){s, (size_t)(end - s), false};
}

static ssize_t split(const struct lines *l, char *s, size_t len, struct field *f, size_t max)
{
	char *end = s + len, *stop;
	size_t n = 0;

	for (;; s = stop + 1) {
		char *quote = s;

		if (n == max)
			return lines_bad(l, "more than %zu fields", max);
		while (quote < end && *quote == ' ')
			quote++;
		if (quote < end && *quote == '"') {
			stop = unquote(quote, end, &f[n]);
			if (!stop)
				return lines_bad(l, "a quote is not closed");
			while (stop < end && *stop == ' ')
				stop++;
			if (stop < end && *stop != l->sep)
				return lines_bad(l, "text after a closing quote");
		} else {
			stop = strchrnul(s,
					 l->sep); /* the record holds no NUL, and ends with one */
			plain(s, stop, &f[n]);
		}
		f[n].s[f[n].len] = 0;
		n++;
		if (stop == end)
			return (ssize_t)n;
	}
}

/* As lines_whole(), of records. */
static int next(struct lines *l, char **record, size_t *len)
{
	size_t skip;
	int got;

	do {
		got = next_record(l, record, len);
		if (got <= 0)
			return got;
		/* The byte order mark that some programs begin UTF-8 with. */
		skip = l->line == 1 && *len >= 3 && !memcmp(*record, "\xef\xbb\xbf", 3) ? 3 : 0;
		*record += skip;
		*len -= skip;
	} while (strspn(*record, " ") == *len);
	return 1;
}

ssize_t lines_next(struct lines *l, struct field *f, size_t max)
{
	char *record = NULL;
	size_t len = 0;
	int got = next(l, &record, &len);

	if (got <= 0)
		return got;
	if (!l->sep)
		l->sep = separator(record, len);
	return split(l, record, len, f, max);
}

int lines_whole(struct lines *l, char **text, size_t *len)
{
	l->whole = true;
	return next(l, text, len);
}

ssize_t lines_bytes(struct lines *l, char **at)
{
	int err = l->at == l->end && !l->eof ? lines_fill(l) : 0;

	*at = l->buf + l->at;
	l->at = l->end;
	return err ?: l->buf + l->end - *at;
}
