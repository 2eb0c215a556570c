// SPDX-License-Identifier: BSD-2-Clause
#include "alertmanager.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/array.h"
#include "userspace/common/json_make.h"
#include "userspace/common/sort.h"
#include "userspace/common/threads.h"
#include "userspace/fetch/fetch.h"
#include "userspace/common/text_clean.h"

#define LOOK_S	     2
#define RENEW_NS     (60 * NS_PER_S)
#define ENDS_NS	     (900 * NS_PER_S)
#define LEFT_NS	     (180 * NS_PER_S)
#define WAIT_MOST_NS (60 * NS_PER_S)
#define ANSWER_MAX   65536
#define LIMIT_S	     20
#define LATE_HOLD_NS (60 * NS_PER_S)
#define PASSED_NS    (60 * NS_PER_S) /* between two looks, at most: clocks jump */
enum { LATE_MAX = 50 };

enum alert_kind { ALERT_LIMPS, ALERT_SILENT, ALERT_CANNOT, ALERT_UNPROVEN, ALERT_LATE };
static const struct {
	const char *name, *label; /* of what it is about; NULL: of none */
	const char *page;
	const char *severity;
} alert_rows[] = {{"LimpetServerLimps", "server", "", "warning"},
		  {"LimpetServerSilent", "server", "", "warning"},
		  {"LimpetCannotJudge", NULL, "", "warning"},
		  {"LimpetUnproven", NULL, "", "info"},
		  {"LimpetJobLate", "limpet_job", "jobs", "warning"}};

/* One that is so. */
struct firing {
	enum alert_kind kind;
	char of[TASK_NAME_LEN]; /* a server or a job; "": of none */
	enum cause cause;	/* of ALERT_LIMPS */
	char subject[HOST_LEN]; /* of ALERT_LATE */
	int64_t seen_ns;	/* likewise: CLOCK_REALTIME of the last verdict with it */
	int64_t since_ns;
	uint64_t id;
	char *summary;
};

struct firings {
	struct firing *at;
	size_t n;
};

struct alertmanager {
	const struct alertmanager_opts *o;
	const char *url;
	pthread_t thread;
	bool running;
	struct alertmanagers *all;
	struct fetch *fetch;
	struct firings told; /* what it knows */
	int64_t told_ns;     /* CLOCK_MONOTONIC */
	int64_t cannot_ns;   /* CLOCK_REALTIME: since when it cannot be judged; 0: it can */
	/* Likewise since when the all-clear lacks something; how long so far, while servers could be judged; and of the last look. */
	int64_t unproven_ns, unproven_for_ns, looked_ns;
	int64_t next_ns, wait_ns;
	struct text answer;
	/* Under the lock. */
	char why[WHY_LEN];
	struct alertmanager_counts counts;
};

struct alertmanagers {
	struct alertmanager_opts o;
	struct alertmanager at[ALERTMANAGERS_MAX];
	size_t n;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool ends;
	volatile sig_atomic_t stop;
};

/* ---- what is so ---------------------------------------------------------------------------------------- */

static void firings_release(struct firings *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i].summary);
	free(f->at);
	*f = (struct firings){0};
}

/* Takes the summary. */
static int firing_add(struct firings *f, struct firing new, const char *of, const char *summary)
{
	text_fit(new.of, sizeof(new.of), of);
	new.summary = strdup(summary);
	if (!new.summary || array_put(&f->at, &f->n, new)) {
		free(new.summary);
		return -ENOMEM;
	}
	return 0;
}

static const struct firing *firing_of(const struct firings *f, enum alert_kind kind, const char *of)
{
	return find_if(i, f->at, f->n, f->at[i].kind == kind && !strcmp(f->at[i].of, of));
}

static bool is_silenced(const struct snapshot *s, const char *server, uint64_t incident)
{
	return silence_of(s->silences, s->n_silences, server, incident, s->made_ns);
}

static int add_limping(struct firings *f, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;
	int err = 0;

	for (size_t i = 0; i < a->n_incidents && !err; i++) {
		const struct incident *x = &a->incidents[i];
		struct text line TEXT_SCOPED = {0};

		/* Of one server one, the first, which has the most evidence. */
		if (x->open && x->suspicion == SUSPICION_NONE &&
		    !is_silenced(s, verdict_node(a, x->node), x->id) &&
		    !firing_of(f, ALERT_LIMPS, verdict_node(a, x->node)))
			err = firing_add(f,
					 (struct firing){.kind = ALERT_LIMPS,
							 .cause = x->cause,
							 .since_ns = x->onset_ns,
							 .id = x->id},
					 verdict_node(a, x->node), verdict_headline(&line, a, i));
	}
	return err;
}

