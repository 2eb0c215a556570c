// SPDX-License-Identifier: BSD-2-Clause
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/listen_address.h"
#include "userspace/common/map.h"
#include "userspace/common/text_clean.h"
#include "userspace/wire/exchange.h"

#define GUESTS	     4096
#define STRANGERS    256
#define PER_CALLER   2
#define PER_SECOND   50
#define SAVED_S	     4 /* so many seconds' requests may be saved up */
#define BYTES	     ((size_t)256 << 20)
#define BACKLOG	     512
#define ACCEPTED_MAX 64 /* in one go, before they are settled and others are served */
#define TICK_NS	     (NS_PER_S / 4)

static void guest_input(struct evbuffer *b, const struct evbuffer_cb_info *info, void *arg);

void listener_count(struct listener *l, enum listener_count what)
{
	atomic_fetch_add_explicit(&l->counts[what], 1, memory_order_relaxed);
}

static void count_now(struct listener *l)
{
	atomic_store_explicit(&l->counts[COUNT_GUESTS], l->n_guests, memory_order_relaxed);
	atomic_store_explicit(&l->counts[COUNT_STRANGERS], l->n_strangers, memory_order_relaxed);
}

uint64_t listener_counted(const struct listener *l, enum listener_count what)
{
	return atomic_load_explicit(&l->counts[what], memory_order_relaxed);
}

/* ---- guests ---- */

static size_t guest_number(const struct listener *l, const struct bufferevent *bev)
{
	return map_find(i, &l->by_bev, map_hash_number((uintptr_t)bev), l->guests[i]->bev == bev);
}

struct guest *listener_guest(const struct listener *l, struct evhttp_request *http)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(http);
	size_t at = guest_number(l, evhttp_connection_get_bufferevent(connection));

	return at == MAP_NONE ? NULL : l->guests[at];
}

void guest_limit(struct guest *g, int seconds)
{
	g->until_ns = clock_ns(CLOCK_MONOTONIC) + seconds * NS_PER_S;
}

/* What it holds is counted anew. */
static void guest_hold(struct guest *g, size_t bytes)
{
	struct listener *l = g->listener;

	l->held += bytes - g->held;
	if (g->in == &l->strangers)
		l->held_by_strangers += bytes - g->held;
	g->held = bytes;
}

static struct caller *guest_caller(const struct guest *g)
{
	const struct listener *l = g->listener;

	if (g->in == &l->fresh || g->in == &l->strangers || g->in == &l->doomed)
		return NULL;
	return (struct caller *)((char *)g->in - offsetof(struct caller, guests));
}

static void guest_move(struct guest *g, struct guest_list *to)
{
	struct listener *l = g->listener;
	struct caller *c = guest_caller(g);
	size_t held = g->held;

	guest_hold(g, 0);
	TAILQ_REMOVE(g->in, g, beside);
	if (c)
		c->n--;
	l->n_fresh -= g->in == &l->fresh;
	l->n_strangers -= g->in == &l->strangers;
	g->in = to;
	TAILQ_INSERT_TAIL(to, g, beside);
	l->n_strangers += to == &l->strangers;
	c = guest_caller(g);
	if (c)
		c->n++;
	guest_hold(g, held);
	count_now(l);
}

void guest_doom(struct guest *g, enum listener_count why)
{
	if (g->in == &g->listener->doomed)
		return;
	listener_count(g->listener, why);
	guest_move(g, &g->listener->doomed);
	event_active(g->listener->work, 0, 0);
}

/* Its connection is gone. */
static void guest_free(struct guest *g)
{
	struct listener *l = g->listener;
	size_t number = guest_number(l, g->bev);

	if (g->in != &l->doomed)
		guest_move(g, &l->doomed);
	guest_hold(g, 0);
	TAILQ_REMOVE(&l->doomed, g, beside);
	map_remove(&l->by_bev, number);
	l->guests[number] = l->guests[--l->n_guests];
	count_now(l);
	free(g);
}

