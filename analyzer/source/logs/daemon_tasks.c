// SPDX-License-Identifier: BSD-2-Clause
/* daemon.h: what TaskTrackers say of tasks, and tasks of their own fetching and merging. */
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "hadoop_source.h"
#include "userspace/common/clock.h"

/* Up to the first blank: ids have none. */
static struct piece word(struct piece p)
{
	const char *blank = memchr(p.s, ' ', p.len);

	return piece(p.s, blank ? (size_t)(blank - p.s) : p.len);
}

/* STATE_NONE: it is no attempt's. */
static uint32_t attempt_id(struct daemon *d, struct piece id)
{
	return hadoop_kind_of(id) == STATE_KIND_COUNT ? STATE_NONE : log_id(d->l, id);
}

/* A TaskTracker calls a job's setup and cleanup a map; what they are is told by the history, or their progress. */
static enum state_kind kind_of(struct daemon *d, struct piece id, uint32_t number)
{
	static const enum state_kind others[] = {STATE_SETUP, STATE_CLEANUP};
	enum state_kind kind = hadoop_kind_of(id);

	for (size_t i = 0; i < 2 && kind < STATE_KIND_COUNT && number != STATE_NONE; i++)
		if (state_find(d->l->s, others[i], number))
			return others[i];
	return kind;
}

/* It began as a map. */
static void becomes(struct daemon *d, uint32_t id, enum state_kind from, enum state_kind kind)
{
	const struct state *st = state_find(d->l->s, from, id);
	struct state was, *now;

	if (!st || st->outcome != OUTCOME_OPEN || st->rank > d->l->source->rank)
		return;
	was = *st;
	state_drop(d->l, from, id);
	now = state_begin(d->l, kind, id, was.node, was.start_ns);
	if (now)
		now->job = was.job;
}

/* Whether it was launched, and begins now: it runs from now on. */
static bool was_launched(struct daemon *d, enum state_kind kind, uint32_t number)
{
	struct state *st;

	for (size_t i = 0; i < LAUNCHED && number != STATE_NONE; i++) {
		if (d->launched[i] != number)
			continue;
		d->launched[i] = STATE_NONE;
		st = state_find(d->l->s, kind, number);
		if (!st || st->outcome != OUTCOME_OPEN || st->rank != d->l->source->rank)
			return false;
		st->start_ns = st->end_ns = d->time_ns;
		st->offset = d->l->offset;
		return true;
	}
	return false;
}

static void begins(struct daemon *d, const struct piece *c, int which)
{
	struct piece id = word(c[which]);
	uint32_t number, job, item;
	enum state_kind kind;
	struct state *st;

	if (hadoop_kind_of(id) == STATE_KIND_COUNT)
		return;
	number = log_id(d->l, id);
	kind = kind_of(d, id, number);
	if (was_launched(d, kind, number))
		return;
	job = hadoop_job_of(d->l, id);
	item = log_item(d->l, id);
	st = state_begin(d->l, kind, number, d->l->node, d->time_ns);
	if (!st)
		return;
	st->job = job;
	st->out = item;
}

/*
 * Handed to the server, which starts a machine for it. It runs from when that machine asks for it; where it never asks, the attempt
 * hangs from here on.
 */
static void launched(struct daemon *d, const struct piece *c, int which)
{
	uint32_t number = log_id(d->l, c[0]);

	if (number == STATE_NONE || state_find(d->l->s, kind_of(d, c[0], number), number))
		return;
	begins(d, c, which);
	d->launched[d->n_launched++ % LAUNCHED] = number;
}

/* which: the outcome. What was killed after it was done, to be tidied up, has ended before. */
static void ends(struct daemon *d, const struct piece *c, int which)
{
	struct piece id = word(c[0]);
	uint32_t number = attempt_id(d, id);
	enum state_kind kind = kind_of(d, id, number);
	const struct state *st = state_find(d->l->s, kind, number);

	if (which == OUTCOME_OK || (st && st->outcome == OUTCOME_OPEN))
		state_end(d->l, kind, number, STATE_NONE, d->time_ns, (enum state_outcome)which);
}

/* It said nothing for too long. which: where its name stands. */
static void given_up(struct daemon *d, const struct piece *c, int which)
{
	struct piece id = word(c[which]);
	uint32_t number;
	struct state *st;

	ends(d, &c[which], OUTCOME_FAILED);
	number = attempt_id(d, id);
	st = state_find(d->l->s, kind_of(d, id, number), number);
	if (st && st->outcome == OUTCOME_FAILED && st->rank == d->l->source->rank)
		st->silent = true;
}

