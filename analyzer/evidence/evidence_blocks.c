// SPDX-License-Identifier: BSD-2-Clause
/* Blocks: two make one of twice the length, and two neighbours a window. */
#include "evidence_parts.h"

#include <string.h>

#include "analyzer/stat/stats.h"

double running_add(struct running *r, double x, unsigned int memory)
{
	if (isfinite(x)) {
		if (r->n < memory)
			r->n++;
		r->mean += (x - r->mean) / r->n;
	}
	return r->mean;
}

static void block_join(struct block *to, const struct block *a, const struct block *b)
{
	unsigned int i = 0, j = 0;

	to->sum = a->sum + b->sum;
	to->extra = a->extra + b->extra;
	to->doubt = a->doubt + b->doubt;
	to->count = a->count + b->count;
	for (unsigned int k = 0; k < TRIM; k++)
		to->top[k] = a->top[i] >= b->top[j] ? a->top[i++] : b->top[j++];
}

/* One interval: blocks of one, less the median; and how much the peers differ in it. */
static void one_interval(struct evidence *e, struct view *v, const struct residual *in)
{
	size_t n = 0;
	double middle;

	for (size_t i = 0; i < e->n; i++)
		if (!isnan(in[i].r))
			e->some[n++] = in[i].r;
	middle = stats_quantile(e->some, n, 0.5);
	if (n >= LEAST) {
		if (n / 3)
			stats_select(e->some, n, n - n / 3);
		/*
		 * Over all of the past: the shortest length has a yardstick from the first window
		 * on.
		 */
		running_add(&v->usual, lower_variance(e->some, n), UINT32_MAX);
	}
	for (size_t i = 0; i < e->n; i++) {
		struct block *b = &e->block[i];

		*b = (struct block){.top = {-INFINITY, -INFINITY, -INFINITY}};
		if (isnan(in[i].r))
			continue;
		b->sum = b->top[0] = (float)(in[i].r - middle);
		b->extra = (float)in[i].extra;
		b->doubt = (float)in[i].doubt;
		b->count = 1;
	}
	v->intervals++;
	v->begun = true;
}

void view_pass(struct view *v)
{
	v->intervals++;
}

/* Blocks without a value make windows in which nobody is judged. */
static void catch_up(struct evidence *e, struct view *v)
{
	for (unsigned int k = 1; k <= e->p.k_max; k++) {
		struct length *l = &v->length[k];

		l->halves = v->intervals >> (k - 1);
		l->windows = k >= e->p.k_min && l->halves ? l->halves - 1 : 0;
		l->end = l->halves << (k - 1);
	}
}

void view_push(struct evidence *e, struct view *v, const struct residual *in)
{
	if (!v->begun)
		catch_up(e, v);
	one_interval(e, v, in);
	for (unsigned int k = 1; k <= e->p.k_max; k++) {
		struct length *l = &v->length[k];
		struct block *blocks = e->block;

		if (l->halves++) {
			for (size_t i = 0; i < e->n; i++)
				block_join(&e->window[i], &l->half[i], &blocks[i]);
			if (k >= e->p.k_min) {
				window_judge(e, v, l);
				e->changed = true;
			}
		}
		memcpy(l->half, blocks, e->n * sizeof(*blocks));
		if (l->halves % 2)
			break;
		/* Two whole blocks: one of the next length. */
		e->block = e->window;
		e->window = blocks;
	}
}
