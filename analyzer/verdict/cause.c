// SPDX-License-Identifier: BSD-2-Clause
/* The table of causes. */
#include "cause.h"

#include <stddef.h>

#define CAUSE_ROW(NAME, ...) [CAUSE_##NAME] = {__VA_ARGS__},
const struct cause_row cause_table[CAUSE_COUNT] = {CAUSES(CAUSE_ROW)};

#define WHY_TEXT(NAME, TEXT) [WHY_##NAME] = TEXT,
static const char *const whys[WHYS] = {WHY_ROWS(WHY_TEXT)};

const char *cause_why(enum cause cause, enum why why)
{
	const char *text = why == WHY_CAUSE ? cause_table[cause].why : whys[why];

	return text ? text : "";
}

const char *const direction_words[DIRECTIONS] = {
	[DIRECTION_SEND] = "send",   [DIRECTION_RECEIVE] = "receive", [DIRECTION_READ] = "read",
	[DIRECTION_WRITE] = "write", [DIRECTION_BOTH] = "both",
};
