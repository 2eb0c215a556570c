// SPDX-License-Identifier: BSD-2-Clause
/*
 * series_grid.h: any bytes in the sections of a chunk are refused, or are seconds that are packed
 * and unpacked again to the same; of some metrics only, to the same values. The checksums of zlib are made here, for no mutation would come
 * past them. An input is, for the head and then each of the other sections: a length of two bytes
 * (little endian), and so many bytes.
 */
#include "fuzz.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/series/series.h"
#include "userspace/series/series_grid.h"

#define LIMIT ((size_t)32 << 20)

struct input {
	const uint8_t *at, *end;
};

/* The next section of the input as a blob of a chunk. */
static struct code_out next_blob(struct input *in, int64_t id, int section)
{
	struct code_out o = {0};
	size_t left = (size_t)(in->end - in->at), n = 0;

	if (left >= 2) {
		n = in->at[0] | (size_t)in->at[1] << 8;
		in->at += 2;
		n = n < left - 2 ? n : left - 2;
	}
	code_put_unsigned(&o, (uint64_t)id);
	code_put_byte(&o, (unsigned int)section);
	code_put_bytes(&o, in->at, n);
	in->at += n;
	MUST(!series_zip(&o, 0));
	return o;
}

static void check_err(const struct grid *g, int err)
{
	MUST(!getenv("FUZZ_TAKEN"));
	MUST(err == -EBADMSG || (err == -ENOMEM && g->full));
}

static void check_time(const struct grid *g, size_t n)
{
	MUST(n >= 1 && n <= GRID_SECONDS && g->n == n);
	for (size_t t = 0; t < n; t++) {
		const struct grid_time *a = &g->time[t];

		MUST(a->wall_ns >= 0 && a->seq >= 0 && a->mono_ns >= 0 && a->lost >= 0);
		MUST(!isinf(a->interval_s));
		MUST(!t || (a->wall_ns >= a[-1].wall_ns && a->seq > a[-1].seq));
	}
}

static void check_row(const struct grid *g, const struct grid_row *row)
{
	MUST(series_instance_valid(row->instance) && row->device >= 0);
	for (int m = 0; m < M_COUNT; m++) {
		if (!grid_values(row, m))
			continue;
		MUST(metrics[m].family == row->family);
		for (size_t t = 0; t < g->n; t++)
			MUST(!row->present[t] || !isinf(grid_values(row, m)[t]));
	}
	for (int h = 0; h < GRID_HISTS; h++)
		for (size_t t = 0; row->hist[h] && t < g->n; t++)
			MUST(row->hist[h]->present[t] <= row->present[t]);
}

static void compare_values(const struct grid *g, const struct grid_row *a, const struct grid_row *b,
			   int m)
{
	for (size_t t = 0; t < g->n; t++) {
		double x = grid_values(a, m)[t], y = grid_values(b, m)[t];
		double within = metrics[m].kind == KIND_RATE ? 1e-9 : 1.0 / 65536;

		MUST(a->present[t] == b->present[t]);
		if (a->present[t])
			MUST(isnan(x) ? isnan(y) : fabs(x - y) <= within * fabs(x));
	}
}

/* Both hold the same seconds, within what the coding promises. */
static void compare(const struct grid *a, const struct grid *b)
{
	MUST(a->n == b->n && a->boot == b->boot && a->n_all == b->n_all);
	for (size_t t = 0; t < a->n; t++) {
		double x = a->time[t].interval_s, y = b->time[t].interval_s;

		MUST(a->time[t].wall_ns == b->time[t].wall_ns && a->time[t].seq == b->time[t].seq &&
		     a->time[t].lost == b->time[t].lost &&
		     a->time[t].mono_ns == b->time[t].mono_ns &&
		     a->time[t].late_ns == b->time[t].late_ns);
		MUST(x == y || (isnan(x) && isnan(y)));
	}
	for (size_t i = 0; i < a->n_all; i++) {
		MUST(a->all[i]->family == b->all[i]->family &&
		     !strcmp(a->all[i]->instance, b->all[i]->instance) &&
		     a->all[i]->device == b->all[i]->device);
		for (int m = 0; m < M_COUNT; m++) {
			MUST(!grid_values(a->all[i], m) == !grid_values(b->all[i], m));
			if (grid_values(a->all[i], m))
				compare_values(a, a->all[i], b->all[i], m);
		}
	}
}

