// SPDX-License-Identifier: BSD-2-Clause
/* listener.h, for handlers: answers, at once, later, or in pieces. */
#include "internal.h"

#include <event2/buffer.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/text_clean.h"

const int listener_statuses[] = {200, 303, 400, 401, 403, 404, 405,
				 409, 413, 421, 429, 500, 503, 0};

/* ---- answers ---- */

static void count_answer(struct listener *l, int status)
{
	int i = 0;

	while (listener_statuses[i] && listener_statuses[i] != status)
		i++;
	listener_count(l, COUNT_ANSWERS + i);
}

/* evhttp reads no more before the answer, and would not hear of a client that goes. What comes is for the next request. */
static void guest_waits(struct guest *g)
{
	bufferevent_event_cb on_event;
	void *http;

	bufferevent_getcb(g->bev, NULL, NULL, &on_event, &http);
	bufferevent_setcb(g->bev, NULL, NULL, on_event, http);
	bufferevent_setwatermark(g->bev, EV_READ, 0, LISTENER_HEAD_MAX);
	bufferevent_set_timeouts(g->bev, NULL, NULL);
	bufferevent_enable(g->bev, EV_READ);
}

static void guest_goes_on(struct guest *g)
{
	const struct timeval most = {.tv_sec = EVHTTP_TIMEOUT_S};

	bufferevent_setwatermark(g->bev, EV_READ, 0, 0);
	bufferevent_set_timeouts(g->bev, &most, &most);
}

void listener_reply(struct listener_request *r, int status, const char *type,
		    const char *const *headers, struct text *body)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(r->http);
	struct guest *g = listener_guest(r->listener, r->http);
	struct evbuffer *bytes = evbuffer_new();
	bool head = evhttp_request_get_command(r->http) == EVHTTP_REQ_HEAD;
	char length[24];

	if (!bytes || body->failed || (!head && evbuffer_add(bytes, text_of(body), body->len)))
		status = 500;
	evhttp_add_header(out, "Content-Type", type);
	for (; headers && *headers; headers += 2)
		evhttp_add_header(out, headers[0], headers[1]);
	if (head) {
		snprintf(length, sizeof(length), "%zu", body->len);
		evhttp_add_header(out, "Content-Length", length);
	}
	/* Whoever is refused so begins anew; a stranger with each mistake, for one after the other would cost much. */
	if (status == 400 || status == 401 || status == 500 ||
	    (status > 400 && g && guest_is_stranger(g)))
		evhttp_add_header(out, "Connection", "close");
	count_answer(r->listener, status);
	if (g) {
		if (g->gone)
			guest_goes_on(g);
		g->gone = NULL;
		guest_limit(g, LISTENER_TIMEOUT_S);
	}
	evhttp_send_reply(r->http, status, NULL, bytes);
	/* evhttp would read on meanwhile, without bound, to see whether the client goes; it begins again with the next request. */
	if (g)
		bufferevent_disable(g->bev, EV_READ);
	if (bytes)
		evbuffer_free(bytes);
	text_release(body);
}

void listener_answer(struct listener_request *r, int status, struct text *answer)
{
	text_put(answer, "\n");
	listener_reply(r, status, "application/json", NULL, answer);
}

/* ---- in pieces ---- */

struct listener_stream {
	struct guest *guest;
	struct evhttp_request *http;
	void (*gone)(void *arg);
	void *arg;
	size_t unread; /* after the last put */
};

