/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of an HTML page. Everything that comes from outside goes through html_text() or html_say():
 * people see letters of any script, and an escape instead of what cannot be seen (text_clean.h); the
 * characters that mean something in HTML are escaped, and a tied blank (TEXT_TIE of text.h) is a blank at
 * which no line ends.
 */
#ifndef LIMPET_DRAW_HTML_H
#define LIMPET_DRAW_HTML_H

#include <stdarg.h>
#include <stdio.h>

void html_text(FILE *to, const char *text);
/* Escaped between HTML that is written as it is. */
void html_enclose(FILE *to, const char *before, const char *text, const char *after);
/* Of a format; escaped as a whole. */
void html_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_vsay(FILE *to, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
