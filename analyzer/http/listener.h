/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server of HTTP/1.1, with TLS or plain: libevent's evhttp, and the bounds that it does not have. Whoever reaches the port may
 * be hostile, and so may who is known. One thread, that of the event_base.
 *
 * Whoever connects is a guest. A guest is a stranger until a request of it was of somebody who is known (a caller).
 *
 *	  accepted ──settle()──> stranger ──known()──> a caller's ──> gone
 *	                            │                     │            ^
 *	                            └───── doom(): late, in excess ────┘
 *
 *  1. A guest has one time limit at any time: LISTENER_TIMEOUT_S from when it connected to the first byte of its first request,
 *     the handshake included; from that byte to the end of the request; and for taking the answer; LISTENER_IDLE_S between
 *     requests. Bytes do not prolong it.
 *  2. There are at most `guests` guests, and as many strangers of one address as `strangers` says. A further one takes the
 *     place of the oldest stranger (of its address, or of all), and where there is none is turned away: who is known is never
 *     dropped for who is not.
 *  3. A caller has at most `per_caller` connections; a further one takes the place of the oldest. It may make `per_second` requests
 *     a second, and save up those of some seconds; what is above is answered 429. It is forgotten when it has no connection and has saved
 *     up all that it may.
 *  4. The bytes of requests that have come and are not answered yet are at most `bytes`, those of strangers a quarter of it: above
 *     that the largest goes. A stranger's body is at most LISTENER_STRANGER_BODY, anybody's at most `body`.
 *  5. Nothing is read from a guest while it has not taken its answer, so that it cannot heap up requests; of one whose answer a handler
 *     keeps back, LISTENER_HEAD_MAX at most, to see whether it goes.
 *  6. A path is compared as it came: nothing is decoded, so that no "%00" or "%2e" means anything.
 *  7. Where names of hosts are given, a request by another name is refused (http_hosts.h): no page of elsewhere asks for its reader.
 *  8. There are at most LISTENER_STREAMS answers that have no end yet, and whoever has not read LISTENER_UNREAD bytes of one, or none of
 *     them for LISTENER_IDLE_S, is dropped.
 */
#ifndef LIMPET_HTTP_LISTENER_H
#define LIMPET_HTTP_LISTENER_H

#include <event2/event.h>
#include <event2/http.h>
#include <openssl/ssl.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "userspace/common/http_hosts.h"
#include "userspace/common/options.h"
#include "userspace/common/text.h"

enum {
	LISTENER_TIMEOUT_S = 10,
	LISTENER_IDLE_S = 90,
	LISTENER_NAME = 256, /* room for a caller's name */
	LISTENER_HEAD_MAX = 8192,
	LISTENER_STRANGER_BODY = (256 << 10) + (16 << 10),
	LISTENER_STREAMS = 256,
	LISTENER_UNREAD = 256 << 10,
};

struct listener;

struct listener_request {
	struct evhttp_request *http;
	const char *path;   /* as it came */
	const char *rest;   /* behind a route's path */
	const char *query;  /* NULL: there is none */
	const char *bearer; /* of "Authorization: Bearer …"; NULL */
	const char *caller; /* NULL on routes for everybody */
	SSL *tls;	    /* NULL: plain */
	void *body;	    /* until the answer; the handler may write there */
	size_t len;
	struct listener *listener;
};

struct listener_route {
	enum evhttp_cmd_type method; /* GET takes HEAD, too */
	const char *path;	     /* one that ends with '/' begins others, too */
	bool for_everybody;	     /* else for callers: who() has to know them */
	void (*answer)(void *arg, struct listener_request *r);
};

/* 0: as it comes. */
struct listener_bounds {
	size_t guests;	  /* 4096, or three quarters of the descriptors that the process may have */
	size_t strangers; /* 256 */
	size_t per_caller; /* 2 */
	double per_second; /* 50 */
	size_t body;	   /* EXCHANGE_BODY_MAX */
	size_t bytes;	   /* 256 MiB */
};

