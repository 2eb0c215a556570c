// SPDX-License-Identifier: BSD-2-Clause
#include "ingest.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "body_frames.h"
#include "userspace/common/disk_thread.h"
#include "request_words.h"
#include "senders.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/threads.h"

#define DISK_BYTES ((size_t)64 << 20) /* of logs that wait to be written */
#define HEARD_S	   60 /* senders heard since then are alive; and so often the database is told */

struct ingest {
	struct ingest_opts o;
	sqlite3 *db;
	struct senders *senders;
	struct tls *tls;
	struct disk_thread *disk;
	/* Only that thread touches these. */
	struct logs_kept *logs;
	sqlite3 *disk_db;
	struct event_base *base;
	struct listener *listener;
	struct tickets *tickets;
	struct event *stop, *tick;
	int stop_fd;
	bool running;
	pthread_t thread;
	/* Only the thread touches these. */
	struct body_frames frames; /* of the request */
	int64_t written_ns, said_ns;
	_Atomic uint64_t counts[INGEST_COUNTS];
	atomic_bool reload;
};

static void ingest_count(struct ingest *i, enum ingest_count what, uint64_t n)
{
	atomic_fetch_add_explicit(&i->counts[what], n, memory_order_relaxed);
}

/* ---- answers ---- */

static void ingest_refuse(struct listener_request *r, int err, unsigned int wait_ms,
			  const char *why)
{
	static const struct {
		int err, status;
		unsigned int wait_ms;
	} table[] = {
		{-EBADMSG, 400, 0},   {-EINVAL, 400, 0},   {-EACCES, 403, 0},
		{-EEXIST, 409, 0},    {-EMSGSIZE, 413, 0}, {-EAGAIN, 503, 1000},
		{-ENOMEM, 503, 1000}, {0, 503, 5000}, /* the disk */
	};
	size_t at = 0;

	while (table[at].err && table[at].err != err)
		at++;
	listener_refuse(r, table[at].status, wait_ms ? wait_ms : table[at].wait_ms, "%s", why);
}

/* ---- who ---- */

static int ingest_who(void *arg, struct listener_request *r, char name[LISTENER_NAME])
{
	const struct ingest *i = arg;
	const struct sender *s = r->bearer ? senders_by_token(i->senders, r->bearer) : NULL;
	char *names[TLS_NAMES_MAX];
	size_t n;

	if (r->bearer) {
		snprintf(name, LISTENER_NAME, "%s", s ? s->host : "");
		return s ? 0 : 401;
	}
	n = tls_names(r->tls, names);
	snprintf(name, LISTENER_NAME, "%s", n ? names[0] : "");
	for (size_t k = 0; k < n; k++)
		OPENSSL_free(names[k]);
	return n ? 0 : 401;
}

/* The host that sends, which says it is `host` (NULL: it does not say). -EACCES: it is not. */
static int sender_of(struct ingest *i, struct listener_request *r, const char *host,
		     char is[HOST_LEN], char why[WHY_LEN])
{
	char *names[TLS_NAMES_MAX];
	size_t n = r->bearer ? 0 : tls_names(r->tls, names);
	int err = 0;

	if (!r->bearer) {
		err = senders_certified(i->senders, (const char *const *)names, n, host, is, why);
	} else if (host && strcmp(host, r->caller) != 0) {
		snprintf(why, WHY_LEN, "what is sent is of the host '%s', and the token of '%s'",
			 host, r->caller);
		err = -EACCES;
	} else {
		snprintf(is, HOST_LEN, "%s", r->caller);
	}
	for (size_t k = 0; k < n; k++)
		OPENSSL_free(names[k]);
	if (!err)
		senders_heard(i->senders, is, clock_ns(CLOCK_REALTIME));
	return err;
}

/* ---- POST /v1/seconds ---- */

/* Whether it is to be said: once a minute, for what is wrong is so each second. */
static bool ingest_says(struct ingest *i)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (i->said_ns && now_ns - i->said_ns < 60 * NS_PER_S)
		return false;
	i->said_ns = now_ns;
	return true;
}

