// SPDX-License-Identifier: BSD-2-Clause
/* Lists the series files behind the command line's words and asks each whose it is. */
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../userspace/options.h"

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

static int is_series(const struct dirent *e)
{
	size_t n = strlen(e->d_name), suffix = strlen(SERIES_SUFFIX);

	return n > suffix && !strcmp(e->d_name + n - suffix, SERIES_SUFFIX);
}

static int add_folder(struct sources *s, const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_series, alphasort), err = 0;

	if (n < 0) {
		err = -errno;
		fail("cannot read the folder '%s': %s", path, strerror(errno));
		return err;
	}
	if (!n) {
		fail("the folder '%s' has no *%s file", path, SERIES_SUFFIX);
		err = -ENOENT;
	}
	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (!err && asprintf(&file, "%s/%s", path, names[i]->d_name) < 0)
			err = -ENOMEM;
		if (!err)
			err = add_file(s, file);
		/* As a recorder leaves it that found the disk full: no reason to judge nobody. */
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

int sources_open(struct sources *s, char *const *paths, size_t n_paths)
{
	int err = 0;

	*s = (struct sources){0};
	for (size_t i = 0; i < n_paths && !err; i++) {
		struct stat st;
		char *copy;

		if (stat(paths[i], &st)) {
			err = -errno;
			fail("cannot open '%s': %s", paths[i], strerror(errno));
		} else if (S_ISDIR(st.st_mode)) {
			err = add_folder(s, paths[i]);
		} else {
			copy = strdup(paths[i]);
			err = copy ? add_file(s, copy) : -ENOMEM;
		}
	}
	if (err == -ENOMEM)
		fail("out of memory");
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
	*s = (struct sources){0};
}
