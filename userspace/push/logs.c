// SPDX-License-Identifier: BSD-2-Clause
/* The logs of this host, for one receiver: see logs.h. */
#include "logs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* A line that nobody has ended for so long is one; and a packed log that nobody has written to. */
#define LINE_NS	  (60 * NS_PER_S)
#define PACKED_NS (10 * NS_PER_S)
/* A log that the receiver does not take is tried again. */
#define RETRY_NS (60 * NS_PER_S)
/* Frames have a head and a path besides. */
#define FRAME_ROOM 2048

struct log_state {
	uint32_t version;   /* of the log when that was so */
	int64_t size;	    /* that the receiver has; -1: not known */
	int64_t retry_ns;   /* monotonic */
	uint32_t waits_for; /* a look: nothing can be sent before */
};

struct asked_log {
	size_t log;
	uint32_t version;
	bool sent; /* bytes, no question */
};

struct logs {
	struct places *places;
	const char *host;
	struct log_state *states; /* by number of the log */
	size_t n, next;
	uint32_t epoch, looks; /* of the places */
	bool more;	       /* the last request was full */
	struct asked_log asked[EXCHANGE_LOGS_MAX];
	size_t n_asked;
	char *bytes; /* EXCHANGE_BODY */
};

struct logs *logs_new(struct places *places, const char *host)
{
	struct logs *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->places = places;
	l->host = host;
	return l;
}

void logs_free(struct logs *l)
{
	if (!l)
		return;
	free(l->states);
	free(l->bytes);
	free(l);
}

void logs_forget(struct logs *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->states[i].size = -1;
	l->more = true;
}

/* ---- one log ---- */

/* How much of the n bytes goes: of what is still written, up to the end of the last line. */
static size_t whole_lines(const struct place_log *log, const char *at, size_t n, bool at_end)
{
	const char *end = memrchr(at, '\n', n);
	int64_t quiet = clock_ns(CLOCK_REALTIME) - log->mtime_ns;

	if (log->packed || (at_end && quiet > LINE_NS))
		return n;
	if (end)
		return (size_t)(end + 1 - at);
	/* A line that is longer than a request goes in pieces. */
	return at_end ? 0 : n;
}

/* Reads what comes next into l->bytes: how much is to be sent, 0: nothing yet; a negative errno. */
static ssize_t read_log(struct logs *l, struct place_log *log, int64_t offset, size_t room)
{
	int fd = places_open(l->places, log);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, l->bytes, room, offset);
	close(fd);
	if (n <= 0)
		return n ? -errno : 0;
	return (ssize_t)whole_lines(log, l->bytes, (size_t)n, offset + n >= log->size);
}

static int put_log(struct logs *l, size_t i, int64_t offset, size_t len, struct text *body)
{
	const struct place_log *log = &l->places->logs[i];
	const struct wire_lines lines = {.path = log->path,
					 .identity = log->identity,
					 .offset = (uint64_t)offset,
					 .at = l->bytes,
					 .len = len};
	int err = wire_put_lines(l->host, clock_ns(CLOCK_REALTIME), &lines, body);

	if (!err)
		l->asked[l->n_asked++] =
			(struct asked_log){.log = i, .version = log->version, .sent = len > 0};
	return err;
}

/* Adds a frame of it, if there is something to say. */
static int next_of_log(struct logs *l, size_t i, int64_t now_ns, size_t room, struct text *body)
{
	struct place_log *log = &l->places->logs[i];
	struct log_state *state = &l->states[i];
	ssize_t n;

	if (!log->there || log->left != LOG_SENT || !*log->identity || state->retry_ns > now_ns)
		return 0;
	if (state->version != log->version)
		*state = (struct log_state){.version = log->version, .size = -1};
	if (state->size < 0)
		return put_log(l, i, 0, 0, body);
	if (state->size >= log->size || state->waits_for == l->looks + 1)
		return 0;
	if (log->packed && clock_ns(CLOCK_REALTIME) - log->mtime_ns < PACKED_NS)
		return 0;
	n = read_log(l, log, state->size, room);
	if (n > 0)
		return put_log(l, i, state->size, (size_t)n, body);
	/* Nothing whole yet, or another one by now: the next look tells. */
	state->waits_for = l->looks + 1;
	return n == -ENOMEM ? (int)n : 0;
}

/* ---- all ---- */

static int follow_places(struct logs *l)
{
	struct places *p = l->places;

	if (l->epoch != p->epoch) {
		l->epoch = p->epoch;
		l->n = 0;
	}
	if (!l->bytes && p->n_logs)
		l->bytes = malloc(EXCHANGE_BODY);
	if (p->n_logs && (!l->bytes || array_extend(&l->states, l->n, p->n_logs)))
		return -ENOMEM;
	for (; l->n < p->n_logs; l->n++)
		l->states[l->n] = (struct log_state){.version = UINT32_MAX, .size = -1};
	return 0;
}

/* Each in turn, from where the last request ended. */
static int next_of_all(struct logs *l, struct text *body)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	for (size_t k = 0; k < l->n; k++) {
		size_t i = (l->next + k) % l->n;
		size_t used = body->len + FRAME_ROOM;
		int err;

		if (l->n_asked == EXCHANGE_LOGS_MAX || used + FRAME_ROOM > EXCHANGE_BODY) {
			l->next = i;
			l->more = true;
			break;
		}
		err = next_of_log(l, i, now_ns, EXCHANGE_BODY - used, body);
		if (err)
			return err;
	}
	return 0;
}

int logs_next(struct logs *l, struct text *body)
{
	struct places *p = l->places;
	int err = 0;

	if (!p->n)
		return 0;
	pthread_mutex_lock(&p->lock);
	places_look(p);
	if (l->more || l->looks != p->looks || l->epoch != p->epoch) {
		l->looks = p->looks;
		l->more = false;
		l->n_asked = 0;
		err = follow_places(l);
		if (!err)
			err = next_of_all(l, body);
		/* What follows the answers. */
		l->more |= l->n_asked > 0;
	} else {
		l->n_asked = 0;
	}
	pthread_mutex_unlock(&p->lock);
	return err ? err : (int)l->n_asked;
}

static bool log_answered(struct logs *l, const struct asked_log *asked,
			 const struct answer_log *said)
{
	struct place_log *log = &l->places->logs[asked->log];
	struct log_state *state = &l->states[asked->log];
	char path[WIRE_PATH_LEN], identity[WIRE_IDENTITY_LEN];

	if (part_text(said->path, path, sizeof(path)) == SIZE_MAX ||
	    part_text(said->identity, identity, sizeof(identity)) == SIZE_MAX)
		return false;
	/* Meanwhile it may have become another one. */
	if (log->version != asked->version)
		return true;
	if (strcmp(path, log->path) || strcmp(identity, log->identity))
		return false;
	if (said->size > log->size) {
		places_was_cut(log);
		if (log->cuts > 1)
			state->retry_ns = clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
		return true;
	}
	if (asked->sent && said->size <= state->size)
		state->retry_ns = clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
	state->size = said->size;
	return true;
}

bool logs_answered(struct logs *l, struct answer *a)
{
	struct answer_log said;
	bool good = true;
	size_t i = 0;

	pthread_mutex_lock(&l->places->lock);
	for (; good && i < l->n_asked; i++)
		good = answer_log(a, &said) > 0 &&
		       (l->epoch != l->places->epoch || log_answered(l, &l->asked[i], &said));
	good = good && !answer_log(a, &said);
	pthread_mutex_unlock(&l->places->lock);
	return good;
}
