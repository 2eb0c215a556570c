/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One second of one host, as user space holds it: rates derived, a row per instance. The probe
 * makes it, every sink writes it, the series reader gives it back.
 */
#ifndef LIMPET_SECOND_H
#define LIMPET_SECOND_H

#include <stdint.h>
#include <stddef.h>

#include "metrics.h"
#include "../bpf/record.h"

#define INSTANCE_LEN 32 /* "nvme0n1", "eth0", with the NUL */

/* Latency histograms of one disk and one second: events per bucket (bpf/record.h, lat_bucket). */
struct lat_hist {
	uint32_t n[LAT_OPS][LAT_SIZES][LAT_BUCKETS];
};

struct second_row {
	enum metric_family family;
	char instance[INSTANCE_LEN]; /* "" where the family has one instance only */
	double v[M_COUNT];	     /* NaN: not measured; only this family's metrics are set */
	struct lat_hist *lat;	     /* disks only, else NULL; owned by the struct second */
};

struct second {
	uint64_t seq;	   /* counts the sweeps of one run of the probe */
	int64_t wall_ns;   /* the wall-clock second this sweep was due at: peers align on it */
	int64_t late_ns;   /* how much later than that it was taken */
	uint64_t mono_ns;  /* CLOCK_MONOTONIC when taken */
	double interval_s; /* monotonic time since the previous sweep: what rates divide by */
	uint64_t lost;	   /* records (ring buffer full) and events (probe_missed_events()) */
	size_t n_rows, cap_rows;
	struct second_row *rows;
};

void second_init(struct second *s);
void second_release(struct second *s);

/*
 * Empties s for reuse; memory is kept.
 */
void second_clear(struct second *s);

/*
 * Appends a row with every value NaN. `with_lat` gives it zeroed histograms. Returns NULL with
 * errno ENOMEM. The pointer is valid until the next second_add_row() or second_clear().
 */
struct second_row *second_add_row(struct second *s, enum metric_family family, const char *instance,
				  int with_lat);

#endif
