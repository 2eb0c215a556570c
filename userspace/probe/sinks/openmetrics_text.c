// SPDX-License-Identifier: BSD-2-Clause
/* The text of openmetrics.h. */
#include "openmetrics_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "userspace/common/clock.h"
#include "userspace/common/metrics_text.h"
#include "userspace/common/version.h"

/* ---- the metric table ---------------------------------------------------------------------- */

/* The table's units as OpenMetrics has them. What a rate counts (metrics.h: value * s * per) is in
 * the export's unit already, but for %, which is counted in ns. */
static const struct unit {
	const char *unit, *export;
	double times, by; /* of a gauge; both, for 1/1000 is no exact factor */
} units[] = {
	{"kB/s", "bytes", 1024, 1},
	{"kB", "bytes", 1024, 1},
	{"ms", "seconds", 1, 1000},
	{"%", "ratio", 1, 100},
};
static const struct unit no_unit = {"", "", 1, 1};

static const struct unit *unit_of(const struct metric *m)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].unit, m->unit))
			return &units[i];
	return &no_unit;
}

static bool ends_with_word(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && !strcmp(name + n - w, word) && (n == w || name[n - w - 1] == '_');
}

static void put_metric(struct metrics_text *t, const struct openmetrics *om, int id)
{
	const struct metric *m = &metrics[id];
	const struct om_family *fam = &om->family[m->family];
	const struct unit *u = unit_of(m);
	bool rate = m->kind == KIND_RATE, time = rate && !strcmp(m->unit, "%"), begun = false;
	bool sometimes = m->family == FAM_REMOTE || m->family == FAM_PROCESS;
	const char *unit = time ? "seconds" : u->export;
	char name[128], help[256];

	snprintf(name, sizeof(name), "limpet_%s_%s%s%s", metric_family_names[m->family],
		 m->export_name, *unit && !ends_with_word(m->export_name, unit) ? "_" : "",
		 ends_with_word(m->export_name, unit) ? "" : unit);
	snprintf(help, sizeof(help), "%s %s, from %s.", m->name,
		 !rate	     ? "of the last second"
		 : sometimes ? "added up over the seconds in which it was among the busiest"
			     : "added up since the probe was started",
		 m->source);
	for (size_t i = 0; i < fam->n; i++) {
		const struct om_instance *it = fam->at[i];
		const struct om_value *v = &it->v[om->index[id]];

		if (!v->known || (!rate && it->seen != om->seconds))
			continue;
		if (!begun)
			mt_family(t, &(struct mt_family){name, unit, rate ? MT_COUNTER : MT_GAUGE,
							 help});
		begun = true;
		mt_sample(t, name, mt_suffix(rate ? MT_COUNTER : MT_GAUGE), it->labels, "");
		if (time)
			mt_ns(t, v->count);
		else if (rate)
			mt_u64(t, v->count);
		else
			mt_double(t, v->gauge * u->times / u->by, 15);
	}
}

/* ---- histograms ---------------------------------------------------------------------------- */

#define MIDDLES                                                                                   \
	" The sum is made of the middles of the fine buckets they were recorded in, at most 7 % " \
	"off."

static const struct hist_family {
	struct mt_family text;
	enum metric_family family;
	uint32_t shift; /* a unit is 2^shift ns */
} hists[OM_HISTS] = {
	[OM_LAT] = {{"limpet_disk_latency_seconds", "seconds", MT_HISTOGRAM,
		     "Requests by time from arrival to completion." MIDDLES},
		    FAM_DISK,
		    LAT_SHIFT},
	[OM_DEV] = {{"limpet_disk_device_latency_seconds", "seconds", MT_HISTOGRAM,
		     "Requests by time from the driver's start to completion." MIDDLES},
		    FAM_DISK,
		    LAT_SHIFT},
	[OM_RUNQ] = {{"limpet_host_run_queue_wait_seconds", "seconds", MT_HISTOGRAM,
		      "Task switches by time from being runnable to running." MIDDLES},
		     FAM_HOST,
		     RUNQ_SHIFT},
};

static const char *const op_labels[LAT_OPS] = {"op=\"read\"", "op=\"write\""};
static const char *const size_labels[LAT_SIZES] = {"size=\"<=16KiB\"", "size=\"<=128KiB\"",
						   "size=\">128KiB\""};

/* The le labels of a family's buckets, made once for all of its histograms. A time is truncated to
 * whole units before it is put into a bucket, so those in it are below its end. */
struct limits {
	const char *name; /* of the family */
	unsigned int n;
	char le[OM_OCTAVES - 1][40]; /* the last octave has no end */
};

static void make_limits(struct limits *l, const struct openmetrics *om, enum om_hist_kind kind)
{
	l->name = hists[kind].text.name;
	l->n = om->top[kind] + 1 < OM_OCTAVES ? om->top[kind] + 1 : OM_OCTAVES - 1;
	for (unsigned int k = 0; k < l->n; k++)
		snprintf(l->le[k], sizeof(l->le[k]), "le=\"%.15g\"",
			 s_of_ns(INT64_C(1) << (LAT_SUB_BITS + k + hists[kind].shift)));
}

static void put_hist(struct metrics_text *t, const struct limits *l, const char *labels,
		     const struct om_hist *h)
{
	uint64_t below = 0, all = 0;

	for (int k = 0; k < OM_OCTAVES; k++)
		all += h->n[k];
	for (unsigned int k = 0; k < l->n; k++) {
		below += h->n[k];
		mt_sample(t, l->name, "_bucket", labels, l->le[k]);
		mt_u64(t, below);
	}
	mt_sample(t, l->name, "_bucket", labels, "le=\"+Inf\"");
	mt_u64(t, all);
	mt_sample(t, l->name, "_count", labels, "");
	mt_u64(t, all);
	mt_sample(t, l->name, "_sum", labels, "");
	mt_ns(t, h->sum_ns);
}

