// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * TCP: which connections there are. A tracepoint sees each come and go; two iterators find those that
 * were there before (of the network namespace, or of the descriptors of selected processes). Nothing
 * runs per packet. What was sent again is counted where it happens.
 */
#include "tcp_host.bpf.h"

#define AF_INET_       2
#define SOCK_STREAM_   1
#define IPPROTO_TCP_   6
#define IPPROTO_MPTCP_ 262

struct sock_rows sock_rows SEC(".maps");
struct sock_counts_map sock_counts SEC(".maps");
struct sock_rings_map sock_rings SEC(".maps");
struct remotes_map remotes SEC(".maps");
struct remote_places remote_places SEC(".maps");

const volatile __u32 sock_capacity = 1;
const volatile __u32 netns_inum;
const volatile bool retransmit_has_err; /* features.h */
const volatile bool by_cgroup;

/* Written by user space. */
__u32 n_ports;
__u16 ports[MAX_PORTS];
__u32 n_pids;
__u32 pids[MAX_PIDS];
__u32 by_pid;
__u32 dropping; /* a walk over all sockets drops those that the last one over them has not selected */
__u32 seeded;	/* those that were there before have a row */
__u32 seeding; /* enum seeding */
__u32 wanting; /* a connection has found no room */

/* The table of tcp.bpf.h. */
__u64 vacant_head, vacant_tail, fresh_head, closed_head;
__s64 rows_vacant; /* set by user space to sock_capacity before load */
__u32 rows_high;   /* no row in use from here on */
__u64 rows_refused;
__u32 remotes_full;
struct tally all_sockets;

/* Local ports that somebody listens on, or did once: the key of a connection must not change. */
__u64 listened[65536 / 64];

/* Where the row of a socket is. */
struct sock_place {
	__u32 claimed;
	__u32 place; /* plus 1; 0: none yet */
	__u32 found; /* the number of the last walk over descriptors or sockets that selected it */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sock_place);
} sock_places SEC(".maps");

static __always_inline void note_listener(__u16 port)
{
	if (port && !is_listened(port))
		__sync_fetch_and_or(listened_word(port), 1ULL << (port & 63));
}

/* ---- rows ---- */

/* Twice at most another one moves a counter in between: a look, and the hook that closes. */
#define TRIES 3

/* Moves a row's counter on; by how much, which is the caller's to add. Global, and so verified once. */
__noinline __u64 advance(struct sock_counts *s, __u32 i, __u64 now)
{
	__u32 k = i - WIDE, to = (__u32)now;

	asm volatile("" : "+r"(k)); /* or the verifier loses the bound */
	for (int try = 0; s && try < TRIES; try++) {
		if (i < WIDE) {
			__u64 *at = i ? &s->wide[1] : &s->wide[0], old = *(volatile __u64 *)at;

			if (now <= old)
				return 0;
			if (__sync_val_compare_and_swap(at, old, now) == old)
				return now - old;
		} else if (k < COUNTERS - WIDE) {
			__u32 *at = &s->narrow[k], old = *(volatile __u32 *)at;

			if ((__s32)(to - old) <= 0)
				return 0;
			if (__sync_val_compare_and_swap(at, old, to) == old)
				return to - old;
		}
	}
	return 0;
}

/* A row that nobody has; -1: there is none. */
static __always_inline __s64 take_row(void)
{
	struct sock_rings *r;
	__u64 at;

	if (__sync_fetch_and_add(&rows_vacant, -1) <= 0) {
		__sync_fetch_and_add(&rows_vacant, 1);
		if (seeding != SEED_AGAIN)
			__sync_fetch_and_add(&rows_refused, 1);
		wanting = 1;
		return -1;
	}
	at = __sync_fetch_and_add(&vacant_head, 1);
	if (at < sock_capacity)
		return at;
	r = rings_at(at);
	return r ? r->vacant : -1;
}

