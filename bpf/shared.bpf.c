// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What more than one of the kernel-side files uses. Linked first: libbpf's linker (1.1) forgets where
 * in its section a map or variable is that it has met as extern before its definition.
 */
#include "cgroup.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct disk_slots disk_slots SEC(".maps");
struct cpu_slots cpu_slots SEC(".maps");
struct records records SEC(".maps");

const volatile struct kernel_layout layout;
const volatile __u32 n_cpus;

struct tcp_record tcp;
__u64 current_seq;
__u64 lost_records;

__u32 n_cgroups;
__u32 cgroup_level[MAX_CGROUPS];
__u32 cgroup_use[MAX_CGROUPS];
__u64 cgroup_id[MAX_CGROUPS], cgroup_before[MAX_CGROUPS];
const volatile __u32 cgroup_ancestors_offset;
const volatile bool cgroup_ancestors_are_ids;
