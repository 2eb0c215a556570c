/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values that come with a load: each entity's residual against its peers at equal load, interval after interval.
 *
 * Of each entity the least-squares slope of y - median y over x - median x is kept in running sums; what load
 * does to all of them, beta, is the median of the slopes, between 0 and 2: one slow entity moves nothing. An
 * entity without two others within twice its load is alone: what no peer does cannot be judged by peers. It is
 * compared only if it has less to do and was slower lately: more to do makes nobody quicker.
 */
#ifndef LIMPET_EQUAL_LOAD_H
#define LIMPET_EQUAL_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/evidence/evidence.h"

/* What one entity did in one interval. */
struct loaded {
	double x;   /* mean ln load; NaN: not known */
	double y;   /* mean ln of the value, larger is worse; NaN: no value */
	double n;   /* values */
	double ss;  /* their squares around y, added up */
	bool alone; /* equal_load_push() says so: no peer has its load, so that it is not compared, but where it has less to do
		     * and was slower lately */
};

/* ln: what is not known about the slope; residual.doubt is so many times the difference in load. */
#define EQUAL_LOAD_DOUBT 0.5

struct equal_load;
/* NULL: out of memory. With `given` false loads are not looked at. */
struct equal_load *equal_load_new(size_t n, bool given);
void equal_load_free(struct equal_load *e); /* takes NULL */
/* in, out: n; r NaN where an entity cannot be compared. Where fewer than three can be compared, nobody is. If an entity
 * were like its peers' median, y would be y - r, at its own load. */
void equal_load_push(struct equal_load *e, struct loaded *in, struct residual *out);

#endif
