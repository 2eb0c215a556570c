// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks in Spark's event log (JsonProtocol.scala; fields are added from version to version, never taken away).
 * Its times are ms of the driver's clock; of the metrics Executor CPU Time and Shuffle Write Time are ns, all
 * others ms. Of the parts of a task only the duration is known: they are given its end.
 */
#include <math.h>
#include <stdio.h>

#include "spark.h"
#include "userspace/common/clock.h"

enum { ID_LEN = SPARK_APP_LEN + 64 };
/* A time of a log in ms whose ns fit: until the year 2262. */
#define MS_MAX (INT64_MAX / NS_PER_MS)

struct spark_task {
	int64_t stage, stage_attempt, id, launch_ms, finish_ms, getting_ms;
	struct json_part executor, host, locality, reason, fetched_from, fetched_of, said;
	bool speculative, failed, killed;
	int64_t run_ms, deserialize_ms, serialize_ms, gc_ms, cpu_ns;
	int64_t fetch_wait_ms, remote_bytes, local_bytes, fetched_records;
	int64_t write_ns, written_bytes, written_records;
	int64_t input_bytes, input_records;
	/* What all its states have; outcome: once it has ended. */
	uint32_t node, number, job, cls;
	int64_t start_ns, end_ns;
	enum state_outcome outcome;
};

#define ROW(KEY, WANTED, MEMBER) JSON_FIELD(KEY, WANTED, struct spark_task, MEMBER)
static const struct json_field info[] = {ROW("Task ID", INT, id),
					 ROW("Launch Time", INT, launch_ms),
					 ROW("Finish Time", INT, finish_ms),
					 ROW("Getting Result Time", INT, getting_ms),
					 ROW("Executor ID", STRING, executor),
					 ROW("Host", STRING, host),
					 ROW("Locality", STRING, locality),
					 ROW("Speculative", TRUE, speculative),
					 ROW("Failed", TRUE, failed),
					 ROW("Killed", TRUE, killed),
					 JSON_FIELDS_END};
static const struct json_field shuffle_read[] = {
	ROW("Fetch Wait Time", INT, fetch_wait_ms), ROW("Remote Bytes Read", INT, remote_bytes),
	ROW("Local Bytes Read", INT, local_bytes), ROW("Total Records Read", INT, fetched_records),
	JSON_FIELDS_END};
static const struct json_field shuffle_write[] = {
	ROW("Shuffle Write Time", INT, write_ns), ROW("Shuffle Bytes Written", INT, written_bytes),
	ROW("Shuffle Records Written", INT, written_records), JSON_FIELDS_END};
static const struct json_field input[] = {ROW("Bytes Read", INT, input_bytes),
					  ROW("Records Read", INT, input_records), JSON_FIELDS_END};
static const struct json_field metric_fields[] = {
	ROW("Executor Run Time", INT, run_ms),
	ROW("Executor Deserialize Time", INT, deserialize_ms),
	ROW("Result Serialization Time", INT, serialize_ms),
	ROW("JVM GC Time", INT, gc_ms),
	ROW("Executor CPU Time", INT, cpu_ns),
	JSON_INSIDE("Shuffle Read Metrics", shuffle_read),
	JSON_INSIDE("Shuffle Write Metrics", shuffle_write),
	JSON_INSIDE("Input Metrics", input),
	JSON_FIELDS_END};
static const struct json_field address[] = {
	ROW("Host", STRING, fetched_from), ROW("Executor ID", STRING, fetched_of), JSON_FIELDS_END};
static const struct json_field why[] = {ROW("Reason", STRING, reason),
					ROW("Loss Reason", STRING, said),
					ROW("Description", STRING, said),
					ROW("Message", STRING, said),
					JSON_INSIDE("Block Manager Address", address),
					JSON_FIELDS_END};
static const struct json_field event[] = {ROW("Stage ID", INT, stage),
					  ROW("Stage Attempt ID", INT, stage_attempt),
					  JSON_INSIDE("Task End Reason", why),
					  JSON_INSIDE("Task Info", info),
					  JSON_INSIDE("Task Metrics", metric_fields),
					  JSON_FIELDS_END};

static uint32_t task_id(struct log *l, int64_t id, const char *what)
{
	const struct spark *k = l->own;
	char text[ID_LEN];

	snprintf(text, sizeof(text), "%s.TID%lld%s", k->app, (long long)id, what);

	return log_id(l, piece_of(text));
}

