// SPDX-License-Identifier: BSD-2-Clause
/* front.h: the thread, the routes, and what all answers need. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pages.h"
#include "analyzer/output/verdict_object.h"
#include "analyzer/output/verdict_tasks.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/threads.h"
#include "userspace/common/times.h"

#define HANGS_TEXT "nothing was judged for a minute"
#define PULSE_S	   15
#define BUSY_MS	   200

/* ---- for all answers ----------------------------------------------------------------------------------- */

struct snapshot *front_now(struct front *f, struct listener_request *r)
{
	struct snapshot *newest = board_get(f->board);

	if (newest && newest != f->now) {
		json_decref(f->object);
		json_decref(f->tasks);
		f->object = f->tasks = NULL;
	}
	snapshot_done(f->now);
	f->now = newest;
	if (!newest)
		listener_refuse(r, 503, 1000, "the service has just started: nothing is known yet");
	else if (board_hangs(f->board))
		listener_refuse(r, 503, 10000, HANGS_TEXT);
	return newest && !board_hangs(f->board) ? newest : NULL;
}

json_t *front_object(struct front *f, struct listener_request *r)
{
	const struct snapshot *s = front_now(f, r);

	if (!s)
		return NULL;
	if (!f->object)
		f->object = verdict_object(&s->verdict, false);
	if (!f->object)
		listener_refuse(r, 503, 1000, "out of memory");
	return f->object;
}

json_t *front_tasks(struct front *f, struct listener_request *r)
{
	const struct snapshot *s = front_now(f, r);
	json_t *tasks, *states;

	if (!s)
		return NULL;
	if (!f->tasks) {
		tasks = json_array();
		states = json_array();
		for (size_t i = 0; i < s->verdict.n_tasks; i++)
			tasks = append_json(tasks, verdict_task_json(&s->verdict, i));
		for (size_t i = 0; i < s->verdict.n_states; i++)
			states = append_json(states, verdict_state_json(&s->verdict, i));
		/* it takes both, and fails where one is NULL */
		f->tasks = json_pack("{s:o, s:o}", "tasks", tasks, "states", states);
	}
	if (!f->tasks)
		listener_refuse(r, 503, 1000, "out of memory");
	return f->tasks;
}

/* The judge makes it, and may replace it: a handle is of the file that is there when it is first asked for. */
sqlite3 *front_db(struct front *f)
{
	char path[4200];

	if (f->db)
		return f->db;
	snprintf(path, sizeof(path), "%s/incidents.db", f->o->dir);
	if (sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) {
		sqlite3_close(f->db);
		f->db = NULL;
	} else {
		sqlite3_busy_timeout(f->db, BUSY_MS);
	}
	return f->db;
}

static bool decoded(const char *text, size_t len, char *to, size_t size)
{
	char raw[LISTENER_HEAD_MAX], *plain;
	size_t n = 0;
	bool fits;

	if (len >= sizeof(raw))
		return false;
	memcpy(raw, text, len);
	raw[len] = '\0';
	plain = evhttp_uridecode(raw, 1, &n);
	fits = plain && n < size && strlen(plain) == n;
	if (fits)
		memcpy(to, plain, n + 1);
	free(plain);
	return fits;
}

bool front_query(const struct listener_request *r, const char *name, char *to, size_t size)
{
	char raw[LISTENER_HEAD_MAX];

	if (!listener_query(r, name, raw, sizeof(raw)))
		return false;
	if (!decoded(raw, strlen(raw), to, size))
		*to = '\0';
	return true;
}

bool front_rest(const struct listener_request *r, char *to, size_t size)
{
	return *r->rest && !strchr(r->rest, '/') && decoded(r->rest, strlen(r->rest), to, size);
}

bool front_time(struct listener_request *r, const char *name, int64_t *ns)
{
	const struct time_here here = {.now_ns = clock_ns(CLOCK_REALTIME)};
	char text[64], why[WHY_LEN];

	if (!front_query(r, name, text, sizeof(text)) || !time_said(text, &here, ns, why))
		return true;
	listener_refuse(r, 400, 0, "'%s' is a time such as 2026-11-21T20:05:30Z or -6h", name);
	return false;
}

