/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One second of one host, as user space holds it: rates derived, a row per instance. The probe
 * makes it, every sink writes it, the series reader gives it back. The room's one header.
 */
#ifndef LIMPET_SECOND_H
#define LIMPET_SECOND_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "userspace/metrics/metrics.h"
#include "bpf/record.h"

#define INSTANCE_LEN 56 /* "nvme0n1", "[2001:db8::1]>24007", with the NUL */

/* Latency histograms of one disk and one second: events per bucket (bpf/record.h). */
struct lat_hist {
	uint32_t n[LAT_OPS][LAT_SIZES][LAT_BUCKETS];
};

/* Run-queue delay of one second: switches per bucket of delay (bpf/record.h). */
struct runq_hist {
	uint32_t n[RUNQ_BUCKETS];
};

struct second_row {
	enum metric_family family;
	char instance[INSTANCE_LEN]; /* "" where the family has one instance only */
	/* By place in the family; by metric: second_value(), second_set(). NaN: not measured. */
	double values[METRICS_OF_FAMILY];
	/* NULL where not measured; owned by the struct second. */
	struct lat_hist *lat;	/* disks: from the request's arrival to its completion (await) */
	struct lat_hist *dev;	/* disks: from the driver's start of it to its completion */
	struct runq_hist *runq; /* host: from a task being runnable to its running */
	/* Processes: the control group, "" if unknown; not owned, valid while the row is. */
	const char *cgroup;
};

enum second_hist { HIST_LAT = 1, HIST_DEV = 2, HIST_RUNQ = 4 };

struct second {
	uint64_t seq;	   /* counts the sweeps of one run of the probe */
	int64_t wall_ns;   /* the wall-clock second this sweep was due at: peers align on it */
	int64_t late_ns;   /* how much later than that it was taken */
	uint64_t mono_ns;  /* CLOCK_MONOTONIC when taken */
	double interval_s; /* monotonic time since the previous sweep: what rates divide by */
	uint64_t lost;	   /* records (ring buffer full) and events (probe_missed_events()) */
	/* What this host cannot measure, and why: a sentence a line, "sched: …"; NULL where it can all.
	 * Not owned; stays through second_clear(). */
	const char *missing;
	size_t n_rows, cap_rows;
	struct second_row *rows;
};

/* NaN where it was not measured, as metrics of other families never are in this row. */
static inline double second_value(const struct second_row *row, int metric)
{
	int first = metric_first[row->family], next = metric_first[row->family + 1];

	return metric >= first && metric < next ? row->values[metric - first] : NAN;
}

/* Returns the value. A metric of another family is a mistake of the program, and ends it. */
static inline double second_set(struct second_row *row, int metric, double value)
{
	int first = metric_first[row->family], next = metric_first[row->family + 1];

	if (metric < first || metric >= next)
		abort();
	return row->values[metric - first] = value;
}

/* A row of its own: every value NaN, no histograms, no control group. */
void second_row_init(struct second_row *row, enum metric_family family, const char *instance);

void second_init(struct second *s);
void second_release(struct second *s);

/*
 * Empties s for reuse; memory is kept.
 */
void second_clear(struct second *s);

/*
 * Appends a row with every value NaN. `hists`, of enum second_hist, get zeroed histograms. Returns
 * NULL with errno ENOMEM. The pointer is valid until the next second_add_row() or second_clear().
 */
struct second_row *second_add_row(struct second *s, enum metric_family family, const char *instance,
				  unsigned int hists);

#endif