/* "attempt_… 0.33333334% reduce > copy": a fraction, in spite of the %. which: 1 of names with "task_". */
static void progress(struct daemon *d, const struct piece *c, int which)
{
	struct piece tail = word(c[0]);
	const char *f = tail.s + tail.len + 1, *end = c[0].s + c[0].len, *from;
	uint32_t id;
	enum state_kind kind;
	char number[16], *stop;
	float done;

	if (f >= end || end - f >= (ptrdiff_t)sizeof(number))
		return;
	memcpy(number, f, (size_t)(end - f));
	number[end - f] = 0;
	done = strtof(number, &stop);
	from = tail.s - (which ? strlen("task_") : strlen("attempt_"));
	tail = piece(from, (size_t)(f - 1 - from));
	kind = hadoop_kind_of(tail);
	if (*stop || stop == number || kind == STATE_KIND_COUNT)
		return;
	id = log_id(d->l, tail);
	if (piece_is(c[1], "setup"))
		becomes(d, id, kind, STATE_SETUP);
	else if (piece_is(c[1], "cleanup"))
		becomes(d, id, kind, STATE_CLEANUP);
	state_progress(d->l, kind_of(d, tail, id), id, d->l->node, done, d->time_ns);
}

/* ---- a reduce's own log ------------------------------------------------------------------------------------ */

/* Whose it is: of c[0] is missing "attempt_", or "task_". */
static void own_attempt(struct daemon *d, const struct piece *c, int which)
{
	struct piece id = word(c[0]);
	const struct state *st;

	id.s -= which ? strlen("task_") : strlen("attempt_");
	id.len += which ? strlen("task_") : strlen("attempt_");
	if (d->attempt != STATE_NONE || hadoop_kind_of(id) != STATE_REDUCE)
		return;
	d->attempt = log_id(d->l, id);
	if (d->attempt == STATE_NONE || d->l->node != STATE_NONE)
		return;
	st = state_find(d->l->s, STATE_REDUCE, d->attempt);
	d->l->node = st ? st->node : STATE_NONE;
}

/* Its name; empty: not known. */
static struct piece own_name(const struct daemon *d)
{
	return d->attempt == STATE_NONE ? piece("", 0) : piece_of(d->l->s->ids.at[d->attempt]);
}

static void merge_begins(struct daemon *d, const struct piece *c, int which)
{
	(void)c;
	(void)which;
	d->merge_ns = d->time_ns;
}

static void merge_ends(struct daemon *d, const struct piece *c, int which)
{
	uint32_t job, item;
	struct state *st;

	own_attempt(d, c, which);
	if (d->merge_ns == INT64_MIN || d->attempt == STATE_NONE)
		return;
	job = hadoop_job_of(d->l, own_name(d));
	item = log_item(d->l, own_name(d));
	st = state_whole(d->l, STATE_MERGE, d->attempt, true, d->l->node, d->merge_ns, d->time_ns,
			 OUTCOME_OK);
	d->merge_ns = INT64_MIN;
	if (!st)
		return;
	st->job = job;
	st->in = st->out = item;
}

/* The output of one map: which 0 begins, with bytes in c[0], 1 ends. Its id is "MAP>REDUCE". */
static void copy(struct daemon *d, const struct piece *c, int which)
{
	struct piece map = word(c[which ? 1 : 2]);
	uint32_t id, job, in, out;
	struct state *st;

	if (d->attempt == STATE_NONE || hadoop_kind_of(map) != STATE_MAP)
		return;
	id = DAEMON_ID(d, map, piece_of(">"), own_name(d));
	job = hadoop_job_of(d->l, own_name(d));
	in = log_item(d->l, map);
	out = log_item(d->l, own_name(d));
	if (which) {
		state_end(d->l, STATE_COPY, id, STATE_NONE, d->time_ns, OUTCOME_OK);
		return;
	}
	st = state_begin(d->l, STATE_COPY, id, d->l->node, d->time_ns);
	if (!st)
		return;
	st->job = job;
	st->in = in;
	st->out = out;
	st->bytes = log_number(c[0]);
}