static __always_inline void raise_high(__u32 to)
{
	/* As often as there are processors that raise it at the same moment. */
	for (int try = 0; try < 64; try++) {
		__u32 high = *(volatile __u32 *)&rows_high;

		if (high >= to || __sync_val_compare_and_swap(&rows_high, high, to) == high)
			return;
	}
}

static __always_inline void tell_fresh(__u32 row)
{
	struct sock_rings *r = rings_at(__sync_fetch_and_add(&fresh_head, 1));

	if (r)
		r->fresh = row + 1;
}

/* Of user space: counts how often it has gone through the descriptors, or the sockets. */
__u32 finding;

/* Gives a socket its row, if it has none. `tp` is a pointer the verifier knows. */
static __always_inline void enter(struct tcp_sock *tp)
{
	struct sock_place *p =
		bpf_sk_storage_get(&sock_places, tp, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	__u64 c[COUNTERS] = {};
	struct sock_counts *s;
	struct sock_row *row;
	__s64 at;

	if (p)
		p->found = finding;
	if (!p || p->claimed || __sync_val_compare_and_swap(&p->claimed, 0, 1))
		return;
	at = take_row();
	row = at < 0 ? NULL : row_at((__u32)at);
	s = at < 0 ? NULL : counts_at((__u32)at);
	if (!row || !s) {
		p->claimed = 0;
		return;
	}
	if (seeding == SEED_BEFORE)
		read_counters(tp, c);
	for (int i = 0; i < WIDE; i++)
		s->wide[i] = c[i];
	for (int i = WIDE; i < COUNTERS; i++)
		s->narrow[i - WIDE] = (__u32)c[i];
	s->signature = s->quiet = s->una = s->una_jiffies = 0;
	row->segs_in = (__u32)c[C_SEGS_IN];
	row->host = HOST_NEW;
	row->wake = row->established = row->quiet = 0;
	p->place = (__u32)at + 1;
	__sync_lock_test_and_set(&row->sk, (__u64)tp);
	raise_high((__u32)at + 1);
	if (!seeding)
		tell_fresh((__u32)at);
}

/* ---- whose a socket is ---- */

static __always_inline bool in_netns(const struct sock *sk)
{
	return BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum) == netns_inum;
}

static __always_inline bool selected_process_runs(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	for (__u32 i = 0; i < MAX_PIDS; i++) {
		if (i >= n_pids)
			break;
		if (pids[i] == pid)
			return true;
	}
	return false;
}

/* Of cgroup v2: that of the process that made it; of one that was accepted, that of the one that listens. */
static __noinline bool in_cgroup(const struct sock *sk)
{
	struct cgroup *cg = NULL;

	if (!by_cgroup)
		return false;
	if (bpf_core_field_exists(struct sock, sk_cgrp_data))
		cg = BPF_CORE_READ(sk, sk_cgrp_data.cgroup);
	return cg && is_own_group(cg, BPF_CORE_READ(cg, level), CGROUP_OF_SOCKETS);
}

/*
 * MPTCP: a process has a descriptor of the socket that its connections, which are TCP sockets, are parts of.
 * Those of processes that were selected are known here as long as they are found by the walks: the value is
 * the walk's number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} mptcp_sockets SEC(".maps");

static __noinline bool is_of_mptcp(struct tcp_sock *tp)
{
	struct mptcp_subflow_context *subflow;
	__u64 whole;
	__u32 *found;

	if (!bpf_core_field_exists(struct mptcp_subflow_context, conn) ||
	    !bpf_core_field_exists(struct inet_connection_sock, icsk_ulp_data) ||
	    !bpf_core_field_exists(struct tcp_sock, is_mptcp) || !BPF_CORE_READ(tp, is_mptcp))
		return false;
	subflow = BPF_CORE_READ(tp, inet_conn.icsk_ulp_data);
	whole = (__u64)BPF_CORE_READ(subflow, conn);
	found = bpf_map_lookup_elem(&mptcp_sockets, &whole);
	/* One that no walk has found lately may be another's by now. */
	return found && finding - *found <= 1;
}

