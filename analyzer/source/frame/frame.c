// SPDX-License-Identifier: BSD-2-Clause
/* The frame apart from where its cells come from: parts, names, counts. */
#include "frame.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

int64_t frame_time(const struct frame *f, size_t column)
{
	return f->first_ns + (int64_t)column * f->interval_ms * 1000000;
}

void frame_name(struct frame_metric *m, const char *name)
{
	int known = metric_by_name(name);

	*m = (struct frame_metric){
		.known = known, .unit = "", .worse = WORSE_EITHER, .decimals = 3};
	snprintf(m->name, sizeof(m->name), "%s", name);
	if (known < 0)
		return;
	m->unit = metrics[known].unit;
	m->worse = metrics[known].worse;
	m->floor = metrics[known].floor;
	m->decimals = metrics[known].decimals;
}

const struct frame_metric *frame_metric(const struct frame *f, size_t metric)
{
	static const struct frame_metric all = {
		.name = "all metrics", .known = -1, .unit = "", .worse = WORSE_EITHER};

	return metric < f->n_metrics ? &f->metrics[metric] : &all;
}

size_t frame_find(const struct frame *f, const char *name)
{
	for (size_t m = 0; m < f->n_metrics; m++)
		if (!strcmp(f->metrics[m].name, name))
			return m;
	return SIZE_MAX;
}

int frame_open(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	int err = -ENOMEM;

	*f = (struct frame){.cells = calloc(1, sizeof(*f->cells))};
	if (f->cells) {
		f->cells->threads = o->threads;
		err = s->tabular ? frame_open_table(f, s, o) : frame_open_series(f, s, o);
	}
	if (!err) {
		f->row = calloc(f->n_nodes + 1, sizeof(*f->row));
		f->n_seen = calloc(f->n_nodes + 1, sizeof(*f->n_seen));
		err = f->row && f->n_seen ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < f->n_nodes && !err; i++)
		f->row[i] = i;
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		frame_release(f);
	return err;
}

static void cells_release(struct frame_cells *c, size_t n_metrics)
{
	for (size_t m = 0; c->v && m < n_metrics; m++)
		free(c->v[m]);
	free(c->v);
	free(c->there);
	c->v = NULL;
	c->there = NULL;
	c->stride = 0;
}

int frame_cells_make(struct frame *f, size_t columns)
{
	struct frame_cells *c = f->cells;
	size_t cells = columns * f->n_nodes + 1;

	cells_release(c, f->n_metrics);
	c->v = calloc(f->n_metrics + 1, sizeof(*c->v));
	c->there = malloc(cells);
	if (!c->v || !c->there)
		return -ENOMEM;
	for (size_t m = 0; m < f->n_metrics; m++) {
		c->v[m] = malloc(cells * sizeof(double));
		if (!c->v[m])
			return -ENOMEM;
	}
	c->stride = columns;
	return 0;
}

void frame_cells_clear(struct frame *f)
{
	struct frame_cells *c = f->cells;
	size_t cells = c->stride * f->n_nodes;

	memset(c->there, 0, cells);
	for (size_t m = 0; m < f->n_metrics; m++)
		for (size_t i = 0; i < cells; i++)
			c->v[m][i] = NAN;
}

void frame_release(struct frame *f)
{
	free(f->nodes);
	free(f->row);
	if (!f->part) {
		free(f->n_seen);
		if (f->cells)
			cells_release(f->cells, f->n_metrics);
		free(f->cells);
		free(f->metrics);
	}
	*f = (struct frame){0};
}

/* What is new in the slice counts once. */
static void count_seen(struct frame *f)
{
	struct frame_cells *c = f->cells;
	size_t from = c->next > c->at ? c->next : c->at, to = c->at + c->held;

	for (size_t i = 0; i < f->n_nodes; i++) {
		const uint8_t *there = c->there + i * c->stride + c->offset;

		for (size_t t = from; t < to; t++)
			f->n_seen[i] += there[t - c->at] != 0;
	}
	c->next = to > c->next ? to : c->next;
}

int frame_slice(struct frame *f, size_t from, size_t to)
{
	int err;

	to = to < f->n_times ? to : f->n_times;
	from = from < to ? from : to;
	if (f->cells->whole) {
		f->cells->at = f->cells->offset = from;
		f->cells->held = to - from;
		err = 0;
	} else {
		err = frame_slice_series(f, from, to);
	}
	if (err == -ENOMEM)
		fail("out of memory");
	if (!err)
		count_seen(f);
	return err;
}

size_t frame_columns(const struct frame *f, size_t bytes)
{
	size_t column = f->n_nodes * (f->n_metrics * sizeof(double) + 1);
	size_t n = bytes / (column ? column : 1);

	return n ? n : 1;
}

int frame_part(struct frame *part, const struct frame *whole, const size_t *nodes, size_t n)
{
	*part = *whole;
	part->part = true;
	part->n_nodes = n;
	part->nodes = calloc(n + 1, sizeof(*part->nodes));
	part->row = calloc(n + 1, sizeof(*part->row));
	if (!part->nodes || !part->row) {
		frame_release(part);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(part->nodes[i], whole->nodes[nodes[i]], HOST_LEN);
		part->row[i] = whole->row[nodes[i]];
	}
	return 0;
}

size_t frame_common(const struct frame *f, size_t from, size_t to, uint32_t nodes)
{
	const struct frame_cells *c = f->cells;
	size_t n = 0;

	for (size_t t = from; t < to; t++) {
		uint32_t there = 0;

		for (size_t i = 0; i < f->n_nodes && there < nodes; i++)
			there += c->there[f->row[i] * c->stride + c->offset + t - c->at] != 0;
		n += there >= nodes;
	}
	return n;
}

bool frame_has(const struct frame *f, size_t node)
{
	return f->n_seen && f->n_seen[f->row[node]] > 0;
}

size_t frame_alive(const struct frame *f)
{
	return count_if(i, f->n_nodes, frame_has(f, i));
}

void frame_report(const struct frame *f)
{
	if (f->duplicates && f->cells->whole)
		printf("%llu values do not count: a server has several of one metric at one time, "
		       "and the first counts\n(several disks: --instance; servers of one name: "
		       "--node @file)\n",
		       (unsigned long long)f->duplicates);
	else if (f->duplicates)
		printf("%llu seconds were recorded more than once (clock set back?): the last "
		       "counts\n",
		       (unsigned long long)f->duplicates);
	if (f->lost)
		printf("%llu records were lost by the probes\n", (unsigned long long)f->lost);
	if (f->damaged)
		printf("%llu values are damaged and count as missing\n",
		       (unsigned long long)f->damaged);
}
