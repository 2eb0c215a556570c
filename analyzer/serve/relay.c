// SPDX-License-Identifier: BSD-2-Clause
/* relay.h: a queue with a lock, and the thread that empties it. */
#include "relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/map.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/threads.h"
#include "userspace/series/series.h"
#include "userspace/wire/wire.h"

#define SOCKET_BYTES (1 << 20)
#define FULL_WAIT_MS 1000

/* Frames of one host that came together; of what is held, one frame. */
struct parcel {
	int64_t wall_ns;
	uint64_t number; /* by arrival */
	size_t host;
	size_t len;
	char *bytes;
};

struct relay_host {
	char name[HOST_LEN];
	int64_t live_ns; /* INT64_MIN: it has sent nothing */
	size_t waiting;	 /* bytes */
	bool expected;
};

struct relay {
	int fd[2]; /* the judge's end, ours */
	pthread_t thread;
	bool started, ends, holds;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct parcel *at;
	size_t n, cap;
	size_t waiting; /* bytes of them, and of what the thread is writing */
	uint64_t number, bytes;
	int64_t from_ns;
	int64_t since_ns,
		new_ns; /* CLOCK_MONOTONIC: of the start, and of the last host that is new */
	struct relay_host *host;
	size_t n_hosts, n_expected;
	struct map by_name;
};

/* ---- hosts: under the lock --------------------------------------------------------------------------- */

static struct relay_host *host_of(struct relay *r, const char *name)
{
	uint64_t hash = map_hash(name, strlen(name));
	size_t at = map_find(i, &r->by_name, hash, !strcmp(r->host[i].name, name));
	struct relay_host *h = at == MAP_NONE ? NULL : &r->host[at];

	if (h)
		return h;
	h = map_append(&r->by_name, hash, array_add(&r->host, &r->n_hosts), &r->n_hosts);
	if (!h)
		return NULL;
	snprintf(h->name, sizeof(h->name), "%s", name);
	h->live_ns = INT64_MIN;
	r->new_ns = clock_ns(CLOCK_MONOTONIC);
	return h;
}

/* Hosts that have come to the present: of those that are expected, or of all. */
static size_t arrived(const struct relay *r, int64_t now_ns, bool all)
{
	return count_if(i, r->n_hosts,
			(all || r->host[i].expected) &&
				r->host[i].live_ns >= now_ns - RELAY_RECENT_NS);
}

/* The seconds after this are wanted. */
static int64_t wanted(const struct relay *r, const struct relay_host *h)
{
	int64_t least = r->from_ns - 1, now_ns = clock_ns(CLOCK_REALTIME);

	if (least < now_ns - RELAY_BACK_NS)
		least = now_ns - RELAY_BACK_NS;
	if (!r->holds)
		least = now_ns - RELAY_LATE_NS;
	return h->live_ns > least ? h->live_ns : least;
}

/* ---- the queue ----------------------------------------------------------------------------------------- */

/* Under the lock. */
static int put(struct relay *r, struct relay_host *h, int64_t wall_ns, const void *bytes,
	       size_t len)
{
	struct parcel *p = array_refill(&r->at, &r->n, &r->cap);
	char *copy = malloc(len);

	if (!p || !copy) {
		r->n -= p != NULL;
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, bytes, len);
	*p = (struct parcel){wall_ns, r->number++, (size_t)(h - r->host), len, copy};
	r->waiting += len;
	h->waiting += len;
	r->bytes += len;
	return 0;
}

/* What is held is sorted, so each frame is a parcel. */
static int put_each(struct relay *r, struct relay_host *h, const char *bytes, size_t len)
{
	struct wire_decoder *d;
	int err = wire_decoder_new(&d);
	size_t taken = 0;

	while (!err && len) {
		int got = wire_decoder_take(d, bytes, len, &taken);

		if (got > 0)
			err = put(r, h, wire_decoder_wall_ns(d), bytes, taken);
		if (got < 0 || !taken)
			break;
		bytes += taken;
		len -= taken;
	}
	wire_decoder_free(d);
	return err;
}

int relay_take(struct relay *r, const char *host, int64_t first_ns, int64_t last_ns,
	       const void *bytes, size_t len, int64_t *live_ns, unsigned int *wait_ms)
{
	struct relay_host *h;
	int err = 0;

	*wait_ms = 0;
	pthread_mutex_lock(&r->lock);
	h = host_of(r, host);
	if (!h) {
		err = -ENOMEM;
	} else if (len && (r->waiting + len > RELAY_BYTES ||
			   h->waiting + len > RELAY_BYTES / RELAY_SHARE)) {
		*wait_ms = FULL_WAIT_MS;
	} else if (len) {
		err = r->holds ? put_each(r, h, bytes, len) : put(r, h, first_ns, bytes, len);
		if (!err && last_ns > h->live_ns)
			h->live_ns = last_ns;
		pthread_cond_signal(&r->more);
	}
	if (h)
		*live_ns = wanted(r, h);
	pthread_mutex_unlock(&r->lock);
	return err;
}

