// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * TCP. An iterator that user space runs ten times a second (a pass) looks at every socket of the
 * selected network namespace, or of the selected processes, and adds up what it finds, over all
 * and by remote host; two tracepoints count retransmissions and keep what closed sockets had
 * counted. Nothing runs per packet, and but for selected processes nothing is kept per socket.
 *
 * The counters of a socket go with it when it closes. So a total is what closed sockets had, as it
 * was before the pass saw its first socket of that total, plus what the pass found in live ones. A
 * socket that closes on the way is missing from that pass, never counted twice, and the next pass
 * has it: a socket seen by the iterator is locked and still in the hash table, which it leaves
 * before its last change of state.
 */
#include <bpf/bpf_endian.h>

#include "probe.bpf.h"

#define AF_INET_	   2
#define AF_INET6_	   10
#define SOCK_STREAM_	   1
#define IPPROTO_TCP_	   6
#define INFINITE_SSTHRESH_ 0x7fffffff

enum {
	TCP_ESTABLISHED_ = 1,
	TCP_FIN_WAIT1_ = 4,
	TCP_CLOSE_ = 7,
	TCP_LAST_ACK_ = 9,
	TCP_LISTEN_ = 10
};

#define LN_TABLE 1024
#define LN2_Q20	 726817 /* ln(2) * 2^20 */

/* The two groups of struct socket_sums, as words. */
#define COUNTERS  8
#define LOOKS	  7
#define SUM_WORDS (COUNTERS + LOOKS)
enum {
	LOOK_SOCKETS = COUNTERS,
	LOOK_ACTIVE,
	LOOK_LN_CWND,
	LOOK_SRTT,
	LOOK_SSTHRESH,
	LOOK_SSTHRESH_N,
	LOOK_UNREAD
};
_Static_assert(sizeof(struct socket_sums) == SUM_WORDS * sizeof(__u64), "words of socket_sums");

const volatile __u32 netns_inum;
const volatile __u32 n_ports; /* 0: every port */
const volatile __u16 ports[MAX_PORTS];
const volatile __u32 n_pids; /* 0: sockets of any process */
const volatile __u32 pids[MAX_PIDS];
const volatile __u32 ln_q20[LN_TABLE];	/* ln(i) * 2^20, made by user space: no floats here */
const volatile bool retransmit_has_err; /* features.h */
const volatile __u64 remote_idle_ns = 600000000000; /* without a socket: room for another host */

/* Written by user space between passes. */
__u32 by_pid;	      /* the passes go by process, one part each */
__u32 pass_part;      /* which part comes next… */
__u32 pass_parts;     /* …of how many */
__u32 tcp_epoch;      /* another one: totals begin anew, other sockets are looked at */
__u32 closes_counted; /* whether the hook on closing sockets is attached */

/* Passes by number; the last one that got to its end; one that did not. */
static __u64 pass_id, pass_done, pass_broken;
static __u32 pass_epoch, epoch_passes;
static bool pass_full; /* no room for a further remote host was found */

/* Jiffies of this pass's and the last pass's begin: a socket whose last data segment is younger
 * than the last pass is active. The window of an idle socket says nothing about now. */
static __u32 pass_jiffies, last_pass_jiffies;

/* When the first pass was, and UNREAD_NS in jiffies: how many there are in a second is seen, and not
 * known before as long a time has passed (0). */
static __u64 first_ns;
static __u64 first_jiffies;
static __u32 unread_jiffies;

/* Local ports that somebody listens on, or did once: the key of a connection must not change. */
static __u64 listened[65536 / 64];

/* What one pass found: a sweep may come in the middle of the next, and must see whole passes. */
struct pass_sums {
	__u64 id;
	__u64 w[SUM_WORDS];
};

struct tally {
	__u64 closed[COUNTERS]; /* of closed sockets; by the hook, on any processor */
	__u64 looks[LOOKS];	/* of passes before those below */
	struct pass_sums pass[2];
};

struct remote {
	struct tally t;
	__u64 used_ns; /* when it last had a socket or a change */
	__u64 sent;    /* sum of the counters submitted last */
	__u32 life;    /* a number of its own: hosts go and come back */
	__u32 cwnd_min[2];
	__u32 cwnd[REMOTE_CWND_BUCKETS];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_REMOTES);
	__type(key, struct remote_key);
	__type(value, struct remote);
} remotes SEC(".maps");

/*
 * With selected processes only. The hook does not know whose a socket is: one that a pass has seen
 * has a mark. And a socket whose descriptor they have closed is not seen any more while it still
 * sends: what it had then is added to `closed` at once, and kept, so that only the rest follows.
 * Two maps, for the first is read for every socket of every pass and must stay small.
 */
