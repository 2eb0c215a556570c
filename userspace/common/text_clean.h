/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server chose (names of files, hosts, devices, jobs and processes, what SQLite says of a file) is
 * text if it is valid UTF-8 without control characters, those of Unicode's second block (C1) too, without
 * line and paragraph separators and without the marks that turn the direction of what is written round it.
 *
 * Text may still mislead people: of two names one may have a character that nobody sees. Whoever writes
 * names for people, on a terminal or a page, writes what text_shown() makes of them; programs (JSON) get
 * text as it is.
 */
#ifndef LIMPET_TEXT_CLEAN_H
#define LIMPET_TEXT_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at s, of which len bytes are there; 0 if it is none of text. */
size_t text_character(const char *s, size_t len);

/* Every byte that is not of such a character becomes '?'. Returns text. */
char *text_clean(char *text);

/* Copies as many whole characters of `from` as fit into `size` bytes with the NUL. Returns to. */
char *text_fit(char *to, size_t size, const char *from);

enum { TEXT_SHOWN_LEN = sizeof("<U+10FFFF>") };

/*
 * What people are shown of the character at s, which is not at the end of its string: the character itself;
 * "<U+200B>" instead of one that cannot be seen, looks like a blank, orders something, is private or not
 * assigned, and, on a terminal, whose columns are bytes, of any that is not ASCII; "<U+003C>" where the name itself has "<U+";
 * '?' for a byte that is no UTF-8. Returns the bytes that this is of, 1 or more.
 */
size_t text_shown(const char *s, bool terminal, char shown[TEXT_SHOWN_LEN]);

#endif
