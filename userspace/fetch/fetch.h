/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP from the asking side, through libcurl: GET and POST, with bounds on what an answer may be and how long it may take. A
 * handle keeps its connection between requests, and is for one thread at a time. Only http and https are spoken, redirects are
 * not followed, and certificates are checked. The proxy variables of the environment and ~/.netrc hold, as for curl.
 */
#ifndef LIMPET_FETCH_H
#define LIMPET_FETCH_H

#include <signal.h>
#include <stddef.h>

#include "userspace/common/options.h"
#include "userspace/common/text.h"

/* All strings may be NULL. */
struct fetch_opts {
	const char *token_file; /* its first line is sent as "Authorization: Bearer …" */
	const char *token;	/* the same, the token itself */
	const char *ca_file;	/* certificates that are trusted; NULL: the system's */
	/* SHA-256 of the only public key that is trusted, in base64. Without ca_file it is trusted whoever signed its
	 * certificate, and whatever name and time are in it. */
	const char *pin;
	const char *cert_file, *key_file;  /* who asks */
	const char *type;		   /* of what is sent; NULL: application/octet-stream */
	unsigned int limit_s;		   /* of a request; 0: FETCH_LIMIT_S */
	const volatile sig_atomic_t *stop; /* not 0: a request ends; NULL */
};

enum {
	FETCH_CONNECT_S = 10,
	FETCH_STALLED_S = 60, /* so long without a byte */
	FETCH_LIMIT_S = 180,
};

struct fetch;

/* The handle, or NULL with the reason in `why`, a few words for after "cannot read 'URL': ". */
struct fetch *fetch_new(const struct fetch_opts *o, char why[WHY_LEN]);
void fetch_free(struct fetch *f); /* takes NULL */

/*
 * Asks for url. The body, of at most `most` bytes once it is unpacked, in a file in memory for the caller to close, at its
 * beginning; *status is the server's, whatever it is. Negative errno with `why` if there is no answer: -E2BIG one that is
 * too long, -ETIMEDOUT one that took too long once it was asked for, -EINVAL no URL.
 */
int fetch_get(struct fetch *f, const char *url, size_t most, long *status, char why[WHY_LEN]);

/* Sends len bytes, which stay the caller's, and replaces `answer` by the body. 0 or as above; -EACCES: the server's key is not
 * the one that is pinned. */
int fetch_post(struct fetch *f, const char *url, const void *body, size_t len, size_t most,
	       struct text *answer, long *status, char why[WHY_LEN]);

#endif
