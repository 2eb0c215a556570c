/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every difference between kernels, in one place. Nothing asks for a kernel version: user space
 * or CO-RE asks BTF what is there.
 */
#ifndef LIMPET_COMPAT_BPF_H
#define LIMPET_COMPAT_BPF_H

#include <linux/bpf.h>
#include "../vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/*
 * A program on a typed tracepoint (tp_btf) reads members directly; its twin on the raw tracepoint,
 * for kernels without that tracepoint's BTF type, has only addresses and must probe-read. Bodies
 * are written once, with `typed` a constant, and the other half is compiled away.
 */
#define GET(typed, ptr, member) ((typed) ? (ptr)->member : BPF_CORE_READ(ptr, member))

/*
 * struct cgroup keeps its ancestors as pointers since 6.1 (7f203bc89eb6 "cgroup: Replace
 * cgroup->ancestor_ids[] with ->ancestors[]"), as ids before.
 */
struct cgroup___ids {
	int level;
	__u64 ancestor_ids[];
} __attribute__((preserve_access_index));

static __always_inline __u64 cgroup_ancestor_id(struct cgroup *cg, int level)
{
	if (bpf_core_field_exists(struct cgroup, ancestors)) {
		struct cgroup *ancestor = NULL;

		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
				      (void *)cg + bpf_core_field_offset(struct cgroup, ancestors) +
					      level * sizeof(ancestor));
		return BPF_CORE_READ(ancestor, kn, id);
	} else {
		__u64 id = 0;

		bpf_probe_read_kernel(
			&id, sizeof(id),
			(void *)cg + bpf_core_field_offset(struct cgroup___ids, ancestor_ids) +
				level * sizeof(id));
		return id;
	}
}

#endif
