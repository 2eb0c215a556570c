// SPDX-License-Identifier: BSD-2-Clause
/*
 * Progress of MapReduce on YARN: the ResourceManager says which jobs run, and passes on what is asked of their masters.
 * A job's tasks come with one request; on which server an attempt runs takes one more for each task, when the task begins,
 * when it has ended, and now and then, as another attempt may have begun.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

enum {
	AGAIN_LOOKS =
		10, /* the attempts of a task that still runs are asked for again after so many */
	ASKED_MOST = 1000, /* requests for attempts in one look; the rest comes with the next */
};

/* "ok", … of an attempt or task that has ended; NULL: it has not. */
static const char *outcome_of(const char *state)
{
	static const char *const words[][2] = {
		{"SUCCEEDED", "ok"}, {"FAILED", "failed"}, {"KILLED", "killed"}};

	for (size_t i = 0; state && i < 3; i++)
		if (!strcmp(state, words[i][0]))
			return words[i][1];
	return NULL;
}

static int tell_attempt(struct progress *p, const char *job, const char *kind, json_t *a,
			struct task_now *runs, size_t *n)
{
	const char *id = progress_text(a, "id"), *at = progress_text(a, "nodeHttpAddress"),
		   *outcome = outcome_of(progress_text(a, "state"));
	char server[256];
	int64_t start = progress_number(a, "startTime");

	/* it waits for a container, or never had one */
	if (!progress_is_id(id) || !at || start <= 0)
		return 0;
	snprintf(server, sizeof(server), "%.*s", (int)strcspn(at, ":"), at);
	if (!outcome && !(*n)++)
		runs->id = id;
	return progress_tell(
		       p,
		       &(struct task_now){
			       .job = job,
			       .id = id,
			       .kind = kind,
			       .server = server,
			       .container = progress_text(a, "assignedContainerId"),
			       .start_ms = start,
			       .end_ms = outcome ? progress_number(a, "finishTime") : 0,
			       .progress = json_number_value(json_object_get(a, "progress")) / 100,
			       .outcome = outcome,
		       })
		       ? 0
		       : -ENOMEM;
}

static int ask_attempts(struct progress *p, const char *base, const char *job, const char *task,
			const char *kind, char why[WHY_LEN])
{
	char path[512];
	struct task_now runs = {0};
	struct task_told *t;
	json_t *all, *a;
	long status;
	size_t i, n = 0;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s/tasks/%s/attempts", base, job, task);
	all = progress_get(p, path, &status, why);
	if (!all) /* it is just over */
		return status ? 0 : -EIO;
	json_array_foreach(json_object_get(json_object_get(all, "taskAttempts"), "taskAttempt"), i,
			   a)
		err = err ?: tell_attempt(p, job, kind, a, &runs, &n);
	t = progress_told(p, task);
	if (t) {
		free(t->only);
		t->only = n == 1 ? strdup(runs.id) : NULL;
	}
	json_decref(all);
	return err;
}

/* A task is remembered beside its attempts, under its own id; nothing is written of it. */
static struct task_told *task_of(struct progress *p, const char *job, const char *id)
{
	return progress_told(p, id) ?: progress_tell(p, &(struct task_now){.job = job, .id = id});
}

static int look_at_task(struct progress *p, const char *base, const char *job, json_t *task,
			size_t *asked, char why[WHY_LEN])
{
	const char *id = progress_text(task, "id"), *type = progress_text(task, "type"),
		   *state = progress_text(task, "state");
	bool over = outcome_of(state), runs = state && !strcmp(state, "RUNNING");
	const char *kind = type && !strcmp(type, "REDUCE") ? "reduce" : "map";
	struct task_told *t;
	double progress = json_number_value(json_object_get(task, "progress")) / 100;
	int err;

	if (!progress_is_id(id) || !(over || runs))
		return 0;
	t = task_of(p, job, id);
	if (!t)
		return -ENOMEM;
	t->seen = p->looks;
	if (t->ended)
		return 0;
	if (!over && t->only && p->looks - t->asked < AGAIN_LOOKS)
		return progress_tell(
			       p,
			       &(struct task_now){.job = job, .id = t->only, .progress = progress})
			       ? 0
			       : -ENOMEM;
	if (++*asked > ASKED_MOST)
		return 0;
	err = ask_attempts(p, base, job, id, kind, why);
	t = progress_told(p, id); /* the array may have moved */
	if (!err && t) {
		t->asked = p->looks;
		t->ended = over;
	}
	return err;
}

