/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel offers, asked of its BTF and never of its version.
 */
#ifndef LIMPET_FEATURES_H
#define LIMPET_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

#define FEATURE_WHY 128

struct btf;

struct features {
	bool btf;
	bool typed_block, typed_requeue; /* tp_btf possible; else raw_tp */
	bool typed_sched, typed_retransmit;
	bool retransmit_has_err; /* tcp_retransmit_skb tells whether the segments left, too */
	bool typed_state;	 /* inet_sock_set_state */
	bool typed_process_exit, typed_process_free; /* sched_process_exit, _free */
	bool iter_tcp, iter_task_file, iter_task;
	uint32_t rqf_io_stat_bit, rqf_stats_bit;
	uint32_t cgroup_ancestors_offset; /* in struct cgroup, bytes */
	bool cgroup_ancestors_are_ids;
	struct kernel_layout layout;
	/* Why host counters, and why statistics of disks, cannot be read from kernel memory, and why it
	 * cannot be told who caused a request: the first field that is missing. "": it can. */
	char host_why[FEATURE_WHY], disk_stats_why[FEATURE_WHY], origin_why[FEATURE_WHY];
	char sock_cgroup_why[FEATURE_WHY]; /* the same of a socket's */
	/* struct disk_stats counts requests in flight; else io_ticks stands still while they are, and
	 * only a reading of /sys/block/DISK/stat brings it up to date. */
	bool in_flight_kept;
	unsigned int hz;	/* of jiffies; 0: unknown */
	const char *rqf_source; /* where the two bits come from, for `check` */
};

/* Returns 0; or -ENOENT when the kernel has no BTF, with every feature false. */
int features_ask(struct features *f);

/* The same of any kernel's BTF, but for what only the running one can tell: btf and hz. */
void features_of(const struct btf *btf, struct features *f);

#endif
