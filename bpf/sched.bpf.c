// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Scheduler: how long each task was runnable before it runs, from the time stamp the scheduler
 * itself keeps in the task, and where each processor's run queue is, for host.bpf.c. Nothing is
 * stored per task and wakeups are not looked at.
 */
#include "probe.bpf.h"

/* Its own processor's slot only, and a tracepoint does not nest: no atomics. */
static __always_inline int switched(struct task_struct *next, bool typed)
{
	__u32 cpu = bpf_get_smp_processor_id(), b;
	struct cpu_slot *c = bpf_map_lookup_elem(&cpu_slots, &cpu);
	struct rq *rq = typed ? next->se.cfs_rq->rq : BPF_CORE_READ(next, se.cfs_rq, rq);
	__u64 queued = GET(typed, next, sched_info.last_queued), delay;

	if (!c)
		return 0;
	if (!c->rq)
		c->rq = (__u64)rq;
	if (!queued || !GET(typed, next, pid))
		return 0;
	delay = GET(typed, rq, clock) - queued;
	if ((__s64)delay < 0)
		delay = 0;
	b = bucket_of(delay >> RUNQ_SHIFT, RUNQ_SUB_BITS);
	asm volatile("" : "+r"(b)); /* or the 6.1 verifier loses the bound */
	c->runq[b & (RUNQ_BUCKETS - 1)]++;
	c->delay_ns += delay;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_typed, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return switched(next, true);
}

SEC("raw_tp/sched_switch")
int sched_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return switched((struct task_struct *)ctx->args[2], false);
}

/* Run once on each processor by user space, so that none is missing because it does not switch. */
SEC("raw_tp/sched_switch")
int learn(void *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_slot *c = bpf_map_lookup_elem(&cpu_slots, &cpu);

	if (c)
		c->rq = (__u64)BPF_CORE_READ(task, se.cfs_rq, rq);
	return 0;
}

/*
 * Run over all tasks at the start: a processor that is off line by then runs nothing, but its kernel
 * threads are parked there. What it has counted is part of what /proc and /sys show.
 */
SEC("iter/task")
int learn_parked(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct cpu_slot *c;
	struct rq *rq;
	__u32 cpu;

	if (!task)
		return 0;
	rq = BPF_CORE_READ(task, se.cfs_rq, rq);
	cpu = BPF_CORE_READ(rq, cpu);
	c = bpf_map_lookup_elem(&cpu_slots, &cpu);
	if (c && !c->rq)
		c->rq = (__u64)rq;
	return 0;
}

static struct runq_record runq;

static long add_cpu(__u32 cpu, void *ctx)
{
	struct cpu_slot *c = bpf_map_lookup_elem(&cpu_slots, &cpu);

	if (!c)
		return 1;
	runq.delay_ns += c->delay_ns;
	for (int b = 0; b < RUNQ_BUCKETS; b++)
		runq.n[b] += c->runq[b];
	return 0;
}

SEC("syscall")
int sweep_runq(struct sweep_args *args)
{
	part_of(args);
	runq.delay_ns = 0;
	for (int b = 0; b < RUNQ_BUCKETS; b++) {
		runq.n[b] = 0;
		barrier(); /* or clang makes it a memset(), which BPF does not have */
	}
	bpf_loop(n_cpus, add_cpu, NULL, 0);
	submit(&runq, sizeof(runq), &runq.head, REC_RUNQ);
	return 0;
}
