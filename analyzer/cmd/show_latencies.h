/* SPDX-License-Identifier: BSD-2-Clause */
/* limpet show --latencies: a line for each operation and size of a device's second. */
#ifndef LIMPET_SHOW_LATENCIES_H
#define LIMPET_SHOW_LATENCIES_H

#include "userspace/series/series.h"

#define LATENCY_COLUMNS \
	"requests,typical,mean,p99,device-requests,device-typical,device-mean,device-p99"

/* The row has histograms (lat). */
void show_latencies(const char *host, const struct series_time *t, const struct second_row *row);

/* A number as it stands in CSV: all of its digits. Returns buf, which has 32 bytes. */
const char *show_exact(double v, char *buf);

#endif
