// SPDX-License-Identifier: BSD-2-Clause
/* jhist.h: events of Hadoop's job history become states and jobs. */
#include "jhist.h"

#include <string.h>

#include "hadoop_source.h"
#include "log_words.h"
#include "userspace/common/clock.h"

enum jhist_field jhist_field_of(const char *name, size_t len)
{
	static const struct log_word rows[] = {
		LOG_WORD("jobid", JHIST_JOB),
		LOG_WORD("jobName", JHIST_JOB_NAME),
		LOG_WORD("attemptId", JHIST_ATTEMPT),
		LOG_WORD("taskType", JHIST_TASK_TYPE),
		LOG_WORD("trackerName", JHIST_TRACKER),
		LOG_WORD("hostname", JHIST_HOST),
		LOG_WORD("status", JHIST_STATUS),
		LOG_WORD("taskStatus", JHIST_STATUS),
		LOG_WORD("locality", JHIST_LOCALITY),
		LOG_WORD("avataar", JHIST_AVATAAR),
		LOG_WORD("containerId", JHIST_CONTAINER),
		LOG_WORD("jobStatus", JHIST_JOB_STATUS),
		LOG_WORD("error", JHIST_ERROR),
		LOG_WORD("submitTime", JHIST_SUBMIT),
		LOG_WORD("launchTime", JHIST_LAUNCH),
		LOG_WORD("startTime", JHIST_START),
		LOG_WORD("mapFinishTime", JHIST_MAP_FINISH),
		LOG_WORD("shuffleFinishTime", JHIST_SHUFFLE_FINISH),
		LOG_WORD("sortFinishTime", JHIST_SORT_FINISH),
		LOG_WORD("finishTime", JHIST_FINISH),
		LOG_WORD("totalMaps", JHIST_MAPS),
		LOG_WORD("totalReduces", JHIST_REDUCES),
	};

	return (enum jhist_field)log_word_among(rows, name, len, JHIST_FIELDS);
}

void jhist_count(struct jhist_event *e, const char *name, size_t len, int64_t value)
{
	static const struct log_word rows[] = {
		LOG_WORD("BYTES_READ", JHIST_INPUT_BYTES), /* of FileInputFormatCounter */
		LOG_WORD("HDFS_BYTES_READ", JHIST_HDFS_BYTES),
		LOG_WORD("MAP_INPUT_RECORDS", JHIST_MAP_RECORDS),
		LOG_WORD("REDUCE_SHUFFLE_BYTES", JHIST_SHUFFLED),
		LOG_WORD("REDUCE_INPUT_RECORDS", JHIST_REDUCE_RECORDS),
		LOG_WORD("CPU_MILLISECONDS", JHIST_CPU_MS),
		LOG_WORD("PHYSICAL_MEMORY_BYTES", JHIST_MEMORY),
	};

	int at = log_word_among(rows, name, len, JHIST_FIELDS);

	if (at < JHIST_FIELDS && value >= 0)
		e->number[at] = value;
}

void jhist_begin(struct jhist_event *e, const char *record, size_t len)
{
	size_t n = len < sizeof(e->record) ? len : sizeof(e->record) - 1;

	memcpy(e->record, record, n);
	e->record[n] = '\0';
	for (size_t i = 0; i < JHIST_TEXTS; i++)
		*e->text[i] = '\0';
	for (size_t i = 0; i < JHIST_FIELDS; i++)
		e->number[i] = -1;
}

/* ---- attempts --------------------------------------------------------------------------------------- */

static bool names(struct log *l, const struct jhist_event *e, struct hadoop_attempt *a)
{
	enum state_kind kind = hadoop_kind_by_type(piece_of(e->text[JHIST_TASK_TYPE]));
	const char *host = *e->text[JHIST_HOST] ? e->text[JHIST_HOST] : e->text[JHIST_TRACKER];

	if (!hadoop_attempt_named(l, a, kind, piece_of(e->text[JHIST_ATTEMPT])))
		return false;
	a->container = log_id(l, piece_of(e->text[JHIST_CONTAINER]));
	a->node = log_node(l, piece_of(host));
	return true;
}

static void attempt_started(struct log *l, const struct jhist_event *e)
{
	struct hadoop_attempt a;

	if (!names(l, e, &a))
		return;
	a.start_ns = ns_of_ms(e->number[JHIST_START]);
	a.speculative = !strcmp(e->text[JHIST_AVATAAR], "SPECULATIVE");
	if (a.kind == STATE_MAP)
		a.cls = log_class(l, piece_of(e->text[JHIST_LOCALITY]));
	hadoop_attempt(l, &a);
}

