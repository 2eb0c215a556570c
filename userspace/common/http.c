// SPDX-License-Identifier: BSD-2-Clause
/* A thread around libmicrohttpd, which has the protocol. */
#include "http.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "http_library.h"
#include "listen_address.h"
#include "threads.h"

/* More than HTTP_CLIENTS: those that were shut down need a place until they are cleaned up. */
#define PLACES (2 * HTTP_CLIENTS)

/* What one connection's request and headers may take; Prometheus sends about 400 bytes. */
#define CLIENT_MEMORY 8192

/* So much of a text is sent at once. */
#define PIECE ((size_t)65536)

enum page {
	PAGE_ROOT,
	PAGE_HEALTHY,
	PAGE_HANGS,
	PAGE_NOT_FOUND,
	PAGE_NOT_ALLOWED,
	PAGE_NOT_US,
	PAGE_NO_MEMORY,
	PAGES
};

static const struct {
	unsigned int status;
	const char *type, *text;
} pages[PAGES] = {
	[PAGE_ROOT] = {MHD_HTTP_OK, "text/html; charset=utf-8", NULL /* the source's */},
	[PAGE_HEALTHY] = {MHD_HTTP_OK, "text/plain; charset=utf-8", "ok\n"},
	[PAGE_HANGS] = {MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
			"nothing new for long: it hangs\n"},
	[PAGE_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, "text/plain; charset=utf-8",
			    "not found; there is /metrics\n"},
	[PAGE_NOT_ALLOWED] = {MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain; charset=utf-8",
			      "only GET and HEAD are answered\n"},
	[PAGE_NOT_US] = {MHD_HTTP_MISDIRECTED_REQUEST, "text/plain; charset=utf-8",
			 "this host has another name (see --allow-host)\n"},
	[PAGE_NO_MEMORY] = {MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8",
			    "out of memory\n"},
};

struct client {
	int fd; /* -1: free */
	bool shut;
	int64_t since_ns;
};

struct http {
	int listen_fd, stop_fd;
	bool running;
	pthread_t thread;
	struct http_hosts hosts;
	struct http_source from;
	struct MHD_Daemon *daemon;
	/* Only the thread touches what follows. */
	bool told_refused;
	struct client clients[PLACES];
	struct MHD_Response *page[PAGES];
	struct {
		struct MHD_Response *text; /* NULL: none made yet */
		uint64_t version;	   /* of the source */
	} metrics[FORMATS];
};

/* ---- the address --------------------------------------------------------------------------- */

int http_new(struct http **h, const char *listen, const struct string_list *names, char *why)
{
	struct http_hosts hosts = {0};
	int fd = http_hosts_here(&hosts, names, why);

	fd = fd ? fd : listen_address(listen, "127.0.0.1", PLACES, why);
	*h = fd < 0 ? NULL : calloc(1, sizeof(**h));
	if (!*h) {
		http_hosts_release(&hosts);
		if (fd < 0)
			return fd;
		snprintf(why, WHY_LEN, "cannot listen on '%s': %s", listen, strerror(ENOMEM));
		close(fd);
		return -ENOMEM;
	}
	(*h)->hosts = hosts;
	(*h)->listen_fd = fd;
	(*h)->stop_fd = -1;
	for (int i = 0; i < PLACES; i++)
		(*h)->clients[i].fd = -1;
	return 0;
}

/* ---- answers ------------------------------------------------------------------------------- */

/*
 * Read piece by piece. A body that the library has as one buffer it sends together with the headers, by
 * sendmsg(2), which the probe may not call (userspace/probe/rights/rights_calls.c).
 */
struct body {
	const char *text;
	char *own; /* to be freed; NULL: it is another's */
	size_t len;
};

static ssize_t body_read(void *arg, uint64_t from, char *buf, size_t max)
{
	const struct body *b = arg;
	size_t n = from < b->len ? b->len - (size_t)from : 0;

	if (!n)
		return MHD_CONTENT_READER_END_OF_STREAM;
	n = n < max ? n : max;
	memcpy(buf, b->text + from, n);
	return (ssize_t)n;
}

