/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one second of one host is: the contract between the kernel side (bpf/) and user space.
 *
 * Once a second the sweep program submits, through one ring buffer, a REC_DISK per selected disk,
 * a REC_TCP, a REC_SCHED and last a REC_END that carries the sequence number and how many records
 * did not fit. Every counter is cumulative since load and user space takes differences, so that a
 * reset can never race with an event; only the smallest cwnd is kept per second (cwnd_min).
 */
#ifndef LIMPET_RECORD_H
#define LIMPET_RECORD_H

#include <linux/types.h>

/* Disks watched at once. A slot is 6.2 KiB; memory is fixed at load. */
#define MAX_DISKS 32
/* Processors whose switches are counted; a power of two, so that a mask bounds the index. */
#define MAX_CPUS 1024
/* Local ports and cgroups that may be selected. */
#define MAX_PORTS   16
#define MAX_CGROUPS 8

/* Operations counted apart. Flush and discard are not timed: what they wait for is not the disk's
 * usual work, and they must not blur the histograms of reads and writes. */
enum disk_op { OP_READ, OP_WRITE, OP_DISCARD, OP_FLUSH, OP_COUNT };

/* Latency histograms: [read or write][size class][bucket]. */
#define LAT_OPS	    2
#define LAT_SIZES   3 /* up to 16 KiB, up to 128 KiB, larger */
#define LAT_BUCKETS 256
#define LAT_SHIFT   8 /* the histogram's unit is 2^8 ns */

/*
 * Log-linear histogram with 2^sub_bits sub-buckets per octave: values below 2^(sub_bits + 1) have
 * a bucket each, above that a bucket is 2^-sub_bits of its octave wide.
 * bucket_low() is the smallest value of a bucket; bucket b covers [low(b), low(b + 1)).
 */
static inline __u32 bucket_of(__u64 v, __u32 sub_bits)
{
	__u32 e = 0;

	if (v < (2ULL << sub_bits))
		return (__u32)v;
	/* floor(log2 v) without a loop: the BPF target has no count-leading-zeros before v4. */
	if (v >> 32)
		e += 32;
	if (v >> e >> 16)
		e += 16;
	if (v >> e >> 8)
		e += 8;
	if (v >> e >> 4)
		e += 4;
	if (v >> e >> 2)
		e += 2;
	if (v >> e >> 1)
		e += 1;
	return ((e - sub_bits) << sub_bits) + (__u32)(v >> (e - sub_bits));
}

static inline __u64 bucket_low(__u32 b, __u32 sub_bits)
{
	__u32 octave = b >> sub_bits;

	if (octave < 2)
		return b;
	return (__u64)((b & ((1U << sub_bits) - 1)) + (1U << sub_bits)) << (octave - 1);
}

#define LAT_SUB_BITS 3
/* bucket_low(256, 3) = 2^34 units of 2^8 ns, about 73 minutes, is where the 256 buckets end; what
 * takes longer counts in the last. */

#define CWND_SUB_BITS 5
#define CWND_BUCKETS  512

enum record_type { REC_DISK = 1, REC_TCP, REC_SCHED, REC_END };

struct record_head {
	__u32 type;
	__u32 index; /* REC_DISK: the disk's slot */
	__u64 seq;
};

struct disk_record {
	struct record_head head;
	__u64 ios[OP_COUNT];
	__u64 bytes[OP_COUNT];
	__u64 lat_ns[OP_COUNT];
	__u64 untimed[OP_COUNT]; /* completions the kernel gave no usable start time for */
	/* Bytes by origin, reads and writes; all zero unless cgroups were selected. Own is the rest. */
	__u64 foreign_bytes[LAT_OPS];
	__u64 unknown_bytes[LAT_OPS]; /* writeback on a cgroup v1 host has no origin */
	__u32 lat[LAT_OPS][LAT_SIZES][LAT_BUCKETS];
};

struct tcp_record {
	struct record_head head;
	__u64 passes;	   /* complete looks at all sockets */
	__u64 established; /* sum over passes */
	__u64 active;	   /* sum over passes: sockets that sent data since the pass before */
	__u64 ln_cwnd_q20; /* sum over those of ln(cwnd) in units of 2^-20 */
	__u64 retransmits; /* segments sent again, from the tracepoint */
	__u32 cwnd_min[2]; /* of this second: [seq & 1]; 0 = no active socket */
	__u32 cwnd[CWND_BUCKETS];
};

struct sched_record {
	struct record_head head;
	__u64 switches;
	__u64 nr_running; /* now, over all processors, the sweeping thread included */
	__u64 cpus_seen;  /* processors whose run queue is known */
};

struct end_record {
	struct record_head head;
	__u64 lost_records; /* cumulative: ring buffer full */
};

/* Not a record: what the switch hook keeps per processor, one cache line each. */
struct cpu_slot {
	__u64 switches;
	__u64 rq; /* address of this processor's struct rq, learned at its first switch */
} __attribute__((aligned(64)));

/* What user space hands to the sweep. */
struct sweep_args {
	__u64 seq;
};

#endif
