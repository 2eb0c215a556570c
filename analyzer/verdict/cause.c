// SPDX-License-Identifier: BSD-2-Clause
/* The table of causes. */
#include "cause.h"

#include <stddef.h>

const struct cause_row cause_table[CAUSE_COUNT] = {
	[CAUSE_NONE] = {"none", NULL},
	[CAUSE_DISK_HOG] = {"disk-hog",
			    "processes outside the file system use the disk, and the disk is slow"},
	[CAUSE_DISK_BUSY] = {"disk-busy", NULL},
	[CAUSE_DEVICE_SLOW] =
		{"device-slow",
		 "the device takes longer, without I/O of others through this server"},
	[CAUSE_IO_SCHEDULER] = {"io-scheduler",
				"requests wait above a device that is as quick as its peers"},
	[CAUSE_NETWORK_HOG] = {"network-hog",
			       "foreign traffic slows the traffic of the file system"},
	[CAUSE_PACKET_LOSS] = {"packet-loss",
			       "the server loses packets with most hosts that carry data"},
	[CAUSE_CPU_HOG] = {"cpu-hog", "tasks wait for a processor"},
	[CAUSE_MEMORY_PRESSURE] = {"memory-pressure", "tasks wait for memory"},
	[CAUSE_HUNG] = {"hung",
			"the server does next to nothing, while its peers are as busy as ever"},
	[CAUSE_BUSY_LOCK] =
		{"busy-lock",
		 "threads of the server wait for a lock of its own, and it does little"},
	[CAUSE_BUSY_CODE] =
		{"busy-code",
		 "threads of the server compute more than its peers', and it does little"},
	[CAUSE_FAILING] = {"failing", "tasks fail there, and not where its peers run them"},
	[CAUSE_SLOW] = {"slow", "no cause is known"},
};

static const char *const whys[WHYS] = {
	[WHY_UNREAD] = "no process of the server reads what clients send",
	[WHY_FLOOD] = "foreign traffic exceeds the traffic of the file system",
	[WHY_SWAPPING] = "the server swaps, and tasks wait for memory",
	[WHY_STARVED] = "requests wait, not for the device, and tasks wait for a processor",
	[WHY_CPU_BUSY] = "the processors are busy, and tasks wait for one",
	[WHY_DISTRIBUTION] = "how long this takes differs from most of its peers",
	[WHY_EQUAL_LOAD] = "worse than its peers under equal load",
	[WHY_PEERS] = "worse than its peers",
	[WHY_STATES] = "what jobs do there takes longer than the like of it on its peers",
	[WHY_TOGETHER] = "nearly all that it does takes longer than the like of it on its peers",
	[WHY_PACKETS] = "its daemon, or one that sends to it, says that packets were slow, and not "
			"its peers'",
	[WHY_SHARE] = "it gets fewer tasks done for each of its slots than its peers",
	[WHY_STUCK] = "tasks on it do not end, while those of its peers do",
	[WHY_MEANWHILE] =
		"jobs are slow there, and meanwhile its recording shows this, and not its peers'",
	[WHY_STORAGE_THROUGHPUT] = "storage throughput diverges",
	[WHY_STORAGE_LATENCY] = "storage latency diverges",
	[WHY_NET_BOTH] = "network throughput diverges in both directions",
	[WHY_NET_CALM] = "network throughput diverges without congestion",
	[WHY_CONGESTION] = "the congestion window is below its peers'",
	[WHY_UNKNOWN] = "the checklist has no cause for what diverges",
	[WHY_CHRONIC] = "worse than its peers all the time; slower hardware would look the same",
};

const char *cause_why(enum cause cause, enum why why)
{
	const char *text = why == WHY_CAUSE ? cause_table[cause].why : whys[why];

	return text ? text : "";
}

const char *const direction_words[DIRECTIONS] = {
	[DIRECTION_SEND] = "send",   [DIRECTION_RECEIVE] = "receive", [DIRECTION_READ] = "read",
	[DIRECTION_WRITE] = "write", [DIRECTION_BOTH] = "both",
};
