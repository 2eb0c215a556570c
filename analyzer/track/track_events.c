// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events: what stands against each server enters as a level, moves its state by track_next(), and each transition is told
 * to subscribers; so are notices, tasks, and whether anything can be judged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track.h"
#include "userspace/common/array.h"
#include "userspace/common/map.h"
#include "userspace/common/sort.h"

enum { VERDICTS_ALL = (1 << VERDICTS_OF) - 1, TOLD_LEN = 32 + 1 + HOST_LEN };

/* One server, as subscribers know it. */
struct server_events {
	char server[HOST_LEN];
	enum track_state state;
	uint64_t id; /* of the incident that is open, or was last */
	bool held, silent;
	uint64_t round; /* of the last verdict, if that had it; 0: it has not */
	size_t place;	/* its number there */
	/* A bit each, of the last verdicts on jobs, the newest lowest: it was indicted. */
	unsigned int verdicts;
	enum cause cause;
	char process[INSTANCE_LEN]; /* without its number: a hog of many short processes is one */
};

struct known_notice {
	enum notice_kind kind;
	char server[HOST_LEN], host[INSTANCE_LEN]; /* "": none */
	int64_t to_ns;
	bool there; /* in the verdict at hand */
};

/* Tasks that held up their job, and jobs. */
struct known_names {
	struct known_name {
		char name[TASK_NAME_LEN];
		char told[TOLD_LEN]; /* last, of a job: what decided, and what it names */
		int64_t at_ns;	     /* in the last verdict that had it */
	} * at;			     /* by name */
	size_t n;
};

struct track_events {
	struct subscriber {
		track_fn *fn;
		void *arg;
	} * to;
	size_t n_to;
	bool any, cannot, unproven;
	size_t judged, servers; /* as told last */
	uint64_t round;
	struct server_events *levels; /* of servers, in order of appearance */
	size_t n_levels;
	struct map by_server;
	size_t *number; /* of each server of the last verdict, that of its level */
	size_t n_number;
	struct known_notice *notices; /* by kind, server and host */
	size_t n_notices;
	struct known_names tasks, decisions;
};

struct track_events *track_events_new(void)
{
	return calloc(1, sizeof(struct track_events));
}

void track_events_free(struct track_events *t)
{
	if (!t)
		return;
	free(t->to);
	free(t->levels);
	map_release(&t->by_server);
	free(t->number);
	free(t->notices);
	free(t->tasks.at);
	free(t->decisions.at);
	free(t);
}

int track_subscribe(struct track_events *t, track_fn *fn, void *arg)
{
	return array_put(&t->to, &t->n_to, (struct subscriber){fn, arg});
}

void track_unsubscribe(struct track_events *t, const void *arg)
{
	t->n_to = keep_if(i, t->to, t->n_to, t->to[i].arg != arg);
}

static struct track_event event_of(const struct verdict *a, enum track_event_kind kind, size_t node)
{
	return (struct track_event){.kind = kind,
				    .at_ns = a->to_ns,
				    .node = node,
				    .server = node < a->n_nodes ? a->nodes[node] : "",
				    .incident = -1,
				    .notice = -1,
				    .straggler = -1,
				    .job = -1};
}

static int emit(const struct track_events *t, const struct verdict *a, const struct track_event *e)
{
	int err = 0;

	for (size_t i = 0; i < t->n_to && !err; i++)
		err = t->to[i].fn(t->to[i].arg, a, e);
	return err;
}

/* ---- servers ---------------------------------------------------------------------------------------- */

/* `guess` is looked at first. */
static size_t level_find(const struct track_events *t, const char *server, size_t guess)
{
	if (guess < t->n_levels && !strcmp(t->levels[guess].server, server))
		return guess;
	return map_find(i, &t->by_server, map_hash(server, strlen(server)),
			!strcmp(t->levels[i].server, server));
}

/* Its level, which is added if it is new; NULL: out of memory. */
static struct server_events *level_of(struct track_events *t, const char *server, size_t guess)
{
	size_t at = level_find(t, server, guess);
	struct server_events *new;

	if (at != MAP_NONE)
		return &t->levels[at];
	new = map_append(&t->by_server, map_hash(server, strlen(server)),
			 array_add(&t->levels, &t->n_levels), &t->n_levels);
	if (!new)
		return NULL;
	snprintf(new->server, sizeof(new->server), "%s", server);
	return new;
}

