// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sweep: run by user space on the wall-clock second, submits every slot as a record. No
 * wakeup is sent through the buffer (it would cost more than the sweep): the thread that runs
 * the sweep tells the one that consumes.
 */
#include "probe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct disk_record disks[MAX_DISKS];
struct tcp_record tcp;
struct cpu_slot cpus[MAX_CPUS];
__u64 current_seq;

static struct sched_record sched;
static struct end_record end;
extern const volatile __u32 n_disks; /* block.bpf.c */
const volatile __u32 n_cpus;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18); /* set by user space to hold four sweeps */
} records SEC(".maps");

static __always_inline void submit(void *record, __u64 size, struct record_head *head, __u32 type,
				   __u64 seq)
{
	head->type = type;
	head->seq = seq;
	if (bpf_ringbuf_output(&records, record, size, BPF_RB_NO_WAKEUP))
		end.lost_records++;
}

static __always_inline void sum_processors(void)
{
	sched.switches = sched.nr_running = sched.cpus_seen = 0;
	for (__u32 i = 0; i < MAX_CPUS; i++) {
		struct rq *rq;

		if (i >= n_cpus)
			break;
		sched.switches += cpus[i].switches;
		rq = (struct rq *)cpus[i].rq;
		if (rq) {
			sched.nr_running += BPF_CORE_READ(rq, nr_running);
			sched.cpus_seen++;
		}
	}
}

SEC("syscall")
int sweep(struct sweep_args *args)
{
	__u64 seq = args->seq;

	for (__u32 i = 0; i < MAX_DISKS; i++) {
		if (i >= n_disks)
			break;
		disks[i].head.index = i;
		submit(&disks[i], sizeof(disks[i]), &disks[i].head, REC_DISK, seq);
	}
	submit(&tcp, sizeof(tcp), &tcp.head, REC_TCP, seq);
	tcp.cwnd_min[(seq + 1) & 1] = 0;
	current_seq = seq + 1;
	sum_processors();
	submit(&sched, sizeof(sched), &sched.head, REC_SCHED, seq);
	submit(&end, sizeof(end), &end.head, REC_END, seq);
	return 0;
}
