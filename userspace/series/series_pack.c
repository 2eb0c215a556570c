// SPDX-License-Identifier: BSD-2-Clause
/* From seconds in memory to the sections of a chunk. series.h documents every byte. */
#include "series_grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"

const char *series_section_name(int section)
{
	return section == SEC_HEAD   ? "head"
	       : section == SEC_HIST ? "hist"
				     : metric_family_names[section];
}

void series_metrics_own(struct series_metrics *m, struct series_metric_def *def)
{
	m->def = def;
	m->n = M_COUNT + 1;
	def[0] = (struct series_metric_def){.metric = METRIC_NONE};
	for (int i = 0; i < M_COUNT; i++) {
		m->number[i] = i + 1;
		def[i + 1] =
			(struct series_metric_def){i, metrics[i].kind == KIND_RATE, metrics[i].per};
	}
}

void series_packed_release(struct series_packed *p)
{
	for (int s = 0; s < SECTIONS; s++)
		code_out_release(&p->section[s]);
}

/* ---- columns of values ---------------------------------------------------------------------- */

static int is_whole(double v)
{
	return fabs(v) <= WHOLE_MAX && v == floor(v);
}

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* How often `per` of the things counted, if that is what v is; see struct metric. */
static int as_count(double v, double interval_s, double per, int64_t *x)
{
	double count = v * (interval_s * per);

	if (!(fabs(count) <= WHOLE_MAX))
		return 0;
	*x = llround(count);
	return fabs((double)*x / (interval_s * per) - v) <= 1e-9 * fabs(v);
}

/* The upper bits, rounded. */
static int as_float(double v, int64_t *x)
{
	uint64_t up = bits_of(fabs(v)) + (1ULL << (FLOAT_CUT - 1));

	*x = (int64_t)(up >> FLOAT_CUT);
	if (*x >= 0x7ffLL << FLOAT_BITS || !isnormal(v))
		return 0;
	if (is_whole(v) && bits_of(fabs(v)) << (64 - FLOAT_CUT))
		return 0; /* a whole number stays exact */
	*x = v < 0 ? -*x : *x;
	return 1;
}

struct packed_column {
	size_t n; /* seconds its row is present */
	int64_t state[GRID_SECONDS_MAX];
	double raw[GRID_SECONDS_MAX];
	int64_t x[GRID_SECONDS_MAX];
	size_t n_raw, n_x;
	unsigned int type;
};

static void add_value(struct packed_column *c, double v, double interval_s, const struct metric *m)
{
	int64_t state = STATE_CODED, x = 0;

	if (isnan(v))
		state = STATE_NAN;
	else if (c->type == COLUMN_FLOAT)
		state = v == 0 ? STATE_ZERO : as_float(v, &x) ? STATE_CODED : STATE_RAW;
	else if (m->kind == KIND_RATE)
		state = as_count(v, interval_s, m->per, &x) ? STATE_CODED : STATE_RAW;
	else
		x = (int64_t)v;
	c->state[c->n++] = state;
	if (state == STATE_CODED)
		c->x[c->n_x++] = x;
	else if (state == STATE_RAW)
		c->raw[c->n_raw++] = v;
}

static void put_column(struct code_out *o, const struct grid *g, const struct grid_row *row, int m)
{
	const double *v = grid_values(row, m);
	struct packed_column c;
	int states = 0;

	c.n = c.n_raw = c.n_x = 0;
	c.type = COLUMN_WHOLE;
	for (size_t t = 0; metrics[m].kind == KIND_GAUGE && t < g->n; t++)
		if (row->present[t] && !isnan(v[t]) && !is_whole(v[t]))
			c.type = COLUMN_FLOAT;
	for (size_t t = 0; t < g->n; t++)
		if (row->present[t])
			add_value(&c, v[t], g->time[t].interval_s, &metrics[m]);
	for (size_t i = 0; i < c.n; i++)
		states |= c.state[i] != STATE_CODED;
	code_put_byte(o, c.type | (states ? COLUMN_STATES : 0U));
	if (states)
		code_put_ints(o, c.state, c.n);
	for (size_t i = 0; i < c.n_raw; i++)
		code_put_double(o, c.raw[i]);
	code_put_ints(o, c.x, c.n_x);
}

/* ---- sections ------------------------------------------------------------------------------- */

static void put_presence(struct code_out *o, const unsigned char *present, size_t n)
{
	int64_t x[GRID_SECONDS_MAX];

	for (size_t t = 0; t < n; t++)
		x[t] = present[t];
	code_put_ints(o, x, n);
}

static void put_name(struct code_out *o, const char *name)
{
	size_t len = strlen(name);

	code_put_unsigned(o, len);
	code_put_bytes(o, name, len);
}

static void put_row(struct code_out *o, const struct grid *g, const struct series_metrics *ids,
		    const struct grid_row *row)
{
	uint64_t columns = 0;

	put_name(o, row->instance);
	code_put_unsigned(o, (uint64_t)row->device);
	put_presence(o, row->present, g->n);
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++)
		columns += grid_values(row, m) != NULL;
	code_put_unsigned(o, columns);
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++) {
		if (!grid_values(row, m))
			continue;
		code_put_unsigned(o, (uint64_t)ids->number[m]);
		put_column(o, g, row, m);
	}
}