static int unpack(struct grid *g, const struct series_metrics *m, const struct series_packed *p,
		  int64_t id, unsigned int hists)
{
	struct series_blob blob = {p->section[SEC_HEAD].at, p->section[SEC_HEAD].len};
	size_t n;
	int err = series_unpack_head(g, &blob, id, &n);

	if (!err)
		check_time(g, n);
	for (int s = 0; !err && s < SECTIONS; s++) {
		if (s == SEC_HEAD || !(g->sections & 1U << s))
			continue;
		blob = (struct series_blob){p->section[s].at, p->section[s].len};
		err = series_unpack_section(g, m, s, &blob, id, 0, n, hists);
	}
	return err;
}

/* What was read can be written, and reads as the same. */
static void round_trip(const struct grid *g, const struct series_metrics *m)
{
	struct series_packed p;
	struct grid again = {0};

	if (series_pack(&p, g, m, 7, 1)) /* beyond SECTION_MAX */
		return;
	MUST(!grid_init(&again, GRID_SECONDS, (size_t)1 << 30));
	MUST(!unpack(&again, m, &p, 7, (1U << GRID_HISTS) - 1));
	compare(g, &again);
	grid_release(&again);
	series_packed_release(&p);
}

/* Unpacked again, with every third metric unwanted, what is there is the same; g: all of it. */
static void compare_wanted(const struct grid *g, struct series_metrics *m,
			   const struct series_packed *p)
{
	struct grid some = {0};

	for (size_t i = 3; i < m->n; i += 3)
		m->def[i].metric = metric_unwanted(m->def[i].metric);
	MUST(!grid_init(&some, GRID_SECONDS, LIMIT + (1 << 20)));
	MUST(!unpack(&some, m, p, 3, (1U << GRID_HISTS) - 1));
	for (size_t i = 0; i < some.n_all; i++)
		for (int k = 0; k < M_COUNT; k++)
			MUST(!grid_values(some.all[i], k) ==
			     (!grid_values(g->all[i], k) || m->def[k + 1].metric != k));
	/* What has no column is taken from what has: then both must be the same. */
	for (size_t i = 0; i < some.n_all && i < g->n_all; i++)
		for (int k = 0; k < METRICS_OF_FAMILY; k++)
			if (!some.all[i]->column[k])
				some.all[i]->column[k] = g->all[i]->column[k];
	compare(g, &some);
	grid_release(&some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct series_metric_def def[M_COUNT + 1];
	struct series_metrics m = {0};
	struct series_packed p = {0};
	struct grid g = {0};
	int err;

	series_metrics_own(&m, def);
	p.section[SEC_HEAD] = next_blob(&in, 3, SEC_HEAD);
	for (int s = 0; s < SECTIONS; s++)
		if (s != SEC_HEAD)
			p.section[s] = next_blob(&in, 3, s);
	MUST(!grid_init(&g, GRID_SECONDS, LIMIT));
	err = unpack(&g, &m, &p, 3, (1U << GRID_HISTS) - 1);
	MUST(g.used <= LIMIT);
	if (err) {
		check_err(&g, err);
	} else {
		for (size_t i = 0; i < g.n_all; i++)
			check_row(&g, g.all[i]);
		round_trip(&g, &m);
		compare_wanted(&g, &m, &p);
	}
	grid_release(&g);
	series_packed_release(&p);
	return 0;
}
