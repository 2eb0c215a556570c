/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which control groups are the file system's own, by depth and inode number: of requests, and of sockets.
 */
#ifndef LIMPET_CGROUP_BPF_H
#define LIMPET_CGROUP_BPF_H

#include "probe.bpf.h"

/* Defined in shared.bpf.c. Not rodata: others may be given; one that is removed and made anew, as at the
 * restart of a service, has another number; and what is written back of the one before, which may be long
 * after, is own as well. */
extern __u32 n_cgroups;
extern __u32 cgroup_level[MAX_CGROUPS];
extern __u32 cgroup_use[MAX_CGROUPS]; /* 1 << enum cgroup_use: of what their hierarchy tells */
extern __u64 cgroup_id[MAX_CGROUPS], cgroup_before[MAX_CGROUPS];

/*
 * struct cgroup keeps its ancestors as pointers since 6.1 (7f203bc89eb6 "cgroup: Replace
 * cgroup->ancestor_ids[] with ->ancestors[]"), as ids before. Where they are comes from user space
 * too: clang moves both sides of a CO-RE branch in front of it, and the side that is not there does
 * not load.
 */
extern const volatile __u32 cgroup_ancestors_offset;
extern const volatile bool cgroup_ancestors_are_ids;

static __always_inline __u64 cgroup_ancestor_id(struct cgroup *cg, __u32 level)
{
	const void *at = (void *)cg + cgroup_ancestors_offset + level * sizeof(__u64);
	struct cgroup *ancestor = NULL;
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), at);
	ancestor = (struct cgroup *)word;
	return cgroup_ancestors_are_ids ? word : BPF_CORE_READ(ancestor, kn, id);
}

/* Whether the group, so deep in its hierarchy, is one of them or below one. */
static __always_inline bool is_own_group(struct cgroup *cg, int level, enum cgroup_use use)
{
	__u64 id;

	for (__u32 i = 0; i < MAX_CGROUPS; i++) {
		if (i >= n_cgroups)
			break;
		if (!(cgroup_use[i] >> use & 1) || level < (int)cgroup_level[i])
			continue;
		id = cgroup_ancestor_id(cg, cgroup_level[i]);
		if (id == cgroup_id[i] || id == cgroup_before[i])
			return true;
	}
	return false;
}

#endif
