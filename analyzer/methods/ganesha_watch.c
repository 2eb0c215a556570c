// SPDX-License-Identifier: BSD-2-Clause
/* Labels, histograms and distances of one second after the other. */
#include "ganesha_watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "method.h"

int ganesha_watch_init(struct ganesha_watch *w, const struct ganesha *g, const struct frame *part,
		       const size_t *metric)
{
	size_t n = part->n_nodes, d = g->d, labels = g->k + 1;

	*w = (struct ganesha_watch){.g = g, .n_nodes = n, .labels = labels};
	w->warm_up = (unsigned int)fmin(ceil(1 / (1 - g->lambda) - 1e-6), UINT32_MAX);
	w->scale = scratch_array(&w->room, d, sizeof(double));
	w->hist = scratch_array(&w->room, n, labels * sizeof(double));
	w->held = scratch_array(&w->room, n, sizeof(*w->held));
	w->member = scratch_array(&w->room, n, sizeof(*w->member));
	w->kth = scratch_array(&w->room, n, sizeof(double));
	w->above = scratch_array(&w->room, n, sizeof(*w->above));
	w->x = scratch_array(&w->room, n, d * sizeof(double));
	w->p = scratch_array(&w->room, n, labels * sizeof(double));
	w->complete = scratch_array(&w->room, n, sizeof(*w->complete));
	w->label = scratch_array(&w->room, n, sizeof(*w->label));
	if (w->room.failed || jsd_init(&w->jsd, n + 1, labels) || gmm_init(&w->gmm, g->k, d) ||
	    ganesha_seconds_init(&w->seconds, part, metric, d)) {
		ganesha_watch_release(w);
		return -ENOMEM;
	}
	for (size_t m = 0; m < d; m++)
		w->scale[m] = ganesha_scale(frame_metric(part, metric[m]));
	memcpy(w->gmm.mean, g->mean, g->k * d * sizeof(double));
	memcpy(w->gmm.cov, g->cov, g->k * d * d * sizeof(double));
	return gmm_factor(&w->gmm);
}

void ganesha_watch_release(struct ganesha_watch *w)
{
	scratch_release(&w->room);
	ganesha_seconds_release(&w->seconds);
	jsd_release(&w->jsd);
	gmm_release(&w->gmm);
	*w = (struct ganesha_watch){0};
}

/* Normalised vectors of the nodes that have a complete one; returns how many. */
static size_t normalise(struct ganesha_watch *w, const double *raw)
{
	size_t d = w->g->d, n = 0;

	for (size_t i = 0; i < w->n_nodes; i++) {
		bool all = true;

		for (size_t m = 0; m < d && all; m++) {
			double x = ganesha_log(raw[i * d + m] * w->scale[m]) / w->g->sigma[m];

			w->x[n * d + m] = x;
			all = !isnan(x);
		}
		if (all)
			w->complete[n++] = i;
	}
	return n;
}

void ganesha_watch_second(struct ganesha_watch *w, size_t column, double t, bool all)
{
	size_t labels = w->labels, n = normalise(w, ganesha_seconds_at(&w->seconds, column));

	w->n = 0;
	gmm_classify(&w->gmm, w->x, n, w->g->unknown, w->label, NULL);
	for (size_t c = 0; c < n; c++) {
		size_t i = w->complete[c];
		double *hist = w->hist + i * labels, sum = 0;

		for (size_t l = 0; l < labels; l++)
			hist[l] *= w->g->lambda;
		hist[w->label[c]] += 1;
		w->held[i] += w->held[i] < w->warm_up;
		if (w->held[i] < w->warm_up)
			continue;
		for (size_t l = 0; l < labels; l++)
			sum += hist[l];
		for (size_t l = 0; l < labels; l++)
			w->p[w->n * labels + l] = hist[l] / sum;
		w->member[w->n++] = i;
	}
	if (w->n < NODES_MIN) {
		w->n = 0;
		return;
	}
	w->compared++;
	jsd_score(&w->jsd, w->p, w->n, (w->n - 1) / 2 + 1, t, all, w->kth, w->above);
}

bool ganesha_watch_alarm(const struct ganesha_watch *w, size_t i)
{
	return 2 * (size_t)w->above[i] > w->n - 1;
}