/* 0.18: "task_R Copying task_M output from HOST." and "task_R done copying task_M output from HOST." */
static void copy_by_name(struct daemon *d, const struct piece *c, int which)
{
	struct piece host = c[2];
	uint32_t peer;

	host.len -= host.len && host.s[host.len - 1] == '.';
	own_attempt(d, c, 1);
	copy(d, which ? (struct piece[]){c[1], c[1]} : (struct piece[]){c[1], c[1], c[1]}, which);
	peer = which ? STATE_NONE : log_node(d->l, host);
	if (peer != STATE_NONE) {
		uint32_t id = DAEMON_ID(d, word(c[1]), piece_of(">"), own_name(d));
		struct state *st = state_find(d->l->s, STATE_COPY, id);

		if (st && st->outcome == OUTCOME_OPEN)
			st->peer = peer;
	}
}

/* ---- MR2: a session of one fetcher with one server ----------------------------------------------------------- */

static size_t fetcher(struct piece number)
{
	int64_t n = log_number(number);

	return n >= 0 && n < FETCHERS ? (size_t)n : FETCHERS;
}

static void fetches(struct daemon *d, const struct piece *c, int which)
{
	struct piece bytes = word(c[3]);
	int64_t n = log_number(bytes);

	(void)which;
	d->fetched[fetcher(c[0])] += n > 0 && n < INT64_MAX / 2 - d->fetched[fetcher(c[0])] ? n : 0;
}

/* "HOST:PORT freed by fetcher#N in Tms", charged to the server that sent. */
static void freed(struct daemon *d, const struct piece *c, int which)
{
	int64_t ms = log_number(piece(c[2].s, c[2].len > 2 ? c[2].len - 2 : 0));
	uint32_t node = log_node(d->l, c[0]), job = hadoop_job_of(d->l, own_name(d)),
		 out = log_item(d->l, own_name(d)), id;
	struct state *st;

	(void)which;
	if (ms < 0 || ms > d->time_ns / NS_PER_MS)
		return;
	id = DAEMON_ID(d, c[0], piece_of(">"), own_name(d), piece_of("#"), c[1]);
	st = state_whole(d->l, STATE_SHUFFLE, id, true, node, d->time_ns - ms * NS_PER_MS,
			 d->time_ns, OUTCOME_OK);
	if (st) {
		st->peer = d->l->node;
		st->job = job;
		st->out = out;
		st->bytes = d->fetched[fetcher(c[1])];
	}
	d->fetched[fetcher(c[1])] = 0;
}

const struct daemon_pattern daemon_tasks[] = {
	/* TaskTrackers: from 0.20 on, and 0.18 */
	{"JVM with ID: * given task: *", begins, 1, "TaskTracker"},
	{"LaunchTaskAction (registerTask): * task's state:UNASSIGNED", launched, 0, "TaskTracker"},
	{"LaunchTaskAction: *", begins, 0, "TaskTracker"},
	{"Task * is done.", ends, OUTCOME_OK, "TaskTracker"},
	{"Received KillTaskAction for task: *", ends, OUTCOME_KILLED, "TaskTracker"},
	{"Task * failed to report status for *", given_up, 0, "TaskTracker"},
	{"attempt_*: Task * failed to report status for *", given_up, 1, "TaskTracker"},
	{"Process Thread Dump: lost task *", ends, OUTCOME_FAILED, "TaskTracker"},
	{"attempt_*% *", progress, 0, "TaskTracker"},
	{"task_*% *", progress, 1, "TaskTracker"},
	/* tasks: 0.20 to 1.x, and 0.18 */
	{"attempt_* Scheduled *", own_attempt, 0, "ReduceTask"},
	{"attempt_* Thread started: *", own_attempt, 0, NULL},
	{"Initiating in-memory merge with *", merge_begins, 0, NULL},
	{"attempt_* Merge of the * files in-memory complete*", merge_ends, 0, NULL},
	{"task_* Merge of the * files in-memory complete*", merge_ends, 1, NULL},
	{"Shuffling * bytes (* raw bytes) into RAM from *", copy, 0, "ReduceTask"},
	{"Read * bytes from map-output for *", copy, 1, "ReduceTask"},
	{"task_* Copying * output from *", copy_by_name, 0, "ReduceTask"},
	{"task_* done copying * output from *", copy_by_name, 1, "ReduceTask"},
	/* MR2 */
	{"fetcher#* about to shuffle output of map * decomp: * len: *", fetches, 0, NULL},
	{"* freed by fetcher#* in *", freed, 0, "ShuffleSchedulerImpl"},
	{0},
};
