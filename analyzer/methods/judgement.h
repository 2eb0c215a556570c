/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The working memory of the methods that look at frames: which node is indicted for which metric, on which
 * findings, and what could not be judged. Methods fill it, and conclude.h makes a verdict of it.
 */
#ifndef LIMPET_JUDGEMENT_H
#define LIMPET_JUDGEMENT_H

#include <pthread.h>

#include "analyzer/source/frame/frame.h"
#include "analyzer/verdict/finding_make.h"
#include "vote.h"

/*
 * Nodes are numbers of the whole frame everywhere in a judgement; methods, which look at a part, give
 * the part's and these functions translate.
 */

/* One node indicted for one metric. */
struct indictment {
	size_t metric; /* of the frame, or METRIC_ALL */
	const char *method;
	/*
	 * What of it becomes a finding, once the signal is known. flagged, judged: windows (ganesha: seconds) of the
	 * indictment, odd ones and all. From the start of the first odd window to the end of the last; decided_ns is
	 * the end of the window with which the vote was complete, and open that it still holds after the last window.
	 * score: the largest divergence over the threshold, above 1. value, peers: the node's mean and its peers'
	 * median, over its odd windows.
	 */
	struct finding_about about;
};

/* How well one metric could be judged. */
struct coverage {
	size_t metric; /* of the frame, or METRIC_ALL */
	const char *method;
	size_t windows; /* in which at least three nodes had data */
	size_t alike;	/* of those, in which the nodes did not differ: no threshold was tried */
	size_t trained; /* training windows */
	size_t judged;	/* nodes with enough windows for a vote */
	bool *voted;	/* the whole frame's nodes: which ones. The judgement's own */
};

/* A threshold out of reach: this node cannot be indicted for this metric. */
struct blind {
	size_t node;
	const char *method;
	size_t metric;		/* of the frame, or METRIC_ALL */
	double threshold, most; /* most: the largest divergence there can be; 0 for ratios */
};

/* One node in one window, for --explain. Values that were not there are NaN. */
struct explained {
	const char *method;
	size_t metric; /* of the frame, or METRIC_ALL */
	size_t window, node;
	int64_t from_ns;
	double mean, peers;	 /* node's mean, peers' median */
	double score, threshold; /* kl: k-th largest divergence; cwnd: share of low seconds */
	uint32_t above;		 /* peers above the threshold, or low seconds */
	enum vote_window verdict;
};

struct judgement {
	bool two_sided, explain;
	bool weighted; /* ganesha: indict by the weighted alarm count, not by alarms in a row */
	unsigned int votes;
	size_t n_useful; /* windows of the time judged with data on three servers of one group */
	struct indictment *indictments;
	size_t n_indictments;
	struct coverage *coverage;
	size_t n_coverage;
	struct blind *blind;
	size_t n_blind;
	struct explained *explained;
	size_t n_explained, cap_explained;
	size_t n_nodes; /* of the whole frame */
	pthread_mutex_t lock;
};

/* Sets what the frame says; the rest is the caller's. */
void judgement_init(struct judgement *j, const struct frame *whole);

void judgement_release(struct judgement *j);

/*
 * The rows of coverage of several groups, for the same method and metric, become one: windows are the
 * largest number of any group, and so are `trained` and the windows that are not `alike`. The row, for
 * coverage_judged() until the next call; NULL: no memory.
 */
struct coverage *judgement_add_coverage(struct judgement *j, const struct coverage *c);
/* Node i of the part was judged on it. */
void coverage_judged(struct coverage *row, const struct frame *part, size_t i);

/* Each 0 or -ENOMEM; the row is copied. `part` is the frame the row's nodes are numbers of. */
int judgement_add_indictment(struct judgement *j, const struct frame *part, size_t metric,
			     const char *method, const struct finding_about *about);
int judgement_add_blind(struct judgement *j, const struct frame *part, const struct blind *b);
/* Nothing unless `explain`. May be called by several threads at once. */
int judgement_explain(struct judgement *j, const struct frame *part, const struct explained *e);

/*
 * The votes (of the part's nodes) of one metric after the last window: those indicted become indictments,
 * and *c, whose `judged` and `voted` are filled here, a row of coverage. 0 or -ENOMEM.
 */
int judgement_add_votes(struct judgement *j, const struct frame *part, const struct coverage *c,
			const struct vote *votes, unsigned int window, unsigned int shift);

/* NULL if there is no such row. */
struct coverage *judgement_coverage(const struct judgement *j, size_t metric, const char *method);

/* Drops indictments, coverage and the rest: nothing could be judged after all. */
void judgement_forget(struct judgement *j);

/* Rows in an order that does not depend on which thread came first, nor (blind) on groups. */
void judgement_sort(struct judgement *j);

/* Whether any metric of any node could be judged at all. */
bool judgement_made(const struct judgement *j);

/*
 * Our decision [D]: a faster server does not limp. For a metric whose worse direction is known, a
 * window counts as odd only if the node's mean lies on that side of its peers' median. Training
 * does not look at the direction: thresholds then bound healthy noise both ways, so this can only
 * remove indictments, and one model serves both settings.
 */
bool judgement_direction(const struct judgement *j, const struct frame_metric *metric, double mean,
			 double peers);

#endif
