// SPDX-License-Identifier: BSD-2-Clause
/* The two threads that take the samples: sweeps on the second, looks at TCP sockets between them. */
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "look_times.h"
#include "userspace/probe/sources/sockdiag.h"
#include "userspace/common/clock.h"
#include "userspace/common/threads.h"

/*
 * Sweeps that may wait for the consumer, or as many as the ring buffer holds (probe_sweeps_kept()). When
 * it is full the next sweep is left out: counters are cumulative, so only resolution is lost.
 */
#define MAX_WAITING 4
#define MAX_FAILED  5  /* sweeps in a row */
#define PATHS_EVERY 10 /* sweeps: paths of NVMe multipath come and go */

struct sampler {
	struct sampler_opts o;
	pthread_t sweeper, tcp;
	bool sweeper_runs, tcp_runs;
	struct sockdiag *sockdiag; /* NULL: eBPF looks at the TCP sockets */
	int stop_fd, ready_fd, timer_fd;
	struct reading waiting[MAX_WAITING];
	unsigned int may_wait;
	atomic_uint head, tail; /* written by consumer, by sweeper */
	atomic_uint failed;	/* sweeps in a row */
	atomic_bool stopping;
	atomic_bool disk_waits;		/* in its place, behind the last of the disks */
	atomic_bool unwatch[MAX_DISKS]; /* what is asked for */
	sem_t ended; /* posted by each thread that has ended its rights, or could not */
	pthread_mutex_t trouble_lock;
	int rights_err; /* of a thread that could not */
	char rights_why[WHY_LEN];
	char trouble[1024], told[1024];
	bool tcp_told; /* that looking at the sockets does not work */
};

static void trouble(struct sampler *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void trouble(struct sampler *s, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	pthread_mutex_lock(&s->trouble_lock);
	used = strlen(s->trouble);
	if (used)
		used += (size_t)snprintf(s->trouble + used, sizeof(s->trouble) - used, "; ");
	va_start(ap, fmt);
	if (used < sizeof(s->trouble))
		vsnprintf(s->trouble + used, sizeof(s->trouble) - used, fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&s->trouble_lock);
	eventfd_write(s->ready_fd, 1);
}

/* Returns whether the thread may go on. */
static bool end_rights(struct sampler *s)
{
	char why[WHY_LEN];
	int err = rights_end(s->o.rights, why);

	pthread_mutex_lock(&s->trouble_lock);
	if (err) {
		s->rights_err = err;
		memcpy(s->rights_why, why, sizeof(why));
	}
	pthread_mutex_unlock(&s->trouble_lock);
	sem_post(&s->ended);
	return !err;
}

/* ---- sweeps ---- */

/* A disk whose paths' numbers are not to be had shows no requests. */
static void set_paths(struct sampler *s, size_t i)
{
	struct disk *d = &s->o.disks[i];
	int fd;

	if (!s->o.probe || !d->dev || !disk_paths(d, &fd, 1))
		return;
	close(fd);
	d->has_requests = probe_set_paths(s->o.probe, i, d) > 0;
}

static void set_disk(struct sampler *s, size_t i)
{
	struct disk *d = &s->o.disks[i];

	d->in_memory = s->o.probe && probe_set_disk(s->o.probe, i, d);
	set_paths(s, i);
}

/* Follows disks that go and come back; the slot keeps its place. */
static void follow_disk(struct sampler *s, size_t i)
{
	struct disk *d = &s->o.disks[i];

	if (disk_came_back(d)) {
		set_disk(s, i);
		trouble(s, "disk '%s' is back", d->name);
	} else if (d->dev) {
		d->dev = 0;
		set_disk(s, i);
		trouble(s, "disk '%s' has gone; the rest is recorded", d->name);
	}
}

/* What was asked for since: one that is watched again is looked for, as one that was away. */
static void follow_wishes(struct sampler *s)
{
	for (size_t i = 0; i < s->o.n_disks; i++) {
		struct disk *d = &s->o.disks[i];
		bool unwatch = atomic_load(&s->unwatch[i]);

		if (unwatch && !d->unwatched) {
			d->dev = 0;
			disk_close(d);
			set_disk(s, i);
		}
		d->unwatched = unwatch;
	}
}

static void take_new_disk(struct sampler *s)
{
	if (!atomic_load(&s->disk_waits))
		return;
	set_disk(s, s->o.n_disks++);
	atomic_store(&s->disk_waits, false);
}

void sampler_watch_disk(struct sampler *s, size_t place, bool watch)
{
	atomic_store(&s->unwatch[place], !watch);
}

int sampler_add_disk(struct sampler *s, const struct disk *d)
{
	if (atomic_load(&s->disk_waits))
		return -EAGAIN;
	/* Nobody changes n_disks while none waits. */
	if (s->o.n_disks == s->o.max_disks)
		return -ENOSPC;
	s->o.disks[s->o.n_disks] = *d;
	atomic_store(&s->disk_waits, true);
	return 0;
}

static void read_disks(struct sampler *s, struct reading *r)
{
	follow_wishes(s);
	take_new_disk(s);
	r->n_disks = s->o.n_disks;
	for (size_t i = 0; i < s->o.n_disks; i++) {
		struct disk *d = &s->o.disks[i];

		r->disk_unwatched[i] = d->unwatched;
		r->disk_ok[i] = !d->in_memory && !disk_read_stat(d, &r->disk[i]);
		if (d->in_memory && probe_must_poke_disks(s->o.probe))
			disk_poke(d);
		if (!(r->seq % PATHS_EVERY) && !d->unwatched)
			set_paths(s, i);
	}
}

/* A disk that memory says is gone is looked at in /sys, which has the last word. */
static void follow_disks(struct sampler *s, struct reading *r)
{
	for (size_t i = 0; i < s->o.n_disks; i++) {
		struct disk *d = &s->o.disks[i];
		struct disk_counters now;

		if (d->unwatched)
			continue;
		if (!d->in_memory && !r->disk_ok[i])
			follow_disk(s, i);
		else if (d->in_memory && probe_disk_gone(s->o.probe, i)) {
			d->in_memory = false;
			if (disk_read_stat(d, &now))
				follow_disk(s, i);
		}
	}
}

static void take_sample(struct sampler *s, int64_t due_ns, uint64_t *seq)
{
	unsigned int tail = atomic_load(&s->tail);
	struct reading *r = &s->waiting[tail % MAX_WAITING];
	int err;

	if (tail - atomic_load(&s->head) == s->may_wait)
		return;
	reader_read(s->o.reader, r);
	r->due_ns = due_ns;
	r->seq = *seq;
	read_disks(s, r);
	if (s->o.learn_cpus)
		probe_learn_cpus(s->o.probe);
	err = s->o.probe ? probe_sweep(s->o.probe, *seq) : 0;
	if (err) {
		if (!atomic_fetch_add(&s->failed, 1))
			trouble(s, "cannot run the sweep: %s", strerror(-err));
		eventfd_write(s->ready_fd, 1);
		return;
	}
	atomic_store(&s->failed, 0);
	follow_disks(s, r);
	(*seq)++;
	atomic_store(&s->tail, tail + 1);
	eventfd_write(s->ready_fd, 1);
}

/*
 * Arms the timer for every multiple of the interval. CANCEL_ON_SET: a step of the clock ends the
 * wait, and the next second is found anew.
 */
static void arm(struct sampler *s)
{
	int64_t step = (int64_t)s->o.interval_s * NS_PER_S;
	int64_t due = (clock_ns(CLOCK_REALTIME) / step + 1) * step;
	struct itimerspec t = {.it_value = {due / NS_PER_S, 0},
			       .it_interval = {s->o.interval_s, 0}};

	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &t, NULL);
}

