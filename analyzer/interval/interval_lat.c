// SPDX-License-Identifier: BSD-2-Clause
/* Latency histograms in an interval: by load cell, each as long as the buckets it has; and quantiles. */
#include "interval_lat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

int load_cell(double per_second)
{
	double cell = floor(2 * log2(per_second));

	if (!(cell > CELL_MIN)) /* also what is not above 0 */
		return CELL_MIN;
	return cell < CELL_MAX ? (int)cell : CELL_MAX;
}

double lat_middle_ms(unsigned int bucket)
{
	double low = (double)bucket_low(bucket, LAT_SUB_BITS),
	       high = (double)bucket_low(bucket + 1, LAT_SUB_BITS);

	return fmax((low + high) / 2, 0.5) * (1 << LAT_SHIFT) / 1e6;
}

double hist_quantile(const uint64_t *at, unsigned int first, size_t n, unsigned int sub_bits,
		     double q)
{
	uint64_t total = 0, before = 0;
	double rank;

	for (size_t i = 0; i < n; i++)
		total += at[i];
	if (!total)
		return NAN;
	rank = fmin(fmax(q, 0), 1) * (double)total;
	for (size_t i = 0; i < n; i++) {
		double low = (double)bucket_low(first + (unsigned int)i, sub_bits);
		double high = (double)bucket_low(first + (unsigned int)i + 1, sub_bits);

		if (at[i] && (double)(before + at[i]) >= rank)
			return low + (high - low) * fmax(rank - (double)before, 0) / (double)at[i];
		before += at[i];
	}
	return NAN; /* not reached: the last that is not empty has the whole rank */
}

/* By op, size, part, cell. */
static int lat_order(const struct interval_lat *a, const struct interval_lat *b)
{
	int x = ((a->op * LAT_SIZES + a->size) * LAT_PARTS + a->part) * 256 + a->cell;

	return x - (((b->op * LAT_SIZES + b->size) * LAT_PARTS + b->part) * 256 + b->cell);
}

static struct interval_lat *find_lat(struct interval_disk *d, const struct interval_lat *key)
{
	size_t where = search_first(i, d->n_lat, lat_order(key, &d->lat[i]) > 0);
	struct interval_lat *at;

	if (where < d->n_lat && !lat_order(key, &d->lat[where]))
		return &d->lat[where];
	at = array_insert(&d->lat, &d->n_lat, where);
	if (at)
		*at = *key;
	return at;
}

/* Makes the range of l hold buckets [from, to). */
static int widen(struct interval_lat *l, unsigned int from, unsigned int to)
{
	unsigned int first = l->n && l->first < from ? l->first : from;
	unsigned int end = l->n && l->first + l->n > to ? l->first + l->n : to;
	uint32_t *at;

	if (l->n && first == l->first && end == (unsigned int)l->first + l->n)
		return 0;
	at = calloc(end - first, sizeof(*at));
	if (!at)
		return -ENOMEM;
	if (l->n)
		memcpy(at + (l->first - first), l->at, l->n * sizeof(*at));
	free(l->at);
	l->at = at;
	l->first = (uint16_t)first;
	l->n = (uint16_t)(end - first);
	return 0;
}

static int add_lat(struct interval_disk *d, const struct interval_lat *key, const uint32_t *at)
{
	unsigned int from = 0, to = LAT_BUCKETS;
	struct interval_lat *l;

	while (from < to && !at[from])
		from++;
	while (to > from && !at[to - 1])
		to--;
	if (from == to)
		return 0;
	l = find_lat(d, key);
	if (!l || widen(l, from, to))
		return -ENOMEM;
	for (unsigned int b = from; b < to; b++) {
		uint32_t *sum = &l->at[b - l->first], more = UINT32_MAX - *sum;

		more = at[b] < more ? at[b] : more;
		*sum += more;
		l->count += more;
	}
	return 0;
}

int interval_add_lats(struct interval_disk *d, const struct second_row *row, double interval_s)
{
	int err = 0;

	for (int i = 0; row->lat && i < LAT_OPS * LAT_SIZES && !err; i++) {
		struct interval_lat key = {.op = (uint8_t)(i / LAT_SIZES),
					   .size = (uint8_t)(i % LAT_SIZES)};
		const uint32_t *whole = row->lat->n[key.op][key.size];
		uint64_t events = 0;

		for (int b = 0; b < LAT_BUCKETS; b++)
			events += whole[b];
		if (!events)
			continue;
		key.cell = (int8_t)load_cell((double)events / interval_s);
		err = add_lat(d, &key, whole);
		key.part = PART_DEVICE;
		if (!err && row->dev)
			err = add_lat(d, &key, row->dev->n[key.op][key.size]);
	}
	return err;
}
