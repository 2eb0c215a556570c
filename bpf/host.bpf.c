// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The counters of /proc/stat and /proc/vmstat, read from the per-CPU variables they are made of.
 * Only reads that cannot fault: what is not where BTF says reads as nothing, and user space compares
 * the first reading with /proc before it trusts any (userspace/probe/kernel/trust.c).
 */
#include "probe.bpf.h"

/* [enum cpu_usage_stat] -> [enum cpu_state]; idle and iowait come from the tick's book-keeping. */
enum {
	CPUTIME_USER_,
	CPUTIME_NICE_,
	CPUTIME_SYSTEM_,
	CPUTIME_SOFTIRQ_,
	CPUTIME_IRQ_,
	CPUTIME_IDLE_,
	CPUTIME_IOWAIT_,
	CPUTIME_STEAL_
};

static struct host_record host;

static __always_inline __u64 word_at(__u64 address)
{
	__u64 v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (void *)address);
	return v;
}

/*
 * What the kernel has added up, plus the idle period that is going on, as /proc/stat does it. A
 * processor that is off line, or has never stopped its tick, has nothing in struct tick_sched, and then
 * the plain counters are right. Since 7.2 these are the only ones (features.c).
 */
static __always_inline void add_idle(__u64 base, struct rq *rq, const __u64 *cpustat)
{
	__u64 idle = word_at(base + layout.idle), iowait = word_at(base + layout.iowait), steal;
	__u8 flags = (__u8)word_at(base + layout.idle_flag_byte);
	__s64 more;

	if (!idle && !iowait) {
		idle = cpustat[CPUTIME_IDLE_];
		iowait = cpustat[CPUTIME_IOWAIT_];
	} else if (flags & layout.idle_flag_mask) {
		more = (__s64)(bpf_ktime_get_ns() - word_at(base + layout.idle_since));
		steal = layout.idle_steal ? word_at(base + layout.idle_steal) : 0;
		more = more > (__s64)steal ? more - (__s64)steal : 0;
		if (BPF_CORE_READ(rq, nr_iowait.counter) > 0)
			iowait += more;
		else
			idle += more;
	}
	host.cpu_ns[CPU_IDLE] += idle;
	host.cpu_ns[CPU_IOWAIT] += iowait;
}

static long add_processor(__u32 cpu, void *ctx)
{
	__u64 base = cpu_base(cpu), cpustat[10] = {};
	struct rq *rq = (void *)(base + layout.runqueues);

	if (!base)
		return 0;
	host.cpus_seen++;
	host.switches += BPF_CORE_READ(rq, nr_switches);
	host.nr_running += BPF_CORE_READ(rq, nr_running);
	host.nr_blocked += BPF_CORE_READ(rq, nr_iowait.counter);
	bpf_probe_read_kernel(cpustat, sizeof(cpustat), (void *)(base + layout.cpustat));
	host.cpu_ns[CPU_USER] += cpustat[CPUTIME_USER_];
	host.cpu_ns[CPU_NICE] += cpustat[CPUTIME_NICE_];
	host.cpu_ns[CPU_SYSTEM] += cpustat[CPUTIME_SYSTEM_];
	host.cpu_ns[CPU_IRQ] += cpustat[CPUTIME_IRQ_];
	host.cpu_ns[CPU_SOFTIRQ] += cpustat[CPUTIME_SOFTIRQ_];
	host.cpu_ns[CPU_STEAL] += cpustat[CPUTIME_STEAL_];
	add_idle(base, rq, cpustat);
	for (__u32 i = 0; i < MAX_VM_SOURCES && i < layout.n_vm_sources; i++) {
		__u32 event = layout.vm_event[i];

		if (event < VM_EVENTS)
			host.vm[event] +=
				word_at(base + layout.vm_event_states + 8 * layout.vm_index[i]);
	}
	return 0;
}

SEC("syscall")
int sweep_host(struct sweep_args *args)
{
	part_of(args);
	host.switches = host.nr_running = host.nr_blocked = host.cpus_seen = 0;
	for (int i = 0; i < CPU_STATES; i++)
		host.cpu_ns[i] = 0;
	for (int i = 0; i < VM_EVENTS; i++) {
		host.vm[i] = 0;
		barrier();
	}
	bpf_loop(n_cpus, add_processor, NULL, 0);
	submit(&host, sizeof(host), &host.head, REC_HOST);
	return 0;
}
