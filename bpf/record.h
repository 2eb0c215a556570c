/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one second of one host is: the contract between the kernel side (bpf/) and user space.
 *
 * Once a second the sweep submits, through one ring buffer, per disk a REC_DISK and, if it did
 * anything, a REC_LAT; a REC_TCP; a REC_REMOTE per remote host and port; a REC_RUNQ, a REC_HOST
 * (both as far as this kernel has them) and last a REC_END that carries the sequence number and
 * how many records did not fit. Every counter is cumulative since load (or since boot, where it
 * is the kernel's own), and user space takes differences, so that a reset can never race with an
 * event; only the smallest cwnd is kept per second (cwnd_min). Where eBPF or kernel memory cannot
 * be used, user space fills the same records from /proc, /sys and netlink (reading.h,
 * sockdiag.h).
 */
#ifndef LIMPET_RECORD_H
#define LIMPET_RECORD_H

#include <linux/types.h>

/* What this kernel or this path does not have; never 0, which is a number like any other. */
#define UNKNOWN (~0ULL)

/* Disks with a row of their own; those beyond are summed up in one more slot ("(other)"). Memory is
 * fixed at load, by how many there are. */
#define MAX_DISKS  128
#define OTHER_DISK MAX_DISKS
/* Where the number of a disk leads to its slot: a power of two, more than the disks there can be. */
#define DEV_TABLE 8192
/* Local ports, server processes and cgroups that may be selected. */
#define MAX_PORTS   16
#define MAX_PIDS    8
#define MAX_CGROUPS 8
/* What a selected cgroup's hierarchy can tell. */
enum cgroup_use { CGROUP_OF_REQUESTS, CGROUP_OF_SOCKETS };
/* Remote hosts (per local port) kept apart; those beyond are summed up in REMOTE_OTHER. */
#define MAX_REMOTES 256

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

/* Per remote host: coarser, and up to 2^17 segments. */
#define REMOTE_CWND_SUB_BITS 3
#define REMOTE_CWND_BUCKETS  128

/* Run-queue delay: 8 sub-buckets an octave in units of 2^10 ns; what the run queue's clock cannot
 * resolve, up to some 16 us, is counted low. */
#define RUNQ_SUB_BITS 3
#define RUNQ_SHIFT    10
#define RUNQ_BUCKETS  256

enum record_type {
	REC_DISK = 1,
	REC_LAT,
	REC_TCP,
	REC_REMOTE,
	REC_RUNQ,
	REC_HOST,
	REC_END,
	REC_TYPES
};

struct record_head {
	__u32 type;
	/* REC_DISK, REC_LAT: the disk's slot. REC_TCP: 1 from the first pass on; 0: none yet. REC_REMOTE: a number that changes when
	 * the host was forgotten in between, and its totals began at 0. */
	__u32 index;
	__u64 seq;
};

/* The kernel's own statistics of a disk, as in /sys/block/DISK/stat; [enum disk_op]. Where the queue
 * has iostats=0 they stand still. */
struct disk_counters {
	__u64 ios[OP_COUNT], merges[OP_COUNT], sectors[OP_COUNT], ns[OP_COUNT];
	__u64 io_ticks; /* time with a request in flight, in jiffies (features.h, hz) */
	__u64 in_flight;
};

enum disk_state {
	DISK_UNKNOWN, /* the kernel side does not know: ask /sys */
	DISK_HERE,    /* `stats` are valid */
	DISK_GONE,
};

struct disk_record {
	struct record_head head;
	__u32 state;	 /* enum disk_state */
	__u32 cpus_seen; /* processors whose part is in `stats` */
	struct disk_counters stats;
	/* From the completion hook. */
	__u64 bytes[OP_COUNT];
	/* Completions that are in no histogram of lat_record: discards, flushes, what failed, and what
	 * the kernel gave no usable start time for. The others need no second counter. */
	__u64 ios[OP_COUNT];
	__u64 dev_ns[LAT_OPS]; /* sum of the times in lat_record.dev */
	/* Of these, reads and writes that failed, which `stats` have with their times, and which say
	 * nothing of how quick the disk is. */
	__u64 failed_ios[LAT_OPS], failed_ns[LAT_OPS];
	__u64 untimed[LAT_OPS]; /* of these, reads and writes without a usable start time */
	__u64 errors, requeues; /* requests that failed; that went back to the queue */
	/* Bytes by origin, reads and writes; all zero unless cgroups were selected. Own is the rest. */
	__u64 foreign_bytes[LAT_OPS];
	__u64 unknown_bytes[LAT_OPS]; /* writeback on a cgroup v1 host has no origin */
};

struct lat_record {
	struct record_head head;
	__u32 lat[LAT_OPS][LAT_SIZES][LAT_BUCKETS]; /* arrival to completion */
	__u32 dev[LAT_OPS][LAT_SIZES][LAT_BUCKETS]; /* start by the driver to completion */
};

/*
 * Sums over sockets. The first group is cumulative over sockets alive and closed. The second adds up,
 * pass by pass, over sending ones (`active` to `ssthresh_n`), and walk by walk over established ones
 * (the others).
 */
struct socket_sums {
	__u64 rx_bytes, tx_bytes; /* tcp_sock.bytes_received, bytes_acked */
	__u64 segs_in, segs_out, data_segs_in, data_segs_out;
	__u64 retrans, ooo; /* total_retrans, rcv_ooopack */

	__u64 sockets, active;
	__u64 ln_cwnd_q20;	    /* sum over the active of ln(cwnd) in units of 2^-20 */
	__u64 srtt_us;		    /* sum over the active */
	__u64 ssthresh, ssthresh_n; /* over the active that have left slow start once */
	__u64 unread;		    /* established, of a port listened on, and as below */
	__u64 stalled;		    /* the same the other way round, of any port */
};

/*
 * Nobody reads a connection if there is data in it that was received, and the last came so long ago or
 * more: whoever should read hangs. And it is stalled if there is data to send, and nothing was
 * acknowledged for as long: the other side does not read, or the way there is broken.
 */
#define UNREAD_NS 5000000000ULL

struct tcp_record {
	struct record_head head;
	/* Whole looks at the windows of sockets at work; and of those left out, the ones that could find none:
	 * the walk that came after them read the counters of every connection, and no segment had come or
	 * gone since the walk before. */
	__u64 passes;
	__u64 walks; /* whole looks at everything else of all sockets */
	__u64 timed; /* of these, those that could tell how long nobody has read */
	/* Sockets at work, and of them those whose windows were read, added up over passes; 0: all. */
	__u64 at_work, looked;
	__u64 rows_refused; /* connections that found no room: counted when they end, not looked at */
	struct socket_sums sums;
	__u64 retransmits; /* segments sent again, from the tracepoint; UNKNOWN: asked of netlink */
	__u64 remotes_refused; /* looks at a socket counted in REMOTE_OTHER for want of room */
	__u32 cwnd_min[2];     /* of this second: [seq & 1]; 0 = no active socket */
	__u32 cwnd[CWND_BUCKETS];
};

/* Whom a socket talks to, and through which port here. */
struct remote_key {
	__u8 addr[16]; /* IPv4 as ::ffff:a.b.c.d */
	__u16 port;    /* local, host byte order; 0: one nobody listens on */
	__u16 other;   /* 1: not an address but all that found no room */
	__u32 pad;
};

struct remote_record {
	struct record_head head;
	struct remote_key key;
	struct socket_sums sums;
	__u32 cwnd_min[2];
	__u32 cwnd[REMOTE_CWND_BUCKETS];
};

struct runq_record {
	struct record_head head;
	__u64 delay_ns; /* sum */
	__u32 n[RUNQ_BUCKETS];
};

/* Of vm_event_states (/proc/vmstat); pgpgin and pgpgout in sectors. */
enum vm_event {
	VM_PGPGIN,
	VM_PGPGOUT,
	VM_PSWPIN,
	VM_PSWPOUT,
	VM_PGFAULT,
	VM_PGMAJFAULT,
	VM_PGFREE,
	VM_PGSCAN_KSWAPD,
	VM_PGSCAN_DIRECT,
	VM_PGSTEAL,
	VM_ALLOCSTALL,
	VM_EVENTS
};

/* As in /proc/stat, where guest time is part of user and nice. */
enum cpu_state {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_STATES
};

struct host_record {
	struct record_head head;
	__u64 cpu_ns[CPU_STATES]; /* over all processors */
	__u64 switches;
	__u64 nr_running; /* now, over all processors, the sweeping thread included */
	__u64 nr_blocked; /* waiting for I/O */
	__u64 vm[VM_EVENTS];
	__u64 cpus_seen; /* processors whose memory was read; UNKNOWN: read from /proc */
};

struct end_record {
	struct record_head head;
	__u64 lost_records; /* cumulative: ring buffer full */
};

/* Not a record: what the switch hook keeps per processor. */
struct cpu_slot {
	__u64 rq; /* address of this processor's struct rq, learned when it is first seen */
	__u64 delay_ns;
	__u32 runq[RUNQ_BUCKETS];
} __attribute__((aligned(64)));

/* The two groups of struct socket_sums, as words. */
#define SUM_COUNTERS 8
#define SUM_LOOKS    8

/* Not a record: what looks have found: a sweep may come in the middle of one, and must see whole ones
 * (whole_looks.h). */
struct look_sums {
	__u64 id; /* the look that wrote it last; 0: none */
	__u64 w[SUM_LOOKS];
};

struct tally {
	__u64 c[SUM_COUNTERS]; /* all differences so far */
	__u64 latest;	       /* which place the last look that had any wrote */
	struct look_sums look[2];
};

/* Not a record: of tcp_record, what goes with these sums. */
struct look_counts {
	__u64 passes, walks, timed, at_work, looked;
};

/* Not a record: one place of the table from disk numbers to slots. */
struct dev_entry {
	__u32 dev; /* major << 20 | minor; 0: free */
	__u32 slot;
};

/* Open addressing: a number is at its hash or in one of the DEV_PROBES places that follow. */
#define DEV_PROBES 8
static inline __u32 dev_hash(__u32 dev)
{
	return dev * 2654435761U >> 19; /* 13 bits: DEV_TABLE */
}

/* Not a record: what the hook and the sweep keep per disk. */
struct disk_slot {
	struct disk_record disk;
	struct lat_record lat;
	__u64 bytes_seen; /* when the lat_record was submitted last */
};

/*
 * Where things are in this kernel's memory, from its BTF (userspace/probe/kernel/features.c). Offsets count from the
 * base of a processor's per-CPU area, which is the address of its struct rq less `runqueues`.
 */
#define MAX_VM_SOURCES 24
struct kernel_layout {
	__u32 usable; /* 0: that base is not to be found */
	__u32 runqueues;
	__u32 this_cpu_off; /* of x86 */
	/* For the host's counters. */
	__u32 cpustat; /* kernel_cpustat.cpustat[] */
	__u32 vm_event_states;
	__u32 idle, iowait;   /* ns, without the idle period that is going on */
	__u32 idle_since;     /* when that began */
	__u32 idle_steal;     /* of it, not to be counted; 0: this kernel has none */
	__u32 idle_flag_byte; /* whether there is one */
	__u32 idle_flag_mask;
	/* For the statistics of disks. */
	__u32 kernfs_parent; /* in struct kernfs_node */
	__u32 n_vm_sources;
	__u32 vm_index[MAX_VM_SOURCES]; /* of enum vm_event_item… */
	__u32 vm_event[MAX_VM_SOURCES]; /* …added to this enum vm_event */
};

/* What user space hands to the sweep, and to the program that finds a disk's statistics by the
 * descriptor of its /sys/block/DISK/stat. */
struct sweep_args {
	__u64 seq;
};

/* Who gives connections a row: the hook on those that come; iterators, to those that were there before,
 * and what they have counted is nobody's business; and again, to those that found no room, or came when
 * their cgroup was not known yet. */
enum seeding { SEED_NONE, SEED_BEFORE, SEED_AGAIN };

/* To a look at the TCP sockets. */
struct look_args {
	__u32 walk;	/* it is a walk, too */
	__u32 every;	/* which reads every row, whatever was quiet for long */
	__u32 left_out; /* looks before it, of the same second: they count if it finds nothing (any) */
	/* What it found: connections whose windows it had to read, and has read; whether any is at work
	 * now, came, closed, or had a segment since the walk before. */
	__u32 at_work, looked, any;
};

struct find_disk_args {
	__u32 fd, slot, dev;
	__u32 found;
};

enum task_stage {
	TASK_LIVES,  /* met by a pass */
	TASK_ENDING, /* met by a pass on its way out, or dead and not waited for: in every pass */
	TASK_EXITS,  /* it is about to end: what is counted by then */
	TASK_FREED   /* these are its last values */
};

/*
 * A thread as task.bpf.c sees it: written by the task iterator for every one whose CPU time moved
 * since the pass before, and by two tracepoints for every one that ends. A pass begins with one of
 * pid 0, whose start_ns is when. Times of start count from boot (CLOCK_BOOTTIME).
 */
struct task_sample {
	__u32 pid, tid;	       /* thread group and thread */
	__u64 start_ns;	       /* with tid: who it is, for pids come back */
	__u64 leader_start_ns; /* with pid: whose it is; 0: its leader is gone already */
	__u64 cpu_ns;
	__u64 read_bytes, write_bytes, cancelled_write_bytes; /* UNKNOWN: not accounted here */
	__u64 cgroup_id;				      /* of the default (v2) hierarchy */
	char comm[16]; /* of the thread group's leader; "": gone already */
	__u32 stage;   /* enum task_stage */
	__u32 pad;
};

/* Frames of a thread's kernel stack that are looked at, the innermost first; 40 of a write through a
 * file system and device mapper were seen. */
#define THREAD_FRAMES 64

enum thread_state {
	THREAD_ON_CPU,
	THREAD_RUNNABLE,
	THREAD_ASLEEP,
	THREAD_STAYED,	/* asleep since the look before: nothing follows the head */
	THREAD_STOPPED, /* by a signal, a debugger or a freezer: no frames */
};

/* A thread as profile.bpf.c sees it: the head, and of one that sleeps `n_frames` of the frames. */
struct thread_sample {
	__u32 pid, tid;
	__u16 state;	 /* enum thread_state */
	__u16 n_frames;	 /* 0: the stack could not be walked */
	__u16 in_iowait; /* the kernel itself counts it as waiting for I/O */
	__u16 pad;
	/* The system call it is in, its second and third argument; -1: a thread of the kernel's. */
	__s64 call;
	__u64 arg2, arg3;
	__u64 frame[THREAD_FRAMES];
};

/* Processes whose threads are looked at: a server with a daemon for each of 60 disks has as many; those
 * beyond are left out, which is said. */
#define MEMBERS_MOST 128 /* as profile.c says it */

/* Looks at what the processors do, a second: no divisor of what servers do at regular times. */
#define CPU_CLOCK_HZ 49

/* Frames of user space: what the kernel walks (kernel.perf_event_max_stack), unless told otherwise. */
#define USER_FRAMES 127

/* As the kernel's struct bpf_stack_build_id. */
#define BUILD_ID_LEN 20
enum user_frame_kind { USER_FRAME_NONE, USER_FRAME_IN_FILE, USER_FRAME_ADDRESS };
struct user_frame {
	__s32 kind; /* enum user_frame_kind; an address is in no file with a build id, or it could not be read */
	__u8 build_id[BUILD_ID_LEN]; /* shorter ones are filled up with 0 */
	__u64 offset;		     /* in the file; or the address */
};

/* A thread of the server that the clock met on a processor. */
struct cpu_sample {
	__u32 tgid;
	__u16 n_user, n_kernel;
	char comm[16]; /* of the thread group's leader */
	/* n_user times a struct user_frame, then n_kernel times a __u64, both the innermost first; what is
	 * behind them is not sent. */
	__u8 frames[USER_FRAMES * sizeof(struct user_frame) + THREAD_FRAMES * sizeof(__u64)];
} __attribute__((aligned(8)));

/* Room for the name of a kernel's function, "[module]" behind it included. */
#define FUNCTION_LEN 96

#endif
