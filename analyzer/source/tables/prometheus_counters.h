/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counters of which exporters are asked for, and what becomes of them: tables alone. For prometheus.c. */
#ifndef LIMPET_PROMETHEUS_COUNTERS_H
#define LIMPET_PROMETHEUS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

/* What a counter is of. */
struct counter_kind {
	const char *server; /* the label that names the server */
	const char
		*instance; /* and the one that tells those of a server apart; NULL: there is one */
	const char *
		only; /* what is wanted of that, as a query has it; a label of the URL stands instead */
	const char
		*bucket; /* a histogram: the label that has the bucket's upper bound; else NULL */
	bool always;	 /* the URL's label of that name is of others */
};

enum counter {
	READS,
	READ_S,
	READ_BYTES,
	WRITES,
	WRITE_S,
	WRITTEN_BYTES,
	FLUSHES,
	FLUSH_S,
	BUSY_S,
	QUEUE_S,
	RX_BYTES,
	TX_BYTES,
	RX_DROPS,
	TX_DROPS,
	RX_ERRORS,
	TX_ERRORS,
	SWAPPED_IN,
	SWAPPED_OUT,
	MAJOR_FAULTS,
	WAIT_CPU_S,
	WAIT_IO_S,
	WAIT_MEMORY_S,
	OSD_READS,
	OSD_READ_S,
	OSD_READ_N,
	OSD_READ_BYTES,
	OSD_WRITES,
	OSD_WRITE_S,
	OSD_WRITE_N,
	OSD_WRITTEN_BYTES,
	OSD_REPLICA_S,
	OSD_REPLICA_N,
	OST_READS,
	OST_READ_MS,
	OST_WRITES,
	OST_WRITE_MS,
	COUNTERS
};

/* A source is of one of them, the first that it has anything of: whoever has two chooses by a label ("?job=ceph"). */
enum exporter { EXPORTER_NODE, EXPORTER_CEPH, EXPORTER_LUSTRE, EXPORTERS };

struct counter_row {
	enum exporter exporter;
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
