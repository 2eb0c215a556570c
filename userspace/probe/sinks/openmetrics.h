/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What limpet records, as text for scrapers (metrics_text.h).
 *
 * Seconds go in, one after another; rates are added up to counters, of gauges the last value is
 * kept, histograms are added up. Text comes out at any time, from any thread. Names come from the
 * metric table:
 *
 *   limpet_FAMILY_EXPORT[_UNIT][_total]{INSTANCE}     limpet_disk_read_bytes_total{disk="sda"}
 *
 * with bytes, seconds and ratios (0 to 1) for units. What identifies an instance:
 *
 *   disk       disk="sda"
 *   net        interface="eth0"
 *   remote     remote="10.0.0.2",port="24007"    port: the local one, "*" where nobody listens;
 *                                                none for remote="(other)"
 *   process    process="fio",pid="1234"          no pid for process="(rest)"
 *
 * A remote host or a process has a row of its own in the seconds in which it is among the busiest,
 * and its counters add those up; the others are in "(other)" and "(rest)" then.
 *
 * In label values, bytes that are not printable ASCII are written \xNN.
 *
 * Histograms, one bucket an octave, which are as fine up to the longest time that any instance had
 * since the probe was started:
 *
 *   limpet_disk_latency_seconds{disk=,op="read|write",size="<=16KiB|<=128KiB|>128KiB"}
 *   limpet_disk_device_latency_seconds            the same, without the time before the driver
 *   limpet_host_run_queue_wait_seconds            runnable until running
 *
 * Their _sum takes every event for the middle of the fine bucket it was recorded in (at most 7 %
 * off where it took over 8 us), as these sums are not recorded.
 *
 * A value not measured is left out, and so is every gauge of an instance that the last second had
 * no row of. Counters of such an instance stay for OPENMETRICS_KEEP_S more, as far as there is
 * room: a family has a fixed number of instances, and a new one takes the place of the one that was
 * away longest. Rows beyond are counted in limpet_probe_unexported_rows_total.
 */
#ifndef LIMPET_OPENMETRICS_H
#define LIMPET_OPENMETRICS_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/metrics_text.h"
#include "userspace/second/second.h"

#define OPENMETRICS_KEEP_S 300

struct openmetrics;

/* 0 or -ENOMEM. `host` is copied, for limpet_build_info. */
int openmetrics_new(struct openmetrics **om, const char *host);
void openmetrics_free(struct openmetrics *om); /* takes NULL */

/* Takes one second in. Rows there is no memory for are counted as not exported. */
void openmetrics_add(struct openmetrics *om, const struct second *s);

/* How many seconds were taken in: text need not be made again while that stands still. */
uint64_t openmetrics_seconds(struct openmetrics *om);

/* The text, for the caller to free(), and its length; NULL when there is no memory. While it is
 * made, openmetrics_add() waits. */
char *openmetrics_text(struct openmetrics *om, enum openmetrics_format format, size_t *len);

#endif
