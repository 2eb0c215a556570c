/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of which another thread says how they ended. A ticket stands for one; parts of it may be given away one by one, each
 * comes back once, and with the last the request is answered, in the thread of the listener. Who asked may be gone by then; so may
 * the listener, and then the last ticket that comes back takes all of this with it.
 */
#ifndef LIMPET_SERVE_TICKETS_H
#define LIMPET_SERVE_TICKETS_H

#include "analyzer/http/listener.h"
#include "userspace/series/series.h"

struct tickets;
struct ingest_ticket;

/* How it ended: of all parts the first error with its sentence; else what the last part said, which is either. */
struct ticket_end {
	int err;
	char why[WHY_LEN];
	struct series_cursor now;
	struct text answer; /* the answerer releases it */
};

/* Answers, in the thread of `base`. */
typedef void (*ticket_answer_fn)(struct listener_request *r, struct ticket_end *end);

struct tickets *tickets_new(struct event_base *base, ticket_answer_fn answer); /* NULL: no memory */
/* After the listener, before its base. Takes NULL. */
void tickets_close(struct tickets *t);

/* For a request, which is kept (listener.h); with one part, the opener's own. NULL: no memory. */
struct ingest_ticket *ticket_open(struct tickets *t, struct listener_request *r);

/* Before a part is given away. */
void ticket_part(struct ingest_ticket *ticket);

/* A part has come back, from any thread. err: negative errno, with series_error() of that thread. `now`: NULL, it says nothing. */
void ticket_back(void *ticket, int err, const struct series_cursor *now);
/* The same, with an answer, which is the ticket's then. */
void ticket_back_answer(struct ingest_ticket *ticket, int err, struct text *answer);

#endif
