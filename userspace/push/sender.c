// SPDX-License-Identifier: BSD-2-Clause
/* All that is sent to one receiver: see sender.h. */
#include "sender.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "answer.h"
#include "copies.h"
#include "logs.h"
#include "seconds.h"
#include "userspace/common/clock.h"
#include "userspace/common/threads.h"

/* Requests of one stream in one round, so that no stream waits long for another. */
#define ROUND_POSTS    8
#define ROUND_LOGS     4
#define BACKOFF_NS     (2 * NS_PER_S)
#define BACKOFF_MAX_NS (30 * NS_PER_S)
/* A receiver that is busy or has just begun says so itself, and that is no news so long. */
#define NOT_NOW_NS (60 * NS_PER_S)
/* Its clock may be so far before ours, and say since when it judges. */
#define AHEAD_NS  (60 * NS_PER_S)
#define SAY_AGAIN NS_PER_HOUR

enum stream_kind { STREAM_SECONDS, STREAM_SERIES, STREAM_LOGS, STREAMS };
static const char *const stream_names[STREAMS] = {"seconds", "series files", "logs"};

/* Whether it goes well: of the receiver, and of each stream. */
struct state {
	unsigned int failures; /* since it went well */
	int64_t since_ns;      /* the first of them; monotonic, as all times here */
	int64_t quiet_ns;      /* nothing before that */
	bool told;
};

struct sender {
	struct sender_opts o;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	volatile sig_atomic_t stop;
	struct fetch *fetch;
	unsigned int seed;
	struct text body, answer;
	struct state reached, streams[STREAMS];
	bool again;		/* there is more to send at once */
	bool troubled[STREAMS]; /* with the files of this host */
	char said[300];		/* of them, last */
	int64_t said_ns;
	struct seconds *seconds;
	int64_t live_ns; /* -1: not known */
	struct copies *copies;
	struct logs *logs;
};

/* ---- what goes well and what does not ---- */

static void state_failed(struct sender *s, struct state *st, unsigned int wait_ms)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), most = BACKOFF_MAX_NS;

	if (!st->failures)
		st->since_ns = now;
	if (st->failures < 4)
		most = BACKOFF_NS << st->failures;
	st->failures++;
	st->quiet_ns = now + (int64_t)((double)rand_r(&s->seed) / RAND_MAX * (double)most);
	if (st->quiet_ns < now + wait_ms * NS_PER_MS)
		st->quiet_ns = now + wait_ms * NS_PER_MS;
}

/* Nothing is known any more of what the receiver has. */
static void forget(struct sender *s, enum stream_kind kind)
{
	if (kind == STREAM_SECONDS)
		s->live_ns = -1;
	else if (kind == STREAM_SERIES)
		copies_forget(s->copies);
	else
		logs_forget(s->logs);
}

static int receiver_is_away(struct sender *s, const char *why)
{
	if (s->stop)
		return -EAGAIN;
	if (!s->reached.told)
		warn("receiver '%s' cannot be reached: %s; it is tried again", s->o.receiver->url,
		     why);
	s->reached.told = true;
	state_failed(s, &s->reached, 0);
	for (int i = 0; i < STREAMS; i++)
		forget(s, i);
	return -EAGAIN;
}

static int stream_is_refused(struct sender *s, enum stream_kind kind, const char *why, bool not_now,
			     unsigned int wait_ms)
{
	struct state *st = &s->streams[kind];

	state_failed(s, st, wait_ms);
	forget(s, kind);
	if (!st->told && (!not_now || clock_ns(CLOCK_MONOTONIC) - st->since_ns >= NOT_NOW_NS)) {
		warn("receiver '%s' does not take %s: %s; they are sent again later",
		     s->o.receiver->url, stream_names[kind], why);
		st->told = true;
	}
	return -EAGAIN;
}

static void receiver_is_reached(struct sender *s)
{
	if (s->reached.told)
		warn("receiver '%s' is reached again", s->o.receiver->url);
	s->reached = (struct state){0};
}

/* What was sent was taken, or nothing is left to be sent: that it answered a question is not enough. */
static void stream_is_taken(struct sender *s, enum stream_kind kind)
{
	if (s->streams[kind].told)
		warn("receiver '%s' takes %s again", s->o.receiver->url, stream_names[kind]);
	s->streams[kind] = (struct state){0};
}

/* It answered, but not what was asked: what it said before may be as wrong. */
static int answer_is_wrong(struct sender *s, enum stream_kind kind, const char *why)
{
	for (int i = 0; i < STREAMS; i++)
		forget(s, i);
	return stream_is_refused(s, kind, why, false, 0);
}

/* ---- one request ---- */