int track_resume(struct track_events *t, const struct track_open_incident *x)
{
	struct server_events *l = level_of(t, x->server, SIZE_MAX);
	size_t *number = l ? array_add(&t->number, &t->n_number) : NULL;

	if (!number)
		return -ENOMEM;
	*number = (size_t)(l - t->levels);
	l->silent = x->silent;
	if (x->silent)
		return 0;
	l->state = x->suspicious ? TRACK_SUSPECT : TRACK_INDICTED;
	l->id = x->id;
	l->cause = x->cause;
	snprintf(l->process, sizeof(l->process), "%s", x->process);
	return 0;
}

/* Servers that a verdict has no more: what stood against them is over. In the order that the verdict before had. */
static int levels_gone(struct track_events *t, const struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < t->n_number && !err; i++) {
		struct server_events *l = &t->levels[t->number[i]], was = *l;
		struct track_event e = event_of(
			a, was.state == TRACK_SUSPECT ? EVENT_CLEARED : EVENT_OVER, SIZE_MAX);

		if (was.round == t->round)
			continue;
		*l = (struct server_events){.verdicts = was.verdicts};
		memcpy(l->server, was.server, sizeof(was.server));
		e.server = was.server;
		e.id = was.id;
		if (track_state_open(was.state))
			err = emit(t, a, &e);
	}
	return err;
}

/* Of servers that are gone, and were not indicted lately, nothing has to be known. */
static int levels_forget(struct track_events *t)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < t->n_levels; i++) {
		if (!t->levels[i].round && !t->levels[i].verdicts)
			continue;
		if (t->levels[i].round)
			t->number[t->levels[i].place] = kept;
		t->levels[kept++] = t->levels[i];
	}
	if (kept == t->n_levels)
		return 0;
	t->n_levels = kept;
	map_clear(&t->by_server);
	for (size_t i = 0; i < kept && !err; i++)
		err = map_add(&t->by_server,
			      map_hash(t->levels[i].server, strlen(t->levels[i].server)));
	return err;
}

/* Each server of the verdict has a level: verdicts of logs name those that worked lately, in another order each time. */
static int levels_number(struct track_events *t, const struct verdict *a)
{
	size_t *number = calloc(a->n_nodes + 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	t->round++;
	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct server_events *l = level_of(t, a->nodes[i], i);

		if (!l) {
			err = -ENOMEM;
			break;
		}
		l->round = t->round;
		l->place = i;
		number[i] = (size_t)(l - t->levels);
	}
	if (!err)
		err = levels_gone(t, a);
	if (err) {
		free(number);
		return err;
	}
	free(t->number);
	t->number = number;
	t->n_number = a->n_nodes;
	return levels_forget(t);
}

/* ---- incidents -------------------------------------------------------------------------------------- */

/* The last one that was open at this server; it may have been joined to an older one. Where there are both, what
 * indicts does not end by what is only suspicious, nor the other way round. */
static ssize_t last_of(const struct verdict *a, size_t node, bool suspicious)
{
	ssize_t last = -1;

	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node &&
		    (a->incidents[i].suspicion != SUSPICION_NONE) == suspicious &&
		    (last < 0 || a->incidents[i].last_ns > a->incidents[last].last_ns))
			last = (ssize_t)i;
	return last;
}

static ssize_t with_id(const struct verdict *a, uint64_t id)
{
	for (size_t i = a->n_incidents; id && i-- > 0;)
		if (a->incidents[i].id == id)
			return (ssize_t)i;
	return -1;
}

static int level_end(const struct track_events *t, const struct verdict *a, size_t node,
		     struct server_events *l)
{
	bool suspicious = l->state == TRACK_SUSPECT;
	struct track_event e = event_of(a, suspicious ? EVENT_CLEARED : EVENT_OVER, node);

	l->state = track_next(l->state, SIGN_NOTHING);
	l->held = false;
	l->cause = 0;
	*l->process = 0;
	e.incident = with_id(a, l->id);
	if (e.incident < 0)
		e.incident = last_of(a, node, suspicious);
	e.id = l->id;
	return emit(t, a, &e);
}

