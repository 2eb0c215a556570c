// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What the file system's server computes: 49 times a second on each processor, where the clock finds a thread
 * of the server there, its stack goes to user space: frames of user space as build id and offset in the file,
 * then those of the kernel, if it was in there. Without --user-stacks nothing of this is loaded.
 */
#include "probe.bpf.h"

/* Thread groups of the server; user space keeps it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMBERS_MOST);
	__type(key, __u32);
	__type(value, __u32);
} sampled_groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16); /* set by user space */
} cpu_samples SEC(".maps");

/* Where a sample is made: the clock does not interrupt itself. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_sample);
} cpu_sample_room SEC(".maps");

__u64 cpu_samples_lost; /* that found no room */

#define USER_BYTES   (USER_FRAMES * sizeof(struct user_frame))
#define KERNEL_BYTES (THREAD_FRAMES * sizeof(__u64))
#define HEAD_BYTES   offsetof(struct cpu_sample, frames)

static __always_inline __u64 within(long bytes, __u64 most)
{
	if (bytes < 0)
		return 0;
	return (__u64)bytes > most ? most : (__u64)bytes;
}

SEC("perf_event")
int cpu_clock(void *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, zero = 0;
	const struct task_struct *task;
	struct cpu_sample *s;
	__u64 user, kernel;

	if (!tgid || !bpf_map_lookup_elem(&sampled_groups, &tgid))
		return 0;
	s = bpf_map_lookup_elem(&cpu_sample_room, &zero);
	if (!s)
		return 0;
	task = (const struct task_struct *)bpf_get_current_task();
	s->tgid = tgid;
	if (BPF_CORE_READ_STR_INTO(&s->comm, task, group_leader, comm) < 0)
		s->comm[0] = '\0';
	user = within(
		bpf_get_stack(ctx, s->frames, USER_BYTES, BPF_F_USER_STACK | BPF_F_USER_BUILD_ID),
		USER_BYTES);
	asm volatile("" : "+r"(user)); /* or the 6.1 verifier loses the bound */
	if (user > USER_BYTES)
		return 0;
	kernel = within(bpf_get_stack(ctx, s->frames + user, KERNEL_BYTES, 0), KERNEL_BYTES);
	s->n_user = (__u16)(user / sizeof(struct user_frame));
	s->n_kernel = (__u16)(kernel / sizeof(__u64));
	kernel += HEAD_BYTES + user;
	asm volatile("" : "+r"(kernel));
	if (kernel > sizeof(*s))
		return 0;
	if (bpf_ringbuf_output(&cpu_samples, s, kernel, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&cpu_samples_lost, 1);
	return 0;
}
