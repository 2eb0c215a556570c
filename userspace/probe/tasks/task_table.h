/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every thread had used when it was seen last, so that the samples of the kernel side
 * (bpf/record.h, struct task_sample), which are cumulative, become differences that add up: over
 * any number of passes those of a thread sum up to its last value less its first.
 */
#ifndef LIMPET_TASK_TABLE_H
#define LIMPET_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"
#include "userspace/common/map.h"

enum task_use { USE_CPU, USE_READ, USE_WRITTEN, USE_CANCELLED, USES }; /* ns and bytes */

struct task_entry;

struct task_table {
	struct task_entry *at;
	size_t n, room;
	size_t most;	   /* entries there may be; TASK_TABLE_MOST, less in tests */
	struct map by_tid; /* thread numbers: several entries may have one */
	uint32_t pass;
	uint32_t full_in;		      /* the pass that found no room to make */
	uint64_t first_ns, now_ns, before_ns; /* when the first, this and the last pass began */
	uint64_t forgotten; /* threads put out, or never taken in, for want of room */
	bool stood_in;	    /* TASK_EXITS was a last sample once, and TASK_FREED may follow */
};

/* 4 MiB. */
#define TASK_TABLE_MOST 57344

void task_table_init(struct task_table *t);
void task_table_release(struct task_table *t);

/* A pass began at that time since boot. Samples of threads that are gone follow those of a pass. */
void task_table_pass(struct task_table *t, uint64_t begin_ns);

/*
 * What the thread used since it was seen last; since it started, if it is new; nothing, if it is
 * older than the first pass or was forgotten. Uses that are not accounted are 0. A difference is
 * negative where a thread takes its leader's place by exec() and counts on from less; sums hold.
 * 0, or -ENOMEM, with the differences given and the thread not remembered.
 */
int task_table_take(struct task_table *t, const struct task_sample *s, int64_t used[USES]);

/* Whether nothing of what the thread used was counted yet, and all of it should be. */
bool task_table_whole(const struct task_table *t, const struct task_sample *s);

/*
 * The last of a thread, likewise: its end (TASK_FREED), or what stands in for it (TASK_EXITS), which
 * may be less than is known by now and then counts nothing. `whole`: task_table_whole(), now or when
 * it exited.
 */
void task_table_take_last(struct task_table *t, const struct task_sample *s, bool whole,
			  int64_t used[USES]);

size_t task_table_bytes(const struct task_table *t);

#endif
