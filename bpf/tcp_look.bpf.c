// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * TCP: looks. Ten times a second user space runs look_tcp, which reads the windows of connections at
 * work, a share of them by turns where there are very many; once a second with a walk. All this is done
 * by one thread; only the hooks of tcp.bpf.c come in between.
 */
#include "tcp_walk.bpf.h"

const volatile __u32 ln_q20[LN_TABLE];
/* Connections whose windows one look reads; what ten looks at them cost is in limpet-probe(8). */
const volatile __u32 most_looked = 2000;

__u64 look_id, look_done;
struct look_counts look_counts[2];

/*
 * When the last look began: a connection whose last data segment is younger is active, and one with data
 * under way. The window of an idle one says nothing about now.
 */
static __u32 last_look_jiffies;

static __u64 first_ns, first_jiffies; /* when the first look was */
static __u32 turn;
static __u64 last_segments; /* all that were counted when the last look ended */

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

static __always_inline bool segments_moved(void)
{
	__u64 segments = all_sockets.c[C_SEGS_IN] + all_sockets.c[C_SEGS_OUT];
	bool moved = segments != last_segments;

	last_segments = segments;
	return moved;
}

SEC("syscall")
int look_tcp(struct look_args *args)
{
	__u64 before = fresh_tail + closed_tail;
	bool moved;
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
	args->at_work = n_at_work;
	args->looked = n;
	if (args->walk)
		walk(args->every);
	last_look_jiffies = look_jiffies;
	moved = segments_moved();
	args->any = moved || n_at_work || fresh_tail + closed_tail != before;
	tcp.rows_refused = rows_refused;
	looks_count(look_counts, look_id, args, unread_jiffies > 0);
	__sync_lock_test_and_set(&look_done, look_id);
	return 0;
}