static int add_silent(struct firings *f, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct text line TEXT_SCOPED = {0};

		if (!verdict_silent_now(a, i) || is_silenced(s, a->nodes[i], 0))
			continue;
		text_add(&line, "%s stopped reporting", a->nodes[i]);
		err = firing_add(f, (struct firing){.kind = ALERT_SILENT, .since_ns = a->to_ns},
				 a->nodes[i], text_of(&line));
	}
	return err;
}

static int64_t late_since(const struct verdict *a, size_t job)
{
	int64_t since_ns = a->to_ns;

	for (size_t i = 0; i < a->n_stragglers; i++)
		if (a->stragglers[i].job == job && a->stragglers[i].onset_ns < since_ns)
			since_ns = a->stragglers[i].onset_ns;
	return since_ns;
}

/* Jobs whose decision names a server or a cause: the worst. */
static int add_late(struct firings *f, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;
	size_t *order = calloc(a->n_jobs + 1, sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	if (!err)
		jobs_worst_first(a->jobs, a->n_jobs, order);
	for (size_t i = 0, n = 0; i < a->n_jobs && n < LATE_MAX && !err; i++) {
		const struct straggler_job *j = &a->jobs[order[i]];
		struct firing x = {.kind = ALERT_LATE, .seen_ns = s->made_ns};
		struct text line TEXT_SCOPED = {0};

		if (!j->stragglers || !*j->subject || is_silenced(s, j->subject, 0))
			continue;
		x.since_ns = late_since(a, order[i]);
		snprintf(x.subject, sizeof(x.subject), "%s", j->subject);
		sentence_job(&line, j);
		err = firing_add(f, x, j->job, text_of(&line));
		n++;
	}
	free(order);
	return err;
}

/* A decision comes and goes with single tasks: it is over when it has not been there for LATE_HOLD_NS. */
static int hold_late(struct alertmanager *m, struct firings *f, const struct snapshot *s)
{
	int err = 0;

	for (size_t i = 0; i < m->told.n && !err; i++) {
		struct firing *x = &m->told.at[i];

		if (x->kind != ALERT_LATE)
			continue;
		if (firing_of(f, ALERT_LATE, x->of))
			x->seen_ns = s->made_ns;
		else if (s->made_ns - x->seen_ns < LATE_HOLD_NS && !is_silenced(s, x->subject, 0))
			err = firing_add(f, *x, x->of, x->summary);
	}
	return err;
}

static bool cannot_for_long(struct alertmanager *m, const struct snapshot *s)
{
	m->cannot_ns = s->can_judge ? 0 : m->cannot_ns ?: s->made_ns;
	return m->cannot_ns && s->made_ns - m->cannot_ns >= ALERTMANAGER_CANNOT_NS;
}

/* What nothing can be judged in does not count, and ends nothing. */
static bool unproven_for_long(struct alertmanager *m, const struct snapshot *s)
{
	int64_t passed_ns =
		m->looked_ns && s->made_ns > m->looked_ns ? s->made_ns - m->looked_ns : 0;

	m->looked_ns = s->made_ns;
	if (s->can_judge && !verdict_statuses(&s->verdict, true).of[STATUS_UNPROVEN])
		m->unproven_ns = m->unproven_for_ns = 0;
	else if (s->can_judge && !m->unproven_ns)
		m->unproven_ns = s->made_ns;
	else if (s->can_judge)
		m->unproven_for_ns += passed_ns < PASSED_NS ? passed_ns : PASSED_NS;
	return m->unproven_for_ns >= ALERTMANAGER_UNPROVEN_NS;
}

/* What is so of all servers, and has lasted. */
static int add_lasting(struct alertmanager *m, struct firings *f, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;
	struct text said TEXT_SCOPED = {0}, line TEXT_SCOPED = {0};
	struct firing cannot = {.kind = ALERT_CANNOT}, lacks = {.kind = ALERT_UNPROVEN};
	const struct firing *was;
	bool told[] = {cannot_for_long(m, s), unproven_for_long(m, s)};
	int err = 0;

	cannot.since_ns = m->cannot_ns;
	lacks.since_ns = m->unproven_ns;
	if (is_silenced(s, "", 0))
		return 0;
	if (told[0]) {
		text_put(&line, "limpet cannot judge");
		text_enclose(&line, ": ", sentence_cannot(&said, &a->cannot), "");
		err = firing_add(f, cannot, "", text_of(&line));
	}
	text_reset(&line);
	for (int r = RESOURCE_NONE + 1; told[1] && r < RESOURCES && !line.len; r++)
		sentence_unproven_all(&line, a, (enum resource)r, true);
	/* While nothing can be judged it is as it was. */
	was = firing_of(&m->told, ALERT_UNPROVEN, "");
	return err || !told[1]
		       ? err
		       : firing_add(f, lacks, "", line.len || !was ? text_of(&line) : was->summary);
}

/* What is so, and is to be told. */
static int look(struct alertmanager *m, const struct snapshot *s, struct firings *f)
{
	int err = add_limping(f, s) ?: add_silent(f, s);

	if (!err && m->o->jobs)
		err = add_late(f, s) ?: hold_late(m, f, s);
	return err ?: add_lasting(m, f, s);
}

static const struct firing *firing_in(const struct firings *f, const struct firing *x)
{
	return firing_of(f, x->kind, x->of);
}

/* Whether it knows all that is so, with its cause, and nothing else. */
static bool is_known(const struct firings *told, const struct firings *now)
{
	bool same = told->n == now->n;

	for (size_t i = 0; i < now->n && same; i++) {
		const struct firing *x = firing_in(told, &now->at[i]);

		same = x && x->cause == now->at[i].cause && !strcmp(x->subject, now->at[i].subject);
	}
	return same;
}

/* ---- as JSON ------------------------------------------------------------------------------------------- */

static json_t *alert_json(const struct alertmanager *m, const struct firing *x, int64_t ends_ns)
{
	const struct alertmanager_opts *o = m->o;
	json_t *labels = json_pack("{s:s, s:s}", "alertname", alert_rows[x->kind].name, "severity",
				   alert_rows[x->kind].severity);
	json_t *notes = json_pack("{s:o}", "summary", words_json(x->summary));
	json_t *one;

	if (*x->of)
		json_object_set_new(labels, alert_rows[x->kind].label, words_json(x->of));
	if (o->site)
		json_object_set_new(labels, "site", words_json(o->site));
	if (x->kind == ALERT_LIMPS)
		json_object_set_new(notes, "cause", words_json(cause_table[x->cause].word));
	if (x->id)
		json_object_set_new(notes, "incident", json_sprintf("%016" PRIx64, x->id));
	one = json_pack("{s:o, s:o, s:o, s:o}", "labels", labels, "annotations", notes, "startsAt",
			time_json(x->since_ns), "endsAt", time_json(ends_ns));
	if (one && o->page && x->id)
		json_object_set_new(one, "generatorURL",
				    json_sprintf("%s/incidents/%016" PRIx64, o->page, x->id));
	else if (one && o->page)
		json_object_set_new(one, "generatorURL",
				    json_sprintf("%s/%s", o->page, alert_rows[x->kind].page));
	return one;
}

/* What is so, and what it knows that is so no more. NULL: out of memory. */
static char *body_of(const struct alertmanager *m, const struct firings *now, int64_t now_ns)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < now->n; i++)
		all = append_json(all, alert_json(m, &now->at[i], now_ns + ENDS_NS));
	for (size_t i = 0; all && i < m->told.n; i++)
		if (!firing_in(now, &m->told.at[i]))
			all = append_json(all,
					  alert_json(m, &m->told.at[i],
						     m->o->paired ? now_ns + LEFT_NS : now_ns));
	return line_of_json(all, 0);
}

