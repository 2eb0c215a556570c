// SPDX-License-Identifier: BSD-2-Clause
/* html.h: escaped text. */
#include "html.h"

#include <stdarg.h>

#include "style.h"

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

void html_head(FILE *to, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      to);
	html_text(to, title);
	fputs("</title>\n<style>\n", to);
	fputs(report_style, to);
	fputs("</style>\n</head>\n<body>\n<main>\n", to);
}

void html_foot(FILE *to)
{
	fputs("</main>\n</body>\n</html>\n", to);
}