/* Moves the frames that are to be taken together, to the body's beginning: how many bytes. */
static size_t seconds_choose(struct ingest *i, struct listener_request *r, const char *host,
			     int64_t live_ns, int64_t *first_ns, int64_t *last_ns)
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME), ahead_ns = 0;
	uint64_t taken = 0, old = 0, ahead = 0;
	char *body = r->body;
	size_t len = 0;

	*last_ns = live_ns;
	for (const struct body_frame *f = i->frames.at; f < i->frames.at + i->frames.n; f++) {
		if (f->wall_ns <= *last_ns) {
			old++;
		} else if (f->wall_ns - now_ns > INGEST_AHEAD_S * NS_PER_S) {
			ahead++;
			ahead_ns = f->wall_ns - now_ns;
		} else {
			memmove(body + len, body + f->at, f->len);
			len += f->len;
			*first_ns = taken++ ? *first_ns : f->wall_ns;
			*last_ns = f->wall_ns;
		}
	}
	if (ahead && ingest_says(i))
		warn("'%s' sends seconds that are %.0f s ahead of this host's clock; they are "
		     "dropped "
		     "(which of the clocks is wrong?)",
		     host, s_of_ns(ahead_ns));
	ingest_count(i, SECONDS_TAKEN, taken);
	ingest_count(i, SECONDS_OLD, old);
	ingest_count(i, SECONDS_AHEAD, ahead);
	return len;
}

/* The frames of a request and whose they are, which is who sends them. */
static int frames_of(struct ingest *i, struct listener_request *r, enum wire_kind kind,
		     char host[HOST_LEN], char why[WHY_LEN])
{
	int err = body_frames_split(&i->frames, r->body, r->len, kind, why);

	if (!err)
		err = sender_of(i, r, *i->frames.host ? i->frames.host : NULL, host, why);
	return err;
}

static void take_seconds(void *arg, struct listener_request *r)
{
	struct ingest *i = arg;
	char host[HOST_LEN], why[WHY_LEN];
	int64_t live_ns = 0, first_ns = 0, last_ns = 0;
	unsigned int wait_ms = 0;
	struct text answer = {0};
	size_t len;
	int err = frames_of(i, r, WIRE_SECOND, host, why);

	if (!err) {
		snprintf(why, sizeof(why), "seconds are not taken now");
		err = i->o.seconds(i->o.arg, host, 0, 0, NULL, 0, &live_ns, &wait_ms);
	}
	if (!err && !wait_ms) {
		len = seconds_choose(i, r, host, live_ns, &first_ns, &last_ns);
		if (len)
			err = i->o.seconds(i->o.arg, host, first_ns, last_ns, r->body, len,
					   &live_ns, &wait_ms);
	}
	if (err) {
		ingest_refuse(r, err, wait_ms, why);
		return;
	}
	text_add(&answer, "{\"live\":%lld", (long long)live_ns);
	if (wait_ms)
		text_add(&answer, ",\"wait_ms\":%u",
			 wait_ms < EXCHANGE_WAIT_MAX_MS ? wait_ms : EXCHANGE_WAIT_MAX_MS);
	text_put(&answer, "}");
	listener_answer(r, 200, &answer);
}

/* ---- POST /v1/series/FILE ---- */

/* Of copies and of logs. */
static void ticket_answer(struct listener_request *r, struct ticket_end *end)
{
	const struct series_cursor *c = &end->now;

	if (end->err) {
		ingest_refuse(r, end->err, 0, end->why);
		return;
	}
	if (!end->answer.len)
		text_add(&end->answer,
			 "{\"kept\":%lld,\"boot\":%lld,\"device\":%lld,\"metric\":%lld,\"stack\":%"
			 "lld,"
			 "\"user_stack\":%lld}",
			 (long long)c->kept, (long long)c->boot, (long long)c->device,
			 (long long)c->metric, (long long)c->stack, (long long)c->user_stack);
	listener_answer(r, 200, &end->answer);
}

/* Gives away the parts, or the question, one by one. */
static int series_give(struct ingest *i, const char *host, const char *file, int64_t origin,
		       struct ingest_ticket *t)
{
	const void *part = NULL;
	size_t len = 0, n = i->frames.n;
	int err = 0;

	for (size_t k = 0; !err && k < (n ? n : 1); k++) {
		err = n ? body_frame_copy(&i->frames, k, &part, &len) : 0;
		if (err)
			return -EBADMSG;
		ticket_part(t);
		err = i->o.series ? i->o.series(i->o.arg, host, file, origin, part, len, t)
				  : -EAGAIN;
		if (err)
			ticket_back(t, 0, NULL);
		ingest_count(i, SERIES_PARTS, n && !err);
	}
	/* What is wrong with the request has its sentence. */
	return err && err != -EINVAL ? series_fail(err, "parts of series files are not taken now")
				     : err;
}