/* ---- one of them --------------------------------------------------------------------------------------- */

/* Its words, as far as they are one line. */
static void put_answer(const struct alertmanager *m, long status, char why[WHY_LEN])
{
	snprintf(why, WHY_LEN, "it answers with status %ld: %.150s", status, text_of(&m->answer));
}

static int post(struct alertmanager *m, const struct firings *now, char why[WHY_LEN])
{
	const struct fetch_opts f = {
		.type = "application/json", .limit_s = LIMIT_S, .stop = &m->all->stop};
	char *body = body_of(m, now, clock_ns(CLOCK_REALTIME)), url[1100];
	long status = 0;
	int err = -ENOMEM;

	snprintf(why, WHY_LEN, "out of memory");
	snprintf(url, sizeof(url), "%.1000s%sapi/v2/alerts", m->url,
		 m->url[strlen(m->url) - 1] == '/' ? "" : "/");
	if (!m->fetch)
		m->fetch = fetch_new(&f, why);
	if (body && m->fetch)
		err = fetch_post(m->fetch, url, body, strlen(body), ANSWER_MAX, &m->answer, &status,
				 why);
	free(body);
	if (!err && status / 100 != 2) {
		put_answer(m, status, why);
		err = -EPROTO;
	}
	return err;
}

/* After a failure later and later. */
static void tell(struct alertmanager *m, struct firings *now, int64_t mono_ns)
{
	char why[WHY_LEN];
	int err = post(m, now, why);

	pthread_mutex_lock(&m->all->lock);
	m->counts.told += !err;
	m->counts.failed += err != 0;
	snprintf(m->why, sizeof(m->why), "%s", err ? why : "");
	pthread_mutex_unlock(&m->all->lock);
	if (err) {
		m->wait_ns = m->wait_ns ? 2 * m->wait_ns : LOOK_S * NS_PER_S;
		m->wait_ns = m->wait_ns < WAIT_MOST_NS ? m->wait_ns : WAIT_MOST_NS;
		m->next_ns = mono_ns + m->wait_ns;
		return;
	}
	m->wait_ns = m->next_ns = 0;
	m->told_ns = mono_ns;
	firings_release(&m->told);
	m->told = *now;
	*now = (struct firings){0};
}

