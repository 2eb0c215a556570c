/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metric table: every number limpet records, one row each. The probe fills the values, the
 * series file makes a column of each, the analyzer looks up unit, direction and floor here.
 * A new metric is one line in METRICS below and the one assignment that computes it.
 */
#ifndef LIMPET_METRICS_H
#define LIMPET_METRICS_H

#include <stdbool.h>

/* What a metric is measured on; each family is one table of the series file. */
enum metric_family {
	FAM_DISK, /* one instance per block device ("loop3") */
	FAM_NET,  /* one instance per network interface ("eth0") */
	FAM_TCP,  /* one instance, "": the file system's TCP sockets together */
	FAM_HOST, /* one instance, "": processors and scheduler of the whole kernel */
	FAM_COUNT
};

extern const char *const metric_family_names[FAM_COUNT]; /* "disk", "net", "tcp", "host" */

/* How the instances of one node become one value for that node. */
enum metric_agg {
	AGG_SUM,
	AGG_MAX,
	AGG_MEAN, /* mean weighted by the metric in `weight` (plain mean where that is -1) */
};

/* Which way a healthy server does not go. */
enum metric_worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };

/*
 * id, name, family, unit, aggregation, weight, worse, floor, decimals, source
 *
 * Names are sysstat's where sysstat has the metric; kB are 1024 bytes, as in sysstat.
 * floor: a difference or a spread below this is no evidence of anything, in the metric's unit
 * (0: none set). Storage 1 MiB/s: a trickle of metadata reads is not throughput. Network 64 KiB/s:
 * the acknowledgements a write hog causes are only about 2 % of its bytes. await 1 ms.
 */
#define METRICS(X)                                                                                 \
	X(R_S, "r/s", DISK, "1/s", SUM, -1, EITHER, 0, 1, "block_rq_complete")                     \
	X(W_S, "w/s", DISK, "1/s", SUM, -1, EITHER, 0, 1, "block_rq_complete")                     \
	X(D_S, "d/s", DISK, "1/s", SUM, -1, EITHER, 0, 1, "block_rq_complete")                     \
	X(F_S, "f/s", DISK, "1/s", SUM, -1, EITHER, 0, 1, "block_rq_complete")                     \
	X(RKB_S, "rkB/s", DISK, "kB/s", SUM, -1, EITHER, 1024, 1, "block_rq_complete")             \
	X(WKB_S, "wkB/s", DISK, "kB/s", SUM, -1, EITHER, 1024, 1, "block_rq_complete")             \
	X(IOPS, "tps", DISK, "1/s", SUM, -1, EITHER, 0, 1, "r/s + w/s")                            \
	X(R_AWAIT, "r_await", DISK, "ms", MEAN, M_R_S, UP, 1, 2, "block_rq_complete")              \
	X(W_AWAIT, "w_await", DISK, "ms", MEAN, M_W_S, UP, 1, 2, "block_rq_complete")              \
	X(AWAIT, "await", DISK, "ms", MEAN, M_IOPS, UP, 1, 2, "block_rq_complete")                 \
	X(AQU_SZ, "aqu-sz", DISK, "requests", SUM, -1, UP, 0, 2, "block_rq_complete")              \
	X(UTIL, "%util", DISK, "%", MAX, -1, UP, 0, 1, "/sys/block/DISK/stat")                     \
	X(FOREIGN_RKB_S, "foreign-rkB/s", DISK, "kB/s", SUM, -1, UP, 1024, 1, "block_rq_complete") \
	X(FOREIGN_WKB_S, "foreign-wkB/s", DISK, "kB/s", SUM, -1, UP, 1024, 1, "block_rq_complete") \
	X(UNKNOWN_WKB_S, "unknown-wkB/s", DISK, "kB/s", SUM, -1, EITHER, 0, 1,                     \
	  "block_rq_complete")                                                                     \
	X(RXKB_S, "rxkB/s", NET, "kB/s", SUM, -1, EITHER, 64, 1, "/proc/net/dev")                  \
	X(TXKB_S, "txkB/s", NET, "kB/s", SUM, -1, EITHER, 64, 1, "/proc/net/dev")                  \
	X(RXPCK_S, "rxpck/s", NET, "1/s", SUM, -1, EITHER, 0, 1, "/proc/net/dev")                  \
	X(TXPCK_S, "txpck/s", NET, "1/s", SUM, -1, EITHER, 0, 1, "/proc/net/dev")                  \
	X(CWND_LN, "cwnd-ln", TCP, "ln(segments)", MEAN, -1, DOWN, 0, 3, "iter/tcp")               \
	X(CWND_MIN, "cwnd-min", TCP, "segments", MAX, -1, DOWN, 0, 0, "iter/tcp")                  \
	X(CWND_MEDIAN, "cwnd-median", TCP, "segments", MAX, -1, DOWN, 0, 1, "iter/tcp")            \
	X(RETRANS_S, "retrans/s", TCP, "1/s", SUM, -1, UP, 0, 1, "tcp_retransmit_skb")             \
	X(TCPSCK, "tcpsck", TCP, "sockets", SUM, -1, EITHER, 0, 1, "iter/tcp")                     \
	X(TCP_ACTIVE, "tcp-active", TCP, "sockets", SUM, -1, EITHER, 0, 1, "iter/tcp")             \
	X(CSWCH_S, "cswch/s", HOST, "1/s", SUM, -1, EITHER, 0, 1, "sched_switch")                  \
	X(RUNQ_SZ, "runq-sz", HOST, "tasks", SUM, -1, UP, 0, 0, "rq->nr_running")                  \
	X(USER, "%user", HOST, "%", MEAN, -1, UP, 0, 1, "/proc/stat")                              \
	X(SYSTEM, "%system", HOST, "%", MEAN, -1, UP, 0, 1, "/proc/stat")                          \
	X(IOWAIT, "%iowait", HOST, "%", MEAN, -1, UP, 0, 1, "/proc/stat")

#define METRIC_ENUM(id, ...) M_##id,
enum metric_id { METRICS(METRIC_ENUM) M_COUNT };
#undef METRIC_ENUM

struct metric {
	const char *name;
	enum metric_family family;
	const char *unit;
	enum metric_agg agg;
	int weight; /* an enum metric_id of the same family, or -1 */
	enum metric_worse worse;
	double floor;
	int decimals; /* in text output */
	const char *source;
};

extern const struct metric metrics[M_COUNT];

/* The metric of that name, or -1. */
int metric_by_name(const char *name);

#endif