/* Of MapAttemptFinished and its like, which say so, and of TaskAttemptUnsuccessfulCompletion. */
static void attempt_finished(struct log *l, const struct jhist_event *e)
{
	struct piece error = piece_of(e->text[JHIST_ERROR]);
	const int64_t *n = e->number;
	struct hadoop_attempt a;

	if (!names(l, e, &a))
		return;
	a.outcome = hadoop_outcome(piece_of(e->text[JHIST_STATUS]));
	a.end_ns = ns_of_ms(n[JHIST_FINISH]);
	a.shuffled_ns = ns_of_ms(n[JHIST_SHUFFLE_FINISH]);
	a.sorted_ns = ns_of_ms(n[JHIST_SORT_FINISH]);
	a.cpu_ms = n[JHIST_CPU_MS];
	a.memory_bytes = n[JHIST_MEMORY];
	if (a.kind == STATE_MAP) {
		/* the rest until its end is the JVM's */
		if (ns_of_ms(n[JHIST_MAP_FINISH]))
			a.end_ns = ns_of_ms(n[JHIST_MAP_FINISH]);
		a.bytes = n[JHIST_INPUT_BYTES] > 0 ? n[JHIST_INPUT_BYTES] : n[JHIST_HDFS_BYTES];
		a.records = n[JHIST_MAP_RECORDS];
	} else if (a.kind == STATE_REDUCE) {
		a.bytes = n[JHIST_SHUFFLED];
		a.records = n[JHIST_REDUCE_RECORDS];
	}
	if (a.outcome == OUTCOME_FAILED) {
		a.silent = log_error_is_silence(error);
		log_error(l, a.node, a.end_ns, error);
	}
	a.gone = a.outcome == OUTCOME_KILLED && log_error_is_loss(error);
	if (a.outcome != OUTCOME_OPEN && a.end_ns)
		hadoop_attempt(l, &a);
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

static void job_event(struct log *l, const struct jhist_event *e)
{
	const char *name = e->text[JHIST_JOB_NAME], *status = e->text[JHIST_JOB_STATUS];
	const int64_t *n = e->number;
	uint32_t number = log_job(l, piece_of(e->text[JHIST_JOB]));
	uint32_t called = *name ? log_class(l, piece_of(name)) : STATE_NONE;
	struct state_job *job;

	if (number == STATE_NONE)
		return;
	job = &l->s->job[number];
	job->name = *name ? called : job->name;
	job->submit_ns = n[JHIST_SUBMIT] > 0 ? ns_of_ms(n[JHIST_SUBMIT]) : job->submit_ns;
	job->launch_ns = n[JHIST_LAUNCH] > 0 ? ns_of_ms(n[JHIST_LAUNCH]) : job->launch_ns;
	job->finish_ns = n[JHIST_FINISH] > 0 ? ns_of_ms(n[JHIST_FINISH]) : job->finish_ns;
	if (n[JHIST_MAPS] >= 0 && n[JHIST_MAPS] < UINT32_MAX)
		job->maps = (uint32_t)n[JHIST_MAPS];
	if (n[JHIST_REDUCES] >= 0 && n[JHIST_REDUCES] < UINT32_MAX)
		job->reduces = (uint32_t)n[JHIST_REDUCES];
	if (!strcmp(e->record, "JobFinished"))
		job->outcome = OUTCOME_OK;
	else if (!strcmp(e->record, "JobUnsuccessfulCompletion"))
		job->outcome = strcmp(status, "KILLED") ? OUTCOME_FAILED : OUTCOME_KILLED;
}

static const struct {
	const char *record;
	void (*take)(struct log *l, const struct jhist_event *e);
} records[] = {
	{"TaskAttemptStarted", attempt_started},
	{"MapAttemptFinished", attempt_finished},
	{"ReduceAttemptFinished", attempt_finished},
	{"TaskAttemptFinished", attempt_finished},
	{"TaskAttemptUnsuccessfulCompletion", attempt_finished},
	{"JobSubmitted", job_event},
	{"JobInited", job_event},
	{"JobInfoChange", job_event},
	{"JobFinished", job_event},
	{"JobUnsuccessfulCompletion", job_event},
};

void jhist_take(struct log *l, const struct jhist_event *e)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		if (!strcmp(e->record, records[i].record))
			records[i].take(l, e);
}