static int level_enter(const struct track_events *t, const struct verdict *a, size_t i,
		       struct server_events *l)
{
	const struct incident *x = &a->incidents[i];
	struct track_event e = event_of(a, EVENT_KINDS, x->node);
	struct server_events was = *l;
	char process[INSTANCE_LEN];

	verdict_process(&x->culprit, process);
	l->state = track_next(was.state, x->suspicion ? SIGN_SUSPICIOUS : SIGN_INDICTS);
	l->id = x->id;
	l->held = x->held;
	l->cause = x->cause;
	if (*process)
		snprintf(l->process, sizeof(l->process), "%s", process);
	if (l->state != was.state)
		e.kind = x->suspicion ? EVENT_SUSPICIOUS : EVENT_OPENED;
	else if (x->suspicion) /* what it may be is no news until it is sure */
		return 0;
	else if (x->cause != was.cause || strcmp(l->process, was.process) != 0)
		e.kind = EVENT_CHANGED;
	else if (x->held != was.held)
		e.kind = x->held ? EVENT_HELD : EVENT_RESUMED;
	else
		return 0;
	e.incident = (ssize_t)i;
	e.id = l->id;
	e.open = true;
	return emit(t, a, &e);
}

static enum track_state state_of(const struct incident *x)
{
	return x->suspicion ? TRACK_SUSPECT : TRACK_INDICTED;
}

/* What goes on has the id that it began with, unless that one is over: of recordings and logs together another one may
 * come first now. */
static void levels_ids(const struct track_events *t, struct verdict *a)
{
	for (size_t i = 0; i < a->n_incidents; i++) {
		struct incident *x = &a->incidents[i];
		const struct server_events *l;
		size_t at;

		if (x->node >= a->n_nodes || verdict_against(a, x->node, true) != x)
			continue;
		at = level_find(t, a->nodes[x->node], x->node);
		l = at == MAP_NONE ? NULL : &t->levels[at];
		if (l && l->state == state_of(x) && with_id(a, l->id) < 0)
			x->id = l->id;
	}
}

/* Also what was indicted and now is only suspicious, which is told then; and where another one is open. */
static bool is_over(const struct server_events *l, const struct incident *x)
{
	bool worse = l->state == TRACK_SUSPECT && x && !x->suspicion;

	return !x || (!worse && (state_of(x) != l->state || x->id != l->id));
}

static int levels_incidents(struct track_events *t, const struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct server_events *l = &t->levels[t->number[i]];

		if (track_state_open(l->state) && is_over(l, verdict_against(a, i, true)))
			err = level_end(t, a, i, l);
	}
	/* in the verdict's order: the strongest first */
	for (size_t i = 0; i < a->n_incidents && !err; i++)
		if (a->incidents[i].open && a->incidents[i].node < a->n_nodes &&
		    verdict_against(a, a->incidents[i].node, true) == &a->incidents[i])
			err = level_enter(t, a, i, &t->levels[t->number[a->incidents[i].node]]);
	return err;
}

int track_steady(struct track_events *t, struct verdict *jobs, bool at_once)
{
	for (size_t i = 0; i < t->n_levels; i++)
		t->levels[i].verdicts = t->levels[i].verdicts << 1 & VERDICTS_ALL;
	for (size_t i = 0; i < jobs->n_incidents; i++) {
		const struct incident *x = &jobs->incidents[i];
		struct server_events *l = level_of(t, jobs->nodes[x->node], x->node);

		if (!l)
			return -ENOMEM;
		if (!x->suspicion)
			l->verdicts |= at_once ? VERDICTS_ALL : 1;
	}
	for (size_t i = 0; i < jobs->n_incidents; i++) {
		struct incident *x = &jobs->incidents[i];
		const struct server_events *l =
			&t->levels[level_find(t, jobs->nodes[x->node], x->node)];

		x->id = track_state_open(l->state) ? l->id
						   : track_id(jobs->nodes[x->node], x->onset_ns);
		if (__builtin_popcount(l->verdicts) >= VERDICTS_NEEDED)
			x->suspicion = SUSPICION_NONE;
		else if (!x->suspicion)
			x->suspicion = SUSPICION_BRIEF;
	}
	return 0;
}

bool track_unsteady(const struct track_events *t)
{
	return any_of(i, t->n_levels,
		      t->levels[i].verdicts && t->levels[i].verdicts != VERDICTS_ALL);
}

/* ---- notices, silence, and what can be judged ------------------------------------------------------- */

