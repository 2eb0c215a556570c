// SPDX-License-Identifier: BSD-2-Clause
/*
 * Symptoms, diagnosers and decisions: which there are and what they find now, and starting, stopping, loading and unloading them
 * (analyzer/jobs/roster.h). And the queries of AutoDiagn's interface (Demirbaga et al., 2021, table 1) by their names there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "sent.h"
#include "analyzer/jobs/roster.h"
#include "userspace/common/json_make.h"
#include "userspace/common/sort.h"

#define MADE 1000 /* decisions of before that are told */

/* Which table a path is of. */
static enum program_ask table_of(const struct listener_request *r)
{
	const char *word = r->path + strlen("/api/v1/");
	enum program_ask ask = 0;

	while (ask + 1 < PROGRAM_ASKS &&
	       strncmp(word, program_ask_plurals[ask], strlen(program_ask_plurals[ask])) != 0)
		ask++;
	return ask;
}

/* NULL, and it is answered. */
static struct roster *roster_here(const struct front *f, struct listener_request *r,
				  const struct sent *s)
{
	if (!f->o->roster)
		sent_refuse(r, s, 503, 1000, "jobs.db cannot be used: the service has said why");
	return f->o->roster;
}

/* ---- what they find now --------------------------------------------------------------------------------- */

static json_t *stragglers_found(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; i < a->n_jobs; i++)
		if (a->jobs[i].stragglers)
			all = append_json(all, json_pack("{s:o, s:I, s:I}", "job",
							 words_json(a->jobs[i].job), "stragglers",
							 (json_int_t)a->jobs[i].stragglers, "tasks",
							 (json_int_t)a->jobs[i].looked_at));
	return all;
}

static json_t *signs_found(const struct verdict *a, const char *word)
{
	json_t *all = json_array();

	for (size_t i = 0; i < a->n_jobs; i++)
		for (size_t k = 0; k < a->jobs[i].n_signs; k++)
			if (!strcmp(a->jobs[i].signs[k].word, word))
				all = append_json(all,
						  json_pack("{s:o, s:o}", "job",
							    words_json(a->jobs[i].job), "what",
							    words_json(a->jobs[i].signs[k].what)));
	return all;
}

static size_t cause_called(const struct verdict *a, const char *word)
{
	return index_if(c, a->n_task_causes, !strcmp(a->task_causes[c].word, word));
}

static json_t *causes_found(const struct verdict *a, const char *word)
{
	size_t c = cause_called(a, word);
	json_t *all = json_array();

	for (size_t i = 0; i < a->n_jobs && c < a->n_task_causes; i++)
		if (a->jobs[i].known >> c & 1)
			all = append_json(all,
					  json_pack("{s:o, s:I, s:I, s:I, s:I}", "job",
						    words_json(a->jobs[i].job), "stragglers",
						    (json_int_t)a->jobs[i].of[c], "of_stragglers",
						    (json_int_t)a->jobs[i].stragglers, "tasks",
						    (json_int_t)a->jobs[i].all[c], "of_tasks",
						    (json_int_t)a->jobs[i].looked_at));
	return all;
}

static json_t *decision_json(const struct straggler_job *j)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "job", words_json(j->job), "decision",
			 words_json(j->decision), "decided_by", words_json(j->decided_by),
			 "subject", words_or_null_json(j->subject));
}

/* word: NULL: of any. */
static json_t *decisions_found(const struct verdict *a, const char *word)
{
	json_t *all = json_array();

	for (size_t i = 0; i < a->n_jobs; i++)
		if (*a->jobs[i].decision && (!word || !strcmp(a->jobs[i].decided_by, word)))
			all = append_json(all, decision_json(&a->jobs[i]));
	return all;
}

static json_t *found_by(const struct verdict *a, const struct roster_row *row)
{
	if (row->ask == ASK_DIAGNOSER)
		return causes_found(a, row->word);
	if (row->ask == ASK_DECISION)
		return decisions_found(a, row->word);
	return strcmp(row->word, symptoms[0].word) ? signs_found(a, row->word)
						   : stragglers_found(a);
}