/* What a status other than 200 means to people. */
static void why_refused(long status, const struct answer *a, char why[WHY_LEN])
{
	static const struct {
		long status;
		const char *means;
	} table[] = {
		{401, "it does not know this host's token (enroll it anew)"},
		{403, "this host may not send that"},
		{404, "it has no such path: no limpet serve, or an older one"},
		{413, "it is too long"},
		{429, "it has too much to do"},
		{503, "it cannot take them yet"},
	};
	const char *means = NULL;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].status == status)
			means = table[i].means;
	snprintf(why, WHY_LEN, "status %ld%s%s%s%.120s%s", status, means ? ", " : "",
		 means ? means : "", *a->error ? " (\"" : "", a->error, *a->error ? "\")" : "");
}

/* Sends s->body. 0 with the answer, which stands in s->answer; -EAGAIN: it was not taken, and that was dealt with. */
static int sender_post(struct sender *s, enum stream_kind kind, const char *path, struct answer *a)
{
	char url[URL_MAX_LEN + 512], why[WHY_LEN];
	long status;
	int err;

	snprintf(url, sizeof(url), "%s%s", s->o.receiver->url, path);
	if (s->body.failed)
		return receiver_is_away(s, "out of memory");
	err = fetch_post(s->fetch, url, text_of(&s->body), s->body.len, EXCHANGE_ANSWER_MAX,
			 &s->answer, &status, why);
	/* An answer without end is one, too, but no good one. */
	if (err && err != -E2BIG)
		return receiver_is_away(s, why);
	receiver_is_reached(s);
	if (!err && answer_read(a, text_of(&s->answer), s->answer.len)) {
		*a = (struct answer){.live_ns = -1};
		if (status == 200)
			err = -EBADMSG;
	}
	if (err)
		return answer_is_wrong(s, kind,
				       err == -E2BIG ? why : "its answer is none of limpet serve");
	if (status != 200) {
		why_refused(status, a, why);
		return stream_is_refused(s, kind, why, status == 429 || status == 503, a->wait_ms);
	}
	if (a->wait_ms)
		s->reached.quiet_ns = clock_ns(CLOCK_MONOTONIC) + a->wait_ms * NS_PER_MS;
	return 0;
}

static bool may_go_on(const struct sender *s)
{
	return !s->stop && s->reached.quiet_ns <= clock_ns(CLOCK_MONOTONIC);
}

/* Files of this host that cannot be read: once, and once that seconds can; a file that stays as it is is said again after an hour. */
static void tell_trouble(struct sender *s, enum stream_kind stream, int err)
{
	bool was = s->troubled[stream];
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	s->troubled[stream] = err < 0;
	if (!s->o.tells || (err >= 0 && (!was || stream == STREAM_SERIES)))
		return;
	if (err >= 0) {
		warn("the series files can be read again");
	} else if ((stream == STREAM_SERIES || !was) &&
		   (strncmp(s->said, series_error(), sizeof(s->said) - 1) != 0 ||
		    now_ns - s->said_ns > SAY_AGAIN)) {
		snprintf(s->said, sizeof(s->said), "%s", series_error());
		s->said_ns = now_ns;
		warn("%s", s->said);
	}
}

/* ---- the streams ---- */

static void send_seconds(struct sender *s)
{
	struct answer a;
	int n = 0;

	for (int i = 0; may_go_on(s); i++) {
		int64_t last_ns = 0;

		if (i == ROUND_POSTS) {
			s->again = true;
			return;
		}
		text_reset(&s->body);
		if (s->live_ns >= 0) {
			n = seconds_next(s->seconds, s->live_ns, clock_ns(CLOCK_REALTIME),
					 EXCHANGE_BODY, &s->body, &last_ns);
			tell_trouble(s, STREAM_SECONDS, n);
			if (!n)
				stream_is_taken(s, STREAM_SECONDS);
			if (n <= 0)
				return;
		}
		if (sender_post(s, STREAM_SECONDS, EXCHANGE_SECONDS, &a))
			return;
		if (a.live_ns < 0) {
			answer_is_wrong(s, STREAM_SECONDS, "its answer does not say what it has");
			return;
		}
		if (a.live_ns > clock_ns(CLOCK_REALTIME) + AHEAD_NS) {
			answer_is_wrong(s, STREAM_SECONDS,
					"it has seconds that are to come, by this host's clock");
			return;
		}
		/* It shall come on, or the same would be sent for ever. */
		if (n && a.live_ns <= s->live_ns && a.wait_ms)
			return;
		if (n && a.live_ns <= s->live_ns) {
			answer_is_wrong(s, STREAM_SECONDS, "it still wants what was sent");
			return;
		}
		if (n)
			stream_is_taken(s, STREAM_SECONDS);
		s->live_ns = a.live_ns;
		/* It took a part: the rest with the next look, and not at once. */
		if (n && a.live_ns < last_ns)
			return;
	}
}

