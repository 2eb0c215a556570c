/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server chose (names of files, hosts, devices and processes, what SQLite says of a file) may
 * stand in a message or a table only if a terminal shows it as text: valid UTF-8 without control
 * characters, those of Unicode's second block (C1) too, without line and paragraph separators and
 * without the marks that turn the direction of what is written round it.
 */
#ifndef LIMPET_TEXT_CLEAN_H
#define LIMPET_TEXT_CLEAN_H

#include <stddef.h>

/* Bytes of the character at s, of which len bytes are there; 0 if it is none of text. */
size_t text_character(const char *s, size_t len);

/* Every byte that is not of such a character becomes '?'. Returns text. */
char *text_clean(char *text);

#endif
