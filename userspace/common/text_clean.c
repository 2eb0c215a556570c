// SPDX-License-Identifier: BSD-2-Clause
/* text_clean.h: what is text, and '?' for what is not. */
#include "text_clean.h"

#include <stdbool.h>
#include <string.h>

/* Marks of direction; U+2028 and U+2029 end lines. */
static bool is_mark(unsigned int c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

size_t text_character(const char *s, size_t len)
{
	static const unsigned int least[] = {0x20, 0xa0, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)s;
	unsigned int c = len ? *at : 0x7f, more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if ((c >= 0x80 && c < 0xc0) || c > 0xf4 || len <= more || c == 0x7f)
		return 0;
	c &= more == 3 ? 0x07 : more == 2 ? 0x0f : more == 1 ? 0x1f : 0x7f;
	for (unsigned int k = 1; k <= more; k++) {
		if ((at[k] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[k] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || is_mark(c))
		return 0;
	return more + 1;
}

char *text_clean(char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len;) {
		size_t n = text_character(text + i, len - i);

		if (!n)
			text[i] = '?';
		i += n ? n : 1;
	}
	return text;
}