/* "stage 4.0 NODE_LOCAL": instances of one stage and attempt are comparable where their data was as near. */
static uint32_t task_class(struct log *l, const struct spark_task *t)
{
	char text[128], locality[32] = "";

	part_text(t->locality, locality, sizeof(locality));
	snprintf(text, sizeof(text), "stage %lld.%lld%s%s", (long long)t->stage,
		 (long long)t->stage_attempt, *locality ? " " : "", locality);
	return log_class(l, piece_of(text));
}

static bool read_task(struct log *l, struct json_scan *j, struct spark_task *t, bool ended)
{
	*t = (struct spark_task){.stage = -1,
				 .id = -1,
				 .run_ms = -1,
				 .cpu_ns = -1,
				 .gc_ms = -1,
				 .remote_bytes = -1,
				 .local_bytes = -1,
				 .fetched_records = -1,
				 .written_bytes = -1,
				 .written_records = -1,
				 .input_bytes = -1,
				 .input_records = -1};
	scan_more_fields(j, event, t);
	if (!scan_end(j) || t->id < 0 || t->stage < 0 || t->launch_ms <= 0 ||
	    t->launch_ms >= MS_MAX || t->finish_ms >= MS_MAX || (ended && t->finish_ms <= 0)) {
		l->s->counts.junk++;
		return false;
	}
	t->node = spark_node(l, t->host);
	t->number = task_id(l, t->id, "");
	t->job = spark_job_of(l->own, t->stage);
	t->cls = task_class(l, t);
	t->start_ns = ns_of_ms(t->launch_ms);
	t->end_ns = ns_of_ms(t->finish_ms);
	return true;
}

static void fill_from_task(struct state *x, const struct spark_task *t)
{
	if (!x)
		return;
	x->job = t->job;
	x->cls = t->cls;
	x->speculative = t->speculative;
}

void spark_task_start(struct log *l, struct json_scan *j)
{
	struct spark_task t;

	if (!read_task(l, j, &t, false))
		return;
	spark_executor(l, t.executor, t.host);
	fill_from_task(state_begin(l, STATE_TASK, t.number, t.node, t.start_ns), &t);
}

/* ---- its end -------------------------------------------------------------------------------------- */

/* What the reason is called, and what it says of the task; all others: failed. */
static const struct {
	const char *reason;
	enum state_outcome outcome;
} outcomes[] = {
	{"Success", OUTCOME_OK},
	{"TaskKilled", OUTCOME_KILLED},
	{"TaskCommitDenied", OUTCOME_KILLED}, /* its twin was first */
	/* it had ended well, its output was lost with its executor */
	{"Resubmitted", OUTCOME_KILLED},
	{"FetchFailed", OUTCOME_KILLED}, /* the server's that it fetched from: fetch_failed() */
};

static enum state_outcome outcome_of(const struct spark_task *t)
{
	if (!t->reason.at)
		return t->failed ? OUTCOME_FAILED : t->killed ? OUTCOME_KILLED : OUTCOME_OK;
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++)
		if (part_is(t->reason, outcomes[i].reason))
			return outcomes[i].outcome;
	return t->killed ? OUTCOME_KILLED : OUTCOME_FAILED;
}

static int64_t known(int64_t n)
{
	return n < 0 ? 0 : n;
}

/* Both together, of which one may not be said; what is beyond int64_t is not believed. */
static int64_t sum(int64_t a, int64_t b)
{
	int64_t both;

	if (a < 0 && b < 0)
		return -1;
	return __builtin_add_overflow(known(a), known(b), &both) ? -1 : both;
}

/* A part of the task that took so long; one of more than the whole is cut to it: clocks are rounded to ms. */
static void part(struct log *l, const struct spark_task *t, enum state_kind kind, int64_t ns,
		 int64_t bytes, int64_t records)
{
	int64_t most = t->end_ns - t->start_ns;
	struct state *x;

	ns = ns < 0 ? 0 : ns > most ? most : ns;
	x = state_whole(l, kind, t->number, false, t->node, t->end_ns - ns, t->end_ns, t->outcome);
	fill_from_task(x, t);
	if (x) {
		x->bytes = bytes;
		x->records = records;
	}
}

