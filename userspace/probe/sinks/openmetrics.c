// SPDX-License-Identifier: BSD-2-Clause
/* From seconds to counters: instances come, are added to, and go. */
#include "openmetrics_state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/metrics_text.h"

/* Instances of a family at a time: what the probe itself keeps apart, and one more for the rest. */
static const size_t most[FAM_COUNT] = {
	[FAM_DISK] = MAX_DISKS + 1,  [FAM_NET] = 64,	 [FAM_TCP] = 1, [FAM_HOST] = 1,
	[FAM_REMOTE] = OM_INSTANCES, [FAM_PROCESS] = 33,
};

static const struct {
	const char *name;
	char before_second; /* the last one of these parts the first label from the second */
	const char *second;
} label_names[FAM_COUNT] = {
	[FAM_DISK] = {"disk", 0, NULL},
	[FAM_NET] = {"interface", 0, NULL},
	[FAM_REMOTE] = {"remote", '>', "port"},
	[FAM_PROCESS] = {"process", ':', "pid"},
};

int openmetrics_new(struct openmetrics **om, const char *host)
{
	struct openmetrics *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	pthread_mutex_init(&o->lock, NULL);
	mt_escape(o->host, host, strnlen(host, OM_HOST_LEN));
	o->started_ns = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	for (int m = 0; m < M_COUNT; m++)
		if (*metrics[m].export_name)
			o->index[m] = (int)o->n_index[metrics[m].family]++;
	*om = o;
	return 0;
}

static void instance_free(struct om_instance *it)
{
	free(it->lat);
	free(it->dev);
	free(it->runq);
	free(it);
}

void openmetrics_free(struct openmetrics *om)
{
	if (!om)
		return;
	for (int f = 0; f < FAM_COUNT; f++)
		for (size_t i = 0; i < om->family[f].n; i++)
			instance_free(om->family[f].at[i]);
	free(om->missing);
	pthread_mutex_destroy(&om->lock);
	free(om);
}

/* "10.0.0.2>24007" → remote="10.0.0.2",port="24007"; addresses lose their brackets. */
static void make_labels(char *to, enum metric_family f, const char *name)
{
	size_t len = strnlen(name, INSTANCE_LEN - 1);
	const char *cut = NULL;

	*to = 0;
	if (!label_names[f].name)
		return;
	if (label_names[f].second)
		cut = memrchr(name, label_names[f].before_second, len);
	to += sprintf(to, "%s=\"", label_names[f].name);
	if (!cut) {
		stpcpy(mt_escape(to, name, len), "\"");
		return;
	}
	if (f == FAM_REMOTE && cut - name > 1 && *name == '[' && cut[-1] == ']')
		to = mt_escape(to, name + 1, (size_t)(cut - name) - 2);
	else
		to = mt_escape(to, name, (size_t)(cut - name));
	to += sprintf(to, "\",%s=\"", label_names[f].second);
	stpcpy(mt_escape(to, cut + 1, len - (size_t)(cut + 1 - name)), "\"");
}

static struct om_instance *find(struct om_family *fam, const char *labels)
{
	for (size_t i = 0; i < fam->n; i++) {
		size_t at = (fam->hint + i) % fam->n;

		if (!strcmp(fam->at[at]->labels, labels)) {
			fam->hint = at + 1;
			return fam->at[at];
		}
	}
	return NULL;
}

/* Where a new instance goes: at the end, or in the place of the one that was away longest; not that
 * of one that is there. */
static struct om_instance **place(struct openmetrics *om, enum metric_family f)
{
	struct om_family *fam = &om->family[f];
	size_t oldest = 0;

	if (fam->n < most[f])
		return &fam->at[fam->n++];
	for (size_t i = 1; i < fam->n; i++)
		if (fam->at[i]->seen < fam->at[oldest]->seen)
			oldest = i;
	if (fam->at[oldest]->seen == om->seconds)
		return NULL;
	instance_free(fam->at[oldest]);
	return &fam->at[oldest];
}

/* Found by its labels, which are made of the name in a way that two names may have the same: so a
 * series can never be written twice, for which scrapers refuse the whole text. */
static struct om_instance *instance_of(struct openmetrics *om, const struct second_row *row)
{
	char labels[OM_LABELS_LEN];
	struct om_instance *it, **at;

	make_labels(labels, row->family, row->instance);
	it = find(&om->family[row->family], labels);
	if (it)
		return it;
	it = calloc(1, sizeof(*it) + om->n_index[row->family] * sizeof(*it->v));
	if (!it)
		return NULL;
	at = place(om, row->family);
	if (!at) {
		free(it);
		return NULL;
	}
	strcpy(it->labels, labels);
	*at = it;
	return it;
}

static void add_values(struct openmetrics *om, struct om_instance *it, const struct second_row *row,
		       double interval_s)
{
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++) {
		struct om_value *v;
		double x = second_value(row, m);

		if (!*metrics[m].export_name)
			continue;
		v = &it->v[om->index[m]];
		if (metrics[m].kind == KIND_GAUGE) {
			v->known = isfinite(x);
			v->gauge = x;
			continue;
		}
		x = round(x * interval_s * metrics[m].per);
		/* NaN is not in the range either. */
		if (x >= 0 && x < 0x1p63) {
			v->known = true;
			v->count += (uint64_t)x;
		}
	}
}

