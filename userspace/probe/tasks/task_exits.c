// SPDX-License-Identifier: BSD-2-Clause
/* Those that exit, in the order in which they do: few at a time, for most are freed at once. */
#include "task_exits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

#define PASSES_WITHOUT 2

void task_exits_release(struct task_exits *e)
{
	free(e->at);
	memset(e, 0, sizeof(*e));
}

static void take_out(struct task_exits *e, size_t i)
{
	e->n--;
	memmove(&e->at[i], &e->at[i + 1], (e->n - i) * sizeof(*e->at));
}

int task_exits_add(struct task_exits *e, const struct task_sample *s, uint32_t pass, bool whole)
{
	struct task_exit *x;

	if (e->n == TASK_EXITS_MOST)
		take_out(e, 0);
	x = array_refill(&e->at, &e->n, &e->room);
	if (!x)
		return -ENOMEM;
	*x = (struct task_exit){.last = *s, .pass = pass, .whole = whole};
	return 0;
}

/*
 * The one with that number and time of start, or NULL. Two have them where a thread that is not the
 * leader calls exec(): the leader exits, and it takes both over (task_table.c, deposed).
 */
static struct task_exit *look_up(struct task_exits *e, uint32_t tid, uint64_t start_ns, bool last)
{
	struct task_exit *found = NULL;

	for (size_t i = 0; i < e->n && (last || !found); i++)
		if (e->at[i].last.tid == tid && e->at[i].last.start_ns == start_ns)
			found = &e->at[i];
	return found;
}

void task_exits_met(struct task_exits *e, const struct task_sample *s, uint32_t pass)
{
	bool lives = s->stage == TASK_LIVES;
	struct task_exit *x;

	if (lives && s->tid != s->pid)
		return;
	x = look_up(e, s->tid, s->start_ns, true);
	if (!x)
		return;
	if (lives) {
		take_out(e, (size_t)(x - e->at)); /* it was the leader who exited */
		return;
	}
	x->last = *s;
	x->pass = pass;
	x->whole = false;
}

bool task_exits_freed(struct task_exits *e, const struct task_sample *s)
{
	/* The leader who exited for such a thread has its number now. */
	bool deposed = s->tid != s->pid && s->start_ns == s->leader_start_ns;
	struct task_exit *x = look_up(e, deposed ? s->pid : s->tid, s->start_ns, !deposed);
	bool whole = x && x->whole;

	if (x)
		take_out(e, (size_t)(x - e->at));
	return whole;
}

bool task_exits_overdue(struct task_exits *e, uint32_t pass, struct task_exit *out)
{
	for (size_t i = 0; i < e->n; i++) {
		if (pass - e->at[i].pass < PASSES_WITHOUT)
			continue;
		*out = e->at[i];
		out->last.stage = TASK_EXITS;
		take_out(e, i);
		return true;
	}
	return false;
}
