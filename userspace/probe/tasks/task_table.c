// SPDX-License-Identifier: BSD-2-Clause
/* From cumulative samples of threads to differences. */
#include "task_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* From a thread's time of start being stamped to a pass being able to meet it, at the most. */
#define BIRTH_NS (uint64_t) NS_PER_S

struct task_entry {
	uint32_t tid;
	uint32_t start; /* bits of start_ns: which one of those that had the number */
	uint32_t pass;	/* it was seen in last */
	uint32_t pad;
	uint64_t used[USES];
};

void task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	t->most = TASK_TABLE_MOST;
}

void task_table_release(struct task_table *t)
{
	map_release(&t->by_tid);
	free(t->at);
	task_table_init(t);
}

void task_table_pass(struct task_table *t, uint64_t begin_ns)
{
	t->pass++;
	t->before_ns = t->now_ns;
	t->now_ns = begin_ns;
	if (t->pass == 1)
		t->first_ns = t->before_ns = begin_ns;
}

static uint32_t start_bits(uint64_t start_ns)
{
	return (uint32_t)((start_ns * 0x9e3779b97f4a7c15ULL) >> 32);
}

/*
 * exec() of a thread that does not lead ends the leader, takes over its number and time of start,
 * and leaves it its own number: the old leader then has the leader's start and another number. What
 * it used is taken as a difference to what the other had, whatever its start; so the sum of the two
 * stays right, whichever of them is seen first.
 */
static bool deposed(const struct task_sample *s)
{
	return s->tid != s->pid && s->start_ns == s->leader_start_ns;
}

/* The thread's entry, or NULL; where it was deposed, or deposed another, the newest with its number. */
static struct task_entry *entry_find(const struct task_table *t, const struct task_sample *s)
{
	uint64_t hash = map_hash_number(s->tid);
	uint32_t start = start_bits(s->start_ns);
	size_t newest = MAP_NONE;
	size_t at =
		map_find(i, &t->by_tid, hash, t->at[i].tid == s->tid && t->at[i].start == start);

	if (at != MAP_NONE)
		return &t->at[at];
	if (!deposed(s))
		return NULL;
	map_find(i, &t->by_tid, hash,
		 t->at[i].tid == s->tid &&
			 (newest == MAP_NONE || t->at[i].pass >= t->at[newest].pass) &&
			 (newest = i, false));
	return newest == MAP_NONE ? NULL : &t->at[newest];
}

/* The last entry has its number now. */
static void entry_remove(struct task_table *t, struct task_entry *e)
{
	map_remove(&t->by_tid, (size_t)(e - t->at));
	*e = t->at[--t->n];
}

/* 0: seen in this pass; k: at least 2^(k-1) passes ago. */
static unsigned int age_class(const struct task_table *t, const struct task_entry *e)
{
	uint32_t age = t->pass - e->pass;
	unsigned int k = 0;

	for (; age; age >>= 1)
		k++;
	return k;
}

/* Puts out those not seen for longest, an eighth or a little more; false: all are of this pass. */
static bool forget_oldest(struct task_table *t)
{
	size_t classes[33] = {0}, old = 0;
	unsigned int from = 32;

	if (t->full_in == t->pass)
		return false;
	for (size_t i = 0; i < t->n; i++)
		classes[age_class(t, &t->at[i])]++;
	for (;; from--) {
		old += classes[from];
		if (old > t->most / 8 || from == 1)
			break;
	}
	if (!old) {
		t->full_in = t->pass;
		return false;
	}
	for (size_t i = t->n; i-- > 0;) {
		if (age_class(t, &t->at[i]) < from)
			continue;
		entry_remove(t, &t->at[i]);
		t->forgotten++;
	}
	return true;
}

/* One that is not in the table has all it used still to be counted, unless it was there before. */
static bool is_new(const struct task_table *t, const struct task_sample *s)
{
	if (deposed(s))
		return true;
	if (s->start_ns < t->first_ns)
		return false;
	return !(t->forgotten || t->stood_in) || s->start_ns + BIRTH_NS >= t->before_ns;
}

static int insert(struct task_table *t, const struct task_sample *s, const uint64_t used[USES])
{
	bool room = t->n < t->most || forget_oldest(t);
	struct task_entry *e = room ? map_append(&t->by_tid, map_hash_number(s->tid),
						 array_refill(&t->at, &t->n, &t->room), &t->n)
				    : NULL;

	if (!e) {
		t->forgotten++;
		return room ? -ENOMEM : 0;
	}
	e->tid = s->tid;
	e->start = start_bits(s->start_ns);
	e->pass = t->pass;
	memcpy(e->used, used, sizeof(e->used));
	return 0;
}

/* What it used since it was seen last, and what it has by now. */
static void differ(const struct task_sample *s, const struct task_entry *known, bool whole,
		   int64_t used[USES], uint64_t now[USES])
{
	const uint64_t has[USES] = {s->cpu_ns, s->read_bytes, s->write_bytes,
				    s->cancelled_write_bytes};

	for (int k = 0; k < USES; k++) {
		now[k] = has[k] == UNKNOWN ? 0 : has[k];
		used[k] = known ? (int64_t)(now[k] - known->used[k]) : whole ? (int64_t)now[k] : 0;
	}
}

bool task_table_whole(const struct task_table *t, const struct task_sample *s)
{
	return !entry_find(t, s) && is_new(t, s);
}

int task_table_take(struct task_table *t, const struct task_sample *s, int64_t used[USES])
{
	struct task_entry *e = entry_find(t, s);
	uint64_t now[USES];

	differ(s, e, !e && is_new(t, s), used, now);
	if (!e)
		return insert(t, s, now);
	memcpy(e->used, now, sizeof(now));
	e->pass = t->pass;
	e->start = start_bits(s->start_ns);
	return 0;
}

void task_table_take_last(struct task_table *t, const struct task_sample *s, bool whole,
			  int64_t used[USES])
{
	struct task_entry *e = entry_find(t, s);
	uint64_t now[USES];

	differ(s, e, whole, used, now);
	if (s->stage == TASK_EXITS) {
		t->stood_in = true;
		for (int k = 0; k < USES; k++)
			used[k] = used[k] > 0 ? used[k] : 0;
	}
	if (e)
		entry_remove(t, e);
}

size_t task_table_bytes(const struct task_table *t)
{
	return t->room * sizeof(*t->at) + map_bytes(&t->by_tid);
}