static int known_compare(const struct known_notice *a, const struct known_notice *b)
{
	return ORDER(a->kind, b->kind) ?: strcmp(a->server, b->server) ?: strcmp(a->host, b->host);
}

/* What the verdict has no more, and was away for so long that it would be told again; and of servers that are gone. */
static void notices_forget(struct track_events *t, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_notices; i++) {
		struct known_notice k = t->notices[i];
		size_t at = *k.server ? level_find(t, k.server, 0) : MAP_NONE;
		bool here = !*k.server || (at != MAP_NONE && t->levels[at].round);

		if ((k.there || k.to_ns >= now_ns - TRACK_AGAIN_NS) && here)
			t->notices[kept++] = k;
	}
	t->n_notices = kept;
}

static int notice_enter(struct track_events *t, const struct verdict *a, size_t i)
{
	const struct notice *m = &a->notices[i];
	struct known_notice now = {.kind = m->kind, .to_ns = m->to_ns}, *was;
	struct track_event e = event_of(a, EVENT_NOTICE, m->node);
	size_t at;
	bool known, news;

	snprintf(now.server, sizeof(now.server), "%s", e.server);
	snprintf(now.host, sizeof(now.host), "%s", m->host);
	at = search_first(mid, t->n_notices, known_compare(&t->notices[mid], &now) < 0);
	known = at < t->n_notices && !known_compare(&t->notices[at], &now);
	news = known ? now.to_ns > t->notices[at].to_ns + TRACK_AGAIN_NS
		     : now.to_ns >= a->to_ns - TRACK_AGAIN_NS;
	was = known ? &t->notices[at] : array_insert(&t->notices, &t->n_notices, at);
	if (!was)
		return -ENOMEM;
	if (!known)
		*was = now;
	was->there = true;
	was->to_ns = now.to_ns > was->to_ns ? now.to_ns : was->to_ns;
	e.notice = (ssize_t)i;
	/* a silence is an event of its own */
	return news && m->kind != NOTICE_SILENT ? emit(t, a, &e) : 0;
}

static int levels_notices(struct track_events *t, const struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < t->n_notices; i++)
		t->notices[i].there = false;
	for (size_t i = 0; i < a->n_notices && !err; i++)
		err = notice_enter(t, a, i);
	if (!err)
		notices_forget(t, a->to_ns);
	return err;
}

/* A server that stops reporting, and one that begins again. */
static int levels_silence(struct track_events *t, const struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct server_events *l = &t->levels[t->number[i]];
		bool now = verdict_silent_now(a, i);
		struct track_event e = event_of(a, now ? EVENT_SILENT : EVENT_REPORTING, i);

		if (now == l->silent)
			continue;
		l->silent = now;
		err = emit(t, a, &e);
	}
	return err;
}

static int levels_judging(struct track_events *t, const struct verdict *a)
{
	bool cannot = a->cannot.why || !verdict_judged(a);
	size_t judged = cannot ? 0 : verdict_judged(a);
	struct track_event e = event_of(a, cannot ? EVENT_CANNOT : EVENT_JUDGING, SIZE_MAX);

	if (t->any && cannot == t->cannot &&
	    (cannot || (judged == t->judged && a->n_nodes == t->servers)))
		return 0;
	t->any = true;
	t->judged = judged;
	t->servers = a->n_nodes;
	t->cannot = cannot;
	return emit(t, a, &e);
}

/* Whether the all-clear holds. Where nothing can be judged, nothing is proven. */
static int levels_proving(struct track_events *t, const struct verdict *a)
{
	bool unproven = verdict_statuses(a, true).of[STATUS_UNPROVEN];
	struct track_event e = event_of(a, unproven ? EVENT_UNPROVEN : EVENT_PROVEN, SIZE_MAX);

	if (unproven == t->unproven || a->cannot.why)
		return 0;
	t->unproven = unproven;
	return emit(t, a, &e);
}

/* ---- tasks that hold up their job, and decisions about jobs, each told once ------------------------- */

static size_t known_at(const struct known_names *k, const char *name, bool *known)
{
	size_t at = search_first(i, k->n, strcmp(k->at[i].name, name) < 0);

	*known = at < k->n && !strcmp(k->at[at].name, name);
	return at;
}