static void step(struct alertmanager *m)
{
	int64_t mono_ns = clock_ns(CLOCK_MONOTONIC);
	struct snapshot *s = board_get(m->o->board);
	struct firings now = {0};
	bool due;

	if (s && !s->rebuilding && !board_hangs(m->o->board) && !look(m, s, &now)) {
		due = !is_known(&m->told, &now) || (now.n && mono_ns - m->told_ns >= RENEW_NS);
		if (due && mono_ns >= m->next_ns)
			tell(m, &now, mono_ns);
	}
	firings_release(&now);
	snapshot_done(s);
}

static void *alertmanager_run(void *arg)
{
	struct alertmanager *m = arg;

	do
		step(m);
	while (!thread_pause(&m->all->lock, &m->all->wake, LOOK_S, &m->all->ends));
	return NULL;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static int start_all(struct alertmanagers *a)
{
	for (size_t i = 0; i < a->o.urls.n; i++) {
		struct alertmanager *m = &a->at[a->n++];
		int err;

		m->o = &a->o;
		m->all = a;
		m->url = a->o.urls.at[i];
		err = thread_start(&m->thread, "alertmanager", alertmanager_run, m);
		m->running = !err;
		if (err) {
			fail("cannot start a thread: %s", strerror(-err));
			return err;
		}
	}
	return 0;
}

int alertmanagers_start(struct alertmanagers **out, const struct alertmanager_opts *o)
{
	struct alertmanagers *a;
	int err;

	*out = NULL;
	if (!o->urls.n)
		return 0;
	for (size_t i = 0; i < o->urls.n; i++)
		if (strncmp(o->urls.at[i], "http://", 7) != 0 &&
		    strncmp(o->urls.at[i], "https://", 8) != 0) {
			fail("'--alertmanager %s': a URL like http://127.0.0.1:9093 is wanted",
			     o->urls.at[i]);
			return -EINVAL;
		}
	if (o->urls.n > ALERTMANAGERS_MAX) {
		fail("more than %d Alertmanagers", ALERTMANAGERS_MAX);
		return -EINVAL;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		fail("out of memory");
		return -ENOMEM;
	}
	a->o = *o;
	pthread_mutex_init(&a->lock, NULL);
	thread_cond_init(&a->wake);
	err = start_all(a);
	if (err)
		alertmanagers_stop(a);
	else
		*out = a;
	return err;
}

void alertmanagers_stop(struct alertmanagers *a)
{
	if (!a)
		return;
	a->stop = 1;
	pthread_mutex_lock(&a->lock);
	a->ends = true;
	pthread_cond_broadcast(&a->wake);
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < a->n; i++) {
		if (a->at[i].running)
			pthread_join(a->at[i].thread, NULL);
		fetch_free(a->at[i].fetch);
		firings_release(&a->at[i].told);
		text_release(&a->at[i].answer);
	}
	pthread_cond_destroy(&a->wake);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

bool alertmanagers_trouble(struct alertmanagers *a, struct alertmanager_counts *n, char why[400])
{
	*n = (struct alertmanager_counts){0};
	*why = '\0';
	if (!a)
		return false;
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < a->n; i++) {
		const struct alertmanager *m = &a->at[i];

		n->told += m->counts.told;
		n->failed += m->counts.failed;
		if (*m->why && !*why)
			snprintf(why, 400, "the Alertmanager '%.150s' was not told: %.200s", m->url,
				 m->why);
	}
	pthread_mutex_unlock(&a->lock);
	return *why;
}
