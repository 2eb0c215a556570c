// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * TCP: looks. Ten times a second user space runs look_tcp, which reads the windows of connections at
 * work, a share of them by turns where there are very many; once a second with a walk, which brings
 * the counters of all connections up to date, and finds which are at work: an idle one costs it one
 * read. All this is done by one thread; only the hooks of tcp.bpf.c come in between.
 */
#include "tcp.bpf.h"

#define INFINITE_SSTHRESH_ 0x7fffffff

#define LN_TABLE 1024
#define LN2_Q20	 726817 /* ln(2) * 2^20 */

const volatile __u32 ln_q20[LN_TABLE]; /* ln(i) * 2^20, made by user space: no floats here */
const volatile __u64 remote_idle_ns = 600000000000; /* without a socket: room for another host */
/* Connections whose windows one look reads; what ten looks at them cost is in limpet-probe(8). */
const volatile __u32 most_looked = 2000;

/* Looks by number; the last one that got to its end. */
static __u64 look_id, look_done;
static __u32 walk_id;

/*
 * Jiffies of the last look's and the last walk's begin: a connection whose last data segment is younger
 * than the last look is active, and one with data under way. The window of an idle one says nothing
 * about now.
 */
static __u32 look_jiffies, last_look_jiffies, last_walk_jiffies;

/* When the first look was, and UNREAD_NS in jiffies: how many there are in a second is seen, and not
 * known before as long a time has passed (0). */
static __u64 first_ns;
static __u64 first_jiffies;
static __u32 unread_jiffies;

static __u64 fresh_tail, closed_tail;
static __u32 n_at_work, turn;
static __u32 here[HOSTS + 1]; /* sockets of each host in this walk; [0] unused */
static struct remote_record out;
static const struct remote no_remote;
static __u32 lives;

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

/* ---- what looks add up ---- */

static __always_inline bool whole(const struct look_sums *p)
{
	return p->id && p->id <= look_done;
}

/* Where this look adds up. */
static __always_inline __u64 *this_look(struct tally *t)
{
	struct look_sums *p = &t->look[look_id & 1];

	if (p->id != look_id) {
		for (int i = 0; i < LOOKS; i++) {
			if (whole(p))
				t->looks[i] += p->w[i];
			p->w[i] = 0;
		}
		p->id = look_id;
	}
	return p->w;
}

