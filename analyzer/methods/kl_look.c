// SPDX-License-Identifier: BSD-2-Clause
/* Smoothing, members, histograms and divergences of one metric, window by window. */
#include "kl_look.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/hist.h"
#include "method.h"
#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"

void kl_look_release(struct kl_look *l)
{
	scratch_release(&l->room);
	kl_release(&l->kl);
}

int kl_look_init(struct kl_look *l, const struct frame *f, size_t metric, const struct params *p)
{
	size_t n = f->n_nodes;

	*l = (struct kl_look){.f = f, .p = p, .at = f->cells->at, .n_times = f->cells->held};
	l->floor = frame_metric(f, metric)->floor;
	l->smooth = scratch_array(&l->room, n * l->n_times, sizeof(double));
	l->pooled = scratch_array(&l->room, n * p->window, sizeof(double));
	l->hist = scratch_array(&l->room, n, p->bins * sizeof(double));
	l->kth = scratch_array(&l->room, n, sizeof(double));
	l->mean = scratch_array(&l->room, n, sizeof(double));
	l->sorted = scratch_array(&l->room, n, sizeof(double));
	l->t = scratch_array(&l->room, n, sizeof(double));
	l->above = scratch_array(&l->room, n, sizeof(*l->above));
	l->member = scratch_array(&l->room, n, sizeof(*l->member));
	if (l->room.failed || kl_init(&l->kl, n ? n : 1, p->bins)) {
		kl_look_release(l);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		windows_smooth(frame_row(f, metric, i), l->smooth + i * l->n_times, l->n_times,
			       p->smooth);
	return 0;
}

/* The samples of a node in window w. */
static const double *samples(const struct kl_look *l, size_t node, size_t w)
{
	return l->smooth + node * l->n_times + w * l->p->shift - l->at;
}

bool kl_look_members(struct kl_look *l, size_t w)
{
	l->n = 0;
	for (size_t i = 0; i < l->f->n_nodes; i++) {
		unsigned int there;
		double mean = windows_mean(samples(l, i, w), l->p->window, &there);

		if (!windows_enough(there, l->p->window))
			continue;
		l->mean[l->n] = mean;
		l->member[l->n++] = i;
	}
	memcpy(l->sorted, l->mean, l->n * sizeof(double));
	stats_sort(l->sorted, l->n);
	return l->n >= NODES_MIN;
}

bool kl_look_window(struct kl_look *l, size_t w, bool all)
{
	size_t n_pooled = 0;
	struct hist_edges e;

	for (size_t i = 0; i < l->n; i++) {
		const double *x = samples(l, l->member[i], w);

		for (unsigned int s = 0; s < l->p->window; s++)
			if (!isnan(x[s]))
				l->pooled[n_pooled++] = x[s];
	}
	l->n_peers = l->n - 1;
	e = hist_edges(l->pooled, n_pooled, l->p->bins, l->floor);
	if (e.degenerate) {
		memset(l->kth, 0, l->n * sizeof(*l->kth));
		memset(l->above, 0, l->n * sizeof(*l->above));
		return false;
	}
	for (size_t i = 0; i < l->n; i++)
		hist_fill(samples(l, l->member[i], w), l->p->window, &e, l->p->bins,
			  l->hist + i * l->p->bins);
	if (l->p->partition)
		kl_score_some(&l->kl, l->hist, l->n, l->p->partition, w, l->t, all, l->kth,
			      l->above, &l->n_peers);
	else
		kl_score(&l->kl, l->hist, l->n, kl_majority(l->n), l->t, all, l->kth, l->above);
	return true;
}
