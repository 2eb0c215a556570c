/* SPDX-License-Identifier: BSD-2-Clause */
/* The listener, as its files see it and nobody else: listener.c (guests and requests), answers.c. */
#ifndef LIMPET_HTTP_INTERNAL_H
#define LIMPET_HTTP_INTERNAL_H

#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <sys/queue.h>

#include "listener.h"
#include "userspace/common/map.h"

/* evhttp's own limit: ours are shorter. */
enum { EVHTTP_TIMEOUT_S = 2 * LISTENER_IDLE_S };

struct guest {
	TAILQ_ENTRY(guest) beside;
	struct guest_list *in; /* which it is in */
	struct listener *listener;
	struct bufferevent *bev;
	struct evhttp_connection *http; /* NULL: not settled */
	uint64_t address;
	int64_t until_ns;
	size_t held;		 /* bytes that came since the last answer */
	bool asks;		 /* it is amid a request, or waits for its answer */
	void (*gone)(void *arg); /* not NULL: it waits for an answer that a handler keeps back */
	void *gone_arg;
	struct evhttp_request *kept;	/* which it waits for */
	struct listener_stream *stream; /* its answer has no end yet */
};

TAILQ_HEAD(guest_list, guest);

struct caller {
	char name[LISTENER_NAME];
	struct guest_list guests; /* the oldest first */
	size_t n;
	double left; /* requests that it may make now */
	int64_t at_ns;
};

struct listener {
	struct event_base *base;
	struct evhttp *http;
	struct evconnlistener *socket;
	struct event *tick, *work;
	struct listener_opts o;
	struct guest **guests;
	size_t n_guests;
	struct map by_bev;
	struct guest_list fresh, strangers, doomed;
	size_t n_fresh, n_strangers;
	struct caller **callers;
	size_t n_callers;
	struct map by_name;
	size_t held, held_by_strangers, n_streams;
	_Atomic uint64_t counts[COUNT_END];
};

void listener_count(struct listener *l, enum listener_count what);
/* The guest's stream has ended. */
void listener_stream_gone(struct guest *g);
/* Who asks; NULL: evhttp made a connection without us. */
struct guest *listener_guest(const struct listener *l, struct evhttp_request *http);
bool guest_is_stranger(const struct guest *g);
/* Its time limit, from now on. */
void guest_limit(struct guest *g, int seconds);
/* Ends it soon: not now, for evhttp may be at work on it. */
void guest_doom(struct guest *g, enum listener_count why);

#endif