struct listener_opts {
	const char *listen;		     /* listen_address.h; a port alone: on all addresses */
	const struct listener_route *routes; /* the last has no path */
	SSL_CTX *tls;			     /* NULL: plain */
	const char *alone;		     /* the address of a port alone; NULL: all */
	const struct http_hosts *names;	     /* by which it may be asked; NULL: by any */
	/* Writes the name of who asks; 0, or the status that refuses: 401, nobody who is known; 403, of another site; 429. */
	int (*who)(void *arg, struct listener_request *r, char name[LISTENER_NAME]);
	/* Shows a refusal to people, as a page; false: it is not theirs to read, and {"error": why} answers it. NULL: that always does. */
	bool (*show_refusal)(void *arg, struct listener_request *r, int status, const char *why);
	void *arg; /* for all functions */
	struct listener_bounds bounds;
};

/* For other threads to read, too. */
enum listener_count {
	COUNT_REQUESTS, /* that were whole */
	COUNT_BYTES,	/* of their bodies */
	COUNT_ACCEPTED,
	COUNT_GUESTS,	 /* now */
	COUNT_STRANGERS, /* of them */
	COUNT_LATE,	 /* dropped for a time limit */
	COUNT_EXCESS,	 /* for the number of connections */
	COUNT_LARGE,	 /* for the bytes that they held */
	COUNT_BROKEN,	 /* ended, by them or by us, amid a request or before one; late ones too */
	COUNT_STREAMS,	 /* now */
	COUNT_ANSWERS,	 /* from here on: answers, by LISTENER_STATUS */
	COUNT_END = COUNT_ANSWERS + 16
};
extern const int listener_statuses[COUNT_END - COUNT_ANSWERS]; /* 0: any other, and the last */

/* Listens and answers from when `base` runs. 0 or -errno with the sentence. */
int listener_new(struct listener **l, struct event_base *base, const struct listener_opts *o,
		 char why[WHY_LEN]);
void listener_free(struct listener *l); /* before its base; takes NULL */

uint64_t listener_counted(const struct listener *l, enum listener_count what);

/* ---- for handlers ---- */

/* Releases the answer, JSON; where it had no memory, it is an error 500. */
void listener_answer(struct listener_request *r, int status, struct text *answer);

/* The same, of any type. headers: names and values by turns, to a NULL; NULL: none. */
void listener_reply(struct listener_request *r, int status, const char *type,
		    const char *const *headers, struct text *body);

/*
 * An answer that has no end yet, of this type. gone() says that it has one, whoever made it: the client, listener_free(), or a put that
 * failed. NULL: it was refused.
 */
struct listener_stream;
struct listener_stream *listener_stream_begin(struct listener_request *r, const char *type,
					      void (*gone)(void *arg), void *arg);
/* How much of it is not read yet. */
size_t listener_stream_unread(const struct listener_stream *s);
/* More of it, oftener than each LISTENER_IDLE_S. Where too much is unread it ends soon, and what is put is lost. */
void listener_stream_put(struct listener_stream *s, const char *bytes, size_t len);

/* A string of JSON, quotes and all: what is not text in s (text_clean.h) is '?'. */
void listener_quote(struct text *to, const char *s);

/*
 * The handler does not answer now: no time limit holds until it does, with a copy of the request, of which all but the body is left.
 * gone() says that who asked is gone: no answer can be sent, and nothing is left.
 */
void listener_keep(struct listener_request *r, void (*gone)(void *arg), void *arg);

/* {"error": a sentence}, with wait_ms unless it is 0; or what show_refusal() makes of it. */
void listener_refuse(struct listener_request *r, int status, unsigned int wait_ms, const char *fmt,
		     ...) __attribute__((format(printf, 4, 5)));

/* The value of a name of the query as it came, at most size - 1 bytes; false: it is not there, or longer. */
bool listener_query(const struct listener_request *r, const char *name, char *to, size_t size);

#endif
