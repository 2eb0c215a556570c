// SPDX-License-Identifier: BSD-2-Clause
/* The series files of this host as copies: see copies.h. */
#include "copies.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/wire/exchange.h"
#include "userspace/wire/wire.h"

#define DATE_LEN 8
#define LIST_NS	 (60 * NS_PER_S)
/* Seconds that the probe has not packed by then it never will: it was killed. */
#define PLAIN_NS (120 * NS_PER_S)
/* What cannot be read, or does not end yet, is tried again. */
#define RETRY_NS (60 * NS_PER_S)
/* After a day nothing is added to its file. */
#define DAY_END_NS (5 * 60 * NS_PER_S)

struct copied_file {
	char name[NAME_MAX + 1];
	int64_t day_end_ns;
	bool there, known, complete;
	struct series_cursor at; /* once it is known */
	int64_t retry_ns;	 /* not before */
};

struct copies {
	const char *dir, *host;
	struct copied_file *files; /* newest first */
	size_t n;
	int64_t listed_ns, next_ns; /* when they were listed; when the next request may be made */
	/* The file that is being copied: closed once nothing is new in it, or the probe could not end its -wal. */
	struct series_copy *open;
	size_t current; /* of what copies_next() gave last */
	bool sent;	/* it was a part, no question */
};

/* ---- life ---- */

struct copies *copies_new(const char *dir, const char *host)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->dir = dir;
	c->host = host;
	return c;
}

static void copies_close(struct copies *c)
{
	series_copy_free(c->open);
	c->open = NULL;
}

void copies_free(struct copies *c)
{
	if (!c)
		return;
	copies_close(c);
	free(c->files);
	free(c);
}

void copies_forget(struct copies *c)
{
	copies_close(c);
	for (size_t i = 0; i < c->n; i++)
		c->files[i].known = c->files[i].complete = false;
}

/* ---- the files ---- */

/* HOST-YYYYMMDD.limpet; when its day ends, or -1. */
static int64_t day_end_of(const char *name, const char *host)
{
	size_t len = strlen(host);
	struct tm tm = {0};
	const char *end;

	if (strncmp(name, host, len) || name[len] != '-' ||
	    strspn(name + len + 1, "0123456789") != DATE_LEN ||
	    strcmp(name + len + 1 + DATE_LEN, SERIES_SUFFIX))
		return -1;
	end = strptime(name + len + 1, "%Y%m%d", &tm);
	return end && !strcmp(end, SERIES_SUFFIX) ? ((int64_t)timegm(&tm) + 86400) * NS_PER_S : -1;
}

static int by_day(const void *a, const void *b)
{
	return strcmp(((const struct copied_file *)b)->name, ((const struct copied_file *)a)->name);
}

static int note_file(struct copies *c, const char *name, int64_t day_end_ns)
{
	struct copied_file *f;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->files[i].name, name)) {
			c->files[i].there = true;
			return 0;
		}
	f = array_add(&c->files, &c->n);
	if (!f)
		return -ENOMEM;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->day_end_ns = day_end_ns;
	f->there = true;
	return 0;
}

static int list_files(struct copies *c)
{
	DIR *dir = opendir(c->dir);
	const struct dirent *e;
	size_t kept = 0;
	int err = 0;

	if (!dir)
		return series_fail(-errno, "cannot read '%s': %s", c->dir, strerror(errno));
	for (size_t i = 0; i < c->n; i++)
		c->files[i].there = false;
	while (!err && (e = readdir(dir))) {
		int64_t end = day_end_of(e->d_name, c->host);

		if (end >= 0)
			err = note_file(c, e->d_name, end);
	}
	closedir(dir);
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].there)
			c->files[kept++] = c->files[i];
	c->n = kept;
	sort(c->files, c->n, by_day);
	return err ? series_fail(err, "out of memory") : 0;
}

/* Anew each minute, for a day begins and others are removed. */
static int copies_list(struct copies *c, int64_t wall_ns)
{
	if (c->listed_ns && wall_ns >= c->listed_ns && wall_ns - c->listed_ns < LIST_NS)
		return 0;
	c->listed_ns = wall_ns;
	copies_close(c);
	return list_files(c);
}

