// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks as a profile of pprof: profile.proto by hand, for it is four kinds of messages, compressed with
 * gzip. Every name is one function and one location of the same number; a file that is known by its build id is a
 * mapping.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "stack_profile.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

/* Fields of the messages. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3 };
enum { PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_STRING_TABLE = 6, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum { MAPPING_ID = 1, MAPPING_BUILD_ID = 6 };
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION_ID = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2 };
/* zlib's own: with a header of gzip, as much memory as it takes by default. */
enum { GZIP_WINDOW = MAX_WBITS + 16, MEMORY_LEVEL = 8 };

static void put_varint(struct text *b, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (char)(0x80 | (v & 0x7f));
	bytes[n++] = (char)v;
	text_put_bytes(b, bytes, n);
}

static void put_number(struct text *b, unsigned int field, uint64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_data(struct text *b, unsigned int field, const char *at, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	text_put_bytes(b, at, n);
}

/* A message within another; `m` is emptied for the next. */
static void put_message(struct text *b, unsigned int field, struct text *m)
{
	put_data(b, field, text_of(m), m->len);
	if (m->failed)
		text_fail(b);
	text_reset(m);
}

/* ---- names ---- */

/* Of a frame: it ends at ';' or at the end of the text. */
struct pprof_name {
	const char *at;
	size_t len;
};

struct pprof_names {
	struct pprof_name *at;
	size_t n;
};

COMPARISON(by_name, struct pprof_name,
	   memcmp(a->at, b->at, a->len < b->len ? a->len : b->len) ?: ORDER(a->len, b->len))

static bool next_frame(const char **text, struct pprof_name *frame)
{
	if (!**text)
		return false;
	*frame = (struct pprof_name){*text, strcspn(*text, ";")};
	*text += frame->len + ((*text)[frame->len] == ';');
	return true;
}

/* All that there are, each once, in order. */
static int find_names(const struct stack_profile *p, struct pprof_names *names)
{
	struct pprof_name frame;

	for (size_t i = 0; i < p->n; i++) {
		const char *text = p->at[i].text;

		while (next_frame(&text, &frame)) {
			if (array_put(&names->at, &names->n, frame))
				return -ENOMEM;
		}
	}
	sort(names->at, names->n, by_name);
	names->n = keep_first(names->at, names->n, by_name);
	return 0;
}

/* From 1 on: of a location and its function. */
static uint64_t number_of(const struct pprof_names *names, const struct pprof_name *frame)
{
	const struct pprof_name *found = search(frame, names->at, names->n, by_name);

	return (uint64_t)(found - names->at) + 1;
}

/* ---- files ---- */

struct files {
	const uint8_t **id; /* build ids, in order, each once */
	size_t n;
};

static int by_id(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, BUILD_ID_LEN);
}

static int find_files(const struct stack_profile *p, struct files *files)
{
	for (size_t i = 0; i < p->n_places; i++) {
		if (array_put(&files->id, &files->n, p->places[i].build_id))
			return -ENOMEM;
	}
	sort(files->id, files->n, by_id);
	files->n = keep_first(files->id, files->n, by_id);
	return 0;
}

static int by_frame(const void *key, const void *element)
{
	const char *frame = ((const struct stack_place *)element)->frame;

	return by_name(key, &(struct pprof_name){frame, strlen(frame)});
}

/* ---- the profile ---- */

/* Strings: "", these, then the names, then the build ids. */
static const char *const words[] = {"", "samples", "count", "cpu", "nanoseconds"};
#define WORDS (sizeof(words) / sizeof(*words))

/* What is written, and messages in it that are being made. */
struct writing {
	const struct stack_profile *p;
	struct pprof_names names;
	struct files files;
	bool computed; /* has processor time, too: a second value of each sample */
	struct text b, m, inner;
};

static bool is_computed(const struct stack_line *l)
{
	return strstr(l->text, ";" USER_FRAMES_WORD) != NULL;
}

static void put_sample(struct writing *w, const struct stack_line *l)
{
	const char *text = l->text;
	struct pprof_name frames[512], frame;
	size_t n = 0;

	while (n < sizeof(frames) / sizeof(*frames) && next_frame(&text, &frame))
		frames[n++] = frame;
	/* The innermost first. */
	while (n--)
		put_varint(&w->inner, number_of(&w->names, &frames[n]));
	put_message(&w->m, SAMPLE_LOCATION_ID, &w->inner);
	if (w->computed) {
		bool own = is_computed(l);

		put_varint(&w->inner, own ? 0 : l->count);
		put_varint(&w->inner, own ? l->count * (NS_PER_S / CPU_CLOCK_HZ) : 0);
		put_message(&w->m, SAMPLE_VALUE, &w->inner);
	} else {
		put_number(&w->m, SAMPLE_VALUE, l->count);
	}
	put_message(&w->b, PROFILE_SAMPLE, &w->m);
}

