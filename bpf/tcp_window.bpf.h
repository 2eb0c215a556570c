/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: windows of the connections at work, as one look finds them, into the sums and histograms of all and
 * of the remote host.
 */
#ifndef LIMPET_TCP_WINDOW_BPF_H
#define LIMPET_TCP_WINDOW_BPF_H

#include "tcp_sums.bpf.h"

#define INFINITE_SSTHRESH_ 0x7fffffff

#define LN_TABLE 1024
#define LN2_Q20	 726817 /* ln(2) * 2^20 */

/* ln(i) * 2^20, made by user space: no floats here. Defined in tcp_look.bpf.c. */
extern const volatile __u32 ln_q20[LN_TABLE];

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

struct window {
	__u32 cwnd, ssthresh, srtt_us;
};

static __always_inline void add_window(const struct window *v, struct remote *r)
{
	__u32 cwnd = v->cwnd ?: 1, ln = ln_of(cwnd), slot = current_seq & 1, i;
	__u64 *sums[2] = {this_look(&all_sockets), this_look(&r->t)};

	for (int k = 0; k < 2; k++) {
		__u64 *w = sums[k];

		w[LOOK_ACTIVE]++;
		w[LOOK_LN_CWND] += ln;
		w[LOOK_SRTT] += v->srtt_us >> 3;
		if (v->ssthresh < INFINITE_SSTHRESH_) {
			w[LOOK_SSTHRESH] += v->ssthresh;
			w[LOOK_SSTHRESH_N]++;
		}
	}
	if (!tcp.cwnd_min[slot] || cwnd < tcp.cwnd_min[slot])
		tcp.cwnd_min[slot] = cwnd;
	if (!r->cwnd_min[slot] || cwnd < r->cwnd_min[slot])
		r->cwnd_min[slot] = cwnd;
	i = bucket_of(cwnd, CWND_SUB_BITS);
	if (i > CWND_BUCKETS - 1)
		i = CWND_BUCKETS - 1;
	asm volatile("" : "+r"(i));
	tcp.cwnd[i & (CWND_BUCKETS - 1)]++;
	i = bucket_of(cwnd, REMOTE_CWND_SUB_BITS);
	if (i > REMOTE_CWND_BUCKETS - 1)
		i = REMOTE_CWND_BUCKETS - 1;
	asm volatile("" : "+r"(i));
	r->cwnd[i & (REMOTE_CWND_BUCKETS - 1)]++;
}

/* If the socket is established, and has sent since `then` or waits to hear that it arrived. */
static __always_inline void look_at(struct sock_row *row, __u64 sk, __u32 then)
{
	const struct tcp_sock *tp = (const void *)sk;
	__u32 now = (__u32)bpf_jiffies64();
	struct window v = {};
	struct remote *r;
	__u16 host = row->host;

	if (!host || host > HOSTS ||
	    BPF_CORE_READ((struct sock *)sk, __sk_common.skc_state) != TCP_ESTABLISHED_)
		return;
	/* By ages, which a socket that was idle for months has as well. */
	if (!BPF_CORE_READ(tp, packets_out) && now - BPF_CORE_READ(tp, lsndtime) > now - then)
		return;
	v.cwnd = BPF_CORE_READ(tp, snd_cwnd);
	v.ssthresh = BPF_CORE_READ(tp, snd_ssthresh);
	v.srtt_us = BPF_CORE_READ(tp, srtt_us);
	r = remote_at(host - 1);
	if (!r || __sync_fetch_and_add(&row->sk, 0) != sk)
		return;
	if (host == HOSTS)
		tcp.remotes_refused++;
	add_window(&v, r);
}

#endif
