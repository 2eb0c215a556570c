// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files that are followed. A reader is opened anew for each look: one that stayed open would keep
 * the writer from removing its -wal at the end, and costs a file descriptor or three per file.
 */
#include "follow_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source_bad.h"
#include "userspace/common/text_clean.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

#define FILES_MAX 200000
#define HOSTS_MAX SOURCE_HOSTS_MAX /* that ever were: who is gone keeps its number */
#define RETRY_NS  (10 * NS_PER_S)  /* a file that is damaged, and does not change */

void follow_say(struct follow *f, const char *fmt, ...)
{
	va_list ap;

	/* The first of a poll: what comes after is often its consequence. */
	if (*f->trouble)
		return;
	va_start(ap, fmt);
	vsnprintf(f->trouble, sizeof(f->trouble), fmt, ap);
	va_end(ap);
	text_clean(f->trouble);
}

void follow_take_in(struct follow_file *file)
{
	file->away = false;
	free(file->why);
	file->why = NULL;
}

int follow_leave_out(struct follow *f, struct follow_file *file, const char *fmt, ...)
{
	va_list ap;
	int n;

	free(file->why);
	file->why = NULL;
	va_start(ap, fmt);
	n = vasprintf(&file->why, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	if (file->away)
		follow_say(f, "'%s' is left out: %s", file->path, file->why);
	else
		follow_say(f, "cannot read '%s': %s", file->path, file->why);
	return 0;
}

/* ---- which there are --------------------------------------------------------------------------*/

static int add_file(void *arg, const char *path)
{
	struct follow *f = arg;
	size_t lo = search_first(i, f->n_files, strcmp(f->file[i].path, path) < 0);
	struct follow_file *at;
	char *copy;

	if (lo < f->n_files && !strcmp(f->file[lo].path, path))
		return 0;
	if (f->n_files == FILES_MAX) {
		follow_say(f, "more than %d files: '%s' is left out", FILES_MAX, path);
		return 0;
	}
	copy = strdup(path);
	at = copy ? array_insert(&f->file, &f->n_files, lo) : NULL;
	if (!at) {
		free(copy);
		return -ENOMEM;
	}
	at->path = copy;
	return 0;
}

static int look_into(struct follow *f, const char *path)
{
	int err, n = source_each(path, source_is_series, alphasort, add_file, f, &err);

	if (n < 0 && errno == ENOTDIR)
		return source_is_beside(path) ? 0 : add_file(f, path);
	if (n < 0)
		follow_say(f, "cannot read '%s': %s", path, strerror(errno));
	return err;
}

static void forget_file(struct follow *f, size_t i)
{
	free(f->file[i].path);
	free(f->file[i].why);
	memmove(&f->file[i], &f->file[i + 1], (f->n_files - i - 1) * sizeof(*f->file));
	f->n_files--;
}

/* ---- what is new ------------------------------------------------------------------------------*/

static int stamp(const char *path, struct file_stamp *s)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	s->inode = (int64_t)st.st_ino;
	s->size = st.st_size;
	s->mtime_ns = ns_of_timespec(st.st_mtim);
	return 0;
}

/* Of the file and its -wal, if it has one. -ENOENT or so if the file is not there. */
static int stamp_both(const char *path, struct file_stamp s[2])
{
	int err = stamp(path, &s[0]);
	char *wal;

	s[1] = (struct file_stamp){0};
	if (err)
		return err;
	if (asprintf(&wal, "%s-wal", path) < 0)
		return -ENOMEM;
	stamp(wal, &s[1]);
	free(wal);
	return 0;
}

/* *number is set only if there is one. */
static int find_host(struct follow *f, const char *name, unsigned int interval_ms, size_t *number)
{
	struct follow_host *h = follow_find_host(f, name);

	if (!h && f->n_hosts == HOSTS_MAX) {
		follow_say(f, "more than %d servers: '%s' is left out", HOSTS_MAX, name);
		return -EUSERS;
	}
	if (!h)
		h = follow_add_host(f, name, interval_ms);
	if (!h)
		return -ENOMEM;
	h->interval_ms = interval_ms < h->interval_ms ? interval_ms : h->interval_ms;
	*number = (size_t)(h - f->host);
	return 0;
}