static void put_types(struct writing *w)
{
	for (unsigned int i = 0; i <= w->computed; i++) {
		put_number(&w->m, VALUE_TYPE, 2 * i + 1);
		put_number(&w->m, VALUE_UNIT, 2 * i + 2);
		put_message(&w->b, PROFILE_SAMPLE_TYPE, &w->m);
	}
}

static void put_files(struct writing *w)
{
	for (size_t i = 0; i < w->files.n; i++) {
		put_number(&w->m, MAPPING_ID, i + 1);
		put_number(&w->m, MAPPING_BUILD_ID, WORDS + w->names.n + i);
		put_message(&w->b, PROFILE_MAPPING, &w->m);
	}
}

static void put_location(struct writing *w, size_t i)
{
	const struct stack_place *place =
		search(&w->names.at[i], w->p->places, w->p->n_places, by_frame);

	put_number(&w->inner, LINE_FUNCTION_ID, i + 1);
	put_number(&w->m, LOCATION_ID, i + 1);
	/* names of the kernel, words, and functions of several files are of no file */
	if (place && !place->several) {
		const uint8_t *id = place->build_id;
		const uint8_t **file = search(&id, w->files.id, w->files.n, by_id);

		put_number(&w->m, LOCATION_MAPPING_ID, (uint64_t)(file - w->files.id) + 1);
		if (!place->named)
			put_number(&w->m, LOCATION_ADDRESS, place->offset);
	}
	put_message(&w->m, LOCATION_LINE, &w->inner);
	put_message(&w->b, PROFILE_LOCATION, &w->m);
}

static void put_names(struct writing *w)
{
	for (size_t i = 0; i < w->names.n; i++) {
		put_location(w, i);
		put_number(&w->m, FUNCTION_ID, i + 1);
		put_number(&w->m, FUNCTION_NAME, i + WORDS);
		put_message(&w->b, PROFILE_FUNCTION, &w->m);
	}
	for (size_t i = 0; i < WORDS; i++)
		put_data(&w->b, PROFILE_STRING_TABLE, words[i], strlen(words[i]));
	for (size_t i = 0; i < w->names.n; i++)
		put_data(&w->b, PROFILE_STRING_TABLE, w->names.at[i].at, w->names.at[i].len);
	for (size_t i = 0; i < w->files.n; i++) {
		char text[2 * BUILD_ID_LEN + 1];

		for (size_t k = 0; k < BUILD_ID_LEN; k++)
			sprintf(text + 2 * k, "%02x", w->files.id[i][k]);
		put_data(&w->b, PROFILE_STRING_TABLE, text, sizeof(text) - 1);
	}
}

/* In memory, so that the file is replaced in one step. */
static int write_gzip(const char *path, const struct text *b)
{
	z_stream z = {0};
	uLong room;
	void *packed;
	int err = -ENOMEM;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&z, b->len);
	packed = malloc(room);
	z.next_in = (unsigned char *)b->at;
	z.avail_in = (unsigned int)b->len;
	z.next_out = packed;
	z.avail_out = (unsigned int)room;
	if (packed && deflate(&z, Z_FINISH) == Z_STREAM_END)
		err = output_replace(path, packed, z.total_out);
	else
		fail("cannot write '%s': %s", path, strerror(ENOMEM));
	deflateEnd(&z);
	free(packed);
	return err;
}

static int write_profile(const char *path, const struct text *b)
{
	if (!b->failed && b->len <= INT32_MAX)
		return write_gzip(path, b);
	fail("cannot write '%s': %s", path, strerror(b->failed ? ENOMEM : E2BIG));
	return b->failed ? -ENOMEM : -E2BIG;
}

int stack_profile_pprof(const struct stack_profile *p, const char *path)
{
	struct writing w = {.p = p};
	int err = find_names(p, &w.names) ?: find_files(p, &w.files);

	for (size_t i = 0; i < p->n; i++)
		w.computed |= is_computed(&p->at[i]);
	put_types(&w);
	for (size_t i = 0; !err && i < p->n; i++)
		put_sample(&w, &p->at[i]);
	put_files(&w);
	if (!err)
		put_names(&w);
	put_number(&w.b, PROFILE_TIME_NANOS, (uint64_t)p->from_ns);
	put_number(&w.b, PROFILE_DURATION_NANOS, (uint64_t)(p->to_ns - p->from_ns));
	if (err)
		text_fail(&w.b);
	err = write_profile(path, &w.b);
	text_release(&w.b);
	text_release(&w.m);
	text_release(&w.inner);
	free(w.names.at);
	free(w.files.id);
	return err;
}
