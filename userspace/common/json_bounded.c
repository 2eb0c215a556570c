// SPDX-License-Identifier: BSD-2-Clause
/* json_bounded.h: read to a limit, and parsed with an allocator that has one; files written whole. */
#include "json_bounded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output.h"
#include "text.h"

/* All of fd, at most `most` bytes; NULL with *err. */
static char *slurp(int fd, size_t most, size_t *len, int *err)
{
	size_t cap = 1 << 16, n = 0;
	char *text = malloc(cap);
	ssize_t got = 1;

	*err = -ENOMEM;
	while (text && got) {
		if (n == cap) {
			char *more = realloc(text, cap * 2);

			if (!more)
				break;
			text = more;
			cap *= 2;
		}
		got = read(fd, text + n, cap - n);
		if (got < 0 && errno != EINTR) {
			*err = -errno;
			break;
		}
		n += got > 0 ? (size_t)got : 0;
		if (n > most) {
			*err = -EFBIG;
			break;
		}
	}
	if (!got) {
		*len = n;
		return text;
	}
	free(text);
	return NULL;
}

static size_t memory_left;

static void *bounded_malloc(size_t n)
{
	if (n > memory_left)
		return NULL;
	memory_left -= n;
	return malloc(n);
}

static json_t *parse(const char *text, size_t len, size_t flags, json_error_t *error)
{
	json_t *root;

	memory_left = len * JSON_PER_BYTE + JSON_LEAST;
	json_set_alloc_funcs(bounded_malloc, free);
	/* jansson bounds the nesting itself (JSON_PARSER_MAX_DEPTH) */
	root = json_loadb(text, len, flags, error);
	json_set_alloc_funcs(malloc, free);
	return root;
}

static json_t *read_text(int fd, size_t most, size_t flags, int *err, char why[JSON_WHY_LEN])
{
	char text_why[JSON_ERROR_TEXT_LENGTH];
	json_error_t error = {.line = -1};
	json_t *root;
	size_t len = 0;
	char *text = slurp(fd, most, &len, err);

	if (!text) {
		snprintf(why, JSON_WHY_LEN, "%s",
			 *err == -EFBIG ? "it is too large" : strerror(-*err));
		return NULL;
	}
	root = parse(text, len, flags, &error);
	free(text);
	*err = root ? 0 : -EINVAL;
	if (!root && error.line <= 0)
		snprintf(why, JSON_WHY_LEN, "it is too dense for what it may hold");
	else if (!root)
		snprintf(why, JSON_WHY_LEN, "not JSON: line %d: %s", error.line,
			 output_clean(error.text, text_why, sizeof(text_why)));
	return root;
}

json_t *json_bounded_read(int fd, size_t most, int *err, char why[JSON_WHY_LEN])
{
	return read_text(fd, most, JSON_REJECT_DUPLICATES, err, why);
}

json_t *json_bounded_read_lax(int fd, size_t most, int *err, char why[JSON_WHY_LEN])
{
	return read_text(fd, most, 0, err, why);
}

int json_replace(const char *path, json_t *root, unsigned int digits, bool sorted)
{
	size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(digits) | (sorted ? JSON_SORT_KEYS : 0);
	char *text = root ? json_dumps(root, flags) : NULL;
	struct text line TEXT_SCOPED = {0};
	int err = -ENOMEM;

	text_add(&line, "%s\n", text ? text : "");
	if (text && !line.failed)
		err = output_replace(path, line.at, line.len);
	else
		fail("out of memory");
	free(text);
	json_decref(root);
	return err;
}
