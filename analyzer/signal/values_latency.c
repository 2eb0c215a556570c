// SPDX-License-Identifier: BSD-2-Clause
/* The values of latency signals in the window now held: cells of equal load, and whole histograms. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/inside.h"

static double bucket_ms(double units)
{
	return units * (1 << LAT_SHIFT) / 1e6;
}

/* The mean of a histogram, taking the middle of each bucket, in its unit. */
static double hist_mean(const uint64_t *at, uint64_t count)
{
	double sum = 0;

	for (unsigned int b = 0; b < LAT_BUCKETS; b++)
		if (at[b])
			sum += (double)at[b] *
			       ((double)bucket_low(b, LAT_SUB_BITS) +
				(double)bucket_low(b + 1, LAT_SUB_BITS)) /
			       2;
	return sum / (double)count;
}

struct piece {
	uint32_t id;
	const struct interval_lat *lat;
};

static int by_id(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void add_lat(uint64_t at[LAT_BUCKETS], const struct interval_lat *l)
{
	for (unsigned int b = 0; b < l->n; b++)
		at[l->first + b] += l->at[b];
}

static int put_cell(struct robust *r, uint32_t id, const uint64_t *at, uint64_t count, bool mean)
{
	double q;

	if (r->n_cells == r->cap_cells) {
		size_t cap = r->cap_cells ? 2 * r->cap_cells : 1024;
		struct cell *more = realloc(r->cells, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->cells = more;
		r->cap_cells = cap;
	}
	q = mean ? hist_mean(at, count) : hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5);
	/* what is faster than the histogram's unit counts as half of it */
	r->cells[r->n_cells++] = (struct cell){id, log(bucket_ms(fmax(q, 0.5))), (double)count};
	return 0;
}

/* The cells of the pieces, which are in order: for each class its loads, then all together. */
static int put_cells(struct robust *r, const struct piece *p, size_t n, bool mean)
{
	uint64_t one[LAT_BUCKETS], all[LAT_BUCKETS];
	uint64_t n_one = 0, n_all = 0;
	int err = 0;

	memset(one, 0, sizeof(one));
	memset(all, 0, sizeof(all));
	for (size_t i = 0; i < n && !err; i++) {
		add_lat(one, p[i].lat);
		add_lat(all, p[i].lat);
		n_one += p[i].lat->count;
		n_all += p[i].lat->count;
		if (i + 1 < n && p[i + 1].id == p[i].id)
			continue;
		err = put_cell(r, p[i].id, one, n_one, mean);
		memset(one, 0, sizeof(one));
		n_one = 0;
		if (err || (i + 1 < n && p[i + 1].id >> 8 == p[i].id >> 8))
			continue;
		err = put_cell(r, CELL_ID_ANY(p[i].id >> 8), all, n_all, mean);
		memset(all, 0, sizeof(all));
		n_all = 0;
	}
	return err;
}

static const struct {
	enum signal signal;
	int op;
	enum lat_part part;
	bool mean;
	enum disk_acc acc; /* where there is no histogram */
} latencies[] = {
	{SIG_READ, OP_READ, PART_WHOLE, false, DISK_ACCS},
	{SIG_WRITE, OP_WRITE, PART_WHOLE, false, DISK_ACCS},
	{SIG_READ_DEVICE, OP_READ, PART_DEVICE, false, DISK_ACCS},
	{SIG_WRITE_DEVICE, OP_WRITE, PART_DEVICE, false, DISK_ACCS},
	{SIG_READ_AWAIT, OP_READ, PART_WHOLE, true, DA_READ_AWAIT},
	{SIG_WRITE_AWAIT, OP_WRITE, PART_WHOLE, true, DA_WRITE_AWAIT},
};

/* A mean of the kernel's statistics instead of a histogram's: one cell, of all sizes and loads. */
static int put_mean(struct robust *r, const struct disk *d, enum disk_acc acc)
{
	struct acc sum = {0};
	double count = 0;

	for (unsigned int b = 0; b < r->span && acc < DISK_ACCS; b++) {
		const struct interval_disk *h =
			interval_find_disk(node_interval(r, d->node, b), d->name);

		if (!h)
			continue;
		sum.sum += h->acc[acc].sum;
		sum.n += h->acc[acc].n;
		count += h->acc[acc].n;
	}
	if (!(sum.n > 0) || !(sum.sum > 0))
		return 0;
	if (r->n_cells + 1 >= r->cap_cells) {
		uint64_t one[LAT_BUCKETS] = {[16] = 1};
		int err = put_cell(r, 0, one, 1, false); /* for its room */

		if (err)
			return err;
		r->n_cells--;
	}
	r->cells[r->n_cells++] = (struct cell){CELL_ID_ANY(LAT_SIZES), log(sum.sum / sum.n), count};
	return 0;
}

ssize_t value_cells(struct robust *r, enum signal s, size_t disk, struct cells *out)
{
	const struct disk *d = &r->disks[disk];
	struct piece *p = NULL;
	size_t n = 0, cap = 0, k = 0, before = r->n_cells;
	int err = 0;

	while (latencies[k].signal != s)
		k++;
	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval_disk *h =
			interval_find_disk(node_interval(r, d->node, b), d->name);

		cap += h ? h->n_lat : 0;
	}
	p = malloc((cap + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval_disk *h =
			interval_find_disk(node_interval(r, d->node, b), d->name);

		for (size_t i = 0; h && i < h->n_lat; i++)
			if (h->lat[i].op == latencies[k].op && h->lat[i].part == latencies[k].part)
				p[n++] = (struct piece){CELL_ID(h->lat[i].size, h->lat[i].cell),
							&h->lat[i]};
	}
	qsort(p, n, sizeof(*p), by_id);
	err = n ? put_cells(r, p, n, latencies[k].mean) : put_mean(r, d, latencies[k].acc);
	free(p);
	*out = (struct cells){NULL, r->n_cells - before};
	return err ? err : (ssize_t)out->n;
}

uint64_t value_histogram(const struct robust *r, size_t disk, int op, enum lat_part part,
			 uint64_t at[LAT_BUCKETS])
{
	const struct disk *d = &r->disks[disk];
	uint64_t count = 0;

	memset(at, 0, LAT_BUCKETS * sizeof(*at));
	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval_disk *h =
			interval_find_disk(node_interval(r, d->node, b), d->name);

		for (size_t i = 0; h && i < h->n_lat; i++) {
			if (h->lat[i].op != op || h->lat[i].part != part)
				continue;
			add_lat(at, &h->lat[i]);
			count += h->lat[i].count;
		}
	}
	return count;
}
