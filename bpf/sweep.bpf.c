// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The end of a sweep, which user space runs on the wall-clock second, part by part. No wakeup is sent
 * through the buffer (it would cost more than the sweep): the thread that runs the parts tells the one
 * that consumes.
 */
#include "probe.bpf.h"

static struct end_record end;

SEC("syscall")
int sweep_end(struct sweep_args *args)
{
	part_of(args);
	end.lost_records = lost_records;
	submit(&end, sizeof(end), &end.head, REC_END);
	current_seq++;
	return 0;
}
