// SPDX-License-Identifier: BSD-2-Clause
/* Jobs in Spark's event log, and the stages they have: which job asked for a stage, which waits for which. */
#include <stdio.h>

#include "spark.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

enum {
	WAITS_MAX = 1 << 20, /* of all stages: a thousand stages that wait for a thousand each */
};

struct spark_job {
	int64_t id, submit_ms, finish_ms;
	struct json_part stages, stage_ids, result, description;
};

struct stage {
	int64_t id;
	struct json_part parents;
};

#define ROW(KEY, WANTED, MEMBER) JSON_FIELD(KEY, WANTED, struct spark_job, MEMBER)
static const struct json_field properties[] = {ROW("spark.job.description", STRING, description),
					       JSON_FIELDS_END};
static const struct json_field result[] = {ROW("Result", STRING, result), JSON_FIELDS_END};
static const struct json_field event[] = {ROW("Job ID", INT, id),
					  ROW("Submission Time", INT, submit_ms),
					  ROW("Completion Time", INT, finish_ms),
					  ROW("Stage Infos", VALUE, stages),
					  ROW("Stage IDs", VALUE, stage_ids),
					  JSON_INSIDE("Properties", properties),
					  JSON_INSIDE("Job Result", result),
					  JSON_FIELDS_END};
static const struct json_field stage_fields[] = {
	JSON_FIELD("Stage ID", INT, struct stage, id),
	JSON_FIELD("Parent IDs", VALUE, struct stage, parents), JSON_FIELDS_END};

uint32_t spark_job_of(const struct spark *k, int64_t stage)
{
	return stage >= 0 && (size_t)stage < k->n_jobs ? k->job[stage] : STATE_NONE;
}

static void stage_of_job(struct spark *k, int64_t stage, uint32_t job)
{
	size_t want = (size_t)stage + 1;

	if (stage < 0 || stage >= SPARK_STAGES_MAX)
		return;
	if (want > k->n_jobs) {
		if (array_extend(&k->job, k->n_jobs, want)) {
			k->failed = true;
			return;
		}
		for (; k->n_jobs < want; k->n_jobs++)
			k->job[k->n_jobs] = STATE_NONE;
	}
	k->job[stage] = job;
}

static void add_wait(struct states *s, uint32_t job, int64_t stage, int64_t parent)
{
	struct state_wait *w;

	if (s->n_wait >= WAITS_MAX || stage < 0 || parent < 0 || stage >= SPARK_STAGES_MAX ||
	    parent >= SPARK_STAGES_MAX)
		return;
	w = array_refill(&s->wait, &s->n_wait, &s->cap_wait);
	if (w)
		*w = (struct state_wait){job, (uint32_t)stage, (uint32_t)parent};
}

static struct json_scan again(struct json_part v)
{
	return v.at ? json_scan(v.at, v.len) : json_scan("[]", 2);
}

static void add_stages(struct log *l, const struct spark_job *job, uint32_t number)
{
	struct json_scan j = again(job->stage_ids), parents;
	int64_t id;

	for (scan_enter(&j, '['); scan_element(&j);)
		if (scan_int(&j, &id))
			stage_of_job(l->own, id, number);
	j = again(job->stages);
	for (scan_enter(&j, '['); scan_element(&j);) {
		struct stage stage = {.id = -1};

		if (!scan_fields(&j, stage_fields, &stage))
			continue;
		stage_of_job(l->own, stage.id, number);
		parents = again(stage.parents);
		for (scan_enter(&parents, '['); scan_element(&parents);)
			if (scan_int(&parents, &id))
				add_wait(l->s, number, stage.id, id);
	}
}

/* Its row in states.job; NULL: the line is none of a job. */
static struct state_job *read_job(struct log *l, struct json_scan *j, struct spark_job *job,
				  uint32_t *number)
{
	const struct spark *k = l->own;
	char name[SPARK_APP_LEN + 32];

	*job = (struct spark_job){.id = -1};
	scan_more_fields(j, event, job);
	if (!scan_end(j) || job->id < 0) {
		l->s->counts.junk++;
		return NULL;
	}
	snprintf(name, sizeof(name), "%s.%lld", k->app, (long long)job->id);
	*number = log_job(l, piece_of(name));
	return *number == STATE_NONE ? NULL : &l->s->job[*number];
}

void spark_job_start(struct log *l, struct json_scan *j)
{
	const struct spark *k = l->own;
	struct state_job *of;
	uint32_t number;
	char text[LOG_ID_LEN];
	struct spark_job job;

	of = read_job(l, j, &job, &number);
	if (!of)
		return;
	of->submit_ns = of->launch_ns = ns_of_ms(job.submit_ms);
	of->name = k->name;
	if (job.description.at && part_text(job.description, text, sizeof(text)) != SIZE_MAX)
		of->name = log_class(l, piece_of(text));
	log_seen(l, of->submit_ns);
	add_stages(l, &job, number);
}

void spark_job_end(struct log *l, struct json_scan *j)
{
	struct state_job *of;
	uint32_t number;
	struct spark_job job;

	of = read_job(l, j, &job, &number);
	if (!of)
		return;
	of->finish_ns = ns_of_ms(job.finish_ms);
	if (job.result.at)
		of->outcome = part_is(job.result, "JobSucceeded") ? OUTCOME_OK : OUTCOME_FAILED;
	log_seen(l, of->finish_ns);
}