static void body_free(void *arg)
{
	struct body *b = arg;

	free(b->own);
	free(b);
}

/* `own`: the text, where it is to be freed, also after a failure. No connection is kept: an idle one would
 * only be in the way, and a scraper asks seldom. */
static struct MHD_Response *respond(const char *type, const char *text, size_t len, char *own)
{
	struct body *b = malloc(sizeof(*b));
	struct MHD_Response *r;

	if (!b) {
		free(own);
		return NULL;
	}
	*b = (struct body){text, own, len};
	r = mhd.create_response_from_callback(len, len < PIECE ? len : PIECE, body_read, b,
					      body_free);
	if (!r) {
		body_free(b);
		return NULL;
	}
	if (mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
	    mhd.add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES)
		return r;
	mhd.destroy_response(r);
	return NULL;
}

/* The newest text, made now unless somebody has asked for it already. */
static struct MHD_Response *metrics_response(struct http *h, enum openmetrics_format format)
{
	uint64_t version = h->from.version(h->from.arg);
	struct MHD_Response *r;
	size_t len;
	char *text;

	if (h->metrics[format].text && h->metrics[format].version == version)
		return h->metrics[format].text;
	text = h->from.text(h->from.arg, format, &len);
	if (!text)
		return NULL;
	r = respond(openmetrics_content_type(format), text, len, text);
	if (!r)
		return NULL;
	mhd.add_response_header(r, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
	/* Those who are being sent the old one hold it until they have it. */
	if (h->metrics[format].text)
		mhd.destroy_response(h->metrics[format].text);
	h->metrics[format].text = r;
	h->metrics[format].version = version;
	return r;
}

/* Once, for the operator whose scraper gets nothing but a status. */
static void tell_refused(struct http *h, const char *host)
{
	if (!h->told_refused)
		warn("a request for '%.255s' is refused: this host is not known by that name "
		     "(--allow-host)",
		     host);
	h->told_refused = true;
}

/* Answers at the first call, when the headers are there: a body is not waited for. */
static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *body_len, void **request)
{
	struct http *h = arg;
	struct MHD_Response *text;
	enum page page = PAGE_NO_MEMORY;
	const char *host;

	(void)version, (void)body, (void)body_len, (void)request;
	host = mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	if (!http_hosts_has(&h->hosts, host)) {
		page = PAGE_NOT_US;
		tell_refused(h, host);
	} else if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		page = PAGE_NOT_ALLOWED;
	} else if (!strcmp(url, "/metrics")) {
		text = metrics_response(h, openmetrics_negotiate(mhd.lookup_connection_value(
						   c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT)));
		if (text)
			return mhd.queue_response(c, MHD_HTTP_OK, text);
	} else if (h->from.healthy && !strcmp(url, "/healthz")) {
		page = h->from.healthy(h->from.arg) ? PAGE_HEALTHY : PAGE_HANGS;
	} else {
		page = strcmp(url, "/") ? PAGE_NOT_FOUND : PAGE_ROOT;
	}
	return mhd.queue_response(c, pages[page].status, h->page[page]);
}

/* ---- clients ------------------------------------------------------------------------------- */

/* Its end is noticed, and its place freed, when the daemon runs next. */
static void shut(struct client *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->shut = true;
}

static void take_in(struct http *h, struct MHD_Connection *c, void **place)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *free_place = NULL, *oldest = NULL;
	int open = 0;

	for (struct client *it = h->clients; it < h->clients + PLACES; it++) {
		if (it->fd < 0) {
			free_place = it;
		} else if (!it->shut) {
			open++;
			if (!oldest || it->since_ns < oldest->since_ns)
				oldest = it;
		}
	}
	if (open >= HTTP_CLIENTS)
		shut(oldest);
	/* There is a free place, as the daemon's own limit is PLACES. */
	if (info && free_place)
		*free_place = (struct client){.fd = info->connect_fd,
					      .since_ns = clock_ns(CLOCK_MONOTONIC)};
	*place = free_place;
}