static void guest_gone(struct evhttp_connection *http, void *arg)
{
	struct guest *g = arg;

	(void)http;
	/* Where the client went away evhttp leaves the request to whoever keeps it; where we ended it, not. */
	if (g->gone && !evhttp_request_get_connection(g->kept))
		evhttp_request_free(g->kept);
	if (g->stream)
		listener_stream_gone(g);
	else if (g->gone)
		g->gone(g->gone_arg);
	else if (g->asks)
		listener_count(g->listener, COUNT_BROKEN);
	evbuffer_remove_cb(bufferevent_get_input(g->bev), guest_input, g);
	guest_free(g);
}

bool guest_is_stranger(const struct guest *g)
{
	return g->in == &g->listener->strangers;
}

static ev_ssize_t stranger_body(const struct listener *l)
{
	size_t most = l->o.bounds.body;

	return most < LISTENER_STRANGER_BODY ? (ev_ssize_t)most : LISTENER_STRANGER_BODY;
}

/* The oldest that is not g. */
static struct guest *guests_oldest(const struct guest_list *list, const struct guest *g)
{
	struct guest *first = TAILQ_FIRST(list);

	return first == g ? TAILQ_NEXT(first, beside) : first;
}

/* Strangers first: whoever holds most ends. */
static void guests_shed(struct listener *l)
{
	bool strangers = l->held_by_strangers > l->o.bounds.bytes / 4;
	struct guest *most = NULL;

	if (!strangers && l->held <= l->o.bounds.bytes)
		return;
	for (size_t i = 0; i < l->n_guests; i++) {
		struct guest *g = l->guests[i];

		if (g->in != &l->doomed && (!strangers || g->in == &l->strangers) &&
		    (!most || g->held > most->held))
			most = g;
	}
	if (most)
		guest_doom(most, COUNT_LARGE);
}

/* Bytes of a request have come, or were taken. */
static void guest_input(struct evbuffer *b, const struct evbuffer_cb_info *info, void *arg)
{
	struct guest *g = arg;

	(void)b;
	if (!info->n_added || g->in == &g->listener->doomed)
		return;
	if (!g->asks) {
		g->asks = true;
		guest_limit(g, LISTENER_TIMEOUT_S);
	}
	guest_hold(g, g->held + info->n_added);
	guests_shed(g->listener);
}

/* A stranger's network: its IPv4 address, or the first half of its IPv6 address. */
static uint64_t address_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} a = {.any.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(a);
	uint64_t half = 0;
	uint32_t four = 0;

	if (getpeername(fd, &a.any, &len))
		return 0;
	if (a.any.sa_family == AF_INET)
		return a.four.sin_addr.s_addr;
	if (a.any.sa_family != AF_INET6)
		return 0;
	memcpy(&half, a.six.sin6_addr.s6_addr, 8);
	memcpy(&four, a.six.sin6_addr.s6_addr + 12, 4);
	return IN6_IS_ADDR_V4MAPPED(&a.six.sin6_addr) ? four : half;
}

/* Where it is one too many, another goes. */
static void guest_make_room(struct guest *g)
{
	struct listener *l = g->listener;
	struct guest *it, *first = NULL;
	size_t same = 0;

	TAILQ_FOREACH(it, &l->strangers, beside)
	{
		if (it->address != g->address || it == g)
			continue;
		same++;
		first = first ? first : it;
	}
	if (same >= l->o.bounds.strangers) {
		guest_doom(first, COUNT_EXCESS);
	} else if (l->n_guests > l->o.bounds.guests) {
		it = guests_oldest(&l->strangers, g);
		guest_doom(it ? it : g, COUNT_EXCESS);
	}
}

/* Once evhttp has made a connection of it; our reference of the bufferevent outlived that, whatever came of it. */
static void guest_settle(struct guest *g)
{
	struct bufferevent *bev = g->bev;
	void *http;

	bufferevent_getcb(bev, NULL, NULL, NULL, &http);
	g->http = http;
	if (!http) {
		guest_free(g);
	} else {
		evhttp_connection_set_closecb(g->http, guest_gone, g);
		evhttp_connection_set_max_body_size(g->http, stranger_body(g->listener));
		g->address = address_of(bufferevent_getfd(bev));
		guest_move(g, &g->listener->strangers);
		guest_make_room(g);
	}
	bufferevent_decref(bev);
}

