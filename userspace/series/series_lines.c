// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lists that are texts in meta, an entry a line, written and read: which control groups and processes are the
 * file system's own, and what the host cannot measure.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series_reader.h"
#include "series_writer.h"

#define TEXT_MAX ((size_t)SERIES_MAX_CGROUPS * SERIES_CGROUP_LEN)

static int is_path(const char *path)
{
	return *path == '/' && strlen(path) < SERIES_CGROUP_LEN;
}

static int is_pid(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && n <= 10 && !text[n];
}

static int is_sentence(const char *text)
{
	return *text && strlen(text) < SERIES_MISSING_LEN;
}

/* ---- writing -------------------------------------------------------------------------------- */

int series_lines_of_cgroups(char **text, const char *const *cgroups, size_t n)
{
	size_t size = 1;
	char *at;

	*text = NULL;
	if (!n)
		return 0;
	if (n > SERIES_MAX_CGROUPS)
		return series_fail(-EINVAL, "at most %d cgroups can be recorded",
				   SERIES_MAX_CGROUPS);
	for (size_t i = 0; i < n; i++) {
		if (!is_path(cgroups[i]))
			return series_fail(-EINVAL,
					   "cgroup '%.100s': it is not a path from the root of "
					   "shorter than %d characters",
					   cgroups[i], SERIES_CGROUP_LEN);
		size += strlen(cgroups[i]) + 1;
	}
	at = *text = malloc(size);
	if (!at)
		return series_no_memory();
	for (size_t i = 0; i < n; i++) {
		if (i)
			*at++ = '\n';
		series_copy_text(at, size - (size_t)(at - *text), cgroups[i]);
		at += strlen(at);
	}
	return 0;
}

int series_lines_of_pids(char **text, const uint32_t *pids, size_t n)
{
	char *at;

	*text = NULL;
	if (!n)
		return 0;
	if (n > SERIES_MAX_PIDS)
		return series_fail(-EINVAL, "at most %d processes can be recorded",
				   SERIES_MAX_PIDS);
	at = *text = calloc(n, sizeof("4294967295"));
	if (!at)
		return series_no_memory();
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s%u", i ? "\n" : "", pids[i]);
	return 0;
}

int series_lines_of_missing(char **text, const char *missing)
{
	size_t len = missing ? strlen(missing) : 0;

	*text = NULL;
	while (len && missing[len - 1] == '\n')
		len--;
	if (!len)
		return 0;
	*text = malloc(len + 1);
	if (!*text)
		return series_no_memory();
	series_copy_text(*text, len + 1, missing);
	for (size_t i = 0; i < len; i++)
		if (missing[i] == '\n')
			(*text)[i] = '\n';
	return 0;
}

/* What a writer says from now on; nothing new: what it said before. */
static void take(char **old, char *text)
{
	if (!text)
		return;
	free(*old);
	*old = text;
}

int series_cgroups_take(struct series_writer *w, const char *const *cgroups, size_t n)
{
	char *text;
	int err = series_lines_of_cgroups(&text, cgroups, n);

	take(&w->cgroups, text);
	return err;
}

int series_pids_take(struct series_writer *w, const uint32_t *pids, size_t n)
{
	char *text;
	int err = series_lines_of_pids(&text, pids, n);

	take(&w->pids, text);
	return err;
}

int series_missing_take(struct series_writer *w, const char *missing)
{
	return w->missing ? 0 : series_lines_of_missing(&w->missing, missing);
}

/* ---- reading -------------------------------------------------------------------------------- */

static int is_printable(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

/* Each line becomes a string of its own. 0 if all are what they should be. */
static int split(char *text, int (*is_entry)(const char *text))
{
	size_t n = 0;

	for (char *end; *text; text = end + 1) {
		end = strchrnul(text, '\n');
		if (*end && !end[1])
			return -EBADMSG; /* an empty line at the end */
		*end = 0;
		if (++n > SERIES_MAX_CGROUPS || !is_entry(text) || !is_printable(text))
			return -EBADMSG;
	}
	return 0;
}

static int (*const is_entry_of[])(const char *text) = {
	[LINES_CGROUPS] = is_path, [LINES_PIDS] = is_pid, [LINES_MISSING] = is_sentence};

/* *list: the entries one behind the other, each with its NUL, and another NUL; NULL: none. */
static int read_lines(const char *text, size_t len, char **list, enum series_lines kind)
{
	if (text && !len)
		return 0;
	if (text && len < TEXT_MAX && !memchr(text, 0, len)) {
		*list = calloc(1, len + 2);
		if (!*list)
			return series_no_memory();
		memcpy(*list, text, len);
		if (!split(*list, is_entry_of[kind]))
			return 0;
	}
	return -EBADMSG;
}

static int read_column(sqlite3_stmt *st, int col, char **list, enum series_lines kind)
{
	const char *text = series_column_text(st, col);

	return read_lines(text, text ? strlen(text) : 0, list, kind);
}

int series_cgroups_read(struct series_reader *r, sqlite3_stmt *st, int col)
{
	int err = read_column(st, col, &r->cgroups, LINES_CGROUPS);

	return err == -EBADMSG ? series_damaged(r, "its control groups are not valid") : err;
}

int series_pids_read(struct series_reader *r, sqlite3_stmt *st, int col)
{
	int err = read_column(st, col, &r->pids, LINES_PIDS);

	return err == -EBADMSG ? series_damaged(r, "its processes are not valid") : err;
}

/* It is told and nothing hangs on it: a text that is not as expected is as good as none. */
int series_missing_read(struct series_reader *r, sqlite3_stmt *st, int col)
{
	int err = read_column(st, col, &r->missing, LINES_MISSING);

	if (err != -EBADMSG)
		return err;
	free(r->missing);
	r->missing = NULL;
	return 0;
}

static int each(const char *list, int (*fn)(void *arg, const char *entry), void *arg)
{
	int err = 0;

	for (const char *at = list; at && *at && !err; at += strlen(at) + 1)
		err = fn(arg, at);
	return err;
}

int series_lines_each(enum series_lines kind, const char *text, size_t len,
		      int (*fn)(void *arg, const char *entry), void *arg)
{
	char *list = NULL;
	int err = read_lines(text, len, &list, kind);

	if (!err)
		err = each(list, fn, arg);
	free(list);
	return err;
}

int series_reader_cgroups(const struct series_reader *r, int (*fn)(void *arg, const char *path),
			  void *arg)
{
	return each(r->cgroups, fn, arg);
}

int series_reader_pids(const struct series_reader *r, int (*fn)(void *arg, const char *pid),
		       void *arg)
{
	return each(r->pids, fn, arg);
}

int series_reader_missing(const struct series_reader *r, int (*fn)(void *arg, const char *text),
			  void *arg)
{
	return each(r->missing, fn, arg);
}
