/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: the walk, once a second: it brings the counters of all connections up to date, finds which are at
 * work, and which nobody reads or acknowledges. An idle one costs it one read.
 */
#ifndef LIMPET_TCP_WALK_BPF_H
#define LIMPET_TCP_WALK_BPF_H

#include "tcp_host.bpf.h"
#include "tcp_window.bpf.h"
#include "tcp_work.bpf.h"

static __u32 walk_id;
static bool every_row; /* of this walk: none is left out, and what it has sent is read, too */
static __u32 here[HOSTS + 1]; /* sockets of each host in this walk; [0] unused */

/* Jiffies of this look's and of the last walk's begin. */
static __u32 look_jiffies, last_walk_jiffies;

/* UNREAD_NS in jiffies: how many there are in a second is seen, and not known before as long a time has
 * passed (0). */
static __u32 unread_jiffies;

static __always_inline __u32 signature_of(const struct sock_common *skc)
{
	__u32 ports = BPF_CORE_READ(skc, skc_dport) ^ (__u32)BPF_CORE_READ(skc, skc_num) << 16;

	return (BPF_CORE_READ(skc, skc_hash) ^ ports) ?: 1;
}

/*
 * Whether the socket is the one the row was made for. The hook may have missed its end (the kernel runs
 * no program inside itself, and counts that); then what is at its address is another one, or closed.
 */
static __always_inline bool is_same(struct sock_row *row, struct sock_counts *s, __u64 sk,
				    __u32 state)
{
	__u32 signature = signature_of((const void *)sk);

	if (!s->signature && state != TCP_SYN_SENT_ && state != TCP_SYN_RECV_)
		s->signature = signature;
	return state != TCP_CLOSE_ && (!s->signature || s->signature == signature);
}

struct progress {
	__u32 una, write_seq, rcv_nxt, copied_seq, received, packets_out, sent;
};

static __always_inline void read_progress(const struct tcp_sock *tp, struct progress *p)
{
	p->una = BPF_CORE_READ(tp, snd_una);
	p->write_seq = BPF_CORE_READ(tp, write_seq);
	p->rcv_nxt = BPF_CORE_READ(tp, rcv_nxt);
	p->copied_seq = BPF_CORE_READ(tp, copied_seq);
	p->received = BPF_CORE_READ(tp, inet_conn.icsk_ack.lrcvtime);
	p->packets_out = BPF_CORE_READ(tp, packets_out);
	p->sent = BPF_CORE_READ(tp, lsndtime);
}

/* Whether nothing of what it wants to send was acknowledged for as long as UNREAD_NS. */
static __always_inline bool is_stalled(struct sock_counts *s, const struct progress *p, __u32 now)
{
	if (!s->waits || p->una != s->una || p->write_seq == p->una) {
		s->una = p->una;
		s->una_jiffies = now;
	}
	s->waits = p->write_seq != p->una;
	return unread_jiffies && s->waits && now - s->una_jiffies >= unread_jiffies;
}

static __always_inline bool is_unread(const struct progress *p, __u16 port, __u32 now)
{
	return unread_jiffies && p->rcv_nxt != p->copied_seq && is_listened(port) &&
	       now - p->received >= unread_jiffies;
}

/* What the socket has counted since it was examined last; whether there was any segment. */
static __always_inline bool add_counters(struct sock_row *row, struct sock_counts *s,
					 const __u64 *c, struct remote *r)
{
	__u64 more;
	bool any = false;

	for (int i = 0; i < COUNTERS; i++) {
		more = advance(s, i, c[i]);
		add_to(&all_sockets, i, more);
		add_to(&r->t, i, more);
		any |= i >= WIDE && more;
	}
	row->segs_in = (__u32)c[C_SEGS_IN];
	return any;
}

static __always_inline void count_here(__u32 host)
{
	asm volatile("" : "+r"(host)); /* or the 6.1 verifier loses the bound */
	if (host < HOSTS + 1)
		here[host]++;
}

