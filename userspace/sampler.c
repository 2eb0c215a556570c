// SPDX-License-Identifier: BSD-2-Clause
/* The two threads that take the samples: sweeps on the second, TCP passes between them. */
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/*
 * Sweeps that may wait for the consumer; the ring buffer holds as many (probe.c). When it is full
 * the next sweep is left out: counters are cumulative, so only resolution is lost.
 */
#define MAX_WAITING	4
#define MAX_FAILED	5 /* sweeps in a row */
#define TCP_PASSES_HZ	10
#define TCP_PASS_COSTLY 2000000 /* ns of CPU: above this a pass a second must do */

struct sampler {
	struct sampler_opts o;
	pthread_t sweeper, tcp;
	bool sweeper_runs, tcp_runs;
	int stop_fd, ready_fd, timer_fd;
	struct reading waiting[MAX_WAITING];
	atomic_uint head, tail; /* written by consumer, by sweeper */
	atomic_uint failed;	/* sweeps in a row */
	pthread_mutex_t trouble_lock;
	char trouble[1024], told[1024];
};

static int64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

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

/* ---- sweeps ---- */

/* Follows disks that go and come back; the slot keeps its place. */
static void follow_disks(struct sampler *s, const struct reading *r)
{
	for (size_t i = 0; i < s->o.n_disks; i++) {
		struct disk *d = &s->o.disks[i];

		if (r->disk_ok[i])
			continue;
		if (disk_came_back(d)) {
			probe_set_disk(s->o.probe, i, d->dev);
			trouble(s, "disk '%s' is back", d->name);
		} else if (d->dev) {
			d->dev = 0;
			probe_set_disk(s->o.probe, i, 0);
			trouble(s, "disk '%s' has gone; the rest is recorded", d->name);
		}
	}
}

static void take_sample(struct sampler *s, int64_t due_ns, uint64_t *seq)
{
	unsigned int tail = atomic_load(&s->tail);
	struct reading *r = &s->waiting[tail % MAX_WAITING];
	int err;

	if (tail - atomic_load(&s->head) == MAX_WAITING)
		return;
	reader_read(s->o.reader, s->o.disks, s->o.n_disks, r);
	r->due_ns = due_ns;
	r->seq = *seq;
	r->missed_events = probe_missed_events(s->o.probe);
	err = probe_sweep(s->o.probe, *seq);
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

/* Arms the timer for the next multiple of the interval; returns when that is. */
static int64_t arm(struct sampler *s)
{
	int64_t step = (int64_t)s->o.interval_s * 1000000000;
	int64_t due = (now_ns(CLOCK_REALTIME) / step + 1) * step;
	struct itimerspec t = {.it_value = {due / 1000000000, 0}};

	/* CANCEL_ON_SET: a step of the clock ends the wait, and the next second is found anew. */
	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &t, NULL);
	return due;
}

static void *sweeper_main(void *arg)
{
	struct sampler *s = arg;
	struct sched_param param = {.sched_priority = 10};
	struct pollfd p[2] = {{.fd = s->timer_fd, .events = POLLIN},
			      {.fd = s->stop_fd, .events = POLLIN}};
	uint64_t seq = 1, expired;

	/* Without the right to it, merely less punctual: late_ns tells. */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	features_drop_caps();
	for (;;) {
		int64_t due = arm(s);

		poll(p, 2, -1);
		if (p[1].revents)
			return NULL;
		if (read(s->timer_fd, &expired, sizeof(expired)) == sizeof(expired))
			take_sample(s, due, &seq);
	}
}

/* ---- tcp passes ---- */

static void *tcp_main(void *arg)
{
	struct sampler *s = arg;
	struct pollfd p = {.fd = s->stop_fd, .events = POLLIN};
	int64_t step = 1000000000 / TCP_PASSES_HZ, cost = 0;
	bool told = false;

	if (s->o.netns->fd >= 0 && setns(s->o.netns->fd, CLONE_NEWNET)) {
		trouble(s, "cannot enter the network namespace: %s", strerror(errno));
		return NULL;
	}
	features_drop_caps();
	for (;;) {
		int64_t now = now_ns(CLOCK_REALTIME), cpu;
		/* Between the sweeps, never on one: half a step after each multiple. */
		int64_t wait = step - (now + step / 2) % step;
		int err;

		if (poll(&p, 1, (int)(wait / 1000000) + 1))
			return NULL;
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
		err = probe_tcp_pass(s->o.probe);
		if (err && !told) {
			trouble(s, "cannot look at the TCP sockets: %s", strerror(-err));
			told = true;
		}
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		cost += (cpu - cost) / 8;
		if (step < 1000000000 && cost > TCP_PASS_COSTLY) {
			step = 1000000000;
			trouble(s, "a look at all TCP sockets costs over 2 ms: once a second "
				   "from now on, not ten times");
		}
	}
}

/* ---- life cycle ---- */

static int start_thread(pthread_t *t, const char *name, void *(*fn)(void *), struct sampler *s,
			bool *runs)
{
	sigset_t all, before;
	int err;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = -pthread_create(t, NULL, fn, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*runs = !err;
	if (*runs)
		pthread_setname_np(*t, name);
	return err;
}

int sampler_start(struct sampler **out, const struct sampler_opts *opts, char *why)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int err = 0;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->o = *opts;
	pthread_mutex_init(&s->trouble_lock, NULL);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	s->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->timer_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
	if (s->stop_fd < 0 || s->ready_fd < 0 || s->timer_fd < 0)
		err = -errno;
	if (!err)
		err = start_thread(&s->sweeper, "limpet-sweep", sweeper_main, s, &s->sweeper_runs);
	if (!err && probe_status(opts->probe)[PROBE_TCP].ok)
		err = start_thread(&s->tcp, "limpet-tcp", tcp_main, s, &s->tcp_runs);
	if (err) {
		snprintf(why, WHY_LEN, "cannot start the sampling threads: %s", strerror(-err));
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
	if (s->sweeper_runs)
		pthread_join(s->sweeper, NULL);
	if (s->tcp_runs)
		pthread_join(s->tcp, NULL);
	close(s->stop_fd);
	close(s->ready_fd);
	close(s->timer_fd);
	pthread_mutex_destroy(&s->trouble_lock);
	free(s);
}

int sampler_fd(const struct sampler *s)
{
	return s->ready_fd;
}

bool sampler_take(struct sampler *s, struct reading *out)
{
	unsigned int head = atomic_load(&s->head);
	eventfd_t n;

	if (head == atomic_load(&s->tail)) {
		eventfd_read(s->ready_fd, &n);
		/* One may have come in between: look again before sleeping on the fd. */
		if (head == atomic_load(&s->tail))
			return false;
	}
	*out = s->waiting[head % MAX_WAITING];
	atomic_store(&s->head, head + 1);
	return true;
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