void relay_counts(struct relay *r, struct relay_counts *out)
{
	pthread_mutex_lock(&r->lock);
	*out = (struct relay_counts){.holds = r->holds,
				     .senders = arrived(r, clock_ns(CLOCK_REALTIME), false),
				     .expected = r->n_expected,
				     .waiting = r->waiting,
				     .bytes = r->bytes};
	pthread_mutex_unlock(&r->lock);
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

COMPARISON(by_time, struct parcel, ORDER(a->wall_ns, b->wall_ns) ?: ORDER(a->number, b->number))

/* Under the lock: whether what is held is held still. */
static bool still_holds(const struct relay *r)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC), real_ns = clock_ns(CLOCK_REALTIME);
	bool all = r->n_expected && arrived(r, real_ns, false) == r->n_expected;

	/* Nobody is expected: those that have come, when no other one comes any more. */
	if (!r->n_expected && r->n_hosts)
		all = arrived(r, real_ns, true) == r->n_hosts &&
		      now_ns - r->new_ns > RELAY_QUIET_NS;
	return !r->ends && !all && now_ns - r->since_ns < RELAY_HOLD_NS;
}

static void wait_for_more(struct relay *r)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_cond_timedwait(&r->more, &r->lock, &until);
}

/* The judge may be slow, or gone. */
static bool write_all(const struct relay *r, const char *at, size_t len)
{
	while (len) {
		ssize_t n = send(r->fd[1], at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static void *run(void *arg)
{
	struct relay *r = arg;
	bool open = true;

	pthread_mutex_lock(&r->lock);
	while (r->holds && (r->holds = still_holds(r)))
		wait_for_more(r);
	sort(r->at, r->n, by_time);
	while (!r->ends) {
		struct parcel *at = r->at;
		size_t n = r->n, written = 0;

		r->at = NULL;
		r->n = r->cap = 0;
		pthread_mutex_unlock(&r->lock);
		for (size_t i = 0; i < n; i++) {
			open = open && write_all(r, at[i].bytes, at[i].len);
			free(at[i].bytes);
			written += at[i].len;
		}
		pthread_mutex_lock(&r->lock);
		r->waiting -= written;
		for (size_t i = 0; i < n; i++)
			r->host[at[i].host].waiting -= at[i].len;
		free(at);
		if (!r->n && !r->ends)
			wait_for_more(r);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static int relay_start(struct relay *r)
{
	int bytes = SOCKET_BYTES, err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, r->fd))
		return -errno;
	setsockopt(r->fd[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	err = thread_start(&r->thread, "relay", run, r);
	r->started = !err;
	return err;
}

int relay_new(struct relay **out, int64_t from_ns, const char *const *expected, size_t n_expected)
{
	struct relay *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	*out = NULL;
	if (!r) {
		fail("out of memory");
		return err;
	}
	*r = (struct relay){.fd = {-1, -1},
			    .holds = true,
			    .from_ns = from_ns == INT64_MIN ? 0 : from_ns,
			    .since_ns = clock_ns(CLOCK_MONOTONIC)};
	pthread_mutex_init(&r->lock, NULL);
	thread_cond_init(&r->more);
	for (size_t i = 0; i < n_expected && !err; i++) {
		struct relay_host *h = host_of(r, expected[i]);

		if (!h)
			err = -ENOMEM;
		else if (!h->expected)
			h->expected = ++r->n_expected;
	}
	if (!err)
		err = relay_start(r);
	if (err) {
		fail("cannot start: %s", strerror(-err));
		relay_free(r);
		return err;
	}
	*out = r;
	return 0;
}

void relay_let_go(struct relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->holds = false;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ends = true;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
	if (r->fd[1] >= 0)
		shutdown(r->fd[1], SHUT_RDWR);
	if (r->started)
		pthread_join(r->thread, NULL);
	for (int i = 0; i < 2; i++)
		if (r->fd[i] >= 0)
			close(r->fd[i]);
	for (size_t i = 0; i < r->n; i++)
		free(r->at[i].bytes);
	free(r->at);
	free(r->host);
	map_release(&r->by_name);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

int relay_fd(const struct relay *r)
{
	return r->fd[0];
}
