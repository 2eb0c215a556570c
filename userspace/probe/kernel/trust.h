/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether kernel memory may be trusted: one sweep is compared with /proc and /sys read just before
 * and just after it. Offsets come from BTF, but what a field means may change without its name.
 */
#ifndef LIMPET_TRUST_H
#define LIMPET_TRUST_H

#include "probe.h"
#include "userspace/probe/sources/reading.h"

/*
 * Where a host counter, or the statistics of a disk that were found in memory, do not lie between the
 * two readings, PROBE_HOST or PROBE_DISK_STATS works no longer, and its status says which counter it
 * was. Runs sweeps and consumes their records. Before the sampler is started.
 */
void trust_memory(struct probe *p, struct reader *r, struct disk *disks, size_t n_disks);

#endif
