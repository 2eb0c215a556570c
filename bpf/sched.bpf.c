// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Scheduler: counts context switches per processor, and learns where each processor's run queue
 * is, for the sweep to read its length.
 */
#include "probe.bpf.h"

static __always_inline int switched(struct task_struct *next, bool typed)
{
	struct cpu_slot *c = &cpus[bpf_get_smp_processor_id() & (MAX_CPUS - 1)];

	c->switches++; /* this processor only, and a tracepoint does not nest */
	if (!c->rq)
		c->rq = (__u64)(typed ? next->se.cfs_rq->rq : BPF_CORE_READ(next, se.cfs_rq, rq));
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
