// SPDX-License-Identifier: BSD-2-Clause
#include "disk_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "threads.h"

struct disk_job {
	void (*fn)(void *arg);
	void *arg;
	size_t bytes;
	STAILQ_ENTRY(disk_job) next;
};

struct disk_thread {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	STAILQ_HEAD(, disk_job) jobs;
	size_t waiting, most; /* bytes */
	bool ends;
};

/* NULL: there is nothing to do any more. */
static struct disk_job *disk_job_next(struct disk_thread *d)
{
	struct disk_job *j;

	pthread_mutex_lock(&d->lock);
	while (STAILQ_EMPTY(&d->jobs) && !d->ends)
		pthread_cond_wait(&d->more, &d->lock);
	j = STAILQ_FIRST(&d->jobs);
	if (j)
		STAILQ_REMOVE_HEAD(&d->jobs, next);
	pthread_mutex_unlock(&d->lock);
	return j;
}

static void *disk_thread_main(void *arg)
{
	struct disk_thread *d = arg;
	struct disk_job *j;

	while ((j = disk_job_next(d))) {
		j->fn(j->arg);
		pthread_mutex_lock(&d->lock);
		d->waiting -= j->bytes;
		pthread_mutex_unlock(&d->lock);
		free(j);
	}
	return NULL;
}

struct disk_thread *disk_thread_new(size_t most_bytes)
{
	struct disk_thread *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->more, NULL);
	STAILQ_INIT(&d->jobs);
	d->most = most_bytes;
	if (!thread_start(&d->thread, "disk", disk_thread_main, d))
		return d;
	free(d);
	return NULL;
}

void disk_thread_free(struct disk_thread *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->ends = true;
	pthread_cond_signal(&d->more);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->more);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

int disk_thread_do(struct disk_thread *d, void (*fn)(void *arg), void *arg, size_t bytes)
{
	struct disk_job *j = malloc(sizeof(*j));
	bool full;

	if (!j)
		return -ENOMEM;
	*j = (struct disk_job){.fn = fn, .arg = arg, .bytes = bytes};
	pthread_mutex_lock(&d->lock);
	full = d->waiting + bytes > d->most;
	if (!full) {
		STAILQ_INSERT_TAIL(&d->jobs, j, next);
		d->waiting += bytes;
		pthread_cond_signal(&d->more);
	}
	pthread_mutex_unlock(&d->lock);
	if (full)
		free(j);
	return full ? -EAGAIN : 0;
}
