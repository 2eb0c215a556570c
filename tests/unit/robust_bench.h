/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracker for tests, and servers of about the same value, that a test makes worse. */
#ifndef LIMPET_ROBUST_BENCH_H
#define LIMPET_ROBUST_BENCH_H

#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/track.h"

enum { MOST = 12 };

/* A tracker, and the numbers of the window to come: those of compare.h, of x. */
struct bench {
	struct track *t;
	size_t n;
	double x[MOST];
	double newest[MOST]; /* d of its newest interval, as if the engine had looked */
	bool excess[MOST];
	struct look l[MOST];
	bool was_odd[MOST], was_chronic[MOST], was_flagged[MOST];
};

static inline struct bench bench_of(size_t n, const struct track_params *p)
{
	struct bench b = {.t = track_new(n, p), .n = n};

	assert_non_null(b.t);
	for (size_t i = 0; i < MOST; i++) {
		b.x[i] = 10;
		b.excess[i] = true;
	}
	srand(11);
	return b;
}

static inline struct bench bench(size_t n)
{
	return bench_of(n, &TRACK_PARAMS_DEFAULT);
}

static inline void push(struct bench *b)
{
	struct compared c[MOST];

	assert_int_equal(compare_numbers(b->x, b->n, 0.5, c), 0);
	for (size_t i = 0; i < b->n; i++)
		c[i].newest = b->newest[i];
	assert_int_equal(track_push(b->t, c, b->excess, b->l), 0);
	for (size_t i = 0; i < b->n; i++) {
		b->was_odd[i] |= b->l[i].odd;
		b->was_chronic[i] |= b->l[i].chronic;
		b->was_flagged[i] |= b->l[i].flagged;
	}
}

static inline void push_times(struct bench *b, int times)
{
	while (times--)
		push(b);
}

/* x = 10 with some noise of so much, in ln, about the sum of four dice. */
static inline void noise(struct bench *b, double s)
{
	for (size_t i = 0; i < b->n; i++) {
		double sum = 0;

		for (int k = 0; k < 4; k++)
			sum += (double)rand() / RAND_MAX - 0.5;
		b->x[i] = 10 * exp(s * sum * 1.732);
	}
}

static inline void nobody_is_odd(const struct bench *b)
{
	for (size_t i = 0; i < b->n; i++)
		assert_false(b->was_odd[i] || b->was_chronic[i]);
}

#endif
