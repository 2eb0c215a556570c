/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signals that speak for each cause, as sets with a bit for each signal. Rules look for them in the facts about a server,
 * meanwhile.c in what the tracker kept, rules_columns.c among the columns of a table. A signal that a single rule reads is
 * named in that rule.
 */
#ifndef LIMPET_SPEAKS_H
#define LIMPET_SPEAKS_H

#include <stdint.h>

#include "analyzer/signal/signal.h"

#define ONE(signal) (UINT64_C(1) << (signal))
_Static_assert(SIG_COUNT < 64, "a bit for each signal");

#define MEANS (ONE(SIG_READ_AWAIT) | ONE(SIG_WRITE_AWAIT))

#define FOR_DISK_HOG	    (ONE(SIG_FOREIGN_READ) | ONE(SIG_FOREIGN_WRITE))
#define FOR_NETWORK_HOG	    (ONE(SIG_FOREIGN_RX) | ONE(SIG_FOREIGN_TX))
#define FOR_MEMORY_PRESSURE (ONE(SIG_SWAP) | ONE(SIG_MEM_STALL) | ONE(SIG_MEM_PRESSURE))
#define FOR_CPU_HOG	    ONE(SIG_RUNQ)
#define FOR_DEVICE_SLOW	    (ONE(SIG_READ_DEVICE) | ONE(SIG_WRITE_DEVICE))
/* The whole time of a request. Rules know how much of it is the device's; of a column they do not, and its mean has no cause. */
#define FOR_IO_SCHEDULER (ONE(SIG_READ) | ONE(SIG_WRITE) | MEANS)
#define FOR_PACKET_LOSS	 (ONE(SIG_RETRANS) | ONE(SIG_RETRANS_IN) | ONE(SIG_OOO) | ONE(SIG_PURE_ACK))

#define LATENCY (FOR_DEVICE_SLOW | FOR_IO_SCHEDULER | ONE(SIG_DISK_TOGETHER))
#define FOREIGN (FOR_DISK_HOG | FOR_NETWORK_HOG)

#endif
