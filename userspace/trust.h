/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether kernel memory may be trusted: one sweep is compared with /proc and /sys read just before
 * and just after it. Offsets come from BTF, but what a field means may change without its name.
 */
#ifndef LIMPET_TRUST_H
#define LIMPET_TRUST_H

#include "probe.h"
#include "reading.h"

/*
 * True if every host counter, and the statistics of every disk that were found in memory, lie
 * between the two readings. Else false with a sentence in `why` that says which counter does not.
 * Runs a sweep and consumes its records. Before the sampler is started.
 */
bool trust_memory(struct probe *p, struct reader *r, struct disk *disks, size_t n_disks, char *why);

#endif
