// SPDX-License-Identifier: BSD-2-Clause
/* The values of latency signals: cells of equal load, and whole histograms. */
#include "value.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "userspace/common/array.h"

const struct latency value_latencies[LATENCIES] = {
	{SIG_READ, OP_READ, PART_WHOLE, SIG_READ_AWAIT, DA_READ_AWAIT},
	{SIG_WRITE, OP_WRITE, PART_WHOLE, SIG_WRITE_AWAIT, DA_WRITE_AWAIT},
	{SIG_READ_DEVICE, OP_READ, PART_DEVICE, SIG_COUNT, DISK_ACCS},
	{SIG_WRITE_DEVICE, OP_WRITE, PART_DEVICE, SIG_COUNT, DISK_ACCS},
};

/* The middle of each bucket: ms, and its logarithm. */
static double middle_ms[LAT_BUCKETS], middle_ln[LAT_BUCKETS];

__attribute__((constructor)) static void middles(void)
{
	for (unsigned int b = 0; b < LAT_BUCKETS; b++) {
		middle_ms[b] = lat_middle_ms(b);
		middle_ln[b] = log(middle_ms[b]);
	}
}

/* A histogram in the making; only buckets [first, end) can hold anything. */
struct lat_sum {
	uint64_t at[LAT_BUCKETS], count;
	unsigned int first, end;
};

static void clear(struct lat_sum *s)
{
	if (s->first < s->end)
		memset(s->at + s->first, 0, (s->end - s->first) * sizeof(*s->at));
	s->first = LAT_BUCKETS;
	s->end = 0;
	s->count = 0;
}

static void lat_sum_add(struct lat_sum *s, const struct interval_lat *l)
{
	unsigned int end = (unsigned int)l->first + l->n;

	for (unsigned int b = 0; b < l->n; b++)
		s->at[l->first + b] += l->at[b];
	s->first = l->first < s->first ? l->first : s->first;
	s->end = end > s->end ? end : s->end;
	s->count += l->count;
}

/* The mean of f over the events, and their variance. */
static double mean_of(const struct lat_sum *s, const double *f, double *variance)
{
	double n = 0, sum = 0, squares = 0;

	for (unsigned int b = s->first; b < s->end; b++) {
		double k = (double)s->at[b];

		n += k;
		sum += k * f[b];
		squares += k * f[b] * f[b];
	}
	*variance = fmax(0, squares / n - sum / n * (sum / n));
	return sum / n;
}

static int append(struct cell_list *to, struct cell c)
{
	struct cell *at = array_refill(&to->at, &to->n, &to->cap);

	if (!at)
		return -ENOMEM;
	*at = c;
	return 0;
}

/* One cell of each list: the mean of the logarithms, and the logarithm of the mean, whose variance is that
 * of one event by its square. */
static int lat_sum_cells(struct cell_list *typical, struct cell_list *means, uint32_t id,
			 const struct lat_sum *s)
{
	double n = (double)s->count, variance, mean = mean_of(s, middle_ln, &variance);
	int err = append(typical, (struct cell){id, mean, variance, n});

	if (err || !means)
		return err;
	mean = mean_of(s, middle_ms, &variance);
	return append(means, (struct cell){id, log(mean), variance / (mean * mean), n});
}

/* The histograms of one operation and part in some intervals, taken in order of their cells. */
struct pieces {
	const struct latency *l;
	const struct interval_disk *const *at;
	size_t n;
	size_t next[LATENCY_SPAN];
};

static const struct interval_lat *piece_of(struct pieces *p, size_t i)
{
	const struct interval_disk *d = p->at[i];

	while (d && p->next[i] < d->n_lat) {
		const struct interval_lat *l = &d->lat[p->next[i]];

		if (l->op == p->l->op && l->part == p->l->part)
			return l;
		p->next[i]++;
	}
	return NULL;
}

/* Adds up the next cell in *s; false: there is none. */
static bool next_cell(struct pieces *p, struct lat_sum *s, uint32_t *id)
{
	const struct interval_lat *l[LATENCY_SPAN];
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		l[i] = piece_of(p, i);
		if (l[i] && (!any || CELL_ID(l[i]->size, l[i]->cell) < *id)) {
			*id = CELL_ID(l[i]->size, l[i]->cell);
			any = true;
		}
	}
	for (size_t i = 0; i < p->n && any; i++)
		if (l[i] && CELL_ID(l[i]->size, l[i]->cell) == *id) {
			lat_sum_add(s, l[i]);
			p->next[i]++;
		}
	return any;
}

static void lat_sum_join(struct lat_sum *to, const struct lat_sum *s)
{
	for (unsigned int b = s->first; b < s->end; b++)
		to->at[b] += s->at[b];
	to->first = s->first < to->first ? s->first : to->first;
	to->end = s->end > to->end ? s->end : to->end;
	to->count += s->count;
}

/* A mean of the kernel's statistics instead of a histogram's: one cell, of all sizes and loads. */
static int put_mean(const struct pieces *p, struct cell_list *means)
{
	struct acc sum = {0};

	for (size_t i = 0; i < p->n; i++) {
		if (!p->at[i])
			continue;
		sum.sum += p->at[i]->acc[p->l->acc].sum;
		sum.n += p->at[i]->acc[p->l->acc].n;
	}
	if (!(sum.n > 0) || !(sum.sum > 0))
		return 0;
	return append(means, (struct cell){CELL_ID_ANY(LAT_SIZES), log(sum.sum / sum.n), 1, sum.n});
}

int value_cells(const struct latency *l, const struct interval_disk *const *at, size_t n,
		struct cell_list *typical, struct cell_list *means)
{
	struct pieces p = {.l = l, .at = at, .n = n};
	struct lat_sum one = {.end = 0}, all = {.end = 0};
	uint32_t id = 0, next = 0;
	bool more;
	int err = 0;

	clear(&one);
	clear(&all);
	if (l->mean == SIG_COUNT)
		means = NULL;
	more = next_cell(&p, &one, &next);
	if (!more)
		return means ? put_mean(&p, means) : 0;
	while (more && !err) {
		id = next;
		err = lat_sum_cells(typical, means, id, &one);
		lat_sum_join(&all, &one);
		clear(&one);
		more = next_cell(&p, &one, &next);
		if (err || (more && next >> 8 == id >> 8))
			continue;
		err = lat_sum_cells(typical, means, CELL_ID_ANY(id >> 8), &all);
		clear(&all);
	}
	return err;
}

uint64_t value_histogram(const struct interval_disk *const *at, size_t n, int op,
			 enum lat_part part, uint64_t to[LAT_BUCKETS])
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; at[i] && k < at[i]->n_lat; k++) {
			const struct interval_lat *l = &at[i]->lat[k];

			if (l->op != op || l->part != part)
				continue;
			for (unsigned int b = 0; b < l->n; b++)
				to[l->first + b] += l->at[b];
			count += l->count;
		}
	return count;
}