void front_json(struct listener_request *r, int status, json_t *object)
{
	char *line = line_of_json(object, 15);
	struct text t = {0};

	if (!line) {
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	text_put(&t, line);
	free(line);
	listener_answer(r, status, &t);
}

/* ---- health ------------------------------------------------------------------------------------------- */

static void answer_health(void *arg, struct listener_request *r)
{
	bool healthy = !board_hangs(((struct front *)arg)->board);
	struct text t = {0};

	text_put(&t, healthy ? "ok\n" : HANGS_TEXT "\n");
	listener_reply(r, healthy ? 200 : 503, "text/plain; charset=utf-8", NULL, &t);
}

/* ---- what there is ------------------------------------------------------------------------------------- */

static const struct listener_route routes[] = {
	{EVHTTP_REQ_GET, "/style.css", false, page_style},
	{EVHTTP_REQ_GET, "/limpet.js", false, page_script},
	{EVHTTP_REQ_GET, "/servers/", false, page_server},
	{EVHTTP_REQ_GET, "/incidents/", false, page_incident},
	{EVHTTP_REQ_GET, "/jobs", false, page_jobs},
	{EVHTTP_REQ_GET, "/metrics", true, answer_metrics},
	{EVHTTP_REQ_GET, "/healthz", true, answer_health},
	{EVHTTP_REQ_GET, "/api/v1/openapi.json", false, api_openapi},
	{EVHTTP_REQ_GET, "/api/v1/verdict", false, api_verdict},
	{EVHTTP_REQ_GET, "/api/v1/incidents", false, api_incidents},
	{EVHTTP_REQ_GET, "/api/v1/incidents/", false, api_incident},
	{EVHTTP_REQ_GET, "/api/v1/servers/", false, api_server},
	{EVHTTP_REQ_POST, "/api/v1/diagnose", false, api_diagnose},
	{EVHTTP_REQ_GET, "/api/v1/events", false, api_events},
	{EVHTTP_REQ_GET, "/api/v1/summary", false, api_summary},
	{EVHTTP_REQ_GET, "/summary", false, page_summary},
	{EVHTTP_REQ_GET, "/api/v1/series", false, api_series},
	{EVHTTP_REQ_GET, "/api/v1/silences", false, api_silences},
	{EVHTTP_REQ_POST, "/api/v1/silences", false, api_silence_add},
	{EVHTTP_REQ_POST, "/api/v1/silences/", false, api_silence_end},
	{EVHTTP_REQ_GET, "/api/v1/symptoms", false, api_roster},
	{EVHTTP_REQ_GET, "/api/v1/diagnosers", false, api_roster},
	{EVHTTP_REQ_GET, "/api/v1/decisions", false, api_roster},
	{EVHTTP_REQ_POST, "/api/v1/symptoms", false, api_roster_load},
	{EVHTTP_REQ_POST, "/api/v1/diagnosers", false, api_roster_load},
	{EVHTTP_REQ_POST, "/api/v1/decisions", false, api_roster_load},
	{EVHTTP_REQ_POST, "/api/v1/symptoms/", false, api_roster_change},
	{EVHTTP_REQ_POST, "/api/v1/diagnosers/", false, api_roster_change},
	{EVHTTP_REQ_POST, "/api/v1/decisions/", false, api_roster_change},
	{EVHTTP_REQ_GET, "/api/v1/queries", false, api_queries},
	{EVHTTP_REQ_GET, "/api/v1/queries/", false, api_queries},
	/* api_lists */
	{EVHTTP_REQ_GET, "/api/v1/", false, api_of_list},
	{EVHTTP_REQ_GET, "/", false, page_home},
	{0},
};

/* ---- the thread ---------------------------------------------------------------------------------------- */

/* What cannot be taken leaves what there was. */
static void take_again(struct front *f)
{
	char why[WHY_LEN];

	if (who_load(f, why))
		warn("users stay as they were: %s", why);
	if (f->tls && tls_reload(f->tls, why))
		warn("the certificate of pages stays as it was: %s", why);
}

void front_reload(struct front *f)
{
	if (f)
		atomic_store(&f->reload, true);
}

static void on_news(evutil_socket_t fd, short what, void *arg)
{
	struct front *f = arg;
	uint64_t n;

	(void)what;
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return;
	scrapes_tell(f);
	streams_tell(f);
	if (atomic_exchange(&f->reload, false))
		take_again(f);
}

static void on_pulse(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	streams_pulse(arg);
}

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
	struct front *f = arg;

	(void)fd, (void)what;
	event_base_loopbreak(f->base);
}

