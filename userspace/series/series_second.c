// SPDX-License-Identifier: BSD-2-Clause
/* One second by itself: the sections of a chunk that is one second long, with the names of its metrics. */
#include "series_grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Memory of a second's columns. 128 busy disks with 256 remote hosts take 4 MB. */
#define PACK_LIMIT   ((size_t)1 << 30)
#define UNPACK_LIMIT ((size_t)64 << 20)

struct known_metric {
	uint32_t check;
	int metric;
};

struct series_second {
	struct grid g;
	struct series_inflater inflater;
	uint32_t check[M_COUNT];
	struct known_metric by_check[M_COUNT];
	bool unwanted[M_COUNT];
	struct series_metric_def *def;
	size_t cap;
	/* What a callback is given. */
	struct series_time time;
	struct second_row row;
	struct grid_hists hists;
};

/* ---- metrics by name ------------------------------------------------------------------------ */

static uint32_t metric_check(const struct metric *m)
{
	bool rate = m->kind == KIND_RATE;
	char text[160];
	int n = snprintf(text, sizeof(text), "%s %s %s %.17g", metric_family_names[m->family],
			 m->name, rate ? "rate" : "gauge", rate ? m->per : 1);

	return (uint32_t)crc32(0, (const unsigned char *)text, (uInt)n);
}

static int by_check(const void *a, const void *b)
{
	const struct known_metric *x = a, *y = b;

	return ORDER(x->check, y->check);
}

static int metric_of(const struct series_second *x, uint32_t check)
{
	size_t at = search_first(i, M_COUNT, x->by_check[i].check < check);
	int metric;

	if (at == M_COUNT || x->by_check[at].check != check)
		return METRIC_UNKNOWN;
	metric = x->by_check[at].metric;
	return x->unwanted[metric] ? metric_unwanted(metric) : metric;
}

/* ---- life ----------------------------------------------------------------------------------- */

int series_second_new(struct series_second **out)
{
	struct series_second *x = calloc(1, sizeof(*x));

	*out = x;
	if (!x)
		return series_no_memory();
	for (int m = 0; m < M_COUNT; m++) {
		x->check[m] = metric_check(&metrics[m]);
		x->by_check[m] = (struct known_metric){x->check[m], m};
	}
	sort(x->by_check, M_COUNT, by_check);
	return 0;
}

void series_second_free(struct series_second *x)
{
	if (!x)
		return;
	grid_release(&x->g);
	series_inflater_release(&x->inflater);
	free(x->def);
	free(x);
}

void series_second_want(struct series_second *x, const bool *wanted)
{
	for (int m = 0; m < M_COUNT; m++)
		x->unwanted[m] = wanted && !wanted[m];
}

/* ---- packing -------------------------------------------------------------------------------- */

/* Gives those that any row has their numbers, and names them. */
static void put_metrics(struct series_second *x, struct series_metrics *ids, struct code_out *o)
{
	const struct grid *g = &x->g;
	uint64_t n = 0;

	memset(ids->number, 0, sizeof(ids->number));
	for (size_t i = 0; i < g->n_all; i++)
		for (int m = metric_first[g->all[i]->family];
		     m < metric_first[g->all[i]->family + 1]; m++)
			if (grid_values(g->all[i], m))
				ids->number[m] = 1;
	for (int m = 0; m < M_COUNT; m++)
		if (ids->number[m])
			ids->number[m] = (int)++n;
	code_put_unsigned(o, n);
	for (int m = 0; m < M_COUNT; m++)
		for (int i = 0; ids->number[m] && i < 4; i++)
			code_put_byte(o, x->check[m] >> 8 * i & 0xff);
}

static void put_blob(struct code_out *o, int section, const struct code_out *blob)
{
	code_put_byte(o, (unsigned int)section);
	code_put_unsigned(o, blob->len);
	code_put_bytes(o, blob->at, blob->len);
}

int series_second_pack(struct series_second *x, const struct second *s, int64_t boot, int level,
		       struct text *to)
{
	struct series_packed p = {0};
	struct series_metrics ids;
	struct code_out o = {0};
	int err = grid_renew(&x->g, 1, PACK_LIMIT);

	x->g.boot = boot;
	if (!err)
		err = grid_add(&x->g, s);
	if (!err) {
		put_metrics(x, &ids, &o);
		err = series_pack(&p, &x->g, &ids, 0, level);
	}
	for (int i = 0; !err && i < SECTIONS; i++)
		if (p.section[i].len)
			put_blob(&o, i, &p.section[i]);
	if (!err && o.failed)
		err = -ENOMEM;
	if (!err)
		text_put_bytes(to, (const char *)o.at, o.len);
	code_out_release(&o);
	series_packed_release(&p);
	if (err == -ENOMEM || to->failed)
		return series_no_memory();
	return err ? series_fail(err, "second %llu %s", (unsigned long long)s->seq,
				 err == -EEXIST ? "has two rows of one instance"
						: "is larger than any can be")
		   : 0;
}

