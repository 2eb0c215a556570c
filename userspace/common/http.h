/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics over HTTP, for Prometheus and whoever else scrapes: GET and HEAD of /metrics, and a page at /
 * that says so; for both programs. Everybody who reaches the address may read; there is no TLS and no
 * password, so the address is the loopback one unless told otherwise.
 *
 * One thread of normal priority answers. Text is made when somebody asks for it, once for all who
 * ask before there is a new one, and outside the caller's thread. Clients cannot make it hold much: a
 * connection serves one request and ends within HTTP_LIMIT_S, and where there are HTTP_CLIENTS, a
 * further one takes the place of the oldest. Requests by a name that is not this host's are refused
 * with status 421 (http_hosts.h).
 */
#ifndef LIMPET_HTTP_H
#define LIMPET_HTTP_H

#include "http_hosts.h"
#include "metrics_text.h"
#include "options.h"

#define HTTP_CLIENTS 32
#define HTTP_LIMIT_S 10

struct http;

/* What is served. The functions are called in the thread. */
struct http_source {
	const char *page; /* at /, HTML; must outlive the server */
	/* Another number: there is a new text. */
	uint64_t (*version)(void *arg);
	/* The text, for the server to free(), and its length; NULL when there is no memory. */
	char *(*text)(void *arg, enum openmetrics_format format, size_t *len);
	void *arg;
	/* Whether whoever makes the text is alive: /healthz, status 200 or 503. NULL: there is no such page. */
	bool (*healthy)(void *arg);
};

/*
 * Binds the socket, which ports below 1024 need a capability for; nobody is answered yet. `listen`:
 * "9810" (on 127.0.0.1), "192.0.2.1:9810", "0.0.0.0:9810", "[::1]:9810". 0; -EINVAL when that is
 * no address, or one of `names`, which it may be asked by as well (NULL: none), is no name; another
 * -errno when it cannot be listened on; `why` has the sentence.
 */
int http_new(struct http **h, const char *listen, const struct string_list *names, char *why);

/* Starts the thread, with the capabilities of the caller's: drop them before. What `from` points to must
 * outlive h. 0 or -errno with `why`. */
int http_start(struct http *h, const struct http_source *from, char *why);

void http_free(struct http *h); /* stops and joins the thread; takes NULL */

#endif
