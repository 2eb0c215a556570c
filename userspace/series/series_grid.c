// SPDX-License-Identifier: BSD-2-Clause
/* Seconds by columns, in memory that is given back at once. */
#include "series_grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

#define BLOCK_SIZE 65536
/* What is kept for the next chunk. */
#define SPARE_BLOCKS 32
#define SPARE_ROWS   4096

struct grid_block {
	struct grid_block *next;
	size_t size, used;
	_Alignas(16) unsigned char at[];
};

int grid_init(struct grid *g, size_t cap, size_t limit)
{
	memset(g, 0, sizeof(*g));
	g->cap = cap;
	g->limit = limit;
	g->time = grid_alloc(g, cap * sizeof(*g->time));
	return g->time ? 0 : -ENOMEM;
}

static void free_blocks(struct grid_block **list)
{
	while (*list) {
		struct grid_block *next = (*list)->next;

		free(*list);
		*list = next;
	}
}

/* Blocks of the usual size go to those that are spare, others are freed. */
static void spare_blocks(struct grid *g)
{
	size_t n = 0;

	for (struct grid_block *b = g->spare; b; b = b->next)
		n++;
	while (g->blocks) {
		struct grid_block *b = g->blocks;

		g->blocks = b->next;
		if (b->size != BLOCK_SIZE || n++ >= SPARE_BLOCKS) {
			free(b);
			continue;
		}
		b->used = 0;
		b->next = g->spare;
		g->spare = b;
	}
}

int grid_renew(struct grid *g, size_t cap, size_t limit)
{
	struct grid was = *g;

	if (was.cap_all > SPARE_ROWS) {
		grid_release(g);
		return grid_init(g, cap, limit);
	}
	spare_blocks(g);
	*g = (struct grid){.cap = cap,
			   .limit = limit,
			   .spare = g->spare,
			   .inflater = was.inflater,
			   .by_name = was.by_name,
			   .all = was.all,
			   .cap_all = was.cap_all};
	memcpy(g->rows, was.rows, sizeof(g->rows));
	memcpy(g->cap_rows, was.cap_rows, sizeof(g->cap_rows));
	map_clear(&g->by_name);
	g->time = grid_alloc(g, cap * sizeof(*g->time));
	return g->time ? 0 : -ENOMEM;
}

void grid_release(struct grid *g)
{
	free_blocks(&g->blocks);
	free_blocks(&g->spare);
	for (int f = 0; f < FAM_COUNT; f++)
		free(g->rows[f]);
	free(g->all);
	map_release(&g->by_name);
	memset(g, 0, sizeof(*g));
}

void *grid_alloc(struct grid *g, size_t size)
{
	struct grid_block *b = g->blocks;
	void *at;

	size = (size + 15) & ~(size_t)15;
	if (size > g->limit - g->used) {
		g->full = 1;
		return NULL;
	}
	if (!b || size > b->size - b->used) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		b = room == BLOCK_SIZE ? g->spare : NULL;
		if (b)
			g->spare = b->next;
		else
			b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		*b = (struct grid_block){.next = g->blocks, .size = room};
		g->blocks = b;
	}
	at = b->at + b->used;
	b->used += size;
	g->used += size;
	return memset(at, 0, size);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint64_t row_hash(enum metric_family family, const char *instance)
{
	return map_hash_after((uint64_t)family, instance, strlen(instance));
}

static struct grid_row *row_find(const struct grid *g, enum metric_family family,
				 const char *instance, uint64_t hash)
{
	size_t at = map_find(i, &g->by_name, hash,
			     g->all[i]->family == family && !strcmp(g->all[i]->instance, instance));

	return at == MAP_NONE ? NULL : g->all[at];
}

/* To all, and to those of its family. */
static int list_row(struct grid *g, struct grid_row *row, uint64_t hash)
{
	int f = (int)row->family;
	struct grid_row **of_family = array_refill(&g->rows[f], &g->n_rows[f], &g->cap_rows[f]);
	struct grid_row **of_all;

	if (!of_family)
		return -ENOMEM;
	of_all = array_refill(&g->all, &g->n_all, &g->cap_all);
	if (!of_all || map_add(&g->by_name, hash)) {
		g->n_all -= of_all != NULL;
		g->n_rows[f]--;
		return -ENOMEM;
	}
	*of_family = *of_all = row;
	return 0;
}

struct grid_row *grid_row_find(struct grid *g, enum metric_family family, const char *instance)
{
	return row_find(g, family, instance, row_hash(family, instance));
}

struct grid_row *grid_row_get(struct grid *g, enum metric_family family, const char *instance)
{
	uint64_t hash = row_hash(family, instance);
	struct grid_row *row = row_find(g, family, instance, hash);

	if (row)
		return row;
	row = grid_alloc(g, sizeof(*row));
	if (!row)
		return NULL;
	row->family = family;
	snprintf(row->instance, sizeof(row->instance), "%s", instance);
	row->present = grid_alloc(g, g->cap);
	return row->present && !list_row(g, row, hash) ? row : NULL;
}

