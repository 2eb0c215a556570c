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
	FAM_DISK,    /* one instance per block device ("loop3") */
	FAM_NET,     /* one instance per network interface ("eth0") */
	FAM_TCP,     /* one instance, "": the file system's TCP sockets together */
	FAM_HOST,    /* one instance, "": processors, memory and scheduler of the whole kernel */
	FAM_REMOTE,  /* one per remote host and local port ("10.0.0.2>24007"), the busiest */
	FAM_PROCESS, /* one per process ("fio:1234"), the busiest; "(rest)": all the others */
	FAM_COUNT
};

/* "disk", "net", "tcp", "host", "remote", "process" */
extern const char *const metric_family_names[FAM_COUNT];

/* What kind of number it is. */
enum metric_kind {
	KIND_GAUGE,
	/* Events per second: value * interval_s * `per` is a whole number of the things counted
	 * (bytes for kB/s, nanoseconds for %CPU), which sums up exactly over any time. */
	KIND_RATE,
};

/* How the instances of one node become one value for that node. */
enum metric_agg {
	AGG_SUM,
	AGG_MAX,
	AGG_MEAN, /* mean weighted by the metric in `weight` (plain mean where that is -1) */
};

/* Which way a healthy server does not go. */
enum metric_worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };

/*
 * id, name, family, unit, kind, per, aggregation, weight, worse, floor, decimals, export, source
 *
 * Names are sysstat's where sysstat has the metric; kB are 1024 bytes, as in sysstat. A name is
 * unique among disk, net, tcp and host; remote has tcp's names. per: of KIND_RATE.
 * floor: a difference or a spread below this is no evidence of anything, in the metric's unit
 * (0: none set). Storage 1 MiB/s: a trickle of metadata reads is not throughput. Network 64 KiB/s:
 * the acknowledgements a write hog causes are only about 2 % of its bytes. await 1 ms.
 * export: the middle of its OpenMetrics name, limpet_FAMILY_EXPORT, with _total added to rates;
 * bytes, seconds and ratios there; "": follows from others and is not exported.
 * source: where the kernel keeps it; userspace/METRICS.md has the agreement measured.
 */
