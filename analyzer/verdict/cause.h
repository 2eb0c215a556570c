/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server is indicted for: causes, the rules that name them, and which way it goes. A cause is a
 * row here and a rule (rules/rules.c, methods/checklist.c).
 */
#ifndef LIMPET_CAUSE_H
#define LIMPET_CAUSE_H

/* Who names causes: the checklist of FAST'10 (methods/checklist.h), and `robust` (rules/rules.h). */
enum vocabulary { WORDS_CHECKLIST, WORDS_ROBUST, VOCABULARIES };

enum cause {
	CAUSE_NONE, /* the checklist has none; nobody says one */
	CAUSE_DISK_HOG,
	CAUSE_DISK_BUSY, /* the checklist's word for what `robust` calls device-slow */
	CAUSE_DEVICE_SLOW,
	CAUSE_IO_SCHEDULER,
	CAUSE_NETWORK_HOG,
	CAUSE_PACKET_LOSS,
	CAUSE_CPU_HOG,
	CAUSE_MEMORY_PRESSURE,
	CAUSE_HUNG,
	CAUSE_BUSY_LOCK,
	CAUSE_BUSY_CODE,
	CAUSE_FAILING, /* of job states: its attempts fail */
	CAUSE_SLOW,
	CAUSE_COUNT
};

struct cause_row {
	const char *word; /* as it is printed and scored */
	const char *why;  /* what holds then, a sentence; NULL: the checklist's rule says it */
};
extern const struct cause_row cause_table[CAUSE_COUNT];

/* What the rules make of findings: an incident, a notice (no fault of the server), or nothing to tell. */
enum ruled { RULE_INCIDENT, RULE_NOTICE, RULE_NOTHING };

/* Which of the rules of a cause held. */
enum why {
	WHY_CAUSE, /* the one of which the table of causes tells */
	WHY_UNREAD,
	WHY_FLOOD,
	WHY_SWAPPING,
	WHY_STARVED,
	WHY_CPU_BUSY,
	WHY_DISTRIBUTION, /* of salsa */
	WHY_EQUAL_LOAD,	  /* of tables */
	WHY_PEERS,
	WHY_CHRONIC,
	WHY_STATES, /* of job states */
	WHY_TOGETHER,
	WHY_SHARE,
	WHY_PACKETS,
	WHY_STUCK,
	WHY_MEANWHILE,		/* of logs and recordings */
	WHY_STORAGE_THROUGHPUT, /* from here on, of the checklist */
	WHY_STORAGE_LATENCY,
	WHY_NET_BOTH,
	WHY_NET_CALM,
	WHY_CONGESTION,
	WHY_UNKNOWN,
	WHYS
};

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
