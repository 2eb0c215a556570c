/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An interval: what one server did in some seconds (4), summed up so that intervals can be added up and
 * nothing else has to be kept. Made of seconds by the feed, or by tests; the engine takes one after the
 * other.
 */
#ifndef LIMPET_INTERVAL_H
#define LIMPET_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/second/second.h"
#include "userspace/series/series.h"

/* A mean in the making: sum / n. Of rates: the count and the seconds; of gauges that are means over
 * something (await over requests): sum and number; of others: sum of the values and their seconds.
 * n 0: not measured. */
struct acc {
	double sum, n;
};

/* What is kept of a disk, and of a server besides: its metric, and by what that is weighted; -1: by the seconds. */
#define DISK_ACC_ROWS(X)                                     \
	X(READS, M_R_S, -1) /* /s */                         \
	X(WRITES, M_W_S, -1)                                 \
	X(READ_KB, M_RKB_S, -1)                              \
	X(WRITE_KB, M_WKB_S, -1)                             \
	X(FOREIGN_READ_KB, M_FOREIGN_RKB_S, -1)              \
	X(FOREIGN_WRITE_KB, M_FOREIGN_WKB_S, -1)             \
	X(READ_AWAIT, M_R_AWAIT, M_R_S) /* ms, over reads */ \
	X(WRITE_AWAIT, M_W_AWAIT, M_W_S)                     \
	X(READ_DEVICE, M_R_DEV, M_R_S) /* ms, over reads */  \
	X(WRITE_DEVICE, M_W_DEV, M_W_S)                      \
	X(QUEUE, M_AQU_SZ, -1) /* requests */                \
	X(UTIL, M_UTIL, -1)    /* % */
#define DISK_ACC_ENUM(NAME, ...) DA_##NAME,
enum disk_acc { DISK_ACC_ROWS(DISK_ACC_ENUM) DISK_ACCS };

#define NODE_ACC_ROWS(X)                                                                      \
	X(RX_KB, M_RXKB_S, -1) /* interfaces, added up */                                     \
	X(TX_KB, M_TXKB_S, -1)                                                                \
	X(RX_DROP, M_RXDROP_S, -1)                                                            \
	X(RX_ERR, M_RXERR_S, -1)                                                              \
	X(RETRANS, M_RETRANS_S, -1) /* segments/s */                                          \
	X(OOO, M_OOO_S, -1)                                                                   \
	X(FS_RX_KB, M_TCP_RXKB_S, -1) /* the file system's sockets */                         \
	X(FS_TX_KB, M_TCP_TXKB_S, -1)                                                         \
	X(SEGS_IN, M_ISEG_S, -1)                                                              \
	X(SEGS_OUT, M_OSEG_S, -1)                                                             \
	X(DATA_IN, M_IDSEG_S, -1)                                                             \
	X(DATA_OUT, M_ODSEG_S, -1)                                                            \
	X(SRTT, M_SRTT, M_TCP_ACTIVE)	    /* ms, over active sockets */                     \
	X(CWND_LN, M_CWND_LN, M_TCP_ACTIVE) /* over active sockets */                         \
	X(ACTIVE, M_TCP_ACTIVE, -1)                                                           \
	X(LOOKS, M_TCP_LOOKS,                                                                 \
	  M_TCP_ACTIVE) /* reads a second of the windows of each active socket */             \
	X(SOCKETS, M_TCPSCK, -1)                                                              \
	X(USER, M_USER, -1) /* % */                                                           \
	X(SYSTEM, M_SYSTEM, -1)                                                               \
	X(IOWAIT, M_IOWAIT, -1)                                                               \
	X(IDLE, M_IDLE, -1)                                                                   \
	X(STEAL, M_STEAL, -1)                                                                 \
	X(SWITCHES, M_CSWCH_S, -1)	       /* /s */                                       \
	X(RUNQ_DELAY, M_RUNQ_DELAY, M_CSWCH_S) /* ms, over switches */                        \
	X(MEM_SOME, M_SMEM, -1)		       /* % */                                        \
	X(MEM_FULL, M_FMEM, -1)                                                               \
	X(IO_SOME, M_SIO, -1)                                                                 \
	X(SCAN_DIRECT, M_PGSCAND_S, -1) /* pages/s */                                         \
	X(ALLOC_STALL, M_ALLOCSTALL_S, -1)                                                    \
	X(SWAP_IN, M_PSWPIN_S, -1)                                                            \
	X(SWAP_OUT, M_PSWPOUT_S, -1)                                                          \
	X(AVAILABLE_KB, M_KBAVAIL, -1)                                                        \
	X(BLOCKED, M_BLOCKED, -1)	 /* tasks */                                          \
	X(UNREAD, M_TCP_UNREAD, -1)	 /* sockets with data that nobody reads */            \
	X(STALLED, M_TCP_STALLED, -1)	 /* and with data of which nothing is acknowledged */ \
	X(THREADS, M_THREADS, -1)	 /* of the file system's server */                    \
	X(THR_CPU, M_THR_CPU, M_THREADS) /* % of their time, over threads */                  \
	X(THR_DISK, M_THR_DISK, M_THREADS)                                                    \
	X(THR_LOCK, M_THR_LOCK, M_THREADS)                                                    \
	X(THR_NET, M_THR_NET, M_THREADS)                                                      \
	X(THR_MEM, M_THR_MEM, M_THREADS)                                                      \
	X(THR_IDLE, M_THR_IDLE, M_THREADS)
