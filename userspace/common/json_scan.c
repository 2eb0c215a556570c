// SPDX-License-Identifier: BSD-2-Clause
/* json_scan.h: a walk over JSON in memory. */
#include "json_scan.h"

#include <errno.h>

#include "json_pass.h"

struct json_scan json_scan(const char *text, size_t len)
{
	return (struct json_scan){.at = text, .end = text + len};
}

static bool bad(struct json_scan *j)
{
	j->bad = true;
	j->at = j->end;
	return false;
}

static void blanks(struct json_scan *j)
{
	while (j->at < j->end &&
	       (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
		j->at++;
}

char scan_next(struct json_scan *j)
{
	char c;

	blanks(j);
	c = j->at < j->end ? *j->at : '\0';
	return c >= '0' && c <= '9' ? '0' : c;
}

/* ---- passing over ------------------------------------------------------------------------------- */

bool scan_value(struct json_scan *j, struct json_part *v)
{
	const char *to;
	char c = scan_next(j);

	if (c == '"') {
		to = json_string_end(j->at + 1, j->end);
		to = to ? to + 1 : NULL;
	} else if (c == '{' || c == '[') {
		to = json_nested_end(j->at, j->end);
	} else {
		to = json_plain_end(j->at, j->end);
	}
	if (!to || to == j->at)
		return bad(j);
	*v = (struct json_part){j->at, (size_t)(to - j->at)};
	j->at = to;
	return true;
}

void scan_skip(struct json_scan *j)
{
	struct json_part v;

	scan_value(j, &v);
}

/* ---- going in ----------------------------------------------------------------------------------- */

bool scan_enter(struct json_scan *j, char bracket)
{
	if (scan_next(j) != bracket) {
		scan_skip(j);
		return false;
	}
	j->at++;
	j->first = true;
	return true;
}

/* The comma before the next one, or the bracket that closes. */
static bool another(struct json_scan *j, char closes)
{
	bool first = j->first;
	char c = scan_next(j);

	j->first = false;
	if (c == closes) {
		j->at++;
		return false;
	}
	if (first)
		return c ? true : bad(j);
	if (c != ',')
		return bad(j);
	j->at++;
	return true;
}

bool scan_element(struct json_scan *j)
{
	return another(j, ']');
}

bool scan_key(struct json_scan *j, struct json_part *key)
{
	const char *to;

	if (!another(j, '}'))
		return false;
	if (scan_next(j) != '"')
		return bad(j);
	to = json_string_end(j->at + 1, j->end);
	if (!to)
		return bad(j);
	*key = (struct json_part){j->at + 1, (size_t)(to - j->at - 1)};
	j->at = to + 1;
	if (scan_next(j) != ':')
		return bad(j);
	j->at++;
	return true;
}

/* ---- values ------------------------------------------------------------------------------------- */

bool scan_int(struct json_scan *j, int64_t *v)
{
	struct json_part part;
	bool minus;
	int64_t n = 0;
	size_t i;

	if (!scan_value(j, &part))
		return false;
	minus = *part.at == '-';
	if (part.len == minus)
		return false;
	for (i = minus; i < part.len; i++) {
		int digit = part.at[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_sub_overflow(n, digit, &n)) /* below 0 there is one more */
			return false;
	}
	if (!minus && n == INT64_MIN)
		return false;
	*v = minus ? n : -n;
	return true;
}

bool scan_string(struct json_scan *j, struct json_part *v)
{
	bool is = scan_next(j) == '"';
	struct json_part part;

	if (!scan_value(j, &part) || !is)
		return false;
	*v = (struct json_part){part.at + 1, part.len - 2};
	return true;
}

bool scan_true(struct json_scan *j)
{
	struct json_part v;

	return scan_value(j, &v) && part_is(v, "true");
}

bool scan_end(struct json_scan *j)
{
	return !scan_next(j) && j->at == j->end && !j->bad;
}

static void take_field(struct json_scan *j, const struct json_field *f, void *to)
{
	void *at = (char *)to + f->at;

	switch (f->wanted) {
	case WANT_INT: scan_int(j, at); return;
	case WANT_STRING: scan_string(j, at); return;
	case WANT_VALUE: scan_value(j, at); return;
	case WANT_TRUE: *(bool *)at = scan_true(j); return;
	case WANT_INSIDE: scan_fields(j, f->inside, to); return;
	}
}

void scan_more_fields(struct json_scan *j, const struct json_field *table, void *to)
{
	struct json_part key;

	while (scan_key(j, &key)) {
		const struct json_field *f = table;

		while (f->key && (f->len != key.len || memcmp(f->key, key.at, key.len)))
			f++;
		if (f->key)
			take_field(j, f, to);
		else
			scan_skip(j);
	}
}

bool scan_fields(struct json_scan *j, const struct json_field *table, void *to)
{
	if (!scan_enter(j, '{'))
		return false;
	scan_more_fields(j, table, to);
	return !j->bad;
}

/* ---- text --------------------------------------------------------------------------------------- */

static int hex4(const char *p)
{
	int n = 0;

	for (int i = 0; i < 4; i++) {
		int c = p[i], digit = c >= '0' && c <= '9'   ? c - '0'
				      : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : c >= 'A' && c <= 'F' ? c - 'A' + 10
							     : -1;

		if (digit < 0)
			return -1;
		n = n * 16 + digit;
	}
	return n;
}

/* A character as UTF-8 in to: its bytes; 0: half a pair, or NUL, which no text has. */
static size_t utf8(uint32_t c, char to[4])
{
	if (!c || (c >= 0xd800 && c < 0xe000))
		return 0;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* What the escape at *p stands for, and *p behind it: bytes in to; 0: it is none. */
static size_t unescape(const char **p, const char *end, char to[4])
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *e = *p + 1, *known;
	int c, low;

	if (e == end)
		return 0;
	if (*e != 'u') {
		known = *e ? strchr(from, *e) : NULL;
		*p = e + 1;
		*to = known ? into[known - from] : '\0';
		return known ? 1 : 0;
	}
	c = end - e >= 5 ? hex4(e + 1) : -1;
	if (c < 0)
		return 0;
	*p = e + 5;
	if (c >= 0xd800 && c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
		low = hex4(*p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			*p += 6;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return utf8((uint32_t)c, to);
}

size_t part_text(struct json_part v, char *buf, size_t size)
{
	const char *p = v.at ? v.at : "", *end = p + v.len;
	size_t n = 0, len = 1;

	while (p < end && len) {
		char more[4] = {*p};

		if (*p == '\\')
			len = unescape(&p, end, more);
		else
			p++, len = 1;
		if (!*more || size - n <= len)
			len = 0;
		memcpy(buf + n, more, len);
		n += len;
	}
	buf[n] = '\0';
	return len ? n : SIZE_MAX;
}
