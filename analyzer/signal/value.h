/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signal's value, from the sums of intervals of one server or disk: of the newest interval, of the time since
 * an onset and of what was before. What compares and the rules ask here, so that both
 * see the same number.
 */
#ifndef LIMPET_SIGNAL_VALUE_H
#define LIMPET_SIGNAL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/compare.h"
#include "analyzer/interval/interval.h"
#include "signal.h"

/* kB exchanged with hosts that talk to this server alone (talkers.h), in all the time of a sum. */
struct lone {
	double rx_kb, tx_kb;
};

/* Fewer data segments in an interval than this, ten a second, tell nothing about what a network loses: one
 * lost would be more than a server can feel. */
enum { SEGMENTS_MIN = 40 };

/* Of a signal of LEVEL_DISK and KIND_NUMBER; at: the sums of one disk, NULL: it is not there. NaN: not
 * measured. */
double value_of_disk(enum signal s, const struct acc at[DISK_ACCS]);
/* Of a signal of LEVEL_NODE; h: the sums of one server. NaN: not measured, or too little happened. */
double value_of_node(enum signal s, const struct interval *h, struct lone lone);
/* What one event makes of the value, for the signals that are shares of counts; 0 of the others, and where
 * nothing was counted. */
double value_event(enum signal s, const struct interval *h);

/* ---- parts of those, of a disk (its name) or of all of a server's together ("") --------------------- */

/* kB/s, 1/s: 0 where nothing was measured. */
double disk_kb(const struct interval *h, const char *disk); /* of everybody */
double disk_foreign_kb(const struct interval *h, const char *disk, bool write);
double disk_own_kb(const struct interval *h, const char *disk); /* the file system's: SIG_DISK_KB */
double disk_own_ops(const struct interval *h);			/* all disks: SIG_DISK_OPS */
double disk_ops(const struct interval *h, const char *disk);
/* A rate added up over disks; NaN: none measured it. */
double disk_rate(const struct interval *h, const char *disk, enum disk_acc which);
/* A mean over requests, of all those disks' requests together. */
struct acc disk_acc(const struct interval *h, const char *disk, enum disk_acc which);
/* What a server does for the file system, on its disks and over its sockets, kB/s; NaN: not measured.
 * SIG_IDLE is its inverse. */
double work_kb(const struct interval *h);

/* ---- latencies ------------------------------------------------------------------------------------- */

/* Cells, growing: at is owned by the caller. */
struct cell_list {
	struct cell *at;
	size_t n, cap;
};

/* What a signal of KIND_LATENCY is of. */
struct latency {
	enum signal signal;
	int op; /* enum disk_op */
	enum lat_part part;
	enum signal mean;  /* the signal of the same histograms' means; SIG_COUNT: none */
	enum disk_acc acc; /* of that, where there is no histogram */
};
enum { LATENCIES = 4 };
extern const struct latency value_latencies[LATENCIES];

/*
 * Appends the cells of one disk in n intervals (NULL where it said nothing, not more than LATENCY_SPAN): of
 * the signal, and of its mean (not if NULL). Ascending id: for every size class its loads, then all
 * together. 0 or -ENOMEM.
 */
enum { LATENCY_SPAN = 12 };
int value_cells(const struct latency *l, const struct interval_disk *const *at, size_t n,
		struct cell_list *typical, struct cell_list *means);

/* All of one operation and part, whatever size and load: adds to `to`. Events. */
uint64_t value_histogram(const struct interval_disk *const *at, size_t n, int op,
			 enum lat_part part, uint64_t to[LAT_BUCKETS]);

#endif
