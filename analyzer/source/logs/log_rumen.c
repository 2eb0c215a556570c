// SPDX-License-Identifier: BSD-2-Clause
/*
 * Traces of Rumen: what it made of the histories of Hadoop's jobs, JSON objects one after the other, a job each
 * (LoggedJob, LoggedTask, LoggedTaskAttempt). -1 and null mean that it is not known. Jobs are known by the ids of their
 * attempts, so that it does not matter in which order a job's members come.
 */
#include <errno.h>
#include <string.h>

#include "hadoop_source.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_split.h"

struct rumen {
	struct log *l;
	struct json_split split;
	/* Of the job, until it ends. */
	char job[LOG_ID_LEN], name[LOG_ID_LEN];
	int64_t submit_ms, launch_ms, finish_ms, maps, reduces;
	enum state_outcome outcome;
};

struct rumen_task {
	int64_t bytes;
	struct json_part type, places, attempts;
};

struct rumen_attempt {
	struct json_part id, host, result;
	int64_t start_ms, finish_ms, shuffled_ms, sorted_ms;
	int64_t hdfs_read, map_bytes, map_records, shuffled, reduce_records;
};

#define ROW(KEY, WANTED, MEMBER) JSON_FIELD(KEY, WANTED, struct rumen_task, MEMBER)
static const struct json_field task_fields[] = {
	ROW("inputBytes", INT, bytes), ROW("taskType", STRING, type),
	ROW("attempts", VALUE, attempts), ROW("preferredLocations", VALUE, places),
	JSON_FIELDS_END};
#undef ROW
#define ROW(KEY, WANTED, MEMBER) JSON_FIELD(KEY, WANTED, struct rumen_attempt, MEMBER)
static const struct json_field attempt_fields[] = {ROW("attemptID", STRING, id),
						   ROW("hostName", STRING, host),
						   ROW("result", STRING, result),
						   ROW("startTime", INT, start_ms),
						   ROW("finishTime", INT, finish_ms),
						   ROW("shuffleFinished", INT, shuffled_ms),
						   ROW("sortFinished", INT, sorted_ms),
						   ROW("hdfsBytesRead", INT, hdfs_read),
						   ROW("mapInputBytes", INT, map_bytes),
						   ROW("mapInputRecords", INT, map_records),
						   ROW("reduceShuffleBytes", INT, shuffled),
						   ROW("reduceInputRecords", INT, reduce_records),
						   JSON_FIELDS_END};
#undef ROW

/* ---- attempts --------------------------------------------------------------------------------------- */

/* A name without JSON's escapes, and without those of the job history, which some versions keep: "a\.b". */
static size_t plain(struct json_part v, char *buf, size_t size)
{
	size_t n = part_text(v, buf, size), to = 0;

	if (n == SIZE_MAX)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (buf[i] != '\\' || i + 1 == n)
			buf[to++] = buf[i];
	buf[to] = '\0';
	return to;
}

/* How near the input lay, from {"layers": [RACK, HOST]} of it and "/RACK/HOST" of the attempt; "": not said. */
static const char *locality(struct json_part places, const char *host)
{
	struct json_scan j = json_scan(places.at ? places.at : "[]", places.at ? places.len : 2);
	const char *name = strrchr(host, '/'), *word = "";
	struct json_part layers, layer;
	static const struct json_field rows[] = {{"layers", 6, WANT_VALUE, 0, NULL},
						 JSON_FIELDS_END};
	char at[2][HOST_LEN];
	size_t n;

	for (scan_enter(&j, '['); name && scan_element(&j);) {
		struct json_scan list;

		layers = (struct json_part){"[]", 2};
		scan_fields(&j, rows, &layers);
		list = json_scan(layers.at, layers.len);
		n = 0;
		for (scan_enter(&list, '['); scan_element(&list);)
			if (scan_string(&list, &layer) && n < 2)
				plain(layer, at[n++], sizeof(at[0]));
		if (n < 2)
			continue;
		if (!strcmp(at[1], name + 1))
			return "NODE_LOCAL";
		n = strlen(at[0]);
		if (*host == '/' && !strncmp(host + 1, at[0], n) && host + 1 + n == name)
			word = "RACK_LOCAL";
		else if (!*word)
			word = "OFF_SWITCH";
	}
	return word;
}

static void take_attempt(struct rumen *r, const struct rumen_task *t, enum state_kind kind,
			 struct json_scan *j)
{
	struct rumen_attempt a = {.hdfs_read = -1,
				  .map_bytes = -1,
				  .map_records = -1,
				  .shuffled = -1,
				  .reduce_records = -1};
	struct hadoop_attempt is;
	char id[LOG_ID_LEN], host[HOST_LEN];

	if (!scan_fields(j, attempt_fields, &a) ||
	    !hadoop_attempt_named(r->l, &is, kind, piece(id, plain(a.id, id, sizeof(id)))))
		return;
	is.node = log_node(r->l, piece(host, plain(a.host, host, sizeof(host))));
	is.start_ns = ns_of_ms(a.start_ms);
	is.end_ns = ns_of_ms(a.finish_ms);
	is.shuffled_ns = ns_of_ms(a.shuffled_ms);
	is.sorted_ns = ns_of_ms(a.sorted_ms);
	is.outcome = hadoop_outcome(piece(a.result.at, a.result.len));
	if (kind == STATE_MAP) {
		is.cls = log_class(r->l, piece_of(locality(t->places, host)));
		is.bytes = a.map_bytes >= 0 ? a.map_bytes : a.hdfs_read;
		is.records = a.map_records;
	} else if (kind == STATE_REDUCE) {
		is.bytes = a.shuffled;
		is.records = a.reduce_records;
	}
	if (is.bytes < 0 && (kind == STATE_MAP || kind == STATE_REDUCE))
		is.bytes = t->bytes;
	if (is.start_ns)
		hadoop_attempt(r->l, &is);
}

