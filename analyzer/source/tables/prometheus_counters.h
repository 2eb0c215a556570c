/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counters of which exporters are asked for, and what becomes of them: tables alone. For prometheus.c. */
#ifndef LIMPET_PROMETHEUS_COUNTERS_H
#define LIMPET_PROMETHEUS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

/* A source is of one of them, the first that it has anything of: whoever has two chooses by a label ("?job=ceph"). */
enum exporter { EXPORTER_NODE, EXPORTER_CEPH, EXPORTER_LUSTRE, EXPORTERS };

/* What a counter is of. */
struct counter_kind {
	enum exporter exporter;
	const char *server; /* the label that names the server */
	const char
		*instance; /* and the one that tells those of a server apart; NULL: there is one */
	const char *
		only; /* what is wanted of that, as a query has it; a label of the URL stands instead */
	const char
		*bucket; /* a histogram: the label that has the bucket's upper bound; else NULL */
	bool always;	 /* the URL's label of that name is of others */
};

/* node_exporter's (1.5: golden/prometheus looks each up in what it serves). Ceph's as its manual has them (Monitoring overview;
 * of the mgr module and of ceph-exporter). Lustre's I/O time is a histogram of requests by the milliseconds they took
 * (whamcloud/lustrefs-exporter): how many, and by their bounds how long. */
#define PROMETHEUS_COUNTERS(X)                                                                     \
	X(READS, "node_disk_reads_completed_total", disks)                                         \
	X(READ_S, "node_disk_read_time_seconds_total", disks)                                      \
	X(READ_BYTES, "node_disk_read_bytes_total", disks)                                         \
	X(WRITES, "node_disk_writes_completed_total", disks)                                       \
	X(WRITE_S, "node_disk_write_time_seconds_total", disks)                                    \
	X(WRITTEN_BYTES, "node_disk_written_bytes_total", disks)                                   \
	X(FLUSHES, "node_disk_flush_requests_total", disks)                                        \
	X(FLUSH_S, "node_disk_flush_requests_time_seconds_total", disks)                           \
	X(BUSY_S, "node_disk_io_time_seconds_total", disks)                                        \
	X(QUEUE_S, "node_disk_io_time_weighted_seconds_total", disks)                              \
	X(RX_BYTES, "node_network_receive_bytes_total", nets)                                      \
	X(TX_BYTES, "node_network_transmit_bytes_total", nets)                                     \
	X(RX_DROPS, "node_network_receive_drop_total", nets)                                       \
	X(TX_DROPS, "node_network_transmit_drop_total", nets)                                      \
	X(RX_ERRORS, "node_network_receive_errs_total", nets)                                      \
	X(TX_ERRORS, "node_network_transmit_errs_total", nets)                                     \
	X(SWAPPED_IN, "node_vmstat_pswpin", hosts)                                                 \
	X(SWAPPED_OUT, "node_vmstat_pswpout", hosts)                                               \
	X(MAJOR_FAULTS, "node_vmstat_pgmajfault", hosts)                                           \
	X(WAIT_CPU_S, "node_pressure_cpu_waiting_seconds_total", hosts)                            \
	X(WAIT_IO_S, "node_pressure_io_waiting_seconds_total", hosts)                              \
	X(WAIT_MEMORY_S, "node_pressure_memory_waiting_seconds_total", hosts)                      \
	X(OSD_READS, "ceph_osd_op_r", osds)                                                        \
	X(OSD_READ_S, "ceph_osd_op_r_latency_sum", osds)                                           \
	X(OSD_READ_N, "ceph_osd_op_r_latency_count", osds)                                         \
	X(OSD_READ_BYTES, "ceph_osd_op_r_out_bytes", osds)                                         \
	X(OSD_WRITES, "ceph_osd_op_w", osds)                                                       \
	X(OSD_WRITE_S, "ceph_osd_op_w_latency_sum", osds)                                          \
	X(OSD_WRITE_N, "ceph_osd_op_w_latency_count", osds)                                        \
	X(OSD_WRITTEN_BYTES, "ceph_osd_op_w_in_bytes", osds)                                       \
	X(OSD_REPLICA_S, "ceph_osd_subop_w_latency_sum", osds)                                     \
	X(OSD_REPLICA_N, "ceph_osd_subop_w_latency_count", osds)                                   \
	X(OST_READS, "lustre_io_time_milliseconds_total", osts, .where = "operation=\"read\"")     \
	X(OST_READ_MS, "lustre_io_time_milliseconds_total", osts, .where = "operation=\"read\"",   \
	  .by_bound = true)                                                                        \
	X(OST_WRITES, "lustre_io_time_milliseconds_total", osts, .where = "operation=\"write\"")   \
	X(OST_WRITE_MS, "lustre_io_time_milliseconds_total", osts, .where = "operation=\"write\"", \
	  .by_bound = true)

#define COUNTER_ENUM(NAME, ...) NAME,
enum counter { PROMETHEUS_COUNTERS(COUNTER_ENUM) COUNTERS };

struct counter_row {
	const char *name, *where; /* more of the query; NULL */
	const struct counter_kind *of;
	bool by_bound; /* of a histogram: each counts as much as its bound */
};
extern const struct counter_row prometheus_counters[COUNTERS];

/* limpet's metrics: what a counter grew by, by the seconds in which it did, or by what another one grew by. */
struct prometheus_column {
	const char *name;    /* of userspace/metrics, but for one; NULL ends them */
	enum counter of, by; /* COUNTERS: by time */
	double factor;
};
extern const struct prometheus_column prometheus_columns[];

#endif
