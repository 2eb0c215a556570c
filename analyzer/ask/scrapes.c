// SPDX-License-Identifier: BSD-2-Clause
/*
 * /metrics. Their text takes a third of the judge's time, so it is made when it is asked for: whoever asks waits for the next snapshot, which
 * the judge makes at once, and which has it.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The judge may be at work on an interval. */
#define WAIT_S 8

struct scraper {
	LIST_ENTRY(scraper) beside;
	struct front *f;
	struct listener_request r;
	struct event *late;
	enum openmetrics_format format;
};

static void scrape_free(struct scraper *s)
{
	LIST_REMOVE(s, beside);
	if (s->late)
		event_free(s->late);
	free(s);
}

static void scrape_gone(void *arg)
{
	scrape_free(arg);
}

static bool answer_with(struct listener_request *r, const struct snapshot *s,
			enum openmetrics_format format)
{
	struct text t = {0};

	if (!s->metrics[format])
		return false;
	text_put_bytes(&t, s->metrics[format], s->metrics_len[format]);
	listener_reply(r, 200, openmetrics_content_type(format), NULL, &t);
	return true;
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct scraper *s = arg;
	struct listener_request r = s->r;

	(void)fd, (void)what;
	scrape_free(s);
	listener_refuse(&r, 503, 1000, "the judge is busy");
}

void answer_metrics(void *arg, struct listener_request *r)
{
	const char *accept =
		evhttp_find_header(evhttp_request_get_input_headers(r->http), "Accept");
	enum openmetrics_format format = openmetrics_negotiate(accept);
	struct front *f = arg;
	struct snapshot *now = front_now(f, r);
	struct scraper *s;

	if (!now || answer_with(r, now, format))
		return;
	s = calloc(1, sizeof(*s));
	if (s) {
		*s = (struct scraper){.f = f, .r = *r, .format = format};
		s->late = evtimer_new(f->base, on_late, s);
		LIST_INSERT_HEAD(&f->scrapes, s, beside);
	}
	if (!s || !s->late || evtimer_add(s->late, &(struct timeval){.tv_sec = WAIT_S})) {
		if (s)
			scrape_free(s);
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	listener_keep(r, scrape_gone, s);
	board_want(f->board, format);
}

void scrapes_tell(struct front *f)
{
	struct snapshot *now = board_get(f->board);
	struct scraper *next;

	for (struct scraper *s = LIST_FIRST(&f->scrapes); s && now; s = next) {
		struct listener_request r = s->r;
		enum openmetrics_format format = s->format;

		next = LIST_NEXT(s, beside);
		if (!now->metrics[format])
			continue;
		scrape_free(s);
		answer_with(&r, now, format);
	}
	snapshot_done(now);
}