static void put_bucket(struct code_out *o, const struct grid *g, const struct grid_hist *h,
		       const uint32_t *count)
{
	int64_t x[GRID_SECONDS_MAX];
	size_t n = 0;

	for (size_t t = 0; t < g->n; t++)
		if (h->present[t])
			x[n++] = count[t];
	code_put_ints(o, x, n);
}

static void put_hist(struct code_out *o, const struct grid *g, const struct grid_row *row, int hist)
{
	const struct grid_hist *h = row->hist[hist];
	size_t buckets = grid_hist_buckets(hist), used = 0, next = 0;

	code_put_byte(o, row->family);
	put_name(o, row->instance);
	code_put_byte(o, (unsigned int)hist);
	put_presence(o, h->present, g->n);
	for (size_t b = 0; b < buckets; b++)
		used += h->bucket[b] != NULL;
	code_put_unsigned(o, used);
	for (size_t b = 0; b < buckets; b++) {
		if (!h->bucket[b])
			continue;
		code_put_unsigned(o, b - next);
		next = b + 1;
		put_bucket(o, g, h, h->bucket[b]);
	}
}

static size_t count_hists(const struct grid *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_all; i++)
		for (int h = 0; h < GRID_HISTS; h++)
			n += g->all[i]->hist[h] != NULL;
	return n;
}

static void put_hists(struct code_out *o, const struct grid *g, size_t n)
{
	code_put_unsigned(o, n);
	for (size_t i = 0; i < g->n_all; i++)
		for (int h = 0; h < GRID_HISTS; h++)
			if (g->all[i]->hist[h])
				put_hist(o, g, g->all[i], h);
}

/* The interval is what the clock went on by since the second before, as a rule. */
static void put_intervals(struct code_out *o, const struct grid *g)
{
	int64_t state[GRID_SECONDS_MAX], x[GRID_SECONDS_MAX], before = 0;
	size_t n = 0;

	for (size_t t = 0; t < g->n; t++) {
		double v = g->time[t].interval_s;
		int64_t ns = fabs(v) < 1e6 ? ns_of_s(v) : 0;

		state[t] = isnan(v) ? STATE_NAN : s_of_ns(ns) == v ? STATE_CODED : STATE_RAW;
		if (state[t] == STATE_CODED)
			x[n++] = (int64_t)((uint64_t)ns -
					   ((uint64_t)g->time[t].mono_ns - (uint64_t)before));
		before = g->time[t].mono_ns;
	}
	code_put_ints(o, state, g->n);
	for (size_t t = 0; t < g->n; t++)
		if (state[t] == STATE_RAW)
			code_put_double(o, g->time[t].interval_s);
	code_put_ints(o, x, n);
}

static void put_head(struct code_out *o, const struct grid *g, unsigned int sections)
{
	int64_t x[5][GRID_SECONDS_MAX];

	for (size_t t = 0; t < g->n; t++) {
		const struct grid_time *at = &g->time[t];

		x[0][t] = at->wall_ns;
		x[1][t] = at->seq;
		x[2][t] = at->mono_ns;
		/* What is left over changes with the clocks' rates only. */
		x[3][t] = (int64_t)((uint64_t)at->late_ns + (uint64_t)at->wall_ns -
				    (uint64_t)at->mono_ns);
		x[4][t] = at->lost;
	}
	code_put_unsigned(o, (uint64_t)g->boot);
	code_put_unsigned(o, g->n);
	code_put_unsigned(o, sections);
	for (int i = 0; i < 5; i++)
		code_put_ints(o, x[i], g->n);
	put_intervals(o, g);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int finish(struct code_out *o, int level)
{
	if (o->failed)
		return -ENOMEM;
	return o->len > SECTION_MAX ? -E2BIG : series_zip(o, level);
}

static struct code_out *begin(struct series_packed *p, int section, int64_t id)
{
	struct code_out *o = &p->section[section];

	code_put_unsigned(o, (uint64_t)id);
	code_put_byte(o, (unsigned int)section);
	return o;
}

int series_pack(struct series_packed *p, const struct grid *g, const struct series_metrics *m,
		int64_t id, int level)
{
	size_t hists = count_hists(g);
	unsigned int sections = 1U << SEC_HEAD;
	struct code_out *o;
	int err = 0;

	memset(p, 0, sizeof(*p));
	for (int f = 0; f < FAM_COUNT; f++) {
		if (!g->n_rows[f])
			continue;
		sections |= 1U << f;
		o = begin(p, f, id);
		code_put_unsigned(o, g->n_rows[f]);
		for (size_t i = 0; i < g->n_rows[f]; i++)
			put_row(o, g, m, g->rows[f][i]);
	}
	if (hists) {
		sections |= 1U << SEC_HIST;
		put_hists(begin(p, SEC_HIST, id), g, hists);
	}
	put_head(begin(p, SEC_HEAD, id), g, sections);
	for (int s = 0; !err && s < SECTIONS; s++)
		if (p->section[s].len || p->section[s].failed)
			err = finish(&p->section[s], level);
	if (err)
		series_packed_release(p);
	return err;
}