static void *front_run(void *arg)
{
	struct front *f = arg;

	event_base_dispatch(f->base);
	return NULL;
}

/* A port alone, too: that is of this host. */
static bool is_loopback(const char *listen)
{
	return !strchr(listen, ':') || !strncmp(listen, "127.", 4) || !strncmp(listen, "[::1]", 5);
}

static int front_listen(struct front *f, char why[WHY_LEN])
{
	const struct listener_opts l = {.listen = f->o->listen,
					.alone = "127.0.0.1",
					.routes = routes,
					.names = &f->names,
					.who = front_who,
					.show_refusal = page_show_refusal,
					.tls = f->tls ? tls_context(f->tls) : NULL,
					.arg = f,
					.bounds = {.per_caller = 600,
						   .per_second = 1000,
						   .guests = 1000,
						   .body = 65536,
						   .bytes = 16 << 20}};

	f->base = event_base_new();
	f->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!f->base || f->stop_fd < 0)
		return -ENOMEM;
	f->news = event_new(f->base, board_fd(f->board), EV_READ | EV_PERSIST, on_news, f);
	f->pulse = event_new(f->base, -1, EV_PERSIST, on_pulse, f);
	f->stop = event_new(f->base, f->stop_fd, EV_READ, on_stop, f);
	if (!f->news || !f->pulse || !f->stop || event_add(f->news, NULL) ||
	    event_add(f->pulse, &(struct timeval){.tv_sec = PULSE_S}) || event_add(f->stop, NULL))
		return -ENOMEM;
	if (diagnoses_start(f) || drawings_start(f))
		return -ENOMEM;
	return listener_new(&f->listener, f->base, &l, why);
}

int front_start(struct front **out, const struct front_opts *o, char why[WHY_LEN])
{
	struct front *f = calloc(1, sizeof(*f));
	int err;

	*out = NULL;
	snprintf(why, WHY_LEN, "out of memory");
	if (!f)
		return -ENOMEM;
	*f = (struct front){
		.o = o, .board = o->board, .stop_fd = -1, .diagnosed_fd = -1, .drawn_fd = -1};
	LIST_INIT(&f->streams);
	LIST_INIT(&f->scrapes);
	snprintf(f->run, sizeof(f->run), "%" PRIx64, (uint64_t)clock_ns(CLOCK_REALTIME));
	err = http_hosts_here(&f->names, o->names, why);
	if (!err)
		err = who_load(f, why);
	/* without them nothing can be silenced, which the service says */
	if (!err && silences_open(&f->silences, o->dir, why))
		f->silences = NULL;
	/* A password goes over no wire as it is. */
	if (!err && o->users && !is_loopback(o->listen))
		err = tls_new(&f->tls, o->dir, &o->tls, why);
	if (!err)
		err = front_listen(f, why);
	if (!err)
		err = thread_start(&f->thread, "front", front_run, f);
	f->running = !err;
	if (err)
		front_stop(f);
	else
		*out = f;
	return err;
}

void front_stop(struct front *f)
{
	if (!f)
		return;
	if (f->running && write(f->stop_fd, &(uint64_t){1}, sizeof(uint64_t)) > 0)
		pthread_join(f->thread, NULL);
	listener_free(f->listener);
	diagnoses_stop(f);
	drawings_stop(f);
	if (f->news)
		event_free(f->news);
	if (f->pulse)
		event_free(f->pulse);
	if (f->stop)
		event_free(f->stop);
	if (f->base)
		event_base_free(f->base);
	if (f->stop_fd >= 0)
		close(f->stop_fd);
	json_decref(f->object);
	json_decref(f->tasks);
	snapshot_done(f->now);
	sqlite3_close(f->db);
	silences_close(f->silences);
	users_free(f->users);
	tls_free(f->tls);
	http_hosts_release(&f->names);
	free(f);
}
