// SPDX-License-Identifier: BSD-2-Clause
/* The process family: threads summed up by process, the busiest shown. */
#include "tasks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "task_cgroup.h"
#include "task_exits.h"
#include "task_table.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

#define TOP	       (TASKS_SHOWN / 2)
#define LEAST_CPU      0.01  /* of one processor */
#define LEAST_BYTES    65536 /* a second */
#define LOOK_COSTLY_NS 2000000
#define SLOW_S	       10
/* Processes that may use anything between two looks; those beyond are seen in the rest only. */
#define PROCESSES_MOST 12288
/* Of room that a burst has made, so much is kept, and eight times what is used. */
#define PROCESSES_KEPT 1024

/* What a process used since rows were last chosen. */
struct process {
	uint32_t pid;
	bool gone; /* its leader is */
	uint64_t start_ns, cgroup_id;
	char comm[16];
	int64_t used[USES];
};

struct shown {
	char instance[INSTANCE_LEN];
	char cgroup[CGROUP_LEN];
	int64_t used[USES];
};

struct tasks {
	struct tasks_opts o;
	struct task_table threads;
	struct task_exits exits;
	struct process *at;
	size_t n, room;
	struct map by_pid; /* of `at` */
	int64_t all[USES];
	bool accounted; /* bytes are */
	int error;

	/* What is being shown, in as many equal parts as there were calls since the look before. */
	struct shown shown[TASKS_SHOWN];
	size_t n_shown;
	int64_t rest[USES];
	unsigned int part, parts;
	unsigned int spread; /* seconds that wait for the look that comes */
	unsigned int every, wait,
		covered; /* calls from look to look, to the next, since the last */

	struct task_cgroups cgroups;
	uint64_t lost, lost_told;
	int64_t cost_ns; /* of a look, averaged over some */
	const char *trouble;
};

struct tasks *tasks_new(const struct tasks_opts *o)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->o = *o;
	t->every = 1;
	task_table_init(&t->threads);
	return t;
}

static void processes_release(struct tasks *t)
{
	map_release(&t->by_pid);
	free(t->at);
	t->at = NULL;
	t->n = t->room = 0;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	task_table_release(&t->threads);
	task_exits_release(&t->exits);
	processes_release(t);
	free(t);
}

/* ---- processes ---- */

/* The number of the process. A thread whose leader is gone is of whichever had its number last. */
static size_t process_find(const struct tasks *t, uint64_t hash, uint32_t pid, uint64_t start_ns)
{
	size_t any = MAP_NONE;
	size_t at = map_find(i, &t->by_pid, hash,
			     t->at[i].pid == pid && (any = i, t->at[i].start_ns == start_ns));

	return at == MAP_NONE && !start_ns ? any : at;
}

/* NULL where there is no room for one more. */
static struct process *process_of(struct tasks *t, const struct task_sample *s)
{
	uint64_t hash = map_hash_number(s->pid);
	size_t at = process_find(t, hash, s->pid, s->leader_start_ns);
	struct process *p;

	if (at != MAP_NONE)
		return &t->at[at];
	if (t->n == PROCESSES_MOST)
		return NULL;
	p = map_append(&t->by_pid, hash, array_refill(&t->at, &t->n, &t->room), &t->n);
	if (!p) {
		t->error = -ENOMEM;
		return NULL;
	}
	p->pid = s->pid;
	p->start_ns = s->leader_start_ns;
	return p;
}

/* Gives what the thread used to its process. */
static void account(struct tasks *t, const struct task_sample *s, const int64_t used[USES])
{
	bool any = false;
	struct process *p;

	for (int k = 0; k < USES; k++) {
		t->all[k] += used[k];
		any |= used[k] != 0;
	}
	p = any ? process_of(t, s) : NULL;
	if (!p)
		return;
	for (int k = 0; k < USES; k++)
		p->used[k] += used[k];
	if (s->comm[0]) {
		memcpy(p->comm, s->comm, sizeof(p->comm));
		p->cgroup_id = s->cgroup_id;
	}
	p->gone |= s->stage >= TASK_EXITS && s->tid == s->pid;
}

