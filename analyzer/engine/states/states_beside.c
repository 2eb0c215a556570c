// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a map's time depends on besides its server. A reduce beside it takes some of the machine. And its turn in its slot: the
 * first task of a job there starts a Java machine and fetches the job; where the machine is kept for the
 * next ones (mapred.job.reuse.jvm.num.tasks), they find it warm. On Hadoop 1.2.1 first maps of a sort took 9.8 s, second ones 2.7 s,
 * later ones 2.0 s; a slow node has few of the later ones. With the turn
 * taken into account healthy servers' maps of a job were 14 % apart, without it 29 %.
 */
#include "states_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/sort.h"

enum { TURNS = 2 };

/* ---- reduces ------------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->from, y->from) ?: ORDER(x->until, y->until);
}

static int reduces(struct beside *b, const struct states *s)
{
	for (size_t i = 0; i < s->n; i++)
		b->n += s->at[i].kind == STATE_REDUCE;
	b->at = calloc(b->n + 1, sizeof(*b->at));
	if (!b->at)
		return -ENOMEM;
	b->n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_REDUCE)
			b->at[b->n++] =
				(struct ran){s->at[i].node, s->at[i].start_ns, s->at[i].end_ns};
	sort(b->at, b->n, by_start);
	for (size_t i = 1; i < b->n; i++)
		if (b->at[i].node == b->at[i - 1].node && b->at[i - 1].until > b->at[i].until)
			b->at[i].until = b->at[i - 1].until;
	return 0;
}

/*
 * When it began, not for most of its time: reduces begin while first maps run, and a slow map would be beside one
 * because it is slow. How many they are is not asked: cells would be too small.
 */
bool beside_reduce(const struct beside *b, const struct state *x)
{
	size_t at = search_first(mid, b->n,
				 b->at[mid].node < x->node || (b->at[mid].node == x->node &&
							       b->at[mid].from <= x->start_ns));

	return at > 0 && b->at[at - 1].node == x->node && b->at[at - 1].until >= x->start_ns;
}

/* ---- turns --------------------------------------------------------------------------------------- */

/* A start or an end of a task. */
struct moment {
	uint32_t node, job, task; /* of turns.slot */
	int64_t at;
	bool start;
	uint32_t state;
};

struct turns {
	struct moment *at;
	size_t n;
	uint32_t *slot; /* of each task */
	uint32_t *free; /* slots, the last one that ended on top */
	uint8_t *count; /* tasks so far of each slot, up to TURNS */
};

/* An end before a start of the same time. */
static int in_order(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->job, y->job) ?: ORDER(x->at, y->at)
		?: ORDER(x->start, y->start) ?: ORDER(x->task, y->task);
}

/* A job's setup takes a slot of maps. */
static bool takes_slot(const struct state *x)
{
	return (x->kind == STATE_MAP || x->kind == STATE_SETUP) && x->end_ns > x->start_ns;
}

static int moments(struct turns *t, const struct states *s)
{
	size_t tasks = 0;

	for (size_t i = 0; i < s->n; i++)
		tasks += takes_slot(&s->at[i]);
	t->at = calloc(2 * tasks + 1, sizeof(*t->at));
	t->slot = calloc(tasks + 1, sizeof(*t->slot));
	t->free = calloc(tasks + 1, sizeof(*t->free));
	t->count = calloc(tasks + 1, sizeof(*t->count));
	if (!t->at || !t->slot || !t->free || !t->count)
		return -ENOMEM;
	tasks = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		struct moment m = {x->node,	x->job, (uint32_t)tasks,
				   x->start_ns, true,	(uint32_t)i};

		if (!takes_slot(x))
			continue;
		t->at[t->n++] = m;
		m.at = x->end_ns;
		m.start = false;
		t->at[t->n++] = m;
		tasks++;
	}
	sort(t->at, t->n, in_order);
	return 0;
}

/* Of one job on one node: a task takes the slot that was free last, or a new one. */
static void take_turns(struct turns *t, const struct moment *m, size_t n, uint8_t *turn)
{
	uint32_t slots = 0, idle = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = &t->slot[m[i].task];

		if (!m[i].start) {
			t->free[idle++] = *slot;
			continue;
		}
		*slot = idle ? t->free[--idle] : slots;
		if (*slot == slots)
			t->count[slots++] = 0;
		if (t->count[*slot] < TURNS)
			t->count[*slot]++;
		turn[m[i].state] = t->count[*slot];
	}
}

static int turns(struct beside *b, const struct states *s)
{
	struct turns t = {0};
	int err = moments(&t, s);

	b->turn = calloc(s->n + 1, sizeof(*b->turn));
	if (!b->turn)
		err = -ENOMEM;
	for (size_t i = 0, next; i < t.n && !err; i = next) {
		for (next = i; next < t.n && t.at[next].node == t.at[i].node &&
			       t.at[next].job == t.at[i].job;)
			next++;
		take_turns(&t, &t.at[i], next - i, b->turn);
	}
	free(t.at);
	free(t.slot);
	free(t.free);
	free(t.count);
	return err;
}

int beside_init(struct beside *b, const struct states *s)
{
	*b = (struct beside){0};
	return reduces(b, s) ?: turns(b, s);
}

void beside_release(struct beside *b)
{
	free(b->at);
	free(b->turn);
}
