// SPDX-License-Identifier: BSD-2-Clause
/* The text of openmetrics.h: one table-driven writer for both formats, and which one to give. */
#include "openmetrics_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "userspace/common/version.h"

/* ---- text that grows ----------------------------------------------------------------------- */

struct text {
	char *at;
	size_t len, cap;
	bool failed; /* out of memory; what is written then goes nowhere */
	enum openmetrics_format format;
};

static void put(struct text *t, const char *s)
{
	size_t n = strlen(s);

	if (t->cap - t->len < n + 1) {
		size_t cap = 2 * (t->cap + n) + 16384;
		char *at = t->failed ? NULL : realloc(t->at, cap);

		if (!at) {
			t->failed = true;
			return;
		}
		t->at = at;
		t->cap = cap;
	}
	memcpy(t->at + t->len, s, n + 1);
	t->len += n;
}

static void put_u64(struct text *t, uint64_t v)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	put(t, at);
}

static void put_double(struct text *t, double v)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%.15g", v);
	put(t, digits);
}

/* Exactly: a double has not the digits for many seconds in ns. */
static void put_ns(struct text *t, uint64_t ns)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
		 ns % 1000000000);
	put(t, digits);
}

/* ---- families and samples ------------------------------------------------------------------ */

enum type { COUNTER, GAUGE, HISTOGRAM, INFO };

/* The older format names the samples of counters and infos in TYPE and HELP, and knows no info. */
static const struct {
	const char *name, *suffix, *old_name, *old_suffix;
} types[] = {
	[COUNTER] = {"counter", "", "counter", "_total"},
	[GAUGE] = {"gauge", "", "gauge", ""},
	[HISTOGRAM] = {"histogram", "", "histogram", ""},
	[INFO] = {"info", "", "gauge", "_info"},
};

struct family_text {
	const char *name, *unit; /* unit "": none; else the name ends with it */
	enum type type;
	const char *help; /* without quotes, backslashes and line ends: written as it is */
};

static void put_line(struct text *t, const char *what, const char *name, const char *suffix,
		     const char *value)
{
	put(t, what);
	put(t, name);
	put(t, suffix);
	put(t, " ");
	put(t, value);
	put(t, "\n");
}

static void put_family(struct text *t, const struct family_text *f)
{
	bool old = t->format == FORMAT_PROMETHEUS;
	const char *suffix = old ? types[f->type].old_suffix : types[f->type].suffix;

	put_line(t, "# TYPE ", f->name, suffix,
		 old ? types[f->type].old_name : types[f->type].name);
	if (*f->unit && !old)
		put_line(t, "# UNIT ", f->name, suffix, f->unit);
	put_line(t, "# HELP ", f->name, suffix, f->help);
}

/* NAME SUFFIX {LABELS,MORE} and a blank. */
static void put_sample(struct text *t, const char *name, const char *suffix, const char *labels,
		       const char *more)
{
	put(t, name);
	put(t, suffix);
	if (*labels || *more) {
		put(t, "{");
		put(t, labels);
		put(t, *labels && *more ? "," : "");
		put(t, more);
		put(t, "}");
	}
	put(t, " ");
}

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

static void put_metric(struct text *t, const struct openmetrics *om, int id)
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
			put_family(t,
				   &(struct family_text){name, unit, rate ? COUNTER : GAUGE, help});
		begun = true;
		put_sample(t, name, rate ? "_total" : "", it->labels, "");
		if (time)
			put_ns(t, v->count);
		else if (rate)
			put_u64(t, v->count);
		else
			put_double(t, v->gauge * u->times / u->by);
		put(t, "\n");
	}
}

/* ---- histograms ---------------------------------------------------------------------------- */

#define MIDDLES                                                                                   \
	" The sum is made of the middles of the fine buckets they were recorded in, at most 7 % " \
	"off."