#define METRICS(X)                                                                                 \
	X(R_S, "r/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "reads",                        \
	  "block_device.bd_stats")                                                                 \
	X(W_S, "w/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "writes",                       \
	  "block_device.bd_stats")                                                                 \
	X(D_S, "d/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "discards",                     \
	  "block_device.bd_stats")                                                                 \
	X(F_S, "f/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "flushes",                      \
	  "block_device.bd_stats")                                                                 \
	X(RKB_S, "rkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "read_bytes",        \
	  "block_device.bd_stats")                                                                 \
	X(WKB_S, "wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "written_bytes",     \
	  "block_device.bd_stats")                                                                 \
	X(DKB_S, "dkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "discarded_bytes",   \
	  "block_device.bd_stats")                                                                 \
	X(RRQM_S, "rrqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "reads_merged",           \
	  "block_device.bd_stats")                                                                 \
	X(WRQM_S, "wrqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "writes_merged",          \
	  "block_device.bd_stats")                                                                 \
	X(DRQM_S, "drqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "discards_merged",        \
	  "block_device.bd_stats")                                                                 \
	X(IOPS, "tps", DISK, "1/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "", "r/s + w/s")              \
	X(RAREQ_SZ, "rareq-sz", DISK, "kB", GAUGE, 0, MEAN, M_R_S, EITHER, 0, 2, "",               \
	  "rkB/s / r/s")                                                                           \
	X(WAREQ_SZ, "wareq-sz", DISK, "kB", GAUGE, 0, MEAN, M_W_S, EITHER, 0, 2, "",               \
	  "wkB/s / w/s")                                                                           \
	X(AREQ_SZ, "areq-sz", DISK, "kB", GAUGE, 0, MEAN, M_IOPS, EITHER, 0, 2, "",                \
	  "(rkB/s + wkB/s) / tps")                                                                 \
	X(R_AWAIT, "r_await", DISK, "ms", GAUGE, 0, MEAN, M_R_S, UP, 1, 2, "read_await",           \
	  "block_device.bd_stats")                                                                 \
	X(W_AWAIT, "w_await", DISK, "ms", GAUGE, 0, MEAN, M_W_S, UP, 1, 2, "write_await",          \
	  "block_device.bd_stats")                                                                 \
	X(D_AWAIT, "d_await", DISK, "ms", GAUGE, 0, MEAN, M_D_S, UP, 1, 2, "discard_await",        \
	  "block_device.bd_stats")                                                                 \
	X(F_AWAIT, "f_await", DISK, "ms", GAUGE, 0, MEAN, M_F_S, UP, 1, 2, "flush_await",          \
	  "block_device.bd_stats")                                                                 \
	X(AWAIT, "await", DISK, "ms", GAUGE, 0, MEAN, M_IOPS, UP, 1, 2, "await",                   \
	  "block_device.bd_stats")                                                                 \
	X(R_DEV, "r_dev", DISK, "ms", GAUGE, 0, MEAN, M_R_S, UP, 1, 2, "read_device",              \
	  "request.io_start_time_ns")                                                              \
	X(W_DEV, "w_dev", DISK, "ms", GAUGE, 0, MEAN, M_W_S, UP, 1, 2, "write_device",             \
	  "request.io_start_time_ns")                                                              \
	X(AQU_SZ, "aqu-sz", DISK, "requests", GAUGE, 0, SUM, -1, UP, 0, 2, "queue_length",         \
	  "block_device.bd_stats")                                                                 \
	X(UTIL, "%util", DISK, "%", GAUGE, 0, MAX, -1, UP, 0, 1, "utilisation",                    \
	  "block_device.bd_stats")                                                                 \
	X(FOREIGN_RKB_S, "foreign-rkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, UP, 1024, 1,          \
	  "foreign_read_bytes", "bio.bi_blkg")                                                     \
	X(FOREIGN_WKB_S, "foreign-wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, UP, 1024, 1,          \
	  "foreign_written_bytes", "bio.bi_blkg")                                                  \
	X(UNKNOWN_WKB_S, "unknown-wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,         \
	  "unknown_written_bytes", "bio.bi_blkg")                                                  \
	X(RXKB_S, "rxkB/s", NET, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1, "received_bytes",     \
	  "/proc/net/dev")                                                                         \
	X(TXKB_S, "txkB/s", NET, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1, "sent_bytes",         \
	  "/proc/net/dev")                                                                         \
	X(RXPCK_S, "rxpck/s", NET, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "received_packets",      \
	  "/proc/net/dev")                                                                         \
	X(TXPCK_S, "txpck/s", NET, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_packets",          \
	  "/proc/net/dev")                                                                         \
	X(RXERR_S, "rxerr/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "receive_errors",            \
	  "/proc/net/dev")                                                                         \
	X(TXERR_S, "txerr/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "send_errors",               \
	  "/proc/net/dev")                                                                         \
	X(RXDROP_S, "rxdrop/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "received_dropped",        \
	  "/proc/net/dev")                                                                         \
	X(TXDROP_S, "txdrop/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "sent_dropped",            \
	  "/proc/net/dev")                                                                         \
	X(IFUTIL, "%ifutil", NET, "%", GAUGE, 0, MAX, -1, EITHER, 0, 1, "utilisation",             \
	  "rxkB/s, txkB/s, speed")                                                                 \
	X(CWND_LN, "cwnd-ln", TCP, "ln(segments)", GAUGE, 0, MEAN, -1, DOWN, 0, 3,                 \
	  "cwnd_ln_segments", "tcp_sock.snd_cwnd")                                                 \
	X(CWND_MIN, "cwnd-min", TCP, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 0,                    \
	  "cwnd_min_segments", "tcp_sock.snd_cwnd")                                                \
	X(CWND_MEDIAN, "cwnd-median", TCP, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 1,              \
	  "cwnd_median_segments", "tcp_sock.snd_cwnd")                                             \
	X(SSTHRESH, "ssthresh", TCP, "segments", GAUGE, 0, MEAN, -1, DOWN, 0, 1,                   \
	  "ssthresh_segments", "tcp_sock.snd_ssthresh")                                            \
	X(SRTT, "srtt", TCP, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "srtt", "tcp_sock.srtt_us")       \
	X(RETRANS_S, "retrans/s", TCP, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                          \
	  "retransmitted_segments", "tcp_retransmit_skb")                                          \
	X(OOO_S, "ooo/s", TCP, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "out_of_order_segments",         \
	  "tcp_sock.rcv_ooopack")                                                                  \
	X(TCP_RXKB_S, "tcp-rxkB/s", TCP, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,               \
	  "received_bytes", "tcp_sock.bytes_received")                                             \
	X(TCP_TXKB_S, "tcp-txkB/s", TCP, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,               \
	  "acked_bytes", "tcp_sock.bytes_acked")                                                   \
	X(ISEG_S, "iseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "received_segments",       \
	  "tcp_sock.segs_in")                                                                      \
	X(OSEG_S, "oseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_segments",           \
	  "tcp_sock.segs_out")                                                                     \
	X(IDSEG_S, "idseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                          \
	  "received_data_segments", "tcp_sock.data_segs_in")                                       \
	X(ODSEG_S, "odseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_data_segments",    \
	  "tcp_sock.data_segs_out")                                                                \
	X(TCPSCK, "tcpsck", TCP, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1, "sockets",            \
	  "iter/tcp")                                                                              \
	X(TCP_ACTIVE, "tcp-active", TCP, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1,               \
	  "active_sockets", "tcp_sock.lsndtime")                                                   \
	X(TCP_UNREAD, "tcp-unread", TCP, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1, "unread_sockets", \
	  "icsk_ack.lrcvtime")                                                                     \
	X(USER, "%user", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_user", "kernel_cpustat")    \
	X(NICE, "%nice", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_nice", "kernel_cpustat")    \
	X(SYSTEM, "%system", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_system",                \
	  "kernel_cpustat")                                                                        \
	X(IOWAIT, "%iowait", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_iowait",                \
	  "tick_cpu_sched")                                                                        \
	X(STEAL, "%steal", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_steal", "kernel_cpustat") \
	X(IDLE, "%idle", HOST, "%", GAUGE, 0, MEAN, -1, EITHER, 0, 1, "cpu_idle",                  \
	  "tick_cpu_sched")                                                                        \
	X(CSWCH_S, "cswch/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "context_switches",     \
	  "rq.nr_switches")                                                                        \
	X(RUNQ_SZ, "runq-sz", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 0, "runnable_tasks",        \
	  "rq.nr_running")                                                                         \
	X(BLOCKED, "blocked", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 0, "blocked_tasks",         \
	  "rq.nr_iowait")                                                                          \
	X(PLIST_SZ, "plist-sz", HOST, "tasks", GAUGE, 0, SUM, -1, EITHER, 0, 0, "tasks",           \
	  "/proc/loadavg")                                                                         \
	X(LDAVG_1, "ldavg-1", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 2, "load_1min",             \
	  "/proc/loadavg")                                                                         \
	X(LDAVG_5, "ldavg-5", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 2, "load_5min",             \
	  "/proc/loadavg")                                                                         \
	X(RUNQ_DELAY, "runq-delay", HOST, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "run_queue_delay",   \
	  "sched_info.last_queued")                                                                \
	X(RUNQ_P99, "runq-p99", HOST, "ms", GAUGE, 0, MAX, -1, UP, 0, 3, "run_queue_delay_p99",    \
	  "sched_info.last_queued")                                                                \
	X(PGPGIN_S, "pgpgin/s", HOST, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "paged_in_bytes", \
	  "vm_event_states")                                                                       \
	X(PGPGOUT_S, "pgpgout/s", HOST, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,                 \
	  "paged_out_bytes", "vm_event_states")                                                    \
	X(FAULT_S, "fault/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "page_faults",          \
	  "vm_event_states")                                                                       \
	X(MAJFLT_S, "majflt/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "major_page_faults",      \
	  "vm_event_states")                                                                       \
	X(PGFREE_S, "pgfree/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "pages_freed",        \
	  "vm_event_states")                                                                       \
	X(PGSCANK_S, "pgscank/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_scanned_kswapd", \
	  "vm_event_states")                                                                       \
	X(PGSCAND_S, "pgscand/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_scanned_direct", \
	  "vm_event_states")                                                                       \
	X(PGSTEAL_S, "pgsteal/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_reclaimed",      \
	  "vm_event_states")                                                                       \
	X(PSWPIN_S, "pswpin/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_swapped_in",       \
	  "vm_event_states")                                                                       \
	X(PSWPOUT_S, "pswpout/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_swapped_out",    \
	  "vm_event_states")                                                                       \
	X(ALLOCSTALL_S, "allocstall/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                   \
	  "allocation_stalls", "vm_event_states")                                                  \
	X(BREAD_S, "bread/s", HOST, "blocks/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "",               \
	  "2 * sum of rkB/s")                                                                      \
	X(BWRTN_S, "bwrtn/s", HOST, "blocks/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "",               \
	  "2 * sum of wkB/s")                                                                      \
	X(KBMEMFREE, "kbmemfree", HOST, "kB", GAUGE, 0, SUM, -1, DOWN, 0, 0, "memory_free_bytes",  \
	  "/proc/meminfo")                                                                         \
	X(KBAVAIL, "kbavail", HOST, "kB", GAUGE, 0, SUM, -1, DOWN, 0, 0, "memory_available_bytes", \
	  "/proc/meminfo")                                                                         \
	X(KBDIRTY, "kbdirty", HOST, "kB", GAUGE, 0, SUM, -1, UP, 0, 0, "memory_dirty_bytes",       \
	  "/proc/meminfo")                                                                         \
	X(SCPU, "%scpu", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "cpu_pressure_some",             \
	  "/proc/pressure/cpu")                                                                    \
	X(SIO, "%sio", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "io_pressure_some",                \
	  "/proc/pressure/io")                                                                     \
	X(FIO, "%fio", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "io_pressure_full",                \
	  "/proc/pressure/io")                                                                     \
	X(SMEM, "%smem", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "memory_pressure_some",          \
	  "/proc/pressure/memory")                                                                 \
	X(FMEM, "%fmem", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "memory_pressure_full",          \
	  "/proc/pressure/memory")                                                                 \
	X(REM_CWND_LN, "cwnd-ln", REMOTE, "ln(segments)", GAUGE, 0, MEAN, -1, DOWN, 0, 3,          \
	  "cwnd_ln_segments", "tcp_sock.snd_cwnd")                                                 \
	X(REM_CWND_MIN, "cwnd-min", REMOTE, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 0,             \
	  "cwnd_min_segments", "tcp_sock.snd_cwnd")                                                \
	X(REM_CWND_MEDIAN, "cwnd-median", REMOTE, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 1,       \
	  "cwnd_median_segments", "tcp_sock.snd_cwnd")                                             \
	X(REM_SSTHRESH, "ssthresh", REMOTE, "segments", GAUGE, 0, MEAN, -1, DOWN, 0, 1,            \
	  "ssthresh_segments", "tcp_sock.snd_ssthresh")                                            \
	X(REM_SRTT, "srtt", REMOTE, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "srtt",                    \
	  "tcp_sock.srtt_us")                                                                      \
	X(REM_RETRANS_S, "retrans/s", REMOTE, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                   \
	  "retransmitted_segments", "tcp_sock.total_retrans")                                      \
	X(REM_OOO_S, "ooo/s", REMOTE, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "out_of_order_segments",  \
	  "tcp_sock.rcv_ooopack")                                                                  \
	X(REM_TCP_RXKB_S, "tcp-rxkB/s", REMOTE, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,        \
	  "received_bytes", "tcp_sock.bytes_received")                                             \
	X(REM_TCP_TXKB_S, "tcp-txkB/s", REMOTE, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,        \
	  "acked_bytes", "tcp_sock.bytes_acked")                                                   \
	X(REM_ISEG_S, "iseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                     \
	  "received_segments", "tcp_sock.segs_in")                                                 \
	X(REM_OSEG_S, "oseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_segments",    \
	  "tcp_sock.segs_out")                                                                     \
	X(REM_IDSEG_S, "idseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                   \
	  "received_data_segments", "tcp_sock.data_segs_in")                                       \
	X(REM_ODSEG_S, "odseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                   \
	  "sent_data_segments", "tcp_sock.data_segs_out")                                          \
	X(REM_TCPSCK, "tcpsck", REMOTE, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1, "sockets",     \
	  "iter/tcp")                                                                              \
	X(REM_TCP_ACTIVE, "tcp-active", REMOTE, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1,        \
	  "active_sockets", "tcp_sock.lsndtime")                                                   \
	X(REM_TCP_UNREAD, "tcp-unread", REMOTE, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1,            \
	  "unread_sockets", "icsk_ack.lrcvtime")                                                   \
	X(P_CPU, "%CPU", PROCESS, "%", RATE, 10000000, SUM, -1, EITHER, 0, 1, "cpu",               \
	  "task.se.sum_exec_runtime")                                                              \
	X(P_RKB_S, "kB_rd/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "read_bytes",    \
	  "task.ioac.read_bytes")                                                                  \
	X(P_WKB_S, "kB_wr/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "written_bytes", \
	  "task.ioac.write_bytes")                                                                 \
	X(P_CCWKB_S, "kB_ccwr/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,              \
	  "cancelled_write_bytes", "task.ioac.cancelled_write_bytes")

#define METRIC_ENUM(id, ...) M_##id,
enum metric_id { METRICS(METRIC_ENUM) M_COUNT };
#undef METRIC_ENUM

struct metric {
	const char *name;
	enum metric_family family;
	const char *unit;
	enum metric_kind kind;
	double per;
	enum metric_agg agg;
	int weight; /* an enum metric_id of the same family, or -1 */
	enum metric_worse worse;
	double floor;
	int decimals; /* in text output */
	const char *export_name, *source;
};

extern const struct metric metrics[M_COUNT];

/* The first metric of that name, in the order of families, or -1. */
int metric_by_name(const char *name);

/* The same within one family. */
int metric_in_family(enum metric_family family, const char *name);

#endif
