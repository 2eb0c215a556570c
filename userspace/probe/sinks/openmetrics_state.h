/* SPDX-License-Identifier: BSD-2-Clause */
/* What openmetrics.c adds up and openmetrics_text.c writes; nobody else needs it. */
#ifndef LIMPET_OPENMETRICS_STATE_H
#define LIMPET_OPENMETRICS_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "openmetrics.h"
#include "userspace/common/metrics_text.h"

/* A byte of a name takes up to five ("\\x80"); and the labels' own names. */
#define OM_LABELS_LEN (MT_ESCAPED(INSTANCE_LEN) + 32)

/* Of the host's name; what is longer is cut. */
#define OM_HOST_LEN 64

/* The most instances of any family: every remote host and "(other)". */
#define OM_INSTANCES (MAX_REMOTES + 1)

/* The fine histograms have 2^3 buckets an octave, so 8 fine buckets are one here. */
#define OM_OCTAVES 32

#define OM_MISSING "limpet_probe_missing_info"

struct om_hist {
	uint64_t n[OM_OCTAVES]; /* not cumulative; n[k]: below 8 << k units of the histogram */
	uint64_t sum_ns;
};

struct om_lat {
	struct om_hist h[LAT_OPS][LAT_SIZES];
};

struct om_value {
	bool known; /* counters: ever measured; gauges: in the second `seen` */
	union {
		uint64_t count; /* KIND_RATE: of the things counted (metrics.h) */
		double gauge;
	};
};

struct om_instance {
	char labels[OM_LABELS_LEN]; /* disk="sda" */
	uint64_t seen, seen_ns;	    /* the last second with a row of it: its number, its time */
	struct om_lat *lat, *dev;   /* NULL: never measured */
	struct om_hist *runq;
	struct om_value v[]; /* by openmetrics.index */
};

struct om_family {
	struct om_instance *at[OM_INSTANCES];
	size_t n, hint; /* hint: where the next row is expected, rows come in the same order */
};

enum om_hist_kind { OM_LAT, OM_DEV, OM_RUNQ, OM_HISTS };

struct openmetrics {
	pthread_mutex_t lock;		    /* over all below */
	char host[MT_ESCAPED(OM_HOST_LEN)]; /* as a label value */
	uint64_t started_ns, seconds;
	struct om_family family[FAM_COUNT];
	unsigned int top[OM_HISTS]; /* highest octave used by any instance */
	int index[M_COUNT];	    /* of a metric among those of its family that are exported */
	size_t n_index[FAM_COUNT];
	uint64_t lost, unexported;
	char *missing; /* what this host cannot measure, as samples of OM_MISSING; NULL: nothing */
	int64_t late_ns, wall_ns;
	double interval_s;
};

#endif