static void parts(struct log *l, const struct spark_task *t, int64_t bytes, int64_t records)
{
	int64_t run = ns_of_ms(t->run_ms), wait = ns_of_ms(t->fetch_wait_ms);
	int64_t write = known(t->write_ns), whole = t->end_ns - t->start_ns;
	int64_t got = t->getting_ms > 0 && t->getting_ms < t->finish_ms
			      ? (t->finish_ms - t->getting_ms) * NS_PER_MS
			      : 0;
	bool fetches = sum(t->remote_bytes, t->local_bytes) > 0 || wait > 0;

	if (t->run_ms < 0)
		return;
	part(l, t, STATE_TASK_COMPUTE, run - wait - (write < whole ? write : whole), bytes,
	     records);
	if (t->cpu_ns >= 0)
		part(l, t, STATE_TASK_CPU, t->cpu_ns, bytes, records);
	if (t->gc_ms >= 0)
		part(l, t, STATE_GC, ns_of_ms(t->gc_ms), bytes, records);
	if (fetches)
		part(l, t, STATE_FETCH_WAIT, wait, t->remote_bytes, t->fetched_records);
	if (t->written_bytes > 0 || write > 0)
		part(l, t, STATE_SHUFFLE_WRITE, write, t->written_bytes, t->written_records);
	part(l, t, STATE_SCHEDULE,
	     whole - run - ns_of_ms(t->deserialize_ms) - ns_of_ms(t->serialize_ms) - got, -1, -1);
}

/* A fetch that failed is a failed task of the server that it fetched from, and took it no time. */
static void fetch_failed(struct log *l, const struct spark_task *t)
{
	uint32_t server = spark_node(l, t->fetched_from);
	struct state *x;

	if (server == STATE_NONE)
		return;
	x = state_whole(l, STATE_TASK, task_id(l, t->id, ".fetch"), false, server, t->end_ns,
			t->end_ns, OUTCOME_FAILED);
	fill_from_task(x, t);
	if (x)
		x->peer = t->node;
	spark_lost_with(l, spark_executor(l, t->fetched_of, t->fetched_from),
			(struct spark_loss){.id = task_id(l, t->id, ".fetch"),
					    .at_ns = t->end_ns,
					    .fetch = true});
}

/* "ExecutorLostFailure: Executor heartbeat timed out after 34925 ms": of the task's own server, or of what it fetched from.
 * Whether that says that it was silent. */
static bool say_why(struct log *l, const struct spark_task *t)
{
	bool fetched = part_is(t->reason, "FetchFailed");
	char reason[64] = "", said[1024] = "", text[sizeof(reason) + sizeof(said) + 2];

	if (part_text(t->reason, reason, sizeof(reason)) == SIZE_MAX ||
	    (t->said.at && part_text(t->said, said, sizeof(said)) == SIZE_MAX))
		*said = 0;
	snprintf(text, sizeof(text), "%s%s%s", reason, *said ? ": " : "", said);
	log_error(l, fetched ? spark_node(l, t->fetched_from) : t->node, t->end_ns, piece_of(text));
	return !fetched && log_error_is_silence(piece_of(text));
}

/* Its executor was ended on purpose, for other work or as it was not needed. */
static bool is_released(const struct spark_task *t)
{
	char said[1024];
	size_t n = t->said.at && part_is(t->reason, "ExecutorLostFailure")
			   ? part_text(t->said, said, sizeof(said))
			   : SIZE_MAX;

	return n != SIZE_MAX && log_error_is_nobodys(piece(said, n));
}

void spark_task_end(struct log *l, struct json_scan *j)
{
	struct spark_executor *e;
	int64_t bytes, records;
	bool fetch_fails;
	struct state *x;
	struct spark_task t;

	if (!read_task(l, j, &t, true))
		return;
	t.outcome = is_released(&t) ? OUTCOME_KILLED : outcome_of(&t);
	e = spark_executor(l, t.executor, t.host);
	if (e)
		e->tasks++;
	bytes = sum(t.input_bytes, sum(t.remote_bytes, t.local_bytes));
	records = sum(t.input_records, t.fetched_records);
	x = state_whole(l, STATE_TASK, t.number, false, t.node, t.start_ns, t.end_ns, t.outcome);
	fill_from_task(x, &t);
	if (x) {
		x->bytes = bytes;
		x->records = records;
		x->cpu_s = t.cpu_ns > 0 ? (float)s_of_ns(t.cpu_ns) : NAN;
	}
	if (t.end_ns >= t.start_ns)
		parts(l, &t, bytes, records);
	fetch_fails = part_is(t.reason, "FetchFailed");
	if (fetch_fails)
		fetch_failed(l, &t);
	e = spark_executor(l, t.executor, t.host);
	if (part_is(t.reason, "Resubmitted"))
		spark_lost_with(l, e, (struct spark_loss){.id = t.number, .at_ns = t.end_ns});
	if (part_is(t.reason, "ExecutorLostFailure"))
		spark_executor_ended(l, e, t.said, t.end_ns);
	if (fetch_fails || (t.reason.at && t.outcome == OUTCOME_FAILED)) {
		bool silent = say_why(l, &t);

		x = state_find(l->s, STATE_TASK, t.number);
		if (x && x->outcome == OUTCOME_FAILED)
			x->silent = silent;
	}
}
