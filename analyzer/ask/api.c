// SPDX-License-Identifier: BSD-2-Clause
/* Everything that is in the verdict of now: whole, as lists, and of one server. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/json_make.h"
#include "userspace/common/version.h"

#define LIMIT	  1000
#define LIMIT_MAX 10000

const struct api_list api_lists[] = {
	{"/api/v1/servers",
	 "servers",
	 {"server", "group", "status", "reason"},
	 "Servers, and what is known of each."},
	{"/api/v1/groups", "groups", {"group"}, "Servers that are compared with each other."},
	{"/api/v1/notices",
	 "notices",
	 {"kind", "server"},
	 "What is so and is no fault of a server."},
	{"/api/v1/unproven",
	 "unproven",
	 {"server", "resource"},
	 "Resources in which a fault would not have been seen, and what would have been."},
	{"/api/v1/not_judged",
	 "not_judged",
	 {"server", "signal"},
	 "What could not be judged, and why."},
	{"/api/v1/signals", "signals", {"signal"}, "What servers are compared by."},
	{"/api/v1/parts",
	 "parts",
	 {"server", "status"},
	 "Parts of servers that have peers of their own."},
	{"/api/v1/gaps", "gaps", {"server"}, "Times without data."},
	{"/api/v1/jobs", "jobs", {"job"}, "Jobs that were looked at for stragglers."},
	{"/api/v1/stragglers",
	 "stragglers",
	 {"server", "job"},
	 "Tasks that hold up their job, and what may be behind it."},
	{"/api/v1/tasks",
	 "tasks",
	 {"server", "job", "kind", "outcome", "straggler"},
	 "Tasks of jobs that run, also those that have ended: the newest."},
	{"/api/v1/states",
	 "states",
	 {"server", "peer", "job", "state", "outcome"},
	 "What logs tell beside tasks, as their parts and transfers between servers: what began "
	 "last."},
	{0},
};

/* ---- the verdict --------------------------------------------------------------------------------------- */

json_t *api_head(const struct snapshot *s)
{
	return json_pack("{s:i, s:o, s:o, s:b, s:b}", "schema", 1, "made", time_json(s->made_ns),
			 "until", s->until_ns == INT64_MIN ? json_null() : time_json(s->until_ns),
			 "rebuilding", s->rebuilding, "can_judge", s->can_judge);
}

void api_verdict(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *of, *all;

	if (verdict_asked_at(f, r))
		return;
	of = front_object(f, r);
	if (!of)
		return;
	all = api_head(f->now);
	if (all && json_object_update_missing(all, of)) {
		json_decref(all);
		all = NULL;
	}
	front_json(r, 200, all);
}

/* ---- lists --------------------------------------------------------------------------------------------- */

/* NULL: it has none. */
static const char *text_of_json(const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_string_value(value);
}

/* Whether the element has each of the values that were asked for. */
static bool is_asked_for(const struct listener_request *r, const struct api_list *l,
			 const json_t *one)
{
	char value[300];

	for (size_t i = 0; i < FILTERS_MAX && l->filters[i]; i++) {
		const char *is;

		if (!front_query(r, l->filters[i], value, sizeof(value)))
			continue;
		is = text_of_json(json_object_get(one, l->filters[i]));
		if (!is || strcmp(is, value) != 0)
			return false;
	}
	return true;
}

/* false, and it is answered: the query has a number that is none. */
static bool number_asked(struct listener_request *r, const char *name, unsigned int least,
			 unsigned int most, unsigned int *n)
{
	char text[512];

	if (!front_query(r, name, text, sizeof(text)) || !parse_uint(text, least, most, n))
		return true;
	listener_refuse(r, 400, 0, "'%s' is a number from %u to %u", name, least, most);
	return false;
}

static void answer_list(struct front *f, struct listener_request *r, const struct api_list *l)
{
	unsigned int limit = LIMIT, offset = 0;
	json_t *of, *one, *out = json_array(), *all;
	size_t i, n = 0;

	if (!number_asked(r, "limit", 1, LIMIT_MAX, &limit) ||
	    !number_asked(r, "offset", 0, INT32_MAX, &offset)) {
		json_decref(out);
		return;
	}
	of = strcmp(l->key, "tasks") && strcmp(l->key, "states") ? front_object(f, r)
								 : front_tasks(f, r);
	if (!of) {
		json_decref(out);
		return;
	}
	json_array_foreach(json_object_get(of, l->key), i, one) {
		if (!is_asked_for(r, l, one))
			continue;
		if (n++ >= offset && json_array_size(out) < limit)
			json_array_append(out, one);
	}
	all = api_head(f->now);
	if (all && (json_object_set_new(all, "total", json_integer((json_int_t)n)) ||
		    json_object_set_new(all, "offset", json_integer(offset)))) {
		json_decref(all);
		all = NULL;
	}
	if (all && !strcmp(l->key, "tasks"))
		json_object_set_new(all, "left_out",
				    json_integer((json_int_t)f->now->verdict.tasks_left_out));
	if (!all)
		json_decref(out);
	if (!all || json_object_set_new(all, l->key, out)) {
		json_decref(all);
		all = NULL;
	}
	front_json(r, 200, all);
}

