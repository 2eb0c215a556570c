/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share: blocks, lengths, views. */
#ifndef LIMPET_EVIDENCE_PARTS_H
#define LIMPET_EVIDENCE_PARTS_H

#include <math.h>

#include "evidence.h"

enum {
	TRIM = 3,    /* worst intervals of a block, no evidence: a burst of three decides nothing */
	LEAST = 3,   /* of two that differ nobody knows which is odd */
	BACK = 2,    /* windows until one that does not overlap */
	MEMORY = 64, /* remembered blocks: 8 h of the shortest, half a year of the longest */
	RECENT = 8,  /* blocks that count as now: peers that have become noisier are believed */
	OWN_SLOTS = 17,
};

static const double CUT = 3;	  /* standard deviations above which an entity is no yardstick */
static const double WIDEN = 1.03; /* the core is cut at 3 of them: its variance is 3 % small */
static const double DF_MAX =
	200; /* more degrees of freedom are not believed: tails are not that normal */
static const double SUSPECT = 10; /* suspicious: at so many times the budget */
static const double VIEWS = 2;
static const double WEEK_S = 7 * 86400.0;

/*
 * What is kept of each entity at each length is kept as float, which halves the memory: blocks are added up in
 * pairs, so that even the longest loses no more than a millionth of it.
 */

/* Some intervals of one entity, added up. */
struct block {
	float sum, extra, doubt;
	float top[TRIM]; /* the largest, in descending order; without so many -INFINITY */
	unsigned int count;
};

/* A mean that forgets. */
struct running {
	double mean;
	unsigned int n;
};

/*
 * How far the others differ at one length, as one entity is held against: what it does itself is in none of
 * it, or a slow one would be measured with its own slowness.
 */
struct yardstick {
	float wide,
		wide_now; /* means of the variance of the core without it: over MEMORY blocks, RECENT ones */
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
	float need, bound;	/* Student's quantiles: what t must reach; 5 % */
	float seen, noticed;
	uint8_t level; /* enum evidence_level */
	bool over;     /* its newer half alone is not worse */
};

/* Student's quantiles of one length, kept while what they depend on stays. */
struct quantiles {
	double p, df;
	double indict, suspect, bound; /* at p, at SUSPECT p, at 5 % */
};

enum { QUANTILES = 16 }; /* degrees of freedom that are kept: those of one window are much alike */

struct needs {
	struct quantiles at[QUANTILES];
	double p, floor_indict, floor_suspect; /* at DF_MAX */
	size_t of;			       /* entities that `gap` is for */
	double gap, gap_p;
};

/* Two groups, in the latest window of a length. */
struct split {
	size_t slow; /* on the slow side; 0: no two groups */
	double from; /* M from which on an entity is on the slow side */
	double effect;
};

struct length {
	unsigned int intervals;
	uint64_t halves, windows;
	uint64_t end;	    /* the view's intervals when the latest window ended */
	struct block *half; /* NULL before the first block */
	struct judged *at;  /* NULL before the first window */
	struct running lower, noise;
	struct needs needs;
	/* The latest window. */
	size_t judged;
	bool halved;   /* two groups, and the slow one is no minority */
	bool minority; /* two groups, and it is */
	double apart;  /* by so much, ln */
	size_t slow;
};

/* One entity over time. */
struct course {
	uint64_t cleared; /* windows that begin before this interval are over */
	double effect;	  /* ln: the largest that is sure of what stands */
};

struct view {
	struct running usual; /* variance of single intervals */
	uint64_t intervals;   /* pushed or passed over */
	bool begun;	      /* something was pushed */
	struct course *course;
	struct length length[EVIDENCE_LONGEST + 1];
};

/* What is usual for one entity: sums until half an hour ago, and the half hour in slots. */
struct own {
	double sum, doubt;
	unsigned int count;
	struct own_slot {
		float sum, doubt;
		unsigned int count;
	} slot[OWN_SLOTS];
	bool frozen;
};

struct evidence {
	struct evidence_params p;
	size_t n;
	uint64_t pushes;
	struct view view[2];
	struct own *own;
	unsigned int own_lag, own_step, own_slots; /* intervals; intervals of a slot; slots */
	unsigned int own_at, own_in;		   /* the slot that is filled; intervals in it */
	struct weighed *out;
	struct evidence_group group;
	bool changed; /* a window was judged since `out` was made */
	/* Room for one push. */
	struct residual *in, *less; /* less the median; less what is usual */
	struct block *block, *window;
	double *m, *g, *extra;
	double *some; /* twice as many */
	bool *core;
};

/* evidence.c: room for what the next interval of this view is the first to need. 0 or -ENOMEM. */
int view_reach(struct evidence *e, struct view *v);

/* evidence_blocks.c: after view_reach(). view_pass(): an interval in which nobody has a value, while none of the
 * view had any. */
void view_pass(struct view *v);
void view_push(struct evidence *e, struct view *v, const struct residual *in);
double running_add(struct running *r, double x, unsigned int memory);

/*
 * evidence_spread.c: the variance of all but the slowest third, as if of all. x: ascending or with
 * the n - n / 3 smallest first; n >= 3.
 */
double lower_variance(const double *x, size_t n);

/* evidence_window.c: e->window, of which e->block is the newer half, as a window of length l. */
void window_judge(struct evidence *e, struct view *v, struct length *l);

/* evidence_needs.c: quantiles at a length's chance; good until the next call for this length. */
const struct quantiles *needs_at(const struct evidence *e, struct length *l, double df);
const struct needs *needs_floor(const struct evidence *e, struct length *l);
double needs_gap(const struct evidence *e, struct length *l, size_t n);

/* The core of a window without one entity. */
struct spread {
	size_t peers; /* in it */
	double df;    /* one less */
	double q;     /* variance of M */
	double same,
		all; /* what of their differences is still the same one block later; NaN: not known */
};
/* evidence_yardstick.c: learns from the window how far the peers of entity i are apart, and sets V in
 * l->at[i].used. Returns its degrees of freedom. */
double yardstick(const struct evidence *e, const struct view *v, struct length *l, size_t i,
		 const struct spread *s);
double yardstick_prior_df(void);

/* evidence_split.c: two groups among n ascending values. */
struct split split_find(const struct evidence *e, struct length *l, const double *sorted, size_t n,
			double noise);

extern const struct weighed weighed_nothing; /* of an entity that was not judged */

/* evidence_stand.c: e->out and e->group, from the latest windows of all lengths. */
void stand(struct evidence *e);

/* evidence_own.c: own_less() makes e->less from e->in, and says whether anything is usual for anybody;
 * own_learn() learns one interval of e->in. */
void own_start(struct evidence *e);
bool own_less(struct evidence *e);
void own_learn(struct evidence *e);

#endif
