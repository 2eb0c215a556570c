/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Prometheus, or what answers like one (VictoriaMetrics), as a source:
 *
 *	prometheus://HOST:9090[/PATH][?LABEL=VALUE&LABEL!=VALUE&LABEL=~REGEX&LABEL!~REGEX]
 *	prometheus+https://…, and http://…, https://…
 *
 * LABELs choose series. The values are those of node_exporter's counters, as they were scraped (an instant query of a range
 * vector), of the time that is asked for, or of the last hour. What becomes of them is a table (table.h): each counter's rate
 * from one scrape to the next, and quotients of two (a mean time is what the time counter grew by, by what the requests did).
 * A scrape that comes more than PROMETHEUS_STALE_NS after the one before makes no value, nor does a counter that fell.
 *
 * A server is what the label "instance" says, without the port unless two of one host have the same series; or another label
 * (table_opts.node). A disk is what "device" says; devices that stand for others (dm-*, md*, loop*, …) are left out unless
 * the URL has a LABEL device. Two series of one server, disk and time are an error which names the label that tells them
 * apart.
 */
#ifndef LIMPET_INPUT_PROMETHEUS_H
#define LIMPET_INPUT_PROMETHEUS_H

#include <stdbool.h>

#include "table.h"
#include "userspace/common/clock.h"

#define PROMETHEUS_STALE_NS   (5 * 60 * NS_PER_S) /* as long as Prometheus looks back itself */
#define PROMETHEUS_DEFAULT_NS NS_PER_HOUR

bool prometheus_is(const char *source);

/* As table_read(). -ENODATA: there is none of the metrics in that time. -ECANCELED without a message: table_opts.stop. */
int prometheus_read(struct table *t, const char *source, const struct table_opts *o);

/* Bytes of a target's name without its port. */
size_t prometheus_host_len(const char *target);

/*
 * For a caller who reads again and again, with a later table_opts.to_ns (`kept` of the options): what was asked for is kept,
 * and only what is new is asked for, from PROMETHEUS_AGAIN_NS before the last time on, as scrapes may have been written late.
 * What is before from_ns is forgotten.
 */
#define PROMETHEUS_AGAIN_NS (120 * NS_PER_S)
struct prometheus_kept;
struct prometheus_kept *prometheus_keep(void);	   /* NULL: out of memory */
void prometheus_forget(struct prometheus_kept *k); /* takes NULL */

#endif