static void on_last_sample(struct tasks *t, const struct task_sample *s)
{
	bool whole = task_table_whole(&t->threads, s);
	int64_t used[USES];

	if (s->stage == TASK_EXITS) {
		if (task_exits_add(&t->exits, s, t->threads.pass, whole))
			t->error = -ENOMEM;
		return;
	}
	whole |= task_exits_freed(&t->exits, s);
	task_table_take_last(&t->threads, s, whole, used);
	account(t, s, used);
}

static void on_sample(void *arg, const struct task_sample *s)
{
	struct tasks *t = arg;
	int64_t used[USES];

	if (!s->pid) {
		task_table_pass(&t->threads, s->start_ns);
		return;
	}
	if (!t->threads.pass)
		return; /* gone before the first pass */
	t->accounted |= s->read_bytes != UNKNOWN;
	if (s->stage >= TASK_EXITS) {
		on_last_sample(t, s);
		return;
	}
	task_exits_met(&t->exits, s, t->threads.pass);
	if (task_table_take(&t->threads, s, used))
		t->error = -ENOMEM;
	account(t, s, used);
}

/* For those of whom the kernel does not say that they were freed. */
static void stand_in(struct tasks *t)
{
	struct task_exit x;
	int64_t used[USES];

	while (task_exits_overdue(&t->exits, t->threads.pass, &x)) {
		task_table_take_last(&t->threads, &x.last, x.whole, used);
		account(t, &x.last, used);
	}
}

/* ---- looking ---- */

/* The first pass does not count: it meets every thread for the first time. */
static void weigh(struct tasks *t, int64_t ns)
{
	unsigned int slow = (SLOW_S + t->o.interval_s - 1) / t->o.interval_s;

	if (t->threads.pass < 2 || slow < 2 || t->every > 1)
		return;
	t->cost_ns += (ns - t->cost_ns) / 8;
	if (t->cost_ns <= LOOK_COSTLY_NS)
		return;
	t->every = slow;
	t->trouble = "a look at all processes costs over 2 ms: every ten seconds from now on, not "
		     "every second";
}

void tasks_spread(struct tasks *t, unsigned int seconds)
{
	if (!t->wait)
		t->spread = seconds;
}

int tasks_collect(struct tasks *t)
{
	return t->o.look(t->o.source, false, on_sample, t, &t->lost);
}

