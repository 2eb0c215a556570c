/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One metric of one slice of one group under method `kl`: smoothed, then window by window who has
 * data, histograms and divergences. For method_kl.c.
 */
#ifndef LIMPET_KL_LOOK_H
#define LIMPET_KL_LOOK_H

#include "analyzer/source/frame/frame.h"
#include "analyzer/methods/learn/kl.h"
#include "analyzer/methods/model/params.h"
#include "userspace/common/scratch.h"

/* The window looked at last, and room for it. */
struct kl_look {
	const struct frame *f;
	const struct params *p;
	struct scratch room; /* of the arrays */
	double floor;
	size_t at, n_times; /* columns held */
	double *smooth;	    /* n_nodes x n_times */
	double *pooled;	    /* n_nodes x window */
	struct kl kl;
	double *hist, *kth, *mean, *sorted, *t; /* of the members: bins, 1, 1, 1, 1 per node */
	uint32_t *above;
	size_t *member; /* nodes that are judged in this window */
	size_t n;	/* how many */
	size_t n_peers; /* each was compared with */
};

/* Smooths all that is held; f and p must outlive it. 0 or -ENOMEM. */
int kl_look_init(struct kl_look *l, const struct frame *f, size_t metric, const struct params *p);
void kl_look_release(struct kl_look *l);

/* Who has data in window w, with which mean; false if too few have. */
bool kl_look_members(struct kl_look *l, size_t w);

/* above[] of the members of window w against t[], and kth[]: all, or those over t[]. False if the
 * members do not differ. */
bool kl_look_window(struct kl_look *l, size_t w, bool all);

#endif