static void take_series(void *arg, struct listener_request *r)
{
	struct ingest *i = arg;
	char named[HOST_LEN], host[HOST_LEN], origin_text[32], why[WHY_LEN];
	struct ingest_ticket *t;
	int64_t origin;
	int err;

	if (series_file_host(r->rest, named) ||
	    !listener_query(r, "origin", origin_text, sizeof(origin_text)) ||
	    origin_ns(origin_text, &origin)) {
		listener_refuse(r, 400, 0,
				"a path like %soss-3-20260101.limpet?origin=NS is wanted",
				EXCHANGE_SERIES);
		return;
	}
	err = body_frames_split(&i->frames, r->body, r->len, WIRE_COPY, why);
	if (!err && *i->frames.host && strcmp(i->frames.host, named) != 0) {
		snprintf(why, sizeof(why), "frames of '%s' are not for a file of '%s'",
			 i->frames.host, named);
		err = -EACCES;
	}
	if (!err)
		err = sender_of(i, r, named, host, why);
	t = err ? NULL : ticket_open(i->tickets, r);
	if (t)
		ticket_back(t, series_give(i, host, r->rest, origin, t), NULL);
	else
		ingest_refuse(r, err ? err : -ENOMEM, 0, err ? why : "out of memory");
}

/* ---- POST /v1/logs ---- */

/* What came of logs, for the thread that may wait for the disk. */
struct log_job {
	struct ingest *ingest;
	struct ingest_ticket *ticket;
	char host[HOST_LEN];
	size_t len;
	char frames[]; /* that were looked at before */
};

/* Its row of the answer. `refused`: that log, for a reason that stays. */
static void log_row(struct text *to, const struct wire_lines *l, uint64_t size, const char *refused)
{
	text_put(to, to->len ? ",{\"path\":" : "{\"logs\":[{\"path\":");
	listener_quote(to, l->path);
	text_add(to, ",\"identity\":\"%s\",\"size\":%llu", l->identity, (unsigned long long)size);
	if (refused) {
		text_put(to, ",\"error\":");
		listener_quote(to, refused);
	}
	text_put(to, "}");
}

/* -EINVAL and -EDQUOT are of this log alone. */
static int log_take(struct ingest *i, const char *host, const struct wire_lines *l,
		    struct text *answer)
{
	struct log_piece p = {host, l->path, l->identity, l->offset, l->at, l->len};
	char why[WHY_LEN];
	uint64_t size = 0;
	int err = logs_kept_take(i->logs, &p, &size, why);
	bool refused = err == -EINVAL || err == -EDQUOT;

	ingest_count(i, LOGS_REFUSED, refused);
	if (!err && p.len && size == p.at + p.len)
		ingest_count(i, LOG_BYTES, p.len);
	if (err && !refused)
		return series_fail(err, "%s", why);
	log_row(answer, l, size, refused ? why : NULL);
	return 0;
}

static void log_job_do(void *arg)
{
	struct log_job *j = arg;
	struct body_frames frames = {0};
	struct text answer = {0};
	const struct wire_lines *l;
	char why[WHY_LEN];
	int err = body_frames_split(&frames, j->frames, j->len, WIRE_LINES, why);

	for (size_t k = 0; !err && k < frames.n; k++) {
		err = body_frame_lines(&frames, k, &l);
		if (!err)
			err = log_take(j->ingest, j->host, l, &answer);
	}
	text_put(&answer, frames.n ? "]}" : "{\"logs\":[]}");
	ticket_back_answer(j->ticket, err, &answer);
	text_release(&answer);
	body_frames_release(&frames);
	free(j);
}

/* All of them can be right. */
static int logs_check(struct ingest *i, char why[WHY_LEN])
{
	const struct wire_lines *l;
	int err = 0;

	for (size_t k = 0; !err && k < i->frames.n; k++)
		err = body_frame_lines(&i->frames, k, &l);
	if (err)
		snprintf(why, WHY_LEN, "%s", series_error());
	if (err)
		return -EBADMSG;
	if (i->frames.n <= EXCHANGE_LOGS_MAX)
		return 0;
	snprintf(why, WHY_LEN, "more than %d logs", EXCHANGE_LOGS_MAX);
	return -EMSGSIZE;
}

