// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks as a profile of pprof: profile.proto by hand, for it is four kinds of messages, compressed with
 * gzip. Every name is one function and one location of the same number.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "stack_profile.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Fields of the messages. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_STRING_TABLE = 6, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION_ID = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

struct bytes {
	unsigned char *at;
	size_t n;
	bool failed;
};

static void put_byte(struct bytes *b, unsigned int v)
{
	unsigned char *at = b->failed ? NULL : array_add(&b->at, &b->n);

	if (at)
		*at = (unsigned char)v;
	b->failed |= !at;
}

static void put_varint(struct bytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(b, 0x80 | (v & 0x7f));
	put_byte(b, (unsigned int)v);
}

static void put_number(struct bytes *b, unsigned int field, uint64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_data(struct bytes *b, unsigned int field, const void *at, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	for (size_t i = 0; i < n; i++)
		put_byte(b, ((const unsigned char *)at)[i]);
}

/* A message within another; `m` is emptied for the next. */
static void put_message(struct bytes *b, unsigned int field, struct bytes *m)
{
	put_data(b, field, m->at, m->n);
	b->failed |= m->failed;
	m->n = 0;
}

/* ---- names ---- */

/* Of a frame: it ends at ';' or at the end of the text. */
struct name {
	const char *at;
	size_t len;
};

struct names {
	struct name *at;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return order ? order : ORDER(x->len, y->len);
}

static bool next_frame(const char **text, struct name *frame)
{
	if (!**text)
		return false;
	*frame = (struct name){*text, strcspn(*text, ";")};
	*text += frame->len + ((*text)[frame->len] == ';');
	return true;
}

/* All that there are, each once, in order. */
static int find_names(const struct stack_profile *p, struct names *names)
{
	struct name frame, *new;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const char *text = p->at[i].text;

		while (next_frame(&text, &frame)) {
			new = array_add(&names->at, &names->n);
			if (!new)
				return -ENOMEM;
			*new = frame;
		}
	}
	sort(names->at, names->n, by_name);
	for (size_t i = 0; i < names->n; i++)
		if (!n || by_name(&names->at[n - 1], &names->at[i]))
			names->at[n++] = names->at[i];
	names->n = n;
	return 0;
}

/* From 1 on: of a location and its function. */
static uint64_t number_of(const struct names *names, const struct name *frame)
{
	const struct name *found = search(frame, names->at, names->n, by_name);

	return (uint64_t)(found - names->at) + 1;
}

/* ---- the profile ---- */

/* Strings: "", these, then the names. */
static const char *const words[] = {"", "samples", "count"};
#define WORDS (sizeof(words) / sizeof(*words))

static void put_sample(struct bytes *b, const struct names *names, const struct stack_line *l,
		       struct bytes *m, struct bytes *ids)
{
	const char *text = l->text;
	struct name frames[512], frame;
	size_t n = 0;

	while (n < sizeof(frames) / sizeof(*frames) && next_frame(&text, &frame))
		frames[n++] = frame;
	/* The innermost first. */
	while (n--)
		put_varint(ids, number_of(names, &frames[n]));
	put_message(m, SAMPLE_LOCATION_ID, ids);
	put_number(m, SAMPLE_VALUE, l->count);
	put_message(b, PROFILE_SAMPLE, m);
}

static void put_names(struct bytes *b, const struct names *names, struct bytes *m,
		      struct bytes *line)
{
	for (size_t i = 0; i < names->n; i++) {
		put_number(line, LINE_FUNCTION_ID, i + 1);
		put_number(m, LOCATION_ID, i + 1);
		put_message(m, LOCATION_LINE, line);
		put_message(b, PROFILE_LOCATION, m);
		put_number(m, FUNCTION_ID, i + 1);
		put_number(m, FUNCTION_NAME, i + WORDS);
		put_message(b, PROFILE_FUNCTION, m);
	}
	for (size_t i = 0; i < WORDS; i++)
		put_data(b, PROFILE_STRING_TABLE, words[i], strlen(words[i]));
	for (size_t i = 0; i < names->n; i++)
		put_data(b, PROFILE_STRING_TABLE, names->at[i].at, names->at[i].len);
}

static int write_gzip(const char *path, const struct bytes *b)
{
	gzFile f = gzopen(path, "wbe");
	int err = 0;

	if (!f)
		return errno ? -errno : -ENOMEM;
	errno = 0;
	if (b->n && gzwrite(f, b->at, (unsigned int)b->n) != (int)b->n)
		err = errno ? -errno : -EIO;
	if (gzclose(f) != Z_OK && !err)
		err = errno ? -errno : -EIO;
	return err;
}

int stack_profile_pprof(const struct stack_profile *p, const char *path)
{
	struct bytes b = {0}, m = {0}, inner = {0};
	struct names names = {0};
	int err = find_names(p, &names);

	put_number(&m, VALUE_TYPE, 1);
	put_number(&m, VALUE_UNIT, 2);
	put_message(&b, PROFILE_SAMPLE_TYPE, &m);
	for (size_t i = 0; !err && i < p->n; i++)
		put_sample(&b, &names, &p->at[i], &m, &inner);
	put_names(&b, &names, &m, &inner);
	put_number(&b, PROFILE_TIME_NANOS, (uint64_t)p->from_ns);
	put_number(&b, PROFILE_DURATION_NANOS, (uint64_t)(p->to_ns - p->from_ns));
	if (!err)
		err = b.failed ? -ENOMEM : b.n > INT32_MAX ? -E2BIG : write_gzip(path, &b);
	free(b.at);
	free(m.at);
	free(inner.at);
	free(names.at);
	return err;
}