static int open_file(struct follow *f, struct follow_file *file)
{
	struct source_file now = {.path = file->path};
	char why[400];
	const char *bad;
	int err;

	bad = source_look(&now, why, sizeof(why), &err);
	follow_take_in(file);
	/* Empty: the writer has only begun it. */
	if (bad && err != -ENODATA && err != -ENOMEM && err != -ESTALE &&
	    follow_leave_out(f, file, "%s", bad))
		return -ENOMEM;
	err = err ?: find_host(f, now.host, now.interval_ms, &file->host);
	/* Another server's now, which is left out: no more of the one whose it was. */
	if (err && err != -ENODATA && err != -ESTALE && file->known) {
		f->host[file->host].changed = true;
		file->known = err != -EUSERS && err != -EINVAL;
	}
	if (!err) {
		struct follow_host *h = &f->host[file->host];

		h->changed = true;
		file->total = now.seconds;
		file->first_ns = now.first_ns;
		file->last_ns = now.last_ns;
		file->named = now.named;
		file->known = true;
	}
	return err;
}

/* ---- which of them count ------------------------------------------------------------------------*/

/* Of a second that is in two files the first one counts: as source.h has it. */
COMPARISON_WITH(by_time_and_path, size_t, struct follow,
		ORDER(with->file[*a].first_ns, with->file[*b].first_ns)
			?: strcmp(with->file[*a].path, with->file[*b].path))

/* Which files are whose, so that a host need not look through those of all others. */
static int sort_by_host(struct follow *f)
{
	size_t sum = 0;

	if (array_extend(&f->of_host, f->cap_of_host, f->n_files))
		return -ENOMEM;
	if (f->cap_of_host < f->n_files)
		f->cap_of_host = f->n_files;
	for (size_t i = 0; i < f->n_hosts; i++)
		f->host[i].n_files = 0;
	for (size_t i = 0; i < f->n_files; i++)
		if (f->file[i].known && !f->file[i].away)
			f->host[f->file[i].host].n_files++;
	for (size_t i = 0; i < f->n_hosts; i++) {
		f->host[i].first_file = sum;
		sum += f->host[i].n_files;
		f->host[i].n_files = 0;
	}
	for (size_t i = 0; i < f->n_files; i++) {
		struct follow_host *h;

		if (!f->file[i].known || f->file[i].away)
			continue;
		h = &f->host[f->file[i].host];
		f->of_host[h->first_file + h->n_files++] = i;
	}
	for (size_t i = 0; i < f->n_hosts; i++)
		sort_with(&f->of_host[f->host[i].first_file], f->host[i].n_files, by_time_and_path,
			  f);
	return 0;
}

/*
 * Whether what is new in a file can wait: nothing is given before the next interval is over, and of a host
 * that is beyond that no more is needed for it. A file is opened once an interval then, and not at each poll.
 * Once the interval after it is over too all is looked at: both may be given now.
 */
static bool can_wait(const struct follow *f, const struct follow_file *file, int64_t now_ns)
{
	const struct host_intervals *h;
	int64_t end_ns = f->line.next_ns + f->line.interval_ns;

	if (!file->known || file->failed || f->line.next_ns == INT64_MIN ||
	    now_ns >= end_ns + f->line.interval_ns)
		return false;
	h = &f->host[file->host].intervals; /* of a file that is known */
	return now_ns < end_ns || (h->at && h->last_ns >= end_ns);
}

/* What does not change stays said. */
static void say_unread(struct follow *f, const struct follow_file *file)
{
	if (file->why && !file->away)
		follow_say(f, "cannot read '%s': %s", file->path, file->why);
	else if (file->failed)
		follow_say(f, "'%s' cannot be read, and is tried again", file->path);
}

int follow_look(struct follow *f)
{
	int64_t now_ns = f->now_ns;
	int err = 0;

	for (size_t i = 0; i < f->n_paths && !err; i++)
		err = look_into(f, f->paths[i]);
	for (size_t i = 0; i < f->n_files && !err;) {
		struct follow_file *file = &f->file[i];
		struct file_stamp now[2];
		bool again = file->failed &&
			     (now_ns - file->tried_ns >= RETRY_NS || now_ns < file->tried_ns);

		err = stamp_both(file->path, now);
		if (err && err != -ENOMEM) {
			/* Moved away; should it come back, it is taken up anew. */
			if (file->known)
				f->host[file->host].changed = true;
			forget_file(f, i);
			err = 0;
			continue;
		}
		if (!err && !can_wait(f, file, now_ns) &&
		    (again || !file->known || memcmp(now, file->seen, sizeof(now)))) {
			memcpy(file->seen, now, sizeof(now));
			file->tried_ns = now_ns;
			err = open_file(f, file);
			file->failed = err != 0;
			err = err == -ENOMEM ? err : 0;
		} else {
			say_unread(f, file);
		}
		i++;
	}
	return err ?: follow_check(f) ?: sort_by_host(f);
}
