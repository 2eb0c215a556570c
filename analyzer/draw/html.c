// SPDX-License-Identifier: BSD-2-Clause
/* html.h: escaped text. */
#include "html.h"

#include "userspace/common/text.h"
#include "userspace/common/text_clean.h"

void html_text(FILE *to, const char *text)
{
	char shown[TEXT_SHOWN_LEN];

	while (*text) {
		if (text_is_tie(*text)) {
			fputs("&nbsp;", to);
			text++;
			continue;
		}
		text += text_shown(text, false, shown);
		for (const char *c = shown; *c; c++)
			switch (*c) {
			case '&': fputs("&amp;", to); break;
			case '<': fputs("&lt;", to); break;
			case '>': fputs("&gt;", to); break;
			case '"': fputs("&quot;", to); break;
			case '\'': fputs("&#39;", to); break;
			default: fputc(*c, to);
			}
	}
}

void html_enclose(FILE *to, const char *before, const char *text, const char *after)
{
	fputs(before, to);
	html_text(to, text);
	fputs(after, to);
}

void html_vsay(FILE *to, const char *format, va_list args)
{
	struct text t TEXT_SCOPED = {0};

	text_vadd(&t, format, args);
	html_text(to, text_of(&t));
}

void html_say(FILE *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	html_vsay(to, format, args);
	va_end(args);
}
