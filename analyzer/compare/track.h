/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One signal over time: from each window's d to own offset, spread, z, votes and indictments, fast and
 * slow. One tracker for one signal of one group of peers. Pure arithmetic; ALGORITHMS "Score".
 */
#ifndef LIMPET_TRACK_H
#define LIMPET_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare.h"

struct track_params {
	unsigned int apart;		 /* windows this many intervals apart do not overlap (3) */
	unsigned int votes, of;		 /* flagged in `votes` of the last `of` windows (3 of 5) */
	double z, ratio;		 /* a window is flagged from these on (4, 1.3) */
	double far_z;			 /* by far from this one on (8) */
	double sigma_min;		 /* ln 1.05, or half a bucket where that is more */
	unsigned int spread;		 /* windows over which the peers' spread is taken (8) */
	bool offset;			 /* learn each one's own usual offset (tables: not) */
	double offset_max;		 /* ln 1.5 */
	unsigned int offset_min;	 /* unflagged windows before it counts (12) */
	unsigned int offset_intervals;	 /* windows it looks back over: 24 h */
	double few_ratio;		 /* with fewer than 5 entities (2), … */
	unsigned int few_votes, few_of;	 /* … and 5 of 7 */
	unsigned int slow_min, slow_max; /* windows of the slow test: 20 … N */
	double slow_z, slow_ratio, slow_sigma; /* 4, 1.15, ln 1.03 */
};
#define TRACK_PARAMS_DEFAULT                             \
	((struct track_params){.apart = 3,               \
			       .votes = 3,               \
			       .of = 5,                  \
			       .z = 4,                   \
			       .ratio = 1.3,             \
			       .far_z = 8,               \
			       .sigma_min = 0.0606,      \
			       .spread = 8,              \
			       .offset = true,           \
			       .offset_max = 0.405465,   \
			       .offset_min = 12,         \
			       .offset_intervals = 8640, \
			       .few_ratio = 2,           \
			       .few_votes = 5,           \
			       .few_of = 7,              \
			       .slow_min = 20,           \
			       .slow_max = 360,          \
			       .slow_z = 4,              \
			       .slow_ratio = 1.15,       \
			       .slow_sigma = 0.0296})

/* What one window says of one entity. */
struct look {
	bool judged; /* it had data and enough peers; else all below is NaN or false */
	double d, offset, sigma, z, ratio; /* ratio: exp(d - offset) */
	double value, peers;
	bool flagged;		/* z, ratio and floor */
	bool odd;		/* the fast vote is complete with this window (and stays so) */
	unsigned int flags, of; /* flagged of the last so many judged */
	bool low;		/* the rule for few peers was used */
	/* The slow test; NaN and false while there are too few windows. */
	double slow_d, slow_z, slow_ratio; /* against the median of all D */
	double slow_sigma;
	bool chronic;
	unsigned int slow_windows;
};

struct track;

/* n entities can grow by track_grow(). NULL: out of memory. */
struct track *track_new(size_t n, const struct track_params *p);
void track_free(struct track *t);	   /* takes NULL */
int track_grow(struct track *t, size_t n); /* more entities, which have no past; 0 or -ENOMEM */

/*
 * The next window: c[i].d NaN where entity i is not judged. excess[i]: whether its absolute excess is
 * over the signal's floor (NULL: all are). A window without data of anybody is to be pushed too: votes
 * count the last judged windows of an entity, but not those more than 3 x `of` windows ago.
 * out: n. 0 or -ENOMEM.
 *
 * What ALGORITHMS leaves open [D]:
 * - A window in which fewer than 3 entities are judged judges nobody.
 * - The vote is complete with a flagged window, `votes` of the last `of` flagged, if two of those are `apart`
 *   pushes apart; or if the windows of the last `apart` + 1 pushes are all there, c->newest of each is worse
 *   by `ratio` and z beyond the own offset, and `votes` of them are flagged with far_z or more.
 * - odd begins with a flagged window, and ends after `of` judged windows in a row without a flag, or
 *   when the entity was not judged for more than 3 x `of` windows.
 * - b is learnt with a delay: a window counts only once max(of, few_of, apart) later judged ones are there,
 *   and only if neither it nor any of as many before and after was flagged, odd or chronic; after a gap
 *   of more than 3 x `of` windows it begins as after a flag. So with the defaults b counts from the
 *   20th window. The median is that of d in steps of offset_max / 162, over the half of offset_hops
 *   that is running and the whole half before it, clipped to [0, offset_max].
 * - What rises so slowly that no window is flagged is learnt as far as the median follows; the slow
 *   test, which leaves b out, sees it then.
 * - The spread is that of d less today's b, of the last `spread` windows pushed.
 * - The slow test is made every `apart` windows pushed, and its result kept in between; D is of the
 *   last slow_max judged windows, of an entity judged within as many; chronic needs 5 entities with a
 *   D and the excess in half of those windows. sigma_D is also at least the standard error of the
 *   entity's own D, 1.2533 x 1.4826 x MAD of its d / sqrt(windows / apart): the medians of 20 noisy
 *   windows of four peers can lie close together by chance.
 * - With few judged, one that is worse moves the medians of the others, all by the same amount: that is
 *   taken off before their spread is (what is common to a window is the median of d - b).
 * - Exactly half of the entities bad: d of the bad is up by as much as that of the good is down, and
 *   sigma grows to as much, so that nobody stays flagged; the slow test names the bad. More than half:
 *   the good are down, the bad unremarkable, and nobody is odd or chronic.
 * Memory: some 2.5 kB for an entity once it is judged.
 */
int track_push(struct track *t, const struct compared *c, const bool *excess, struct look *out);

/* Offsets kept between runs: what was learnt of entity i, NaN if too little. Set before the first
 * push: counts as offset_min windows, so that new data soon outweigh it. */
double track_offset(const struct track *t, size_t i);
void track_set_offset(struct track *t, size_t i, double offset);

#endif
