// SPDX-License-Identifier: BSD-2-Clause
/* An entity's own usual offset: the running median of a day in constant memory. */
#include "track_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double step(const struct track *t)
{
	return t->p.offset_max / OFFSET_SIDE;
}

static uint64_t this_turn(const struct track *t)
{
	return t->push / (t->p.offset_intervals / 2);
}

int offset_begin(struct entity *e)
{
	if (!e->offset)
		e->offset = calloc(1, sizeof(*e->offset));
	return e->offset ? 0 : -ENOMEM;
}

static unsigned int counted(const struct offset *o, unsigned int k)
{
	return (unsigned int)o->now[k] + o->before[k];
}

/* Counts the bins, after a turn. */
static void count(struct offset *o)
{
	o->n = 0;
	o->least = OFFSET_BINS;
	for (unsigned int k = 0; k < OFFSET_BINS; k++) {
		o->n += counted(o, k);
		if (counted(o, k) && o->least == OFFSET_BINS)
			o->least = k;
	}
}

/* The bins of the two middle ones of n, the mean of which is the median. */
static void set_median(const struct track *t, struct entity *e)
{
	const struct offset *o = e->offset;
	unsigned int n = o->n, sum = 0, low, high, k;

	e->learnt = n;
	e->b = e->usual = 0;
	if (!n || n < t->p.offset_min)
		return;
	for (k = o->least; (sum += counted(o, k)) < (n + 1) / 2;)
		k++;
	low = k;
	while (sum < n / 2 + 1)
		sum += counted(o, ++k);
	high = k;
	e->usual = (0.5 * (low + high) - OFFSET_SIDE) * step(t);
	e->b = fmax(0, e->usual);
}

void offset_turn(const struct track *t, struct entity *e)
{
	struct offset *o = e->offset;
	uint64_t turn = this_turn(t);

	if (!o || o->turn == turn)
		return;
	if (o->turn + 1 == turn)
		memcpy(o->before, o->now, sizeof(o->now));
	else
		memset(o->before, 0, sizeof(o->before));
	memset(o->now, 0, sizeof(o->now));
	o->turn = turn;
	count(o);
	set_median(t, e);
}

void offset_learn(const struct track *t, struct entity *e, double d, unsigned int times)
{
	struct offset *o = e->offset;
	double bin = t->p.offset_max > 0 ? floor(d / step(t) + 0.5) : 0;
	size_t k = (size_t)(fmin(fmax(bin, -OFFSET_SIDE), OFFSET_SIDE) + OFFSET_SIDE);

	offset_turn(t, e);
	for (; times && o->now[k] < UINT16_MAX; times--) {
		o->now[k]++;
		o->n++;
	}
	if (counted(o, (unsigned int)k) && (o->n == counted(o, (unsigned int)k) || k < o->least))
		o->least = (unsigned int)k;
	set_median(t, e);
}
