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
#include "method.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats.h"
#include "windows.h"

#define FRACTION_MAX 0.95

static const enum metric_id cwnd_metrics[] = {M_CWND_LN};

struct look {
	const struct frame *f;
	double *smooth; /* n_nodes x n_times: trailing means of ln cwnd */
	double *ratio;	/* n_nodes x n_times: to the median of that second; NaN: nothing to say */
	double *spare;	/* n_nodes */
};

static void look_release(struct look *l)
{
	free(l->smooth);
	free(l->ratio);
	free(l->spare);
}

static void fill_ratios(struct look *l)
{
	size_t n = l->f->n_nodes, n_times = l->f->n_times;

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

static int look_init(struct look *l, const struct frame *f, const struct params *p)
{
	size_t cells = f->n_nodes * f->n_times + 1;

	*l = (struct look){.f = f};
	l->smooth = calloc(cells, sizeof(double));
	l->ratio = calloc(cells, sizeof(double));
	l->spare = calloc(f->n_nodes + 1, sizeof(double));
	if (!l->smooth || !l->ratio || !l->spare) {
		look_release(l);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n_nodes; i++)
		windows_smooth(frame_row(f, M_CWND_LN, i), l->smooth + i * f->n_times, f->n_times,
			       p->cwnd_smooth);
	fill_ratios(l);
	return 0;
}

/* How many nodes have enough seconds of window w. */
static size_t members(const struct look *l, const struct params *p, size_t w)
{
	size_t n = 0;

	for (size_t i = 0; i < l->f->n_nodes; i++) {
		unsigned int there;

		windows_mean(l->ratio + i * l->f->n_times + w * p->shift, p->window, &there);
		n += windows_enough(there, p->window);
	}
	return n;
}

static int train(const struct frame *f, struct model *m)
{
	size_t n_windows = windows_count(f->n_times, m->params.window, m->params.shift);
	struct trained *t = model_add(m, method_cwnd.name, M_CWND_LN);
	struct look l;

	if (!t || look_init(&l, f, &m->params))
		return -ENOMEM;
	for (size_t w = 0; w < n_windows; w++)
		t->windows += members(&l, &m->params, w) >= NODES_MIN;
	for (size_t i = 0; i < f->n_nodes; i++)
		for (size_t s = 0; s < f->n_times; s++)
			t->value[i] = fmin(t->value[i], l.ratio[i * f->n_times + s]);
	look_release(&l);
	return 0;
}

/* Fills what is known about node i in window w; e->mean is NaN if the node abstains. */
static void look_node(const struct look *l, const struct params *p, struct explained *e,
		      double *ratio)
{
	size_t at = e->node * l->f->n_times + e->window * p->shift;
	unsigned int there, any;

	*ratio = windows_mean(l->ratio + at, p->window, &there);
	e->mean = windows_enough(there, p->window) ? windows_mean(l->smooth + at, p->window, &any)
						   : NAN;
	if (isnan(e->mean))
		return;
	for (unsigned int s = 0; s < p->window; s++)
		e->above += l->ratio[at + s] < e->threshold;
	e->score = (double)e->above / there;
}

static int judge_window(struct look *l, const struct params *p, size_t w, const double *limit,
			struct vote *votes, struct judgement *j)
{
	size_t n = 0, n_nodes = l->f->n_nodes;
	int err = 0;

	/* the means of all members first: peers are compared with them */
	for (size_t i = 0; i < n_nodes; i++) {
		struct explained e = {.window = w, .node = i};
		double ratio;

		look_node(l, p, &e, &ratio);
		if (!isnan(e.mean))
			l->spare[n++] = e.mean;
	}
	stats_sort(l->spare, n);
	for (size_t i = 0; i < n_nodes && !err; i++) {
		struct explained e = {.method = method_cwnd.name,
				      .metric = M_CWND_LN,
				      .window = w,
				      .node = i,
				      .from_ns = frame_time(l->f, w * p->shift),
				      .threshold = limit[i],
				      .score = NAN,
				      .peers = NAN,
				      .verdict = VOTE_ABSTAIN};
		double ratio;

		look_node(l, p, &e, &ratio);
		if (n >= NODES_MIN && !isnan(e.mean)) {
			e.peers = stats_peers_median(l->spare, n, e.mean);
			if (!isnan(e.threshold))
				e.verdict = e.score > 0.5 ? VOTE_ODD : VOTE_FINE;
		}
		vote_push(&votes[i], j->votes, w, e.verdict,
			  (struct vote_odd){(1 - ratio) / (1 - e.threshold), e.mean, e.peers});
		err = judgement_explain(j, &e);
	}
	return err;
}

/* The lowest ratio allowed to each node of the frame. */
static int limits(const struct frame *f, const struct model *m, const struct trained *t,
		  const size_t *index, double *limit, struct judgement *j)
{
	int err = 0;

	for (size_t i = 0; i < f->n_nodes && !err; i++) {
		double fraction = t->value[index[i]];

		limit[i] = isnan(fraction)
				   ? NAN
				   : fmin(FRACTION_MAX,
					  1 - m->params.slack * (1 - fmin(fraction, FRACTION_MAX)));
		if (limit[i] <= 0)
			err = judgement_add_blind(j, &(struct blind){i, M_CWND_LN, limit[i], 0});
	}
	return err;
}

static int judge(const struct frame *f, const struct model *m, const size_t *index,
		 struct judgement *j)
{
	const struct trained *t = model_find(m, method_cwnd.name, M_CWND_LN);
	struct coverage c = {.metric = M_CWND_LN, .method = method_cwnd.name};
	double *limit = calloc(f->n_nodes + 1, sizeof(double));
	struct vote *votes = calloc(f->n_nodes + 1, sizeof(*votes));
	struct look l = {0};
	int err = -ENOMEM;

	if (!limit || !votes || (t && look_init(&l, f, &m->params)))
		goto out;
	err = t ? limits(f, m, t, index, limit, j) : 0;
	for (size_t w = 0; t && w < j->n_windows && !err; w++) {
		c.windows += members(&l, &m->params, w) >= NODES_MIN;
		err = judge_window(&l, &m->params, w, limit, votes, j);
	}
	if (err)
		goto out;
	c.trained = t ? t->windows : 0;
	err = judgement_add_votes(j, f, &c, votes, m->params.window, m->params.shift);
out:
	look_release(&l);
	free(limit);
	free(votes);
	return err;
}

const struct method method_cwnd = {
	.name = "cwnd",
	.summary = "congestion window against the peers' median, trained (FAST'10)",
	.metrics = cwnd_metrics,
	.n_metrics = sizeof(cwnd_metrics) / sizeof(*cwnd_metrics),
	.train = train,
	.judge = judge,
};
