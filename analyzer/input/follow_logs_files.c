// SPDX-License-Identifier: BSD-2-Clause
/* follow_logs.h: which files there are, and which of them have changed. */
#include "follow_logs_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyzer/input/logs/log_bytes.h"
#include "source_bad.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* A folder that has changed so lately may change once more within its time stamp. */
#define SAME_STAMP_NS (2 * NS_PER_S)
/* What has not changed for t is looked at again after t / 16. */
#define SELDOM 16

static bool same_log(const char *x, const char *y)
{
	size_t n = log_stem_len(x);

	return n == log_stem_len(y) && !memcmp(x, y, n);
}

static struct stream *stream_beside(const struct follow_logs *f, size_t at, const char *path)
{
	if (at && same_log(f->file[at - 1].path, path))
		return f->file[at - 1].of;
	if (at < f->n_files && same_log(f->file[at].path, path))
		return f->file[at].of;
	return calloc(1, sizeof(struct stream));
}

int follow_logs_add(struct follow_logs *f, const char *path, bool folder)
{
	size_t at = search_first(i, f->n_files, log_order(f->file[i].path, path) < 0);
	struct stream *of;
	struct file *new;
	char *copy;

	if ((at < f->n_files && !strcmp(f->file[at].path, path)) || f->n_files >= SOURCE_LOGS_MAX)
		return 0;
	of = stream_beside(f, at, path);
	copy = strdup(path);
	new = of &&copy ? array_insert(&f->file, &f->n_files, at) : NULL;
	if (!new) {
		if (of && !of->files)
			free(of);
		free(copy);
		return -ENOMEM;
	}
	*new = (struct file){.path = copy, .of = of, .folder = folder, .fresh = true};
	of->files++;
	return 0;
}

int follow_logs_folder(struct follow_logs *f, const char *path, int deep)
{
	struct folder *new;
	char *copy;

	for (size_t i = 0; i < f->n_folders; i++)
		if (!strcmp(f->folder[i].path, path))
			return 0;
	copy = strdup(path);
	new = copy ? array_add(&f->folder, &f->n_folders) : NULL;
	if (!new) {
		free(copy);
		return -ENOMEM;
	}
	*new = (struct folder){.path = copy, .deep = deep, .mtime_ns = INT64_MIN};
	return 0;
}

/* Of what has not changed since then. */
static int64_t next_look(int64_t now_ns, int64_t changed_ns)
{
	int64_t idle = (now_ns - changed_ns) / SELDOM;

	return now_ns + (idle < FOLLOW_SELDOM_S * NS_PER_S ? idle : FOLLOW_SELDOM_S * NS_PER_S);
}

/* ---- folders ------------------------------------------------------------------------------------------ */

static int take_name(struct follow_logs *f, const char *path, const char *name, int deep)
{
	struct stat st;

	if (lstat(path, &st))
		return 0; /* it is gone */
	if (S_ISDIR(st.st_mode) && log_bytes_folder(path))
		return follow_logs_add(f, path, true);
	if (S_ISDIR(st.st_mode))
		return deep ? follow_logs_folder(f, path, deep - 1) : 0;
	return S_ISREG(st.st_mode) && source_may_be_log(name) ? follow_logs_add(f, path, false) : 0;
}

/* i: the array may move, as folders in it are added. */
static int scan(struct follow_logs *f, size_t i)
{
	int deep = f->folder[i].deep, err = 0;
	DIR *d = opendir(f->folder[i].path);
	struct dirent *e;
	char *path;

	while (d && !err && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", f->folder[i].path, e->d_name) < 0) {
			err = -ENOMEM;
			break;
		}
		err = take_name(f, path, e->d_name, deep);
		free(path);
	}
	if (d)
		closedir(d);
	return err;
}

static void forget_folder(struct follow_logs *f, size_t i)
{
	free(f->folder[i].path);
	f->folder[i] = f->folder[--f->n_folders];
}

static int look_at_folders(struct follow_logs *f)
{
	struct timespec now;
	struct stat st;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	for (size_t i = 0; i < f->n_folders && !err; i++) {
		struct folder *d = &f->folder[i];
		int64_t mtime_ns;

		if (!f->rescan && f->now_ns < d->due_ns)
			continue;
		if (stat(d->path, &st)) {
			if (d->deep < SOURCE_LOGS_DEEP)
				forget_folder(f, i--);
			continue;
		}
		mtime_ns = ns_of_timespec(st.st_mtim);
		if (mtime_ns != d->mtime_ns)
			d->changed_ns = f->now_ns;
		d->due_ns = next_look(f->now_ns, d->changed_ns);
		if (!f->rescan && d->mtime_ns == mtime_ns &&
		    mtime_ns < d->scanned_ns - SAME_STAMP_NS)
			continue;
		d->mtime_ns = mtime_ns;
		d->scanned_ns = ns_of_timespec(now);
		err = scan(f, i);
	}
	f->rescan = false;
	return err;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static void look_at_file(struct follow_logs *f, struct file *x, const struct stat *st)
{
	int64_t mtime_ns = ns_of_timespec(st->st_mtim);

	x->fresh = x->folder || x->device != st->st_dev || x->inode != st->st_ino ||
		   x->size != st->st_size || x->mtime_ns != mtime_ns;
	x->device = st->st_dev;
	x->inode = st->st_ino;
	x->size = st->st_size;
	x->mtime_ns = mtime_ns;
	x->looked = f->looks;
	x->of->dirty |= x->fresh;
	x->changed_ns = x->fresh ? f->now_ns : x->changed_ns;
	x->due_ns = next_look(f->now_ns, x->changed_ns);
}

/* A file that is gone; its stream goes with the last of its files. */
static void forget_file(struct follow_logs *f, struct file *x)
{
	x->of->dirty = true;
	f->finished = false;
	if (!--x->of->files) {
		f->n_logs -= x->of->known;
		log_close(x->of->log);
		free(x->of);
	}
	free(x->path);
}

/* Those that are due; of logs of which one file has changed also the others. */
static void look_at_files(struct follow_logs *f, bool due)
{
	size_t kept = 0;
	struct stat st;

	for (size_t i = 0; i < f->n_files; i++) {
		struct file x = f->file[i];
		bool wanted = due ? f->now_ns >= x.due_ns || x.of->missing
				  : x.of->dirty && x.looked != f->looks;

		if (wanted && stat(x.path, &st)) {
			forget_file(f, &x);
			continue;
		}
		if (wanted)
			look_at_file(f, &x, &st);
		f->file[kept++] = x;
	}
	f->n_files = kept;
}

int follow_logs_look(struct follow_logs *f)
{
	int err = look_at_folders(f);

	f->looks++;
	look_at_files(f, true);
	look_at_files(f, false);
	return err;
}