/* Decisions that were told, the newest first; NULL: out of memory. */
static json_t *decisions_made(struct front *f)
{
	sqlite3 *db = front_db(f);
	json_t *all = json_array();
	sqlite3_stmt *st = NULL;

	if (!db || sqlite3_prepare_v2(
			   db,
			   "SELECT at_ns, cause, text FROM event WHERE kind = 'decision' ORDER BY "
			   "seq DESC LIMIT ?",
			   -1, &st, NULL))
		return all;
	sqlite3_bind_int(st, 1, MADE);
	while (all && sqlite3_step(st) == SQLITE_ROW)
		all = append_json(
			all, json_pack("{s:o, s:o, s:o}", "time",
				       time_json(sqlite3_column_int64(st, 0)), "decided_by",
				       words_json((const char *)sqlite3_column_text(st, 1)), "text",
				       words_json((const char *)sqlite3_column_text(st, 2))));
	sqlite3_finalize(st);
	return all;
}

/* ---- what there is --------------------------------------------------------------------------------------- */

static json_t *after_json(const char *after)
{
	json_t *all = json_array();

	while (all && *after) {
		size_t len = strcspn(after, ",");

		all = append_json(all, json_stringn(after, len));
		after += len + (after[len] == ',');
	}
	return all;
}

static json_t *row_json(const struct verdict *a, const struct roster_row *row)
{
	return json_pack("{s:s, s:s, s:o, s:b, s:b, s:b, s:I, s:I, s:o, s:o, s:o}", "name",
			 row->word, "what", row->what, "after", after_json(row->after), "program",
			 row->program, "while_running", row->running, "started", row->started,
			 "asked", (json_int_t)row->asked, "failed", (json_int_t)row->failed,
			 "took_s", number_json(row->took_s), "trouble",
			 words_or_null_json(row->trouble), "found", found_by(a, row));
}

