// SPDX-License-Identifier: BSD-2-Clause
/* Server-sent events: each change as it is told, and that there is a new verdict. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct stream {
	LIST_ENTRY(stream) beside;
	struct listener_stream *to;
	uint64_t next;	   /* event */
	uint64_t snapshot; /* that it was told of */
};

static void gone(void *arg)
{
	struct stream *s = arg;

	LIST_REMOVE(s, beside);
	free(s);
}

/* A number is the run's and the event's: one of another run, or of no event yet, says nothing of this run's events. */
static uint64_t after_last(const struct front *f, const struct listener_request *r)
{
	const char *last =
		evhttp_find_header(evhttp_request_get_input_headers(r->http), "Last-Event-ID");
	const uint64_t newest = board_newest(f->board);
	size_t len = strlen(f->run);
	uint64_t number;

	if (!last)
		return newest + 1;
	if (strncmp(last, f->run, len) != 0 || last[len] != '-')
		return 1;
	number = strtoull(last + len + 1, NULL, 10);
	return number <= newest ? number + 1 : 1;
}

static void tell_events(struct front *f, struct stream *s)
{
	char *json;

	/* The rest when there is room: with the next verdict, or pulse. */
	while (listener_stream_unread(s->to) < LISTENER_UNREAD / 4 &&
	       (json = board_event_from(f->board, &s->next))) {
		struct text t = {0};

		text_add(&t, "id: %s-%" PRIu64 "\nevent: change\ndata: %s\n\n", f->run, s->next,
			 json);
		if (!t.failed)
			listener_stream_put(s->to, text_of(&t), t.len);
		text_release(&t);
		free(json);
		s->next++;
	}
}

static void tell(struct front *f, struct stream *s, uint64_t snapshot)
{
	char line[80];
	int n;

	tell_events(f, s);
	if (s->snapshot == snapshot)
		return;
	s->snapshot = snapshot;
	n = snprintf(line, sizeof(line), "event: verdict\ndata: {\"number\":%" PRIu64 "}\n\n",
		     snapshot);
	listener_stream_put(s->to, line, (size_t)n);
}

static uint64_t snapshot_number(struct front *f)
{
	struct snapshot *s = board_get(f->board);
	uint64_t number = s ? s->number : 0;

	snapshot_done(s);
	return number;
}

void api_events(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	struct stream *s = calloc(1, sizeof(*s));
	static const char begin[] = "retry: 2000\n\n";

	if (!s) {
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	s->next = after_last(f, r);
	s->to = listener_stream_begin(r, "text/event-stream", gone, s);
	if (!s->to) {
		free(s);
		return;
	}
	LIST_INSERT_HEAD(&f->streams, s, beside);
	listener_stream_put(s->to, begin, sizeof(begin) - 1);
	tell(f, s, snapshot_number(f));
}

void streams_tell(struct front *f)
{
	uint64_t snapshot = snapshot_number(f);
	struct stream *s;

	LIST_FOREACH(s, &f->streams, beside)
	tell(f, s, snapshot);
}

/* So that whoever is gone is found out, and nobody in between takes the connection for idle. */
void streams_pulse(struct front *f)
{
	struct stream *s;

	LIST_FOREACH(s, &f->streams, beside)
	listener_stream_put(s->to, ":\n\n", 3);
}
