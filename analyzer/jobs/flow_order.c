// SPDX-License-Identifier: BSD-2-Clause
/*
 * job_flow.h: what each attempt waited for before it started: of all that had to end, what ended last.
 *   a slot     the attempt of the same group kind (maps; reduces; all of Spark's) on this server that ended last before
 *   a retry    an earlier attempt of the same task that failed
 *   the stages before it, of which the last attempt that ended well
 * And what a reduce waited for while it ran: the last that it got from maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/sort.h"

/* Attempts take their turns by this. */
static uint32_t slots_of(const struct job_flow *f, uint32_t task)
{
	return 2 * flow_node(f, task) + (f->tasks[task].group == FLOW_REDUCES);
}

/* If that attempt, which ended before this one started, did so later than all so far. */
static void waited(struct job_flow *f, uint32_t task, uint32_t other, enum flow_why why)
{
	struct flow_task *t = &f->tasks[task];
	int64_t end;

	/* of two that start and end at one time only the earlier can be waited for */
	if (other == STATE_NONE || other >= task)
		return;
	end = f->tasks[other].end_ns;
	if (end > t->start_ns || (t->after != STATE_NONE && end <= f->tasks[t->after].end_ns))
		return;
	t->after = other;
	t->why = (uint8_t)why;
}

/* "attempt_…_000005_2" was tried as "…_1" and "…_0" before. */
static void waited_for_retry(struct job_flow *f, uint32_t task)
{
	enum { RETRIES = 16, NAME = 256 };
	const char *id = f->s->ids.at[flow_state(f, f->tasks[task].state)->id];
	const char *last = strrchr(id, '_');
	char name[NAME + 16];
	long n = last && last[1] >= '1' && last[1] <= '9' ? strtol(last + 1, NULL, 10) : 0;

	if (strncmp(id, "attempt_", 8) != 0 || !n || n > RETRIES || last - id >= NAME)
		return;
	for (long i = n - 1; i >= 0; i--) {
		int64_t at;
		uint32_t other;

		snprintf(name, sizeof(name), "%.*s_%ld", (int)(last - id), id, i);
		at = names_find(&f->s->ids, name);
		other = at < 0 ? STATE_NONE : f->task_of[at];
		if (other == STATE_NONE || f->tasks[other].done ||
		    f->tasks[other].group != f->tasks[task].group)
			continue;
		f->tasks[task].repeats = other;
		waited(f, task, other, FLOW_WHY_RETRY);
	}
}

int flow_tasks_by_end(const void *a, const void *b, void *tasks)
{
	const struct flow_task *t = tasks;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(t[x].end_ns, t[y].end_ns) ?: ORDER(y, x);
}

void flow_got(struct job_flow *f, uint32_t task, uint32_t state, uint32_t map)
{
	struct flow_task *t = &f->tasks[task];
	const struct state *x = flow_state(f, state);

	if (x->end_ns <= t->got_ns || x->end_ns > flow_waits_until(f, t))
		return;
	t->got_ns = x->end_ns;
	t->got_of = map;
	t->got_by = x->kind == STATE_SHUFFLE ? state : STATE_NONE;
}

int flow_got_maps(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *maps = scratch_array(&room, f->n_tasks, sizeof(*maps));
	size_t n = 0;

	if (!maps)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->n_tasks; t++)
		if (f->tasks[t].group == FLOW_MAPS && f->tasks[t].done)
			maps[n++] = t;
	sort_with(maps, n, flow_tasks_by_end, f->tasks);
	for (uint32_t t = 0; t < f->n_tasks; t++) {
		int64_t until = flow_waits_until(f, &f->tasks[t]);
		size_t at;

		if (f->tasks[t].group != FLOW_REDUCES)
			continue;
		at = search_first(i, n, f->tasks[maps[i]].end_ns <= until);
		if (at)
			flow_got(f, t, f->tasks[maps[at - 1]].state, maps[at - 1]);
	}
	return 0;
}

int flow_order(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *by_end = flow_none(&room, f->n_tasks);
	uint32_t *last_slot = flow_none(&room, 2 * f->s->nodes.n);
	uint32_t *last_done = flow_none(&room, f->n_groups);
	size_t ended = 0;

	if (room.failed)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->n_tasks; t++)
		by_end[t] = t;
	sort_with(by_end, f->n_tasks, flow_tasks_by_end, f->tasks);
	for (uint32_t t = 0; t < f->n_tasks; t++) {
		struct flow_task *x = &f->tasks[t];
		const struct flow_group *g = &f->groups[x->group];

		for (; ended < f->n_tasks && f->tasks[by_end[ended]].end_ns <= x->start_ns;
		     ended++) {
			uint32_t e = by_end[ended];

			/* of those that end at one time the first counts, which cannot come after this one */
			if (!f->groups[f->tasks[e].group].no_slots)
				last_slot[slots_of(f, e)] = e;
			if (f->tasks[e].done)
				last_done[f->tasks[e].group] = e;
		}
		x->why = FLOW_WHY_START;
		/* a reduce that starts while maps run waited for so many of them to end */
		for (size_t i = 0; i < g->n_before; i++)
			waited(f, t, last_done[g->before[i]], FLOW_WHY_STAGE);
		waited_for_retry(f, t);
		if (!g->no_slots)
			waited(f, t, last_slot[slots_of(f, t)], FLOW_WHY_SLOT);
	}
	return 0;
}
