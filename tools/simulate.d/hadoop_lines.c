// SPDX-License-Identifier: BSD-2-Clause
/*
 * The log files of thousands of slaves, written in pieces: not all of them can be open at once, and not
 * all of their text be in memory.
 */
#include "hadoop_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "userspace/common/options.h"

#define PENDING_BYTES_MAX ((size_t)256 << 20) /* of all files, before they are written */

struct line {
	uint32_t file; /* slave * LOG_FILES + file */
	uint32_t order;
	int64_t ms;
	size_t at, len; /* in text */
};

struct pending {
	char *text; /* owned */
	size_t len, size;
};

struct hadoop_lines {
	const struct setup *s;
	char dir[PATH_MAX / 2];
	char history[200];
	struct line *line; /* owned: of this second */
	size_t n, lines_max;
	struct pending second; /* their text */
	struct pending *files; /* owned: of each file, what is still to be written */
	size_t pending_max;    /* bytes of one */
	int err;
};

void hadoop_lines_failed(struct hadoop_lines *l, int err)
{
	if (!l->err)
		l->err = err;
}

struct tm hadoop_lines_time(int64_t ms)
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm = {0};

	gmtime_r(&s, &tm);
	return tm;
}

static int make_folder(const char *path)
{
	return mkdir(path, 0777) && errno != EEXIST
		       ? fail("cannot make '%s': %s", path, strerror(errno))
		       : 0;
}

struct hadoop_lines *hadoop_lines_open(const struct setup *s, const char *dir)
{
	struct hadoop_lines *l = calloc(1, sizeof(*l));
	char path[PATH_MAX], name[SERVER_NAME_LEN];
	int err = 0;

	if (!l || !(l->files = calloc((size_t)s->servers * LOG_FILES, sizeof(*l->files)))) {
		fail("out of memory");
		free(l);
		return NULL;
	}
	l->s = s;
	l->pending_max = PENDING_BYTES_MAX / s->servers / LOG_FILES;
	if ((size_t)snprintf(l->dir, sizeof(l->dir), "%s", dir) >= sizeof(l->dir))
		err = fail("'%s' is too long", dir);
	err = err ? err : make_folder(dir);
	snprintf(path, sizeof(path), "%s/history", l->dir);
	err = err ? err : make_folder(path);
	for (unsigned int i = 0; !err && !s->histories && i < s->servers; i++) {
		server_name(s, i, name);
		snprintf(path, sizeof(path), "%s/%s", l->dir, name);
		err = make_folder(path);
	}
	if (err) {
		l->err = EIO;
		free(l->files);
		free(l);
		return NULL;
	}
	return l;
}

static void file_path(const struct hadoop_lines *l, uint32_t file, char path[PATH_MAX])
{
	char name[SERVER_NAME_LEN];

	server_name(l->s, file / LOG_FILES, name);
	if (file % LOG_FILES == HISTORY)
		snprintf(path, PATH_MAX, "%s/history/%s", l->dir, l->history);
	else
		snprintf(path, PATH_MAX, "%s/%s/hadoop-%s-%s.log", l->dir, name,
			 file % LOG_FILES == DATANODE ? "datanode" : "tasktracker", name);
}

static void write_out(struct hadoop_lines *l, uint32_t file)
{
	struct pending *p = &l->files[file];
	char path[PATH_MAX];
	FILE *f;

	if (!p->len)
		return;
	file_path(l, file, path);
	f = fopen(path, "ae");
	if (!f || fwrite(p->text, 1, p->len, f) != p->len)
		hadoop_lines_failed(l, errno);
	if (f && fclose(f))
		hadoop_lines_failed(l, errno);
	p->len = 0;
}

static bool put(struct hadoop_lines *l, struct pending *p, const char *text, size_t len)
{
	if (p->len + len > p->size) {
		size_t size = 2 * (p->len + len);
		char *grown = realloc(p->text, size);

		if (!grown) {
			hadoop_lines_failed(l, ENOMEM);
			return false;
		}
		p->text = grown;
		p->size = size;
	}
	memcpy(p->text + p->len, text, len);
	p->len += len;
	return true;
}

void hadoop_lines_history(struct hadoop_lines *l, const char *name)
{
	hadoop_lines_second(l);
	write_out(l, HISTORY);
	snprintf(l->history, sizeof(l->history), "%s", name);
}

static void add(struct hadoop_lines *l, enum log_file f, unsigned int slave, int64_t ms,
		const char *text, size_t len)
{
	size_t at = l->second.len;

	if (l->n == l->lines_max) {
		size_t max = l->lines_max ? 2 * l->lines_max : 1024;
		struct line *grown = realloc(l->line, max * sizeof(*grown));

		if (!grown) {
			hadoop_lines_failed(l, ENOMEM);
			return;
		}
		l->line = grown;
		l->lines_max = max;
	}
	if (!put(l, &l->second, text, len))
		return;
	l->line[l->n] = (struct line){slave * LOG_FILES + f, (uint32_t)l->n, ms, at, len};
	l->n++;
}

void hadoop_line(struct hadoop_lines *l, enum log_file f, unsigned int slave, int64_t ms,
		 const char *format, ...)
{
	char text[2048];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add(l, f, slave, ms, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

void hadoop_log(struct hadoop_lines *l, enum log_file f, unsigned int slave, int64_t ms,
		const char *format, ...)
{
	struct tm tm = hadoop_lines_time(ms);
	char text[1024], stamp[24];
	va_list args;
	size_t n;

	if (l->s->histories)
		return;
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	n = (size_t)snprintf(text, sizeof(text), "%s,%03d INFO ", stamp, (int)(ms % 1000));
	va_start(args, format);
	n += (size_t)vsnprintf(text + n, sizeof(text) - n - 1, format, args);
	va_end(args);
	n = n < sizeof(text) - 2 ? n : sizeof(text) - 2;
	text[n++] = '\n';
	add(l, f, slave, ms, text, n);
}

static int by_file_and_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->ms != y->ms)
		return x->ms < y->ms ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void hadoop_lines_second(struct hadoop_lines *l)
{
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_file_and_time);
	for (size_t i = 0; i < l->n; i++) {
		const struct line *x = &l->line[i];
		struct pending *p = &l->files[x->file];

		put(l, p, l->second.text + x->at, x->len);
		if (p->len > l->pending_max)
			write_out(l, x->file);
	}
	l->n = l->second.len = 0;
}

int hadoop_lines_close(struct hadoop_lines *l)
{
	int err;

	hadoop_lines_second(l);
	for (uint32_t k = 0; k < l->s->servers * LOG_FILES; k++) {
		write_out(l, k);
		free(l->files[k].text);
	}
	err = l->err ? fail("cannot write the logs in '%s': %s", l->dir, strerror(l->err)) : 0;
	free(l->files);
	free(l->line);
	free(l->second.text);
	free(l);
	return err;
}
