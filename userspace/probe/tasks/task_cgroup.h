/* SPDX-License-Identifier: BSD-2-Clause */
/* The control group of a process by its number, from /proc; the last few answers are remembered. */
#ifndef LIMPET_TASK_CGROUP_H
#define LIMPET_TASK_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#define CGROUP_LEN    128
#define CGROUPS_KNOWN 32

struct task_cgroups {
	struct task_cgroup {
		uint32_t pid;
		uint64_t start_ns, id;
		unsigned int uses;
		char path[CGROUP_LEN];
	} known[CGROUPS_KNOWN];
	unsigned int next;
};

/*
 * Fills `path` (tasks.h, tasks_add_rows()). `start_ns` since boot tells the process from another
 * that has its number by now, `id` is that of its v2 group and tells when it has moved, `gone`
 * that it is too late to ask: then a process of the same v2 group that is known will do. `proc` is
 * "/proc".
 */
void task_cgroup(struct task_cgroups *c, const char *proc, uint32_t pid, uint64_t start_ns,
		 uint64_t id, bool gone, char path[CGROUP_LEN]);

#endif
