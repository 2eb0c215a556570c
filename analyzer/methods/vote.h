/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The persistence vote: a node is indicted for a metric when it was odd in at least k of the last
 * 2k-1 windows (FAST'10: 3 of 5). State of one node and metric, fed window by window.
 *
 * The finding (flagged, held, key, value, peers) is that of the indictment alone: a window counts
 * if it was among the last 2k-1, from their first odd one on, when the vote held. An odd window
 * that stands alone, before, after or between, is none of it [D].
 */
#ifndef LIMPET_VOTE_H
#define LIMPET_VOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/methods/model/params.h"

enum vote_window {
	VOTE_ABSTAIN, /* could not be judged: takes its place among the last, as not odd [D] */
	VOTE_FINE,
	VOTE_ODD,
};

/* How one odd window looked: divergence over threshold, the node's mean, its peers' median. */
struct vote_odd {
	double key, value, peers;
};

struct vote {
	uint32_t recent;    /* bit 0 is the newest window, set where odd */
	uint32_t pending;   /* the same, set where judged and not yet in the finding */
	unsigned int n_odd; /* of all windows: the newest is odd[(n_odd - 1) % VOTES_MAX] */
	struct vote_odd odd[VOTES_MAX]; /* enough: k pending odd ones of 2k-1 are an indictment */
	unsigned int judged;		/* of all windows */
	bool indicted;
	size_t onset;	      /* first odd window of the first indictment */
	size_t decided;	      /* window with which it was first indicted */
	size_t last;	      /* last odd window while indicted */
	unsigned int flagged; /* odd windows of the indictment */
	unsigned int held;    /* judged windows of the indictment */
	double key;	      /* the largest of its odd windows: ranks the indicted */
	double value, peers;  /* sums over its odd windows */
};

/* Window number `window` (ascending), 1 <= k <= VOTES_MAX; `odd` counts for odd windows only. */
void vote_push(struct vote *v, unsigned int k, size_t window, enum vote_window w,
	       struct vote_odd odd);

#endif