struct mark {
	__u64 settled; /* something of it is in `closed` */
};

struct settled {
	__u64 c[COUNTERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct mark);
} marks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct settled);
} settled SEC(".maps");

static struct tally all;
static struct remote rest, new_remote;
static struct remote_record out;
static __u32 lives;

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

static __always_inline bool is_listened(__u16 port)
{
	return listened[port >> 6 & 1023] >> (port & 63) & 1;
}

static __always_inline void note_listener(__u16 port)
{
	if (port && !is_listened(port))
		__sync_fetch_and_or(&listened[port >> 6 & 1023], 1ULL << (port & 63));
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

/* ---- sockets ---- */

static __always_inline void read_counters(const struct tcp_sock *tp, __u64 *c, bool typed)
{
	c[0] = GET(typed, tp, bytes_received);
	c[1] = GET(typed, tp, bytes_acked);
	c[2] = GET(typed, tp, segs_in);
	c[3] = GET(typed, tp, segs_out);
	c[4] = GET(typed, tp, data_segs_in);
	c[5] = GET(typed, tp, data_segs_out);
	c[6] = GET(typed, tp, total_retrans);
	c[7] = GET(typed, tp, rcv_ooopack);
}

static __always_inline void make_key(const struct sock_common *skc, __u16 port,
				     struct remote_key *key, bool typed)
{
	__u32 a[4] = {0, 0, bpf_htonl(0xffff), 0};

	if (GET(typed, skc, skc_family) == AF_INET6_ &&
	    bpf_core_field_exists(struct sock_common, skc_v6_daddr)) {
		a[0] = GET(typed, skc, skc_v6_daddr.in6_u.u6_addr32[0]);
		a[1] = GET(typed, skc, skc_v6_daddr.in6_u.u6_addr32[1]);
		a[2] = GET(typed, skc, skc_v6_daddr.in6_u.u6_addr32[2]);
		a[3] = GET(typed, skc, skc_v6_daddr.in6_u.u6_addr32[3]);
	} else {
		a[3] = GET(typed, skc, skc_daddr);
	}
	__builtin_memcpy(key->addr, a, sizeof(a));
	key->port = n_ports || is_listened(port) ? port : 0;
	key->other = 0;
	key->pad = 0;
}

static __always_inline struct remote *remote_of(const struct remote_key *key)
{
	struct remote *r = bpf_map_lookup_elem(&remotes, key);

	if (r || pass_full)
		return r ?: &rest;
	if (bpf_map_update_elem(&remotes, key, &new_remote, BPF_NOEXIST) == -7 /* E2BIG */)
		pass_full = true;
	r = bpf_map_lookup_elem(&remotes, key);
	return r ?: &rest;
}

/* ---- passes ---- */

static __always_inline bool whole(const struct pass_sums *p)
{
	return p->id && p->id <= pass_done && p->id != pass_broken;
}

/* Where this pass adds up. */
static __always_inline struct pass_sums *this_pass(struct tally *t)
{
	struct pass_sums *p = &t->pass[pass_id & 1];

	if (p->id == pass_id)
		return p;
	for (int i = 0; i < LOOKS; i++) {
		if (whole(p))
			t->looks[i] += p->w[COUNTERS + i];
		p->w[COUNTERS + i] = 0;
	}
	for (int i = 0; i < COUNTERS; i++)
		p->w[i] = t->closed[i];
	p->id = pass_id;
	return p;
}

/* The totals of a tally as the last whole pass left them. True if that pass saw a socket of it. */
static __always_inline bool totals(struct tally *t, __u64 *w)
{
	struct pass_sums *last = &t->pass[pass_done & 1];
	bool seen = last->id && last->id == pass_done;

	for (int i = 0; i < COUNTERS; i++)
		w[i] = !closes_counted ? UNKNOWN : seen ? last->w[i] : t->closed[i];
	for (int i = 0; i < LOOKS; i++) {
		w[COUNTERS + i] = t->looks[i];
		if (whole(&t->pass[0]))
			w[COUNTERS + i] += t->pass[0].w[COUNTERS + i];
		if (whole(&t->pass[1]))
			w[COUNTERS + i] += t->pass[1].w[COUNTERS + i];
	}
	return seen;
}

static __always_inline void time_jiffies(void)
{
	__u64 now = bpf_ktime_get_ns(), jiffies = bpf_jiffies64(), ms;

	if (!first_ns) {
		first_ns = now;
		first_jiffies = jiffies;
	}
	ms = (now - first_ns) / 1000000;
	if (ms >= UNREAD_NS / 1000000)
		unread_jiffies = (jiffies - first_jiffies) * (UNREAD_NS / 1000000) / ms;
}

static __always_inline void pass_begin(void)
{
	time_jiffies();
	if (pass_id != pass_done)
		pass_broken = pass_id;
	pass_id++;
	pass_jiffies = (__u32)bpf_jiffies64();
	pass_full = false;
	if (pass_epoch != tcp_epoch) {
		pass_epoch = tcp_epoch;
		epoch_passes = 0;
	}
	this_pass(&all);
}

static __always_inline void pass_end(void)
{
	last_pass_jiffies = pass_jiffies;
	pass_done = pass_id;
	tcp.passes++;
	tcp.timed += unread_jiffies > 0;
	/* In the first pass a listener may come after its connections: their key changes. Totals of
	 * that pass are nobody's: neither the last epoch's nor yet this one's. */
	tcp.head.index = ++epoch_passes >= 2 ? pass_epoch : 0;
}

static __always_inline void add_window(struct tcp_sock *tp, struct remote *r, __u64 *a, __u64 *b)
{
	__u32 cwnd = tp->snd_cwnd ?: 1, ssthresh = tp->snd_ssthresh, ln = ln_of(cwnd), i;
	__u32 srtt = tp->srtt_us >> 3, slot = current_seq & 1;

	a[LOOK_ACTIVE]++;
	b[LOOK_ACTIVE]++;
	a[LOOK_LN_CWND] += ln;
	b[LOOK_LN_CWND] += ln;
	a[LOOK_SRTT] += srtt;
	b[LOOK_SRTT] += srtt;
	if (ssthresh < INFINITE_SSTHRESH_) {
		a[LOOK_SSTHRESH] += ssthresh;
		b[LOOK_SSTHRESH] += ssthresh;
		a[LOOK_SSTHRESH_N]++;
		b[LOOK_SSTHRESH_N]++;
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

/* The time is asked for last, for the socket may not be locked. */
static __always_inline bool is_unread(const struct tcp_sock *tp, __u16 port)
{
	__u32 received = tp->inet_conn.icsk_ack.lrcvtime;

	return unread_jiffies && tp->rcv_nxt != tp->copied_seq && is_listened(port) &&
	       (__u32)bpf_jiffies64() - received >= unread_jiffies;
}

/* Adds a socket to the pass, but for what of it counts as closed already. */
static __always_inline void look_at(struct sock_common *skc, struct tcp_sock *tp,
				    const struct settled *known)
{
	__u64 c[COUNTERS], *a, *b;
	__u32 now = (__u32)bpf_jiffies64();
	struct remote_key key;
	struct remote *r;

	make_key(skc, skc->skc_num, &key, true);
	r = remote_of(&key);
	if (r == &rest)
		tcp.remotes_refused++;
	/* Before the counters are read: what is in `closed` from now on is not in this pass. */
	a = this_pass(&all)->w;
	b = this_pass(&r->t)->w;
	read_counters(tp, c, true);
	for (int i = 0; i < COUNTERS; i++) {
		__u64 more = known ? c[i] - known->c[i] : c[i];

		a[i] += more;
		b[i] += more;
	}
	if (skc->skc_state != TCP_ESTABLISHED_)
		return;
	a[LOOK_SOCKETS]++;
	b[LOOK_SOCKETS]++;
	if (is_unread(tp, skc->skc_num)) {
		a[LOOK_UNREAD]++;
		b[LOOK_UNREAD]++;
	}
	/*
	 * By ages, which a socket that was idle for months has as well. And one whose segments are all
	 * lost sends ever more rarely: its window is what the others' averages must not hide.
	 */
	if (last_pass_jiffies && (tp->packets_out || now - tp->lsndtime <= now - last_pass_jiffies))
		add_window(tp, r, a, b);
}

SEC("iter/tcp")
int tcp_pass(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	struct tcp_sock *tp;

	/* The kernel has taken one for its heading: without a socket, -1 is all that comes. */
	if (ctx->meta->seq_num == 0 || (!skc && ctx->meta->seq_num == (__u64)-1))
		pass_begin();
	if (!skc) {
		pass_end();
		return 0;
	}
	if (skc->skc_state == TCP_LISTEN_) {
		note_listener(skc->skc_num);
		return 0;
	}
	/* What waits for the last FIN, and requests, are no full sockets. */
	if (skc->skc_state == TCP_CLOSE_ || !port_selected(skc->skc_num))
		return 0;
	tp = bpf_skc_to_tcp_sock(skc);
	if (tp)
		look_at(skc, tp, NULL);
	return 0;
}

/* The same for the descriptors of one process. Its sockets are not locked. */
SEC("iter/task_file")
int tcp_pass_pid(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct settled *known = NULL;
	struct tcp_sock *tp;
	struct socket *so;
	struct mark *mark;
	struct sock *sk;

	if (ctx->meta->seq_num == 0 && pass_part == 0)
		pass_begin();
	if (!file) {
		if (pass_part + 1 >= pass_parts)
			pass_end();
		return 0;
	}
	so = bpf_sock_from_file(file);
	if (!so || so->type != SOCK_STREAM_)
		return 0;
	sk = so->sk;
	if (!sk ||
	    (sk->__sk_common.skc_family != AF_INET_ && sk->__sk_common.skc_family != AF_INET6_))
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp || sk->__sk_common.skc_net.net->ns.inum != netns_inum)
		return 0;
	if (sk->__sk_common.skc_state == TCP_LISTEN_) {
		note_listener(sk->__sk_common.skc_num);
		return 0;
	}
	if (sk->__sk_common.skc_state == TCP_CLOSE_ || !port_selected(sk->__sk_common.skc_num))
		return 0;
	mark = bpf_sk_storage_get(&marks, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!mark)
		return 0;
	if (mark->settled) {
		known = bpf_sk_storage_get(&settled, sk, NULL, 0);
		if (!known)
			return 0;
	}
	look_at(&sk->__sk_common, tp, known);
	return 0;
}

/* ---- tracepoints ---- */

/* Segments in one buffer: the event is per buffer, TcpRetransSegs counts segments. */
static __always_inline __u32 segments_of(const struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (void *)skb + bpf_core_field_offset(struct sk_buff, cb);
	__u16 segments = BPF_CORE_READ(cb, tcp_gso_segs);

	return segments ?: 1;
}

static __always_inline bool in_netns(const struct sock *sk, bool typed)
{
	struct net *net =
		typed ? sk->__sk_common.skc_net.net : BPF_CORE_READ(sk, __sk_common.skc_net.net);

	return (typed ? net->ns.inum : BPF_CORE_READ(net, ns.inum)) == netns_inum;
}

/* The raw twins cannot look up what is kept by socket; user space does not use them so. */
static __always_inline bool of_selected_process(struct sock *sk, __u16 port, bool typed)
{
	if (!n_pids || !by_pid)
		return true;
	return typed && (bpf_sk_storage_get(&marks, sk, NULL, 0) || is_listened(port));
}

static __always_inline int retransmitted(struct sock *sk, const struct sk_buff *skb, bool typed)
{
	__u16 port = GET(typed, sk, __sk_common.skc_num);

	if (in_netns(sk, typed) && port_selected(port) && of_selected_process(sk, port, typed))
		__sync_fetch_and_add(&tcp.retransmits, segments_of(skb));
	return 0;
}

/* The third argument, which kernels before 6.17 do not have: there the branch is cut off at load. */
SEC("tp_btf/tcp_retransmit_skb")
int retransmit_typed(__u64 *ctx)
{
	if (retransmit_has_err && (int)ctx[2])
		return 0;
	return retransmitted((struct sock *)ctx[0], (const struct sk_buff *)ctx[1], true);
}

SEC("raw_tp/tcp_retransmit_skb")
int retransmit_raw(struct bpf_raw_tracepoint_args *ctx)
{
	if (retransmit_has_err && (int)ctx->args[2])
		return 0;
	return retransmitted((struct sock *)ctx->args[0], (const struct sk_buff *)ctx->args[1],
			     false);
}

static __always_inline void add_closed(struct tally *t, const __u64 *more)
{
	for (int i = 0; i < COUNTERS; i++)
		if (more[i])
			__sync_fetch_and_add(&t->closed[i], more[i]);
}

static __always_inline void closed(struct sock *sk, const struct tcp_sock *tp, __u16 port,
				   struct mark *mark, struct settled *known, bool typed)
{
	__u64 c[COUNTERS], more[COUNTERS];
	struct remote_key key;

	read_counters(tp, c, typed);
	for (int i = 0; i < COUNTERS; i++) {
		more[i] = known ? c[i] - known->c[i] : c[i];
		if (known)
			known->c[i] = c[i];
	}
	if (mark)
		mark->settled = 1; /* before it is added: no pass may take both */
	make_key(&sk->__sk_common, port, &key, typed);
	add_closed(&remote_of(&key)->t, more);
	add_closed(&all, more);
}

static __always_inline bool selected_process_listens(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (!n_pids || !by_pid)
		return true;
	for (__u32 i = 0; i < MAX_PIDS; i++) {
		if (i >= n_pids)
			break;
		if (pids[i] == pid)
			return true;
	}
	return false;
}

static __always_inline int state_changed(struct sock *sk, int before, int now, bool typed)
{
	struct tcp_sock *tp = typed ? bpf_skc_to_tcp_sock(sk) : (struct tcp_sock *)sk;
	struct settled *known = NULL;
	struct mark *mark = NULL;
	__u16 port;

	if (now != TCP_CLOSE_ && now != TCP_LISTEN_ &&
	    !(n_pids && by_pid && (now == TCP_FIN_WAIT1_ || now == TCP_LAST_ACK_)))
		return 0;
	if (!tp || GET(typed, sk, sk_protocol) != IPPROTO_TCP_ || !in_netns(sk, typed))
		return 0;
	/* Not skc_num, which a closing socket has given back already. */
	port = bpf_ntohs(GET(typed, tp, inet_conn.icsk_inet.inet_sport));
	if (now == TCP_LISTEN_) {
		if (selected_process_listens())
			note_listener(GET(typed, sk, __sk_common.skc_num));
		return 0;
	}
	if (before == TCP_LISTEN_ || before == TCP_CLOSE_ || !port_selected(port))
		return 0;
	if (typed && n_pids && by_pid) {
		mark = bpf_sk_storage_get(&marks, sk, NULL, 0);
		/* Never seen by a pass: one that lived between two of them. */
		if (!mark && (now != TCP_CLOSE_ || !is_listened(port)))
			return 0;
		known = mark ? bpf_sk_storage_get(&settled, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE)
			     : NULL;
		if (mark && !known && now != TCP_CLOSE_)
			return 0;
	}
	closed(sk, tp, port, mark, known, typed);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tcp_close_typed, struct sock *sk, int before, int now)
{
	return state_changed(sk, before, now, true);
}

SEC("raw_tp/inet_sock_set_state")
int tcp_close_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return state_changed((struct sock *)ctx->args[0], (int)ctx->args[1], (int)ctx->args[2],
			     false);
}

/* ---- sweep ---- */

/* Submits a remote host that has sockets, or had some since it was submitted last. */
static __always_inline bool sweep_one(struct remote *r, __u64 now)
{
	__u64 *w = (__u64 *)&out.sums, sum = 0;
	bool seen = totals(&r->t, w);

	for (int i = 0; i < COUNTERS; i++)
		sum += w[i];
	sum += w[LOOK_SOCKETS];
	if (!seen && sum == r->sent) {
		r->cwnd_min[(current_seq + 1) & 1] = 0;
		return false;
	}
	r->used_ns = now;
	if (!r->life)
		r->life = ++lives;
	out.head.index = r->life;
	out.cwnd_min[0] = r->cwnd_min[0];
	out.cwnd_min[1] = r->cwnd_min[1];
	for (int i = 0; i < REMOTE_CWND_BUCKETS; i++) {
		out.cwnd[i] = r->cwnd[i];
		barrier(); /* or clang makes it a memcpy(), which BPF does not have */
	}
	if (submit(&out, sizeof(out), &out.head, REC_REMOTE))
		r->sent = sum;
	r->cwnd_min[(current_seq + 1) & 1] = 0;
	return true;
}

static long sweep_remote(void *map, struct remote_key *key, struct remote *r, __u64 *now)
{
	struct remote_key k = *key;

	out.key = k;
	if (!sweep_one(r, *now) && *now - r->used_ns > remote_idle_ns)
		bpf_map_delete_elem(&remotes, &k);
	return 0;
}

static __always_inline void sweep_remotes(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (!tcp.head.index)
		return; /* no pass yet that totals can count from */
	bpf_for_each_map_elem(&remotes, sweep_remote, &now, 0);
	for (int i = 0; i < 16; i++) {
		out.key.addr[i] = 0;
		barrier();
	}
	out.key.port = 0;
	out.key.other = 1;
	sweep_one(&rest, now);
}

SEC("syscall")
int sweep_tcp(struct sweep_args *args)
{
	part_of(args);
	totals(&all, (__u64 *)&tcp.sums);
	sweep_remotes();
	submit(&tcp, sizeof(tcp), &tcp.head, REC_TCP);
	tcp.cwnd_min[(current_seq + 1) & 1] = 0;
	return 0;
}
