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

/* The line and the words behind it, of which none may ask for help; parsing moves them about. */
static int parse_both(const struct command *cmd, void *into, int argc, char **argv,
		      const struct string_list *words, char ***all)
{
	struct command without_help = *cmd;
	size_t n = (size_t)argc + words->n;

	*all = calloc(n + 1, sizeof(**all));
	if (!*all) {
		fail("%s", strerror(ENOMEM));
		return -EIO;
	}
	if (words->n)
		without_help.summary = NULL;
	memcpy(*all, argv, (size_t)argc * sizeof(**all));
	for (size_t i = 0; i < words->n; i++)
		(*all)[argc + (int)i] = (char *)(uintptr_t)words->at[i];
	return options_parse(&without_help, into, (int)n, *all);
}

static const char *file_named(const void *into, const struct options_file *f)
{
	return *(const char *const *)((const char *)into + f->field);
}

/* Once more from the defaults, with what the file has. */
static int parse_with_file(const struct command *cmd, void *into, const char *file,
			   const struct options_file *f, int argc, char **argv,
			   struct options_read *out)
{
	struct string_list words = {0};
	int status = options_file_read(file, f->variable, f->needed, &out->text, &words), n;

	if (status) {
		string_list_release(&words);
		return status == EXIT_USAGE ? -EINVAL : -EIO;
	}
	n = parse_both(cmd, into, argc, argv, &words, &out->argv);
	string_list_release(&words);
	if (n >= 0 && strcmp(file_named(into, f), file) != 0) {
		fail("'%s': the name of another file, '%s', has no place in it", file,
		     file_named(into, f));
		return -EINVAL;
	}
	return n;
}

int options_and_file(const struct command *cmd, void *into, size_t size,
		     const struct options_file *f, int argc, char **argv, struct options_read *out)
{
	static const struct string_list none;
	void *defaults = malloc(size);
	const char *file;
	int n;

	*out = (struct options_read){0};
	if (!defaults) {
		fail("%s", strerror(ENOMEM));
		return -EIO;
	}
	memcpy(defaults, into, size);
	n = parse_both(cmd, into, argc, argv, &none, &out->argv);
	file = n < 0 ? NULL : file_named(into, f);
	if (file) {
		free(out->argv);
		out->argv = NULL;
		options_release(cmd, into);
		memcpy(into, defaults, size);
		n = parse_with_file(cmd, into, file, f, argc, argv, out);
	}
	free(defaults);
	return n;
}

void options_read_release(struct options_read *r)
{
	free(r->argv);
	free(r->text);
	*r = (struct options_read){0};
}