/* ---- pieces of a job -------------------------------------------------------------------------------- */

static void take_task(void *own, const char *list, struct json_scan *j, uint64_t offset)
{
	struct rumen_task t = {.bytes = -1};
	struct rumen *r = own;
	enum state_kind kind;
	struct json_scan attempts;

	if (strcmp(list, "mapTasks") && strcmp(list, "reduceTasks") && strcmp(list, "otherTasks"))
		return;
	r->l->offset = offset;
	if (!scan_fields(j, task_fields, &t) || !scan_end(j)) {
		r->l->s->counts.junk++;
		return;
	}
	kind = hadoop_kind_by_type(piece(t.type.at, t.type.len));
	if (kind == STATE_KIND_COUNT || !t.attempts.at)
		return;
	attempts = json_scan(t.attempts.at, t.attempts.len);
	for (scan_enter(&attempts, '['); scan_element(&attempts);)
		take_attempt(r, &t, kind, &attempts);
}

static void take_member(void *own, struct json_scan *j)
{
	static const struct {
		const char *key;
		size_t at;
	} numbers[] = {{"submitTime", offsetof(struct rumen, submit_ms)},
		       {"launchTime", offsetof(struct rumen, launch_ms)},
		       {"finishTime", offsetof(struct rumen, finish_ms)},
		       {"totalMaps", offsetof(struct rumen, maps)},
		       {"totalReduces", offsetof(struct rumen, reduces)}};
	struct json_part key, v;
	struct rumen *r = own;

	if (!scan_key(j, &key))
		return;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (part_is(key, numbers[i].key))
			scan_int(j, (int64_t *)((char *)r + numbers[i].at));
	if (part_is(key, "jobID") && scan_string(j, &v))
		plain(v, r->job, sizeof(r->job));
	else if (part_is(key, "jobName") && scan_string(j, &v))
		plain(v, r->name, sizeof(r->name));
	else if (part_is(key, "outcome") && scan_string(j, &v))
		r->outcome = hadoop_outcome(piece(v.at, v.len));
}

static void forget_job(struct rumen *r)
{
	*r->job = *r->name = '\0';
	r->submit_ms = r->launch_ms = r->finish_ms = r->maps = r->reduces = 0;
	r->outcome = OUTCOME_OPEN;
}

static void end_job(void *own)
{
	struct rumen *r = own;
	uint32_t number = log_job(r->l, piece_of(r->job));

	if (number != STATE_NONE) {
		uint32_t name = log_class(r->l, piece_of(r->name));
		struct state_job *job = &r->l->s->job[number];

		job->name = name;
		job->submit_ns = ns_of_ms(r->submit_ms);
		job->launch_ns = ns_of_ms(r->launch_ms);
		job->finish_ns = ns_of_ms(r->finish_ms);
		job->maps = r->maps > 0 && r->maps < UINT32_MAX ? (uint32_t)r->maps : 0;
		job->reduces = r->reduces > 0 && r->reduces < UINT32_MAX ? (uint32_t)r->reduces : 0;
		job->outcome = r->outcome;
	}
	forget_job(r);
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* An object with a member or list that only Rumen's jobs have; which comes early is the writer's whim. */
static bool rumen_is(const char *head, size_t n)
{
	size_t blanks = strspn(head, " \t\r\n");

	return blanks < n && head[blanks] == '{' && memmem(head, n, "\"jobID\"", 7) &&
	       (memmem(head, n, "\"mapTasks\"", 10) || memmem(head, n, "\"reduceTasks\"", 13) ||
		memmem(head, n, "\"otherTasks\"", 12));
}

static int rumen_open(struct log *l)
{
	struct rumen *r = l->own;

	r->l = l;
	r->split = (struct json_split){
		.member = take_member, .element = take_task, .end = end_job, .own = r};
	forget_job(r);
	return 0;
}

static int rumen_part(struct log *l, const char *bytes, size_t n)
{
	struct rumen *r = l->own;
	uint64_t overlong = r->split.overlong;
	int err = json_split(&r->split, bytes, n);

	l->s->counts.overlong += r->split.overlong - overlong;
	if (err == -EBADMSG)
		log_note(l, "from byte %llu on it is no JSON: it is read up to there",
			 (unsigned long long)r->split.piece_at);
	return err;
}

static int rumen_end(struct log *l)
{
	const struct rumen *r = l->own;

	if (!json_split_between(&r->split))
		log_note(l, "it is cut off in the middle of a job: it is read up to there");
	return 0;
}

static void rumen_close(struct log *l)
{
	struct rumen *r = l->own;

	json_split_release(&r->split);
}

const struct log_source log_rumen = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_NODE,
	.is = rumen_is,
	.own_size = sizeof(struct rumen),
	.open = rumen_open,
	.part = rumen_part,
	.end = rumen_end,
	.close = rumen_close,
};