static void *sweeper_main(void *arg)
{
	struct sampler *s = arg;
	struct sched_param param = {.sched_priority = 10};
	int64_t step = (int64_t)s->o.interval_s * NS_PER_S;
	uint64_t seq = 1, expired;

	/* Without the right to it, merely less punctual: late_ns tells. */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	if (!end_rights(s))
		return NULL;
	arm(s);
	/* Asked after every arm(), which may undo the wakeup of sampler_stop(). */
	while (!atomic_load(&s->stopping)) {
		ssize_t n = read(s->timer_fd, &expired, sizeof(expired));

		if (atomic_load(&s->stopping))
			break;
		if (n == sizeof(expired))
			take_sample(s, clock_ns(CLOCK_REALTIME) / step * step, &seq);
		else
			arm(s);
	}
	return NULL;
}

/* ---- looks at TCP sockets ---- */

static void tcp_look(struct sampler *s, struct look_args *args)
{
	int err = s->sockdiag ? sockdiag_pass(s->sockdiag) : probe_tcp_look(s->o.probe, args);

	if (err == -ESRCH) {
		trouble(s, "the processes of --pid have gone: from now on all TCP sockets of the "
			   "namespace are looked at");
		err = 0;
	}
	if (err && !s->tcp_told)
		trouble(s, "cannot look at the TCP sockets: %s%s", strerror(-err),
			s->sockdiag && err == -ENOENT ? " (needs the kernel module tcp_diag)" : "");
	s->tcp_told |= err != 0;
}

