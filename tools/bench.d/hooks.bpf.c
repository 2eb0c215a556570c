// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Programs that do nothing, on the hooks limpet-probe uses. What the kernel's statistics say one of
 * them takes is the price of measuring; a program of the probe's costs what it takes beyond that.
 */
#include "bpf/compat.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/block_rq_complete")
int empty_block(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int empty_sched(void *ctx)
{
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int empty_tcp_close(void *ctx)
{
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int empty_retransmit(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_process_exit")
int empty_task_exit(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_process_free")
int empty_task_free(void *ctx)
{
	return 0;
}
