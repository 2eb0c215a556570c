// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks of Spark, as the driver's own pages have them (/api/v1): which run, on which servers, since when, and how each ended.
 * It does not say how far a task is. Names are those of its event logs, so that both tell of the same tasks.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "progress.h"

enum { AWAY_LOOKS = 3 }; /* without an answer: it is gone */

/* "2026-11-28T19:00:00.123GMT"; 0: no such time. */
static int64_t time_of(const char *s)
{
	struct tm tm = {0};
	const char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int ms = 0;

	if (!end || (*end == '.' && sscanf(end, ".%3d", &ms) != 1))
		return 0;
	return (int64_t)timegm(&tm) * 1000 + ms;
}

static int look_at_task(struct progress *p, const char *app, const char *job, const char *stage,
			json_t *task)
{
	const char *status = progress_text(task, "status"),
		   *near = progress_text(task, "taskLocality");
	int64_t start = time_of(progress_text(task, "launchTime"));
	char id[200], cls[120];
	/* its result may still be on its way */
	bool runs = status && (!strcmp(status, "RUNNING") || !strcmp(status, "GET RESULT"));

	if (!status || !start || !progress_text(task, "host"))
		return 0;
	snprintf(id, sizeof(id), "%s.TID%lld", app, progress_number(task, "taskId"));
	snprintf(cls, sizeof(cls), "%s%s%s", stage, near ? " " : "", near ?: "");
	return progress_tell(p,
			     &(struct task_now){
				     .job = job,
				     .id = id,
				     .kind = "task",
				     .server = progress_text(task, "host"),
				     .cls = cls,
				     .start_ms = start,
				     .end_ms = runs ? 0 : start + progress_number(task, "duration"),
				     .progress = NAN,
				     .outcome = runs			     ? NULL
						: !strcmp(status, "SUCCESS") ? "ok"
						: !strcmp(status, "KILLED")  ? "killed"
									     : "failed",
			     })
		       ? 0
		       : -ENOMEM;
}

/* The first job that has the stage: a stage of several runs for the first, whose number its tasks have in event logs. */
static long long job_of_stage(json_t *jobs, long long stage)
{
	long long found = -1;
	json_t *job, *one;
	size_t i, k;

	json_array_foreach(jobs, i, job)
		json_array_foreach(json_object_get(job, "stageIds"), k, one)
			if ((long long)json_integer_value(one) == stage &&
			    (found < 0 || progress_number(job, "jobId") < found))
				found = progress_number(job, "jobId");
	return found;
}

static int look_at_stage(struct progress *p, const char *app, const char *job, long long stage,
			 long long attempt, char why[WHY_LEN])
{
	char path[400], name[60];
	json_t *tasks, *task;
	long status;
	size_t i;
	int err = 0;

	snprintf(path, sizeof(path),
		 "/api/v1/applications/%s/stages/%lld/%lld/taskList?length=100000", app, stage,
		 attempt);
	tasks = progress_get(p, path, &status, why);
	if (!tasks) /* it is just over, and not kept */
		return status ? 0 : -EIO;
	snprintf(name, sizeof(name), "stage %lld.%lld", stage, attempt);
	json_array_foreach(tasks, i, task)
		err = err ?: look_at_task(p, app, job, name, task);
	json_decref(tasks);
	return err;
}

/* Stages that run no more: how their last tasks ended is asked for once more. */
static int look_at_ended(struct progress *p, const char *app, char why[WHY_LEN])
{
	for (size_t i = 0; i < p->n_told; i++) {
		const struct task_told *t = &p->told[i];
		char job[200];
		long long stage, attempt;
		int err;

		if (t->ended || t->seen == p->looks || strncmp(t->id, app, strlen(app)) != 0 ||
		    t->id[strlen(app)] != '.' || !t->cls ||
		    sscanf(t->cls, "stage %lld.%lld", &stage, &attempt) != 2)
			continue;
		snprintf(job, sizeof(job), "%s", t->job);
		err = look_at_stage(p, app, job, stage, attempt, why);
		if (err)
			return err;
		t = &p->told[i];
		if (!t->ended && t->seen != p->looks &&
		    !progress_tell(p, &(struct task_now){
					      .id = t->id, .progress = NAN, .outcome = "killed"}))
			return -ENOMEM;
	}
	return 0;
}

static int look_at_app(struct progress *p, const char *app, char why[WHY_LEN])
{
	char path[400], job[200];
	json_t *stages, *jobs, *stage;
	long status;
	size_t i;
	int err = 0;

	snprintf(path, sizeof(path), "/api/v1/applications/%s/jobs?status=running", app);
	jobs = progress_get(p, path, &status, why);
	snprintf(path, sizeof(path), "/api/v1/applications/%s/stages?status=active", app);
	stages = jobs ? progress_get(p, path, &status, why) : NULL;
	if (!stages)
		err = -EIO;
	json_array_foreach(stages, i, stage) {
		long long id = progress_number(stage, "stageId"),
			  attempt = progress_number(stage, "attemptId");

		snprintf(job, sizeof(job), "%s.%lld", app, job_of_stage(jobs, id));
		err = err ?: look_at_stage(p, app, job, id, attempt, why);
	}
	json_decref(jobs);
	json_decref(stages);
	return err ?: look_at_ended(p, app, why);
}

static int look(struct progress *p, char why[WHY_LEN])
{
	long status;
	json_t *all = progress_get(p, "/api/v1/applications", &status, why), *app;
	size_t i;
	int err = 0;

	if (!all) {
		/* A driver ends with its application: how its last tasks ended nobody says, and killed ones do not count. */
		if (!status && ++p->away == AWAY_LOOKS)
			progress_end(p, NULL, p->heard_ms, "killed");
		return -EIO;
	}
	if (p->away >= AWAY_LOOKS) /* it was not gone: what runs is told anew */
		progress_forget(p, NULL);
	p->away = 0;
	p->heard_ms = p->now_ms;

	json_array_foreach(all, i, app)
		if (progress_is_id(progress_text(app, "id")))
			err = err ?: look_at_app(p, progress_text(app, "id"), why);
	json_decref(all);
	/* Of a stage that is over nothing is listed any more. */
	if (!err)
		progress_forget(p, NULL);
	return err;
}

const struct master master_spark = {"spark", look};
