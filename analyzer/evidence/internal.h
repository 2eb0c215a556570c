/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share: constants of all tests, and the memory of evidence over time. */
#ifndef LIMPET_EVIDENCE_INTERNAL_H
#define LIMPET_EVIDENCE_INTERNAL_H

#include <math.h>

#include "evidence.h"

enum {
	LEAST = 3, /* of two that differ nobody knows which is odd */
	BACK = 2,  /* windows until one that does not overlap */
	SLOTS = 17,
	QUANTILES = 16, /* degrees of freedom that are kept: those of one window are much alike */
};

static const double CUT = 3;	     /* standard deviations above which an entity is no yardstick */
static const double WIDEN = 1.03;    /* the core is cut at 3 of them: its variance is 3 % small */
static const double DF_MAX = 200;    /* more are not believed: no tail is that normal */
static const double DF_NORMAL = 1e6; /* student.h: normal from there on */
static const double SUSPECT = 10;    /* suspicious: at so many times the budget */

extern const struct evidence evidence_none; /* of an entity that was not judged */

/* Student's quantiles: what t must reach to be indicted and suspicious, and 5 %. */
struct quantiles {
	double p, df;
	double indict, suspect, bound;
};

/* over_time_window.c: of all tests. Of a chance near a half everything is evidence. */
double quantile_at(double p, double df);
double deviate_at(double p, double df); /* counts.c: of any chance, also 0 and 1 */
struct quantiles quantiles_at(double p, double df);

/* Some intervals of one entity, added up: as float, which halves the memory. Blocks are added up in pairs, so that even the
 * longest loses no more than a millionth. */
struct block {
	float sum, extra, doubt, open;
	float top[EVIDENCE_TRIM]; /* the largest, in descending order; without so many -INFINITY */
	unsigned int count;
};

/* A mean that forgets. */
struct running {
	double mean;
	unsigned int n;
};

double running_add(struct running *r, double x, unsigned int memory);

/*
 * How far the others differ at one length, as one entity is held against: what it does itself is in none of
 * it, or a slow one would be measured with its own slowness.
 */
struct yardstick {
	/* means of the variance of the core without it: over MEMORY blocks, RECENT ones */
	float wide, wide_now;
	float same, all;      /* means of what of their differences stays one block later */
	float variance;	      /* V_L; 0 before the first window */
	uint8_t looks, pairs; /* windows in the first two, in the others; BACK * MEMORY at most */
};

/* One entity at one length. */
struct judged {
	struct yardstick yard;
	float u[BACK], m[BACK]; /* of the last windows, the latest first; u NaN out of the core */
	float effect, t, error; /* of the latest window; NaN: not judged by it */
	float used, df;		/* V as it was used, and of how many degrees of freedom */
	float needs, bound;	/* Student's quantiles: what t must reach; 5 % */
	float least_indicted, least;
	uint8_t level; /* enum evidence_level */
	bool over;     /* its newer half alone is not worse */
};

struct length {
	unsigned int intervals;
	uint64_t halves, windows;
	uint64_t end;	    /* the view's intervals when the latest window ended */
	struct block *half; /* NULL before the first block */
	struct running weight_half;
	struct judged *at; /* NULL before the first window */
	struct running lower, noise;
	/* Quantiles at this length's chance, kept while what they depend on stays; the floor's at DF_MAX. */
	struct quantiles kept[QUANTILES], floor;
	size_t gap_of; /* entities that `gap` is for */
	double gap, gap_p;
	/* The latest window. */
	size_t judged;
	double weight;
	bool halved;   /* two groups, and the slow one is no minority */
	bool minority; /* two groups, and it is */
	bool many;     /* and of more than a third, */
	bool old;      /* some of which is no news */
	double apart;  /* by so much, ln */
	size_t slow;
	float from; /* means of the slow side */
};

struct view {
	struct running usual;	  /* variance of single intervals */
	double now;		  /* of the last one; NaN: it had too few */
	uint64_t intervals;	  /* pushed or passed over */
	bool begun;		  /* something was pushed */
	bool many;		  /* more than a third are of a slow minority */
	struct course {		  /* one entity */
		uint64_t cleared; /* windows that begin before this interval are over */
		double effect;	  /* ln: the largest that is sure of what holds */
		double sum;	  /* of all it was so far, less the median, */
		uint32_t count;	  /* in so many intervals */
		uint32_t slow;	  /* lengths, added up, at which it is of a slow minority */
	} * course;
	struct length length[EVIDENCE_LONGEST + 1];
};

/* The baseline of one entity: sums until lag_s ago, and the time since in slots. */
struct baseline {
	double sum, doubt;
	unsigned int count;
	struct baseline_slot {
		float sum, doubt;
		unsigned int count;
	} slot[SLOTS];
	bool frozen;
};

struct over_time {
	struct evidence_params p;
	size_t n;
	struct view view[2]; /* of enum evidence_view */
	struct baseline *baseline;
	unsigned int lag, slot_intervals, n_slots; /* intervals; intervals of a slot; slots */
	unsigned int slot_at, slot_in;		   /* the slot that is filled; intervals in it */
	struct evidence *out;
	struct evidence_group group;
	const struct length *falls; /* at which it falls in two; NULL */
	bool changed;		    /* a window was judged since `out` was made */
	/* Room for one push. */
	struct residual *in, *less; /* less the median; less the baseline */
	struct block *block, *window;
	double *m, *g, *extra, *some; /* some: twice as many */
	bool *core;
};

/* over_time_window.c: o->window, of which o->block is the newer half, as a window of length l. */
void window_judge(struct over_time *o, struct view *v, struct length *l);
/* The variance of all but the slowest third, as if of all. x: ascending or with the n - n / 3 smallest first; n >= 3. */
double lower_variance(const double *x, size_t n);

#endif
