/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The persistence vote: a node is indicted for a metric when it was odd in at least k of the last
 * 2k-1 windows (FAST'10: 3 of 5). State of one node and metric, fed window by window.
 */
#ifndef LIMPET_VOTE_H
#define LIMPET_VOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vote_window {
	VOTE_ABSTAIN, /* could not be judged: takes its place among the last, as not odd [D] */
	VOTE_FINE,
	VOTE_ODD,
};

struct vote {
	uint32_t recent; /* bit 0 is the newest window, set where odd */
	unsigned int judged, flagged;
	bool indicted;
	size_t onset; /* first odd window of the first indictment */
	size_t last;  /* last odd window while indicted */
	double key;   /* largest divergence over threshold of odd windows: ranks the indicted */
	double value; /* sums over the odd windows: of the node's mean, */
	double peers; /* and of its peers' median */
};

/* Window number `window` (ascending). key, value and peers count for odd windows only. */
void vote_push(struct vote *v, unsigned int k, size_t window, enum vote_window w, double key,
	       double value, double peers);

#endif
