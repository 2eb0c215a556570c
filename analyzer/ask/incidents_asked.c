// SPDX-License-Identifier: BSD-2-Clause
/* Incidents as the service remembers them (analyzer/serve/incidents.h), with what is known better now. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "analyzer/verdict/next_steps.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/options.h"
#include "userspace/common/times.h"

#define LIMIT	  100
#define LIMIT_MAX 1000
#define COLUMNS	  "id, server, cause, suspicious, open, onset_ns, opened_ns, over_ns, headline, json"

/* Of the verdict's list; a borrowed reference. */
static json_t *known_now(const json_t *verdict, const char *id)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(verdict, "incidents"), i, one) {
		const char *is = json_string_value(json_object_get(one, "id"));

		if (is && !strcmp(is, id))
			return one;
	}
	return NULL;
}

static const char *text_of_column(sqlite3_stmt *st, int k)
{
	const char *text = (const char *)sqlite3_column_text(st, k);

	return text ? text : "";
}

static json_t *time_of_column(sqlite3_stmt *st, int k)
{
	return sqlite3_column_type(st, k) == SQLITE_INTEGER ? time_json(sqlite3_column_int64(st, k))
							    : json_null();
}

const struct incident *incident_known(const struct verdict *a, const char *id)
{
	for (size_t i = 0; i < a->n_incidents; i++) {
		char is[24];

		snprintf(is, sizeof(is), "%016" PRIx64, a->incidents[i].id);
		if (!strcmp(is, id))
			return &a->incidents[i];
	}
	return NULL;
}

/* NULL: out of memory. */
static json_t *incident_of_row(sqlite3_stmt *st, const json_t *verdict)
{
	json_t *known = known_now(verdict, text_of_column(st, 0));
	json_t *kept = json_loads(text_of_column(st, 9), 0, NULL), *one;

	one = known ? json_copy(known) : json_is_object(kept) ? json_incref(kept) : json_object();
	json_decref(kept);
	if (!one)
		return NULL;
	json_object_set_new(one, "id", words_json(text_of_column(st, 0)));
	json_object_set_new(one, "server", words_json(text_of_column(st, 1)));
	json_object_set_new(one, "cause", words_json(text_of_column(st, 2)));
	json_object_set_new(one, "suspicious", json_boolean(sqlite3_column_int(st, 3)));
	json_object_set_new(one, "open", json_boolean(sqlite3_column_int(st, 4)));
	json_object_set_new(one, "text", words_json(text_of_column(st, 8)));
	json_object_set_new(one, "opened", time_of_column(st, 6));
	json_object_set_new(one, "over", time_of_column(st, 7));
	return one;
}

/* The database may have been replaced. */
static void refuse_unread(struct front *f, struct listener_request *r)
{
	listener_refuse(r, 503, 1000, "incidents cannot be read at present");
	sqlite3_close(f->db);
	f->db = NULL;
}

/* NULL, and it is answered: there is no database, or it is in use for long. */
static sqlite3_stmt *asked(struct front *f, struct listener_request *r, const char *sql)
{
	sqlite3 *db = front_db(f);
	sqlite3_stmt *st = NULL;

	if (!db || sqlite3_prepare_v2(db, sql, -1, &st, NULL)) {
		refuse_unread(f, r);
		return NULL;
	}
	return st;
}

/* The query's bounds; false, and it is answered. */
static bool bind_bounds(struct listener_request *r, sqlite3_stmt *st)
{
	unsigned int limit = LIMIT, open = 2;
	char server[HOST_LEN], text[512];
	int64_t before_ns = INT64_MAX;
	char why[WHY_LEN];
	bool any = !front_query(r, "server", server, sizeof(server));

	if (front_query(r, "limit", text, sizeof(text)) && parse_uint(text, 1, LIMIT_MAX, &limit)) {
		listener_refuse(r, 400, 0, "'limit' is a number from 1 to %d", LIMIT_MAX);
		return false;
	}
	if (front_query(r, "open", text, sizeof(text)) && parse_uint(text, 0, 1, &open)) {
		listener_refuse(r, 400, 0, "'open' is 0 or 1");
		return false;
	}
	if (front_query(r, "before", text, sizeof(text)) &&
	    time_said(text, &(struct time_here){.now_ns = clock_ns(CLOCK_REALTIME)}, &before_ns,
		      why)) {
		listener_refuse(r, 400, 0, "'before' is a time such as 2026-11-21T20:05:30Z");
		return false;
	}
	if (!any)
		sqlite3_bind_text(st, 1, server, -1, SQLITE_TRANSIENT);
	if (open < 2)
		sqlite3_bind_int(st, 2, (int)open);
	sqlite3_bind_int64(st, 3, before_ns);
	sqlite3_bind_int64(st, 4, limit);
	return true;
}

static bool has_id(const json_t *list, const char *id)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		const char *is = json_string_value(json_object_get(one, "id"));

		if (is && !strcmp(is, id))
			return true;
	}
	return false;
}

