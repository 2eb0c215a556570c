// SPDX-License-Identifier: BSD-2-Clause
/*
 * json_scan.h: any bytes are walked to their end without a step beyond them; and what jansson takes for JSON,
 * the walk takes, too, with the same keys, numbers and texts (but for NUL, which some versions of jansson pass over).
 */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/json_scan.h"

enum { DEPTH = 32 };

static void walk(struct json_scan *j, const json_t *same, int depth);

static void walk_string(struct json_scan *j, const json_t *same)
{
	struct json_part s;
	char text[256];
	size_t n;

	if (!scan_string(j, &s))
		return;
	n = part_text(s, text, sizeof(text));
	MUST(n == SIZE_MAX || (n < sizeof(text) && strlen(text) == n));
	if (same && json_string_length(same) < sizeof(text))
		MUST(n == json_string_length(same) && !strcmp(text, json_string_value(same)));
}

static void walk_object(struct json_scan *j, const json_t *same, int depth)
{
	struct json_part key;
	size_t n = 0;

	for (scan_enter(j, '{'); scan_key(j, &key); n++) {
		char text[256];
		const json_t *value = NULL;

		if (part_text(key, text, sizeof(text)) != SIZE_MAX && same)
			value = json_object_get(same, text);
		walk(j, value, depth + 1);
	}
	MUST(!same || n == json_object_size(same));
}

static void walk_list(struct json_scan *j, const json_t *same, int depth)
{
	size_t n = 0;

	for (scan_enter(j, '['); scan_element(j); n++)
		walk(j, same ? json_array_get(same, n) : NULL, depth + 1);
	MUST(!same || n == json_array_size(same));
}

static void walk(struct json_scan *j, const json_t *same, int depth)
{
	int64_t i;

	switch (depth < DEPTH ? scan_next(j) : '\0') {
	case '{': walk_object(j, same, depth); return;
	case '[': walk_list(j, same, depth); return;
	case '"': walk_string(j, same); return;
	case '-':
	case '0':
		if (same && json_is_real(same)) {
			MUST(!scan_int(j, &i));
			return;
		}
		MUST(scan_int(j, &i) ? !same || i == json_integer_value(same) : !same);
		return;
	default: scan_skip(j);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact = malloc(size + 1); /* of just the length, so that a step beyond is seen */
	char *text = exact ? realloc(exact, size ? size : 1) : NULL;
	json_t *same;
	struct json_scan j;

	MUST(text);
	memcpy(text, data, size);
	same = memchr(text, 0, size) ? NULL : json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	j = json_scan(text, size);
	walk(&j, same, 0);
	if (same)
		MUST(scan_end(&j));
	scan_end(&j);
	json_decref(same);
	free(text);
	return 0;
}
