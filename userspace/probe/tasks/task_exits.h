/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that have begun to exit and were not said to be freed yet. The kernel may leave the second
 * out (bpf/task.bpf.c): one that two passes have not met, dead or alive, is taken for freed, with
 * what it had used when it was known last.
 */
#ifndef LIMPET_TASK_EXITS_H
#define LIMPET_TASK_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

/* More are not waited for, for every sample of a pass is looked for here. The oldest make room. */
#define TASK_EXITS_MOST 128

struct task_exit {
	struct task_sample last;
	uint32_t pass; /* the last one that was before it, or met it */
	bool whole;    /* task_table_whole(), unless a pass has met it since */
};

struct task_exits {
	struct task_exit *at; /* in the order of their exits */
	size_t n, room;
};

void task_exits_release(struct task_exits *e);

/* A sample of TASK_EXITS: 0, or -ENOMEM, and its end is not waited for. */
int task_exits_add(struct task_exits *e, const struct task_sample *s, uint32_t pass, bool whole);

/* A pass has met this thread: it is still there, or its number is another's now. */
void task_exits_met(struct task_exits *e, const struct task_sample *s, uint32_t pass);

/* A sample of TASK_FREED: its `whole`; false: its exit was not told. */
bool task_exits_freed(struct task_exits *e, const struct task_sample *s);

/* After a pass, until it is false: takes out one that is not there any more. */
bool task_exits_overdue(struct task_exits *e, uint32_t pass, struct task_exit *out);

#endif