/* The middle of a fine bucket, doubled; of the last, which has no end, its beginning. */
static uint64_t twice_middle(uint32_t b, uint32_t n, uint32_t sub_bits)
{
	return bucket_low(b, sub_bits) + bucket_low(b + 1 < n ? b + 1 : b, sub_bits);
}

static void add_hist(struct om_hist *h, const uint32_t *fine, uint32_t n, uint32_t shift,
		     unsigned int *top)
{
	for (uint32_t b = 0; b < n; b++) {
		unsigned int octave = b >> LAT_SUB_BITS;

		if (!fine[b])
			continue;
		h->n[octave] += fine[b];
		h->sum_ns += fine[b] * (twice_middle(b, n, LAT_SUB_BITS) << shift >> 1);
		if (octave > *top)
			*top = octave;
	}
}

_Static_assert(LAT_BUCKETS == OM_OCTAVES << LAT_SUB_BITS &&
		       RUNQ_BUCKETS == OM_OCTAVES << RUNQ_SUB_BITS && LAT_SUB_BITS == RUNQ_SUB_BITS,
	       "an octave has 2^LAT_SUB_BITS fine buckets");

/* False when there is no memory. */
static bool add_lat(struct openmetrics *om, struct om_lat **to, const struct lat_hist *from,
		    enum om_hist_kind kind)
{
	if (!from)
		return true;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	if (!*to)
		return false;
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++)
			add_hist(&(*to)->h[op][size], from->n[op][size], LAT_BUCKETS, LAT_SHIFT,
				 &om->top[kind]);
	return true;
}

static bool add_runq(struct openmetrics *om, struct om_instance *it, const struct runq_hist *from)
{
	if (!from)
		return true;
	if (!it->runq)
		it->runq = calloc(1, sizeof(*it->runq));
	if (!it->runq)
		return false;
	add_hist(it->runq, from->n, RUNQ_BUCKETS, RUNQ_SHIFT, &om->top[OM_RUNQ]);
	return true;
}

static void add_row(struct openmetrics *om, const struct second *s, const struct second_row *row)
{
	struct om_instance *it = instance_of(om, row);

	if (!it) {
		om->unexported++;
		return;
	}
	it->seen = om->seconds;
	it->seen_ns = s->mono_ns;
	add_values(om, it, row, s->interval_s);
	if (!add_lat(om, &it->lat, row->lat, OM_LAT) || !add_lat(om, &it->dev, row->dev, OM_DEV) ||
	    !add_runq(om, it, row->runq))
		om->unexported++;
}

static void drop_gone(struct openmetrics *om, uint64_t now_ns)
{
	for (int f = 0; f < FAM_COUNT; f++) {
		struct om_family *fam = &om->family[f];
		size_t kept = 0;

		for (size_t i = 0; i < fam->n; i++) {
			struct om_instance *it = fam->at[i];

			if (it->seen != om->seconds &&
			    now_ns - it->seen_ns > (uint64_t)OPENMETRICS_KEEP_S * NS_PER_S)
				instance_free(it);
			else
				fam->at[kept++] = it;
		}
		fam->n = kept;
	}
}

/* Room for a text as labels: escaped, and with what stands around each line of it. */
#define OM_MISSING_LEN(n) \
	(MT_ESCAPED(n) + ((n) + 1) * sizeof(OM_MISSING "{family=\"\",reason=\"\"} 1\n"))

/* "FAMILY: REASON", a line each, as labels. Without memory it is tried again with the next second. */
static void take_missing(struct openmetrics *om, const char *missing)
{
	char *at = malloc(OM_MISSING_LEN(strlen(missing))), *end = at;

	om->missing = at;
	while (at && *missing) {
		size_t line = strcspn(missing, "\n"), name = strcspn(missing, ":");

		end = stpcpy(end, OM_MISSING "{family=\"");
		end = mt_escape(end, missing, name < line ? name : line);
		end = stpcpy(end, "\",reason=\"");
		if (name + 2 < line)
			end = mt_escape(end, missing + name + 2, line - name - 2);
		end = stpcpy(end, "\"} 1\n");
		missing += line + (missing[line] != '\0');
	}
}

void openmetrics_add(struct openmetrics *om, const struct second *s)
{
	pthread_mutex_lock(&om->lock);
	if (s->missing && !om->missing)
		take_missing(om, s->missing);
	om->seconds++;
	om->lost += s->lost;
	om->late_ns = s->late_ns;
	om->wall_ns = s->wall_ns;
	om->interval_s = s->interval_s;
	for (size_t i = 0; i < s->n_rows; i++)
		add_row(om, s, &s->rows[i]);
	drop_gone(om, s->mono_ns);
	pthread_mutex_unlock(&om->lock);
}

uint64_t openmetrics_seconds(struct openmetrics *om)
{
	uint64_t n;

	pthread_mutex_lock(&om->lock);
	n = om->seconds;
	pthread_mutex_unlock(&om->lock);
	return n;
}