void api_of_list(void *arg, struct listener_request *r)
{
	for (const struct api_list *l = api_lists; l->path; l++)
		if (!strcmp(r->path, l->path)) {
			answer_list(arg, r, l);
			return;
		}
	listener_refuse(r, 404, 0, "no such path: /api/v1/openapi.json tells all");
}

/* ---- a server ------------------------------------------------------------------------------------------ */

/* Elements of a list that are of the server. */
static json_t *of_server(const json_t *verdict, const char *key, const char *server)
{
	json_t *out = json_array(), *one;
	size_t i;

	json_array_foreach(json_object_get(verdict, key), i, one) {
		const char *is = json_string_value(json_object_get(one, "server"));

		if (is && !strcmp(is, server))
			json_array_append(out, one);
	}
	return out;
}

void api_server(void *arg, struct listener_request *r)
{
	static const char *const keys[] = {"incidents", "notices", "unproven",	"not_judged",
					   "parts",	"gaps",	   "stragglers"};
	struct front *f = arg;
	char name[HOST_LEN];
	json_t *of, *found, *all;

	if (!front_rest(r, name, sizeof(name))) {
		listener_refuse(r, 404, 0, "no such server");
		return;
	}
	of = front_object(f, r);
	if (!of)
		return;
	found = of_server(of, "servers", name);
	all = json_array_size(found) ? api_head(f->now) : NULL;
	if (!json_array_size(found)) {
		listener_refuse(r, 404, 0, "no such server");
	} else {
		if (all)
			json_object_update(all, json_array_get(found, 0));
		for (size_t i = 0; all && i < sizeof(keys) / sizeof(*keys); i++)
			json_object_set_new(all, keys[i], of_server(of, keys[i], name));
		front_json(r, 200, all);
	}
	json_decref(found);
}

/* ---- what there is to ask ------------------------------------------------------------------------------ */

static json_t *parameter_of(const char *name, const char *in, json_t *schema)
{
	return json_pack("{s:s, s:s, s:b, s:o}", "name", name, "in", in, "required",
			 !strcmp(in, "path"), "schema", schema);
}

/* most: of a number; 0: it is a text. */
static json_t *parameter(const char *name, const char *in, unsigned int most)
{
	json_t *schema = most ? json_pack("{s:s, s:i, s:I}", "type", "integer", "minimum",
					  strcmp(name, "offset") && strcmp(name, "open"), "maximum",
					  (json_int_t)most)
			      : json_pack("{s:s}", "type", "string");

	return parameter_of(name, in, schema);
}

/* Of what time_said() takes (times.h) what a program says: not "today", and no clock without a date. */
static json_t *time_schema(void)
{
	static const char pattern[] =
		"^(now|-[0-9]{1,4}[smhdw]|@[0-8]?[0-9]{1,9}|(19[7-9]|2[01][0-9])[0-9]-"
		"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
		"02-(0[1-9]|[12][0-9]))"
		"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
		"( ?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]))?)?)$";

	return json_pack("{s:s, s:s, s:s, s:s}", "type", "string", "pattern", pattern, "example",
			 "2026-11-21T20:05:30Z", "description",
			 "A time: 2026-11-21T20:05:30Z or with another zone as +01:00, "
			 "2026-11-21T20:05 or 2026-11-21 in UTC, @1795230000, now, or -6h for six "
			 "hours ago.");
}

static json_t *time_property(void)
{
	return json_pack("{s:s}", "$ref", "#/components/schemas/time");
}

static json_t *time_parameter(const char *name)
{
	return parameter_of(name, "query", time_property());
}

static json_t *needed(const char *name)
{
	json_t *one = parameter(name, "query", 0);

	if (one)
		json_object_set_new(one, "required", json_true());
	return one;
}

static json_t *body_of(const char *type, const char *schema)
{
	return json_pack("{s:{s:{s:s}}}", type, "schema", *schema == '#' ? "$ref" : "type", schema);
}

/* Some status, or "default", and what it says: a sentence. */
static void add_refusal(json_t *all, const char *status, const char *when)
{
	json_object_set_new(all, status,
			    json_pack("{s:s, s:o}", "description", when, "content",
				      body_of("application/json", "#/components/schemas/refusal")));
}

static bool is_any_needed(const json_t *parameters)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)parameters, i, one) {
		if (json_is_true(json_object_get(one, "required")))
			return true;
	}
	return false;
}

