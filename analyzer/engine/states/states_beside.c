// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a task's time depends on besides its server. A reduce beside a map takes some of the machine. And its turn in its slot: the
 * first task of a job there starts a Java machine and fetches the job; where the machine is kept for the
 * next ones (mapred.job.reuse.jvm.num.tasks), they find it warm. On Hadoop 1.2.1 first maps of a sort took 9.8 s, second ones 2.7 s,
 * later ones 2.0 s; a slow node has few of the later ones. With the turn
 * taken into account healthy servers' maps of a job were 14 % apart, without it 29 %.
 * Tasks of Spark are such ones, too: an executor's first ones took 6 to 15 s, later ones 1 to 3 s; its machine lasts as long
 * as the application, whose jobs are named after it. Since 2.x each map has a machine of its own: all are first ones.
 */
#include "states_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	uint32_t node, job, task; /* of turns.slot; the job, or the first one of its application */
	int64_t at;
	bool start, setup;
	uint32_t state;
};

struct turns {
	struct moment *at;
	size_t n;
	const uint32_t *app;
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

/* Of a machine that is kept; a job's setup takes a slot of maps. */
static bool takes_slot(const struct state *x)
{
	bool kept = x->kind == STATE_TASK ||
		    (x->clock == CLOCK_OF_NODE && (x->kind == STATE_MAP || x->kind == STATE_SETUP));

	return kept && x->end_ns > x->start_ns;
}

static int by_text(const void *a, const void *b, void *arg)
{
	char *const *text = arg;

	return strcmp(text[*(const uint32_t *)a], text[*(const uint32_t *)b]);
}

/* How much of a job's name is its application's: that before the last point, if numbers only are behind it. */
static size_t app_length(const char *job)
{
	const char *dot = strrchr(job, '.');

	return dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")] ? (size_t)(dot - job)
									: strlen(job);
}

static int apps(struct beside *b, const struct states *s)
{
	uint32_t *order = calloc(s->jobs.n + 1, sizeof(*order)), first = 0;

	b->app = calloc(s->jobs.n + 1, sizeof(*b->app));
	if (!order || !b->app) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->jobs.n; i++)
		order[i] = i;
	sort_with(order, s->jobs.n, by_text, s->jobs.at);
	for (uint32_t i = 0; i < s->jobs.n; i++) {
		const char *job = s->jobs.at[order[i]], *of = s->jobs.at[order[first]];
		size_t n = app_length(job);

		if (n != app_length(of) || memcmp(job, of, n) != 0)
			first = i;
		b->app[order[i]] = order[first];
	}
	free(order);
	return 0;
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
		struct moment m = {.node = x->node,
				   .job = x->job < s->jobs.n ? t->app[x->job] : STATE_NONE,
				   .task = (uint32_t)tasks,
				   .at = x->start_ns,
				   .start = true,
				   .setup = x->kind == STATE_SETUP,
				   .state = (uint32_t)i};

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

/*
 * Of one job on one node: a task takes the slot that was free last, or a new one. That of the job's setup is not yet
 * free for the first map after it, but for the second.
 */
static void take_turns(struct turns *t, const struct moment *m, size_t n, uint8_t *turn)
{
	uint32_t slots = 0, idle = 0, held = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = &t->slot[m[i].task];

		if (!m[i].start && m[i].setup) {
			held = *slot;
			continue;
		}
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
		if (held != UINT32_MAX)
			t->free[idle++] = held;
		held = UINT32_MAX;
	}
}

static int by_stage(const void *a, const void *b, void *arg)
{
	const struct state *at = arg, *x = &at[*(const uint32_t *)a],
			   *y = &at[*(const uint32_t *)b];

	return ORDER(x->node, y->node) ?: ORDER(x->job, y->job) ?: ORDER(x->cls, y->cls)
		?: ORDER(x->end_ns, y->end_ns) ?: ORDER(x->start_ns, y->start_ns);
}

static bool one_stage(const struct state *x, const struct state *y)
{
	return x->node == y->node && x->job == y->job && x->cls == y->cls;
}

/*
 * Tasks of Spark that came to a warm machine: those that began before any of their stage had ended there fetch its
 * code, and took 5 to 8 s where later ones took 1 to 4 s.
 */
static void turns_of_stages(struct beside *b, const struct states *s, uint32_t *order)
{
	size_t n = 0, next;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_TASK)
			order[n++] = (uint32_t)i;
	sort_with(order, n, by_stage, s->at);
	for (size_t i = 0; i < n; i = next)
		for (next = i; next < n && one_stage(&s->at[order[next]], &s->at[order[i]]); next++)
			if (b->turn[order[next]] > 1 &&
			    s->at[order[next]].start_ns >= s->at[order[i]].end_ns)
				b->turn[order[next]]++;
}

/* The parts of a task have its turn: their id is its id. */
static int parts_of_tasks(struct beside *b, const struct states *s)
{
	uint32_t *order = calloc(s->n + 1, sizeof(*order));
	uint8_t *of = calloc(s->ids.n + 1, sizeof(*of));

	if (!of || !order) {
		free(of);
		free(order);
		return -ENOMEM;
	}
	turns_of_stages(b, s, order);
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATE_TASK && s->at[i].id < s->ids.n)
			of[s->at[i].id] = b->turn[i];
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind != STATE_MAP && s->at[i].id < s->ids.n && of[s->at[i].id])
			b->turn[i] = of[s->at[i].id];
	free(of);
	free(order);
	return 0;
}

static int turns(struct beside *b, const struct states *s)
{
	struct turns t = {.app = b->app};
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
	return err ? err : parts_of_tasks(b, s);
}

int beside_init(struct beside *b, const struct states *s)
{
	*b = (struct beside){0};
	return reduces(b, s) ?: apps(b, s) ?: turns(b, s);
}

void beside_release(struct beside *b)
{
	free(b->at);
	free(b->turn);
	free(b->app);
}
