/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that is sent to one receiver, in a thread of its own, so that one receiver never waits for another. What the receiver
 * has is known from its answers alone; after any error that is forgotten, and it is asked again.
 *
 *	            an answer
 *	    .--------------------.
 *	    v                    |
 *	  taken ---------------> tried: the connection, the status, the answer is wrong; wait a random time up to 2 s, then up to
 *	    ^   an error         |      twice as long each time, at most 30 s
 *	    '--------------------'
 *
 * That is so of the receiver itself (whether it can be reached), and of each of its streams (whether it takes them).
 */
#ifndef LIMPET_PUSH_SENDER_H
#define LIMPET_PUSH_SENDER_H

#include "places.h"
#include "userspace/fetch/receiver.h"

struct sender_opts {
	const char *dir, *host; /* of the series files */
	struct places *places;	/* of logs */
	const struct receiver *receiver;
	bool tells; /* what is wrong with the files of this host, which all senders meet */
};

struct sender;

/* The strings and places stay the caller's. NULL after a message. */
struct sender *sender_start(const struct sender_opts *o);
/* Ends its requests, at most a second later; then waits for its end. Takes NULL. */
void sender_stop(struct sender *s);
void sender_free(struct sender *s);

#endif