static struct guest *guest_new(struct listener *l, struct bufferevent *bev)
{
	struct guest **at = map_append(&l->by_bev, map_hash_number((uintptr_t)bev),
				       array_add(&l->guests, &l->n_guests), &l->n_guests);
	struct guest *g = at ? calloc(1, sizeof(*g)) : NULL;

	if (!g) {
		if (at)
			map_remove(&l->by_bev, --l->n_guests);
		return NULL;
	}
	*at = g;
	g->listener = l;
	g->bev = bev;
	g->in = &l->fresh;
	TAILQ_INSERT_TAIL(&l->fresh, g, beside);
	l->n_fresh++;
	guest_limit(g, LISTENER_TIMEOUT_S);
	return g;
}

/* ---- connections ---- */

static struct bufferevent *bufferevent_make(const struct listener *l)
{
	SSL *tls = l->o.tls ? SSL_new(l->o.tls) : NULL;
	struct bufferevent *bev;

	if (!l->o.tls)
		return bufferevent_socket_new(l->base, -1, BEV_OPT_CLOSE_ON_FREE);
	if (!tls)
		return NULL;
	bev = bufferevent_openssl_socket_new(l->base, -1, tls, BUFFEREVENT_SSL_ACCEPTING,
					     BEV_OPT_CLOSE_ON_FREE);
	if (!bev)
		SSL_free(tls);
	return bev;
}

/*
 * evhttp asks what to read a connection through that it has just accepted, of which it says nothing; so who it is comes later, in
 * guest_settle(). Without memory evhttp goes on with a plain one; requests of that, which is no guest, are not answered.
 */
static struct bufferevent *listener_accept(struct event_base *base, void *arg)
{
	struct listener *l = arg;
	struct bufferevent *bev = bufferevent_make(l);
	struct guest *g = bev ? guest_new(l, bev) : NULL;

	(void)base;
	if (!g || !evbuffer_add_cb(bufferevent_get_input(bev), guest_input, g)) {
		if (g)
			guest_free(g);
		if (bev)
			bufferevent_free(bev);
		return NULL;
	}
	bufferevent_incref(bev);
	listener_count(l, COUNT_ACCEPTED);
	if (l->n_fresh >= ACCEPTED_MAX)
		evconnlistener_disable(l->socket);
	event_active(l->work, 0, 0);
	return bev;
}

static void listener_work(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;
	struct guest *g;

	(void)fd, (void)what;
	while ((g = TAILQ_FIRST(&l->fresh)))
		guest_settle(g);
	while ((g = TAILQ_FIRST(&l->doomed))) {
		evhttp_connection_free(g->http);
		/* guest_gone() was called, unless evhttp took it for closed already. */
		if (TAILQ_FIRST(&l->doomed) == g)
			guest_free(g);
	}
	evconnlistener_enable(l->socket);
}

/* Without a connection, and with all requests saved up that it may save, a caller is as one that never asked. */
static void callers_forget(struct listener *l, int64_t now_ns)
{
	for (size_t i = l->n_callers; i-- > 0;) {
		struct caller *c = l->callers[i];

		if (c->n || now_ns - c->at_ns < SAVED_S * NS_PER_S)
			continue;
		map_remove(&l->by_name, i);
		l->callers[i] = l->callers[--l->n_callers];
		free(c);
	}
}

/* From the last one on, for the last takes the place of one that goes. */
static void listener_tick(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	(void)fd, (void)what;
	for (size_t i = l->n_guests; i-- > 0;)
		if (l->guests[i]->until_ns < now_ns && !l->guests[i]->gone)
			guest_doom(l->guests[i], COUNT_LATE);
	callers_forget(l, now_ns);
	/* After a failure to accept. */
	evconnlistener_enable(l->socket);
}

/* No descriptor is left, or no memory: without a pause this would be called again at once, for ever. */
static void listener_cannot_accept(struct evconnlistener *socket, void *arg)
{
	(void)arg;
	evconnlistener_disable(socket);
}

/* ---- requests ---- */

