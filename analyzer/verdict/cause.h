/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server is indicted for: causes, the rules that name them, and which way it goes. A cause is a
 * row here and a rule (rules/rules.c, methods/checklist.c).
 */
#ifndef LIMPET_CAUSE_H
#define LIMPET_CAUSE_H

/* Who names causes: the checklist of FAST'10 (methods/checklist.h), and `robust` (rules/rules.h). */
enum vocabulary { WORDS_CHECKLIST, WORDS_ROBUST, VOCABULARIES };

/* Their words, and what holds then; NULL: the checklist's rule says it. */
/* clang-format off */
#define CAUSES(X) \
	X(NONE, "none", NULL) /* the checklist has none; nobody says one */ \
	X(DISK_HOG, "disk-hog", "processes outside the file system use the disk, and the disk is slow") \
	X(DISK_BUSY, "disk-busy", NULL) /* the checklist's word for what `robust` calls device-slow */ \
	X(DEVICE_SLOW, "device-slow", "the device takes longer, without I/O of others through this server") \
	X(IO_SCHEDULER, "io-scheduler", "requests wait above a device that is as quick as its peers") \
	X(NETWORK_HOG, "network-hog", "foreign traffic slows the traffic of the file system") \
	X(PACKET_LOSS, "packet-loss", "the server loses packets with most hosts that carry data") \
	X(CPU_HOG, "cpu-hog", "tasks wait for a processor") \
	X(MEMORY_PRESSURE, "memory-pressure", "tasks wait for memory") \
	X(HUNG, "hung", "the server does next to nothing, while its peers are as busy as ever") \
	X(BUSY_LOCK, "busy-lock", "threads of the server wait for a lock of its own, and it does little") \
	X(BUSY_CODE, "busy-code", "threads of the server compute more than its peers', and it does little") \
	X(FAILING, "failing", "tasks fail there, and not where its peers run them") /* of job states: its attempts fail */ \
	X(SLOW, "slow", "no cause is known")
/* clang-format on */
#define CAUSE_ENUM(NAME, ...) CAUSE_##NAME,
enum cause { CAUSES(CAUSE_ENUM) CAUSE_COUNT };

struct cause_row {
	const char *word; /* as it is printed and scored */
	const char *why;  /* what holds then, a sentence; NULL: the checklist's rule says it */
};
extern const struct cause_row cause_table[CAUSE_COUNT];

/* What the rules make of findings: an incident, a notice (no fault of the server), or nothing to tell. */
enum ruled { RULE_INCIDENT, RULE_NOTICE, RULE_NOTHING };

/* Which of the rules of a cause held. */
/* clang-format off */
#define WHY_ROWS(X) \
	X(UNREAD, "no process of the server reads what clients send") \
	X(FLOOD, "foreign traffic exceeds the traffic of the file system") \
	X(SWAPPING, "the server swaps, and tasks wait for memory") \
	X(STARVED, "requests wait, not for the device, and tasks wait for a processor") \
	X(CPU_BUSY, "the processors are busy, and tasks wait for one") \
	X(DISTRIBUTION, "how long this takes differs from most of its peers") /* of salsa */ \
	X(EQUAL_LOAD, "worse than its peers under equal load") \
	X(PEERS, "worse than its peers") \
	X(CHRONIC, "worse than its peers all the time; slower hardware would look the same") \
	X(STATES, "what jobs do there takes longer than the like of it on its peers") /* of job states */ \
	X(TOGETHER, "nearly all that it does takes longer than the like of it on its peers") \
	X(SHARE, "it gets fewer tasks done for each of its slots than its peers") \
	X(PACKETS, "its daemon, or one that sends to it, says that packets were slow, and not its peers'") \
	X(STUCK, "tasks on it do not end, while those of its peers do") \
	X(MEANWHILE, "jobs are slow there, and meanwhile its recording shows this, and not its peers'") \
	X(STORAGE_THROUGHPUT, "storage throughput diverges") /* from here on, of the checklist */ \
	X(STORAGE_LATENCY, "storage latency diverges") \
	X(NET_BOTH, "network throughput diverges in both directions") \
	X(NET_CALM, "network throughput diverges without congestion") \
	X(CONGESTION, "the congestion window is below its peers'") \
	X(UNKNOWN, "the checklist has no cause for what diverges")
/* clang-format on */
#define WHY_ENUM(NAME, TEXT) WHY_##NAME,
/* WHY_CAUSE: the one of which the table of causes tells. */
enum why { WHY_CAUSE, WHY_ROWS(WHY_ENUM) WHYS };

/* The sentence: why this cause. "" of CAUSE_NONE. */
const char *cause_why(enum cause cause, enum why why);

/* Which way: of the network, or of a disk. */
enum direction {
	DIRECTION_NONE,
	DIRECTION_SEND,
	DIRECTION_RECEIVE,
	DIRECTION_READ,
	DIRECTION_WRITE,
	DIRECTION_BOTH,
	DIRECTIONS
};
extern const char *const direction_words[DIRECTIONS]; /* "send", …; NULL: none */

#endif