/* A connection that was accepted is of the process that listened. */
static __always_inline bool is_selected(struct sock *sk, __u16 port)
{
	return !selective() || (by_pid && is_listened(port)) || in_cgroup(sk);
}

/* ---- those that go ---- */

static __always_inline void add_all(__u32 host, const __u64 *more)
{
	struct remote *r = host && host <= HOSTS ? remote_at(host - 1) : NULL;

	for (int i = 0; i < COUNTERS; i++) {
		add_to(&all_sockets, i, more[i]);
		if (r)
			add_to(&r->t, i, more[i]);
	}
}

static __always_inline void closed(struct sock *sk, __u16 port)
{
	struct sock_place *p = bpf_sk_storage_get(&sock_places, sk, NULL, 0);
	__u64 c[COUNTERS], more[COUNTERS];
	struct sock_counts *s;
	struct sock_rings *r;
	struct sock_row *row;
	__u32 at, host;

	read_counters((struct tcp_sock *)sk, c);
	if (!p || !p->place) {
		/* It never stood, or found no room. */
		host = seeded && is_selected(sk, port) ? host_of_socket((__u64)sk, port)
						       : HOST_IGNORED;
		if (host != HOST_IGNORED)
			add_all(host, c);
		return;
	}
	at = p->place - 1;
	row = row_at(at);
	s = counts_at(at);
	if (!row || !s || __sync_val_compare_and_swap(&row->sk, (__u64)sk, 0) != (__u64)sk)
		return;
	for (int i = 0; i < COUNTERS; i++)
		more[i] = advance(s, i, c[i]);
	host = row->host ?: host_of_socket((__u64)sk, port);
	if (host != HOST_IGNORED)
		add_all(host, more);
	/* It may connect again, and is another connection then. */
	bpf_sk_storage_delete(&sock_places, sk);
	r = rings_at(__sync_fetch_and_add(&closed_head, 1));
	if (r)
		r->closed = at + 1;
}

/* ---- those that were there before ---- */

/* One that is selected no longer: as if it had closed. */
static __always_inline void drop(struct tcp_sock *tp)
{
	struct sock_place *p = bpf_sk_storage_get(&sock_places, tp, NULL, 0);

	if (p && p->place && p->found != finding)
		closed((struct sock *)tp,
		       bpf_ntohs(BPF_CORE_READ(tp, inet_conn.icsk_inet.inet_sport)));
}

SEC("iter/tcp")
int tcp_seed(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	struct tcp_sock *tp;

	/* What waits for the last FIN, and requests, are no full sockets. */
	tp = skc ? bpf_skc_to_tcp_sock(skc) : NULL;
	if (!tp)
		return 0;
	if (dropping) {
		drop(tp);
		return 0;
	}
	if (skc->skc_state == TCP_LISTEN_) {
		if (!selective() || in_cgroup((struct sock *)tp))
			note_listener(skc->skc_num);
		return 0;
	}
	if (skc->skc_state != TCP_CLOSE_ && port_selected(skc->skc_num) &&
	    (is_selected((struct sock *)tp, skc->skc_num) || (by_pid && is_of_mptcp(tp))))
		enter(tp);
	return 0;
}

/* The same for the descriptors of one process: again and again, for it may be given some. */
SEC("iter/task_file")
int tcp_seed_pid(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct tcp_sock *tp;
	struct socket *so;
	struct sock *sk;
	__u64 whole;

	so = file ? bpf_sock_from_file(file) : NULL;
	if (!so || so->type != SOCK_STREAM_)
		return 0;
	sk = so->sk;
	if (!sk ||
	    (sk->__sk_common.skc_family != AF_INET_ && sk->__sk_common.skc_family != AF_INET6_) ||
	    !in_netns(sk))
		return 0;
	/* Of MPTCP the descriptor's socket listens, and is the whole of connections that are TCP sockets. */
	if (sk->__sk_common.skc_state == TCP_LISTEN_) {
		if (sk->sk_protocol == IPPROTO_TCP_ || sk->sk_protocol == IPPROTO_MPTCP_)
			note_listener(sk->__sk_common.skc_num);
		return 0;
	}
	if (sk->sk_protocol == IPPROTO_MPTCP_) {
		whole = (__u64)sk;
		bpf_map_update_elem(&mptcp_sockets, &whole, (__u32 *)&finding, BPF_ANY);
		return 0;
	}
	tp = bpf_skc_to_tcp_sock(sk);
	if (tp && sk->__sk_common.skc_state != TCP_CLOSE_ && port_selected(sk->__sk_common.skc_num))
		enter(tp);
	return 0;
}

