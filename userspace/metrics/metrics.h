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
/* Room for the name of a metric, or of a column of a table that stands for one. */
enum { METRIC_NAME_LEN = 64 };

enum metric_worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };

/*
 * id, name, family, unit, kind, per, aggregation, weight, worse, floor, decimals, export, source,
 * elsewhere, sysstat, papers, tested, meaning
 *
 * Names are sysstat's where sysstat has the metric; kB are 1024 bytes, as in sysstat. A name is
 * unique among disk, net, tcp and host; remote has tcp's names. per: of KIND_RATE.
 * floor: a difference or a spread below this does not count, in the metric's unit
 * (0: none set). Storage 1 MiB/s: a trickle of metadata reads is not throughput. Network 64 KiB/s:
 * the acknowledgements a write hog causes are only about 2 % of its bytes. await 1 ms.
 * export: the middle of its OpenMetrics name, limpet_FAMILY_EXPORT, with _total added to rates;
 * bytes, seconds and ratios there; "": follows from others and is not exported.
 * source: where the kernel keeps it. What follows is for the document that tools/metrics makes of
 * this table, userspace/METRICS.md, which says what each column is; "": nothing.
 */
#define METRICS(X)                                                                                 \
	X(R_S, "r/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "reads",                        \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "reads completed")                                                                       \
	X(W_S, "w/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "writes",                       \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "writes completed")                                                                      \
	X(D_S, "d/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "discards",                     \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "discards completed")                                                                    \
	X(F_S, "f/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "flushes",                      \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "flushes completed")                                                                     \
	X(RKB_S, "rkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "read_bytes",        \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x, sar -d", "bytes read/s",    \
	  "disk, exact_disk", "read")                                                              \
	X(WKB_S, "wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "written_bytes",     \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x, sar -d", "bytes written/s", \
	  "disk, exact_disk", "written")                                                           \
	X(DKB_S, "dkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 1024, 1, "discarded_bytes",   \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x, sar -d", "",                \
	  "disk, exact_disk", "discarded")                                                         \
	X(RRQM_S, "rrqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "reads_merged",           \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "exact_disk",          \
	  "reads merged into others before they went to the disk")                                 \
	X(WRQM_S, "wrqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "writes_merged",          \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "exact_disk",          \
	  "writes merged")                                                                         \
	X(DRQM_S, "drqm/s", DISK, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "discards_merged",        \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "exact_proc",          \
	  "discards merged")                                                                       \
	X(IOPS, "tps", DISK, "1/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "", "r/s + w/s",              \
	  "/sys/block/DISK/stat", "sar -d", "", "disk, exact_proc",                                \
	  "reads and writes; sar and iostat add discards")                                         \
	X(RAREQ_SZ, "rareq-sz", DISK, "kB", GAUGE, 0, MEAN, M_R_S, EITHER, 0, 2, "",               \
	  "rkB/s / r/s", "/sys/block/DISK/stat", "iostat -x", "", "exact_proc",                    \
	  "mean size of a read")                                                                   \
	X(WAREQ_SZ, "wareq-sz", DISK, "kB", GAUGE, 0, MEAN, M_W_S, EITHER, 0, 2, "",               \
	  "wkB/s / w/s", "/sys/block/DISK/stat", "iostat -x", "", "exact_proc",                    \
	  "mean size of a write")                                                                  \
	X(AREQ_SZ, "areq-sz", DISK, "kB", GAUGE, 0, MEAN, M_IOPS, EITHER, 0, 2, "",                \
	  "(rkB/s + wkB/s) / tps", "/sys/block/DISK/stat", "sar -d", "", "exact_proc, exact_disk", \
	  "mean size of a read or write; sar adds discards")                                       \
	X(R_AWAIT, "r_await", DISK, "ms", GAUGE, 0, MEAN, M_R_S, UP, 1, 2, "read_await",           \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "mean time of a read, from its arrival at the queue to its end")                         \
	X(W_AWAIT, "w_await", DISK, "ms", GAUGE, 0, MEAN, M_W_S, UP, 1, 2, "write_await",          \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "disk, exact_disk",    \
	  "the same of writes")                                                                    \
	X(D_AWAIT, "d_await", DISK, "ms", GAUGE, 0, MEAN, M_D_S, UP, 1, 2, "discard_await",        \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "exact_disk",          \
	  "the same of discards")                                                                  \
	X(F_AWAIT, "f_await", DISK, "ms", GAUGE, 0, MEAN, M_F_S, UP, 1, 2, "flush_await",          \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x", "", "exact_disk",          \
	  "the same of flushes")                                                                   \
	X(AWAIT, "await", DISK, "ms", GAUGE, 0, MEAN, M_IOPS, UP, 1, 2, "await",                   \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "sar -d", "await",                      \
	  "exact_proc, exact_disk", "the same of reads and writes; sar adds discards")             \
	X(R_DEV, "r_dev", DISK, "ms", GAUGE, 0, MEAN, M_R_S, UP, 1, 2, "read_device",              \
	  "request.io_start_time_ns", "none", "", "", "exact_disk (bounds)",                       \
	  "the part of a read after the driver took it; null where the queue does not stamp that") \
	X(W_DEV, "w_dev", DISK, "ms", GAUGE, 0, MEAN, M_W_S, UP, 1, 2, "write_device",             \
	  "request.io_start_time_ns", "none", "", "", "exact_disk (bounds)", "the same of writes") \
	X(AQU_SZ, "aqu-sz", DISK, "requests", GAUGE, 0, SUM, -1, UP, 0, 2, "queue_length",         \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x, sar -d", "",                \
	  "disk, exact_disk", "mean number of requests waiting or served, over all four kinds")    \
	X(UTIL, "%util", DISK, "%", GAUGE, 0, MAX, -1, UP, 0, 1, "utilisation",                    \
	  "block_device.bd_stats", "/sys/block/DISK/stat", "iostat -x, sar -d", "",                \
	  "disk, exact_disk", "share of the time with a request in flight, at most 100")           \
	X(FOREIGN_RKB_S, "foreign-rkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, UP, 1024, 1,          \
	  "foreign_read_bytes", "bio.bi_blkg", "none", "", "", "cgroup, limits",                   \
	  "read by other cgroups than those of `--cgroup`")                                        \
	X(FOREIGN_WKB_S, "foreign-wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, UP, 1024, 1,          \
	  "foreign_written_bytes", "bio.bi_blkg", "none", "", "", "cgroup",                        \
	  "written by other cgroups")                                                              \
	X(UNKNOWN_WKB_S, "unknown-wkB/s", DISK, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,         \
	  "unknown_written_bytes", "bio.bi_blkg", "none", "", "", "cgroup",                        \
	  "written by nobody knows whom: writeback, with cgroup v1")                               \
	X(ERR_S, "err/s", DISK, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "errors", "block_rq_complete",  \
	  "none", "", "", "disk_errors",                                                           \
	  "requests that failed, which the times of reads and writes leave out")                   \
	X(REQUEUE_S, "requeue/s", DISK, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "requeues",             \
	  "block_rq_requeue", "none", "", "", "disk_errors",                                       \
	  "requests given back to the queue: the device was busy, or has to try again")            \
	X(RXKB_S, "rxkB/s", NET, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1, "received_bytes",     \
	  "/proc/net/dev", "the same", "sar -n DEV", "eth-rxbyt", "net, exact_net", "received")    \
	X(TXKB_S, "txkB/s", NET, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1, "sent_bytes",         \
	  "/proc/net/dev", "the same", "sar -n DEV", "eth-txbyt", "net, exact_net", "sent")        \
	X(RXPCK_S, "rxpck/s", NET, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "received_packets",      \
	  "/proc/net/dev", "the same", "sar -n DEV", "", "net, exact_net", "packets received")     \
	X(TXPCK_S, "txpck/s", NET, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_packets",          \
	  "/proc/net/dev", "the same", "sar -n DEV", "", "net, exact_net", "packets sent")         \
	X(RXERR_S, "rxerr/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "receive_errors",            \
	  "/proc/net/dev", "the same", "sar -n EDEV", "", "exact_proc",                            \
	  "packets received with errors")                                                          \
	X(TXERR_S, "txerr/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "send_errors",               \
	  "/proc/net/dev", "the same", "sar -n EDEV", "", "exact_net",                             \
	  "packets that could not be sent")                                                        \
	X(RXDROP_S, "rxdrop/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "received_dropped",        \
	  "/proc/net/dev", "the same", "sar -n EDEV", "", "exact_net",                             \
	  "packets received and thrown away")                                                      \
	X(TXDROP_S, "txdrop/s", NET, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "sent_dropped",            \
	  "/proc/net/dev", "the same", "sar -n EDEV", "", "exact_net",                             \
	  "packets thrown away instead of sent")                                                   \
	X(IFUTIL, "%ifutil", NET, "%", GAUGE, 0, MAX, -1, EITHER, 0, 1, "utilisation",             \
	  "rxkB/s, txkB/s, speed", "the same", "sar -n DEV", "", "exact_net",                      \
	  "the busier direction in percent of the speed; null where the driver tells none")        \
	X(CWND_LN, "cwnd-ln", TCP, "ln(segments)", GAUGE, 0, MEAN, -1, DOWN, 0, 3,                 \
	  "cwnd_ln_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "cwnd", "tcp, tcp_sums",       \
	  "mean of ln(congestion window) over sockets that send, ten looks a second")              \
	X(CWND_MIN, "cwnd-min", TCP, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 0,                    \
	  "cwnd_min_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "", "tcp, tcp_sums",          \
	  "smallest window of the second")                                                         \
	X(CWND_MEDIAN, "cwnd-median", TCP, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 1,              \
	  "cwnd_median_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "", "tcp, tcp_sums",       \
	  "median window of all looks")                                                            \
	X(SSTHRESH, "ssthresh", TCP, "segments", GAUGE, 0, MEAN, -1, DOWN, 0, 1,                   \
	  "ssthresh_segments", "tcp_sock.snd_ssthresh", "sock_diag", "", "", "tcp, tcp_sums",      \
	  "mean slow-start threshold of sockets that have one")                                    \
	X(SRTT, "srtt", TCP, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "srtt", "tcp_sock.srtt_us",       \
	  "sock_diag", "", "", "tcp, tcp_sums",                                                    \
	  "mean smoothed round-trip time of sockets that send")                                    \
	X(RETRANS_S, "retrans/s", TCP, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                          \
	  "retransmitted_segments", "tcp_retransmit_skb", "sock_diag", "sar -n ETCP (whole host)", \
	  "", "tcp, tcp_sums", "segments sent again")                                              \
	X(OOO_S, "ooo/s", TCP, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "out_of_order_segments",         \
	  "tcp_sock.rcv_ooopack", "sock_diag", "", "", "tcp, tcp_sums",                            \
	  "segments that came out of order")                                                       \
	X(TCP_RXKB_S, "tcp-rxkB/s", TCP, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,               \
	  "received_bytes", "tcp_sock.bytes_received", "sock_diag", "", "", "tcp, tcp_sums",       \
	  "bytes received in order")                                                               \
	X(TCP_TXKB_S, "tcp-txkB/s", TCP, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,               \
	  "acked_bytes", "tcp_sock.bytes_acked", "sock_diag", "", "", "tcp, tcp_sums",             \
	  "bytes acknowledged by the other side")                                                  \
	X(ISEG_S, "iseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "received_segments",       \
	  "tcp_sock.segs_in", "sock_diag", "sar -n TCP (whole host)", "", "tcp, tcp_sums",         \
	  "segments received")                                                                     \
	X(OSEG_S, "oseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_segments",           \
	  "tcp_sock.segs_out", "sock_diag", "sar -n TCP (whole host)", "", "tcp, tcp_sums",        \
	  "segments sent, those sent again too")                                                   \
	X(IDSEG_S, "idseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                          \
	  "received_data_segments", "tcp_sock.data_segs_in", "sock_diag", "", "", "tcp, tcp_sums", \
	  "segments with data received")                                                           \
	X(ODSEG_S, "odseg/s", TCP, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_data_segments",    \
	  "tcp_sock.data_segs_out", "sock_diag", "", "", "tcp, tcp_sums",                          \
	  "segments with data sent, those sent again too")                                         \
	X(TCPSCK, "tcpsck", TCP, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1, "sockets",            \
	  "iter/tcp", "sock_diag", "sar -n SOCK (whole host)", "", "tcp, tcp_sums",                \
	  "established sockets, mean of the looks")                                                \
	X(TCP_ACTIVE, "tcp-active", TCP, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1,               \
	  "active_sockets", "tcp_sock.lsndtime", "sock_diag", "", "", "tcp, tcp_sums",             \
	  "of them, those that have sent since the look before, or wait to hear that it "          \
	  "arrived, mean of the looks")                                                            \
	X(TCP_UNREAD, "tcp-unread", TCP, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1, "unread_sockets", \
	  "icsk_ack.lrcvtime", "sock_diag", "", "", "tcp_unread",                                  \
	  "of them, those of ports listened on with data that nobody has read for 5 s or more, "   \
	  "mean of the looks; with eBPF not known in the first 5 s")                               \
	X(TCP_STALLED, "tcp-stalled", TCP, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1,                 \
	  "stalled_sockets", "tcp_sock.snd_una", "none", "", "", "tcp_stalled",                    \
	  "of them, those with data to send of which nothing was acknowledged for 5 s or more, "   \
	  "mean of the walks; not known in the first 5 s")                                         \
	X(TCP_LOOKS, "tcp-looks", TCP, "1/s", GAUGE, 0, MEAN, -1, DOWN, 0, 1, "looks", "look_tcp", \
	  "sock_diag", "", "", "tcp_many, tcp_rest",                                               \
	  "looks at the window of each socket at work: 10, but fewer beyond 2,000, by turns; "     \
	  "after a minute without a segment those that are left out count where none came or "     \
	  "went")                                                                                  \
	X(USER, "%user", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_user", "kernel_cpustat",    \
	  "/proc/stat", "sar -u", "user", "exact_proc, exact_host",                                \
	  "time of programs, guests included")                                                     \
	X(NICE, "%nice", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_nice", "kernel_cpustat",    \
	  "/proc/stat", "sar -u", "", "exact_proc, exact_host",                                    \
	  "time of programs with a nice value above 0")                                            \
	X(SYSTEM, "%system", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_system",                \
	  "kernel_cpustat", "/proc/stat", "sar -u", "system", "exact_proc, exact_host",            \
	  "time of the kernel, interrupts included")                                               \
	X(IOWAIT, "%iowait", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_iowait",                \
	  "tick_cpu_sched", "/proc/stat", "sar -u", "iowait", "exact_proc, exact_host",            \
	  "time a processor was idle with a task waiting for a disk")                              \
	X(STEAL, "%steal", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 1, "cpu_steal", "kernel_cpustat", \
	  "/proc/stat", "sar -u", "", "exact_proc, exact_host",                                    \
	  "time the hypervisor gave to others")                                                    \
	X(IDLE, "%idle", HOST, "%", GAUGE, 0, MEAN, -1, EITHER, 0, 1, "cpu_idle",                  \
	  "tick_cpu_sched", "/proc/stat", "sar -u", "", "exact_proc, exact_host", "idle time")     \
	X(CSWCH_S, "cswch/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "context_switches",     \
	  "rq.nr_switches", "/proc/stat", "sar -w", "ctxt", "sched, exact_host",                   \
	  "context switches")                                                                      \
	X(RUNQ_SZ, "runq-sz", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 0, "runnable_tasks",        \
	  "rq.nr_running", "/proc/stat", "sar -q", "runq-sz", "sched, exact_proc",                 \
	  "tasks running or ready to run now, less the probe")                                     \
	X(BLOCKED, "blocked", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 0, "blocked_tasks",         \
	  "rq.nr_iowait", "/proc/stat", "sar -q", "", "exact_proc, exact_host",                    \
	  "tasks waiting for a disk now")                                                          \
	X(PLIST_SZ, "plist-sz", HOST, "tasks", GAUGE, 0, SUM, -1, EITHER, 0, 0, "tasks",           \
	  "/proc/loadavg", "the same", "sar -q", "plist-sz", "exact_proc",                         \
	  "tasks (threads) there are")                                                             \
	X(LDAVG_1, "ldavg-1", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 2, "load_1min",             \
	  "/proc/loadavg", "the same", "sar -q", "ldavg-1", "exact_proc",                          \
	  "load average of a minute")                                                              \
	X(LDAVG_5, "ldavg-5", HOST, "tasks", GAUGE, 0, SUM, -1, UP, 0, 2, "load_5min",             \
	  "/proc/loadavg", "the same", "sar -q", "", "exact_proc", "load average of five minutes") \
	X(RUNQ_DELAY, "runq-delay", HOST, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "run_queue_delay",   \
	  "sched_info.last_queued", "none", "", "", "",                                            \
	  "mean time from being ready to run to running, a switch; reads low below some 16 µs")    \
	X(RUNQ_P99, "runq-p99", HOST, "ms", GAUGE, 0, MAX, -1, UP, 0, 3, "run_queue_delay_p99",    \
	  "sched_info.last_queued", "none", "", "", "",                                            \
	  "the delay that 1 % of the switches exceed")                                             \
	X(PGPGIN_S, "pgpgin/s", HOST, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "paged_in_bytes", \
	  "vm_event_states", "/proc/vmstat", "sar -B", "pgpgin", "exact_proc, exact_host",         \
	  "paged in from disks: all block reads")                                                  \
	X(PGPGOUT_S, "pgpgout/s", HOST, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,                 \
	  "paged_out_bytes", "vm_event_states", "/proc/vmstat", "sar -B", "pgpgout",               \
	  "exact_proc, exact_host", "paged out to disks: all block writes")                        \
	X(FAULT_S, "fault/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "page_faults",          \
	  "vm_event_states", "/proc/vmstat", "sar -B", "fault", "exact_proc, exact_host",          \
	  "page faults")                                                                           \
	X(MAJFLT_S, "majflt/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "major_page_faults",      \
	  "vm_event_states", "/proc/vmstat", "sar -B", "", "exact_proc, exact_host",               \
	  "page faults that needed a disk")                                                        \
	X(PGFREE_S, "pgfree/s", HOST, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "pages_freed",        \
	  "vm_event_states", "/proc/vmstat", "sar -B", "", "exact_proc, exact_host",               \
	  "pages freed")                                                                           \
	X(PGSCANK_S, "pgscank/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_scanned_kswapd", \
	  "vm_event_states", "/proc/vmstat", "sar -B", "", "exact_proc",                           \
	  "pages looked at by kswapd")                                                             \
	X(PGSCAND_S, "pgscand/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_scanned_direct", \
	  "vm_event_states", "/proc/vmstat", "sar -B", "", "exact_proc",                           \
	  "pages looked at by tasks that needed memory")                                           \
	X(PGSTEAL_S, "pgsteal/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_reclaimed",      \
	  "vm_event_states", "/proc/vmstat", "sar -B", "", "exact_proc, exact_host",               \
	  "pages reclaimed, at limits of memory cgroups too; sar counts twice (below)")            \
	X(PSWPIN_S, "pswpin/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_swapped_in",       \
	  "vm_event_states", "/proc/vmstat", "sar -W", "", "exact_proc, exact_host",               \
	  "pages swapped in")                                                                      \
	X(PSWPOUT_S, "pswpout/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "pages_swapped_out",    \
	  "vm_event_states", "/proc/vmstat", "sar -W", "", "exact_proc, exact_host",               \
	  "pages swapped out")                                                                     \
	X(ALLOCSTALL_S, "allocstall/s", HOST, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                   \
	  "allocation_stalls", "vm_event_states", "/proc/vmstat", "", "", "exact_proc",            \
	  "times a task had to reclaim memory itself")                                             \
	X(BREAD_S, "bread/s", HOST, "blocks/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "",               \
	  "2 * sum of rkB/s", "the same", "sar -b", "bread", "exact_proc, limits",                 \
	  "read from the watched disks, in blocks of 512 bytes")                                   \
	X(BWRTN_S, "bwrtn/s", HOST, "blocks/s", GAUGE, 0, SUM, -1, EITHER, 0, 1, "",               \
	  "2 * sum of wkB/s", "the same", "sar -b", "bwrtn", "exact_proc", "written to them")      \
	X(KBMEMFREE, "kbmemfree", HOST, "kB", GAUGE, 0, SUM, -1, DOWN, 0, 0, "memory_free_bytes",  \
	  "/proc/meminfo", "the same", "sar -r", "", "exact_proc", "memory nobody uses")           \
	X(KBAVAIL, "kbavail", HOST, "kB", GAUGE, 0, SUM, -1, DOWN, 0, 0, "memory_available_bytes", \
	  "/proc/meminfo", "the same", "sar -r", "", "exact_proc",                                 \
	  "memory that could be had without swapping")                                             \
	X(KBDIRTY, "kbdirty", HOST, "kB", GAUGE, 0, SUM, -1, UP, 0, 0, "memory_dirty_bytes",       \
	  "/proc/meminfo", "the same", "sar -r", "", "exact_proc",                                 \
	  "memory that has to be written to disks")                                                \
	X(SCPU, "%scpu", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "cpu_pressure_some",             \
	  "/proc/pressure/cpu", "the same", "sar -q CPU", "", "exact_proc, exact_host",            \
	  "share of the time in which some task waited for a processor")                           \
	X(SIO, "%sio", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "io_pressure_some",                \
	  "/proc/pressure/io", "the same", "sar -q IO", "", "exact_proc, exact_host",              \
	  "share in which some task waited for a disk")                                            \
	X(FIO, "%fio", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "io_pressure_full",                \
	  "/proc/pressure/io", "the same", "sar -q IO", "", "exact_proc, exact_host",              \
	  "share in which all tasks that had work did")                                            \
	X(SMEM, "%smem", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "memory_pressure_some",          \
	  "/proc/pressure/memory", "the same", "sar -q MEM", "", "exact_proc, exact_host",         \
	  "share in which some task waited for memory")                                            \
	X(FMEM, "%fmem", HOST, "%", GAUGE, 0, MEAN, -1, UP, 0, 2, "memory_pressure_full",          \
	  "/proc/pressure/memory", "the same", "sar -q MEM", "", "exact_proc, exact_host",         \
	  "share in which all did")                                                                \
	X(THREADS, "threads", HOST, "tasks", GAUGE, 0, SUM, -1, EITHER, 0, 1, "server_threads",    \
	  "iter/task", "none", "", "", "waits",                                                    \
	  "threads of `--pid` and `--cgroup`, mean of the looks")                                  \
	X(THREAD_LOOKS, "thread-looks", HOST, "1/s", GAUGE, 0, MEAN, -1, DOWN, 0, 1,               \
	  "server_thread_looks", "iter/task", "none", "", "", "waits",                             \
	  "looks at these threads: 10, but fewer where one costs over 1 ms")                       \
	X(THR_CPU, "%thr-cpu", HOST, "%", GAUGE, 0, MEAN, M_THREADS, EITHER, 0, 1,                 \
	  "server_threads_on_cpu", "iter/task", "none", "", "", "waits",                           \
	  "share of their time on a processor")                                                    \
	X(THR_READY, "%thr-ready", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                 \
	  "server_threads_runnable", "iter/task", "none", "", "", "waits",                         \
	  "runnable, without a processor")                                                         \
	X(THR_DISK, "%thr-disk", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                   \
	  "server_threads_disk", "iter/task", "none", "", "", "waits",                             \
	  "asleep until a disk or a file system answers")                                          \
	X(THR_LOCK, "%thr-lock", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                   \
	  "server_threads_lock", "iter/task", "none", "", "", "waits",                             \
	  "asleep in a lock that another thread has: of the kernel, of files, a mutex")            \
	X(THR_NET, "%thr-net", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                     \
	  "server_threads_network", "iter/task", "none", "", "", "waits",                          \
	  "asleep until a socket has room, or another server answers")                             \
	X(THR_MEM, "%thr-mem", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                     \
	  "server_threads_memory", "iter/task", "none", "", "", "waits",                           \
	  "asleep for memory: reclaim, swap")                                                      \
	X(THR_IDLE, "%thr-idle", HOST, "%", GAUGE, 0, MEAN, M_THREADS, EITHER, 0, 1,               \
	  "server_threads_idle", "iter/task", "none", "", "", "waits",                             \
	  "asleep until there is work, or for a time")                                             \
	X(THR_STOP, "%thr-stop", HOST, "%", GAUGE, 0, MEAN, M_THREADS, UP, 0, 1,                   \
	  "server_threads_stopped", "iter/task", "none", "", "", "waits",                          \
	  "stopped by a signal, a debugger or a freezer")                                          \
	X(THR_UNKNOWN, "%thr-unknown", HOST, "%", GAUGE, 0, MEAN, M_THREADS, EITHER, 0, 1,         \
	  "server_threads_unknown", "iter/task", "none", "", "", "waits",                          \
	  "asleep in what the probe does not know, or with a stack that starts nowhere")           \
	X(REM_CWND_LN, "cwnd-ln", REMOTE, "ln(segments)", GAUGE, 0, MEAN, -1, DOWN, 0, 3,          \
	  "cwnd_ln_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "cwnd", "tcp_sums, tcp_many",  \
	  "mean of ln(congestion window) over sockets that send, ten looks a second")              \
	X(REM_CWND_MIN, "cwnd-min", REMOTE, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 0,             \
	  "cwnd_min_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "", "tcp_sums, tcp_many",     \
	  "smallest window of the second")                                                         \
	X(REM_CWND_MEDIAN, "cwnd-median", REMOTE, "segments", GAUGE, 0, MAX, -1, DOWN, 0, 1,       \
	  "cwnd_median_segments", "tcp_sock.snd_cwnd", "sock_diag", "", "", "tcp_sums, tcp_many",  \
	  "median window of all looks")                                                            \
	X(REM_SSTHRESH, "ssthresh", REMOTE, "segments", GAUGE, 0, MEAN, -1, DOWN, 0, 1,            \
	  "ssthresh_segments", "tcp_sock.snd_ssthresh", "sock_diag", "", "", "tcp_sums, tcp_many", \
	  "mean slow-start threshold of sockets that have one")                                    \
	X(REM_SRTT, "srtt", REMOTE, "ms", GAUGE, 0, MEAN, -1, UP, 0, 3, "srtt",                    \
	  "tcp_sock.srtt_us", "sock_diag", "", "", "tcp_sums, tcp_many",                           \
	  "mean smoothed round-trip time of sockets that send")                                    \
	X(REM_RETRANS_S, "retrans/s", REMOTE, "1/s", RATE, 1, SUM, -1, UP, 0, 1,                   \
	  "retransmitted_segments", "tcp_sock.total_retrans", "sock_diag", "", "",                 \
	  "tcp_sums, tcp_many", "segments sent again")                                             \
	X(REM_OOO_S, "ooo/s", REMOTE, "1/s", RATE, 1, SUM, -1, UP, 0, 1, "out_of_order_segments",  \
	  "tcp_sock.rcv_ooopack", "sock_diag", "", "", "tcp_sums, tcp_many",                       \
	  "segments that came out of order")                                                       \
	X(REM_TCP_RXKB_S, "tcp-rxkB/s", REMOTE, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,        \
	  "received_bytes", "tcp_sock.bytes_received", "sock_diag", "", "", "tcp_sums, tcp_many",  \
	  "bytes received in order")                                                               \
	X(REM_TCP_TXKB_S, "tcp-txkB/s", REMOTE, "kB/s", RATE, 1024, SUM, -1, EITHER, 64, 1,        \
	  "acked_bytes", "tcp_sock.bytes_acked", "sock_diag", "", "", "tcp_sums, tcp_many",        \
	  "bytes acknowledged by the other side")                                                  \
	X(REM_ISEG_S, "iseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                     \
	  "received_segments", "tcp_sock.segs_in", "sock_diag", "", "", "tcp_sums, tcp_many",      \
	  "segments received")                                                                     \
	X(REM_OSEG_S, "oseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1, "sent_segments",    \
	  "tcp_sock.segs_out", "sock_diag", "", "", "tcp_sums, tcp_many",                          \
	  "segments sent, those sent again too")                                                   \
	X(REM_IDSEG_S, "idseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                   \
	  "received_data_segments", "tcp_sock.data_segs_in", "sock_diag", "", "",                  \
	  "tcp_sums, tcp_many", "segments with data received")                                     \
	X(REM_ODSEG_S, "odseg/s", REMOTE, "1/s", RATE, 1, SUM, -1, EITHER, 0, 1,                   \
	  "sent_data_segments", "tcp_sock.data_segs_out", "sock_diag", "", "",                     \
	  "tcp_sums, tcp_many", "segments with data sent, those sent again too")                   \
	X(REM_TCPSCK, "tcpsck", REMOTE, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1, "sockets",     \
	  "iter/tcp", "sock_diag", "", "", "tcp_sums, tcp_many",                                   \
	  "established sockets, mean of the looks")                                                \
	X(REM_TCP_ACTIVE, "tcp-active", REMOTE, "sockets", GAUGE, 0, SUM, -1, EITHER, 0, 1,        \
	  "active_sockets", "tcp_sock.lsndtime", "sock_diag", "", "", "tcp_sums, tcp_many",        \
	  "of them, those that have sent since the look before, or wait to hear that it "          \
	  "arrived, mean of the looks")                                                            \
	X(REM_TCP_UNREAD, "tcp-unread", REMOTE, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1,            \
	  "unread_sockets", "icsk_ack.lrcvtime", "sock_diag", "", "", "tcp_unread",                \
	  "of them, those of ports listened on with data that nobody has read for 5 s or more, "   \
	  "mean of the looks; with eBPF not known in the first 5 s")                               \
	X(REM_TCP_STALLED, "tcp-stalled", REMOTE, "sockets", GAUGE, 0, SUM, -1, UP, 0, 1,          \
	  "stalled_sockets", "tcp_sock.snd_una", "none", "", "", "tcp_stalled",                    \
	  "of them, those with data to send of which nothing was acknowledged for 5 s or more, "   \
	  "mean of the walks; not known in the first 5 s")                                         \
	X(P_CPU, "%CPU", PROCESS, "%", RATE, 10000000, SUM, -1, EITHER, 0, 1, "cpu",               \
	  "task.se.sum_exec_runtime", "none", "pidstat -u", "", "tasks",                           \
	  "processor time, 100 is one processor")                                                  \
	X(P_RKB_S, "kB_rd/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "read_bytes",    \
	  "task.ioac.read_bytes", "none", "pidstat -d", "", "tasks", "read from disks")            \
	X(P_WKB_S, "kB_wr/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1, "written_bytes", \
	  "task.ioac.write_bytes", "none", "pidstat -d", "", "tasks",                              \
	  "written, or to be written to disks")                                                    \
	X(P_CCWKB_S, "kB_ccwr/s", PROCESS, "kB/s", RATE, 1024, SUM, -1, EITHER, 0, 1,              \
	  "cancelled_write_bytes", "task.ioac.cancelled_write_bytes", "none", "pidstat -d", "",    \
	  "tasks", "to be written but then thrown away")

#define METRIC_ENUM(id, ...) M_##id,
enum metric_id { METRICS(METRIC_ENUM) M_COUNT };
#undef METRIC_ENUM

/*
 * Where each family begins in METRICS: its metrics stand together there, the families in the order of
 * enum metric_family (metrics.c does not compile otherwise). So the values of one family are an array,
 * by place: the metric less the first of its family.
 */
enum metric_first {
	FIRST_DISK = M_R_S,
	FIRST_NET = M_RXKB_S,
	FIRST_TCP = M_CWND_LN,
	FIRST_HOST = M_USER,
	FIRST_REMOTE = M_REM_CWND_LN,
	FIRST_PROCESS = M_P_CPU,
};

/* The same by family, and M_COUNT behind the last. */
extern const int metric_first[FAM_COUNT + 1];

/* Metrics of the largest family. */
union metric_widths {
	char disk[FIRST_NET - FIRST_DISK], net[FIRST_TCP - FIRST_NET], tcp[FIRST_HOST - FIRST_TCP];
	char host[FIRST_REMOTE - FIRST_HOST], remote[FIRST_PROCESS - FIRST_REMOTE];
	char process[M_COUNT - FIRST_PROCESS];
};
#define METRICS_OF_FAMILY ((int)sizeof(union metric_widths))

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
	const char *elsewhere, *sysstat, *papers, *tested, *meaning;
};

extern const struct metric metrics[M_COUNT];

/* The first metric of that name, in the order of families, or -1. */
int metric_by_name(const char *name);

/* The same within one family. */
int metric_in_family(enum metric_family family, const char *name);

/* Writes the table of each family on standard output, as METRICS.md has it, below "## FAMILY". */
void metrics_dump(void);

#endif
