/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From cumulative counters to one second: takes the records of a sweep and what user space read at
 * the same moment, subtracts the sweep before, and gives rates under the metric table's names.
 */
#ifndef LIMPET_MERGE_H
#define LIMPET_MERGE_H

#include "userspace/probe/kernel/probe.h"
#include "userspace/probe/sources/reading.h"

struct merge;

struct merge_opts {
	const struct disk *disks; /* [disk_slots], must outlive the handle; readings say how many */
	size_t disk_slots;
	size_t n_others; /* disks that share OTHER_DISK */
	bool labelled;	 /* cgroups were given: origins mean something */
	/* Mbit/s of an interface, -1 if unknown; may be NULL. */
	int64_t (*speed_mbps)(void *arg, const char *netdev);
	void *speed_arg;
};

/* NULL with errno. */
struct merge *merge_new(const struct merge_opts *o);

/* Where records come from and which families work; NULL: there is no kernel side, and readings are
 * all there is. Before the first merge_finish(). */
void merge_set_probe(struct merge *m, const struct probe *p);

void merge_free(struct merge *m); /* takes NULL */

/* One record of the sweep now arriving; a probe_record_fn. */
void merge_record(void *merge, const struct record_head *rec);

/*
 * The sweep that `reading` belongs to has arrived. Fills `out` (rows replaced) with the rates since
 * the sweep before. Returns 1; 0 for the very first sweep, which is only a starting point;
 * -ENODATA when any of the sweep's records was lost; -ENOMEM.
 */
int merge_finish(struct merge *m, const struct reading *reading, struct second *out);

/*
 * The value below which a share `q` (0.5: half) of the events lie, from counts per log-linear bucket
 * (bpf/record.h): exact where a bucket holds one value, interpolated inside wider ones.
 * NaN without events.
 */
double bucket_quantile(const uint32_t *counts, uint32_t n, uint32_t sub_bits, double q);

#endif
