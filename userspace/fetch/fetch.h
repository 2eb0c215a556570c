/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP from the asking side, through libcurl: GET, with bounds on what an answer may be and how long it may take. A handle
 * keeps its connection between requests. Only http and https are spoken, redirects are not followed, and certificates are
 * checked. The proxy variables of the environment and ~/.netrc hold, as for curl.
 */
#ifndef LIMPET_FETCH_H
#define LIMPET_FETCH_H

#include <signal.h>
#include <stddef.h>

#include "userspace/common/options.h"

struct fetch_opts {
	const char *
		token_file; /* its first line is sent as "Authorization: Bearer …"; NULL: nothing is */
	const char *ca_file;		   /* certificates that are trusted; NULL: the system's */
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

#endif