void grid_drop_absent(struct grid *g, enum metric_family family)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_rows[family]; i++)
		if (memchr(g->rows[family][i]->present, 1, g->n))
			g->rows[family][n++] = g->rows[family][i];
	g->n_rows[family] = n;
}

double *grid_column(struct grid *g, struct grid_row *row, int metric)
{
	double **v = &row->column[metric - metric_first[row->family]];

	if (*v)
		return *v;
	*v = grid_alloc(g, g->cap * sizeof(**v));
	for (size_t t = 0; *v && t < g->cap; t++)
		(*v)[t] = NAN;
	return *v;
}

/* ---- histograms ----------------------------------------------------------------------------- */

size_t grid_hist_buckets(int hist)
{
	return 1 << hist == HIST_RUNQ ? RUNQ_BUCKETS : LAT_FLAT;
}

enum metric_family grid_hist_family(int hist)
{
	return 1 << hist == HIST_RUNQ ? FAM_HOST : FAM_DISK;
}

struct grid_hist *grid_hist_get(struct grid *g, struct grid_row *row, int hist)
{
	struct grid_hist *h = row->hist[hist];

	if (h)
		return h;
	h = grid_alloc(g, sizeof(*h));
	if (!h)
		return NULL;
	h->present = grid_alloc(g, g->cap);
	h->bucket = grid_alloc(g, grid_hist_buckets(hist) * sizeof(*h->bucket));
	if (!h->present || !h->bucket)
		return NULL;
	row->hist[hist] = h;
	return h;
}

uint32_t *grid_bucket(struct grid *g, struct grid_hist *h, size_t bucket)
{
	if (!h->bucket[bucket])
		h->bucket[bucket] = grid_alloc(g, g->cap * sizeof(**h->bucket));
	return h->bucket[bucket];
}

void grid_give_hists(struct grid_hists *to, struct second_row *row, const struct grid_row *from,
		     size_t t)
{
	uint32_t *flat[GRID_HISTS] = {&to->lat.n[0][0][0], &to->dev.n[0][0][0], to->runq.n};
	int there[GRID_HISTS];

	for (int h = 0; h < GRID_HISTS; h++) {
		there[h] = from->hist[h] && from->hist[h]->present[t];
		if (there[h])
			grid_get_hist(from, h, t, flat[h]);
	}
	row->lat = there[0] ? &to->lat : NULL;
	row->dev = there[1] ? &to->dev : NULL;
	row->runq = there[2] ? &to->runq : NULL;
}

static int add_hist(struct grid *g, struct grid_row *row, int hist, const uint32_t *flat)
{
	struct grid_hist *h = grid_hist_get(g, row, hist);
	uint32_t *bucket;

	if (!h)
		return -ENOMEM;
	h->present[g->n] = 1;
	for (size_t b = 0; b < grid_hist_buckets(hist); b++) {
		if (!flat[b])
			continue;
		bucket = grid_bucket(g, h, b);
		if (!bucket)
			return -ENOMEM;
		bucket[g->n] = flat[b];
	}
	return 0;
}

void grid_get_hist(const struct grid_row *row, int hist, size_t t, uint32_t *flat)
{
	const struct grid_hist *h = row->hist[hist];

	for (size_t b = 0; b < grid_hist_buckets(hist); b++)
		flat[b] = h->bucket[b] ? h->bucket[b][t] : 0;
}

/* ---- seconds -------------------------------------------------------------------------------- */

static int add_row(struct grid *g, const struct second_row *from)
{
	const uint32_t *flat[GRID_HISTS] = {from->lat ? &from->lat->n[0][0][0] : NULL,
					    from->dev ? &from->dev->n[0][0][0] : NULL,
					    from->runq ? from->runq->n : NULL};
	char name[INSTANCE_LEN];
	struct grid_row *row;
	double *v;
	int err = 0;

	series_copy_name(name, from->instance);
	row = grid_row_get(g, from->family, name);
	if (!row)
		return -ENOMEM;
	if (row->present[g->n])
		return -EEXIST;
	row->present[g->n] = 1;
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++) {
		if (!isfinite(second_value(from, m)))
			continue;
		v = grid_column(g, row, m);
		if (!v)
			return -ENOMEM;
		v[g->n] = second_value(from, m);
	}
	for (int h = 0; !err && h < GRID_HISTS; h++)
		if (flat[h] && grid_hist_family(h) == from->family)
			err = add_hist(g, row, h, flat[h]);
	return err;
}

int grid_add(struct grid *g, const struct second *s)
{
	int err = 0;

	g->time[g->n] = (struct grid_time){.seq = (int64_t)s->seq,
					   .wall_ns = s->wall_ns,
					   .mono_ns = (int64_t)s->mono_ns,
					   .late_ns = s->late_ns,
					   .lost = (int64_t)s->lost,
					   .interval_s = s->interval_s};
	for (size_t i = 0; !err && i < s->n_rows; i++)
		err = add_row(g, &s->rows[i]);
	if (!err)
		g->n++;
	return err;
}
