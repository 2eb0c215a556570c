// SPDX-License-Identifier: BSD-2-Clause
#include "tickets.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

struct ingest_ticket {
	struct tickets *all;
	struct listener_request r; /* http NULL: who asked is gone; of the listener's thread */
	unsigned int parts;	   /* that are out, the opener's own too */
	struct ticket_end end;
	STAILQ_ENTRY(ingest_ticket) next;
};

STAILQ_HEAD(ticket_list, ingest_ticket);

struct tickets {
	pthread_mutex_t lock; /* of all below, and of parts and ends */
	struct ticket_list done;
	size_t out;  /* tickets that are not in done */
	bool closed; /* nobody answers any more */
	/* Of the listener's thread. */
	int fd; /* something is done */
	struct event *event;
	ticket_answer_fn answer;
};

static void ticket_free(struct ingest_ticket *ticket)
{
	text_release(&ticket->end.answer);
	free(ticket);
}

static void tickets_free(struct tickets *t)
{
	pthread_mutex_destroy(&t->lock);
	close(t->fd);
	free(t);
}

static struct ingest_ticket *tickets_pop(struct tickets *t)
{
	struct ingest_ticket *first;

	pthread_mutex_lock(&t->lock);
	first = STAILQ_FIRST(&t->done);
	if (first)
		STAILQ_REMOVE_HEAD(&t->done, next);
	pthread_mutex_unlock(&t->lock);
	return first;
}

static void tickets_answer(evutil_socket_t fd, short what, void *arg)
{
	struct tickets *t = arg;
	struct ingest_ticket *ticket;
	eventfd_t n;

	(void)what;
	eventfd_read(fd, &n);
	while ((ticket = tickets_pop(t))) {
		if (ticket->r.http)
			t->answer(&ticket->r, &ticket->end);
		ticket_free(ticket);
	}
}

struct tickets *tickets_new(struct event_base *base, ticket_answer_fn answer)
{
	struct tickets *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	STAILQ_INIT(&t->done);
	t->answer = answer;
	t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->event = event_new(base, t->fd, EV_READ | EV_PERSIST, tickets_answer, t);
	if (t->fd >= 0 && t->event && !event_add(t->event, NULL))
		return t;
	if (t->event)
		event_free(t->event);
	tickets_free(t);
	return NULL;
}

void tickets_close(struct tickets *t)
{
	struct ingest_ticket *ticket;
	bool last;

	if (!t)
		return;
	event_free(t->event);
	while ((ticket = tickets_pop(t)))
		ticket_free(ticket);
	pthread_mutex_lock(&t->lock);
	t->closed = true;
	last = !t->out;
	pthread_mutex_unlock(&t->lock);
	if (last)
		tickets_free(t);
}

static void ticket_gone(void *arg)
{
	((struct ingest_ticket *)arg)->r.http = NULL;
}

struct ingest_ticket *ticket_open(struct tickets *t, struct listener_request *r)
{
	struct ingest_ticket *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->all = t;
	new->parts = 1;
	new->r = *r;
	listener_keep(r, ticket_gone, new);
	pthread_mutex_lock(&t->lock);
	t->out++;
	pthread_mutex_unlock(&t->lock);
	return new;
}

void ticket_part(struct ingest_ticket *ticket)
{
	pthread_mutex_lock(&ticket->all->lock);
	ticket->parts++;
	pthread_mutex_unlock(&ticket->all->lock);
}

static void ticket_note(struct ticket_end *end, int err, const struct series_cursor *now,
			struct text *answer)
{
	if (!err && now)
		end->now = *now;
	if (answer) {
		text_release(&end->answer);
		end->answer = *answer;
		*answer = (struct text){0};
	}
	if (!err || end->err)
		return;
	end->err = err;
	snprintf(end->why, sizeof(end->why), "%s", series_error());
}

static void ticket_come_back(struct ingest_ticket *ticket, int err, const struct series_cursor *now,
			     struct text *answer)
{
	struct tickets *t = ticket->all;
	bool done, closed, last;

	pthread_mutex_lock(&t->lock);
	ticket_note(&ticket->end, err, now, answer);
	done = !--ticket->parts;
	closed = t->closed;
	t->out -= done;
	last = done && closed && !t->out;
	if (done && !closed) {
		STAILQ_INSERT_TAIL(&t->done, ticket, next);
		eventfd_write(t->fd, 1);
	}
	pthread_mutex_unlock(&t->lock);
	if (done && closed)
		ticket_free(ticket);
	if (last)
		tickets_free(t);
}

void ticket_back(void *ticket, int err, const struct series_cursor *now)
{
	ticket_come_back(ticket, err, now, NULL);
}

void ticket_back_answer(struct ingest_ticket *ticket, int err, struct text *answer)
{
	ticket_come_back(ticket, err, NULL, answer);
}