/* The totals of a tally; of looks, as the last whole one left them. */
static __always_inline void totals(struct tally *t, __u64 *w)
{
	for (int i = 0; i < COUNTERS; i++)
		w[i] = t->c[i];
	for (int i = 0; i < LOOKS; i++) {
		w[COUNTERS + i] = t->looks[i];
		if (whole(&t->look[0]))
			w[COUNTERS + i] += t->look[0].w[i];
		if (whole(&t->look[1]))
			w[COUNTERS + i] += t->look[1].w[i];
	}
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

/* ---- windows ---- */

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

/* ---- those at work ---- */

static __always_inline void join(struct sock_counts *s, __u32 row)
{
	struct sock_rings *r = rings_at(n_at_work);

	if (!r || s->place)
		return;
	r->at_work = row;
	s->place = ++n_at_work;
	s->quiet = 0;
}

/* The last of the list comes to its place. */
static __always_inline void leave(struct sock_counts *s)
{
	struct sock_rings *mine = rings_at(s->place - 1), *last = rings_at(n_at_work - 1);
	struct sock_counts *moved;

	if (!s->place || !n_at_work || !mine || !last)
		return;
	moved = counts_at(last->at_work);
	mine->at_work = last->at_work;
	if (moved)
		moved->place = s->place;
	s->place = 0;
	n_at_work--;
}

/* The row is nobody's any more, and no hook comes back to it. */
static __always_inline void vacate(__u32 row)
{
	struct sock_counts *s = counts_at(row);
	struct sock_rings *r = rings_at(vacant_tail);

	if (!s || !r)
		return;
	if (s->place)
		leave(s);
	r->vacant = row;
	vacant_tail++;
	__sync_fetch_and_add(&rows_vacant, 1);
}

static long take_fresh(__u32 i, void *ctx)
{
	struct sock_rings *r = rings_at(fresh_tail);
	struct sock_counts *s;
	__u32 row;

	if (!r || !r->fresh)
		return 1; /* told, but not written yet */
	row = r->fresh - 1;
	r->fresh = 0;
	fresh_tail++;
	s = counts_at(row);
	if (s)
		join(s, row);
	return 0;
}

static long take_closed(__u32 i, void *ctx)
{
	struct sock_rings *r = rings_at(closed_tail);
	__u32 row;

	if (!r || !r->closed)
		return 1;
	row = r->closed - 1;
	r->closed = 0;
	closed_tail++;
	vacate(row);
	return 0;
}

/* ---- the walk ---- */

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

static __always_inline bool is_idle(struct sock_row *row, __u32 i, __u64 sk)
{
	if (row->wake || !((i ^ walk_id) & (EXAMINED - 1)))
		return false;
	if (row->quiet >= QUIET_WALKS && ((i ^ walk_id) & (SELDOM - 1)))
		return true;
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

static __always_inline void walk(void)
{
	walk_id++;
	bpf_loop(rows_high, walk_one, NULL, 0);
	bpf_loop(HOSTS, settle_host, NULL, 0);
	last_walk_jiffies = look_jiffies;
	tcp.walks++;
	tcp.timed += unread_jiffies > 0;
}

/* ---- a look ---- */

static long look_one(__u32 i, void *ctx)
{
	struct sock_rings *r = rings_at((turn + i) % (n_at_work ?: 1));
	struct sock_row *row = r ? row_at(r->at_work) : NULL;
	__u64 sk = row ? row->sk : 0;

	if (!sk)
		return 0;
	if (row->host == HOST_NEW &&
	    BPF_CORE_READ((struct sock *)sk, __sk_common.skc_state) == TCP_ESTABLISHED_)
		row->host = (__u16)host_of_socket(
			sk, BPF_CORE_READ((struct sock *)sk, __sk_common.skc_num));
	look_at(row, sk, last_look_jiffies);
	return 0;
}

SEC("syscall")
int look_tcp(struct look_args *args)
{
	__u32 n;

	time_jiffies();
	look_id++;
	look_jiffies = (__u32)bpf_jiffies64();
	this_look(&all_sockets);
	bpf_loop(sock_capacity, take_fresh, NULL, 0);
	bpf_loop(sock_capacity, take_closed, NULL, 0);
	n = n_at_work < most_looked ? n_at_work : most_looked;
	if (last_look_jiffies)
		bpf_loop(n, look_one, NULL, 0);
	turn += n;
	tcp.at_work += n_at_work;
	tcp.looked += n;
	if (args->walk)
		walk();
	last_look_jiffies = look_jiffies;
	look_done = look_id;
	tcp.passes++;
	tcp.rows_refused = rows_refused;
	tcp.head.index = 1;
	return 0;
}

/* ---- sweep ---- */

/* Submits a remote host that has sockets, or had some since it was submitted last. */
static __always_inline bool sweep_one(struct remote *r, __u64 now)
{
	__u64 *w = (__u64 *)&out.sums, sum = 0;

	totals(&r->t, w);
	for (int i = 0; i <= COUNTERS; i++)
		sum += w[i];
	if (!r->live && sum == r->sent) {
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

/* Its place is another host's from now on. */
static __always_inline void forget_remote(__u32 i, struct remote *r)
{
	struct remote_key key = r->key;

	bpf_map_delete_elem(&remote_places, &key);
	bpf_map_update_elem(&remotes, &i, &no_remote, 0);
	remotes_full = 0;
}

static long sweep_remote(__u32 i, __u64 *now)
{
	struct remote *r = remote_at(i);

	if (!r)
		return 1;
	if (i == MAX_REMOTES) {
		__builtin_memset(&out.key, 0, sizeof(out.key));
		out.key.other = 1;
	} else {
		if (!r->taken)
			return 0;
		out.key = r->key;
	}
	if (!r->used_ns)
		r->used_ns = *now;
	if (!sweep_one(r, *now) && i<MAX_REMOTES && * now - r->used_ns> remote_idle_ns)
		forget_remote(i, r);
	return 0;
}

SEC("syscall")
int sweep_tcp(struct sweep_args *args)
{
	__u64 now = bpf_ktime_get_ns();

	part_of(args);
	totals(&all_sockets, (__u64 *)&tcp.sums);
	if (tcp.head.index)
		bpf_loop(HOSTS, sweep_remote, &now, 0);
	submit(&tcp, sizeof(tcp), &tcp.head, REC_TCP);
	tcp.cwnd_min[(current_seq + 1) & 1] = 0;
	return 0;
}