static const struct hist_family {
	struct family_text text;
	enum metric_family family;
	uint32_t shift; /* a unit is 2^shift ns */
} hists[OM_HISTS] = {
	[OM_LAT] = {{"limpet_disk_latency_seconds", "seconds", HISTOGRAM,
		     "Requests by time from arrival to completion." MIDDLES},
		    FAM_DISK,
		    LAT_SHIFT},
	[OM_DEV] = {{"limpet_disk_device_latency_seconds", "seconds", HISTOGRAM,
		     "Requests by time from the driver's start to completion." MIDDLES},
		    FAM_DISK,
		    LAT_SHIFT},
	[OM_RUNQ] = {{"limpet_host_run_queue_wait_seconds", "seconds", HISTOGRAM,
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
			 ldexp(1, (int)(LAT_SUB_BITS + k + hists[kind].shift)) / 1e9);
}

static void put_hist(struct text *t, const struct limits *l, const char *labels,
		     const struct om_hist *h)
{
	uint64_t below = 0, all = 0;

	for (int k = 0; k < OM_OCTAVES; k++)
		all += h->n[k];
	for (unsigned int k = 0; k < l->n; k++) {
		below += h->n[k];
		put_sample(t, l->name, "_bucket", labels, l->le[k]);
		put_u64(t, below);
		put(t, "\n");
	}
	put_sample(t, l->name, "_bucket", labels, "le=\"+Inf\"");
	put_u64(t, all);
	put(t, "\n");
	put_sample(t, l->name, "_count", labels, "");
	put_u64(t, all);
	put(t, "\n");
	put_sample(t, l->name, "_sum", labels, "");
	put_ns(t, h->sum_ns);
	put(t, "\n");
}

static void put_lat(struct text *t, const struct limits *l, const char *disk,
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

static void put_hists(struct text *t, const struct openmetrics *om, enum om_hist_kind kind)
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
			put_family(t, &hists[kind].text);
		begun = true;
		if (kind == OM_RUNQ)
			put_hist(t, &limits, it->labels, it->runq);
		else
			put_lat(t, &limits, it->labels, lat);
	}
}

/* ---- the probe itself ---------------------------------------------------------------------- */

static void put_one(struct text *t, const struct family_text *f)
{
	put_family(t, f);
	put_sample(t, f->name, f->type == COUNTER ? "_total" : "", "", "");
}

static void put_own_cost(struct text *t)
{
	struct rusage self;
	unsigned long pages;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!getrusage(RUSAGE_SELF, &self)) {
		put_one(t, &(struct family_text){"limpet_probe_cpu_seconds", "seconds", COUNTER,
						 "Processor time of limpet-probe itself."});
		put_ns(t, (uint64_t)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) * 1000000000 +
				  (uint64_t)(self.ru_utime.tv_usec + self.ru_stime.tv_usec) * 1000);
		put(t, "\n");
	}
	if (f && fscanf(f, "%*u %lu", &pages) == 1) {
		put_one(t, &(struct family_text){"limpet_probe_resident_memory_bytes", "bytes",
						 GAUGE, "Resident memory of limpet-probe itself."});
		put_u64(t, (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE));
		put(t, "\n");
	}
	if (f)
		fclose(f);
}

static void put_missing(struct text *t, const struct openmetrics *om)
{
	if (!om->missing)
		return;
	put_family(t, &(struct family_text){"limpet_probe_missing", "", INFO,
					    "What this host cannot measure, and why."});
	put(t, om->missing);
}

static void put_probe(struct text *t, const struct openmetrics *om)
{
	const struct {
		struct family_text text;
		uint64_t count;
		double gauge;
	} own[] = {
		{{"limpet_probe_lost_events", "", COUNTER,
		  "Records that found no room and events that were missed."},
		 om->lost,
		 0},
		{{"limpet_probe_unexported_rows", "", COUNTER,
		  "Rows of instances there was no room for in this text."},
		 om->unexported,
		 0},
		{{"limpet_probe_sweeps", "", COUNTER, "Sweeps whose numbers are in this text."},
		 om->seconds,
		 0},
		{{"limpet_probe_late_seconds", "seconds", GAUGE,
		  "How much later than due the last sweep was made."},
		 0,
		 (double)om->late_ns / 1e9},
		{{"limpet_probe_interval_seconds", "seconds", GAUGE,
		  "Time between the last two sweeps."},
		 0,
		 om->interval_s},
		{{"limpet_probe_last_sweep_timestamp_seconds", "seconds", GAUGE,
		  "When the last sweep was due, since the epoch."},
		 0,
		 (double)om->wall_ns / 1e9},
		{{"limpet_probe_up_seconds", "seconds", GAUGE, "Time since the probe was started."},
		 0,
		 (double)(om_now_ns() - om->started_ns) / 1e9},
	};

	put_family(t,
		   &(struct family_text){"limpet_build", "", INFO,
					 "Version of the probe, and the name it records under."});
	put(t, "limpet_build_info{version=\"" LIMPET_VERSION "\",host=\"");
	put(t, om->host);
	put(t, "\"} 1\n");
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		if (!isfinite(own[i].gauge) || (own[i].text.type == GAUGE && !om->seconds))
			continue;
		put_one(t, &own[i].text);
		if (own[i].text.type == COUNTER)
			put_u64(t, own[i].count);
		else
			put_double(t, own[i].gauge);
		put(t, "\n");
	}
	put_missing(t, om);
	put_own_cost(t);
}