static bool name_is_news(const struct known_names *k, const char *name, const char *told)
{
	bool known;
	size_t at = known_at(k, name, &known);

	return !known || strcmp(k->at[at].told, told) != 0;
}

/* 1: it is news, 0, or -ENOMEM. */
static int name_keep(struct known_names *k, const char *name, const char *told, int64_t now_ns)
{
	bool known, news = name_is_news(k, name, told);
	size_t at = known_at(k, name, &known);
	struct known_name *one = known ? &k->at[at] : array_insert(&k->at, &k->n, at);

	if (!one)
		return -ENOMEM;
	snprintf(one->name, sizeof(one->name), "%s", name);
	snprintf(one->told, sizeof(one->told), "%s", told);
	one->at_ns = now_ns;
	return news;
}

static void names_forget(struct known_names *k, int64_t now_ns)
{
	k->n = keep_if(i, k->at, k->n, k->at[i].at_ns >= now_ns - TRACK_AGAIN_NS);
}

/* The worst first. */
static int levels_tasks(struct track_events *t, const struct verdict *a)
{
	size_t *order = calloc(a->n_stragglers + 1, sizeof(*order)), n = 0;
	struct track_event e;
	int err = order ? 0 : -ENOMEM, news;

	if (!err)
		stragglers_worst_first(a->stragglers, a->n_stragglers, order);
	for (size_t i = 0; i < a->n_stragglers && !err; i++) {
		news = name_keep(&t->tasks, a->stragglers[order[i]].task, "", a->to_ns);
		err = news < 0 ? news : 0;
		if (news <= 0 || n++ >= TRACK_TASKS)
			continue;
		e = event_of(a, EVENT_STRAGGLER, a->stragglers[order[i]].node);
		e.straggler = (ssize_t)order[i];
		err = emit(t, a, &e);
	}
	e = event_of(a, EVENT_STRAGGLER, SIZE_MAX);
	e.more = n > TRACK_TASKS ? n - TRACK_TASKS : 0;
	if (!err && e.more)
		err = emit(t, a, &e);
	if (!err)
		names_forget(&t->tasks, a->to_ns);
	free(order);
	return err;
}

static void told_of_job(char to[TOLD_LEN], const char *decided_by, const char *subject)
{
	snprintf(to, TOLD_LEN, "%s %s", decided_by, subject);
}

void track_resume_unproven(struct track_events *t)
{
	t->unproven = true;
}

int track_resume_told(struct track_events *t, const struct track_told *x, int64_t now_ns)
{
	struct known_names *k = x->decided_by ? &t->decisions : &t->tasks;
	char told[TOLD_LEN] = "";
	bool known;
	int err;

	known_at(k, x->name, &known);
	if (known)
		return 0;
	if (x->decided_by)
		told_of_job(told, x->decided_by, x->subject);
	err = name_keep(k, x->name, told, now_ns);
	return err < 0 ? err : 0;
}

/* The worst first. */
static int levels_jobs(struct track_events *t, const struct verdict *a)
{
	size_t *order = calloc(a->n_jobs + 1, sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	if (!err)
		jobs_worst_first(a->jobs, a->n_jobs, order);
	for (size_t i = 0, n = 0; i < a->n_jobs && !err; i++) {
		const struct straggler_job *j = &a->jobs[order[i]];
		struct track_event e = event_of(a, EVENT_DECISION, SIZE_MAX);
		char told[TOLD_LEN];
		int news;

		told_of_job(told, j->decided_by, j->subject);
		if (!*j->decision ||
		    (n == TRACK_TASKS && name_is_news(&t->decisions, j->job, told)))
			continue;
		news = name_keep(&t->decisions, j->job, told, a->to_ns);
		err = news < 0 ? news : 0;
		e.job = (ssize_t)order[i];
		n += news > 0;
		if (news > 0)
			err = emit(t, a, &e);
	}
	free(order);
	names_forget(&t->decisions, a->to_ns);
	return err;
}

int track_events_tell(struct track_events *t, struct verdict *a)
{
	int (*const steps[])(struct track_events * t, const struct verdict *a) = {
		levels_judging, levels_proving, levels_number, levels_incidents,
		levels_silence, levels_notices, levels_tasks,  levels_jobs};
	int err = 0;

	levels_ids(t, a);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !err; i++)
		err = steps[i](t, a);
	return err;
}
