/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The deployment phase of Ganesha for one group of peers (Pan et al., Fig. 5 and 7): every second
 * the label of every node, the decayed histograms of labels, and how far each node is from its
 * peers. What training and judging share; alarms are theirs.
 *
 * A node is not judged, that is, is not compared and is nobody's peer [D]:
 *  - in a second in which its vector is not complete: a node that is away has no behaviour; its
 *    histogram stands still;
 *  - until its histogram holds 1/(1 - lambda) seconds: before, a few labels are all of it.
 */
#ifndef LIMPET_GANESHA_WATCH_H
#define LIMPET_GANESHA_WATCH_H

#include "analyzer/methods/model/ganesha.h"
#include "analyzer/methods/learn/gmm.h"
#include "analyzer/methods/learn/jsd.h"
#include "ganesha_seconds.h"
#include "userspace/common/scratch.h"

struct ganesha_watch {
	struct ganesha_seconds seconds; /* as they come */
	const struct ganesha *g;
	struct scratch room;	/* of the arrays below */
	size_t n_nodes, labels; /* labels: K profiles and "unknown" */
	double *scale;		/* d: ganesha_scale() */
	unsigned int warm_up;	/* seconds */
	double *hist;		/* n_nodes x labels, decayed counts */
	unsigned int *held;	/* n_nodes: seconds in it; stops at warm_up */
	size_t compared;	/* seconds so far in which at least three nodes were */
	/* Who is compared in this second: */
	size_t n;
	size_t *member;	 /* n: nodes, ascending */
	double *kth;	 /* n: see jsd_score(); k is the least majority of peers */
	uint32_t *above; /* n: peers further than the threshold */
	/* Scratch */
	struct gmm gmm;
	struct jsd jsd;
	double *x; /* n_nodes x d */
	double *p; /* n_nodes x labels */
	size_t *complete;
	uint32_t *label;
};

/* Metrics are g's, `metric` their numbers in the frame, which stay the caller's. 0, -ENOMEM or -EDOM. */
int ganesha_watch_init(struct ganesha_watch *w, const struct ganesha *g, const struct frame *part,
		       const size_t *metric);
void ganesha_watch_release(struct ganesha_watch *w); /* takes a zeroed one */

/*
 * The next second, a column that `seconds` holds. Labels, histograms, and if at least three nodes
 * can be compared, their distances against the threshold t; all: kth of every one of them.
 */
void ganesha_watch_second(struct ganesha_watch *w, size_t column, double t, bool all);

/* Whether member i is over the threshold with more than (n-1)/2 of its peers [P, the text; Fig. 7
 * has n/2]. */
bool ganesha_watch_alarm(const struct ganesha_watch *w, size_t i);

#endif
