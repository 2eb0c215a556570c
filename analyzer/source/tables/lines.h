/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of which each line is a record: a file that may be compressed, its fields, and the numbers and times in them. */
#ifndef LIMPET_INPUT_LINES_H
#define LIMPET_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

/* Which comes first in dates such as 11/21/2026: one of a file tells it of the others. Dotted: 21.11.2026. */
enum time_order { TIME_ORDER_UNKNOWN, TIME_DAY_FIRST, TIME_MONTH_FIRST, TIME_DOTTED };

struct lines {
	gzFile gz; /* reads what is not gzip's as it is */
	struct unpack *unpack;
	unsigned char *packed; /* for it, a buffer */
	const unsigned char *in;
	size_t n_in;	  /* of that what it has not taken */
	bool known;	  /* whether it is needed */
	bool piped;	  /* it cannot be opened again by its name */
	const char *name; /* of the file, for messages; "standard input" */
	char *buf;
	size_t at, end; /* what is read and not yet taken */
	bool eof;
	bool unfinished; /* the last record had no end of line: it is the file's last */
	bool whole;	 /* a record is a line, whatever quotes it has */
	char sep;	 /* 0 until the header is split */
	enum time_order order;
	const char *hint; /* behind what is no time; NULL: nothing */
	bool local;	  /* a date and time had no zone */
	uint64_t line;	  /* number of the line the last record begins on, from 1 */
	uint64_t next;	  /* of the line after it */
};

struct field {
	char *s; /* ends with NUL */
	size_t len;
	bool quoted;
};

/* Takes fd, whatever happens. 0 or -ENOMEM; to be closed in either case. */
int lines_open(struct lines *l, const char *name, int fd);
/* Ends with an error if what was read was cut off or damaged: 0, or negative errno after a message. */
int lines_close(struct lines *l);

/* Whether the file is compressed; known once something was read. */
bool lines_packed(const struct lines *l);

/* Fills the buffer and shows how it begins, without taking it. 0, or negative errno after a message. */
int lines_peek(struct lines *l, const unsigned char **head, size_t *n);

/*
 * The next record that is not empty, split into at most `max` fields, valid until the next call: how
 * many, 0 at the end, or negative errno after a message.
 */
ssize_t lines_next(struct lines *l, struct field *f, size_t max);

/*
 * The next line that is not empty, whatever quotes it has, ended with NUL and valid until the next call: 1,
 * 0 at the end, or negative errno after a message. A file is read by this or by lines_next().
 */
int lines_whole(struct lines *l, char **text, size_t *len);

/* What is there and was not taken, up to the end of what was read: how many bytes, valid until the next call; 0 at the end, or
 * negative errno after a message. A file that is read so has its lines counted by the caller. */
ssize_t lines_bytes(struct lines *l, char **at);

/* Prints "'FILE' line N: MESSAGE" and returns -EINVAL. */
int lines_bad(const struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- table_number.c, table_time.c ------------------------------------------------------------- */

enum number { NUMBER_TEXT, NUMBER_MISSING, NUMBER_VALUE };

/* What a field holds; a value is exactly what strtod() makes of it in the C locale, or infinite. */
enum number number_parse(const char *s, size_t len, double *v);

/* A time as table.h says. 0, -EINVAL, or -EDOM: nobody knows which number is the month. */
int time_parse(const char *s, size_t len, enum time_order *order, int64_t *ns);
/* The same, with a message. 0 or -EINVAL. */
int lines_time(struct lines *l, const char *s, size_t len, int64_t *ns);

#endif
