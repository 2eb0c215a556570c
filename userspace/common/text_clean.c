// SPDX-License-Identifier: BSD-2-Clause
/* text_clean.h: what is text, and what people see of it. */
#include "text_clean.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

static bool is_control(unsigned int c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0);
}

/* Marks of direction; U+2028 and U+2029 end lines. */
static bool is_mark(unsigned int c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* Bytes of the character at s, and its number; 0: that is no UTF-8. */
static size_t decode(const char *s, size_t len, unsigned int *number)
{
	static const unsigned int least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)s;
	unsigned int c = len ? *at : 0xff, more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if ((c >= 0x80 && c < 0xc0) || c > 0xf4 || len <= more)
		return 0;
	c &= more == 3 ? 0x07 : more == 2 ? 0x0f : more == 1 ? 0x1f : 0x7f;
	for (unsigned int k = 1; k <= more; k++) {
		if ((at[k] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[k] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*number = c;
	return more + 1;
}

size_t text_character(const char *s, size_t len)
{
	unsigned int c = 0;
	size_t n = decode(s, len, &c);

	return is_control(c) || is_mark(c) ? 0 : n;
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

char *text_fit(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size);

	if (n == size)
		for (n--; n && ((unsigned char)from[n] & 0xc0) == 0x80;)
			n--;
	memcpy(to, from, n);
	to[n] = 0;
	return to;
}

/* ---- for people ------------------------------------------------------------------------------------- */

/* Characters of Unicode 15 that have no width, look like a blank, or are nobody's (private, never assigned). */
static const struct {
	unsigned int first, last;
} unseen[] = {
	{0xa0, 0xa0},	    {0xad, 0xad},	{0x34f, 0x34f},	     {0x61c, 0x61c},
	{0x115f, 0x1160},   {0x1680, 0x1680},	{0x17b4, 0x17b5},    {0x180b, 0x180f},
	{0x2000, 0x200f},   {0x2028, 0x202f},	{0x205f, 0x206f},    {0x2800, 0x2800},
	{0x3000, 0x3000},   {0x3164, 0x3164},	{0xe000, 0xf8ff},    {0xfdd0, 0xfdef},
	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},	{0xffa0, 0xffa0},    {0xfff0, 0xfffb},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
};

static locale_t unicode; /* 0: this system has no C.UTF-8 */

static void find_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static bool is_seen(unsigned int c)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		if (c >= unseen[i].first && c <= unseen[i].last)
			return false;
	pthread_once(&once, find_unicode);
	return !unicode || iswprint_l((wint_t)c, unicode);
}

size_t text_shown(const char *s, bool terminal, char shown[TEXT_SHOWN_LEN])
{
	unsigned int c = '?';
	size_t n = decode(s, strnlen(s, 4), &c);

	if (is_control(c) || (c < 0x7f ? !strncmp(s, "<U+", 3) : terminal || !is_seen(c)))
		snprintf(shown, TEXT_SHOWN_LEN, "<U+%04X>", c);
	else
		snprintf(shown, TEXT_SHOWN_LEN, "%.*s", (int)(n ? n : 1), n ? s : "?");
	return n ? n : 1;
}