/* ---- what is sent again ---- */

/* Segments in one buffer: the event is per buffer, TcpRetransSegs counts segments. */
static __always_inline __u32 segments_of(const struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (void *)skb + bpf_core_field_offset(struct sk_buff, cb);
	__u16 segments = BPF_CORE_READ(cb, tcp_gso_segs);

	return segments ?: 1;
}

/* The row is examined at the next walk, though nothing may come back. False: the other end counts. */
static __always_inline bool wake(struct sock *sk)
{
	struct sock_place *p = bpf_sk_storage_get(&sock_places, sk, NULL, 0);
	struct sock_row *row = p && p->place ? row_at(p->place - 1) : NULL;

	if (!row)
		return !selective();
	row->wake = 1;
	return row->host != HOST_IGNORED;
}

/* The third argument, which kernels before 6.17 do not have: there the branch is cut off at load. */
SEC("tp_btf/tcp_retransmit_skb")
int retransmit_typed(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	__u16 port = BPF_CORE_READ(sk, __sk_common.skc_num);
	bool counts;

	if (!in_netns(sk) || !port_selected(port))
		return 0;
	counts = wake(sk) || (selective() && is_selected(sk, port));
	if (retransmit_has_err && (int)ctx[2])
		return 0;
	if (counts)
		__sync_fetch_and_add(&tcp.retransmits, segments_of((const struct sk_buff *)ctx[1]));
	return 0;
}

/* Cannot tell whose a socket is: not used where they are selected by that. */
SEC("raw_tp/tcp_retransmit_skb")
int retransmit_raw(struct bpf_raw_tracepoint_args *ctx)
{
	const struct sock *sk = (const struct sock *)ctx->args[0];

	if (retransmit_has_err && (int)ctx->args[2])
		return 0;
	if (in_netns(sk) && port_selected(BPF_CORE_READ(sk, __sk_common.skc_num)))
		__sync_fetch_and_add(&tcp.retransmits,
				     segments_of((const struct sk_buff *)ctx->args[1]));
	return 0;
}

/* ---- those that come and go, as it happens ---- */

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tcp_state, struct sock *sk, int before, int now)
{
	struct tcp_sock *tp;
	__u16 port;

	if ((now != TCP_ESTABLISHED_ && now != TCP_CLOSE_ && now != TCP_LISTEN_ &&
	     now != TCP_SYN_SENT_) ||
	    BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP_ || !in_netns(sk))
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	/* Not skc_num, which a closing socket has given back already. */
	port = bpf_ntohs(BPF_CORE_READ(tp, inet_conn.icsk_inet.inet_sport));
	if (now == TCP_LISTEN_) {
		if (!selective() || (by_pid && selected_process_runs()) || in_cgroup(sk))
			note_listener(BPF_CORE_READ(sk, __sk_common.skc_num));
	} else if (now == TCP_CLOSE_) {
		if (before != TCP_LISTEN_ && before != TCP_CLOSE_ && port_selected(port))
			closed(sk, port);
	} else if (now == TCP_SYN_SENT_) {
		/* The one moment at which it is told who connects; which port it will have is not. */
		if (by_pid && !n_ports && selected_process_runs())
			enter(tp);
	} else if (port_selected(BPF_CORE_READ(sk, __sk_common.skc_num)) &&
		   (is_selected(sk, BPF_CORE_READ(sk, __sk_common.skc_num)) ||
		    (by_pid && is_of_mptcp(tp)))) {
		enter(tp);
	}
	return 0;
}
