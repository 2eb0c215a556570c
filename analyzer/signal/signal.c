// SPDX-License-Identifier: BSD-2-Clause
/* The table of signals. */
#include "signal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "userspace/metrics/metrics.h"

#define BYTES_WHY "1 MiB/s: journals and metadata need less"
#define LOSS_WHY \
	"0.1 % of segments: a healthy network loses more now and then, and TCP makes up for it"
/* A healthy server that loses one segment in three windows shows four or more in one window of 2,500. */
#define EVENTS	3
#define NET_WHY "1 MiB/s: monitoring and logins need less"

/* What rows have in common. */
#define LATENCY                                                                              \
	"ms", LEVEL_DISK, KIND_LATENCY, ROLE_LOCAL,                                          \
		.resource = RESOURCE_DISK, .floor = 0.5, .floor_flash = 0.05, .decimals = 2, \
		.reason = "a seek takes longer than 0.5 ms, a flash read longer than 50 us"
#define OWN_BYTES                                                                      \
	KIND_NUMBER, ROLE_LOAD, .c = 1024, .floor = 1024, .ratio = 1.5, .decimals = 0, \
				.reason = BYTES_WHY
#define FOREIGN_BYTES KIND_NUMBER, ROLE_LOCAL, .floor = 1024, .ratio = 2, .decimals = 0
#define THREADS                                                                                \
	"threads", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM,                                      \
		.c = 0.25, .floor = 1, .ratio = 2, .decimals = 1,                              \
		.reason = "one thread more, all the time; what they wait for is said by what " \
			  "indicts",                                                           \
		.optional = true

