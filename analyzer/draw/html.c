// SPDX-License-Identifier: BSD-2-Clause
/* html.h: escaped text. */
#include "html.h"

#include <stdarg.h>

void html_text(FILE *to, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", to); break;
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\'': fputs("&#39;", to); break;
		case '\1': fputs("&nbsp;", to); break;
		default: fputc(*text >= ' ' && *text <= '~' ? *text : '?', to);
		}
}

void html_say(FILE *to, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	html_text(to, text);
}