static struct caller *caller_get(struct listener *l, const char *name)
{
	uint64_t hash = map_hash(name, strlen(name));
	size_t at = map_find(i, &l->by_name, hash, !strcmp(l->callers[i]->name, name));
	struct caller **new, *c;

	if (at != MAP_NONE)
		return l->callers[at];
	c = calloc(1, sizeof(*c));
	new = c ? map_append(&l->by_name, hash, array_add(&l->callers, &l->n_callers),
			     &l->n_callers)
		: NULL;
	if (!new) {
		free(c);
		return NULL;
	}
	*new = c;
	snprintf(c->name, sizeof(c->name), "%s", name);
	TAILQ_INIT(&c->guests);
	c->at_ns = clock_ns(CLOCK_MONOTONIC);
	c->left = SAVED_S * l->o.bounds.per_second;
	return c;
}

/* Whether it may ask once more. */
static bool caller_asks(struct caller *c, double per_second)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	double left = c->left + s_of_ns(now_ns - c->at_ns) * per_second;

	c->at_ns = now_ns;
	c->left = left < SAVED_S * per_second ? left : SAVED_S * per_second;
	if (c->left < 1)
		return false;
	c->left--;
	return true;
}

/* No stranger any more. */
static void guest_known(struct guest *g, struct caller *c)
{
	struct listener *l = g->listener;

	if (guest_caller(g) == c)
		return;
	guest_move(g, &c->guests);
	evhttp_connection_set_max_body_size(g->http, (ev_ssize_t)l->o.bounds.body);
	if (c->n > l->o.bounds.per_caller)
		guest_doom(guests_oldest(&c->guests, g), COUNT_EXCESS);
}

/* What a path is that no method of this request's takes: the routes of the first that takes it. */
static void put_allowed(struct listener_request *r, const struct listener_route *first)
{
	bool get = false, post = false;

	for (const struct listener_route *it = first; it->path; it++) {
		get |= !strcmp(it->path, first->path) && it->method == EVHTTP_REQ_GET;
		post |= !strcmp(it->path, first->path) && it->method == EVHTTP_REQ_POST;
	}
	evhttp_add_header(evhttp_request_get_output_headers(r->http), "Allow",
			  !post	 ? "GET, HEAD"
			  : !get ? "POST"
				 : "GET, HEAD, POST");
}

/* The route, or NULL and the status. */
static const struct listener_route *route_of(const struct listener *l, struct listener_request *r,
					     int *status)
{
	enum evhttp_cmd_type method = evhttp_request_get_command(r->http);
	const struct listener_route *first = NULL;

	*status = 404;
	for (const struct listener_route *it = l->o.routes; it->path; it++) {
		size_t len = strlen(it->path);
		bool begins = it->path[len - 1] == '/';

		if (begins ? strncmp(r->path, it->path, len) != 0 : strcmp(r->path, it->path) != 0)
			continue;
		if (first && strcmp(first->path, it->path) != 0)
			break;
		first = first ? first : it;
		if (it->method == method ||
		    (it->method == EVHTTP_REQ_GET && method == EVHTTP_REQ_HEAD)) {
			r->rest = r->path + len;
			return it;
		}
	}
	if (first) {
		*status = 405;
		put_allowed(r, first);
	}
	return NULL;
}

static const char *bearer_of(struct evhttp_request *http)
{
	const char *value =
		evhttp_find_header(evhttp_request_get_input_headers(http), "Authorization");

	return value && !strncasecmp(value, "Bearer ", 7) ? value + 7 : NULL;
}

/*
 * What a proxy before us may read otherwise, so that the next request of its connection would be made up by whoever sent this one; NULL: nothing.
 * evhttp reads no body of HEAD, TRACE and methods that it does not know, and takes "Content-Length " for another header.
 */