static __noinline long examine(__u32 at)
{
	struct sock_row *row = row_at(at);
	struct sock_counts *s = counts_at(at);
	__u64 sk = row ? row->sk : 0, c[COUNTERS], *w, *a;
	const struct sock_common *skc = (const void *)sk;
	__u32 state, now;
	struct progress p;
	struct remote *r;
	bool busy;

	if (!row || !s || !sk)
		return 0;
	state = BPF_CORE_READ(skc, skc_state);
	if (!is_same(row, s, sk, state)) {
		if (__sync_val_compare_and_swap(&row->sk, sk, 0) == sk)
			vacate(at);
		return 0;
	}
	if (row->host == HOST_NEW && state != TCP_SYN_SENT_)
		row->host = (__u16)host_of_socket(sk, BPF_CORE_READ(skc, skc_num));
	r = row->host && row->host <= HOSTS ? remote_at(row->host - 1) : NULL;
	if (!r) {
		row->segs_in = BPF_CORE_READ((struct tcp_sock *)sk, segs_in);
		if (row->host == HOST_IGNORED && s->place)
			leave(s);
		return 0;
	}
	read_counters((const void *)sk, c);
	read_progress((const void *)sk, &p);
	/* From here on: it was this row's, when it was read. */
	if (__sync_fetch_and_add(&row->sk, 0) != sk)
		return 0;
	now = (__u32)bpf_jiffies64();
	busy = add_counters(row, s, c, r) || p.packets_out;
	row->established = state == TCP_ESTABLISHED_;
	if (row->established) {
		a = this_look(&all_sockets);
		w = this_look(&r->t);
		if (is_stalled(s, &p, now)) {
			a[LOOK_STALLED]++;
			w[LOOK_STALLED]++;
		}
		if (is_unread(&p, BPF_CORE_READ(skc, skc_num), now)) {
			a[LOOK_UNREAD]++;
			w[LOOK_UNREAD]++;
		}
		count_here(row->host);
	}
	s->quiet = busy ? 0 : s->quiet + 1;
	if (busy)
		row->quiet = 0;
	if (busy && !s->place) {
		if (last_walk_jiffies)
			look_at(row, sk, last_walk_jiffies);
		join(s, at);
	} else if (s->quiet > 1 && s->place) {
		leave(s);
	}
	row->wake = s->place || p.rcv_nxt != p.copied_seq || p.write_seq != p.una;
	return 0;
}

/* One in so many of the idle is examined all the same: whether it is what it was (is_same()). */
#define EXAMINED 64

/* One that was quiet for so many walks is read in one of so many: it may be noticed three walks late. */
#define QUIET_WALKS 60
#define SELDOM	    4

/* Whether it has sent since, which only an answer shows in segs_in. */
static __noinline bool has_sent(__u32 i, __u64 sk)
{
	struct sock_counts *s = counts_at(i);

	return s && BPF_CORE_READ((struct tcp_sock *)sk, segs_out) != s->narrow[C_SEGS_OUT - WIDE];
}

static __always_inline bool is_idle(struct sock_row *row, __u32 i, __u64 sk)
{
	if (row->wake || !((i ^ walk_id) & (EXAMINED - 1)))
		return false;
	if (!every_row && row->quiet >= QUIET_WALKS && ((i ^ walk_id) & (SELDOM - 1)))
		return true;
	if (every_row && row->host != HOST_IGNORED && has_sent(i, sk))
		return false;
	return BPF_CORE_READ((struct tcp_sock *)sk, segs_in) == row->segs_in;
}

static long walk_one(__u32 i, void *ctx)
{
	struct sock_row *row = row_at(i);
	__u64 sk = row ? row->sk : 0;
	__u16 host = row ? row->host : 0;

	if (!sk)
		return 0;
	if (!host || !is_idle(row, i, sk))
		return examine(i);
	if (row->quiet < QUIET_WALKS)
		row->quiet++;
	if (row->established)
		count_here(host);
	return 0;
}

/* How many sockets each host has, into this look's sums. */
static long settle_host(__u32 i, void *ctx)
{
	struct remote *r = remote_at(i);
	__u32 n;

	if (!r || i >= HOSTS)
		return 1;
	n = here[i + 1];
	r->live = n;
	if (!n)
		return 0;
	here[i + 1] = 0;
	this_look(&r->t)[LOOK_SOCKETS] += n;
	this_look(&all_sockets)[LOOK_SOCKETS] += n;
	return 0;
}

static __always_inline void walk(bool every)
{
	walk_id++;
	every_row = every;
	bpf_loop(rows_high, walk_one, NULL, 0);
	bpf_loop(HOSTS, settle_host, NULL, 0);
	last_walk_jiffies = look_jiffies;
}

#endif
