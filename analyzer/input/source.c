// SPDX-License-Identifier: BSD-2-Clause
/* Lists the files behind the command line's words: series files, asked whose they are, or tables. */
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/options.h"

/* Takes ownership of path. */
static int add_file(struct sources *s, char *path)
{
	struct series_reader *r = NULL;
	struct source_file *f;
	int err;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct source_file *at = realloc(s->at, cap * sizeof(*at));

		if (!at) {
			free(path);
			return -ENOMEM;
		}
		s->at = at;
		s->cap = cap;
	}
	f = &s->at[s->n];
	*f = (struct source_file){.path = path};
	err = series_reader_new(&r, path);
	if (!err)
		err = series_reader_span(r, &f->seconds, &f->first_ns, &f->last_ns);
	if (err) {
		fail("%s", series_error());
		goto out;
	}
	snprintf(f->host, sizeof(f->host), "%s", series_reader_host(r));
	f->interval_ms = series_reader_interval_ms(r);
	if (series_check_host(f->host) || f->interval_ms < 1 || f->interval_ms > 3600000) {
		err = -EINVAL;
		fail("'%s' is damaged: its host name or its interval is not valid", path);
		goto out;
	}
	s->n++;
out:
	series_reader_free(r);
	if (err)
		free(path);
	return err;
}

/* One command takes one of the two. */
static int add_table(struct sources *s, const char *path, const struct table_opts *o)
{
	int err;

	if (s->n) {
		fail("'%s' is a table and '%s' a series file: one command takes one of the two",
		     strcmp(path, "-") ? path : "standard input", s->at[0].path);
		return -EINVAL;
	}
	err = table_read(&s->table, path, o);
	s->tabular = true;
	/* table_read() has said what is wrong, also if it was memory. */
	return err == -ENOMEM ? -EIO : err;
}

/* Takes ownership of path. */
static int add_series(struct sources *s, char *path)
{
	struct stat st;

	if (s->tabular && !stat(path, &st) && !st.st_size) {
		fail("'%s' is empty", path);
		free(path);
		return -ENODATA;
	}
	if (s->tabular) {
		fail("'%s' is a series file and another source a table: one command takes one of "
		     "the two",
		     path);
		free(path);
		return -EINVAL;
	}
	return add_file(s, path);
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && !strcmp(name + n - len, suffix);
}

static int is_series(const struct dirent *e)
{
	return ends_with(e->d_name, SERIES_SUFFIX);
}

static int is_table(const struct dirent *e)
{
	return ends_with(e->d_name, ".csv") || ends_with(e->d_name, ".csv.gz");
}

/* Its series files; if it has none, its tables. */
static int add_folder(struct sources *s, const char *path, const struct table_opts *o)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_series, alphasort), err = 0;
	bool tables = false;

	if (!n) {
		free(names);
		n = scandir(path, &names, is_table, alphasort);
		tables = true;
	}
	if (n < 0) {
		err = -errno;
		fail("cannot read the folder '%s': %s", path, strerror(errno));
		return err;
	}
	if (!n) {
		fail("the folder '%s' has no *%s file, and no table (*.csv, *.csv.gz)", path,
		     SERIES_SUFFIX);
		err = -ENOENT;
	}
	/* An empty file is as a recorder leaves it that found the disk full: no reason to judge nobody. */
	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (!err && asprintf(&file, "%s/%s", path, names[i]->d_name) < 0)
			err = -ENOMEM;
		if (!err && tables) {
			err = add_table(s, file, o);
			free(file);
		} else if (!err) {
			err = add_series(s, file);
		}
		if (err == -ENODATA)
			err = 0;
		free(names[i]);
	}
	free(names);
	return err;
}

static int by_host_and_time(const void *a, const void *b)
{
	const struct source_file *x = a, *y = b;
	int c = strcmp(x->host, y->host);

	if (c)
		return c;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Whether a file of the user's is a table; a pipe is. What cannot be opened is left to who reads it. */
static bool looks_like_table(const char *path, const struct stat *st)
{
	unsigned char head[512];
	ssize_t n;
	int fd;

	if (!S_ISREG(st->st_mode))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	if (fd >= 0)
		close(fd);
	return n > 0 && table_is(head, (size_t)n);
}

static int add_path(struct sources *s, const char *path, const struct table_opts *o)
{
	struct stat st;
	char *copy;
	int err;

	if (!strcmp(path, "-"))
		return add_table(s, path, o);
	if (stat(path, &st)) {
		err = -errno;
		fail("cannot open '%s': %s", path, strerror(errno));
		return err;
	}
	if (S_ISDIR(st.st_mode))
		return add_folder(s, path, o);
	if (looks_like_table(path, &st))
		return add_table(s, path, o);
	copy = strdup(path);
	return copy ? add_series(s, copy) : -ENOMEM;
}

int sources_open(struct sources *s, char *const *paths, size_t n_paths, const struct table_opts *o)
{
	static const struct table_opts none;
	int err = 0;

	*s = (struct sources){0};
	o = o ? o : &none;
	for (size_t i = 0; i < n_paths && !err; i++) {
		err = add_path(s, paths[i], o);
		/* As a recorder leaves it that found the disk full: no reason to judge nobody. */
		if (err == -ENODATA && n_paths > 1)
			err = 0;
	}
	if (err == -ENOMEM)
		fail("out of memory");
	if (!err && s->tabular)
		err = table_finish(&s->table, o);
	if (err)
		sources_release(s);
	else if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), by_host_and_time);
	return err;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].path);
	free(s->at);
	table_release(&s->table);
	*s = (struct sources){0};
}