static const char *ambiguity_of(struct evhttp_request *http)
{
	bool read = evhttp_request_get_command(http) &
		    (EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
		     EVHTTP_REQ_OPTIONS | EVHTTP_REQ_PATCH);
	int lengths = 0, hosts = 0;
	const struct evkeyval *it;

	TAILQ_FOREACH(it, evhttp_request_get_input_headers(http), next)
	{
		bool length = !strcasecmp(it->key, "Content-Length");
		bool coding = !strcasecmp(it->key, "Transfer-Encoding");

		if (strpbrk(it->key, " \t"))
			return "the name of a header has a space";
		if (length && it->value[strspn(it->value, "0123456789")])
			return "its length is no number";
		if (coding && strcasecmp(it->value, "chunked") != 0)
			return "its body has another coding than 'chunked'";
		if (!read && (coding || (length && it->value[strspn(it->value, "0")])))
			return "its method has no body";
		lengths += length || coding;
		hosts += !strcasecmp(it->key, "Host");
	}
	return lengths > 1 ? "its length is said twice"
	       : hosts > 1 ? "its host is said twice"
			   : NULL;
}

/* "GET http://HOST/PATH" asks that host, whatever the header says. */
static const char *host_of(struct evhttp_request *http)
{
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(http);
	const char *host = uri ? evhttp_uri_get_host(uri) : NULL;

	return host ? host : evhttp_find_header(evhttp_request_get_input_headers(http), "Host");
}

/* Whether it may ask what it asks; else it has its answer. */
static bool guest_may(struct guest *g, struct listener_request *r, char name[LISTENER_NAME])
{
	struct listener *l = g->listener;
	struct caller *c;
	int status;

	status = l->o.who ? l->o.who(l->o.arg, r, name) : 401;
	if (status) {
		listener_refuse(r, status, status == 429 ? 1000 : 0, "%s",
				status == 429	? "too many try to be known: ask again later"
				: status == 403 ? "a page of another site asked for that"
						: "nobody who is known here asks");
		return false;
	}
	c = caller_get(l, name);
	if (!c) {
		listener_refuse(r, 503, 1000, "out of memory");
		return false;
	}
	guest_known(g, c);
	r->caller = c->name;
	if (!caller_asks(c, l->o.bounds.per_second)) {
		listener_refuse(r, 429, 1000, "more than %.0f requests a second",
				l->o.bounds.per_second);
		return false;
	}
	return true;
}

/* The answer was sent. */
static void guest_answered(struct evhttp_request *http, void *arg)
{
	struct guest *g = arg;
	size_t more = evbuffer_get_length(bufferevent_get_input(g->bev));

	(void)http;
	g->asks = more; /* the next request began before */
	guest_hold(g, more);
	guest_limit(g, more ? LISTENER_TIMEOUT_S : LISTENER_IDLE_S);
}

static void listener_take(struct evhttp_request *http, void *arg)
{
	struct listener *l = arg;
	struct evbuffer *body = evhttp_request_get_input_buffer(http);
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(http);
	struct listener_request r = {.http = http, .bearer = bearer_of(http), .listener = l};
	const struct listener_route *route;
	char name[LISTENER_NAME];
	struct guest *g = listener_guest(l, http);
	const char *ambiguity = ambiguity_of(http);
	int status;

	if (!g || g->in == &l->fresh || g->in == &l->doomed) {
		evhttp_send_error(http, 503, NULL);
		return;
	}
	evhttp_request_set_on_complete_cb(http, guest_answered, g);
	r.path = uri && evhttp_uri_get_path(uri) ? evhttp_uri_get_path(uri) : "";
	r.query = uri ? evhttp_uri_get_query(uri) : NULL;
	r.tls = l->o.tls ? bufferevent_openssl_get_ssl(g->bev) : NULL;
	r.len = evbuffer_get_length(body);
	r.body = r.len ? (void *)evbuffer_pullup(body, -1) : name;
	listener_count(l, COUNT_REQUESTS);
	atomic_fetch_add_explicit(&l->counts[COUNT_BYTES], r.len, memory_order_relaxed);
	route = route_of(l, &r, &status);
	if (ambiguity)
		listener_refuse(&r, 400, 0, "%s", ambiguity);
	else if (l->o.names && !http_hosts_has(l->o.names, host_of(http)))
		listener_refuse(&r, 421, 0, "this is not the server of that name (--allow-host)");
	else if (!r.body)
		listener_refuse(&r, 503, 1000, "out of memory");
	else if (!route)
		listener_refuse(&r, status, 0, "%s",
				status == 404 ? "no such path" : "not by this method");
	else if (route->for_everybody || guest_may(g, &r, name))
		route->answer(l->o.arg, &r);
}

