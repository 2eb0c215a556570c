/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By which names a server of http.h may be asked. A page from anywhere can make its reader's browser
 * ask the reader's own network, once its name is made to mean an address there (DNS rebinding); but
 * the browser says in `Host` whom it thinks it is asking. So a request that names somebody else is
 * refused. Requests by address are nobody's trick, and neither are those of clients that say no host.
 *
 * Nothing is looked up: this host is `localhost`, its host name, with and without the domain, and the
 * host name in every domain of the `search` and `domain` lines of /etc/resolv.conf; and what the
 * administrator says.
 */
#ifndef LIMPET_HTTP_HOSTS_H
#define LIMPET_HTTP_HOSTS_H

#include "options.h"

struct http_hosts {
	char **at;
	size_t n;
};

/* NULL, or what is wrong with a name for `more`: "oss1.example.com", ".example.com" (all in it). */
const char *http_hosts_check(const char *name);

/* `node`: the host name; `resolv_conf`: the file, which need not be there; `more` may be NULL.
 * 0 or -ENOMEM. */
int http_hosts_init(struct http_hosts *h, const char *node, const char *resolv_conf,
		    const struct string_list *more);
/* The same of this host and its resolv.conf. 0; -EINVAL: one of the names is none; -ENOMEM; `why` (WHY_LEN) has the sentence. */
int http_hosts_here(struct http_hosts *h, const struct string_list *more, char *why);
void http_hosts_release(struct http_hosts *h);

/* Whether a request with this `Host` (NULL: without) is for us: an IP address, or one of the names;
 * with or without a port, a dot at the end, and in any case. */
bool http_hosts_has(const struct http_hosts *h, const char *header);

#endif
