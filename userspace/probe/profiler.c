// SPDX-License-Identifier: BSD-2-Clause
/* When to look at the server's threads, and a thread that does. */
#include "profiler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "userspace/common/clock.h"
#include "userspace/common/threads.h"

#define STEP_LEAST   (NS_PER_S / 10)
#define STEP_MOST    NS_PER_S
#define SHARE_OF_CPU 100 /* a hundredth of a processor */
/* A look more or less a second is not worth a message: one in three is, and once a minute is enough. */
#define TELL_RATIO    1.5
#define TELL_EVERY_NS (60 * NS_PER_S)
/* The first looks ask for the names of all functions there are on stacks. */
#define LOOKS_FIRST 3

struct profiler {
	struct profile *profile;
	const struct rights *rights;
	pthread_t thread;
	int stop_fd;
	sem_t ended;
	int rights_err;
	char rights_why[WHY_LEN];
	unsigned int seed;
	int64_t cost_ns, step_ns, step_told_ns, told_ns;
	bool user_stacks;     /* are asked for */
	bool look_told;	      /* that looking does not work */
	pthread_mutex_t lock; /* of what follows */
	struct profile_totals totals;
	int64_t minute_ns;	       /* when what is being counted began */
	struct profiler_stacks stacks; /* not taken yet */
	char trouble[256], told[256];
};

static void say(struct profiler *p, const char *text)
{
	pthread_mutex_lock(&p->lock);
	snprintf(p->trouble, sizeof(p->trouble), "%s", text);
	pthread_mutex_unlock(&p->lock);
}

/* By what looks cost, averaged over some. */
static void set_pace(struct profiler *p, int64_t cost_ns)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	char text[160];
	double ratio;

	if (profile_totals(p->profile)->looks <= LOOKS_FIRST)
		return;
	p->cost_ns += (cost_ns - p->cost_ns) / 8;
	p->step_ns = p->cost_ns * SHARE_OF_CPU;
	p->step_ns = p->step_ns < STEP_LEAST ? STEP_LEAST : p->step_ns;
	p->step_ns = p->step_ns > STEP_MOST ? STEP_MOST : p->step_ns;
	ratio = (double)p->step_ns / (double)p->step_told_ns;
	if ((ratio < TELL_RATIO && 1 / ratio < TELL_RATIO) ||
	    (p->told_ns && now - p->told_ns < TELL_EVERY_NS))
		return;
	p->told_ns = now;
	p->step_told_ns = p->step_ns;
	snprintf(
		text, sizeof(text),
		"a look at %zu thread%s costs %.1f ms of processor time: %.1f a second from now on",
		profile_threads(p->profile), profile_threads(p->profile) == 1 ? "" : "s",
		(double)p->cost_ns / NS_PER_MS, (double)NS_PER_S / (double)p->step_ns);
	say(p, text);
}

/* With the lock: what was not taken in time is lost, which is a minute in which nothing was written. */
static void end_minute(struct profiler *p, int64_t now)
{
	free(p->stacks.folded);
	free(p->stacks.user);
	p->stacks = (struct profiler_stacks){p->minute_ns, now, profile_take_stacks(p->profile),
					     profile_take_user_stacks(p->profile)};
	p->minute_ns = now;
}

bool profiler_take_stacks(struct profiler *p, bool all, struct profiler_stacks *out)
{
	pthread_mutex_lock(&p->lock);
	if (all && !p->stacks.folded && !p->stacks.user)
		end_minute(p, clock_ns(CLOCK_REALTIME));
	*out = p->stacks;
	p->stacks.folded = p->stacks.user = NULL;
	pthread_mutex_unlock(&p->lock);
	return out->folded || out->user;
}

int profiler_set_cgroups(struct profiler *p, const char *const *cgroups, size_t n)
{
	int err;

	/* Which the thread holds whenever it reads them. */
	pthread_mutex_lock(&p->lock);
	err = profile_set_cgroups(p->profile, cgroups, n);
	pthread_mutex_unlock(&p->lock);
	return err;
}

void profiler_set_pids(struct profiler *p, const uint32_t *pids, size_t n)
{
	pthread_mutex_lock(&p->lock);
	profile_set_pids(p->profile, pids, n);
	pthread_mutex_unlock(&p->lock);
}

/* With the lock for as long as the groups are read. */
static void refresh(struct profiler *p)
{
	const char *trouble;

	pthread_mutex_lock(&p->lock);
	trouble = profile_refresh(p->profile);
	pthread_mutex_unlock(&p->lock);
	if (trouble)
		say(p, trouble);
}