/* ---- life ---- */

static void bounds_set(struct listener_bounds *b)
{
	struct rlimit files;
	size_t most = GUESTS;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur / 4 * 3 < most)
		most = (size_t)files.rlim_cur / 4 * 3;
	b->guests = b->guests ? b->guests : most;
	b->strangers = b->strangers ? b->strangers : STRANGERS;
	b->per_caller = b->per_caller ? b->per_caller : PER_CALLER;
	b->per_second = b->per_second > 0 ? b->per_second : PER_SECOND;
	b->body = b->body ? b->body : EXCHANGE_BODY_MAX;
	b->bytes = b->bytes ? b->bytes : BYTES;
}

/* Its own messages are of sockets that others broke. */
static void libevent_says(int severity, const char *text)
{
	if (severity == EVENT_LOG_ERR)
		warn("libevent: %s", text);
}

static int listener_serve(struct listener *l, int fd)
{
	struct evhttp_bound_socket *bound;

	l->http = evhttp_new(l->base);
	l->tick = event_new(l->base, -1, EV_PERSIST, listener_tick, l);
	l->work = event_new(l->base, -1, 0, listener_work, l);
	if (!l->http || !l->tick || !l->work ||
	    event_add(l->tick, &(struct timeval){.tv_usec = TICK_NS / 1000}))
		return -ENOMEM;
	/* What no route takes is answered 405; evhttp says 501 of what it does not know, and so does nobody else. */
	evhttp_set_allowed_methods(l->http, (ev_uint16_t)~EVHTTP_REQ_CONNECT);
	evhttp_set_max_headers_size(l->http, LISTENER_HEAD_MAX);
	evhttp_set_max_body_size(l->http, stranger_body(l));
	evhttp_set_timeout(l->http, EVHTTP_TIMEOUT_S);
	evhttp_set_bevcb(l->http, listener_accept, l);
	evhttp_set_gencb(l->http, listener_take, l);
	/* Accepted ones have it too: an answer is written in pieces, and must not wait for the other side's word of the first. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	bound = evhttp_accept_socket_with_handle(l->http, fd);
	if (!bound)
		return -ENOMEM;
	l->socket = evhttp_bound_socket_get_listener(bound);
	evconnlistener_set_error_cb(l->socket, listener_cannot_accept);
	return 0;
}

int listener_new(struct listener **out, struct event_base *base, const struct listener_opts *o,
		 char why[WHY_LEN])
{
	int fd = listen_address(o->listen, o->alone ? o->alone : "0.0.0.0", BACKLOG, why),
	    err = -ENOMEM;
	struct listener *l;

	*out = NULL;
	if (fd < 0)
		return fd;
	l = calloc(1, sizeof(*l));
	if (l) {
		l->base = base;
		l->o = *o;
		bounds_set(&l->o.bounds);
		TAILQ_INIT(&l->fresh);
		TAILQ_INIT(&l->strangers);
		TAILQ_INIT(&l->doomed);
		event_set_log_callback(libevent_says);
		err = listener_serve(l, fd);
	}
	if (err) {
		snprintf(why, WHY_LEN, "cannot listen on '%s': %s", o->listen, strerror(-err));
		if (!l || !l->socket)
			close(fd);
		listener_free(l);
		return err;
	}
	*out = l;
	return 0;
}

void listener_free(struct listener *l)
{
	if (!l)
		return;
	if (l->socket) {
		listener_work(-1, 0, l);
		evconnlistener_disable(l->socket);
	}
	if (l->http)
		evhttp_free(l->http);
	if (l->tick)
		event_free(l->tick);
	if (l->work)
		event_free(l->work);
	for (size_t i = 0; i < l->n_callers; i++)
		free(l->callers[i]);
	free(l->callers);
	free(l->guests);
	map_release(&l->by_name);
	map_release(&l->by_bev);
	free(l);
}
