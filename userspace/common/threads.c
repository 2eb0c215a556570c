// SPDX-License-Identifier: BSD-2-Clause
#include "threads.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct thread_begin {
	const char *name;
	void *(*fn)(void *arg);
	void *arg;
};

/* The thread names itself: another's name is a file in /proc, which the probe has no right to write. */
static void *begin(void *arg)
{
	struct thread_begin b = *(struct thread_begin *)arg;

	free(arg);
	pthread_setname_np(pthread_self(), b.name);
	return b.fn(b.arg);
}

int thread_start(pthread_t *t, const char *name, void *(*fn)(void *arg), void *arg)
{
	struct thread_begin *b = malloc(sizeof(*b));
	sigset_t all, before;
	int err;

	if (!b)
		return -ENOMEM;
	*b = (struct thread_begin){name, fn, arg};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(t, NULL, begin, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		free(b);
	return err;
}

void thread_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(c, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

bool thread_pause(pthread_mutex_t *lock, pthread_cond_t *c, unsigned int seconds, const bool *ends)
{
	struct timespec until;
	bool ended;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(lock);
	while (!*ends && pthread_cond_timedwait(c, lock, &until) != ETIMEDOUT)
		;
	ended = *ends;
	pthread_mutex_unlock(lock);
	return ended;
}