static json_t *answers(const char *type, const json_t *parameters)
{
	bool is_json = !strcmp(type, "application/json");
	json_t *all = json_pack("{s:{s:s, s:o}}", "200", "description", "what was asked for",
				"content", body_of(type, is_json ? "object" : "string"));

	add_refusal(all, "400", "a part of the request makes no sense");
	add_refusal(all, "503", "nothing is known yet, or something is in use: ask again later");
	add_refusal(all, "default",
		    "401 and 403: who asks may not; 421: by another name; 429: too often");
	if (is_any_needed(parameters))
		add_refusal(all, "404", "there is none of that name");
	return all;
}

static void add_path(json_t *paths, const char *path, const char *what, json_t *parameters,
		     const char *type)
{
	json_t *one = json_pack("{s:{s:s, s:O, s:o}}", "get", "summary", what, "parameters",
				parameters, "responses", answers(type, parameters));

	json_decref(parameters);
	json_object_set_new(paths, path, one);
}

/* One more type of an answer. */
static void add_type(json_t *paths, const char *path, const char *status, const char *type)
{
	json_t *of = json_object_get(json_object_get(paths, path), "get");

	of = json_object_get(json_object_get(json_object_get(of, "responses"), status), "content");
	json_object_set_new(of, type, json_pack("{s:{s:s}}", "schema", "type", "string"));
}

/* One that changes something. needed: one of the properties; NULL: none has to be there. */
static void add_change(json_t *paths, const char *path, const char *what, json_t *parameters,
		       json_t *properties, const char *needed_one)
{
	bool any = json_object_size(properties);
	json_t *of = answers("application/json", parameters), *body, *schema, *one;

	add_refusal(of, "401", "nobody shows the token");
	add_refusal(of, "403", "a form that is of no page of ours, or of nobody who is known");
	add_refusal(of, "404", "there is none of that name");
	add_refusal(of, "409", "there is one already, or as many as there may be");
	json_object_set_new(of, "303",
			    json_pack("{s:s}", "description", "a form: back to its page"));
	schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
	if (needed_one)
		json_object_set_new(schema, "required", json_pack("[s]", needed_one));
	body = json_pack("{s:b, s:{s:{s:O}, s:{s:o}}}", "required", any, "content",
			 "application/json", "schema", schema, "application/x-www-form-urlencoded",
			 "schema", schema);
	one = json_pack("{s:s, s:o, s:o, s:o, s:[{s:[]}]}", "summary", what, "parameters",
			parameters, "requestBody", body, "responses", of, "security", "token");
	if (!json_object_get(paths, path))
		json_object_set_new(paths, path, json_object());
	json_object_set_new(json_object_get(paths, path), "post", one);
}

static json_t *property(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static void add_silences(json_t *paths)
{
	add_path(paths, "/api/v1/silences", "Alerts that somebody does not want.", json_array(),
		 "application/json");
	add_change(paths, "/api/v1/silences",
		   "No alerts of a server (\"all\": of any), or of an incident until it is over, "
		   "from a "
		   "time (now) until another, or for so many hours.",
		   json_array(),
		   json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "server", property("string"),
			     "incident", property("string"), "from", time_property(), "until",
			     time_property(), "hours", property("integer"), "why",
			     property("string")),
		   NULL);
	add_change(paths, "/api/v1/silences/{number}/end", "That one ends now.",
		   json_pack("[o]", parameter("number", "path", INT32_MAX)), json_object(), NULL);
}

static void add_roster(json_t *paths)
{
	static const struct {
		const char *table, *what, *load;
	} tables[] = {
		{"symptoms", "Symptoms of jobs that run: which there are, and what each finds now.",
		 "A program of the user's finds symptoms, too."},
		{"diagnosers", "What may be why a task takes long, and of which it holds now.",
		 "A program of the user's is a diagnoser, too, after others."},
		{"decisions",
		 "What is behind the stragglers of jobs: how it is decided, what is "
		 "decided now, and what was.",
		 "A program of the user's decides, before limpet does."},
	};
	char path[64], verb[96];

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		static const char *const verbs[] = {"start", "stop", "unload"};

		snprintf(path, sizeof(path), "/api/v1/%s", tables[i].table);
		add_path(paths, path, tables[i].what, json_array(), "application/json");
		add_change(paths, path, tables[i].load, json_array(),
			   json_pack("{s:o, s:o}", "program", property("string"), "after",
				     property("string")),
			   "program");
		for (size_t k = 0; k < sizeof(verbs) / sizeof(*verbs); k++) {
			snprintf(verb, sizeof(verb), "%s/{name}/%s", path, verbs[k]);
			add_change(paths, verb, "It is started, stopped or, a program, unloaded.",
				   json_pack("[o]", parameter("name", "path", 0)), json_object(),
				   NULL);
		}
	}
	add_path(paths, "/api/v1/queries", "Queries by their names in AutoDiagn.", json_array(),
		 "application/json");
	add_path(paths, "/api/v1/queries/{query}", "What one finds now.",
		 json_pack("[o]", parameter("query", "path", 0)), "application/json");
}

