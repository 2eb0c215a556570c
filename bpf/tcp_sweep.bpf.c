// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* TCP: the part of the sweep that submits the sums over all sockets, and those of each remote host. */
#include "tcp_sums.bpf.h"

const volatile __u64 remote_idle_ns = 600000000000; /* without a socket: room for another host */

static struct remote_record out;
static const struct remote no_remote;
static __u32 lives;
static __u64 done; /* the last whole look when this sweep began: one may end while it runs */

/* Submits a remote host that has sockets, or had some since it was submitted last. */
static __always_inline bool sweep_one(struct remote *r, __u64 now)
{
	__u64 *w = (__u64 *)&out.sums, sum = 0;

	totals(&r->t, w, done);
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
	__u64 idle_ns;

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
	if (sweep_one(r, *now))
		return 0;
	idle_ns = *now - r->used_ns;
	if (i < MAX_REMOTES && idle_ns > remote_idle_ns)
		forget_remote(i, r);
	return 0;
}

SEC("syscall")
int sweep_tcp(struct sweep_args *args)
{
	__u64 now = bpf_ktime_get_ns();

	part_of(args);
	done = __sync_fetch_and_add(&look_done, 0);
	looks_publish(&tcp, look_counts, done);
	totals(&all_sockets, (__u64 *)&tcp.sums, done);
	if (done)
		bpf_loop(HOSTS, sweep_remote, &now, 0);
	submit(&tcp, sizeof(tcp), &tcp.head, REC_TCP);
	tcp.cwnd_min[(current_seq + 1) & 1] = 0;
	return 0;
}
