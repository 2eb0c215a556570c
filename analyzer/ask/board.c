// SPDX-License-Identifier: BSD-2-Clause
#include "board.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct board {
	pthread_mutex_t lock;
	struct snapshot *now;
	uint64_t number;
	int64_t put_ns;
	char *events[BOARD_EVENTS]; /* event n at n % BOARD_EVENTS */
	uint64_t newest;
	int fd;
	atomic_uint wanted;
	int wanted_fd;
};

struct snapshot *snapshot_new(void)
{
	struct snapshot *s = calloc(1, sizeof(*s));

	if (s)
		atomic_init(&s->users, 1);
	return s;
}

struct snapshot *snapshot_take(struct snapshot *s)
{
	atomic_fetch_add(&s->users, 1);
	return s;
}

void snapshot_done(struct snapshot *s)
{
	if (!s || atomic_fetch_sub(&s->users, 1) != 1)
		return;
	verdict_release(&s->verdict);
	for (int f = 0; f < FORMATS; f++)
		free(s->metrics[f]);
	free(s->silences);
	free(s);
}

struct board *board_new(void)
{
	struct board *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->wanted_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0 || b->wanted_fd < 0) {
		if (b->fd >= 0)
			close(b->fd);
		free(b);
		return NULL;
	}
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void board_free(struct board *b)
{
	if (!b)
		return;
	snapshot_done(b->now);
	for (size_t i = 0; i < BOARD_EVENTS; i++)
		free(b->events[i]);
	close(b->fd);
	close(b->wanted_fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static void ring(int fd)
{
	/* It is full where nobody reads, and then there is news already. */
	if (write(fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
		return;
}

void board_want(struct board *b, enum openmetrics_format format)
{
	atomic_fetch_or(&b->wanted, 1U << format);
	ring(b->wanted_fd);
}

int board_wanted_fd(const struct board *b)
{
	return b->wanted_fd;
}

unsigned int board_wanted(struct board *b)
{
	uint64_t n;

	if (read(b->wanted_fd, &n, sizeof(n)) < 0)
		return 0;
	return atomic_exchange(&b->wanted, 0);
}

void board_put(struct board *b, struct snapshot *s, bool news)
{
	struct snapshot *old;

	pthread_mutex_lock(&b->lock);
	b->number += news;
	s->number = b->number;
	old = b->now;
	b->now = s;
	b->put_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&b->lock);
	snapshot_done(old);
	ring(b->fd);
}

struct snapshot *board_get(struct board *b)
{
	struct snapshot *s;

	pthread_mutex_lock(&b->lock);
	s = b->now ? snapshot_take(b->now) : NULL;
	pthread_mutex_unlock(&b->lock);
	return s;
}

bool board_hangs(struct board *b)
{
	bool hangs;

	pthread_mutex_lock(&b->lock);
	hangs = b->now && clock_ns(CLOCK_MONOTONIC) - b->put_ns > BOARD_HANGS_NS;
	pthread_mutex_unlock(&b->lock);
	return hangs;
}

int board_event(struct board *b, const char *json)
{
	char *copy = strdup(json), *old;

	if (!copy)
		return -ENOMEM;
	pthread_mutex_lock(&b->lock);
	b->newest++;
	old = b->events[b->newest % BOARD_EVENTS];
	b->events[b->newest % BOARD_EVENTS] = copy;
	pthread_mutex_unlock(&b->lock);
	free(old);
	ring(b->fd);
	return 0;
}

char *board_event_from(struct board *b, uint64_t *number)
{
	char *copy = NULL;

	pthread_mutex_lock(&b->lock);
	if (b->newest >= BOARD_EVENTS && *number <= b->newest - BOARD_EVENTS)
		*number = b->newest - BOARD_EVENTS + 1;
	if (!*number)
		*number = 1;
	if (*number <= b->newest)
		copy = strdup(b->events[*number % BOARD_EVENTS]);
	pthread_mutex_unlock(&b->lock);
	return copy;
}

uint64_t board_newest(struct board *b)
{
	uint64_t newest;

	pthread_mutex_lock(&b->lock);
	newest = b->newest;
	pthread_mutex_unlock(&b->lock);
	return newest;
}

int board_fd(const struct board *b)
{
	return b->fd;
}
