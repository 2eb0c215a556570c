/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What came out of judging: which node is indicted for which metric, on which evidence, and what
 * could not be judged. Methods fill it, the checklist reads it, the outputs print it.
 */
#ifndef LIMPET_JUDGEMENT_H
#define LIMPET_JUDGEMENT_H

#include "frame.h"
#include "vote.h"

/* One node indicted for one metric. */
struct finding {
	size_t node; /* of the frame */
	enum metric_id metric;
	const char *method;
	unsigned int flagged, judged; /* windows of the indictment: odd, and all */
	int64_t onset_ns, last_ns;    /* start of the first odd window, end of the last */
	double key;		      /* largest divergence over threshold: above 1 */
	double value, peers;	      /* node's mean and its peers' median, over its odd windows */
};

/* How well one metric could be judged. */
struct coverage {
	enum metric_id metric;
	const char *method;
	size_t windows; /* in which at least three nodes had data */
	size_t alike;	/* of those, in which the nodes did not differ: no threshold was tried */
	size_t trained; /* training windows */
	size_t judged;	/* nodes with enough windows for a vote */
	bool *voted;	/* the frame's nodes: which ones; NULL: none. Owned by the judgement */
};

/* A threshold out of reach: this node cannot be indicted for this metric. */
struct blind {
	size_t node;
	enum metric_id metric;
	double threshold, most; /* most: the largest divergence there can be; 0 for ratios */
};

/* One node in one window, for --explain. Values that were not there are NaN. */
struct explained {
	const char *method;
	enum metric_id metric;
	size_t window, node;
	int64_t from_ns;
	double mean, peers;	 /* node's mean, peers' median */
	double score, threshold; /* kl: k-th largest divergence; cwnd: share of low seconds */
	uint32_t above;		 /* peers above the threshold, or low seconds */
	enum vote_window verdict;
};

struct judgement {
	bool two_sided, explain;
	unsigned int votes;
	size_t n_windows; /* of the grid of the time judged */
	size_t n_useful;  /* of those, windows with data on three servers */
	struct finding *findings;
	size_t n_findings;
	struct coverage *coverage;
	size_t n_coverage;
	struct blind *blind;
	size_t n_blind;
	struct explained *explained;
	size_t n_explained, cap_explained;
};

void judgement_release(struct judgement *j);

/* Each 0 or -ENOMEM; the row is copied. */
int judgement_add_coverage(struct judgement *j, const struct coverage *c);
int judgement_add_blind(struct judgement *j, const struct blind *b);
int judgement_explain(struct judgement *j, const struct explained *e); /* nothing unless explain */

/*
 * The votes (n_nodes) of one metric after the last window: indicted ones become findings, and *c,
 * whose `judged` and `voted` are filled here, a row of coverage. 0 or -ENOMEM.
 */
int judgement_add_votes(struct judgement *j, const struct frame *f, const struct coverage *c,
			const struct vote *votes, unsigned int window, unsigned int shift);

/* Whether any metric of any node could be judged at all. */
bool judgement_made(const struct judgement *j);

/* Whether this node of the frame could be judged on any metric. */
bool judgement_of(const struct judgement *j, size_t node);

/*
 * Our decision [D]: a faster server does not limp. For a metric whose worse direction is known, a
 * window counts as odd only if the node's mean lies on that side of its peers' median. Training
 * does not look at the direction: thresholds then bound healthy noise both ways, so this can only
 * remove indictments, and one model serves both settings.
 */
bool judgement_direction(const struct judgement *j, enum metric_id metric, double mean,
			 double peers);

#endif
