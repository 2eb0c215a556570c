/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From cumulative counters to one second: takes the records of a sweep and what user space read at
 * the same moment, subtracts the sweep before, and gives rates under the metric table's names.
 */
#ifndef LIMPET_MERGE_H
#define LIMPET_MERGE_H

#include "probe.h"
#include "reading.h"

struct merge;

/* `labelled`: cgroups were given, so origins mean something. `disks` must outlive the handle. NULL
 * with errno. */
struct merge *merge_new(const struct disk *disks, size_t n_disks, bool labelled);

/* Which families work; before the first merge_finish(). Not copied. */
void merge_set_status(struct merge *m, const struct family_status *status);

void merge_free(struct merge *m); /* takes NULL */

/* One record of the sweep now arriving; a probe_record_fn. */
void merge_record(void *merge, const struct record_head *rec);

/*
 * The sweep that `reading` belongs to has arrived. Fills `out` (rows replaced) with the rates since
 * the sweep before. Returns 1; 0 for the very first sweep, which is only a starting point;
 * -ENODATA when the sweep's records were lost; -ENOMEM.
 */
int merge_finish(struct merge *m, const struct reading *reading, struct second *out);

/*
 * The value below which half of the events lie, from counts per log-linear bucket
 * (bpf/record.h): exact where a bucket holds one value, interpolated inside wider ones.
 * NaN without events.
 */
double bucket_median(const uint32_t *counts, uint32_t n, uint32_t sub_bits);

#endif