int tasks_look(struct tasks *t)
{
	bool pass = !t->wait;
	int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int err;

	t->error = 0;
	err = t->o.look(t->o.source, pass, on_sample, t, &t->lost);
	if (pass && !err)
		stand_in(t);
	if (pass)
		weigh(t, clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
	/* Without memory for it something is missing, and is in the rest or comes later. */
	t->error = err ? err : t->error;
	return t->error;
}

/* ---- rows ---- */

static int64_t bytes_of(const int64_t used[USES])
{
	return used[USE_READ] + used[USE_WRITTEN];
}

static int64_t cpu_of(const int64_t used[USES])
{
	return used[USE_CPU];
}

/* Keeps `top` sorted, the most first. */
static void consider(const struct process *top[TOP], const struct process *p, int64_t least,
		     int64_t (*value)(const int64_t used[USES]))
{
	if (value(p->used) < least)
		return;
	for (int i = 0; i < TOP; i++) {
		const struct process *other = top[i];

		if (other && value(other->used) >= value(p->used))
			continue;
		top[i] = p;
		p = other;
		if (!p)
			return;
	}
}

/* What a process calls itself may be anything; a blank would end the name in too many places. */
static void name_of(const struct process *p, char name[INSTANCE_LEN])
{
	char comm[sizeof(p->comm) + 1] = "?";

	for (size_t i = 0; i < sizeof(p->comm) && p->comm[i]; i++) {
		comm[i] = p->comm[i] > ' ' && p->comm[i] < 127 ? p->comm[i] : '?';
		comm[i + 1] = '\0';
	}
	snprintf(name, INSTANCE_LEN, "%s:%u", comm, p->pid);
}

/* Each once; and what had the same name and number one after the other is one row. */
static void show(struct tasks *t, const struct process *p)
{
	char name[INSTANCE_LEN];
	struct shown *s;

	name_of(p, name);
	for (s = t->shown; s < t->shown + t->n_shown; s++)
		if (!strcmp(s->instance, name))
			break;
	if (s == t->shown + t->n_shown) {
		memset(s, 0, sizeof(*s));
		memcpy(s->instance, name, sizeof(name));
		t->n_shown++;
	}
	task_cgroup(&t->cgroups, t->o.proc, p->pid, p->start_ns, p->cgroup_id, p->gone, s->cgroup);
	for (int k = 0; k < USES; k++) {
		/* Less than nothing (task_table.h) is the rest's. */
		int64_t used = p->used[k] > 0 ? p->used[k] : 0;

		s->used[k] += used;
		t->rest[k] -= used;
	}
}

/* Forgets the processes, and the memory where a burst had made it large. */
static void start_over(struct tasks *t)
{
	if (t->room > PROCESSES_KEPT && 8 * t->n < t->room)
		processes_release(t);
	map_clear(&t->by_pid);
	t->n = 0;
}

static void choose(struct tasks *t, double seconds)
{
	const struct process *by_cpu[TOP] = {NULL}, *by_bytes[TOP] = {NULL};

	for (size_t i = 0; i < t->n; i++) {
		consider(by_cpu, &t->at[i], ns_of_s(seconds * LEAST_CPU), cpu_of);
		consider(by_bytes, &t->at[i], (int64_t)(seconds * LEAST_BYTES), bytes_of);
	}
	t->n_shown = 0;
	memcpy(t->rest, t->all, sizeof(t->rest));
	for (int i = 0; i < TOP && by_cpu[i]; i++)
		show(t, by_cpu[i]);
	for (int i = 0; i < TOP && by_bytes[i]; i++) {
		bool twice = false;

		for (int k = 0; k < TOP; k++)
			twice |= by_cpu[k] == by_bytes[i];
		if (!twice)
			show(t, by_bytes[i]);
	}
	memset(t->all, 0, sizeof(t->all));
	start_over(t);
}

/* This second's part of an amount: whole numbers that add up to it. */
static double part_of(const struct tasks *t, int64_t amount)
{
	int64_t parts = t->parts, each = amount / parts, more = amount % parts;

	return (double)(each + (t->part == t->parts - 1 ? more : 0));
}

static int add_row(const struct tasks *t, struct second *out, const char *instance,
		   const int64_t used[USES], const char *cgroup)
{
	static const enum metric_id ids[USES] = {M_P_CPU, M_P_RKB_S, M_P_WKB_S, M_P_CCWKB_S};
	struct second_row *row = second_add_row(out, FAM_PROCESS, instance, 0);

	if (!row)
		return -ENOMEM;
	for (int k = 0; k < (t->accounted ? USES : 1); k++)
		second_set(row, ids[k],
			   part_of(t, used[k]) / metrics[ids[k]].per / out->interval_s);
	row->cgroup = cgroup;
	return 0;
}

int tasks_add_rows(struct tasks *t, struct second *out)
{
	uint64_t lost = t->lost + t->threads.forgotten;
	int err = 0;

	out->lost += lost - t->lost_told;
	t->lost_told = lost;
	t->covered++;
	if (t->wait) {
		t->wait--;
	} else {
		if (t->error || !t->threads.pass || out->interval_s <= 0)
			return 0;
		t->part = 0;
		t->parts = t->covered < t->every ? t->covered : t->every;
		t->wait = t->every - 1;
		if (t->spread > t->every) {
			t->parts = t->spread;
			t->wait = t->spread - 1;
		}
		t->spread = 0;
		t->covered = 0;
		choose(t, t->parts * out->interval_s);
	}
	if (t->part >= t->parts)
		return 0; /* the first time after a look that was found too costly */
	for (size_t i = 0; !err && i < t->n_shown; i++)
		err = add_row(t, out, t->shown[i].instance, t->shown[i].used, t->shown[i].cgroup);
	if (!err)
		err = add_row(t, out, TASKS_REST, t->rest, NULL);
	t->part++;
	return err;
}

const char *tasks_trouble(struct tasks *t)
{
	const char *trouble = t->trouble;

	t->trouble = NULL;
	return trouble;
}

size_t tasks_bytes(const struct tasks *t)
{
	return sizeof(*t) + t->room * sizeof(*t->at) + map_bytes(&t->by_pid) +
	       task_table_bytes(&t->threads) + t->exits.room * sizeof(*t->exits.at);
}
