// SPDX-License-Identifier: BSD-2-Clause
/*
 * Methods `ratio`, `hdfs` and `ceph`: one formula each (method_baseline.h) on the means of each metric
 * in each window; votes and causes as `kl` has them. Larger is worse: the metrics are those of `kl`,
 * whose throughputs count when they are larger than the peers', and retransmissions; a metric that
 * is worse when smaller is passed over.
 */
#include "method_baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "window_run.h"
#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"

#define KEY_MAX 1e9

static const enum metric_id looked_at[] = {M_RKB_S,   M_WKB_S,	M_AWAIT,  M_R_AWAIT,
					   M_W_AWAIT, M_RXKB_S, M_TXKB_S, M_RETRANS_S};

/* A single segment sent again now and then is how TCP works; the metric table has no floor for it. */
static const double retrans_floor = 1; /* per second */

/* ---- the formulas -----------------------------------------------------------------------------*/

static double mad(const double *x, size_t n, double median, double *spare)
{
	for (size_t i = 0; i < n; i++)
		spare[i] = fabs(x[i] - median);
	return stats_quantile(spare, n, 0.5);
}

double baseline_ratio(const double *sorted, size_t n, double self, double floor, double *spare)
{
	double median = stats_peers_median(sorted, n, self);

	(void)spare;
	return fmax(2 * median, median + floor);
}

double baseline_hdfs(const double *sorted, size_t n, double self, double floor, double *spare)
{
	double median = stats_sorted_median(sorted, n);
	double spread = 1.4826 * mad(sorted, n, median, spare);

	(void)self;
	return fmax(floor, fmax(3 * median, median + 3 * spread));
}

double baseline_ceph(const double *sorted, size_t n, double self, double floor, double *spare)
{
	double median = stats_sorted_median(sorted, n);

	(void)self;
	return median + 10 * fmax(floor, mad(sorted, n, median, spare));
}

double baseline_key(double value, double limit)
{
	double key = 1 + (value - limit) / fabs(limit); /* value / limit where that is above 0 */

	return key < KEY_MAX ? key : KEY_MAX;
}

/* ---- judging ----------------------------------------------------------------------------------*/

struct means {
	double *mean, *sorted, *spare; /* of the group's nodes */
};

static void means_release(struct means *l)
{
	free(l->mean);
	free(l->sorted);
	free(l->spare);
}

/* The means of all that have enough of window w (NaN: the others), and the same sorted. Returns how
 * many have. */
static size_t fill_means(struct means *l, const struct window_task *t, const struct params *p,
			 size_t w)
{
	const struct frame *f = t->f;
	size_t n = 0, from = w * p->shift - f->cells->at;

	for (size_t i = 0; i < f->n_nodes; i++) {
		unsigned int there;
		double mean = windows_mean(frame_row(f, t->metric, i) + from, p->window, &there);

		l->mean[i] = windows_enough(there, p->window) ? mean : NAN;
		if (!isnan(l->mean[i]))
			l->sorted[n++] = mean;
	}
	stats_sort(l->sorted, n);
	return n;
}

/* reaches: the limit itself is over it. */
static int judge_window(struct window_run *r, struct window_task *t, struct means *l, size_t w,
			baseline_limit limit, bool reaches)
{
	const struct frame_metric *m = frame_metric(t->f, t->metric);
	double floor = m->known == M_RETRANS_S ? retrans_floor : m->floor;
	size_t n = fill_means(l, t, r->p, w);
	int err = 0;

	t->coverage.windows += n >= NODES_MIN;
	for (size_t i = 0; i < t->f->n_nodes && !err; i++) {
		struct explained e = window_run_blank(r, t, w, i);

		e.mean = l->mean[i];
		if (n >= NODES_MIN && !isnan(e.mean)) {
			bool odd;

			e.peers = stats_peers_median(l->sorted, n, e.mean);
			e.score = e.mean;
			e.threshold = limit(l->sorted, n, e.mean, floor, l->spare);
			odd = e.score > e.threshold || (reaches && e.score >= e.threshold);
			/* where all are alike, a limit without a floor is what they all have */
			e.verdict = odd && e.mean > e.peers ? VOTE_ODD : VOTE_FINE;
		}
		err = window_run_vote(r, t, &e, baseline_key(e.score, e.threshold));
	}
	return err;
}

static int judge_task(struct window_run *r, struct window_task *t, struct slice s,
		      baseline_limit limit, bool reaches)
{
	struct slice windows = windows_of_slice(t->f, r->p, s);
	size_t n = t->f->n_nodes + 1;
	struct means l = {calloc(n, sizeof(double)), calloc(n, sizeof(double)),
			  calloc(n, sizeof(double))};
	int err = l.mean && l.sorted && l.spare ? 0 : -ENOMEM;

	for (size_t w = windows.from; w < windows.to && !err; w++)
		err = judge_window(r, t, &l, w, limit, reaches);
	means_release(&l);
	return err;
}

/* ---- the rows ---------------------------------------------------------------------------------*/

#define BASELINE(NAME, REACHES)                                                             \
	static int NAME##_task(struct window_run *r, struct window_task *t, struct slice s) \
	{                                                                                   \
		return judge_task(r, t, s, baseline_##NAME, REACHES);                       \
	}                                                                                   \
	const struct method method_##NAME = {                                               \
		.name = #NAME,                                                              \
		METHOD_OF_WINDOWS,                                                          \
		.metrics = looked_at,                                                       \
		.n_metrics = sizeof(looked_at) / sizeof(*looked_at),                        \
		.larger = true,                                                             \
		.judge_task = NAME##_task,                                                  \
	}

BASELINE(ratio, false); /* over twice the peers' median: a rule of thumb */
BASELINE(hdfs, false);	/* over 3 x the median and 3 deviations: HDFS's slow nodes */
BASELINE(ceph, true);	/* 10 deviations over the median: proposed for Ceph */
