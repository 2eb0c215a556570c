/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON read where it lies: a walk over text in memory, which hands out the values that are asked for and passes
 * over the rest. No tree, no memory of its own, no recursion: what it costs is bounded by the text's length.
 * For logs, of which a few fields in a hundred are wanted; json_bounded.h is for small files that are.
 *
 *	struct json_scan j = json_scan(text, len);
 *	struct json_part key, host;
 *
 *	for (scan_enter(&j, '{'); scan_key(&j, &key);)
 *		if (part_is(key, "Host"))
 *			scan_string(&j, &host);
 *		else
 *			scan_skip(&j);
 *	if (!scan_end(&j))
 *		the text is no JSON object
 *
 * After each scan_key() or scan_element() that is true exactly one value is taken: scan_int(),
 * scan_string(), scan_true(), scan_enter() with all that is inside, or scan_skip(). One that asks for a type
 * and meets another passes over the value, too, and returns false. The first mistake in the text sets `bad`,
 * and from then on all return false; so does the end of the text before the value's. What is passed over is
 * looked at only so far that its strings end and as many brackets close as open.
 */
#ifndef LIMPET_JSON_SCAN_H
#define LIMPET_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct json_scan {
	const char *at, *end;
	bool first; /* of the object or list that was just entered nothing has been taken */
	bool bad;
};

/* A piece of the text: what stands between the quotes of a string, still escaped, or any value as it is. */
struct json_part {
	const char *at;
	size_t len;
};

struct json_scan json_scan(const char *text, size_t len);

/* bracket: '{' or '['. */
bool scan_enter(struct json_scan *j, char bracket);
/* The next member; false where the object ends. Keys with escapes are handed out as they are. */
bool scan_key(struct json_scan *j, struct json_part *key);
/* Whether there is one more; false where the list ends. */
bool scan_element(struct json_scan *j);

/* A whole number within int64_t. Where it is false, *v is as it was. */
bool scan_int(struct json_scan *j, int64_t *v);
bool scan_string(struct json_scan *j, struct json_part *v);
bool scan_true(struct json_scan *j); /* false and whatever else it is: false */
void scan_skip(struct json_scan *j);
/* Any value as text, to be looked at later. */
bool scan_value(struct json_scan *j, struct json_part *v);
/* How the next value begins, which stays: one of { [ " t f n - 0 (any digit), or NUL. */
char scan_next(struct json_scan *j);

/* Whether the text was read to its end, without a mistake: nothing but blanks follows. */
bool scan_end(struct json_scan *j);

/* A string's text without its escapes, cut at size - 1 bytes, ended with NUL: its length, or SIZE_MAX if
 * it does not fit, or is no text (a broken escape, half a surrogate pair, NUL). */
size_t part_text(struct json_part v, char *buf, size_t size);

/*
 * A table of what is wanted of an object: each row a key, what its value is to be, and where in a struct it
 * goes. Rows of kind INSIDE are objects with a table of their own, for the same struct. The last row has no key.
 */
enum json_wanted {
	WANT_INT,    /* int64_t */
	WANT_STRING, /* struct json_part, between the quotes */
	WANT_VALUE,  /* struct json_part: whatever it is */
	WANT_TRUE,   /* bool: whether it is true */
	WANT_INSIDE,
};

struct json_field {
	const char *key;
	size_t len; /* of the key */
	enum json_wanted wanted;
	size_t at;
	const struct json_field *inside;
};
#define JSON_FIELD(KEY, WANTED, STRUCT, MEMBER)                                       \
	{                                                                             \
		(KEY), sizeof(KEY) - 1, WANT_##WANTED, offsetof(STRUCT, MEMBER), NULL \
	}
#define JSON_INSIDE(KEY, TABLE)                                 \
	{                                                       \
		(KEY), sizeof(KEY) - 1, WANT_INSIDE, 0, (TABLE) \
	}
#define JSON_FIELDS_END             \
	{                           \
		NULL, 0, 0, 0, NULL \
	}

/* Enters an object, or goes on in the one that was entered (scan_more_fields), and fills what the table
 * wants; what the text does not have stays as it was. false: it is no object. */
bool scan_fields(struct json_scan *j, const struct json_field *table, void *to);
void scan_more_fields(struct json_scan *j, const struct json_field *table, void *to);

static inline bool part_is(struct json_part v, const char *word)
{
	size_t n = strlen(word);

	return v.len == n && !memcmp(v.at, word, n);
}

#endif
