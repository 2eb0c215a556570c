// SPDX-License-Identifier: BSD-2-Clause
/* keeper.h: a queue of jobs, and the thread that does them. */
#include "keeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "request_words.h"
#include "retention.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/threads.h"

#define RETENTION_EVERY (600 * NS_PER_S)
#define SAY_AGAIN	(60 * NS_PER_S)
#define FILE_LEN	(HOST_LEN + 32)

struct keep_job {
	struct keep_job *next;
	char host[HOST_LEN], file[FILE_LEN];
	int64_t origin;
	keeper_done_fn *done;
	void *arg;
	size_t len;
	char part[];
};

struct open_file {
	char file[FILE_LEN];
	int64_t origin;
	uint64_t used; /* by number of the job */
	struct series_keeper *k;
};

struct keeper {
	char *dir;
	unsigned int keep_days, keep_percent;
	pthread_t thread;
	bool started, ends;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct keep_job *first, **last;
	struct keeper_counts counts;
	size_t waiting_bytes;
	int64_t gone_day;
	int64_t said_aside_ns; /* CLOCK_MONOTONIC; the thread's */
	/* The thread's. */
	struct open_file *open;
	size_t n_open, most_open;
	uint64_t number;
	int64_t looked_ns; /* CLOCK_MONOTONIC: at old days */
	struct retention retention;
};

/* ---- files: the thread's ------------------------------------------------------------------------------- */

static void close_file(struct keeper *k, size_t i)
{
	series_keeper_close(k->open[i].k);
	k->open[i] = k->open[--k->n_open];
}

/* The one that was used longest ago makes room. */
static void make_room(struct keeper *k)
{
	size_t oldest = 0;

	if (k->n_open < k->most_open)
		return;
	for (size_t i = 1; i < k->n_open; i++)
		if (k->open[i].used < k->open[oldest].used)
			oldest = i;
	close_file(k, oldest);
}

static int make_folder(char path[4096], const struct keeper *k, const char *host)
{
	int n = snprintf(path, 4096, "%s/series/%s", k->dir, host);

	if (n < 0 || n >= 4096)
		return series_fail(-ENAMETOOLONG, "the folder's name is too long");
	if (mkdir(path, 0750) && errno != EEXIST)
		return series_fail(-errno, "cannot make '%s': %s", path, strerror(errno));
	return 0;
}

static int open_file(struct keeper *k, const struct keep_job *j, struct open_file **out)
{
	struct open_file new = {.origin = j->origin};
	char path[4096], *aside = NULL;
	int err;

	for (size_t i = 0; i < k->n_open; i++) {
		if (strcmp(k->open[i].file, j->file) != 0)
			continue;
		*out = &k->open[i];
		if (k->open[i].origin == j->origin)
			return 0;
		close_file(k, i);
		break;
	}
	make_room(k);
	err = make_folder(path, k, j->host);
	if (!err)
		err = series_keeper_open(&new.k, path, j->file, j->host, j->origin, &aside);
	if (aside &&
	    (!k->said_aside_ns || clock_ns(CLOCK_MONOTONIC) - k->said_aside_ns > SAY_AGAIN)) {
		k->said_aside_ns = clock_ns(CLOCK_MONOTONIC);
		warn("another recording of that name, or a damaged one, is now '%s'", aside);
	}
	free(aside);
	if (err)
		return err;
	snprintf(new.file, sizeof(new.file), "%s", j->file);
	*out = &k->open[k->n_open];
	k->open[k->n_open++] = new;
	return 0;
}

/* After an error the file is opened anew: what it has then is where it stands. */
static int do_job(struct keeper *k, const struct keep_job *j, struct series_cursor *now)
{
	struct open_file *f = NULL;
	int err = open_file(k, j, &f);

	if (err)
		return err;
	f->used = ++k->number;
	err = j->len ? series_keeper_take(f->k, j->part, j->len) : 0;
	if (!err)
		series_keeper_cursor(f->k, now);
	else
		close_file(k, (size_t)(f - k->open));
	return err;
}

static void look_at_old_days(struct keeper *k)
{
	struct retention_opts o = {.dir = k->dir};

	pthread_mutex_lock(&k->lock);
	o.keep_days = k->keep_days;
	o.keep_percent = k->keep_percent;
	pthread_mutex_unlock(&k->lock);
	retention_look(&k->retention, &o, clock_ns(CLOCK_REALTIME));
	if (*k->retention.gone) {
		char file[32];

		snprintf(file, sizeof(file), "%s" SERIES_SUFFIX, k->retention.gone);
		pthread_mutex_lock(&k->lock);
		k->gone_day = series_file_day(file);
		pthread_mutex_unlock(&k->lock);
	}
	k->looked_ns = clock_ns(CLOCK_MONOTONIC);
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

static void finish(struct keeper *k, struct keep_job *j)
{
	struct series_cursor now = {0};
	int err = do_job(k, j, &now);

	pthread_mutex_lock(&k->lock);
	k->counts.parts += !err && j->len;
	k->counts.bytes += err ? 0 : j->len;
	k->counts.failed += err != 0;
	k->counts.open = k->n_open;
	/* What a sender did wrong is no trouble of ours. */
	if (err != -EBADMSG && err != -EINVAL && (err || j->len))
		snprintf(k->counts.trouble, sizeof(k->counts.trouble), "%s",
			 err ? series_error() : "");
	k->counts.waiting--;
	k->waiting_bytes -= j->len;
	pthread_mutex_unlock(&k->lock);
	j->done(j->arg, err, &now);
	free(j);
}

/* The next job: NULL for now, or, with *ends, for good. */
static struct keep_job *next_job(struct keeper *k, bool *ends)
{
	struct keep_job *j;

	pthread_mutex_lock(&k->lock);
	while (!k->first && !k->ends) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += RETENTION_EVERY / NS_PER_S;
		if (pthread_cond_timedwait(&k->more, &k->lock, &until))
			break;
	}
	j = k->first;
	if (j) {
		k->first = j->next;
		k->last = k->first ? k->last : &k->first;
	}
	*ends = !j && k->ends;
	pthread_mutex_unlock(&k->lock);
	return j;
}

