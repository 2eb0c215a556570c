// SPDX-License-Identifier: BSD-2-Clause
/* retention.h: one walk over the folders of all servers, then day by day. */
#include "retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/series/series.h"

#define DATE_LEN    8
#define DAYS_STAY   2 /* the one that is written, and the one before */
#define NAME_LENGTH 256

struct kept_file {
	char date[DATE_LEN + 1];
	char host[HOST_LEN];
	char name[NAME_LENGTH];
	uint64_t bytes;
};

struct kept_files {
	struct kept_file *at;
	size_t n;
};

/* The day of HOST-YYYYMMDD.limpet, and of what was set aside of one (HOST-YYYYMMDD-N.limpet, ….damaged). */
static bool day_of(const char *name, const char *host, char date[DATE_LEN + 1])
{
	size_t len = strlen(host);

	if (strncmp(name, host, len) || name[len] != '-' ||
	    strspn(name + len + 1, "0123456789") != DATE_LEN)
		return false;
	memcpy(date, name + len + 1, DATE_LEN);
	date[DATE_LEN] = '\0';
	return name[len + 1 + DATE_LEN] == '.' || name[len + 1 + DATE_LEN] == '-';
}

static int add_files(struct kept_files *f, int root, const char *host)
{
	int fd = openat(root, host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int err = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!err && (e = readdir(dir))) {
		struct kept_file new = {0};
		struct stat st;

		if (!day_of(e->d_name, host, new.date) || strlen(e->d_name) >= sizeof(new.name) ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		memcpy(new.host, host, strlen(host) + 1);
		memcpy(new.name, e->d_name, strlen(e->d_name) + 1);
		new.bytes = (uint64_t)st.st_size;
		err = array_put(&f->at, &f->n, new);
	}
	closedir(dir);
	return err;
}

COMPARISON(by_date, struct kept_file, strcmp(a->date, b->date))

static int list(struct kept_files *f, DIR *root)
{
	const struct dirent *e;
	int err = 0;

	while (!err && (e = readdir(root)))
		if (strlen(e->d_name) < HOST_LEN && !series_check_host(e->d_name))
			err = add_files(f, dirfd(root), e->d_name);
	if (!err)
		sort(f->at, f->n, by_date);
	return err;
}

/* "YYYYMMDD" of so many days ago. */
static void date_of(int64_t now_ns, unsigned int days_ago, char date[DATE_LEN + 1])
{
	time_t t = (time_t)(now_ns / NS_PER_S) - (time_t)days_ago * 86400;
	char text[32];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y%m%d", &tm);
	memcpy(date, text, DATE_LEN);
	date[DATE_LEN] = '\0';
}

/* How many files are of the day of this one, and where the next day begins. */
static size_t day_at(const struct kept_files *f, size_t i, size_t *next)
{
	size_t n = 0;

	for (*next = i; *next < f->n && !strcmp(f->at[*next].date, f->at[i].date); ++*next)
		n++;
	return n;
}

/* The newest day of which there are half as many files as of any; NULL: there is none. */
static const char *newest_day(const struct kept_files *f)
{
	const char *newest = NULL;
	size_t most = 0, next;

	for (size_t i = 0; i < f->n; i = next) {
		size_t n = day_at(f, i, &next);

		most = n > most ? n : most;
	}
	for (size_t i = 0; i < f->n; i = next)
		if (2 * day_at(f, i, &next) >= most)
			newest = f->at[i].date;
	return newest;
}

/* The time that days are counted from: the end of the newest day, or now. So a clock that is ahead removes nothing, and neither does
 * it that a site was off for long. */
static int64_t counted_from(const struct kept_files *f, int64_t now_ns)
{
	const char *day = newest_day(f);
	int64_t end_ns = INT64_MAX;
	struct tm tm = {0};

	if (day && sscanf(day, "%4d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) == 3) {
		tm.tm_year -= 1900;
		tm.tm_mon--;
		end_ns = ((int64_t)timegm(&tm) + 86400) * NS_PER_S - 1;
	}
	return end_ns < now_ns ? end_ns : now_ns;
}

/* Whether the oldest day is of that date or before. */
static bool begins_by(const struct kept_files *f, const char *date)
{
	return f->n && strcmp(f->at[0].date, date) <= 0;
}

/* How full the disk is, as df has it: of what others may use. */
static unsigned int percent_used(int fd)
{
	struct statvfs v;
	double used, all;

	if (fstatvfs(fd, &v) || !v.f_blocks)
		return 0;
	used = (double)(v.f_blocks - v.f_bfree);
	all = used + (double)v.f_bavail;
	return all > 0 ? (unsigned int)(100 * used / all) : 0;
}

/* The first day of the list goes, of all servers; how many files of it there were. */
static size_t remove_day(struct kept_files *f, int root, const char *why)
{
	size_t n = 0, removed = 0;
	double mb = 0;

	while (n < f->n && !strcmp(f->at[n].date, f->at[0].date)) {
		const struct kept_file *x = &f->at[n++];
		int dir = openat(root, x->host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (dir >= 0 && !unlinkat(dir, x->name, 0)) {
			removed++;
			mb += (double)x->bytes / 1e6;
		} else {
			warn("cannot remove '%s/%s': %s", x->host, x->name, strerror(errno));
		}
		if (dir >= 0)
			close(dir);
	}
	if (removed)
		warn("removed the recordings of %s (%zu files, %.1f MB): %s", f->at[0].date,
		     removed, mb, why);
	memmove(f->at, f->at + n, (f->n - n) * sizeof(*f->at));
	f->n -= n;
	return removed;
}

static void warn_before(struct retention *r, const struct kept_files *f, unsigned int used,
			unsigned int bound, int64_t now_ns)
{
	int64_t day = now_ns / NS_PER_DAY;

	if (r->said_day == day || used + RETENTION_WARN_PERCENT <= bound || !f->n)
		return;
	r->said_day = day;
	warn("the disk of the recordings is %u %% full: above %u %% those of %s go", used, bound,
	     f->at[0].date);
}

static void enforce(struct retention *r, const struct retention_opts *o, struct kept_files *f,
		    int root, int64_t now_ns)
{
	int64_t from_ns = counted_from(f, now_ns);
	char date[DATE_LEN + 1], why[100];
	unsigned int used;

	snprintf(why, sizeof(why), "those of %u days are kept", o->keep_days);
	date_of(from_ns, o->keep_days, date);
	while (o->keep_days && begins_by(f, date))
		remove_day(f, root, why);
	snprintf(why, sizeof(why), "the disk is more than %u %% full", o->keep_percent);
	date_of(from_ns, DAYS_STAY, date);
	while ((used = percent_used(root)) > o->keep_percent && begins_by(f, date)) {
		char day[DATE_LEN + 1];

		memcpy(day, f->at[0].date, sizeof(day));
		if (remove_day(f, root, why))
			memcpy(r->gone, day, sizeof(r->gone));
	}
	if (o->keep_percent < 100 && begins_by(f, date))
		warn_before(r, f, used, o->keep_percent, now_ns);
}

void retention_look(struct retention *r, const struct retention_opts *o, int64_t now_ns)
{
	struct kept_files f = {0};
	char path[4096];
	DIR *root;

	snprintf(path, sizeof(path), "%s/series", o->dir);
	root = opendir(path);
	if (root && !list(&f, root))
		enforce(r, o, &f, dirfd(root), now_ns);
	free(f.at);
	if (root)
		closedir(root);
}
