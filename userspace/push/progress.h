/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far tasks are while they run, as the master of their jobs says it, and a log of it for the analyzer
 * (analyzer/source/logs/log_progress.c): a line of JSON for each task that is new, has come further or has ended.
 *
 *	{"limpet-progress": 1, "of": "yarn", "from": "http://rm:8088", "t": MS}
 *	{"t": MS, "job": "job_1_0001", "id": "attempt_1_0001_m_000000_0", "kind": "map", "server": "s3", "start": MS,
 *	 "progress": 0.42, "container": "container_1_0001_01_000002"}
 *	{…, "end": MS, "outcome": "ok"}
 *	{"t": MS}
 *
 * Times are milliseconds since 1970. A first line says that somebody begins to ask: what was open before is not known
 * any more. A line with a time alone says that tasks run and nothing is new. Keys that are not known are left out.
 *
 * A kind of master is one file with a `const struct master`, and its row in progress.c.
 */
#ifndef LIMPET_PROGRESS_H
#define LIMPET_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "userspace/common/map.h"
#include "userspace/common/options.h"
#include "userspace/common/text.h"
#include "userspace/fetch/fetch.h"

/* An attempt of a task as its master says it now. Strings are the caller's; NULL: not said. */
struct task_now {
	const char *job, *id, *kind, *server, *container, *cls;
	int64_t start_ms, end_ms; /* end: 0 while it runs */
	double progress;	  /* 0 … 1; NAN: not said */
	const char *outcome;	  /* "ok", "failed", "killed" */
};

/* One that was told, or a task whose attempts were: that has no server. */
struct task_told {
	char *id, *job, *kind, *server, *container, *cls;
	char *only; /* of a task: its one attempt that runs; NULL: there is none, or several */
	double progress;
	int64_t start_ms;
	bool ended;
	uint64_t asked; /* by the master's file: at which look its attempts were asked for */
	uint64_t seen;	/* the last look that had it */
};

struct progress {
	const char *url; /* without a slash at its end */
	const char *of;	 /* the master's word */
	struct fetch *fetch;
	uint64_t looks;
	int64_t now_ms;
	int64_t heard_ms;  /* of the last look that was answered, and how many were not since */
	unsigned int away; /* of progress_spark.c */
	struct task_told *told;
	size_t n_told;
	struct map by_id;
	struct task_told none; /* what there is no room for */
	bool full;
	struct text head;  /* the first line */
	struct text lines; /* of this look */
};

struct master {
	const char *word; /* "yarn" */
	/* Asks once, and tells what is so. 0, or negative errno with `why`; what was told before an error stays. */
	int (*look)(struct progress *p, char why[WHY_LEN]);
};
extern const struct master master_yarn, master_spark;

/* GET url + path, of which the answer is JSON; the caller's reference. NULL with `why` and *status (0: no answer). */
json_t *progress_get(struct progress *p, const char *path, long *status, char why[WHY_LEN]);

/* Of an answer: a member's text (NULL: none), or number (0: none, or less). */
const char *progress_text(const json_t *o, const char *key);
long long progress_number(const json_t *o, const char *key);
/* Whether it may become a part of a path. */
bool progress_is_id(const char *id);

/* Tells what is new of a task; what is NULL or 0 in it, and was told before, is as it was. NULL: out of memory. */
struct task_told *progress_tell(struct progress *p, const struct task_now *t);
struct task_told *progress_told(const struct progress *p, const char *id); /* NULL: it was not */
/* Ends what has not ended of a job (NULL: of all) and was not seen by this look. */
void progress_end(struct progress *p, const char *job, int64_t end_ms, const char *outcome);
/* Forgets all of a job; NULL: what has ended, and was not seen by this look. */
void progress_forget(struct progress *p, const char *job);

#endif