static void *run(void *arg)
{
	struct keeper *k = arg;
	struct keep_job *j;
	bool ends;

	look_at_old_days(k);
	while ((j = next_job(k, &ends)) || !ends) {
		if (j)
			finish(k, j);
		if (clock_ns(CLOCK_MONOTONIC) - k->looked_ns > RETENTION_EVERY)
			look_at_old_days(k);
	}
	while (k->n_open)
		close_file(k, k->n_open - 1);
	return NULL;
}

/* ---- for others ---------------------------------------------------------------------------------------- */

int keeper_take(struct keeper *k, const char *host, const char *file, int64_t origin,
		const void *part, size_t len, keeper_done_fn *done, void *arg)
{
	struct keep_job *j = malloc(sizeof(*j) + len);
	bool full;

	if (!j)
		return -ENOMEM;
	*j = (struct keep_job){.origin = origin, .done = done, .arg = arg, .len = len};
	snprintf(j->host, sizeof(j->host), "%s", host);
	snprintf(j->file, sizeof(j->file), "%s", file);
	if (len)
		memcpy(j->part, part, len);
	pthread_mutex_lock(&k->lock);
	full = k->counts.waiting == KEEPER_JOBS || k->waiting_bytes + len > KEEPER_BYTES;
	if (!full) {
		*k->last = j;
		k->last = &j->next;
		k->counts.waiting++;
		k->waiting_bytes += len;
		pthread_cond_signal(&k->more);
	}
	pthread_mutex_unlock(&k->lock);
	if (full)
		free(j);
	return full ? -EAGAIN : 0;
}

void keeper_set_bounds(struct keeper *k, unsigned int keep_days, unsigned int keep_percent)
{
	pthread_mutex_lock(&k->lock);
	k->keep_days = keep_days;
	k->keep_percent = keep_percent;
	pthread_mutex_unlock(&k->lock);
}

unsigned int keeper_keep_days(struct keeper *k)
{
	unsigned int days;

	pthread_mutex_lock(&k->lock);
	days = k->keep_days;
	pthread_mutex_unlock(&k->lock);
	return days;
}

int64_t keeper_gone_day(struct keeper *k)
{
	int64_t day;

	pthread_mutex_lock(&k->lock);
	day = k->gone_day;
	pthread_mutex_unlock(&k->lock);
	return day;
}

void keeper_counts(struct keeper *k, struct keeper_counts *out)
{
	pthread_mutex_lock(&k->lock);
	*out = k->counts;
	pthread_mutex_unlock(&k->lock);
}

/* Three descriptors each; the most of what there is are senders'. */
static size_t most_open(void)
{
	struct rlimit l;
	size_t n = getrlimit(RLIMIT_NOFILE, &l) ? 0 : (size_t)(l.rlim_cur / KEEPER_SHARE);

	return n < KEEPER_OPEN_LEAST ? KEEPER_OPEN_LEAST : n > KEEPER_OPEN ? KEEPER_OPEN : n;
}

static int keeper_start(struct keeper *k)
{
	char path[4096];
	int err;

	if (snprintf(path, sizeof(path), "%s/series", k->dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (mkdir(path, 0750) && errno != EEXIST)
		return -errno;
	err = thread_start(&k->thread, "keeper", run, k);
	k->started = !err;
	return err;
}

int keeper_new(struct keeper **out, const struct keeper_opts *o)
{
	struct keeper *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!k) {
		fail("out of memory");
		return -ENOMEM;
	}
	k->keep_days = o->keep_days;
	k->keep_percent = o->keep_percent;
	k->last = &k->first;
	k->gone_day = -1;
	pthread_mutex_init(&k->lock, NULL);
	thread_cond_init(&k->more);
	k->dir = strdup(o->dir);
	k->most_open = most_open();
	k->open = calloc(k->most_open, sizeof(*k->open));
	err = k->dir && k->open ? keeper_start(k) : -ENOMEM;
	if (err) {
		fail("cannot keep anything in '%s': %s", o->dir, strerror(-err));
		keeper_free(k);
		return err;
	}
	*out = k;
	return 0;
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	k->ends = true;
	pthread_cond_signal(&k->more);
	pthread_mutex_unlock(&k->lock);
	if (k->started)
		pthread_join(k->thread, NULL);
	pthread_cond_destroy(&k->more);
	pthread_mutex_destroy(&k->lock);
	free(k->open);
	free(k->dir);
	free(k);
}
