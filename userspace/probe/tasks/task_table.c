// SPDX-License-Identifier: BSD-2-Clause
/* From cumulative samples of threads to differences: open addressing by thread number. */
#include "task_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "userspace/common/clock.h"

#define SIZE_FIRST 256
/* From a thread's time of start being stamped to a pass being able to meet it, at the most. */
#define BIRTH_NS (uint64_t) NS_PER_S

struct task_entry {
	uint32_t tid;	/* 0: a free place */
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

/* Not from the heap, which would keep the smaller tables that this one has grown out of. */
static struct task_entry *places_new(size_t size)
{
	void *at = mmap(NULL, size * sizeof(struct task_entry), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void places_free(struct task_table *t)
{
	if (t->at)
		munmap(t->at, t->size * sizeof(*t->at));
}

void task_table_release(struct task_table *t)
{
	places_free(t);
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

static size_t home(const struct task_table *t, uint32_t tid)
{
	return (tid * 2654435761U >> 8) & (t->size - 1);
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

/* The thread's entry, or the free place where it belongs. The table is never full. */
static struct task_entry *look_up(const struct task_table *t, const struct task_sample *s)
{
	uint32_t start = start_bits(s->start_ns);
	struct task_entry *found = NULL;
	size_t i;

	for (i = home(t, s->tid); t->at[i].tid; i = (i + 1) & (t->size - 1)) {
		struct task_entry *e = &t->at[i];

		if (e->tid != s->tid)
			continue;
		if (e->start == start)
			return e;
		if (deposed(s) && (!found || e->pass >= found->pass))
			found = e;
	}
	return found ? found : &t->at[i];
}

/* Closes the gap, so that a search may go on ending at the first free place. */
static void take_out(struct task_table *t, size_t gap)
{
	size_t mask = t->size - 1;

	for (size_t i = (gap + 1) & mask; t->at[i].tid; i = (i + 1) & mask) {
		/* It may move back unless its home lies behind the gap. */
		if (((i - home(t, t->at[i].tid)) & mask) >= ((i - gap) & mask)) {
			t->at[gap] = t->at[i];
			gap = i;
		}
	}
	t->at[gap].tid = 0;
	t->n--;
}

static int grow(struct task_table *t)
{
	struct task_table bigger = *t;

	bigger.size = t->size ? 2 * t->size : SIZE_FIRST;
	bigger.at = places_new(bigger.size);
	if (!bigger.at)
		return -ENOMEM;
	for (size_t i = 0; i < t->size; i++) {
		size_t k = home(&bigger, t->at[i].tid);

		if (!t->at[i].tid)
			continue;
		while (bigger.at[k].tid)
			k = (k + 1) & (bigger.size - 1);
		bigger.at[k] = t->at[i];
	}
	places_free(t);
	*t = bigger;
	return 0;
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
	for (size_t i = 0; i < t->size; i++)
		if (t->at[i].tid)
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
	for (size_t i = 0; i < t->size;) {
		if (!t->at[i].tid || age_class(t, &t->at[i]) < from) {
			i++;
			continue;
		}
		take_out(t, i); /* and another may be here now */
		t->forgotten++;
	}
	return true;
}

/* Room for one more: 0; -ENOSPC; -ENOMEM. */
static int make_room(struct task_table *t)
{
	if (t->n >= t->most)
		return forget_oldest(t) ? 0 : -ENOSPC;
	if (t->size < TASK_TABLE_SIZE && 4 * (t->n + 1) > 3 * t->size)
		return grow(t);
	return 0;
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
	int err = make_room(t);
	struct task_entry *e;

	if (err) {
		t->forgotten++;
		return err == -ENOSPC ? 0 : err;
	}
	e = look_up(t, s);
	e->tid = s->tid;
	e->start = start_bits(s->start_ns);
	e->pass = t->pass;
	memcpy(e->used, used, sizeof(e->used));
	t->n++;
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

static struct task_entry *find(const struct task_table *t, const struct task_sample *s)
{
	struct task_entry *e = t->size ? look_up(t, s) : NULL;

	return e && e->tid ? e : NULL;
}

bool task_table_whole(const struct task_table *t, const struct task_sample *s)
{
	return !find(t, s) && is_new(t, s);
}

int task_table_take(struct task_table *t, const struct task_sample *s, int64_t used[USES])
{
	struct task_entry *e = find(t, s);
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
	struct task_entry *e = find(t, s);
	uint64_t now[USES];

	differ(s, e, whole, used, now);
	if (s->stage == TASK_EXITS) {
		t->stood_in = true;
		for (int k = 0; k < USES; k++)
			used[k] = used[k] > 0 ? used[k] : 0;
	}
	if (e)
		take_out(t, (size_t)(e - t->at));
}

size_t task_table_bytes(const struct task_table *t)
{
	return t->size * sizeof(*t->at);
}