static void take_logs(void *arg, struct listener_request *r)
{
	struct ingest *i = arg;
	char host[HOST_LEN], why[WHY_LEN];
	struct log_job *j = NULL;
	int err = frames_of(i, r, WIRE_LINES, host, why);

	if (!err)
		err = logs_check(i, why);
	if (!err) {
		snprintf(why, sizeof(why), "logs are not taken now");
		j = malloc(sizeof(*j) + r->len);
		err = j ? 0 : -ENOMEM;
	}
	if (err) {
		ingest_refuse(r, err, 0, why);
		return;
	}
	j->ingest = i;
	j->len = r->len;
	memcpy(j->host, host, sizeof(host));
	memcpy(j->frames, r->body, r->len);
	j->ticket = ticket_open(i->tickets, r);
	err = j->ticket ? disk_thread_do(i->disk, log_job_do, j, r->len) : -ENOMEM;
	if (!err)
		return;
	if (j->ticket)
		ticket_back(j->ticket, series_fail(err, "%s", why), NULL);
	else
		ingest_refuse(r, err, 0, why);
	free(j);
}

/* ---- POST /v1/enroll ---- */

static void take_enrolment(void *arg, struct listener_request *r)
{
	struct ingest *i = arg;
	char host[HOST_LEN], token[EXCHANGE_TOKEN_LEN + 1], why[WHY_LEN];
	struct text answer = {0};
	int err = enrolment_host(r->body, r->len, host);

	if (err) {
		listener_refuse(r, 400, 0, "a request like {\"host\": \"oss-3\"} is wanted");
		return;
	}
	err = senders_enrol(i->senders, r->bearer ? r->bearer : "", host, token, why);
	if (err == -EACCES)
		listener_refuse(r, 401, 0, "%s", why);
	else if (err)
		ingest_refuse(r, err, 0, why);
	if (!err) {
		text_add(&answer, "{\"token\":\"%s\"}", token);
		listener_answer(r, 200, &answer);
	}
	OPENSSL_cleanse(token, sizeof(token));
}

/* ---- GET /v1/pair ---- */

static void take_pair(void *arg, struct listener_request *r)
{
	struct ingest *i = arg;
	struct text answer = {0};
	int err = i->o.pair ? i->o.pair(i->o.arg, r->caller, &answer) : -EAGAIN;

	if (!err) {
		listener_answer(r, 200, &answer);
		return;
	}
	text_release(&answer);
	if (err == -EACCES)
		listener_refuse(r, 403, 0, "'limpet serve trust %s' lets it ask", r->caller);
	else
		listener_refuse(r, 503, 1000, "nothing is known yet");
}

/* ---- the thread ---- */

static const struct listener_route ingest_routes[] = {
	{EVHTTP_REQ_GET, EXCHANGE_PAIR, false, take_pair},
	{EVHTTP_REQ_POST, EXCHANGE_SECONDS, false, take_seconds},
	{EVHTTP_REQ_POST, EXCHANGE_SERIES, false, take_series},
	{EVHTTP_REQ_POST, EXCHANGE_LOGS, false, take_logs},
	{EVHTTP_REQ_POST, EXCHANGE_ENROLL, true, take_enrolment},
	{0, NULL, false, NULL},
};

/* When senders were heard, for `limpet serve senders`. */
struct heard_job {
	struct heard_list *heard;
	sqlite3 *db;
};

static void heard_job_do(void *arg)
{
	struct heard_job *j = arg;
	char why[WHY_LEN];

	if (heard_list_write(j->heard, j->db, why))
		warn("when senders were last heard is not written: %s", why);
	free(j);
}

static void heard_write(struct ingest *i)
{
	struct heard_job *j = malloc(sizeof(*j));

	if (j)
		*j = (struct heard_job){senders_heard_list(i->senders), i->disk_db};
	if (j && j->heard && !disk_thread_do(i->disk, heard_job_do, j, sizeof(*j)))
		return;
	if (j)
		free(j->heard);
	free(j);
}

static void count_senders(struct ingest *i)
{
	size_t n;

	senders_all(i->senders, &n);
	atomic_store(&i->counts[SENDERS], n);
	atomic_store(
		&i->counts[SENDERS_HEARD],
		senders_heard_since(i->senders, clock_ns(CLOCK_REALTIME) - HEARD_S * NS_PER_S));
}

