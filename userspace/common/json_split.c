// SPDX-License-Identifier: BSD-2-Clause
/* json_split.h: brackets are counted, and what stands between the commas of the outer two levels is handed out. */
#include "json_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds to the piece what is of it in these bytes. */
static int keep(struct json_split *s, const char *from, size_t n)
{
	size_t room = s->room ? s->room : 4096;
	char *larger;

	if (s->skipping || n > JSON_PIECE_MAX - s->n_kept) {
		s->overlong += !s->skipping;
		s->skipping = true;
		return 0;
	}
	while (room < s->n_kept + n)
		room *= 2;
	if (room > s->room) {
		larger = realloc(s->kept, room);
		if (!larger)
			return -ENOMEM;
		s->kept = larger;
		s->room = room;
	}
	memcpy(s->kept + s->n_kept, from, n);
	s->n_kept += n;
	return 0;
}

/* The piece that ends here, of which the last n bytes are at `from`; none is kept any more. */
static int take(struct json_split *s, const char *from, size_t n, struct json_scan *j)
{
	int err = s->n_kept || s->skipping ? keep(s, from, n) : 0;

	*j = s->n_kept ? json_scan(s->kept, s->n_kept) : json_scan(from, n);
	if (s->skipping || (!s->n_kept && n > JSON_PIECE_MAX)) {
		s->overlong += !s->skipping;
		*j = json_scan("", 0);
	}
	s->n_kept = 0;
	s->skipping = false;
	return err;
}

static int give(struct json_split *s, const char *from, size_t n)
{
	struct json_scan j;
	int err = take(s, from, n, &j);

	if (err || !scan_next(&j))
		return err; /* nothing between two commas, or too much */
	if (s->in_list) {
		s->element(s->own, s->list, &j, s->piece_at);
	} else {
		j.first = true;
		s->member(s->own, &j);
	}
	return 0;
}

/* A list begins: what came of the piece is its key. */
static int enter_list(struct json_split *s, const char *from, size_t n)
{
	struct json_part key;
	struct json_scan j;
	int err = take(s, from, n, &j);

	*s->list = '\0';
	j.first = true;
	if (!err && scan_key(&j, &key))
		part_text(key, s->list, sizeof(s->list));
	s->in_list = true;
	return err;
}

/* A bracket or comma at `p`, the piece's part in these bytes begins at *from. */
static int heed(struct json_split *s, const char *p, const char **from)
{
	size_t level = s->in_list ? 2 : 1, n = (size_t)(p - *from);
	int err = 0;

	if (*p == '{' || *p == '[') {
		if (!s->depth++) {
			err = *p == '{' ? 0 : -EBADMSG;
		} else if (s->depth == 2 && *p == '[') {
			err = enter_list(s, *from, n);
		} else {
			return 0;
		}
	} else if (s->depth != level) {
		s->depth -= *p != ',';
		return s->depth ? 0 : -EBADMSG;
	} else {
		err = give(s, *from, n);
		if (!err && *p != ',') {
			err = *p == (s->in_list ? ']' : '}') ? 0 : -EBADMSG;
			s->depth--;
			s->in_list = false;
			if (!err && !s->depth)
				s->end(s->own);
		}
	}
	*from = p + 1;
	return err;
}

int json_split(struct json_split *s, const char *bytes, size_t n)
{
	enum { OTHER, HEEDED, QUOTE, BLANK };
	static const unsigned char kinds[256] = {
		['{'] = HEEDED, ['['] = HEEDED, ['}'] = HEEDED, [']'] = HEEDED, [','] = HEEDED,
		['"'] = QUOTE,	[' '] = BLANK,	['\n'] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK};
	const char *p = bytes, *end = bytes + n, *from = bytes, *last;
	int err = 0;

	for (; p < end && !err; p++) {
		if (s->in_string) {
			if (s->escaped)
				s->escaped = false;
			else if (*p == '\\')
				s->escaped = true;
			else
				s->in_string = *p != '"';
			continue;
		}
		switch (kinds[(unsigned char)*p]) {
		case HEEDED:
			last = from;
			err = heed(s, p, &from);
			if (from != last)
				s->piece_at = s->before + (size_t)(from - bytes);
			break;
		case QUOTE: s->in_string = true; break;
		case BLANK: continue;
		}
		if (!s->depth && !s->in_list && *p != '}')
			err = -EBADMSG;
	}
	if (!err && s->depth && from < end)
		err = keep(s, from, (size_t)(end - from));
	s->before += n;
	return err;
}

bool json_split_between(const struct json_split *s)
{
	return !s->depth && !s->in_string;
}

void json_split_release(struct json_split *s)
{
	free(s->kept);
	s->kept = NULL;
	s->n_kept = s->room = 0;
}