static json_t *parameters_of(const struct api_list *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < FILTERS_MAX && l->filters[i]; i++)
		json_array_append_new(all, parameter(l->filters[i], "query", 0));
	json_array_append_new(all, parameter("limit", "query", LIMIT_MAX));
	json_array_append_new(all, parameter("offset", "query", INT32_MAX));
	return all;
}

static json_t *refusal_json(void)
{
	return json_pack("{s:s, s:[s], s:{s:o, s:o}}", "type", "object", "required", "error",
			 "properties", "error", property("string"), "wait_ms", property("integer"));
}

static json_t *or_null(void)
{
	return json_pack("{s:s, s:b}", "type", "string", "nullable", true);
}

/* As plain_json() makes it. */
static json_t *event_schema(void)
{
	return json_pack("{s:s, s:[s, s, s, s], s:{s:o, s:{s:s, s:s}, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o}}",
			 "type", "object", "required", "schema", "time", "change", "text",
			 "properties", "schema", property("integer"), "time", "type", "string",
			 "format", "date-time", "change", property("string"), "server", or_null(),
			 "cause", or_null(), "text", property("string"), "incident",
			 property("object"), "notice", property("object"), "straggler",
			 property("object"), "job", property("object"));
}

void api_openapi(void *arg, struct listener_request *r)
{
	json_t *paths = json_object(), *all;

	(void)arg;
	add_path(paths, "/api/v1/verdict",
		 "All that is known now, as 'limpet diagnose --json' says it; or as it was at a "
		 "time, by what is "
		 "kept of the six hours before.",
		 json_pack("[o]", time_parameter("at")), "application/json");
	add_change(paths, "/api/v1/diagnose",
		   "What is kept of a span is judged once more, by 'limpet diagnose --json'.",
		   json_array(),
		   json_pack("{s:o, s:o}", "from", time_property(), "to", time_property()), "from");
	for (const struct api_list *l = api_lists; l->path; l++)
		add_path(paths, l->path, l->what, parameters_of(l), "application/json");
	add_path(paths, "/api/v1/servers/{server}", "One server, and all that is of it.",
		 json_pack("[o]", parameter("server", "path", 0)), "application/json");
	add_path(paths, "/api/v1/incidents",
		 "Incidents, those that were opened last first; of before a start, too.",
		 json_pack("[o, o, o, o]", parameter("server", "query", 0),
			   parameter("open", "query", 1), time_parameter("before"),
			   parameter("limit", "query", 1000)),
		 "application/json");
	add_path(paths, "/api/v1/incidents/{id}",
		 "One incident, its evidence, and what was told of it.",
		 json_pack("[o]", parameter("id", "path", 0)), "application/json");
	add_path(paths, "/api/v1/summary",
		 "Which servers limped in the last days, how often, how long and for what.",
		 json_pack("[o]", parameter("days", "query", 366)), "application/json");
	add_path(
		paths, "/api/v1/series",
		"A signal of a server, or of a disk of it, beside its peers over time: of the last "
		"hour "
		"at the resolution of intervals, of before by minutes. Of several disks the worst.",
		json_pack("[o, o, o, o, o]", needed("server"), needed("signal"),
			  parameter("disk", "query", 0), time_parameter("from"),
			  time_parameter("to")),
		"application/json");
	add_silences(paths);
	add_roster(paths);
	add_path(paths, "/api/v1/events",
		 "What is new, as server-sent events. 'event: change' has an id and, as data, the "
		 "JSON of an event (schemas/event); 'event: verdict' says that there is a new "
		 "verdict. Last-Event-ID goes on after that one.",
		 json_pack("[o]", parameter("Last-Event-ID", "header", 0)), "text/event-stream");
	add_path(paths, "/metrics", "For Prometheus.", json_array(), "text/plain");
	add_type(paths, "/metrics", "200", "application/openmetrics-text");
	add_path(paths, "/healthz", "Whether the service judges.", json_array(), "text/plain");
	add_type(paths, "/healthz", "503", "text/plain");
	all = json_pack("{s:s, s:{s:s, s:s, s:s}, s:o, s:{s:{s:{s:s, s:s}}, s:{s:o, s:o, s:o}}}",
			"openapi", "3.0.3", "info", "title", "limpet serve", "version",
			LIMPET_VERSION, "description",
			"Which server of a parallel file system limps, and why.", "paths", paths,
			"components", "securitySchemes", "token", "type", "http", "scheme",
			"bearer", "schemas", "refusal", refusal_json(), "time", time_schema(),
			"event", event_schema());
	front_json(r, 200, all);
}