static void send_series(struct sender *s)
{
	char path[COPIES_PATH_LEN];
	struct answer a;

	for (int i = 0; i < ROUND_POSTS && may_go_on(s); i++) {
		int n;

		text_reset(&s->body);
		n = copies_next(s->copies, clock_ns(CLOCK_REALTIME), &s->body, path);
		if (n)
			tell_trouble(s, STREAM_SERIES, n);
		if (!n)
			stream_is_taken(s, STREAM_SERIES);
		if (n <= 0 || sender_post(s, STREAM_SERIES, path, &a))
			return;
		if (!a.cursor.kept) {
			answer_is_wrong(s, STREAM_SERIES, "its answer does not say what it has");
			return;
		}
		if (!copies_answered(s->copies, &a.cursor)) {
			answer_is_wrong(s, STREAM_SERIES, "it still wants what was sent");
			return;
		}
		if (s->body.len)
			stream_is_taken(s, STREAM_SERIES);
	}
}

static void send_logs(struct sender *s)
{
	struct answer a;

	for (int i = 0; i < ROUND_LOGS && may_go_on(s); i++) {
		int n;

		text_reset(&s->body);
		n = logs_next(s->logs, &s->body);
		if (!n)
			stream_is_taken(s, STREAM_LOGS);
		if (n <= 0 || sender_post(s, STREAM_LOGS, EXCHANGE_LOGS, &a))
			return;
		if (!logs_answered(s->logs, &a)) {
			answer_is_wrong(s, STREAM_LOGS, "its answer is not about these logs");
			return;
		}
	}
}

/* ---- the thread ---- */

/* Of a thousand hosts each has its own part of the second. */
static int64_t phase_ns(const char *host)
{
	return (int64_t)(crc32(0, (const unsigned char *)host, (unsigned int)strlen(host)) % 1000) *
	       NS_PER_MS;
}

/* Until the next second of this host, or the end. */
static void sender_sleep(struct sender *s)
{
	int64_t wall = clock_ns(CLOCK_REALTIME) - phase_ns(s->o.host);
	int64_t until = clock_ns(CLOCK_MONOTONIC) + NS_PER_S - wall % NS_PER_S;
	struct timespec t;

	if (until < s->reached.quiet_ns)
		until = s->reached.quiet_ns;
	t = (struct timespec){until / NS_PER_S, until % NS_PER_S};
	pthread_mutex_lock(&s->lock);
	while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &t) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&s->lock);
}

static void *sender_run(void *arg)
{
	static void (*const streams[STREAMS])(struct sender *) = {send_seconds, send_series,
								  send_logs};
	struct sender *s = arg;

	while (!s->stop) {
		s->again = false;
		for (int i = 0; i < STREAMS; i++)
			if (may_go_on(s) && s->streams[i].quiet_ns <= clock_ns(CLOCK_MONOTONIC))
				streams[i](s);
		if (!s->again)
			sender_sleep(s);
	}
	return NULL;
}

static int sender_init(struct sender *s)
{
	char why[WHY_LEN];

	s->live_ns = -1;
	s->seed = (unsigned int)clock_ns(CLOCK_MONOTONIC) ^ (unsigned int)(uintptr_t)s;
	pthread_mutex_init(&s->lock, NULL);
	thread_cond_init(&s->wake);
	s->fetch = receiver_fetch(s->o.receiver, &s->stop, why);
	if (!s->fetch)
		return fail("cannot send to '%s': %s", s->o.receiver->url, why);
	s->seconds = seconds_new(s->o.dir, s->o.host);
	s->copies = copies_new(s->o.dir, s->o.host);
	s->logs = logs_new(s->o.places, s->o.host);
	return s->seconds && s->copies && s->logs ? 0 : fail("out of memory");
}

struct sender *sender_start(const struct sender_opts *o)
{
	struct sender *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		fail("out of memory");
		return NULL;
	}
	s->o = *o;
	err = sender_init(s);
	if (!err && thread_start(&s->thread, "sender", sender_run, s))
		err = fail("cannot start a thread");
	if (!err)
		return s;
	s->thread = 0;
	sender_free(s);
	return NULL;
}

void sender_stop(struct sender *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = 1;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void sender_free(struct sender *s)
{
	if (!s)
		return;
	if (s->thread)
		pthread_join(s->thread, NULL);
	fetch_free(s->fetch);
	seconds_free(s->seconds);
	copies_free(s->copies);
	logs_free(s->logs);
	text_release(&s->body);
	text_release(&s->answer);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
