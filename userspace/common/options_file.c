// SPDX-License-Identifier: BSD-2-Clause
/* The options' file, cut into words. */
#include "options_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "safe_open.h"

/* Options in a file are a line or some; what is longer is another file. */
#define FILE_MOST 65536

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

int options_file_words(const char *name, char *text, struct string_list *words)
{
	char *at = text, *value = NULL;
	size_t len = strlen(name);

	while (*at) {
		char *end = at + strcspn(at, "\n");

		at += strspn(at, " \t");
		if (!strncmp(at, name, len) && at[len] == '=') {
			/* The last one counts, as systemd has it. */
			value = take_value(at + len + 1, &end);
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

/* Its text, to be freed; NULL with `why`. */
static char *read_file(const char *path, char *why)
{
	char *text = malloc(FILE_MOST + 1);
	int fd = text ? safe_open_file(path, why) : -1;
	size_t used = 0;
	ssize_t n = 0;

	if (!text)
		snprintf(why, SAFE_WHY_LEN, "%s", strerror(ENOMEM));
	while (fd >= 0 && used < FILE_MOST && (n = read(fd, text + used, FILE_MOST - used)) > 0)
		used += (size_t)n;
	if (fd >= 0 && (n < 0 || used == FILE_MOST))
		snprintf(why, SAFE_WHY_LEN, "%s", n < 0 ? strerror(errno) : "it is too long");
	if (fd >= 0)
		close(fd);
	if (fd < 0 || n < 0 || used == FILE_MOST) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}

int options_file_read(const char *path, const char *name, bool needed, char **text,
		      struct string_list *words)
{
	char why[SAFE_WHY_LEN];
	bool none;
	int err;

	*text = read_file(path, why);
	if (!*text) {
		/* Whoever removes the file wants no options; one that is there and cannot be read holds some. */
		none = !needed && access(path, F_OK) && errno == ENOENT;
		warn("cannot read '%s': %s%s", path, why,
		     none ? "; no options are taken from it" : "");
		return none ? 0 : EXIT_FAILED;
	}
	err = options_file_words(name, *text, words);
	if (!err)
		return 0;
	fail(err == -EINVAL ? "'%s': a line is neither a comment nor NAME=\"VALUE\", or its quote "
			      "does not end"
			    : "'%s': out of memory",
	     path);
	return EXIT_USAGE;
}