/* With stacks of user space, whose samples must not wait long, in steps. Whether to stop. */
static bool wait_until(struct profiler *p, int64_t due)
{
	struct pollfd stop = {.fd = p->stop_fd, .events = POLLIN};
	int64_t now;

	do {
		int64_t left;

		now = clock_ns(CLOCK_MONOTONIC);
		left = due > now ? due - now : 0;
		if (p->user_stacks && left > STEP_LEAST)
			left = STEP_LEAST;
		if (poll(&stop, 1, (int)(left / NS_PER_MS)) > 0)
			return true;
		pthread_mutex_lock(&p->lock);
		profile_collect(p->profile);
		pthread_mutex_unlock(&p->lock);
	} while (p->user_stacks && due - now > STEP_LEAST);
	return false;
}

static void look(struct profiler *p)
{
	int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t now = clock_ns(CLOCK_REALTIME);
	char text[128];
	int err;

	/* Whoever waits for the lock, waits for some milliseconds, once a second. */
	pthread_mutex_lock(&p->lock);
	if (now / (60 * NS_PER_S) != p->minute_ns / (60 * NS_PER_S))
		end_minute(p, now);
	err = profile_look(p->profile);
	p->totals = *profile_totals(p->profile);
	pthread_mutex_unlock(&p->lock);
	if (err && !p->look_told) {
		snprintf(text, sizeof(text), "cannot look at the server's threads: %s",
			 strerror(-err));
		say(p, text);
	}
	p->look_told = err != 0;
	set_pace(p, clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
}

static void *profiler_main(void *arg)
{
	struct profiler *p = arg;
	int64_t from = clock_ns(CLOCK_MONOTONIC), refreshed = 0;

	p->rights_err = rights_end(p->rights, p->rights_why);
	sem_post(&p->ended);
	while (!p->rights_err) {
		/* Steps that were missed are left out. */
		int64_t now = clock_ns(CLOCK_MONOTONIC), due;

		from += p->step_ns;
		from = from < now - p->step_ns ? now : from;
		due = from + rand_r(&p->seed) % 1000 * (p->step_ns / 1000);
		if (wait_until(p, due))
			break;
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - refreshed >= NS_PER_S) {
			refresh(p);
			refreshed = now;
		}
		look(p);
	}
	return NULL;
}

static int start_thread(struct profiler *p)
{
	int err = thread_start(&p->thread, "limpet-profile", profiler_main, p);

	if (err)
		return err;
	while (sem_wait(&p->ended) && errno == EINTR)
		;
	return 0;
}

static void release(struct profiler *p)
{
	profile_free(p->profile);
	free(p->stacks.folded);
	free(p->stacks.user);
	if (p->stop_fd >= 0)
		close(p->stop_fd);
	sem_destroy(&p->ended);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

int profiler_start(struct profiler **out, const struct profiler_opts *o, char *why)
{
	struct profile_opts po = {
		.follow = probe_follow_threads,
		.look = probe_look_at_threads,
		.name = probe_name_function,
		.source = o->probe,
		.walked = probe_frames_walked(),
		.pids = o->pids,
		.n_pids = o->n_pids,
		.cgroups = o->cgroups,
		.n_cgroups = o->n_cgroups,
	};
	struct profiler *p = calloc(1, sizeof(*p));
	int err = 0;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->user_stacks = probe_status(o->probe)[PROBE_USER_STACKS].ok;
	if (p->user_stacks) {
		po.sample = probe_sample_process;
		po.collect = probe_collect_samples;
	}
	p->rights = o->rights;
	p->seed = (unsigned int)clock_ns(CLOCK_MONOTONIC);
	p->step_ns = p->step_told_ns = STEP_LEAST;
	p->minute_ns = clock_ns(CLOCK_REALTIME);
	pthread_mutex_init(&p->lock, NULL);
	sem_init(&p->ended, 0, 0);
	p->stop_fd = eventfd(0, EFD_CLOEXEC);
	p->profile = profile_new(&po);
	if (p->stop_fd < 0 || !p->profile)
		err = -errno;
	err = err ? err : start_thread(p);
	if (err) {
		snprintf(why, WHY_LEN, "cannot look at the server's threads: %s", strerror(-err));
		release(p);
		return err;
	}
	*out = p;
	if (!p->rights_err)
		return 0;
	err = p->rights_err;
	memcpy(why, p->rights_why, WHY_LEN);
	*out = NULL;
	profiler_stop(p);
	return err;
}

void profiler_stop(struct profiler *p)
{
	if (!p)
		return;
	eventfd_write(p->stop_fd, 1);
	pthread_join(p->thread, NULL);
	release(p);
}

void profiler_totals(struct profiler *p, struct profile_totals *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->totals;
	pthread_mutex_unlock(&p->lock);
}

const char *profiler_trouble(struct profiler *p)
{
	pthread_mutex_lock(&p->lock);
	memcpy(p->told, p->trouble, sizeof(p->told));
	p->trouble[0] = '\0';
	pthread_mutex_unlock(&p->lock);
	return p->told[0] ? p->told : NULL;
}