char *openmetrics_text(struct openmetrics *om, enum openmetrics_format format, size_t *len)
{
	struct text t = {.format = format};

	pthread_mutex_lock(&om->lock);
	put_probe(&t, om);
	for (int m = 0; m < M_COUNT; m++)
		if (*metrics[m].export_name)
			put_metric(&t, om, m);
	for (int k = 0; k < OM_HISTS; k++)
		put_hists(&t, om, (enum om_hist_kind)k);
	pthread_mutex_unlock(&om->lock);
	if (format == FORMAT_OPENMETRICS)
		put(&t, "# EOF\n");
	if (t.failed) {
		free(t.at);
		return NULL;
	}
	*len = t.len;
	return t.at;
}

/* ---- which format -------------------------------------------------------------------------- */

static const struct {
	const char *content_type, *media, *versions[3];
} formats[FORMATS] = {
	[FORMAT_OPENMETRICS] = {"application/openmetrics-text; version=1.0.0; charset=utf-8",
				"application/openmetrics-text",
				{"1.0.0", "0.0.1"}},
	[FORMAT_PROMETHEUS] = {"text/plain; version=0.0.4; charset=utf-8", "text/plain", {"0.0.4"}},
};

const char *openmetrics_content_type(enum openmetrics_format format)
{
	return formats[format].content_type;
}

/* The word at s, without blanks around, up to one of `ends`; moves s there. */
static const char *word(const char **s, const char *ends, size_t *len)
{
	const char *from = *s + strspn(*s, " \t");

	*s = from + strcspn(from, ends);
	*len = (size_t)(*s - from);
	while (*len && (from[*len - 1] == ' ' || from[*len - 1] == '\t'))
		(*len)--;
	return from;
}

static bool is(const char *w, size_t len, const char *what)
{
	return strlen(what) == len && !strncasecmp(w, what, len);
}

static bool version_fits(enum openmetrics_format format, const char *w, size_t len)
{
	if (len > 2 && *w == '"' && w[len - 1] == '"') {
		w++;
		len -= 2;
	}
	for (const char *const *v = formats[format].versions; *v; v++)
		if (is(w, len, *v))
			return true;
	return false;
}

/* The quality an Accept header gives to a format; 0: does not name it. */
static double quality(const char *accept, enum openmetrics_format format)
{
	double best = 0;

	while (*accept) {
		size_t len;
		const char *w = word(&accept, ",;", &len);
		bool fits = is(w, len, formats[format].media);
		double q = 1;

		while (*accept == ';') {
			accept++;
			w = word(&accept, ",;", &len);
			if (len > 2 && is(w, 2, "q="))
				q = atof(w + 2);
			else if (len > 8 && is(w, 8, "version="))
				fits &= version_fits(format, w + 8, len - 8);
		}
		if (fits && q > best)
			best = q;
		accept += *accept == ',';
	}
	return best;
}

enum openmetrics_format openmetrics_negotiate(const char *accept)
{
	double q = accept ? quality(accept, FORMAT_OPENMETRICS) : 0;

	return q > 0 && q >= quality(accept, FORMAT_PROMETHEUS) ? FORMAT_OPENMETRICS
								: FORMAT_PROMETHEUS;
}