struct listener_stream *listener_stream_begin(struct listener_request *r, const char *type,
					      void (*gone)(void *arg), void *arg)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(r->http);
	struct listener *l = r->listener;
	struct guest *g = listener_guest(l, r->http);
	struct listener_stream *s;

	if (evhttp_request_get_command(r->http) == EVHTTP_REQ_HEAD) {
		evhttp_add_header(out, "Allow", "GET");
		listener_refuse(r, 405, 0, "a stream has no end to tell the length of");
		return NULL;
	}
	s = g ? calloc(1, sizeof(*s)) : NULL;
	if (!s || l->n_streams >= LISTENER_STREAMS) {
		free(s);
		listener_refuse(r, 503, 10000, "there are %d listeners already", LISTENER_STREAMS);
		return NULL;
	}
	*s = (struct listener_stream){.guest = g, .http = r->http, .gone = gone, .arg = arg};
	g->stream = s;
	/* It has nothing to say any more. */
	bufferevent_setwatermark(g->bev, EV_READ, 0, LISTENER_HEAD_MAX);
	atomic_store_explicit(&l->counts[COUNT_STREAMS], ++l->n_streams, memory_order_relaxed);
	count_answer(l, 200);
	evhttp_add_header(out, "Content-Type", type);
	evhttp_add_header(out, "Cache-Control", "no-store");
	evhttp_send_reply_start(r->http, 200, NULL);
	bufferevent_set_timeouts(g->bev, NULL, NULL);
	guest_limit(g, LISTENER_IDLE_S);
	return s;
}

size_t listener_stream_unread(const struct listener_stream *s)
{
	return evbuffer_get_length(bufferevent_get_output(s->guest->bev));
}

void listener_stream_put(struct listener_stream *s, const char *bytes, size_t len)
{
	struct guest *g = s->guest;
	size_t unread = listener_stream_unread(s);
	struct evbuffer *b;

	if (!unread || unread < s->unread)
		guest_limit(g, LISTENER_IDLE_S);
	if (unread + len > LISTENER_UNREAD) {
		guest_doom(g, COUNT_LATE);
		return;
	}
	b = evbuffer_new();
	if (b && !evbuffer_add(b, bytes, len))
		evhttp_send_reply_chunk(s->http, b);
	if (b)
		evbuffer_free(b);
	s->unread = listener_stream_unread(s);
}

void listener_stream_gone(struct guest *g)
{
	struct listener_stream *s = g->stream;
	struct listener *l = g->listener;

	g->stream = NULL;
	/* As of what a handler keeps. */
	if (!evhttp_request_get_connection(s->http))
		evhttp_request_free(s->http);
	atomic_store_explicit(&l->counts[COUNT_STREAMS], --l->n_streams, memory_order_relaxed);
	s->gone(s->arg);
	free(s);
}

void listener_quote(struct text *to, const char *s)
{
	size_t len = strlen(s), step;

	text_put(to, "\"");
	for (size_t i = 0; i < len; i += step ? step : 1) {
		step = text_character(s + i, len - i);
		if (s[i] == '"' || s[i] == '\\')
			text_put(to, "\\");
		text_put_bytes(to, step ? s + i : "?", step ? step : 1);
	}
	text_put(to, "\"");
}

void listener_keep(struct listener_request *r, void (*gone)(void *arg), void *arg)
{
	struct guest *g = listener_guest(r->listener, r->http);

	if (!g)
		return;
	g->gone = gone;
	g->gone_arg = arg;
	g->kept = r->http;
	guest_waits(g);
}

void listener_refuse(struct listener_request *r, int status, unsigned int wait_ms, const char *fmt,
		     ...)
{
	const struct listener_opts *o = &r->listener->o;
	char sentence[WHY_LEN];
	struct text answer = {0};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	if (o->show_refusal && o->show_refusal(o->arg, r, status, sentence))
		return;
	text_put(&answer, "{\"error\":");
	listener_quote(&answer, sentence);
	if (wait_ms)
		text_add(&answer, ",\"wait_ms\":%u", wait_ms);
	text_put(&answer, "}");
	listener_answer(r, status, &answer);
}

bool listener_query(const struct listener_request *r, const char *name, char *to, size_t size)
{
	size_t len = strlen(name);

	for (const char *at = r->query; at && *at; at += strspn(at, "&")) {
		size_t n = strcspn(at, "&");

		if (n > len && !strncmp(at, name, len) && at[len] == '=' && n - len <= size) {
			snprintf(to, size, "%.*s", (int)(n - len - 1), at + len + 1);
			return true;
		}
		at += n;
	}
	return false;
}
