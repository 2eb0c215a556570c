// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the sections of a chunk to seconds in memory. What is read may be damaged or hostile: every
 * length is checked, every number of things is bounded by bytes that must be there, and memory and
 * work by the grid's limit. zlib's Adler-32 tells what was changed by accident.
 */
#include "series_grid.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "userspace/common/clock.h"

/* Work that needs no memory counts too. */
static void charge(struct grid *g, struct code_in *in, size_t n)
{
	n *= sizeof(int64_t);
	if (n > g->limit - g->used)
		in->bad = 1;
	else
		g->used += n;
}

static void get_presence(struct code_in *in, unsigned char *present, size_t n, size_t *there)
{
	int64_t x[GRID_SECONDS_MAX];

	code_get_ints(in, x, n);
	*there = 0;
	for (size_t t = 0; t < n; t++) {
		if (x[t] != 0 && x[t] != 1)
			in->bad = 1;
		present[t] = x[t] == 1;
		*there += present[t];
	}
}

/* ---- head ----------------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void get_intervals(struct code_in *in, struct grid_time *time, size_t n)
{
	int64_t state[GRID_SECONDS_MAX], x[GRID_SECONDS_MAX], before = 0;
	size_t coded = 0, at = 0;

	code_get_ints(in, state, n);
	for (size_t t = 0; t < n; t++) {
		time[t].interval_s = NAN;
		if (state[t] == STATE_RAW)
			time[t].interval_s = code_get_double(in);
		else if (state[t] == STATE_CODED)
			coded++;
		else if (state[t] != STATE_NAN)
			in->bad = 1;
	}
	code_get_ints(in, x, coded);
	for (size_t t = 0; t < n; t++) {
		int64_t went = minus(time[t].mono_ns, before);

		if (state[t] == STATE_CODED)
			time[t].interval_s = s_of_ns(plus(x[at++], went));
		before = time[t].mono_ns;
	}
}

static int get_head(struct code_in in, struct grid *g, size_t *n)
{
	int64_t x[5][GRID_SECONDS_MAX];
	struct grid_time *time = g->time + g->n;
	int err = 0, first = !g->n;
	int64_t boot;

	boot = (int64_t)code_get_below(&in, INT64_MAX);
	*n = code_get_below(&in, g->cap - g->n);
	g->sections =
		(unsigned int)code_get_below(&in, g->newer ? UINT32_MAX : (1U << SECTIONS) - 1);
	g->sections &= (1U << SECTIONS) - 1;
	for (int i = 0; i < 5; i++)
		code_get_ints(&in, x[i], *n);
	for (size_t t = 0; t < *n; t++) {
		time[t].wall_ns = x[0][t];
		time[t].seq = x[1][t];
		time[t].mono_ns = x[2][t];
		time[t].late_ns = minus(plus(x[3][t], x[2][t]), x[0][t]);
		time[t].lost = x[4][t];
		if (x[0][t] < 0 || x[1][t] < 0 || x[2][t] < 0 || x[4][t] < 0 ||
		    (t && (x[0][t] < x[0][t - 1] || x[1][t] <= x[1][t - 1])))
			in.bad = 1;
	}
	get_intervals(&in, time, *n);
	for (size_t t = 0; t < *n; t++)
		in.bad |= isinf(time[t].interval_s);
	if (in.bad || in.at != in.end || !*n || !(g->sections & 1U << SEC_HEAD) ||
	    (!first && boot != g->boot))
		err = -EBADMSG;
	else
		g->n += *n;
	g->boot = boot;
	return err;
}

int series_unpack_head(struct grid *g, const struct series_blob *head, int64_t id, size_t *n)
{
	struct series_inflater own = {0};
	struct code_in in;
	int err = series_unzip(g->inflater ? g->inflater : &own, &in, SEC_HEAD, head, id);

	if (!err)
		err = get_head(in, g, n);
	series_inflater_release(&own);
	return err;
}

/* ---- a family ------------------------------------------------------------------------------- */

