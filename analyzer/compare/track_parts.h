/* SPDX-License-Identifier: BSD-2-Clause */
/* What track.c, track_offset.c and track_slow.c share: what is remembered of one entity. */
#ifndef LIMPET_TRACK_PARTS_H
#define LIMPET_TRACK_PARTS_H

#include "track.h"

/*
 * The median of what was learnt, in two histograms that take turns: `now` for the half of
 * offset_intervals that is running, `before` for the half gone by. Bin k holds the d nearest to k steps of
 * offset_max / OFFSET_SIDE; what is beyond is in the outer ones, since the offset is clipped
 * to them anyway. 1.3 kB, whatever the length. [D]
 */
enum { OFFSET_SIDE = 162, OFFSET_BINS = 2 * OFFSET_SIDE + 1 };
struct offset {
	uint16_t now[OFFSET_BINS], before[OFFSET_BINS];
	unsigned int n, least; /* counted in all; the first bin that is not empty */
	uint64_t turn;	       /* pushes / half of offset_intervals that `now` belongs to */
};

struct past {
	uint64_t push;
	double d;
	bool flagged, by_far;
	bool worse; /* its newest interval, alone */
};

struct slow {
	float *d;	  /* slow_max, a ring of the judged windows; to 2^-24 of its value */
	uint64_t *excess; /* bits, likewise */
	size_t at, n;
	double median; /* of them, at the last test; NaN: too few */
	double error;  /* standard error of it */
	double value, z, ratio, sigma;
	unsigned int windows;
	bool chronic;
};

struct entity {
	struct past *past; /* a ring of judged windows; NULL: never judged */
	uint64_t judged;   /* so far */
	uint64_t quiet;	   /* judged windows since the last that was flagged, odd or chronic */
	uint64_t clear;	   /* judged windows since the last that was flagged */
	bool odd;
	struct offset *offset;
	double b;     /* the own usual offset, of which only worse is forgiven: 0 or more */
	double usual; /* the same as it is: a server that is always quicker has no spread by that */
	double learnt;
	struct slow slow;
};

struct track {
	struct track_params p;
	size_t n, ring; /* entities; length of past */
	uint64_t push;	/* number of the window at hand, from 1 */
	struct entity *at;
	double *recent; /* n x spread: d of the last pushes, less what was common, NaN where not judged */
	double *work;	  /* n x spread */
	double *own;	  /* the larger of spread and slow_max */
	double *d, *away; /* n: of the slow test */
};

int offset_begin(struct entity *e); /* 0 or -ENOMEM */
void offset_learn(const struct track *t, struct entity *e, double d, unsigned int times);
/* Forgets what is too old; then e->b and e->learnt are right. */
void offset_turn(const struct track *t, struct entity *e);

int slow_begin(const struct track *t, struct entity *e); /* 0 or -ENOMEM */
void slow_add(const struct track *t, struct entity *e, double d, bool excess);
void slow_test(struct track *t); /* of all entities */

#endif
