/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel-side files share. Events update slots; once a second user space runs the parts of
 * the sweep, one after the other, which bring up to date what no event does and submit everything as
 * it is. Each part is a program of its own: where this kernel lacks what one reads, the others load.
 */
#ifndef LIMPET_PROBE_BPF_H
#define LIMPET_PROBE_BPF_H

#include "compat.bpf.h"
#include "record.h"

/* One per disk, and one for those without a slot of their own; sized by user space. */
struct disk_slots {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct disk_slot);
};

/* One per possible processor; sized by user space. */
struct cpu_slots {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_slot);
};

struct records {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18); /* set by user space to hold four sweeps */
};

/* Defined in shared.bpf.c. */
extern struct disk_slots disk_slots SEC(".maps");
extern struct cpu_slots cpu_slots SEC(".maps");
extern struct records records SEC(".maps");
extern const volatile struct kernel_layout layout;
extern const volatile __u32 n_cpus;
extern struct tcp_record tcp;

/* Of the second being filled; each part of a sweep sets it, the last one adds 1. Its parity decides which
 * cwnd_min is in use. */
extern __u64 current_seq;
extern __u64 lost_records;

/* Each part begins with this, for sweeps may have been left out. */
static __always_inline void part_of(const struct sweep_args *args)
{
	current_seq = args->seq;
}

static __always_inline bool submit(void *record, __u64 size, struct record_head *head, __u32 type)
{
	head->type = type;
	head->seq = current_seq;
	if (!bpf_ringbuf_output(&records, record, size, BPF_RB_NO_WAKEUP))
		return true;
	lost_records++;
	return false;
}

/* Base of a processor's per-CPU area; 0: not known yet. */
static __always_inline __u64 cpu_base(__u32 cpu)
{
	struct cpu_slot *c = bpf_map_lookup_elem(&cpu_slots, &cpu);

	return c && c->rq && layout.usable ? c->rq - layout.runqueues : 0;
}

#endif