static double value_of(struct code_in *in, int64_t x, unsigned int type,
		       const struct series_metric_def *def, double interval_s)
{
	uint64_t bits = (uint64_t)(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
	double v;

	if (!(type & COLUMN_FLOAT))
		return def->rate ? (double)x / (interval_s * def->per) : (double)x;
	if (bits >= 0x7ffULL << FLOAT_BITS) {
		in->bad = 1;
		return NAN;
	}
	bits <<= FLOAT_CUT;
	memcpy(&v, &bits, sizeof(v));
	return x < 0 ? -v : v;
}

/* What stands before a column's coded numbers; returns how many of those there are. */
static size_t get_states(struct code_in *in, unsigned int *type, size_t n_there, int64_t *state,
			 double *raw)
{
	size_t coded = 0;

	*type = code_get_byte(in);
	if (*type > (COLUMN_FLOAT | COLUMN_STATES))
		in->bad = 1;
	if (!(*type & COLUMN_STATES)) {
		memset(state, 0, n_there * sizeof(*state));
		return n_there;
	}
	code_get_ints(in, state, n_there);
	for (size_t i = 0; i < n_there; i++) {
		if (state[i] < STATE_CODED || state[i] > STATE_RAW)
			in->bad = 1;
		if (state[i] == STATE_RAW)
			raw[i] = code_get_double(in);
		coded += state[i] == STATE_CODED;
	}
	return coded;
}

static void pass_column(struct code_in *in, size_t n_there)
{
	int64_t state[GRID_SECONDS_MAX];
	double raw[GRID_SECONDS_MAX];
	unsigned int type;

	code_pass_ints(in, get_states(in, &type, n_there, state, raw));
}

/* Column of the n_there seconds from `at` on in which the row is there. */
static void get_column(struct code_in *in, const struct grid *g, const unsigned char *present,
		       size_t n_there, size_t at, size_t n, const struct series_metric_def *def,
		       double *v)
{
	int64_t state[GRID_SECONDS_MAX], x[GRID_SECONDS_MAX];
	double raw[GRID_SECONDS_MAX], value;
	unsigned int type;
	size_t i = 0, c = 0;

	code_get_ints(in, x, get_states(in, &type, n_there, state, raw));
	for (size_t t = 0; !in->bad && t < n; t++) {
		if (!present[t])
			continue;
		switch (state[i]) {
		case STATE_CODED:
			value = value_of(in, x[c++], type, def, g->time[at + t].interval_s);
			break;
		case STATE_ZERO: value = 0; break;
		case STATE_RAW: value = raw[i]; break;
		default: value = NAN;
		}
		if (state[i] != STATE_NAN && !isfinite(value))
			in->bad = 1;
		v[at + t] = value;
		i++;
	}
}

static void get_name(struct code_in *in, char name[INSTANCE_LEN])
{
	size_t len = code_get_below(in, INSTANCE_LEN - 1);
	const unsigned char *at = code_get_bytes(in, len);

	memset(name, 0, INSTANCE_LEN);
	if (at)
		memcpy(name, at, len);
	if (strlen(name) != len || !series_instance_valid(name))
		in->bad = 1;
}

/* One metric of a row; seen: by metric, those that came. */
static int get_metric(struct code_in *in, struct grid *g, const struct series_metric_def *def,
		      struct grid_row *row, const unsigned char *present, size_t there, size_t at,
		      size_t n, bool *seen)
{
	bool unwanted = def->metric <= METRIC_FIRST_UNWANTED;
	int metric = unwanted ? metric_unwanted(def->metric) : def->metric;
	double *v;

	g->unknown |= metric == METRIC_UNKNOWN;
	if (metric == METRIC_NONE ||
	    (metric >= 0 && (metrics[metric].family != row->family || seen[metric])))
		in->bad = 1;
	charge(g, in, n);
	if (in->bad)
		return 0;
	if (metric >= 0)
		seen[metric] = true;
	if (metric < 0 || unwanted) {
		pass_column(in, there);
		return 0;
	}
	v = grid_column(g, row, metric);
	if (!v)
		return -ENOMEM;
	get_column(in, g, present, there, at, n, def, v);
	return 0;
}

/* Is read until `wanted` of the metrics that are wanted came, and no further. */
static int get_row(struct code_in *in, struct grid *g, const struct series_metrics *m, int family,
		   size_t at, size_t n, size_t wanted)
{
	bool seen[M_COUNT] = {false};
	int err = 0;
	unsigned char present[GRID_SECONDS_MAX];
	char name[INSTANCE_LEN];
	struct grid_row *row;
	size_t there;
	uint64_t columns;

	get_name(in, name);
	row = in->bad ? NULL : grid_row_get(g, family, name);
	if (!row)
		return in->bad ? -EBADMSG : -ENOMEM;
	row->device = (int64_t)code_get_below(in, INT64_MAX);
	get_presence(in, present, n, &there);
	for (size_t t = 0; t < n; t++) {
		in->bad |= row->present[at + t]; /* a row twice */
		row->present[at + t] = present[t];
	}
	columns = code_get_unsigned(in);
	for (; columns && !in->bad && !err && wanted; columns--) {
		const struct series_metric_def *def = &m->def[code_get_below(in, m->n - 1)];

		wanted -= def->metric >= 0;
		err = get_metric(in, g, def, row, present, there, at, n, seen);
	}
	if (columns && !in->bad && !err)
		in->at = in->end;
	return err ? err : in->bad ? -EBADMSG : 0;
}

/* Of how many metrics the last row may have values that are wanted; SIZE_MAX: it is read to its end
 * anyway. */
static size_t count_wanted(struct code_in *in, struct grid *g, const struct series_metrics *m,
			   int family)
{
	size_t wanted = 0;
	bool all = true;

	charge(g, in, m->n);
	for (size_t i = 1; i < m->n; i++) {
		int metric = m->def[i].metric;

		wanted += metric >= 0 && (int)metrics[metric].family == family;
		all &= metric > METRIC_FIRST_UNWANTED;
	}
	return all ? SIZE_MAX : wanted;
}

/* ---- histograms ----------------------------------------------------------------------------- */

static int get_bucket(struct code_in *in, struct grid *g, struct grid_hist *h, size_t bucket,
		      const unsigned char *present, size_t there, size_t at, size_t n)
{
	int64_t x[GRID_SECONDS_MAX];
	uint32_t *count = NULL;
	size_t i = 0;

	charge(g, in, n);
	code_get_ints(in, x, there);
	if (h && !in->bad) {
		count = grid_bucket(g, h, bucket);
		if (!count)
			return -ENOMEM;
	}
	for (size_t t = 0; t < n; t++) {
		if (!present[t])
			continue;
		in->bad |= x[i] < 0 || x[i] > UINT32_MAX;
		if (count)
			count[at + t] = (uint32_t)x[i];
		i++;
	}
	return in->bad ? -EBADMSG : 0;
}

static int get_hist(struct code_in *in, struct grid *g, size_t at, size_t n, unsigned int hists)
{
	unsigned char present[GRID_SECONDS_MAX];
	unsigned int family = code_get_byte(in), hist;
	struct grid_hist *h = NULL;
	char name[INSTANCE_LEN];
	struct grid_row *row;
	size_t there, bucket = 0;
	uint64_t used;
	int err = 0;

	get_name(in, name);
	hist = code_get_byte(in);
	if (in->bad || hist >= GRID_HISTS || family != grid_hist_family((int)hist))
		return -EBADMSG;
	get_presence(in, present, n, &there);
	row = hists & 1U << hist ? grid_row_find(g, (enum metric_family)family, name) : NULL;
	if (row) {
		h = grid_hist_get(g, row, (int)hist);
		if (!h)
			return -ENOMEM;
		for (size_t t = 0; t < n; t++) {
			in->bad |= h->present[at + t] || present[t] > row->present[at + t];
			h->present[at + t] = present[t];
		}
	}
	used = code_get_unsigned(in);
	for (; used && !in->bad && !err; used--, bucket++) {
		bucket += code_get_below(in, LAT_FLAT);
		if (in->bad || bucket >= grid_hist_buckets((int)hist))
			return -EBADMSG;
		err = get_bucket(in, g, h, bucket, present, there, at, n);
	}
	return err ? err : in->bad ? -EBADMSG : 0;
}

static int get_section(struct code_in in, struct grid *g, const struct series_metrics *m,
		       int section, size_t at, size_t n, unsigned int hists)
{
	size_t wanted = SIZE_MAX;
	uint64_t left;
	int err = 0;

	g->inflated += (size_t)(in.end - in.at);
	if (section < FAM_COUNT)
		wanted = count_wanted(&in, g, m, section);
	for (left = code_get_unsigned(&in); left && !err && !in.bad; left--)
		err = section == SEC_HIST
			      ? get_hist(&in, g, at, n, hists)
			      : get_row(&in, g, m, section, at, n, left > 1 ? SIZE_MAX : wanted);
	return !err && (in.bad || in.at != in.end) ? -EBADMSG : err;
}

int series_unpack_section(struct grid *g, const struct series_metrics *m, int section,
			  const struct series_blob *b, int64_t id, size_t at, size_t n,
			  unsigned int hists)
{
	struct series_inflater own = {0};
	struct code_in in;
	int err = series_unzip(g->inflater ? g->inflater : &own, &in, section, b, id);

	if (!err)
		err = get_section(in, g, m, section, at, n, hists);
	series_inflater_release(&own);
	return err;
}
