// SPDX-License-Identifier: BSD-2-Clause
/*
 * Method `cwnd`: packet loss cuts a sender's congestion window by a factor, so its logarithm falls
 * linearly with each loss (Kasick et al., FAST'10, section on the congestion window). Values are
 * noisy, so no histograms: each second, a node is low if its ln cwnd, a trailing mean, is below a
 * trained fraction of the median over all nodes; a window is odd if more than half of its seconds
 * are low [D]. Seconds whose median is below ln 2 say nothing [D].
 *
 * Training: the fraction of a node is its lowest ratio to the median in fault-free runs. Judging:
 * slack widens the drop it allows, 1 - slack * (1 - fraction), and a node within a twentieth of the
 * median is never low: one loss takes about a tenth off ln cwnd (ln 0.7 of 3.5) [D].
 *
 * Under BBR cwnd does not follow loss this way.
 */
#include "window_run.h"

#include <errno.h>
#include <math.h>

#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"
#include "userspace/common/scratch.h"

#define FRACTION_MAX 0.95

static const enum metric_id cwnd_metrics[] = {M_CWND_LN};

/* One slice of one group. Columns are those held. */
struct look {
	const struct frame *f;
	struct scratch room;
	size_t at, n_times;
	double *smooth; /* n_nodes x n_times: trailing means of ln cwnd */
	double *ratio;	/* n_nodes x n_times: to the median of that second; NaN: nothing to say */
	double *spare;	/* n_nodes */
};

static void fill_ratios(struct look *l)
{
	size_t n = l->f->n_nodes, n_times = l->n_times;

	for (size_t t = 0; t < n_times; t++) {
		size_t there = 0;
		double median = NAN;

		for (size_t i = 0; i < n; i++)
			if (!isnan(l->smooth[i * n_times + t]))
				l->spare[there++] = l->smooth[i * n_times + t];
		if (there >= NODES_MIN)
			median = stats_quantile(l->spare, there, 0.5);
		if (median < M_LN2)
			median = NAN;
		for (size_t i = 0; i < n; i++)
			l->ratio[i * n_times + t] = l->smooth[i * n_times + t] / median;
	}
}

static int look_init(struct look *l, const struct frame *f, size_t metric, const struct params *p)
{
	size_t cells = f->n_nodes * f->cells->held;

	*l = (struct look){.f = f, .at = f->cells->at, .n_times = f->cells->held};
	l->smooth = scratch_array(&l->room, cells, sizeof(double));
	l->ratio = scratch_array(&l->room, cells, sizeof(double));
	l->spare = scratch_array(&l->room, f->n_nodes, sizeof(double));
	if (l->room.failed) {
		scratch_release(&l->room);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n_nodes; i++)
		windows_smooth(frame_row(f, metric, i), l->smooth + i * l->n_times, l->n_times,
			       p->cwnd_smooth);
	fill_ratios(l);
	return 0;
}

/* How many nodes have enough seconds of window w. */
static size_t members(const struct look *l, const struct params *p, size_t w)
{
	size_t n = 0;

	for (size_t i = 0; i < l->f->n_nodes; i++) {
		const double *x = l->ratio + i * l->n_times + w * p->shift - l->at;
		unsigned int there;

		windows_mean(x, p->window, &there);
		n += windows_enough(there, p->window);
	}
	return n;
}

static unsigned int context(const struct params *p)
{
	return p->cwnd_smooth;
}

/* ---- training ---------------------------------------------------------------------------------*/

static int train_task(struct window_run *r, struct window_task *t, struct slice s)
{
	struct slice windows = windows_of_slice(t->f, r->p, s);
	double *value = r->train->trained[t->row].value;
	const size_t *row = t->f->row;
	struct look l;

	if (look_init(&l, t->f, t->metric, r->p))
		return -ENOMEM;
	for (size_t w = windows.from; w < windows.to; w++)
		t->windows += members(&l, r->p, w) >= NODES_MIN;
	for (size_t i = 0; i < t->f->n_nodes; i++)
		for (size_t c = s.from; c < s.to; c++)
			value[row[i]] = fmin(value[row[i]], l.ratio[i * l.n_times + c - l.at]);
	scratch_release(&l.room);
	return 0;
}

static void *train_new(const struct method *method, const struct peers *peers, struct model *m)
{
	struct window_run *r = window_run_train(method, peers, m);

	/* without the metric, the model still says that it was trained */
	if (!r || r->n_rows || model_add(m, method->name, metrics[M_CWND_LN].name))
		return r;
	window_run_free(r);
	return NULL;
}

/* ---- judging ----------------------------------------------------------------------------------*/

/* Fills what is known about node i in window w; e->mean is NaN if the node is not judged. */
static void look_node(const struct look *l, const struct params *p, struct explained *e,
		      double *ratio)
{
	size_t from = e->node * l->n_times + e->window * p->shift - l->at;
	unsigned int there, any;

	*ratio = windows_mean(l->ratio + from, p->window, &there);
	e->mean = windows_enough(there, p->window) ? windows_mean(l->smooth + from, p->window, &any)
						   : NAN;
	if (isnan(e->mean))
		return;
	for (unsigned int s = 0; s < p->window; s++)
		e->above += l->ratio[from + s] < e->threshold;
	e->score = (double)e->above / there;
}

static int judge_window(struct window_run *r, struct window_task *t, struct look *l, size_t w)
{
	size_t n = 0, n_nodes = l->f->n_nodes;
	int err = 0;

	/* the means of all members first: peers are compared with them */
	for (size_t i = 0; i < n_nodes; i++) {
		struct explained e = {.window = w, .node = i};
		double ratio;

		look_node(l, r->p, &e, &ratio);
		if (!isnan(e.mean))
			l->spare[n++] = e.mean;
	}
	stats_sort(l->spare, n);
	t->coverage.windows += n >= NODES_MIN;
	for (size_t i = 0; i < n_nodes && !err; i++) {
		struct explained e = window_run_blank(r, t, w, i);
		double ratio;

		look_node(l, r->p, &e, &ratio);
		if (n >= NODES_MIN && !isnan(e.mean)) {
			e.peers = stats_peers_median(l->spare, n, e.mean);
			if (!isnan(e.threshold))
				e.verdict = e.score > 0.5 ? VOTE_ODD : VOTE_FINE;
		}
		err = window_run_vote(r, t, &e, (1 - ratio) / (1 - e.threshold));
	}
	return err;
}

static int judge_task(struct window_run *r, struct window_task *t, struct slice s)
{
	struct slice windows = windows_of_slice(t->f, r->p, s);
	struct look l;
	int err = 0;

	if (!t->trained)
		return 0;
	if (look_init(&l, t->f, t->metric, r->p))
		return -ENOMEM;
	for (size_t w = windows.from; w < windows.to && !err; w++)
		err = judge_window(r, t, &l, w);
	scratch_release(&l.room);
	return err;
}

static bool cwnd_threshold(const struct params *p, double fraction, struct blind *b)
{
	b->threshold = fmin(FRACTION_MAX, 1 - p->slack * (1 - fmin(fraction, FRACTION_MAX)));
	return b->threshold <= 0;
}

const struct method method_cwnd = {
	.name = "cwnd",
	METHOD_OF_WINDOWS,
	.metrics = cwnd_metrics,
	.n_metrics = sizeof(cwnd_metrics) / sizeof(*cwnd_metrics),
	.one_by_one = true,
	.per_node = true,
	.context = context,
	.passes = 1,
	.train_new = train_new,
	.train_task = train_task,
	.judge_task = judge_task,
	.threshold = cwnd_threshold,
};
