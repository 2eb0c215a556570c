/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One interval, one signal: how much worse is each entity (a disk, a server) than its peers? Pure
 * arithmetic; METHOD.md has it in words.
 */
#ifndef LIMPET_COMPARE_H
#define LIMPET_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

/* What one entity showed under one load: id is (class << 8 | load), where entities of one id did
 * comparable work (class: operation and size class; load: the load cell + 128, or CELL_ANY for all
 * loads together). */
struct cell {
	uint32_t id;
	double ln_q; /* ln of what is typical for them: the mean of their logarithms */
	double variance; /* of one event's logarithm; of a mean of another kind, of one event's part in it */
	double n; /* events */
};
enum { CELL_ANY = 255 };
#define CELL_ID(class, load) ((uint32_t)(class) << 8 | (uint32_t)((load) + 128))
#define CELL_ID_ANY(class)   ((uint32_t)(class) << 8 | CELL_ANY)

struct cells {
	const struct cell *at; /* ascending id: for every class its load cells, then CELL_ANY */
	size_t n;
};

struct compare_opts {
	double events;	    /* a cell needs so many on the entity and on enough peers */
	unsigned int peers; /* enough: min(this, n - 1), at least 2 */
};

/* In which cell an entity was compared; the worst of those used. */
enum compared_in { IN_SHARED, IN_NEAREST, IN_ANY, IN_NONE };

struct compared {
	double d; /* weighted mean over cells of ln q_i - median ln q_j; NaN: is not judged */
	double value, peers; /* geometric means of q and of the peers' medians, likewise weighted */
	double weight;	     /* events compared */
	double variance;     /* of one of them; 0: a number */
	uint32_t id;	     /* of the cell that says most */
	unsigned int cells;  /* compared */
	unsigned int n_peers; /* in the cell that says most */
	enum compared_in in;
	bool alone; /* it and two others had events enough, but not at one load */
};

/*
 * For a cell c that enough peers share: d_ic = ln q_ic - median over j != i of ln q_jc; else the same
 * class's nearest cell in which enough peers are (the entity's own value against theirs there, at most
 * 2 half octaves away; of two as near, the one that says less of the entity), else, once per class,
 * CELL_ANY, if the entity has no more events in the class than its peers' median (within half an octave): more
 * work makes nothing quicker. CELL_ANY also stands in where none of the entity's cells in the class has
 * events enough; its weight is limited to the events that were not compared in cells, so that none counts
 * twice [D]. d_i: mean of d_ic weighted by min(n_ic, median_j n_jc), and value and peers likewise. Enough
 * peers: n is how many entities have any event in the class. `weight` is the sum of those weights.
 * O(cells x log). e and out have n entities; e[i].n == 0: no data. 0 or -ENOMEM.
 */
int compare_cells(const struct cells *e, size_t n, const struct compare_opts *o,
		  struct compared *out);

/* Of a number x_i (NaN: no data): d = ln((x + c) / (median of the others + c)); value x, peers the
 * median. Needs at least 2 others, and x + c and the median + c above 0. 0 or -ENOMEM. */
int compare_numbers(const double *x, size_t n, double c, struct compared *out);

/* Wasserstein-1 between the CDFs of the logarithms of two histograms of bpf/record.h, every event at the
 * centre of its bucket: mean distance in ln, so exp() reads as an average ratio. NaN if one is empty. Cross-checked with
 * scipy.stats.wasserstein_distance. */
double compare_w1(const uint64_t a[LAT_BUCKETS], const uint64_t b[LAT_BUCKETS]);

#endif
