// SPDX-License-Identifier: BSD-2-Clause
/* The options' file, cut into words. */
#include "options_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "userspace/common/array.h"

#define NAME "LIMPET_PROBE_OPTIONS="

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The value that begins at `at`, without quotes and what they hide; *end: behind it. NULL: a quote does not
 * end. */
static char *take_value(char *at, char **end)
{
	char quote = *at == '"' || *at == '\'' ? *at : '\0', *from, *to;

	from = to = at += quote != '\0';
	for (; *at && *at != (quote ? quote : '\n'); at++) {
		if (*at == '\\' && at[1] == '\n')
			at++;
		*to++ = *at;
	}
	if (quote && !*at)
		return NULL;
	*end = at + (*at != '\0');
	*to = '\0';
	return from;
}

static int split(char *value, struct string_list *words)
{
	while (*value) {
		const char **word;

		while (is_blank(*value))
			*value++ = '\0';
		if (!*value)
			break;
		word = array_add(&words->at, &words->n);
		if (!word)
			return -ENOMEM;
		*word = value;
		while (*value && !is_blank(*value))
			value++;
	}
	return 0;
}

int options_file_words(char *text, struct string_list *words)
{
	char *at = text, *value = NULL;

	while (*at) {
		char *end = at + strcspn(at, "\n");

		at += strspn(at, " \t");
		if (!strncmp(at, NAME, strlen(NAME))) {
			/* The last one counts, as systemd has it. */
			value = take_value(at + strlen(NAME), &end);
			if (!value)
				return -EINVAL;
			end += strspn(end, " \t\r");
		} else if (at < end && *at != '#' && *at != ';' &&
			   !memchr(at, '=', (size_t)(end - at))) {
			return -EINVAL;
		}
		at = *end == '\n' ? end + 1 : end;
	}
	return value ? split(value, words) : 0;
}
