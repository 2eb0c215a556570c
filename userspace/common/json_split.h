/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON objects one after the other, too large to be held whole: cut into pieces that json_scan.h can take, as the
 * bytes come. Of each object at the outermost level the pieces are its members; but where a member is a list, the
 * list's elements. The text is looked at only so far that strings end and brackets match.
 */
#ifndef LIMPET_JSON_SPLIT_H
#define LIMPET_JSON_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_scan.h"

enum {
	JSON_PIECE_MAX = 1 << 24, /* bytes: a longer piece is left out */
	JSON_LIST_LEN = 64,	  /* of the key of a list; a longer one is cut off */
};

struct json_split {
	/* `j` is before the key of a member: scan_key() takes it. */
	void (*member)(void *own, struct json_scan *j);
	/* An element of the list that has this key; where it begins in the text. */
	void (*element)(void *own, const char *list, struct json_scan *j, uint64_t offset);
	void (*end)(void *own); /* of the object */
	void *own;
	uint64_t overlong; /* pieces that were left out */

	/* of json_split.c */
	size_t depth;
	bool in_list, in_string, escaped, skipping;
	char list[JSON_LIST_LEN];
	char *kept; /* of a piece what came with bytes before */
	size_t n_kept, room;
	uint64_t before, piece_at; /* bytes of the text; where the piece begins */
};

/* More of the text. 0, -ENOMEM, or -EBADMSG: it is no such text; nothing may follow then. */
int json_split(struct json_split *s, const char *bytes, size_t n);
/* Whether the text may end here: between two objects. */
bool json_split_between(const struct json_split *s);
void json_split_release(struct json_split *s);

#endif
