// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sweep: run by user space on the wall-clock second, submits every slot as a record. No
 * wakeup is sent through the buffer (it would cost more than the sweep): the thread that runs
 * the sweep tells the one that consumes.
 */
#include "probe.bpf.h"

static struct end_record end;

SEC("syscall")
int sweep(struct sweep_args *args)
{
	current_seq = args->seq;
	sweep_disks();
	sweep_remotes();
	submit(&tcp, sizeof(tcp), &tcp.head, REC_TCP);
	tcp.cwnd_min[(current_seq + 1) & 1] = 0;
	sweep_runq();
	sweep_host();
	end.lost_records = lost_records;
	submit(&end, sizeof(end), &end.head, REC_END);
	current_seq++;
	return 0;
}