void api_roster(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	struct roster *roster = s ? roster_here(f, r, NULL) : NULL;
	enum program_ask ask = table_of(r);
	struct roster_row *rows = NULL;
	json_t *all = json_array(), *answer;
	size_t n;

	if (!roster) {
		json_decref(all);
		return;
	}
	if (roster_list(roster, &rows, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (rows[i].ask == ask)
			all = append_json(all, row_json(&s->verdict, &rows[i]));
	answer = rows && all ? api_head(s) : NULL;
	free(rows);
	if (answer &&
	    (json_object_set(answer, program_ask_plurals[ask], all) ||
	     (ask == ASK_DECISION && json_object_set_new(answer, "made", decisions_made(f))))) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(all);
	front_json(r, 200, answer);
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

/* A text, with commas, or a list of texts, as it is told. false: neither. */
static bool after_of(const struct sent *s, struct text *t)
{
	const json_t *list = s->object ? json_object_get(s->object, "after") : NULL;
	json_t *one;
	size_t i;

	if (!json_is_array(list)) {
		text_put(t, sent_text(s, "after"));
		return !list || json_is_string(list);
	}
	json_array_foreach(list, i, one) {
		if (!json_is_string(one))
			return false;
		text_put(t, i ? "," : "");
		text_put(t, json_string_value(one));
	}
	return true;
}

static int load(struct roster *roster, enum program_ask ask, const struct sent *s,
		char why[WHY_LEN])
{
	struct text after TEXT_SCOPED = {0};

	if (after_of(s, &after))
		return roster_load(roster, ask, sent_text(s, "program"), text_of(&after), why);
	snprintf(why, WHY_LEN, "'after' is a list of names");
	return -EINVAL;
}

static bool is_conflict(int err)
{
	return err == -ENOSPC || err == -EEXIST;
}

static void answer_change(struct listener_request *r, const struct sent *s, int err,
			  const char *why, enum program_ask ask, const char *name,
			  const char *state)
{
	if (!err)
		warn("%s '%s' was %s by %s", program_ask_words[ask], name, state, r->caller);
	if (!err)
		sent_answer(r, s,
			    json_pack("{s:s, s:o, s:s}", "kind", program_ask_words[ask], "name",
				      words_json(name), "state", state));
	else
		sent_refuse(r, s,
			    err == -ENOENT     ? 404
			    : err == -EINVAL   ? 400
			    : is_conflict(err) ? 409
					       : 503,
			    err == -ENOENT || err == -EINVAL || is_conflict(err) ? 0 : 1000, why);
}

void api_roster_load(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	enum program_ask ask = table_of(r);
	struct roster *roster;
	char why[WHY_LEN];
	struct sent s;
	bool well = sent_read(&s, r);

	roster = roster_here(f, r, &s);
	if (!roster || !front_may_change(f, r, &s))
		well = false;
	else if (!well)
		sent_refuse(r, &s, 400, 0, "the body is neither an object of JSON nor a form");
	if (well)
		answer_change(r, &s, load(roster, ask, &s, why), why, ask, sent_text(&s, "program"),
			      "started");
	sent_release(&s);
}

/* What stands behind the name. */
static const struct roster_verb {
	const char *path, *state;
	bool unload, started;
} verbs[] = {
	{"/start", "started", false, true},
	{"/stop", "stopped", false, false},
	{"/unload", "unloaded", true, false},
};

/* NULL: none of them. Takes it off the name. */
static const struct roster_verb *verb_of(char *name)
{
	char *slash = strchr(name, '/');

	for (size_t i = 0; slash && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(slash, verbs[i].path)) {
			*slash = '\0';
			return &verbs[i];
		}
	return NULL;
}

void api_roster_change(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	enum program_ask ask = table_of(r);
	char name[64], why[WHY_LEN];
	const struct roster_verb *v;
	struct roster *roster;
	struct sent s;
	int err;

	snprintf(name, sizeof(name), "%s", r->rest);
	v = strlen(r->rest) < sizeof(name) ? verb_of(name) : NULL;
	if (!v || !*name) {
		listener_refuse(r, 404, 0, "no such path: /api/v1/%s/NAME/start, stop or unload",
				program_ask_plurals[ask]);
		return;
	}
	sent_read(&s, r);
	roster = roster_here(f, r, &s);
	if (roster && front_may_change(f, r, &s)) {
		err = v->unload ? roster_unload(roster, ask, name, why)
				: roster_start(roster, ask, name, v->started, why);
		answer_change(r, &s, err, why, ask, name, v->state);
	}
	sent_release(&s);
}

/* ---- the queries of the paper --------------------------------------------------------------------------------- */

static json_t *tasks_with(struct front *f, const char *cause)
{
	json_t *all = json_array(), *one, *word;
	size_t i, k;

	json_array_foreach(json_object_get(f->object, "stragglers"), i, one) {
		bool has = !*cause;

		json_array_foreach(json_object_get(one, "causes"), k, word)
			has |= !strcmp(json_string_value(word) ?: "", cause);
		if (has)
			json_array_append(all, one);
	}
	return all;
}

static json_t *jobs_with(struct front *f, const char *sign)
{
	return signs_found(&f->now->verdict, sign);
}

static json_t *uneven_jobs(struct front *f, const char *word)
{
	json_t *all = jobs_with(f, "idle-nodes"), *more = jobs_with(f, word);

	json_array_extend(all, more);
	json_decref(more);
	return all;
}

/* Servers that hang, or say nothing. */
static json_t *servers_away(struct front *f, const char *word)
{
	const struct verdict *a = &f->now->verdict;
	json_t *all = json_array();

	for (size_t i = 0; i < a->n_nodes; i++) {
		bool hung = any_of(
			k, a->n_incidents,
			a->incidents[k].node == i && a->incidents[k].open &&
				!a->incidents[k].suspicion &&
				!strcmp(cause_table[a->incidents[k].cause].word ?: "", word));

		if (hung || verdict_silent_now(a, i))
			all = append_json(all, json_pack("{s:o, s:s}", "server",
							 words_json(verdict_node(a, i)), "why",
							 hung ? word : "silent"));
	}
	return all;
}

static json_t *decided(struct front *f, const char *word)
{
	return decisions_found(&f->now->verdict, *word ? word : NULL);
}

/* Jobs with a sign, and what is behind their stragglers. */
static json_t *decided_of_signs(struct front *f, const char *word)
{
	const struct verdict *a = &f->now->verdict;
	json_t *all = json_array();

	(void)word;
	for (size_t i = 0; i < a->n_jobs; i++) {
		const struct straggler_job *j = &a->jobs[i];

		if (j->n_signs)
			all = append_json(all,
					  json_pack("{s:o, s:o, s:o}", "job", words_json(j->job),
						    "what", words_json(j->signs[0].what),
						    "decision", words_or_null_json(j->decision)));
	}
	return all;
}

static const struct query {
	const char *name, *what;
	json_t *(*find)(struct front *f, const char *word);
	const char *word;
} queries[] = {
	{"QueryOutlier", "tasks that take long beside their like", tasks_with, ""},
	{"QueryResourceUtil", "jobs that use their servers badly", uneven_jobs, "oversubscribed"},
	{"QueryNonLocal", "stragglers whose data were on another server", tasks_with,
	 "data-locality"},
	{"QueryLessResource", "stragglers on servers with fewer cores or less memory", tasks_with,
	 "resource-heterogeneity"},
	{"QueryNodeHealth", "servers that hang, or say nothing", servers_away, "hung"},
	{"QueryOversubscribed", "jobs with a server that has more tasks at once, which take longer",
	 jobs_with, "oversubscribed"},
	{"QueryDiskIOboundTasks", "jobs with tasks on a server whose disk limps", jobs_with,
	 "disk-bound"},
	{"RootcauseOutlier", "what is behind the stragglers of jobs", decided, ""},
	{"RootcauseResInef", "what is behind a bad use of servers", decided_of_signs, ""},
};

static bool known_while_running(const char *sign)
{
	const struct symptom *s = symptoms;

	while (s->word && strcmp(s->word, sign) != 0)
		s++;
	return s->word && s->running;
}

static bool is_stopped(const struct front *f, enum program_ask ask, const char *word)
{
	struct roster_row *rows = NULL;
	bool stopped = false;
	size_t n = 0;

	if (f->o->roster && !roster_list(f->o->roster, &rows, &n))
		for (size_t i = 0; i < n; i++)
			stopped |= rows[i].ask == ask && !rows[i].started &&
				   !strcmp(rows[i].word, word);
	free(rows);
	return stopped;
}

/* Why it cannot be answered now; NULL: it can. */
static const char *not_known(const struct front *f, const struct query *q)
{
	const struct verdict *a = &f->now->verdict;
	size_t c = cause_called(a, q->word);

	if ((q->find == jobs_with || q->find == uneven_jobs) && !known_while_running(q->word))
		return "it is known of a job that has ended: limpet diagnose tells it";
	if (q->find == jobs_with && is_stopped(f, ASK_SYMPTOM, q->word))
		return "its symptom is stopped";
	if (q->find == tasks_with && is_stopped(f, ASK_SYMPTOM, symptoms[0].word))
		return "the symptom of late tasks is stopped";
	if (q->find == tasks_with && is_stopped(f, ASK_DIAGNOSER, q->word))
		return "its diagnoser is stopped";
	if (q->find != tasks_with || !*q->word)
		return NULL;
	for (size_t i = 0; i < a->n_jobs && c < a->n_task_causes; i++)
		if (a->jobs[i].known >> c & 1)
			return NULL;
	return "of no job that runs a log tells it";
}

/* One that cannot be answered has found null, not nothing. */
static json_t *query_answer(struct front *f, const struct query *q)
{
	const char *why = not_known(f, q);

	return json_pack("{s:s, s:s, s:o, s:o}", "query", q->name, "what", q->what, "found",
			 why ? json_null() : q->find(f, q->word), "not_known",
			 why ? json_string(why) : json_null());
}

/* All of them, or the one behind the path. */
void api_queries(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *all, *answer, *list = NULL;
	size_t n = sizeof(queries) / sizeof(*queries), i = 0;

	if (!front_object(f, r))
		return;
	while (*r->rest && i < n && strcmp(r->rest, queries[i].name) != 0)
		i++;
	if (i == n) {
		listener_refuse(r, 404, 0, "no query has this name: /api/v1/queries tells all");
		return;
	}
	answer = api_head(f->now);
	if (*r->rest) {
		all = query_answer(f, &queries[i]);
	} else {
		all = json_object();
		list = json_array();
		for (i = 0; i < n; i++)
			list = append_json(list, json_pack("{s:s, s:s}", "query", queries[i].name,
							   "what", queries[i].what));
		json_object_set_new(all, "queries", list);
	}
	if (!answer || !all || json_object_update(answer, all)) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(all);
	front_json(r, 200, answer);
}
