// SPDX-License-Identifier: BSD-2-Clause
/* The tables of prometheus_counters.h. */
#include "prometheus_counters.h"

static const struct counter_kind
	disks = {EXPORTER_NODE, "instance",
		 "device",	"!~\"(dm-|md|loop|ram|zram|sr|fd|nbd)[0-9]+.*\"",
		 NULL,		false},
	nets = {EXPORTER_NODE,
		"instance",
		"device",
		"!~\"(lo|veth.*|docker.*|br-.*|virbr.*|cni.*|cali.*|flannel.*|tun.*|tap.*)\"",
		NULL,
		true},
	hosts = {EXPORTER_NODE, "instance", NULL, NULL, NULL, false},
	osds = {EXPORTER_CEPH, "ceph_daemon", "ceph_daemon", "=~\"osd[.].*\"", NULL, false},
	osts = {EXPORTER_LUSTRE, "instance", "target", "=~\".*-OST[0-9a-f]+\"", "size", false};

#define COUNTER_ROW(NAME, TEXT, KIND, ...) [NAME] = {.name = TEXT, .of = &KIND, ##__VA_ARGS__},
const struct counter_row prometheus_counters[COUNTERS] = {PROMETHEUS_COUNTERS(COUNTER_ROW)};

/* Of requests between half a bound and the bound, the middle. */
#define OF_BOUND 0.75

const struct prometheus_column prometheus_columns[] = {
	{"r/s", READS, COUNTERS, 1},
	{"w/s", WRITES, COUNTERS, 1},
	{"f/s", FLUSHES, COUNTERS, 1},
	{"rkB/s", READ_BYTES, COUNTERS, 1.0 / 1024},
	{"wkB/s", WRITTEN_BYTES, COUNTERS, 1.0 / 1024},
	{"rareq-sz", READ_BYTES, READS, 1.0 / 1024},
	{"wareq-sz", WRITTEN_BYTES, WRITES, 1.0 / 1024},
	{"r_await", READ_S, READS, 1e3},
	{"w_await", WRITE_S, WRITES, 1e3},
	{"f_await", FLUSH_S, FLUSHES, 1e3},
	{"aqu-sz", QUEUE_S, COUNTERS, 1},
	{"%util", BUSY_S, COUNTERS, 100},
	{"rxkB/s", RX_BYTES, COUNTERS, 1.0 / 1024},
	{"txkB/s", TX_BYTES, COUNTERS, 1.0 / 1024},
	{"rxdrop/s", RX_DROPS, COUNTERS, 1},
	{"txdrop/s", TX_DROPS, COUNTERS, 1},
	{"rxerr/s", RX_ERRORS, COUNTERS, 1},
	{"txerr/s", TX_ERRORS, COUNTERS, 1},
	{"pswpin/s", SWAPPED_IN, COUNTERS, 1},
	{"pswpout/s", SWAPPED_OUT, COUNTERS, 1},
	{"majflt/s", MAJOR_FAULTS, COUNTERS, 1},
	{"%scpu", WAIT_CPU_S, COUNTERS, 100},
	{"%sio", WAIT_IO_S, COUNTERS, 100},
	{"%smem", WAIT_MEMORY_S, COUNTERS, 100},
	{"r/s", OSD_READS, COUNTERS, 1},
	{"w/s", OSD_WRITES, COUNTERS, 1},
	{"rkB/s", OSD_READ_BYTES, COUNTERS, 1.0 / 1024},
	{"wkB/s", OSD_WRITTEN_BYTES, COUNTERS, 1.0 / 1024},
	{"rareq-sz", OSD_READ_BYTES, OSD_READS, 1.0 / 1024},
	{"wareq-sz", OSD_WRITTEN_BYTES, OSD_WRITES, 1.0 / 1024},
	{"r_await", OSD_READ_S, OSD_READ_N, 1e3},
	{"w_await", OSD_WRITE_S, OSD_WRITE_N, 1e3},
	/* an OSD's own part, of what it writes for others: engine/tables/tables_waits.c */
	{"subop_w_latency", OSD_REPLICA_S, OSD_REPLICA_N, 1e3},
	{"r/s", OST_READS, COUNTERS, 1},
	{"w/s", OST_WRITES, COUNTERS, 1},
	{"r_await", OST_READ_MS, OST_READS, OF_BOUND},
	{"w_await", OST_WRITE_MS, OST_WRITES, OF_BOUND},
	{NULL, COUNTERS, COUNTERS, 0},
};