/* Errors are told, and it is tried again. */
static void ingest_tick(evutil_socket_t fd, short what, void *arg)
{
	struct ingest *i = arg;
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	char why[WHY_LEN];

	(void)fd, (void)what;
	if (senders_refresh(i->senders, why) && ingest_says(i))
		warn("the senders stay as they were: %s", why);
	if (now_ns - i->written_ns > HEARD_S * NS_PER_S) {
		i->written_ns = now_ns;
		heard_write(i);
	}
	count_senders(i);
	if (!atomic_exchange(&i->reload, false))
		return;
	if (tls_reload(i->tls, why))
		warn("the certificate stays as it was: %s", why);
}

void ingest_reload(struct ingest *i)
{
	atomic_store(&i->reload, true);
}

static void ingest_break(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	event_base_loopbreak(arg);
}

static void *ingest_main(void *arg)
{
	struct ingest *i = arg;

	event_base_dispatch(i->base);
	heard_write(i);
	return NULL;
}

static int ingest_open(struct ingest *i, char why[WHY_LEN])
{
	struct listener_opts l = {
		.listen = i->o.listen,
		.routes = ingest_routes,
		.who = ingest_who,
		.arg = i,
		.bounds = i->o.bounds,
	};
	int err = senders_database(&i->db, i->o.dir, why);

	if (!err)
		err = senders_new(&i->senders, i->db, why);
	if (!err)
		count_senders(i);
	if (!err)
		err = senders_database(&i->disk_db, i->o.dir, why);
	if (!err)
		err = logs_kept_new(&i->logs, i->o.dir, &i->o.logs, why);
	if (!err)
		err = tls_new(&i->tls, i->o.dir, &i->o.tls, why);
	if (err)
		return err;
	snprintf(why, WHY_LEN, "out of memory");
	i->base = event_base_new();
	if (!i->base)
		return -ENOMEM;
	i->stop_fd = eventfd(0, EFD_CLOEXEC);
	i->tickets = tickets_new(i->base, ticket_answer);
	i->disk = disk_thread_new(DISK_BYTES);
	if (i->stop_fd < 0 || !i->tickets || !i->disk)
		return -ENOMEM;
	i->stop = event_new(i->base, i->stop_fd, EV_READ, ingest_break, i->base);
	i->tick = event_new(i->base, -1, EV_PERSIST, ingest_tick, i);
	if (!i->stop || !i->tick || event_add(i->stop, NULL) ||
	    event_add(i->tick, &(struct timeval){.tv_sec = 1}))
		return -ENOMEM;
	l.tls = tls_context(i->tls);
	return listener_new(&i->listener, i->base, &l, why);
}

/* Signals are for the main thread; and a write to a connection that is gone must not end the program. */
static int ingest_run(struct ingest *i, char why[WHY_LEN])
{
	int err = thread_start(&i->thread, "ingest", ingest_main, i);

	i->running = !err;
	if (err)
		snprintf(why, WHY_LEN, "cannot start a thread: %s", strerror(-err));
	return err;
}

int ingest_start(struct ingest **out, const struct ingest_opts *o, char why[WHY_LEN])
{
	struct ingest *i = calloc(1, sizeof(*i));
	int err;

	*out = NULL;
	if (!i) {
		snprintf(why, WHY_LEN, "out of memory");
		return -ENOMEM;
	}
	i->o = *o;
	i->stop_fd = -1;
	err = ingest_open(i, why);
	if (!err)
		err = ingest_run(i, why);
	if (err) {
		ingest_stop(i);
		return err;
	}
	*out = i;
	return 0;
}

void ingest_stop(struct ingest *i)
{
	if (!i)
		return;
	if (i->running) {
		eventfd_write(i->stop_fd, 1);
		pthread_join(i->thread, NULL);
	}
	listener_free(i->listener);
	disk_thread_free(i->disk);
	tickets_close(i->tickets);
	if (i->stop)
		event_free(i->stop);
	if (i->tick)
		event_free(i->tick);
	if (i->base)
		event_base_free(i->base);
	if (i->stop_fd >= 0)
		close(i->stop_fd);
	body_frames_release(&i->frames);
	tls_free(i->tls);
	logs_kept_free(i->logs);
	senders_free(i->senders);
	sqlite3_close(i->db);
	sqlite3_close(i->disk_db);
	free(i);
}

uint64_t ingest_counted(const struct ingest *i, enum ingest_count what)
{
	return atomic_load_explicit(&i->counts[what], memory_order_relaxed);
}

const struct listener *ingest_listener(const struct ingest *i)
{
	return i->listener;
}