static int open_file(struct copies *c, size_t i)
{
	char *path;
	int err;

	if (c->open && c->current == i)
		return 0;
	copies_close(c);
	if (asprintf(&path, "%s/%s", c->dir, c->files[i].name) < 0)
		return series_fail(-ENOMEM, "out of memory");
	err = series_copy_new(&c->open, path);
	if (!err && strcmp(series_copy_host(c->open), c->host))
		err = series_fail(-EPERM, "'%s' is of host '%s'", path, series_copy_host(c->open));
	free(path);
	if (err)
		copies_close(c);
	return err;
}

/* ---- when ---- */

/* The next time the clock stands at this host's second of the minute. */
static int64_t next_minute(const struct copies *c, int64_t wall_ns)
{
	int64_t at =
		(int64_t)(crc32(0, (const unsigned char *)c->host, (unsigned int)strlen(c->host)) %
			  60) *
		NS_PER_S;
	int64_t minute = 60 * NS_PER_S;

	return wall_ns + minute - ((wall_ns - at) % minute + minute) % minute;
}

/* Nothing is new in it. */
static void is_complete(struct copies *c, struct copied_file *f, int64_t wall_ns)
{
	copies_close(c);
	if (wall_ns > f->day_end_ns + DAY_END_NS)
		f->complete = true;
	else if (f == c->files)
		f->retry_ns = next_minute(c, wall_ns);
	else
		f->retry_ns = wall_ns + RETRY_NS;
}

/* ---- what ---- */

/* 1: a question or a part; 0: nothing is new in that file. */
static int copies_of_file(struct copies *c, size_t i, int64_t wall_ns, struct text *body,
			  char path[COPIES_PATH_LEN])
{
	struct copied_file *f = &c->files[i];
	struct text part TEXT_SCOPED = {0};
	struct series_cursor next;
	int err = open_file(c, i);

	c->current = i;
	c->sent = f->known;
	if (!err && f->known)
		err = series_copy_out(c->open, &f->at, wall_ns - PLAIN_NS, &part, &next);
	if (err < 0)
		return err;
	if (f->known && !err) {
		is_complete(c, f, wall_ns);
		return 0;
	}
	snprintf(path, COPIES_PATH_LEN, "%s%s?origin=%lld", EXCHANGE_SERIES, f->name,
		 (long long)series_copy_origin(c->open));
	if (f->known) {
		int64_t rate = i ? COPIES_OLDER_RATE : COPIES_NEWEST_RATE;

		c->next_ns = wall_ns + (int64_t)part.len * NS_PER_S / rate;
		err = wire_put_copy(c->host, wall_ns, text_of(&part), part.len, body);
	}
	return err < 0 ? err : 1;
}

int copies_next(struct copies *c, int64_t wall_ns, struct text *body, char path[COPIES_PATH_LEN])
{
	int err = copies_list(c, wall_ns);

	/* A clock that was set back is no reason to wait. */
	if (c->next_ns > wall_ns + LIST_NS)
		c->next_ns = wall_ns;
	if (err || wall_ns < c->next_ns)
		return err;
	for (size_t i = 0; i < c->n; i++) {
		struct copied_file *f = &c->files[i];

		if (f->complete || (f->retry_ns > wall_ns && f->retry_ns <= wall_ns + RETRY_NS))
			continue;
		err = copies_of_file(c, i, wall_ns, body, path);
		if (err > 0)
			return err;
		if (!err)
			continue;
		copies_close(c);
		f->retry_ns = wall_ns + RETRY_NS;
		/* A file that was just begun, one that is gone, or one that changed while it was read. */
		if (err == -ENODATA || err == -ENOENT || err == -ESTALE)
			continue;
		return err;
	}
	return 0;
}

bool copies_answered(struct copies *c, const struct series_cursor *now)
{
	struct copied_file *f = &c->files[c->current];

	if (c->sent && !memcmp(&f->at, now, sizeof(*now)))
		return false;
	f->at = *now;
	f->known = true;
	return true;
}

int copies_count(const char *dir, const char *host, size_t *n, uint64_t *bytes)
{
	struct copies c = {.dir = dir, .host = host};
	int err = list_files(&c);

	*n = c.n;
	*bytes = 0;
	for (size_t i = 0; i < c.n; i++) {
		struct stat st;
		char *path;

		if (asprintf(&path, "%s/%s", dir, c.files[i].name) < 0)
			continue;
		*bytes += stat(path, &st) ? 0 : (uint64_t)st.st_size;
		free(path);
	}
	free(c.files);
	return err;
}