/* What is open and could not be written yet, at the end of a first page. Takes the list. */
static json_t *add_unwritten(const struct listener_request *r, json_t *list, const json_t *verdict)
{
	char server[HOST_LEN], text[512];
	bool of_one = front_query(r, "server", server, sizeof(server));
	json_t *one;
	size_t i;

	if (!list || front_query(r, "before", text, sizeof(text)) ||
	    (front_query(r, "open", text, sizeof(text)) && !strcmp(text, "0")))
		return list;
	json_array_foreach(json_object_get(verdict, "incidents"), i, one) {
		const char *id = json_string_value(json_object_get(one, "id"));
		const char *is = json_string_value(json_object_get(one, "server"));

		if (!id || !is || !json_is_true(json_object_get(one, "open")) || has_id(list, id) ||
		    (of_one && strcmp(is, server) != 0))
			continue;
		list = append_json(list, json_incref(one));
		if (!list)
			return NULL;
	}
	return list;
}

void api_incidents(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *verdict = front_object(f, r), *all, *answer;
	sqlite3_stmt *st;
	int rc = SQLITE_DONE;

	if (!verdict)
		return;
	st = asked(f, r,
		   "SELECT " COLUMNS
		   " FROM incident WHERE (?1 IS NULL OR server = ?1) AND (?2 IS NULL OR open = ?2)"
		   " AND opened_ns < ?3 ORDER BY opened_ns DESC, id LIMIT ?4");
	if (!st)
		return;
	if (!bind_bounds(r, st)) {
		sqlite3_finalize(st);
		return;
	}
	all = json_array();
	while (all && (rc = sqlite3_step(st)) == SQLITE_ROW)
		all = append_json(all, incident_of_row(st, verdict));
	sqlite3_finalize(st);
	if (all && rc != SQLITE_DONE) {
		json_decref(all);
		refuse_unread(f, r);
		return;
	}
	all = add_unwritten(r, all, verdict);
	answer = all ? api_head(f->now) : NULL;
	if (!answer || json_object_set(answer, "incidents", all)) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(all);
	front_json(r, 200, answer);
}

json_t *incident_of_id(struct front *f, const char *id, json_t *verdict)
{
	sqlite3 *db = front_db(f);
	json_t *known = known_now(verdict, id), *one = NULL;
	sqlite3_stmt *st = NULL;

	if (db && !sqlite3_prepare_v2(db, "SELECT " COLUMNS " FROM incident WHERE id = ?1", -1, &st,
				      NULL)) {
		sqlite3_bind_text(st, 1, id, -1, SQLITE_TRANSIENT);
		if (sqlite3_step(st) == SQLITE_ROW)
			one = incident_of_row(st, verdict);
		sqlite3_finalize(st);
	}
	return one ? one : json_copy(known);
}

/* What was told of it, in order. */
static json_t *events_of(struct front *f, const char *id)
{
	sqlite3_stmt *st = NULL;
	json_t *all = json_array();

	if (!f->db || sqlite3_prepare_v2(f->db,
					 "SELECT at_ns, told_ns, kind, cause, text FROM event "
					 "WHERE id = ?1 AND kind NOT IN ('straggler', 'decision') "
					 "ORDER BY seq LIMIT 1000",
					 -1, &st, NULL))
		return all;
	sqlite3_bind_text(st, 1, id, -1, SQLITE_TRANSIENT);
	while (all && sqlite3_step(st) == SQLITE_ROW)
		all = append_json(all,
				  json_pack("{s:o, s:o, s:o, s:o, s:o}", "time",
					    time_of_column(st, 0), "told", time_of_column(st, 1),
					    "change", words_json(text_of_column(st, 2)), "cause",
					    words_or_null_json(text_of_column(st, 3)), "text",
					    words_json(text_of_column(st, 4))));
	sqlite3_finalize(st);
	return all;
}

/* What may be done next; nothing of one that this run does not know. */
static json_t *next_of(const struct verdict *a, const char *id)
{
	const struct incident *in = incident_known(a, id);
	const struct next_step *step;
	size_t n = in ? next_steps(in->cause, &step) : 0;
	json_t *all = json_array();

	for (; n; n--, step++) {
		struct text command TEXT_SCOPED = {0};

		if (*next_step_command(&command, a, in, step))
			all = append_json(all, json_pack("{s:o, s:o, s:s}", "system",
							 words_or_null_json(step->system),
							 "command", words_json(text_of(&command)),
							 "what", step->what));
	}
	return all;
}

void api_incident(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *verdict = front_object(f, r), *one = NULL;
	char id[32];

	if (!verdict)
		return;
	if (front_rest(r, id, sizeof(id)))
		one = incident_of_id(f, id, verdict);
	if (!one) {
		listener_refuse(r, 404, 0, "no incident has this id");
		return;
	}
	json_object_set_new(one, "events", events_of(f, id));
	json_object_set_new(one, "next", next_of(&f->now->verdict, id));
	json_object_set_new(one, "schema", json_integer(1));
	front_json(r, 200, one);
}
