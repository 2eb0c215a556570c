// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Tasks: an iterator that user space runs once a second looks at every thread and writes out those
 * whose CPU time has moved on since the pass before; two tracepoints give the last samples of a
 * thread that goes away between two passes. Nothing runs per event of any other kind.
 */
#include "probe.bpf.h"

/*
 * What the passes remember of every thread: 32 bits that stand for its number and the CPU time it
 * had when it was written out last, at its number modulo the size. That tells exactly what moved,
 * which no time stamp of the scheduler does: a thread that was on a processor during one pass and
 * sleeps in the next was last put on it before both. Two threads that share a place are merely
 * written out more often; and where the bits are the same by chance (one in 2^32), next time they
 * are not.
 */
#define BLOCK 1024
struct seen_block {
	__u32 mark[BLOCK];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 16); /* a power of two, set by user space */
	__type(key, __u32);
	__type(value, struct seen_block);
} tasks_seen SEC(".maps");

/*
 * What threads end with, two samples each: room for 4,096 of them. A buffer of its own, so that many
 * processes coming and going cost no sweep. Who reads it is woken when it is half full.
 */
#define GONE_BYTES (1 << 20)
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, GONE_BYTES);
} tasks_gone SEC(".maps");

const volatile __u32 task_blocks = 16; /* entries of tasks_seen */
__u64 tasks_gone_lost;		       /* samples that found no room */

/* Of its group's leader, which may have been freed an instant before the thread itself. */
static __always_inline void describe_group(struct task_sample *s, const struct task_struct *task,
					   bool typed)
{
	const struct task_struct *leader = GET(typed, task, group_leader);

	if (GET(typed, leader, pid) != s->pid || GET(typed, leader, tgid) != s->pid)
		return;
	s->leader_start_ns = GET(typed, leader, start_boottime);
	bpf_core_read(s->comm, sizeof(s->comm), &leader->comm);
}

static __always_inline void describe(struct task_sample *s, const struct task_struct *task,
				     bool typed)
{
	s->pid = GET(typed, task, tgid);
	s->tid = GET(typed, task, pid);
	s->start_ns = GET(typed, task, start_boottime);
	s->cpu_ns = GET(typed, task, se.sum_exec_runtime);
	s->read_bytes = s->write_bytes = s->cancelled_write_bytes = UNKNOWN;
	/* CONFIG_TASK_IO_ACCOUNTING */
	if (bpf_core_field_exists(task->ioac.read_bytes)) {
		s->read_bytes = GET(typed, task, ioac.read_bytes);
		s->write_bytes = GET(typed, task, ioac.write_bytes);
		s->cancelled_write_bytes = GET(typed, task, ioac.cancelled_write_bytes);
	}
	if (bpf_core_field_exists(task->cgroups))
		s->cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	describe_group(s, task, typed);
}

static __always_inline __u32 *place_of(__u32 tid)
{
	__u32 block = (tid / BLOCK) & (task_blocks - 1), i = tid & (BLOCK - 1);
	struct seen_block *b = bpf_map_lookup_elem(&tasks_seen, &block);

	if (!b)
		return NULL;
	asm volatile("" : "+r"(i)); /* or the 6.1 verifier loses the bound */
	return &b->mark[i & (BLOCK - 1)];
}

#define PF_EXITING_ 4

SEC("iter/task")
int task_pass(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct task_sample s = {};
	__u32 *place, mark;

	if (!task)
		return 0;
	if (ctx->meta->seq_num == 0) {
		/* Pid 0: a pass begins, and when. */
		s.start_ns = bpf_ktime_get_boot_ns();
		bpf_seq_write(seq, &s, sizeof(s));
	}
	place = place_of(task->pid);
	if (!place)
		return 0;
	mark = (task->se.sum_exec_runtime + (__u64)task->pid) * 0x9e3779b97f4a7c15ULL >> 32;
	if (task->flags & PF_EXITING_)
		s.stage = TASK_ENDING;
	else if (*place == mark)
		return 0;
	describe(&s, task, true);
	/* Where the buffer is full, the kernel drops this and comes again with the next read(). */
	if (!bpf_seq_write(seq, &s, sizeof(s)))
		*place = mark;
	return 0;
}

static __always_inline int last_sample(const struct task_struct *task, enum task_stage stage,
				       bool typed)
{
	bool crowded = bpf_ringbuf_query(&tasks_gone, BPF_RB_AVAIL_DATA) > GONE_BYTES / 2;
	struct task_sample s = {.stage = stage};

	describe(&s, task, typed);
	if (bpf_ringbuf_output(&tasks_gone, &s, sizeof(s),
			       crowded ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&tasks_gone_lost, 1);
	return 0;
}

/*
 * A thread on its way out still runs, closes files, frees its memory, and can be met by a pass. When
 * it is freed its counters are final and no later pass will meet it. That is after its parent has
 * waited for it and an RCU grace period. But Linux 6.18 under a hypervisor was seen not to run what
 * is on sched_process_free for some: for them what they had before stands in (task_exits.h).
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit_typed, struct task_struct *task)
{
	return last_sample(task, TASK_EXITS, true);
}

SEC("raw_tp/sched_process_exit")
int task_exit_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return last_sample((const struct task_struct *)ctx->args[0], TASK_EXITS, false);
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(task_free_typed, struct task_struct *task)
{
	return last_sample(task, TASK_FREED, true);
}

SEC("raw_tp/sched_process_free")
int task_free_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return last_sample((const struct task_struct *)ctx->args[0], TASK_FREED, false);
}