#define NODE_ACC_ENUM(NAME, ...) NA_##NAME,
enum node_acc { NODE_ACC_ROWS(NODE_ACC_ENUM) NODE_ACCS };

enum lat_part { PART_WHOLE, PART_DEVICE, LAT_PARTS };

/* Half octaves of operations/s of the second: floor(2 log2 rate). */
enum { CELL_MIN = -8, CELL_MAX = 47 };
int load_cell(double per_second); /* clipped to these; the rate is above 0 */

/* Latencies of one operation and size class of one disk, of the seconds whose rate of such operations
 * was in one load cell. */
struct interval_lat {
	uint8_t op, size, part; /* enum disk_op: OP_READ or OP_WRITE; size class; enum lat_part */
	int8_t cell;
	uint16_t first, n; /* buckets [first, first + n) of bpf/record.h */
	uint64_t count;	   /* events, the sum of the buckets */
	uint32_t *at;	   /* n; owned by the interval */
};

struct interval_disk {
	char name[INSTANCE_LEN];
	struct acc acc[DISK_ACCS];
	struct interval_lat *lat; /* by op, size, part, cell; owned */
	size_t n_lat;
	uint32_t *pool; /* of a copy: its lat[].at are in this; NULL: each is its own */
};

/* What was said with one remote host (all its ports here together). */
struct interval_remote {
	char addr[INSTANCE_LEN];
	double data_out, retrans, data_in, ooo, segs_out; /* segments */
	double rx_kb, tx_kb;
};

struct interval_process {
	char name[INSTANCE_LEN];	   /* "fio:1234"; "(rest)" */
	char cgroup[128];		   /* "" unknown */
	double cpu_s, read_kb, written_kb; /* of all the interval; cancelled writes taken off */
};

enum { INTERVAL_BOOTS = 4 }; /* at most, of an interval */

struct interval {
	int64_t from_ns;	      /* wall clock, a multiple of the interval's length */
	unsigned int seconds;	      /* with data; 0: the server said nothing */
	uint64_t lost;		      /* records the probe lost in them */
	unsigned int boots;	      /* runs of the probe seen in it: 2 if it was started anew */
	int64_t boot[INTERVAL_BOOTS]; /* series_time.boot of each, as they came */
	struct acc acc[NODE_ACCS];
	struct interval_disk *disks; /* by name */
	size_t n_disks;
	struct interval_remote *remotes; /* by address */
	size_t n_remotes;
	struct interval_process *processes; /* by name */
	size_t n_processes;
	uint32_t *runq; /* run-queue delays: RUNQ_BUCKETS, owned; NULL: none */
	uint64_t n_runq;
	uint64_t damaged; /* values that cannot be: negative, infinite, huge; not in the sums */
	/* interval.c only. */
	struct interval_state {
		double covered_s;
		int64_t wall_ns, boot; /* the second whose interfaces come in */
		uint64_t seq;
		uint32_t
			counted; /* those of its accs whose seconds are counted, 1 << enum node_acc */
	} state;
};

void interval_release(struct interval *h); /* takes a zeroed one; zeroes it */

/* After the last second: what is too much is added up in "(rest)" (processes) and "(other)" (remotes),
 * and what no total can be is put right (fewer than no bytes written). Call it once. */
enum { INTERVAL_PROCESSES = 64, INTERVAL_REMOTES = 256 };
void interval_finish(struct interval *h);

enum { INTERVAL_DISKS = 1024 }; /* names of a server's; what comes after is not looked at */

/* Sums: into += from (seconds, accs, disks' accs, remotes, processes; no histograms). Remotes and
 * processes beyond a few hundred are dropped. 0 or -ENOMEM. */
int interval_merge(struct interval *into, const struct interval *from);
/* All of it, histograms too; *to is overwritten. 0 or -ENOMEM. */
int interval_copy(struct interval *to, const struct interval *from);
void interval_strip(struct interval *h); /* frees its histograms */
void interval_free_lats(struct interval_disk *d);
/* Sums times `by`, for what is to be forgotten slowly; drops disks and processes long gone, and who talked. */
void interval_scale(struct interval *h, double by);

const struct interval_disk *interval_find_disk(const struct interval *h,
					       const char *name); /* or NULL */

/* What is at an acc, NaN if it was not measured. */
double acc_mean(struct acc a);

/* One second's row into the interval, whatever family; call interval_second() once for each second, in any order
 * with its rows; rows of one second and family one after the other. An interval that is not known
 * counts as 1 s. Only into an interval that interval_add() made from a zeroed one. 0 or -ENOMEM. */
int interval_add(struct interval *h, const struct series_time *t, const struct second_row *row);
void interval_second(struct interval *h, const struct series_time *t);

/* The metrics that interval_add() looks at, for series_reader_want(); histograms it takes all of. */
void interval_wanted(bool wanted[M_COUNT]);

/* What a latency in this bucket (bpf/record.h) counts as: the bucket's middle, ms. What is faster than the
 * histogram's unit counts as half of it. */
double lat_middle_ms(unsigned int bucket);

/* The q-quantile of a histogram with sub_bits sub-buckets an octave, in its own unit, interpolated
 * inside the bucket (linearly); NaN if it is empty. Buckets [first, first + n). */
double hist_quantile(const uint64_t *at, unsigned int first, size_t n, unsigned int sub_bits,
		     double q);

#endif
