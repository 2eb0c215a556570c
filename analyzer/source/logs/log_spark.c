// SPDX-License-Identifier: BSD-2-Clause
/*
 * Spark's event log (EventLoggingListener, JsonProtocol.scala; 1.x to 4.x): an event a line, as JSON. Which
 * task ran where is said by its start and its end; a part of a task only by its end. Jobs and tasks are called
 * after the application: "application_1751493828576_0001.3", "….TID17".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spark.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* ---- executors and servers -------------------------------------------------------------------------- */

uint32_t spark_node(struct log *l, struct json_part host)
{
	char name[HOST_LEN];
	size_t n = part_text(host, name, sizeof(name));

	return log_node(l, piece(name, n == SIZE_MAX ? 0 : n));
}

struct spark_executor *spark_executor(struct log *l, struct json_part id, struct json_part host)
{
	struct spark *k = l->own;
	size_t had = k->executors.n;
	char name[64];
	int64_t e;

	/* once memory was short a name may have no row */
	if (!id.at || k->failed || part_text(id, name, sizeof(name)) == SIZE_MAX)
		return NULL;
	e = names_add(&k->executors, name);
	if (e < 0 && errno != ENOMEM)
		return NULL;
	if (e < 0 || (k->executors.n > had && array_extend(&k->executor, had, had + 1))) {
		k->failed = true;
		return NULL;
	}
	if (k->executors.n > had)
		k->executor[e] = (struct spark_executor){.node = spark_node(l, host)};
	return &k->executor[e];
}

/* An executor is told to end, or is ended, so long before the driver says that it has gone. */
enum { END_S = 60 };

static void charge(struct log *l, const struct spark_loss *loss, const struct spark_executor *e)
{
	struct state *x = state_find(l->s, STATE_TASK, loss->id);
	/* what failed long before is no part of its end */
	bool released =
		e->released && !e->failed && loss->at_ns >= e->released_ns - END_S * NS_PER_S;

	if (x && loss->fetch)
		x->outcome = released ? OUTCOME_KILLED : OUTCOME_FAILED;
	else if (x && x->outcome == OUTCOME_OK)
		x->lost = !released;
}

void spark_lost_with(struct log *l, struct spark_executor *e, struct spark_loss loss)
{
	struct spark *k = l->own;

	if (!e || loss.id == STATE_NONE)
		return;
	loss.before = e->losses;
	if (array_put(&k->loss, &k->n_loss, loss)) {
		k->failed = true;
		return;
	}
	e->losses = k->n_loss;
	charge(l, &loss, e);
}

void spark_executor_ended(struct log *l, struct spark_executor *e, struct json_part why,
			  int64_t at_ns)
{
	const struct spark *k = l->own;
	char said[1024];
	size_t n = why.at ? part_text(why, said, sizeof(said)) : SIZE_MAX;
	bool *known;

	if (!e || n == SIZE_MAX)
		return;
	known = log_error_is_nobodys(piece(said, n)) ? &e->released : &e->failed;
	if (*known)
		return;
	*known = true;
	if (known == &e->released)
		e->released_ns = at_ns;
	for (size_t i = e->losses; i; i = k->loss[i - 1].before)
		charge(l, &k->loss[i - 1], e);
}

static bool is_driver(const char *executor)
{
	return !strcmp(executor, "driver") || !strcmp(executor, "<driver>"); /* so until 1.5 */
}

/* Tasks of the driver are of an application without executors ("local"): a machine without peers. */
static void drivers(struct log *l)
{
	const struct spark *k = l->own;

	for (size_t i = 0; i < k->executors.n; i++) {
		uint32_t node = k->executor[i].node;
		bool alone = is_driver(k->executors.at[i]) && k->executor[i].tasks;

		for (size_t e = 0; e < k->executors.n && alone; e++)
			alone = e == i || k->executor[e].node != node || !k->executor[e].tasks;
		if (alone && node != STATE_NONE)
			log_no_peer(l, node);
	}
}

/* A server is silent where it had executors, and none of them a task. */
static void silent_servers(struct log *l)
{
	const struct spark *k = l->own;
	bool *worked = calloc(l->s->nodes.n + 1, sizeof(*worked));

	for (size_t i = 0; worked && i < k->executors.n; i++)
		if (k->executor[i].tasks && k->executor[i].node != STATE_NONE)
			worked[k->executor[i].node] = true;
	for (size_t i = 0; worked && i < k->executors.n; i++) {
		uint32_t node = k->executor[i].node;

		if (node == STATE_NONE || worked[node] || is_driver(k->executors.at[i]))
			continue;
		worked[node] = true;
		log_note(l, "'%s' had an executor, and none of its executors had a task",
			 l->s->nodes.at[node]);
	}
	free(worked);
}

/* ---- events ----------------------------------------------------------------------------------------- */

struct spark_names {
	struct json_part id, name, attempt, executor, host, why;
	int64_t at_ms;
};

