// SPDX-License-Identifier: BSD-2-Clause
/* kept.h: the newest file of each server says where its recording ends; then the files of the days that are read again. */
#include "kept.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/source.h"
#include "userspace/common/array.h"
#include "userspace/series/series.h"

struct kept_server {
	char host[HOST_LEN]; /* "": a file of a source */
	char *newest;	     /* its path */
	int64_t last_ns;
};

struct kept_servers {
	struct kept_server *at;
	size_t n;
};

/* The newest file by name, which has the day. NULL: there is none. */
static char *newest_of(const char *folder)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, source_is_series, alphasort);
	char *path = NULL;

	if (n > 0 && asprintf(&path, "%s/%s", folder, names[n - 1]->d_name) < 0)
		path = NULL;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return path;
}

/* Takes `newest`, which may be NULL. */
static int add_newest(struct kept_servers *s, const char *host, char *newest)
{
	struct kept_server new = {.newest = newest, .last_ns = INT64_MIN};
	struct series_reader *r = NULL;
	int64_t first;
	uint64_t seconds = 0;
	int err = 0;

	if (!newest)
		return 0;
	memcpy(new.host, host, strlen(host) + 1);
	if (series_reader_new(&r, new.newest) ||
	    series_reader_span(r, &seconds, &first, &new.last_ns))
		seconds = 0;
	series_reader_free(r);
	if (seconds)
		err = array_put(&s->at, &s->n, new);
	if (!seconds || err)
		free(new.newest);
	return err;
}

static int add_server(struct kept_servers *s, const char *dir, const char *host)
{
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/series/%s", dir, host);
	return add_newest(s, host, newest_of(folder));
}

/* Each of its files is a server to us, as long as only the newest ones count. */
static int add_source(struct kept_servers *s, const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, source_is_series, alphasort), err = 0;
	char *file;

	if (n < 0)
		return add_newest(s, "", strdup(path));
	for (int i = 0; i < n; i++) {
		if (!err && asprintf(&file, "%s/%s", path, names[i]->d_name) >= 0)
			err = add_newest(s, "", file);
		free(names[i]);
	}
	free(names);
	return err;
}

static int list_servers(struct kept_servers *s, const char *dir)
{
	char path[4096];
	const struct dirent *e;
	DIR *root;
	int err = 0;

	snprintf(path, sizeof(path), "%s/series", dir);
	root = opendir(path);
	while (!err && root && (e = readdir(root)))
		if (strlen(e->d_name) < HOST_LEN && !series_check_host(e->d_name))
			err = add_server(s, dir, e->d_name);
	if (root)
		closedir(root);
	return err;
}

static int add_text(char ***list, size_t *n, const char *text)
{
	char *copy = strdup(text);
	int err = copy ? array_put(list, n, copy) : -ENOMEM;

	if (err)
		free(copy);
	return err;
}

/* Files of a server with a day from from_ns on: of its names, that say the day. */
static int add_files(struct kept *k, const char *dir, const struct kept_server *s)
{
	struct dirent **names = NULL;
	char folder[4096], first[16];
	size_t len = strlen(s->host) + 1;
	time_t day = (time_t)(k->from_ns / NS_PER_S);
	struct tm tm;
	int err = 0, n;

	gmtime_r(&day, &tm);
	strftime(first, sizeof(first), "%Y%m%d", &tm);
	snprintf(folder, sizeof(folder), "%s/series/%s", dir, s->host);
	n = scandir(folder, &names, source_is_series, alphasort);
	for (int i = 0; i < n; i++) {
		char path[4096 + 300];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (!err && strlen(names[i]->d_name) > len &&
		    strcmp(names[i]->d_name + len, first) >= 0)
			err = add_text(&k->files, &k->n_files, path);
		free(names[i]);
	}
	free(names);
	return err;
}

/* What is read again of one of them. */
static int add_kept(struct kept *k, const char *dir, const struct kept_server *s)
{
	int err;

	if (!*s->host)
		return s->last_ns < k->from_ns ? 0 : add_text(&k->files, &k->n_files, s->newest);
	err = add_files(k, dir, s);
	if (!err && s->last_ns >= k->to_ns - NS_PER_S)
		err = add_text(&k->hosts, &k->n_hosts, s->host);
	return err;
}

static int64_t floor_to(int64_t ns, int64_t step_ns)
{
	return ns - ns % step_ns;
}

static void set_times(struct kept *k, const struct kept_servers *s, int64_t interval_ns)
{
	int64_t newest = INT64_MIN, oldest = INT64_MAX, now_ns = clock_ns(CLOCK_REALTIME), back_ns;
	size_t n = 0;

	/* A clock that was ahead says nothing of what is recent. */
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].last_ns > newest && s->at[i].last_ns <= now_ns)
			newest = s->at[i].last_ns;
	if (newest == INT64_MIN)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].last_ns >= newest - KEPT_RECENT_NS && s->at[i].last_ns <= now_ns) {
			oldest = s->at[i].last_ns < oldest ? s->at[i].last_ns : oldest;
			n++;
		}
	if (!n)
		return;
	back_ns = (int64_t)(KEPT_SECONDS_ALL / n) * NS_PER_S;
	back_ns = back_ns < KEPT_LEAST_NS ? KEPT_LEAST_NS : back_ns;
	back_ns = back_ns > KEPT_MOST_NS ? KEPT_MOST_NS : back_ns;
	k->to_ns = floor_to(oldest + NS_PER_S, interval_ns);
	k->from_ns = floor_to(k->to_ns - back_ns, interval_ns);
}

int kept_look(struct kept *k, const char *dir, char *const *sources, size_t n_sources,
	      int64_t interval_ns)
{
	struct kept_servers s = {0};
	int err = list_servers(&s, dir);

	for (size_t i = 0; i < n_sources && !err; i++)
		err = add_source(&s, sources[i]);
	*k = (struct kept){.from_ns = INT64_MIN, .to_ns = INT64_MIN};
	if (!err)
		set_times(k, &s, interval_ns);
	for (size_t i = 0; i < s.n; i++) {
		if (!err && k->to_ns != INT64_MIN)
			err = add_kept(k, dir, &s.at[i]);
		free(s.at[i].newest);
	}
	free(s.at);
	if (err)
		kept_release(k);
	return err;
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; i < k->n_hosts; i++)
		free(k->hosts[i]);
	for (size_t i = 0; i < k->n_files; i++)
		free(k->files[i]);
	free(k->hosts);
	free(k->files);
	*k = (struct kept){0};
}