/* ---- unpacking ------------------------------------------------------------------------------ */

static int get_metrics(struct series_second *x, struct series_metrics *ids, struct code_in *in)
{
	size_t n = code_get_below(in, METRIC_NUMBERS_MAX - 1);
	const unsigned char *at = code_get_bytes(in, 4 * n);

	if (in->bad || (n && !at))
		return -EBADMSG;
	if (array_extend(&x->def, x->cap, n + 1))
		return -ENOMEM;
	x->cap = n + 1 > x->cap ? n + 1 : x->cap;
	*ids = (struct series_metrics){.def = x->def, .n = n + 1};
	x->def[0] = (struct series_metric_def){.metric = METRIC_NONE};
	for (size_t i = 0; i < n; i++, at += 4) {
		uint32_t check = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
				 (uint32_t)at[3] << 24;
		int metric = metric_of(x, check);
		int m = metric <= METRIC_FIRST_UNWANTED ? metric_unwanted(metric) : metric;

		x->def[i + 1] = (struct series_metric_def){
			.metric = metric,
			.rate = m >= 0 && metrics[m].kind == KIND_RATE,
			.per = m >= 0 ? metrics[m].per : 1,
		};
	}
	return 0;
}

static int get_blobs(struct code_in *in, struct series_blob b[SECTIONS])
{
	while (!in->bad && in->at < in->end) {
		unsigned int section = code_get_byte(in);
		size_t len = code_get_below(in, (uint64_t)(in->end - in->at));
		const void *at = code_get_bytes(in, len);

		if (in->bad || !len || (section < SECTIONS && b[section].len))
			return -EBADMSG;
		if (section < SECTIONS)
			b[section] = (struct series_blob){at, len};
	}
	return in->bad ? -EBADMSG : 0;
}

static int get_second(struct series_second *x, struct code_in *in)
{
	const unsigned int hists = HIST_LAT | HIST_DEV | HIST_RUNQ;
	struct series_blob b[SECTIONS] = {{0}};
	struct series_metrics ids;
	struct grid *g = &x->g;
	int err = get_metrics(x, &ids, in);
	size_t n;

	if (!err)
		err = get_blobs(in, b);
	if (!err)
		err = series_unpack_head(g, &b[SEC_HEAD], 0, &n);
	for (int i = 0; !err && i < SECTIONS; i++) {
		if (!b[i].len != !(g->sections & 1U << i))
			err = -EBADMSG;
		else if (i != SEC_HEAD && b[i].len)
			err = series_unpack_section(g, &ids, i, &b[i], 0, 0, 1, hists);
		if (!err && i < FAM_COUNT && g->n_rows[i] > GRID_ROWS_MAX)
			err = -EBADMSG;
	}
	return err;
}

int series_second_unpack(struct series_second *x, const void *at, size_t len)
{
	struct code_in in = {.at = at, .end = (const unsigned char *)at + len};
	const struct grid_time *t;
	int err = grid_renew(&x->g, 1, UNPACK_LIMIT);

	x->g.inflater = &x->inflater;
	x->g.newer = true;
	if (!err)
		err = get_second(x, &in);
	if (err == -ENOMEM && !x->g.full)
		return series_no_memory();
	if (err) {
		x->g.n = 0;
		return series_fail(-EBADMSG, "the second is damaged");
	}
	t = x->g.time;
	x->time = (struct series_time){.wall_ns = t->wall_ns,
				       .mono_ns = (uint64_t)t->mono_ns,
				       .seq = (uint64_t)t->seq,
				       .lost = (uint64_t)t->lost,
				       .interval_s = t->interval_s,
				       .boot = x->g.boot};
	return 0;
}

const struct series_time *series_second_time(const struct series_second *x)
{
	return &x->time;
}

static void give_row(struct series_second *x, const struct grid_row *from, unsigned int hists)
{
	struct second_row *row = &x->row;

	second_row_init(row, from->family, from->instance);
	for (int k = 0; k < metric_first[from->family + 1] - metric_first[from->family]; k++)
		if (from->column[k])
			row->values[k] = *from->column[k];
	grid_give_hists(&x->hists, row, from, 0);
	row->lat = hists & HIST_LAT ? row->lat : NULL;
	row->dev = hists & HIST_DEV ? row->dev : NULL;
	row->runq = hists & HIST_RUNQ ? row->runq : NULL;
}

int series_second_rows(struct series_second *x, unsigned int hists, series_row_fn fn, void *arg)
{
	const struct grid *g = &x->g;
	int err = 0;

	for (int f = 0; f < FAM_COUNT && g->n; f++)
		for (size_t i = 0; !err && i < g->n_rows[f]; i++) {
			if (!*g->rows[f][i]->present)
				continue;
			give_row(x, g->rows[f][i], hists);
			err = fn(arg, &x->time, &x->row);
		}
	return err;
}