static void application(struct log *l, struct json_scan *j)
{
	static const struct json_field rows[] = {
		JSON_FIELD("App ID", STRING, struct spark_names, id),
		JSON_FIELD("App Name", STRING, struct spark_names, name),
		JSON_FIELD("App Attempt ID", STRING, struct spark_names, attempt), JSON_FIELDS_END};
	struct spark *k = l->own;
	char text[LOG_ID_LEN];
	struct spark_names n = {0};

	scan_more_fields(j, rows, &n);
	if (n.name.at && part_text(n.name, text, sizeof(text)) != SIZE_MAX)
		k->name = log_class(l, piece_of(text));
	if (!n.id.at || part_text(n.id, text, sizeof(text)) == SIZE_MAX || !*text)
		return;
	snprintf(k->app, sizeof(k->app), "%.*s", SPARK_APP_LEN - 10, text);
	if (n.attempt.at && part_text(n.attempt, text, sizeof(text)) != SIZE_MAX)
		snprintf(k->app + strlen(k->app), 10, "_%.8s", text);
}

static void executor_added(struct log *l, struct json_scan *j)
{
	static const struct json_field info[] = {
		JSON_FIELD("Host", STRING, struct spark_names, host), JSON_FIELDS_END};
	static const struct json_field rows[] = {
		JSON_FIELD("Executor ID", STRING, struct spark_names, executor),
		JSON_INSIDE("Executor Info", info), JSON_FIELDS_END};
	struct spark_names n = {0};

	scan_more_fields(j, rows, &n);
	spark_executor(l, n.executor, n.host);
}

static void executor_removed(struct log *l, struct json_scan *j)
{
	static const struct json_field rows[] = {
		JSON_FIELD("Executor ID", STRING, struct spark_names, executor),
		JSON_FIELD("Removed Reason", STRING, struct spark_names, why),
		JSON_FIELD("Timestamp", INT, struct spark_names, at_ms), JSON_FIELDS_END};
	struct spark_names n = {0};

	scan_more_fields(j, rows, &n);
	spark_executor_ended(l, spark_executor(l, n.executor, n.host), n.why, ns_of_ms(n.at_ms));
}

static const struct {
	const char *name;
	void (*take)(struct log *l, struct json_scan *j);
} events[] = {
	{"SparkListenerTaskEnd", spark_task_end},
	{"SparkListenerTaskStart", spark_task_start},
	{"SparkListenerJobStart", spark_job_start},
	{"SparkListenerJobEnd", spark_job_end},
	{"SparkListenerExecutorAdded", executor_added},
	{"SparkListenerExecutorRemoved", executor_removed},
	{"SparkListenerApplicationStart", application},
};

static int spark_line(struct log *l, char *line, size_t len)
{
	struct json_scan j = json_scan(line, len);
	struct json_part key, name;

	if (!len)
		return 0;
	if (!scan_enter(&j, '{') || !scan_key(&j, &key) || !part_is(key, "Event") ||
	    !scan_string(&j, &name)) {
		l->s->counts.junk++;
		return 0;
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (part_is(name, events[i].name)) {
			events[i].take(l, &j);
			break;
		}
	return ((const struct spark *)l->own)->failed ? -ENOMEM : 0;
}

static bool spark_is(const char *head, size_t n)
{
	static const char first[] = "{\"Event\":\"";

	return n >= sizeof(first) && !memcmp(head, first, sizeof(first) - 1);
}

/* Until ApplicationStart says it, and in files of a rolled log that do not: what the file's name says. */
static void named_after_file(struct spark *k, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	if (!strncmp(base, "eventlog_v2_", 12))
		base += 12;
	if (!strncmp(base, "events_", 7)) { /* events_7_APPID.zstd */
		const char *id = base + 7 + strspn(base + 7, "0123456789");

		base = *id == '_' ? id + 1 : base;
	}
	snprintf(k->app, sizeof(k->app), "%.*s", (int)strcspn(base, "."), base);
}

static int spark_open(struct log *l)
{
	struct spark *k = l->own;

	k->name = STATE_NONE;
	named_after_file(k, l->path);
	return 0;
}

static void spark_renumber(struct log *l, const struct log_numbers *now)
{
	struct spark *k = l->own;

	for (size_t i = 0; i < k->executors.n; i++)
		k->executor[i].node = log_renumbered(now->nodes, k->executor[i].node);
	for (size_t i = 0; i < k->n_jobs; i++)
		k->job[i] = log_renumbered(now->jobs, k->job[i]);
	for (size_t i = 0; i < k->n_loss; i++)
		k->loss[i].id = log_renumbered(now->ids, k->loss[i].id);
}

static int spark_end(struct log *l)
{
	drivers(l);
	silent_servers(l);
	return 0;
}

static void spark_close(struct log *l)
{
	struct spark *k = l->own;

	names_release(&k->executors);
	free(k->executor);
	free(k->loss);
	free(k->job);
}

const struct log_source log_spark = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = spark_is,
	.own_size = sizeof(struct spark),
	.open = spark_open,
	.line = spark_line,
	.end = spark_end,
	.close = spark_close,
	.settle = drivers,
	.renumber = spark_renumber,
};