static void put_lat(struct metrics_text *t, const struct limits *l, const char *disk,
		    const struct om_lat *lat)
{
	char labels[OM_LABELS_LEN + 48];

	for (int op = 0; op < LAT_OPS; op++) {
		for (int size = 0; size < LAT_SIZES; size++) {
			snprintf(labels, sizeof(labels), "%s,%s,%s", disk, op_labels[op],
				 size_labels[size]);
			put_hist(t, l, labels, &lat->h[op][size]);
		}
	}
}

static void put_hists(struct metrics_text *t, const struct openmetrics *om, enum om_hist_kind kind)
{
	const struct om_family *fam = &om->family[hists[kind].family];
	struct limits limits;
	bool begun = false;

	make_limits(&limits, om, kind);
	for (size_t i = 0; i < fam->n; i++) {
		const struct om_instance *it = fam->at[i];
		const struct om_lat *lat = kind == OM_LAT ? it->lat : it->dev;

		if (kind == OM_RUNQ ? !it->runq : !lat)
			continue;
		if (!begun)
			mt_family(t, &hists[kind].text);
		begun = true;
		if (kind == OM_RUNQ)
			put_hist(t, &limits, it->labels, it->runq);
		else
			put_lat(t, &limits, it->labels, lat);
	}
}

/* ---- the probe itself ---------------------------------------------------------------------- */

static void put_one(struct metrics_text *t, const struct mt_family *f)
{
	mt_family(t, f);
	mt_sample(t, f->name, mt_suffix(f->type), "", "");
}

static void put_own_cost(struct metrics_text *t)
{
	struct rusage self;
	unsigned long pages;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!getrusage(RUSAGE_SELF, &self)) {
		put_one(t, &(struct mt_family){"limpet_probe_cpu_seconds", "seconds", MT_COUNTER,
					       "Processor time of limpet-probe itself."});
		mt_ns(t, (uint64_t)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) * NS_PER_S +
				 (uint64_t)(self.ru_utime.tv_usec + self.ru_stime.tv_usec) *
					 NS_PER_US);
	}
	if (f && fscanf(f, "%*u %lu", &pages) == 1) {
		put_one(t,
			&(struct mt_family){"limpet_probe_resident_memory_bytes", "bytes", MT_GAUGE,
					    "Resident memory of limpet-probe itself."});
		mt_u64(t, (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE));
	}
	if (f)
		fclose(f);
}

static void put_missing(struct metrics_text *t, const struct openmetrics *om)
{
	if (!om->missing)
		return;
	mt_family(t, &(struct mt_family){"limpet_probe_missing", "", MT_INFO,
					 "What this host cannot measure, and why."});
	mt_put(t, om->missing);
}

static void put_probe(struct metrics_text *t, const struct openmetrics *om)
{
	const struct {
		struct mt_family text;
		uint64_t count;
		double gauge;
	} own[] = {
		{{"limpet_probe_lost_events", "", MT_COUNTER,
		  "Records that found no room and events that were missed."},
		 om->lost,
		 0},
		{{"limpet_probe_unexported_rows", "", MT_COUNTER,
		  "Rows of instances there was no room for in this text."},
		 om->unexported,
		 0},
		{{"limpet_probe_sweeps", "", MT_COUNTER, "Sweeps whose numbers are in this text."},
		 om->seconds,
		 0},
		{{"limpet_probe_late_seconds", "seconds", MT_GAUGE,
		  "How much later than due the last sweep was made."},
		 0,
		 s_of_ns(om->late_ns)},
		{{"limpet_probe_interval_seconds", "seconds", MT_GAUGE,
		  "Time between the last two sweeps."},
		 0,
		 om->interval_s},
		{{"limpet_probe_last_sweep_timestamp_seconds", "seconds", MT_GAUGE,
		  "When the last sweep was due, since the epoch."},
		 0,
		 s_of_ns(om->wall_ns)},
		{{"limpet_probe_up_seconds", "seconds", MT_GAUGE,
		  "Time since the probe was started."},
		 0,
		 s_of_ns(clock_ns(CLOCK_MONOTONIC) - (int64_t)om->started_ns)},
	};

	mt_family(t, &(struct mt_family){"limpet_build", "", MT_INFO,
					 "Version of the probe, and the name it records under."});
	mt_put(t, "limpet_build_info{version=\"" LIMPET_VERSION "\",host=\"");
	mt_put(t, om->host);
	mt_put(t, "\"} 1\n");
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		if (!isfinite(own[i].gauge) || (own[i].text.type == MT_GAUGE && !om->seconds))
			continue;
		put_one(t, &own[i].text);
		if (own[i].text.type == MT_COUNTER)
			mt_u64(t, own[i].count);
		else
			mt_double(t, own[i].gauge, 15);
	}
	put_missing(t, om);
	put_own_cost(t);
}

char *openmetrics_text(struct openmetrics *om, enum openmetrics_format format, size_t *len)
{
	struct metrics_text t = {.format = format};

	pthread_mutex_lock(&om->lock);
	put_probe(&t, om);
	for (int m = 0; m < M_COUNT; m++)
		if (*metrics[m].export_name)
			put_metric(&t, om, m);
	for (int k = 0; k < OM_HISTS; k++)
		put_hists(&t, om, (enum om_hist_kind)k);
	pthread_mutex_unlock(&om->lock);
	return mt_end(&t, len);
}
