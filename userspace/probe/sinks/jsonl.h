/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON Lines: one second of one host is one JSON object on one line, for jq and for pipes.
 *
 *   {"host":"s3",                      name of the host
 *    "time":"2026-11-21T03:00:00Z",    the wall-clock second, UTC (".250Z": shorter intervals)
 *    "seq":12,                         counts the seconds of one run of the probe
 *    "interval_s":1.0001,              what rates were divided by
 *    "late_ms":0.2,                    how late the second was taken
 *    "lost":0,                         records or events lost in this second
 *    "missing":["sched: this kernel…"] what this host cannot measure, and why; absent: nothing
 *    "disk":{"loop3":{"r/s":1.0,…,     a family with instances: name → metrics
 *                     "lat":{"read":{"<=16K":[[low_us,high_us,count],…],"<=128K":[],">128K":[]},
 *                            "write":{…}}}},
 *    "net":{"eth0":{"rxkB/s":…}},
 *    "tcp":{"cwnd-ln":…},              a family of one instance: metrics
 *    "system":{"cswch/s":…,            the family `host`, under a name that is not the host's
 *              "runq":[[low_us,high_us,count],…]},
 *    "remote":{"10.0.0.2>24007":{…}},  remote address and local port
 *    "process":{"fio:1234":{…}}}       command and pid
 *
 * Metrics have the names and units of metrics.h, and nine digits. null: not measured. A family is
 * absent when the second has no row of it. lat has the requests by how long they took, at least
 * low_us and less than high_us microseconds, per operation and size in bytes; buckets without
 * requests are left out, and high_us is null in the one that has no end. dev, beside lat, has the
 * part of that time after the driver took the request; runq the time tasks waited to run.
 */
#ifndef LIMPET_JSONL_H
#define LIMPET_JSONL_H

#include <stdio.h>

#include "userspace/second/second.h"

/*
 * Writes the whole line or says why not: -EPIPE, -ENOSPC, -ENOMEM… While the reader takes nothing,
 * `stop_fd` becoming readable (-1: none) ends the wait with -EINTR, and the line may be cut.
 */
int jsonl_write(FILE *f, const char *host, const struct second *s, int stop_fd);

#endif