static void on_connection(void *arg, struct MHD_Connection *c, void **place,
			  enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		take_in(arg, c, place);
	else if (*place)
		((struct client *)*place)->fd = -1;
}

/* Ends the overdue; returns in how many ms the next one will be, -1: there is none. */
static int end_overdue(struct http *h)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), limit = HTTP_LIMIT_S * NS_PER_S;
	int next = -1;

	for (struct client *it = h->clients; it < h->clients + PLACES; it++) {
		int64_t age;
		int left;

		if (it->fd < 0 || it->shut)
			continue;
		age = now - it->since_ns;
		left = age < limit ? (int)((limit - age) / NS_PER_MS) + 1 : 0;
		if (!left)
			shut(it);
		if (next < 0 || left < next)
			next = left;
	}
	return next;
}

/* ---- the thread ---------------------------------------------------------------------------- */

static void *serve(void *arg)
{
	struct http *h = arg;
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[2] = {{.fd = info->epoll_fd, .events = POLLIN},
			      {.fd = h->stop_fd, .events = POLLIN}};

	while (!p[1].revents) {
		int timeout = end_overdue(h);
		MHD_UNSIGNED_LONG_LONG ms;

		if (mhd.get_timeout(h->daemon, &ms) == MHD_YES &&
		    (timeout < 0 || ms < (MHD_UNSIGNED_LONG_LONG)timeout))
			timeout = (int)ms;
		if (poll(p, 2, timeout) < 0 && errno != EINTR)
			break;
		mhd.run(h->daemon);
	}
	return NULL;
}

static int make_pages(struct http *h)
{
	for (int i = 0; i < PAGES; i++) {
		const char *text = pages[i].text ? pages[i].text : h->from.page;

		h->page[i] = respond(pages[i].type, text, strlen(text), NULL);
		if (!h->page[i])
			return -ENOMEM;
	}
	if (mhd.add_response_header(h->page[PAGE_NOT_ALLOWED], MHD_HTTP_HEADER_ALLOW,
				    "GET, HEAD") != MHD_YES)
		return -ENOMEM;
	return 0;
}

static int start_thread(struct http *h)
{
	int err;

	h->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (h->stop_fd < 0)
		return -errno;
	err = thread_start(&h->thread, "limpet-http", serve, h);
	if (err)
		return err;
	h->running = true;
	return 0;
}

int http_start(struct http *h, const struct http_source *from, char *why)
{
	int err = http_library_load(why);

	if (err)
		return err;
	h->from = *from;
	err = make_pages(h);
	if (err)
		goto out;
	errno = 0;
	h->daemon =
		mhd.start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, h, MHD_OPTION_LISTEN_SOCKET,
				 h->listen_fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)PLACES,
				 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_MEMORY,
				 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_LIMIT_S,
				 MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
	/* The socket is the daemon's now, also where it could not be started. */
	h->listen_fd = -1;
	err = h->daemon ? start_thread(h) : errno ? -errno : -ENOMEM;
out:
	if (err)
		snprintf(why, WHY_LEN, "cannot start the HTTP server: %s", strerror(-err));
	return err;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	if (h->running) {
		eventfd_write(h->stop_fd, 1);
		pthread_join(h->thread, NULL);
	}
	if (h->daemon)
		mhd.stop_daemon(h->daemon);
	if (h->listen_fd >= 0)
		close(h->listen_fd);
	if (h->stop_fd >= 0)
		close(h->stop_fd);
	for (int i = 0; i < PAGES; i++)
		if (h->page[i])
			mhd.destroy_response(h->page[i]);
	for (int f = 0; f < FORMATS; f++)
		if (h->metrics[f].text)
			mhd.destroy_response(h->metrics[f].text);
	http_hosts_release(&h->hosts);
	free(h);
}
