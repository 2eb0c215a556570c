// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * TCP: an iterator that user space runs ten times a second inside the selected network namespace
 * looks at every socket there and keeps sums and a histogram of the congestion windows; the
 * tracepoint counts retransmissions. Nothing runs per packet.
 */
#include "probe.bpf.h"

#define TCP_ESTABLISHED_ 1
#define LN_TABLE	 1024
#define LN2_Q20		 726817 /* ln(2) * 2^20 */

const volatile __u32 netns_inum; /* for the tracepoint; the iterator sees only its own namespace */
const volatile __u32 n_ports;	 /* 0: every port */
const volatile __u16 ports[MAX_PORTS];
const volatile __u32 ln_q20[LN_TABLE]; /* ln(i) * 2^20, made by user space: no floats here */

/* Jiffies of this pass's and the last pass's begin: a socket whose last data segment is younger
 * than the last pass is active. The window of an idle socket says nothing about now. */
static __u32 pass_jiffies, last_pass_jiffies;

/* Sums of the pass that is going on: a sweep may come in the middle of it, and must see the sockets
 * of whole passes only, or its means over the passes would be off. */
static __u64 pass_established, pass_active, pass_ln_cwnd_q20;

static __always_inline bool port_selected(__u16 port)
{
	if (!n_ports)
		return true;
	for (__u32 i = 0; i < MAX_PORTS; i++) {
		if (i >= n_ports)
			break;
		if (ports[i] == port)
			return true;
	}
	return false;
}

/* ln(cwnd) in units of 2^-20; exact to the table below 1024, within 0.2 % of cwnd above. */
static __always_inline __u32 ln_of(__u32 cwnd)
{
	__u32 halvings = 0;

	for (int i = 0; i < 22 && cwnd >= LN_TABLE; i++) {
		cwnd >>= 1;
		halvings++;
	}
	return ln_q20[cwnd & (LN_TABLE - 1)] + halvings * LN2_Q20;
}

SEC("iter/tcp")
int tcp_pass(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	struct tcp_sock *tp;
	__u32 cwnd, b, *least;

	if (ctx->meta->seq_num == 0) {
		pass_jiffies = (__u32)bpf_jiffies64();
		pass_established = pass_active = pass_ln_cwnd_q20 = 0;
	}
	if (!skc) {
		last_pass_jiffies = pass_jiffies;
		tcp.established += pass_established;
		tcp.active += pass_active;
		tcp.ln_cwnd_q20 += pass_ln_cwnd_q20;
		tcp.passes++;
		return 0;
	}
	if (skc->skc_state != TCP_ESTABLISHED_ || !port_selected(skc->skc_num))
		return 0;
	tp = bpf_skc_to_tcp_sock(skc);
	if (!tp)
		return 0;
	pass_established++;
	if (!last_pass_jiffies || (__s32)(tp->lsndtime - last_pass_jiffies) < 0)
		return 0;
	cwnd = tp->snd_cwnd;
	if (!cwnd)
		cwnd = 1;
	pass_active++;
	pass_ln_cwnd_q20 += ln_of(cwnd);
	least = &tcp.cwnd_min[current_seq & 1];
	if (!*least || cwnd < *least)
		*least = cwnd;
	b = bucket_of(cwnd, CWND_SUB_BITS);
	if (b > CWND_BUCKETS - 1)
		b = CWND_BUCKETS - 1;
	asm volatile("" : "+r"(b));
	tcp.cwnd[b & (CWND_BUCKETS - 1)]++;
	return 0;
}

/* Segments in one buffer: the event is per buffer, TcpRetransSegs counts segments. */
static __always_inline __u32 segments_of(const struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (void *)skb + bpf_core_field_offset(struct sk_buff, cb);
	__u16 segments = BPF_CORE_READ(cb, tcp_gso_segs);

	return segments ?: 1;
}

static __always_inline int retransmitted(const struct sock *sk, const struct sk_buff *skb,
					 bool typed)
{
	struct net *net =
		typed ? sk->__sk_common.skc_net.net : BPF_CORE_READ(sk, __sk_common.skc_net.net);
	__u32 inum = typed ? net->ns.inum : BPF_CORE_READ(net, ns.inum);
	__u16 port = typed ? sk->__sk_common.skc_num : BPF_CORE_READ(sk, __sk_common.skc_num);

	if (inum == netns_inum && port_selected(port))
		__sync_fetch_and_add(&tcp.retransmits, segments_of(skb));
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(retransmit_typed, const struct sock *sk, const struct sk_buff *skb)
{
	return retransmitted(sk, skb, true);
}

SEC("raw_tp/tcp_retransmit_skb")
int retransmit_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return retransmitted((const struct sock *)ctx->args[0],
			     (const struct sk_buff *)ctx->args[1], false);
}