static void *tcp_main(void *arg)
{
	struct sampler *s = arg;
	struct pollfd p = {.fd = s->stop_fd, .events = POLLIN};
	bool outside = s->o.netns->fd >= 0 && setns(s->o.netns->fd, CLONE_NEWNET);
	struct look_args args = {.walk = 1};
	struct look_times times;
	const char *pace;

	if (outside)
		trouble(s, "cannot enter the network namespace: %s", strerror(errno));
	else if (s->sockdiag)
		sockdiag_open(s->sockdiag);
	if (!end_rights(s) || outside)
		return NULL;
	look_times_init(&times, s->sockdiag != NULL);
	tcp_look(s, &args);
	for (;;) {
		int64_t wait = look_times_wait(&times, clock_ns(CLOCK_REALTIME)), cpu;

		if (poll(&p, 1, (int)(wait / NS_PER_MS) + 1))
			return NULL;
		args = look_times_begin(&times, clock_ns(CLOCK_REALTIME));
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		tcp_look(s, &args);
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		pace = look_times_end(&times, &args, cpu);
		if (pace)
			trouble(s, "%s", pace);
	}
}

/* ---- life cycle ---- */

static int start_thread(pthread_t *t, const char *name, void *(*fn)(void *), struct sampler *s,
			bool *runs)
{
	int err = thread_start(t, name, fn, s);

	*runs = !err;
	return err;
}

/* Threads that have begun their work have no rights by then: 0, or why one has not. */
static int wait_for_rights(struct sampler *s, char *why)
{
	for (int left = s->sweeper_runs + s->tcp_runs; left; left--)
		while (sem_wait(&s->ended) && errno == EINTR)
			;
	if (s->rights_err)
		memcpy(why, s->rights_why, WHY_LEN);
	return s->rights_err;
}

int sampler_start(struct sampler **out, const struct sampler_opts *opts, char *why)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int err = 0;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->o = *opts;
	s->may_wait = opts->probe ? probe_sweeps_kept(opts->probe) : MAX_WAITING;
	pthread_mutex_init(&s->trouble_lock, NULL);
	sem_init(&s->ended, 0, 0);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	s->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->timer_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
	if (s->stop_fd < 0 || s->ready_fd < 0 || s->timer_fd < 0)
		err = -errno;
	for (size_t i = 0; !err && i < opts->n_disks; i++)
		set_disk(s, i);
	if (!err)
		err = start_thread(&s->sweeper, "limpet-sweep", sweeper_main, s, &s->sweeper_runs);
	if (!probe_status(opts->probe)[PROBE_TCP].ok) {
		s->sockdiag = sockdiag_new(opts->ports, opts->n_ports);
		err = err ? err : s->sockdiag ? 0 : -errno;
	}
	if (!err)
		err = start_thread(&s->tcp, "limpet-tcp", tcp_main, s, &s->tcp_runs);
	if (err)
		snprintf(why, WHY_LEN, "cannot start the sampling threads: %s", strerror(-err));
	else
		err = wait_for_rights(s, why);
	if (err) {
		sampler_stop(s);
		return err;
	}
	*out = s;
	return 0;
}

void sampler_stop(struct sampler *s)
{
	if (!s)
		return;
	if (s->stop_fd >= 0)
		eventfd_write(s->stop_fd, 1);
	if (s->sweeper_runs) {
		struct itimerspec now = {.it_value = {0, 1}};

		/* The sweeper waits for its timer and nothing else. */
		atomic_store(&s->stopping, true);
		timerfd_settime(s->timer_fd, 0, &now, NULL);
		pthread_join(s->sweeper, NULL);
	}
	if (s->tcp_runs)
		pthread_join(s->tcp, NULL);
	sockdiag_free(s->sockdiag);
	close(s->stop_fd);
	close(s->ready_fd);
	close(s->timer_fd);
	pthread_mutex_destroy(&s->trouble_lock);
	sem_destroy(&s->ended);
	free(s);
}

int sampler_fd(const struct sampler *s)
{
	return s->ready_fd;
}

struct reading *sampler_take(struct sampler *s)
{
	unsigned int head = atomic_load(&s->head);
	eventfd_t n;

	if (head == atomic_load(&s->tail)) {
		eventfd_read(s->ready_fd, &n);
		/* One may have come in between: look again before sleeping on the fd. */
		if (head == atomic_load(&s->tail))
			return NULL;
	}
	return &s->waiting[head % MAX_WAITING];
}

unsigned int sampler_waiting(const struct sampler *s)
{
	return atomic_load(&s->tail) - atomic_load(&s->head);
}

void sampler_done(struct sampler *s)
{
	atomic_fetch_add(&s->head, 1);
}

void sampler_tcp_records(struct sampler *s, uint64_t seq, probe_record_fn fn, void *arg)
{
	if (s->sockdiag)
		sockdiag_records(s->sockdiag, seq, fn, arg);
}

const char *sampler_trouble(struct sampler *s)
{
	pthread_mutex_lock(&s->trouble_lock);
	memcpy(s->told, s->trouble, sizeof(s->told));
	s->trouble[0] = '\0';
	pthread_mutex_unlock(&s->trouble_lock);
	return s->told[0] ? s->told : NULL;
}

bool sampler_failed(const struct sampler *s)
{
	return atomic_load(&s->failed) >= MAX_FAILED;
}
