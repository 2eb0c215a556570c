// SPDX-License-Identifier: BSD-2-Clause
/* Removes the oldest files of this host, so that a disk holds days without end. */
#include "series_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define DATE_LEN     8
#define NAME_MAX_LEN 256

struct day_file {
	char name[NAME_MAX_LEN]; /* by date, and what was set aside of a day before the day's */
	uint64_t bytes;		 /* with its -wal and -shm */
	int open;
	size_t days; /* different dates from here to the last */
};

struct day_files {
	struct day_file *at;
	size_t n;
	uint64_t bytes;
};

static void __attribute__((format(printf, 2, 3)))
tell(struct series_writer *w, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!w->notify)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->notify(w->notify_arg, text);
}

/* HOST-YYYYMMDD.limpet, and nothing else. */
static int is_day_of(const char *name, const char *host)
{
	size_t len = strlen(host);

	if (strncmp(name, host, len) || name[len] != '-')
		return 0;
	name += len + 1;
	if (strspn(name, "0123456789") != DATE_LEN)
		return 0;
	return !strcmp(name + DATE_LEN, SERIES_SUFFIX);
}

static uint64_t size_of(int dir, const char *name, const char *suffix)
{
	char path[NAME_MAX_LEN + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", name, suffix);
	if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_size;
}

static int add(struct day_files *f, int dir, const struct series_writer *w, const char *name)
{
	struct day_file *d;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	d = array_add(&f->at, &f->n);
	if (!d)
		return -ENOMEM;
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->open = st.st_dev == w->file.st_dev && st.st_ino == w->file.st_ino;
	d->bytes = (uint64_t)st.st_size + size_of(dir, name, "-wal") + size_of(dir, name, "-shm");
	f->bytes += d->bytes;
	return 0;
}

/* '-' sorts before '.', so that what was set aside comes first. */
static int by_name(const void *a, const void *b)
{
	const struct day_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int list(struct day_files *f, DIR *dir, const struct series_writer *w)
{
	const struct dirent *e;
	int err = 0;

	while (!err && (e = readdir(dir)))
		if (is_day_of(e->d_name, w->host))
			err = add(f, dirfd(dir), w, e->d_name);
	if (!err)
		sort(f->at, f->n, by_name);
	return err;
}

/* The file last: what is left of an interrupted removal is found again. */
static int remove_day(struct series_writer *w, int dir, struct day_files *f, struct day_file *d)
{
	static const char *const suffixes[] = {"-shm", "-wal", ""};
	char path[NAME_MAX_LEN + 16];
	int failed = 0;

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", d->name, suffixes[i]);
		failed = unlinkat(dir, path, 0);
	}
	if (failed) {
		tell(w, "cannot remove '%s/%s': %s", w->dir, d->name, strerror(errno));
		return -errno;
	}
	f->bytes -= d->bytes;
	d->bytes = 0;
	return 0;
}

static void count_days(const struct series_writer *w, struct day_files *f)
{
	size_t date = strlen(w->host) + 1, days = 0;

	for (size_t i = f->n; i--; f->at[i].days = days)
		days += i + 1 == f->n ||
			strncmp(f->at[i].name + date, f->at[i + 1].name + date, DATE_LEN) != 0;
}

/*
 * Days that there are files of count, not days of the calendar: a clock that once ran years ahead
 * would else remove everything.
 */
static void enforce(struct series_writer *w, int dir, struct day_files *f)
{
	count_days(w, f);
	for (size_t i = 0; i < f->n; i++) {
		struct day_file *d = &f->at[i];
		double mb = (double)d->bytes / 1e6;

		if (d->open)
			continue;
		if (w->keep_days && d->days > w->keep_days) {
			if (!remove_day(w, dir, f, d))
				tell(w, "removed '%s/%s' (%.1f MB), for %u days are kept", w->dir,
				     d->name, mb, w->keep_days);
		} else if (w->keep_bytes && f->bytes > w->keep_bytes) {
			if (!remove_day(w, dir, f, d))
				tell(w, "removed '%s/%s' (%.1f MB), for %.1f MB are kept", w->dir,
				     d->name, mb, (double)w->keep_bytes / 1e6);
		}
	}
	if (w->keep_bytes && f->bytes > w->keep_bytes && !w->told_large) {
		w->told_large = 1;
		tell(w,
		     "the files of host '%s' in '%s' are larger (%.1f MB) than the %.1f MB to "
		     "keep, "
		     "and the day that is written is not removed",
		     w->host, w->dir, (double)f->bytes / 1e6, (double)w->keep_bytes / 1e6);
	}
}

void series_keep(struct series_writer *w)
{
	struct day_files f = {0};
	DIR *dir;
	int err;

	if (!w->keep_days && !w->keep_bytes)
		return;
	dir = opendir(w->dir);
	err = dir ? list(&f, dir, w) : -errno;
	if (err)
		tell(w, "cannot look for old days in '%s': %s", w->dir, strerror(-err));
	else
		enforce(w, dirfd(dir), &f);
	free(f.at);
	if (dir)
		closedir(dir);
}