static int look_at_job(struct progress *p, const char *app, char why[WHY_LEN])
{
	char base[300], job[120], path[512];
	json_t *tasks, *of;
	size_t n, first, asked = 0;
	long status;
	int err = 0;

	/* application_T_N is the master of job_T_N */
	snprintf(job, sizeof(job), "job%s", app + strcspn(app, "_"));
	snprintf(base, sizeof(base), "/proxy/%s/ws/v1/mapreduce/jobs", app);
	snprintf(path, sizeof(path), "%s/%s/tasks", base, job);
	tasks = progress_get(p, path, &status, why);
	if (!tasks) /* it has not begun, or is just over */
		return status ? 0 : -EIO;
	of = json_object_get(json_object_get(tasks, "tasks"), "task");
	n = json_array_size(of);
	/* Each look begins further on, so that asking again for the first keeps nobody from asking for the last. */
	first = n > ASKED_MOST ? p->looks * ASKED_MOST % n : 0;
	for (size_t i = 0; i < n && !err; i++)
		err = look_at_task(p, base, job, json_array_get(of, (first + i) % n), &asked, why);
	json_decref(tasks);
	return err;
}

/* Jobs whose tasks were told, and that run no more: their masters are gone, and what they said last may be before the end. */
static int look_at_ended(struct progress *p, json_t *running, char why[WHY_LEN])
{
	for (;;) {
		const char *job = NULL;
		char path[200], name[120];
		json_t *app, *of;
		long status;
		size_t i;

		for (i = 0; i < p->n_told && !job; i++) {
			snprintf(name, sizeof(name), "application%s",
				 p->told[i].job + strcspn(p->told[i].job, "_"));
			if (!json_object_get(running, name))
				job = p->told[i].job;
		}
		if (!job)
			return 0;
		snprintf(path, sizeof(path), "/ws/v1/cluster/apps/%s", name);
		app = progress_get(p, path, &status, why);
		if (!app && !status)
			return -EIO;
		of = json_object_get(app, "app");
		snprintf(name, sizeof(name), "%s", job);
		progress_end(p, name, progress_number(of, "finishedTime") ?: p->now_ms,
			     outcome_of(progress_text(of, "finalStatus")) ?: "killed");
		progress_forget(p, name);
		json_decref(app);
	}
}

static int look(struct progress *p, char why[WHY_LEN])
{
	long status;
	json_t *all = progress_get(
		p, "/ws/v1/cluster/apps?states=RUNNING&applicationTypes=MAPREDUCE", &status, why);
	json_t *app, *running = json_object();
	size_t i;
	int err = 0, one;

	if (all && !json_object_get(all, "apps")) {
		snprintf(why, WHY_LEN, "it answers, but not as a ResourceManager");
		json_decref(all);
		all = NULL;
	}
	if (!all || !running) {
		json_decref(all);
		json_decref(running);
		return all ? -ENOMEM : -EIO;
	}
	json_array_foreach(json_object_get(json_object_get(all, "apps"), "app"), i, app) {
		const char *id = progress_text(app, "id");

		if (!progress_is_id(id))
			continue;
		json_object_set_new(running, id, json_true());
		one = err == -ENOMEM
			      ? err
			      : look_at_job(p, id, why); /* another job's master may answer */
		err = one ?: err;
	}
	if (err != -ENOMEM)
		err = look_at_ended(p, running, why) ?: err;
	json_decref(all);
	json_decref(running);
	return err;
}

const struct master master_yarn = {"yarn", look};
