/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel-side files share: the slots that events update, which the sweep submits as they
 * are, and the selection user space sets. The variables live in sweep.bpf.c.
 */
#ifndef LIMPET_PROBE_BPF_H
#define LIMPET_PROBE_BPF_H

#include "compat.bpf.h"
#include "record.h"

extern struct disk_record disks[MAX_DISKS];
extern struct tcp_record tcp;
extern struct cpu_slot cpus[MAX_CPUS];

/* Cumulative; the parity of the second being filled decides which cwnd_min is in use. */
extern __u64 current_seq;

#endif
