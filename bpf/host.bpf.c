// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The counters of /proc/stat and /proc/vmstat, read from the per-CPU variables they are made of.
 * Only reads that cannot fault: what is not where BTF says reads as nothing, and user space compares
 * the first reading with /proc before it trusts any (userspace/hostcheck.c).
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
 * As get_cpu_idle_time_us() and get_cpu_iowait_time_us(): what the tick code has added up, plus the
 * idle period that is going on. A processor that is off line, or has never stopped its tick, has
 * nothing there, and then the plain counters are right (fs/proc/stat.c).
 */
static __always_inline void add_idle(__u64 base, struct rq *rq, const __u64 *cpustat)
{
	struct tick_sched *ts = (void *)(base + layout.tick_cpu_sched);
	__s64 idle = BPF_CORE_READ(ts, idle_sleeptime),
	      iowait = BPF_CORE_READ(ts, iowait_sleeptime);
	__u8 flags = (__u8)word_at((__u64)ts + layout.tick_active_byte);

	if (!idle && !iowait) {
		host.cpu_ns[CPU_IDLE] += cpustat[CPUTIME_IDLE_];
		host.cpu_ns[CPU_IOWAIT] += cpustat[CPUTIME_IOWAIT_];
		return;
	}
	if (flags & layout.tick_active_mask) {
		__s64 more = (__s64)bpf_ktime_get_ns() - BPF_CORE_READ(ts, idle_entrytime);

		if (more > 0 && BPF_CORE_READ(rq, nr_iowait.counter) > 0)
			iowait += more;
		else if (more > 0)
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
	bpf_probe_read_kernel(cpustat, sizeof(cpustat), (void *)(base + layout.kernel_cpustat));
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

int sweep_host(void)
{
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
