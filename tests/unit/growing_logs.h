/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of what follows logs: recorded logs, written piece by piece as their times say, and rotated. */
#ifndef LIMPET_GROWING_LOGS_H
#define LIMPET_GROWING_LOGS_H

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/source/logs/log_bytes.h"
#include "userspace/common/clock.h"

enum { GROWING_FILES = 64, GROWING_ROTATED = 9 };

enum rotation { ROTATE_NOT, ROTATE_RENAME, ROTATE_COPY };

struct growing {
	char to[256]; /* the folder they are written to */
	struct grown {
		char path[400];
		char *bytes;
		size_t n, written, due; /* due: up to the first line of later */
		unsigned int rotated;
	} file[GROWING_FILES];
	size_t n;
	int64_t from_ns, to_ns;
	unsigned int seed;
};

static inline unsigned int growing_random(struct growing *g, unsigned int below)
{
	g->seed = g->seed * 1103515245u + 12345u;
	return (g->seed >> 8) % below;
}

static inline void growing_load(struct grown *f, const char *from)
{
	int err;
	struct log_bytes *b = log_bytes_open(from, &err);
	ssize_t got;

	assert_non_null(b);
	do {
		f->bytes = realloc(f->bytes, f->n + (1 << 16) + 1);
		assert_non_null(f->bytes);
		got = log_bytes_read(b, f->bytes + f->n, 1 << 16);
		assert_true(got >= 0);
		f->n += (size_t)got;
	} while (got);
	f->bytes[f->n] = 0;
	log_bytes_close(b);
}

/* The greatest time that a line says: of a daemon its stamp, of a history its milliseconds; 0: none. */
static inline int64_t growing_time(const char *line, const char *end)
{
	static const char *const keys[] = {"_TIME=\"", "_FINISHED=\""};
	struct tm tm = {0};
	int64_t most = 0;
	int ms;

	if (end - line > 23 && sscanf(line, "%4d-%2d-%2d %2d:%2d:%2d,%3d", &tm.tm_year, &tm.tm_mon,
				      &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) == 7) {
		tm.tm_year -= 1900;
		tm.tm_mon--;
		return timegm(&tm) * NS_PER_S + ms * NS_PER_MS;
	}
	for (size_t k = 0; k < 2; k++)
		for (const char *at = line;
		     (at = memmem(at, (size_t)(end - at), keys[k], strlen(keys[k])));) {
			int64_t ns = strtoll(at += strlen(keys[k]), NULL, 10) * NS_PER_MS;

			most = ns > most ? ns : most;
		}
	return most;
}

/* Logs of FROM/FOLDER/NAME.zst. */
static inline struct growing *growing_new(const char *from, const char *to, unsigned int seed)
{
	struct growing *g = calloc(1, sizeof(*g));
	struct dirent **folders, **names;
	int n = scandir(from, &folders, NULL, alphasort), m;

	assert_non_null(g);
	assert_true(n > 2);
	snprintf(g->to, sizeof(g->to), "%s", to);
	g->seed = seed;
	g->from_ns = INT64_MAX;
	for (int i = 0; i < n; i++) {
		char path[600], file[900];

		snprintf(path, sizeof(path), "%s/%s", from, folders[i]->d_name);
		m = folders[i]->d_name[0] == '.' ? 0 : scandir(path, &names, NULL, alphasort);
		for (int k = 0; k < m; k++) {
			const char *name = names[k]->d_name;

			if (*name != '.') {
				struct grown *f = &g->file[g->n++];

				assert_true(g->n < GROWING_FILES);
				snprintf(file, sizeof(file), "%s/%s", path, name);
				growing_load(f, file);
				snprintf(f->path, sizeof(f->path), "%s/%s/%.*s", to,
					 folders[i]->d_name, (int)strlen(name) - 4, name);
				snprintf(file, sizeof(file), "%s/%s", to, folders[i]->d_name);
				mkdir(file, 0700);
			}
			free(names[k]);
		}
		if (m)
			free(names);
		free(folders[i]);
	}
	free(folders);
	for (size_t i = 0; i < g->n; i++)
		for (const char *at = g->file[i].bytes, *end; *at; at = end + (*end == '\n')) {
			int64_t ns;

			end = strchrnul(at, '\n');
			ns = growing_time(at, end);
			g->from_ns = ns && ns < g->from_ns ? ns : g->from_ns;
			g->to_ns = ns > g->to_ns ? ns : g->to_ns;
		}
	return g;
}

static inline void growing_free(struct growing *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->file[i].bytes);
	free(g);
}

static inline void growing_append(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

/* All that was said by then, and some of a line of later. */
static inline void growing_until(struct growing *g, int64_t ns)
{
	for (size_t i = 0; i < g->n; i++) {
		struct grown *f = &g->file[i];
		size_t to;

		while (f->due < f->n) {
			const char *at = f->bytes + f->due, *end = strchrnul(at, '\n');

			if (growing_time(at, end) > ns)
				break;
			f->due = (size_t)(end - f->bytes) + (*end == '\n');
		}
		to = f->due + growing_random(g, 60);
		to = to > f->n ? f->n : to;
		if (to <= f->written || (!f->due && ns < g->to_ns))
			continue;
		growing_append(f->path, f->bytes + f->written, to - f->written);
		f->written = to;
	}
}

/* x.log.1 and so on, of one of the daemons' logs. */
static inline void growing_rotate(struct growing *g, enum rotation how)
{
	struct grown *f = &g->file[growing_random(g, (unsigned int)g->n)];
	char from[420], to[420];
	int fd;

	if (how == ROTATE_NOT || !strstr(f->path, ".log") || !f->written ||
	    f->rotated == GROWING_ROTATED)
		return;
	for (unsigned int i = f->rotated++; i; i--) {
		snprintf(from, sizeof(from), "%s.%u", f->path, i);
		snprintf(to, sizeof(to), "%s.%u", f->path, i + 1);
		assert_int_equal(rename(from, to), 0);
	}
	snprintf(to, sizeof(to), "%s.1", f->path);
	if (how == ROTATE_RENAME) {
		/* who renames its log has written its lines */
		size_t end = (size_t)(strchrnul(f->bytes + f->written, '\n') - f->bytes);

		end += f->bytes[end] == '\n';
		if (f->bytes[f->written - 1] != '\n') {
			growing_append(f->path, f->bytes + f->written, end - f->written);
			f->written = end;
		}
		assert_int_equal(rename(f->path, to), 0);
		return;
	}
	snprintf(from, sizeof(from), "cp '%.190s' '%.200s'", f->path, to);
	assert_int_equal(system(from), 0);
	fd = open(f->path, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	close(fd);
}

#endif
