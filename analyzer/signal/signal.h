/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of signals: what `robust` compares between peers, one row each. Everything that is known
 * about a signal stands there, so that nothing asks which one it is: the constant c of rates, the floor of an
 * absolute excess, the reason of both, what it tells. A column of a table becomes such a row when
 * it is judged. analyzer/METHOD.md describes the method.
 */
#ifndef LIMPET_ROBUST_SIGNAL_H
#define LIMPET_ROBUST_SIGNAL_H

#include <stdbool.h>

/* Of the server's disks, one value per disk; of the server itself. */
enum signal_level { LEVEL_DISK, LEVEL_NODE };

enum signal_kind {
	/* A distribution: the mean of ln latency in each load cell (operation x size class x half octave of
	 * operations/s); d = own mean - median of the peers' means. */
	KIND_LATENCY,
	/* A non-negative number: d = ln((x + c) / (median of the peers + c)). */
	KIND_NUMBER,
	/* What all latencies and the queue of a disk say together, each beside how far the peers are apart in it: the mean
	 * of d / that. */
	KIND_TOGETHER,
};

/* What a signal that is worse than its peers' tells. */
enum signal_role {
	ROLE_LOCAL,   /* of this server's own trouble: may indict */
	ROLE_SYMPTOM, /* also a victim's or a bystander's: supports, never indicts alone */
	ROLE_LOAD,    /* of demand: tells a hot or an idle server, never indicts */
};

/* What an all-clear is about. */
enum resource {
	RESOURCE_NONE, /* of none: it cannot show that nothing limps */
	RESOURCE_DISK,
	RESOURCE_NETWORK,
	RESOURCE_PROCESSORS,
	RESOURCE_TASKS,	 /* of jobs: what states take */
	RESOURCE_COLUMN, /* of a table: each is its own */
	RESOURCES
};

enum signal {
	SIG_READ,	 /* block latency, arrival to completion, reads */
	SIG_WRITE,	 /* writes */
	SIG_READ_DEVICE, /* the device's part of it */
	SIG_WRITE_DEVICE,
	SIG_READ_AWAIT, /* mean latency: sum over count, for what has no histogram; the tail */
	SIG_WRITE_AWAIT,
	SIG_QUEUE,	  /* aqu-sz; counts only at an equal or smaller arrival rate */
	SIG_FOREIGN_READ, /* bytes/s of others than the file system on its disk */
	SIG_FOREIGN_WRITE,
	SIG_DISK_OPS, /* operations/s of the file system's own: demand */
	SIG_DISK_KB,  /* kB/s of the file system's own: demand */
	SIG_RETRANS,  /* segments sent again per data segment sent: lost on the send side */
	SIG_RETRANS_IN, /* the same per data segment received: of requests and acknowledgements, receive side */
	SIG_OOO,      /* out-of-order arrivals per data segment received: receive side */
	SIG_PURE_ACK, /* acknowledgements without data per data segment received: receive side */
	SIG_SRTT,
	SIG_CWND,	/* 1 / mean cwnd, so that worse is up as everywhere */
	SIG_FOREIGN_RX, /* kB/s received that are not of the file system's sockets */
	SIG_FOREIGN_TX,
	SIG_NET_RX, /* kB/s of the file system's sockets: demand */
	SIG_NET_TX,
	SIG_RUNQ, /* run-queue delay, 90 % quantile of its histogram (or the mean) */
	SIG_CPU,  /* % of all processors that are not idle and do not wait for I/O */
	SIG_STEAL,
	SIG_MEM_PRESSURE, /* PSI some of memory, % */
	SIG_MEM_STALL,	  /* direct reclaim: pages scanned/s and stalls */
	SIG_SWAP,	  /* pages swapped in and out per second */
	SIG_IDLE,    /* 1 / (own disk and network kB/s + c), so that worse is up: hung or idle */
	SIG_UNREAD,  /* connections with data that nobody reads, for 5 s or more */
	SIG_STALLED, /* and with data to send of which nothing is acknowledged for as long */
	SIG_WAIT_DISK, /* threads of the file system's server, how many at a time: asleep for a disk */
	SIG_WAIT_LOCK, /* in a lock */
	SIG_WAIT_NET,
	SIG_WAIT_MEM,
	SIG_ON_CPU,	   /* on a processor */
	SIG_DISK_TOGETHER, /* latencies and queue of one disk */
	SIG_COUNT
};

struct signal_row {
	const char *name; /* in output: "read latency" */
	const char *word; /* in JSON, CSV and options: "read" */
	const char *unit; /* of value and floor */
	enum signal_level level;
	enum signal_kind kind;
	enum signal_role role;
	double c; /* added to both sides, in the unit; of KIND_LATENCY (columns of tables) to each value */
	double floor;	    /* the excess over the peers' median must be more than this */
	double floor_flash; /* the same on disks that do not rotate; 0: as floor */
	double events; /* of counts: and at least so many events (value_event()) in 30 s; 0: no count */
	double ratio; /* a true one of this is to be found, nothing smaller indicts; 0: the method's (1.3) */
	int decimals;
	const char *reason; /* of c and floor, a sentence */
	/* Less is worse: compared is 1 / (what is shown + inverse_c). */
	bool inverse;
	double inverse_c;
	double peers_min; /* instead of a floor: peers that show less than this tell nothing; 0: none */
	bool optional; /* measured where the probe was told what the server is: no lack elsewhere */
	/* It would show this to be twice as bad: latencies, waits, shares of losses; not what others do there, and what
	 * healthy servers have none of. */
	enum resource resource;
	bool mean; /* KIND_LATENCY: of means, which a few requests move */
	/* KIND_LATENCY: compared across models of disks, too, and with what all servers had before. */
	bool across;
	const int
		*columns; /* metrics, -1 ends them: a table's column of one may indict, and has this
			     * row's floor and ratio; NULL: none */
};

/* What is shown of a value that was compared. */
double signal_shown(const struct signal_row *row, double value);

extern const struct signal_row signals[SIG_COUNT];

int signal_by_word(const char *word); /* -1: none */

#endif
