// SPDX-License-Identifier: BSD-2-Clause
/* The table of signals. */
#include "signal.h"

#include <stddef.h>
#include <string.h>

#include "userspace/metrics/metrics.h"

#define LATENCY_WHY                                                                            \
	"half a millisecond is less than a seek; 50 us less than a flash read: below, nobody " \
	"waits"
#define BYTES_WHY "1 MiB/s: a trickle of journal and metadata is nobody's hog"
#define LOSS_WHY \
	"0.1 % of segments: less than a healthy network loses now and then, and TCP hides it"
#define NET_WHY "1 MiB/s: monitoring and logins are less"

const struct signal_row signals[SIG_COUNT] = {
	[SIG_READ] = {"read latency", "read", "ms", LEVEL_DISK, KIND_LATENCY, ROLE_LOCAL,
		      .floor = 0.5, .floor_flash = 0.05, .decimals = 2, .reason = LATENCY_WHY,
		      .across = true},
	[SIG_WRITE] = {"write latency", "write", "ms", LEVEL_DISK, KIND_LATENCY, ROLE_LOCAL,
		       .floor = 0.5, .floor_flash = 0.05, .decimals = 2, .reason = LATENCY_WHY,
		       .across = true},
	[SIG_READ_DEVICE] = {"read device time", "read-device", "ms", LEVEL_DISK, KIND_LATENCY,
			     ROLE_LOCAL, .floor = 0.5, .floor_flash = 0.05, .decimals = 2,
			     .reason = LATENCY_WHY, .columns = (const int[]){M_R_DEV, -1}},
	[SIG_WRITE_DEVICE] = {"write device time", "write-device", "ms", LEVEL_DISK, KIND_LATENCY,
			      ROLE_LOCAL, .floor = 0.5, .floor_flash = 0.05, .decimals = 2,
			      .reason = LATENCY_WHY, .columns = (const int[]){M_W_DEV, -1}},
	[SIG_READ_AWAIT] = {"mean read latency", "read-await", "ms", LEVEL_DISK, KIND_LATENCY,
			    ROLE_LOCAL, .floor = 1, .floor_flash = 0.1, .decimals = 2,
			    .reason =
				    "as of latency; a mean also follows a few very slow requests, "
				    "so twice as much",
			    .mean = true, .columns = (const int[]){M_R_AWAIT, -1}},
	[SIG_WRITE_AWAIT] = {"mean write latency", "write-await", "ms", LEVEL_DISK, KIND_LATENCY,
			     ROLE_LOCAL, .floor = 1, .floor_flash = 0.1, .decimals = 2,
			     .reason = "as of mean read latency", .mean = true,
			     .columns = (const int[]){M_W_AWAIT, M_AWAIT, -1}},
	[SIG_QUEUE] = {"queue", "queue", "requests", LEVEL_DISK, KIND_NUMBER, ROLE_SYMPTOM,
		       .c = 0.5, .floor = 1, .decimals = 1,
		       .reason = "less than one request more waits for nothing"},
	[SIG_FOREIGN_READ] = {"others' reads", "foreign-read", "kB/s", LEVEL_DISK, KIND_NUMBER,
			      ROLE_LOCAL, .c = 1024, .floor = 1024, .ratio = 2, .decimals = 0,
			      .reason = BYTES_WHY, .columns = (const int[]){M_FOREIGN_RKB_S, -1}},
	[SIG_FOREIGN_WRITE] = {"others' writes", "foreign-write", "kB/s", LEVEL_DISK, KIND_NUMBER,
			       ROLE_LOCAL, .c = 1024, .floor = 1024, .ratio = 2, .decimals = 0,
			       .reason = BYTES_WHY, .columns = (const int[]){M_FOREIGN_WKB_S, -1}},
	[SIG_DISK_OPS] = {"disk operations", "disk-ops", "1/s", LEVEL_DISK, KIND_NUMBER, ROLE_LOAD,
			  .c = 10, .floor = 10, .ratio = 1.5, .decimals = 1,
			  .reason = "ten operations a second keep no disk busy"},
	[SIG_DISK_KB] = {"file system's disk bytes", "disk-kb", "kB/s", LEVEL_DISK, KIND_NUMBER,
			 ROLE_LOAD, .c = 1024, .floor = 1024, .ratio = 1.5, .decimals = 0,
			 .reason = BYTES_WHY},
	[SIG_RETRANS] = {"segments sent again", "retrans", "%", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
			 .c = 0.1, .floor = 0.1, .ratio = 2, .decimals = 2, .reason = LOSS_WHY},
	[SIG_OOO] = {"out-of-order arrivals", "ooo", "%", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		     .c = 0.1, .floor = 0.1, .ratio = 2, .decimals = 2, .reason = LOSS_WHY},
	[SIG_PURE_ACK] =
		{"pure acknowledgements", "pure-ack", "per data segment", LEVEL_NODE,
		 KIND_NUMBER, ROLE_LOCAL, .c = 0.05, .floor = 0.1, .decimals = 2,
		 .reason = "a receiver acknowledges every first or second segment; loss adds "
			   "one for each that comes out of order"},
	[SIG_SRTT] = {"round-trip time", "srtt", "ms", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM,
		      .c = 0.05, .floor = 0.2, .decimals = 2,
		      .reason = "the stack's own work on a busy host"},
	[SIG_CWND] = {"congestion window", "cwnd", "segments", LEVEL_NODE, KIND_NUMBER,
		      ROLE_SYMPTOM, .c = 0.001, .floor = 0.01, .decimals = 1,
		      .reason = "of 1 / window, as c: a window of 90 segments instead of 1000",
		      .inverse = true},
	[SIG_FOREIGN_RX] = {"others' bytes received", "foreign-rx", "kB/s", LEVEL_NODE, KIND_NUMBER,
			    ROLE_LOCAL, .c = 512, .floor = 1024, .ratio = 2, .decimals = 0,
			    .reason = NET_WHY},
	[SIG_FOREIGN_TX] = {"others' bytes sent", "foreign-tx", "kB/s", LEVEL_NODE, KIND_NUMBER,
			    ROLE_LOCAL, .c = 512, .floor = 1024, .ratio = 2, .decimals = 0,
			    .reason = NET_WHY},
	[SIG_NET_RX] = {"file system's bytes received", "net-rx", "kB/s", LEVEL_NODE, KIND_NUMBER,
			ROLE_LOAD, .c = 1024, .floor = 1024, .ratio = 1.5, .decimals = 0,
			.reason = BYTES_WHY},
	[SIG_NET_TX] = {"file system's bytes sent", "net-tx", "kB/s", LEVEL_NODE, KIND_NUMBER,
			ROLE_LOAD, .c = 1024, .floor = 1024, .ratio = 1.5, .decimals = 0,
			.reason = BYTES_WHY},
	[SIG_RUNQ] = {"run-queue delay, 90 %", "runq", "ms", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		      .c = 0.1, .floor = 1, .ratio = 2, .decimals = 2,
		      .reason = "a millisecond is a time slice: one task in ten waited that long",
		      .columns = (const int[]){M_RUNQ_DELAY, M_RUNQ_P99, -1}},
	[SIG_CPU] = {"processors busy", "cpu", "%", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM, .c = 5,
		     .floor = 10, .decimals = 1,
		     .reason = "a daemon that wakes takes some per cent"},
	[SIG_STEAL] = {"processors stolen", "steal", "%", LEVEL_NODE, KIND_NUMBER, ROLE_SYMPTOM,
		       .c = 2, .floor = 5, .decimals = 1, .reason = "as of processors busy, half"},
	[SIG_MEM_PRESSURE] = {"memory pressure", "mem-pressure", "%", LEVEL_NODE, KIND_NUMBER,
			      ROLE_LOCAL, .c = 1, .floor = 5, .ratio = 2, .decimals = 1,
			      .reason = "5 % of the time some task waits for memory"},
	[SIG_MEM_STALL] = {"direct reclaim", "mem-stall", "pages/s", LEVEL_NODE, KIND_NUMBER,
			   ROLE_LOCAL, .c = 100, .floor = 1000, .ratio = 2, .decimals = 0,
			   .reason = "4 MB/s of pages looked at by who wanted memory at once",
			   .columns = (const int[]){M_PGSCAND_S, -1}},
	[SIG_SWAP] = {"pages swapped", "swap", "pages/s", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL,
		      .c = 10, .floor = 100, .ratio = 2, .decimals = 0,
		      .reason = "400 kB/s of swapping is already disk work",
		      .columns = (const int[]){M_PSWPIN_S, M_PSWPOUT_S, -1}},
	[SIG_IDLE] = {"work done", "idle", "kB/s", LEVEL_NODE, KIND_NUMBER, ROLE_LOCAL, .ratio = 4,
		      .decimals = 0,
		      .reason = "a quarter of the peers' bytes or less, 64 kB/s added to both; "
				"peers below 256 kB/s tell nothing",
		      .inverse = true, .inverse_c = 64, .peers_min = 256},
	[SIG_UNREAD] = {"unread connections", "unread", "connections", LEVEL_NODE, KIND_NUMBER,
			ROLE_LOCAL, .c = 0.25, .floor = 0.25, .ratio = 2, .decimals = 2,
			.reason = "one that nobody reads for a quarter of the time; each for 5 s "
				  "already"},
};

double signal_shown(const struct signal_row *row, double value)
{
	return row->inverse ? 1 / value - row->inverse_c : value;
}

int signal_by_word(const char *word)
{
	for (int s = 0; s < SIG_COUNT; s++)
		if (!strcmp(signals[s].word, word))
			return s;
	return -1;
}