const struct signal_row signals[SIG_COUNT] = {
	[SIG_READ] = {"read latency", "read", LATENCY, .across = true},
	[SIG_WRITE] = {"write latency", "write", LATENCY, .across = true},
	[SIG_READ_DEVICE] = {"read device time", "read-device", LATENCY,
			     .columns = (const int[]){M_R_DEV, -1}},
	[SIG_WRITE_DEVICE] = {"write device time", "write-device", LATENCY,
			      .columns = (const int[]){M_W_DEV, -1}},
	[SIG_READ_AWAIT] =
		{"mean read latency", "read-await", "ms", LEVEL_DISK, KIND_LATENCY, ROLE_LOCAL,
		 .resource = RESOURCE_DISK, .floor = 1, .floor_flash = 0.1, .decimals = 2,
		 .reason = "twice that of latency: a few very slow requests also raise a mean",
		 .mean = true, .columns = (const int[]){M_R_AWAIT, -1}},
	[SIG_WRITE_AWAIT] = {"mean write latency", "write-await", "ms", LEVEL_DISK, KIND_LATENCY,
			     ROLE_LOCAL, .resource = RESOURCE_DISK, .floor = 1, .floor_flash = 0.1,
			     .decimals = 2, .reason = "the same as for mean read latency",
			     .mean = true, .columns = (const int[]){M_W_AWAIT, M_AWAIT, -1}},
	[SIG_QUEUE] = {"queue", "queue", "requests", LEVEL_DISK, KIND_NUMBER, ROLE_SYMPTOM,
		       .c = 0.5, .floor = 1, .decimals = 1,
		       .reason = "one request more in the queue is normal"},
	[SIG_FOREIGN_READ] = {"other programs' reads", "foreign-read", "kB/s", LEVEL_DISK,
			      FOREIGN_BYTES, .c = 1024, .reason = BYTES_WHY,
			      .columns = (const int[]){M_FOREIGN_RKB_S, -1}},
	[SIG_FOREIGN_WRITE] = {"other programs' writes", "foreign-write", "kB/s", LEVEL_DISK,
			       FOREIGN_BYTES, .c = 1024, .reason = BYTES_WHY,
			       .columns = (const int[]){M_FOREIGN_WKB_S, -1}},
	[SIG_DISK_OPS] = {"disk operations", "disk-ops", "1/s", LEVEL_DISK, KIND_NUMBER, ROLE_LOAD,
			  .c = 10, .floor = 10, .ratio = 1.5, .decimals = 1,
			  .reason = "10 operations a second keep no disk busy"},
	[SIG_DISK_KB] = {"file system's disk bytes", "disk-kb", "kB/s", LEVEL_DISK, OWN_BYTES},
	[SIG_RETRANS] = {"segments sent again", "retrans", "%", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
			 .resource = RESOURCE_NETWORK, .c = 0.1, .floor = 0.1, .events = EVENTS,
			 .ratio = 2, .decimals = 2, .reason = LOSS_WHY},
	[SIG_RETRANS_IN] = {"sent again per segment received", "retrans-in", "%", LEVEL_NODE,
			    KIND_NUMBER, ROLE_LOCAL, .resource = RESOURCE_NETWORK, .c = 0.3,
			    .floor = 0.3, .events = EVENTS, .ratio = 2, .decimals = 2,
			    .reason = "0.3 % of requests: each waits 200 ms or more for a timeout"},
	[SIG_OOO] = {"out-of-order arrivals", "ooo", "%", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		     .resource = RESOURCE_NETWORK, .c = 0.1, .floor = 0.1, .events = EVENTS,
		     .ratio = 2, .decimals = 2, .reason = LOSS_WHY},
	[SIG_PURE_ACK] = {"pure acknowledgements", "pure-ack", "per data segment", LEVEL_NODE,
			  KIND_NUMBER, ROLE_LOCAL, .c = 0.05, .floor = 0.1, .decimals = 2,
			  .reason = "a receiver acknowledges every segment or every second one; "
				    "after a loss, also each that comes out of order"},
	[SIG_SRTT] = {"round-trip time", "srtt", "ms", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM,
		      .c = 0.05, .floor = 0.2, .decimals = 2,
		      .reason = "a busy host's own network stack takes as long"},
	[SIG_CWND] = {"congestion window", "cwnd", "segments", LEVEL_NODE, KIND_NUMBER,
		      ROLE_SYMPTOM, .c = 0.001, .floor = 0.01, .decimals = 1,
		      .reason = "both are of 1 / window: 90 segments instead of 1000",
		      .inverse = true},
	[SIG_FOREIGN_RX] = {"other programs' bytes received", "foreign-rx", "kB/s", LEVEL_NODE,
			    FOREIGN_BYTES, .c = 512, .reason = NET_WHY},
	[SIG_FOREIGN_TX] = {"other programs' bytes sent", "foreign-tx", "kB/s", LEVEL_NODE,
			    FOREIGN_BYTES, .c = 512, .reason = NET_WHY},
	[SIG_NET_RX] = {"file system's bytes received", "net-rx", "kB/s", LEVEL_NODE, OWN_BYTES},
	[SIG_NET_TX] = {"file system's bytes sent", "net-tx", "kB/s", LEVEL_NODE, OWN_BYTES},
	[SIG_RUNQ] = {"run-queue delay, 90 %", "runq", "ms", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		      .resource = RESOURCE_PROCESSORS, .c = 0.1, .floor = 1, .ratio = 2,
		      .decimals = 2,
		      .reason = "1 ms is a time slice: one task in ten waited that long",
		      .columns = (const int[]){M_RUNQ_DELAY, M_RUNQ_P99, -1}},
	[SIG_CPU] = {"processors busy", "cpu", "%", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM, .c = 5,
		     .floor = 10, .decimals = 1,
		     .reason = "a daemon that wakes up takes a few per cent"},
	[SIG_STEAL] = {"processors stolen", "steal", "%", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM,
		       .c = 2, .floor = 5, .decimals = 1,
		       .reason = "half of those for processors busy"},
	[SIG_MEM_PRESSURE] = {"memory pressure", "mem-pressure", "%", LEVEL_NODE, KIND_NUMBER,
			      ROLE_LOCAL, .c = 1, .floor = 5, .ratio = 2, .decimals = 1,
			      .reason = "tasks wait for memory 5 % of the time"},
	[SIG_MEM_STALL] = {"direct reclaim", "mem-stall", "pages/s", LEVEL_NODE, KIND_NUMBER,
			   ROLE_LOCAL, .c = 100, .floor = 1000, .ratio = 2, .decimals = 0,
			   .reason = "the kernel scans 4 MB/s of pages while tasks wait for memory",
			   .columns = (const int[]){M_PGSCAND_S, -1}},
	[SIG_SWAP] = {"pages swapped", "swap", "pages/s", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		      .c = 10, .floor = 100, .ratio = 2, .decimals = 0,
		      .reason = "400 kB/s of swapping is already disk work",
		      .columns = (const int[]){M_PSWPIN_S, M_PSWPOUT_S, -1}},
	[SIG_IDLE] = {"work done", "idle", "kB/s", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL, .ratio = 4,
		      .decimals = 0,
		      .reason = "at most a quarter of the peers' bytes, 64 kB/s added to both; "
				"peers below 256 kB/s do not count",
		      .inverse = true, .inverse_c = 64, .peers_min = 256},
	[SIG_UNREAD] =
		{"unread connections", "unread", "connections", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		 .c = 0.25, .floor = 0.25, .ratio = 2, .decimals = 2,
		 .reason = "one connection, unread for a quarter of the time; it counts after 5 s"},
	/* Of whoever is at the other end, or of the way there. */
	[SIG_STALLED] = {"stalled connections", "stalled", "connections", LEVEL_NODE, KIND_NUMBER,
			 ROLE_SYMPTOM, .c = 0.25, .floor = 0.25, .decimals = 2,
			 .reason = "one connection, stalled for a quarter of the time; it counts "
				   "after 5 s"},
	[SIG_WAIT_DISK] = {"threads that wait for a disk", "wait-disk", THREADS},
	[SIG_WAIT_LOCK] = {"threads that wait for a lock", "wait-lock", THREADS},
	[SIG_WAIT_NET] = {"threads that wait for the network", "wait-net", THREADS},
	[SIG_WAIT_MEM] = {"threads that wait for memory", "wait-mem", THREADS},
	[SIG_ON_CPU] = {"threads on a processor", "on-cpu", THREADS},
	[SIG_DISK_TOGETHER] = {"latencies together", "together", "x", LEVEL_DISK, KIND_TOGETHER,
			       ROLE_LOCAL, .resource = RESOURCE_DISK, .decimals = 2,
			       .reason = "latencies and queue of one disk that agree"},
};

double signal_shown(const struct signal_row *row, double value)
{
	double v = row->inverse ? 1 / value : value, c = row->inverse ? row->inverse_c
							 : row->kind == KIND_LATENCY ? row->c
										     : 0;

	/* zero stays zero, whatever its logarithm rounds to */
	return fabs(v - c) < 1e-12 * c ? 0 : v - c;
}

int signal_by_word(const char *word)
{
	for (int s = 0; s < SIG_COUNT; s++)
		if (!strcmp(signals[s].word, word))
			return s;
	return -1;
}
