/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: what tcp.bpf.c, which knows when connections come and go, and tcp_look.bpf.c, which looks at
 * them, share.
 *
 * A table has a row for every connection that is looked at: the socket's address, and its counters as
 * they were when they were added to the totals last. So a total only ever grows, by differences, and
 * whoever adds a difference (a look, or the hook on a closing socket) has moved the row's counter from
 * the old value to the new one by a compare and exchange: each is added once, however many hold a
 * descriptor of it. Storage on the socket leads from it to its row.
 *
 * A look reads a socket by its address, which cannot fault, and then asks whether the row is still
 * that socket's: the hook takes the address out before the socket can become anything else.
 */
#ifndef LIMPET_TCP_BPF_H
#define LIMPET_TCP_BPF_H

#include <bpf/bpf_endian.h>

#include "cgroup.bpf.h"

#define AF_INET6_ 10

enum {
	TCP_ESTABLISHED_ = 1,
	TCP_SYN_SENT_ = 2,
	TCP_SYN_RECV_ = 3,
	TCP_CLOSE_ = 7,
	TCP_LISTEN_ = 10
};

/* Of the counters, the first ones: 64 bits, the others 32. */
#define WIDE	   2
#define C_SEGS_IN  2
#define C_SEGS_OUT 3
#define C_DATA_OUT 5
#define COUNTERS   SUM_COUNTERS
#define LOOKS	   SUM_LOOKS
#define SUM_WORDS  (COUNTERS + LOOKS)
enum {
	LOOK_SOCKETS,
	LOOK_ACTIVE,
	LOOK_LN_CWND,
	LOOK_SRTT,
	LOOK_SSTHRESH,
	LOOK_SSTHRESH_N,
	LOOK_UNREAD,
	LOOK_STALLED
};
_Static_assert(sizeof(struct socket_sums) == SUM_WORDS * sizeof(__u64), "words of socket_sums");

/* Of sock_row.host: not known yet; one end of a connection within this host whose other end counts;
 * else a place among the remote hosts, plus 1, of which the last is those that found no room. */
#define HOST_NEW     0
#define HOST_IGNORED 0xffff
#define HOSTS	     (MAX_REMOTES + 1)

/* What the walk over all rows reads of each, small, for most of them are idle. */
struct sock_row {
	__u64 sk;      /* address; 0: free, or about to be */
	__u32 segs_in; /* when it was examined last */
	__u16 host;
	__u8 wake;	      /* examine it at the next walk, whatever segs_in is */
	__u8 established : 1, /* then */
		quiet : 7;    /* walks since it had a segment, 60 at most */
};

struct sock_counts {
	__u64 wide[WIDE];
	__u32 narrow[COUNTERS - WIDE];
	__u32 signature;   /* of its addresses and ports; 0: not known yet */
	__u32 place;	   /* among those at work, plus 1; 0: is not */
	__u32 quiet;	   /* walks without a segment */
	__u32 una;	   /* first byte not acknowledged */
	__u32 una_jiffies; /* since when */
	__u32 waits;	   /* it had some when it was examined last */
};

/* Rings as long as the table, and the list of those at work. */
struct sock_rings {
	__u32 vacant; /* rows that have become free; the first ones are taken in order */
	__u32 fresh;  /* rows of new connections, plus 1; 0: not written yet */
	__u32 closed; /* rows of closed ones, the same */
	__u32 at_work;
};

#define SOCK_TABLE(name, type_of_value)           \
	struct name {                             \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__type(key, __u32);               \
		__type(value, type_of_value);     \
	}
SOCK_TABLE(sock_rows, struct sock_row);
SOCK_TABLE(sock_counts_map, struct sock_counts);
SOCK_TABLE(sock_rings_map, struct sock_rings);

struct remote {
	struct tally t;
	struct remote_key key;
	__u64 used_ns; /* when it last had a socket or a change */
	__u64 sent;    /* sum of the counters submitted last */
	__u32 taken;
	__u32 live; /* sockets in the last walk */
	__u32 life; /* a number of its own: hosts go and come back */
	__u32 cwnd_min[2];
	__u32 cwnd[REMOTE_CWND_BUCKETS];
	__u32 pad;
};
SOCK_TABLE(remotes_map, struct remote);

/* Defined in tcp.bpf.c. */
extern struct sock_rows sock_rows SEC(".maps");
extern struct sock_counts_map sock_counts SEC(".maps");
extern struct sock_rings_map sock_rings SEC(".maps");
extern struct remotes_map remotes SEC(".maps");
struct remote_places {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_REMOTES);
	__type(key, struct remote_key);
	__type(value, __u32);
};
extern struct remote_places remote_places SEC(".maps");
extern const volatile __u32 sock_capacity; /* rows, a power of two */
extern __u32 n_ports;			   /* 0: every port */
extern __u16 ports[MAX_PORTS];
extern __u32 by_pid;		      /* sockets of processes… */
extern const volatile bool by_cgroup; /* …and those of cgroups; neither: all of the namespace */
extern __u32 remotes_full;	      /* no place was found, and none has become free since */
extern __u64 vacant_tail, fresh_head, closed_head, rows_refused;
extern __s64 rows_vacant;
extern __u32 rows_high;
extern __u64 listened[65536 / 64];
extern struct tally all_sockets;

/* Not every socket of the namespace. */
static __always_inline bool selective(void)
{
	return by_pid || by_cgroup;
}

static __always_inline struct sock_row *row_at(__u32 i)
{
	return bpf_map_lookup_elem(&sock_rows, &i);
}

static __always_inline struct sock_counts *counts_at(__u32 i)
{
	return bpf_map_lookup_elem(&sock_counts, &i);
}

static __always_inline struct sock_rings *rings_at(__u64 at)
{
	__u32 i = (__u32)at & (sock_capacity - 1);

	return bpf_map_lookup_elem(&sock_rings, &i);
}

static __always_inline struct remote *remote_at(__u32 i)
{
	return bpf_map_lookup_elem(&remotes, &i);
}

/* Of `listened`. */
static __always_inline __u64 *listened_word(__u16 port)
{
	__u32 i = port >> 6;

	asm volatile("" : "+r"(i)); /* or the 6.1 verifier loses the bound */
	return &listened[i & 1023];
}

static __always_inline bool is_listened(__u16 port)
{
	return *listened_word(port) >> (port & 63) & 1;
}

static __always_inline void read_counters(const struct tcp_sock *tp, __u64 *c)
{
	c[0] = BPF_CORE_READ(tp, bytes_received);
	c[1] = BPF_CORE_READ(tp, bytes_acked);
	c[2] = BPF_CORE_READ(tp, segs_in);
	c[3] = BPF_CORE_READ(tp, segs_out);
	c[4] = BPF_CORE_READ(tp, data_segs_in);
	c[5] = BPF_CORE_READ(tp, data_segs_out);
	c[6] = BPF_CORE_READ(tp, total_retrans);
	c[7] = BPF_CORE_READ(tp, rcv_ooopack);
}

/* In tcp.bpf.c. */
__u64 advance(struct sock_counts *s, __u32 i, __u64 now);

static __always_inline void add_to(struct tally *t, int i, __u64 more)
{
	if (more)
		__sync_fetch_and_add(&t->c[i], more);
}

#endif
