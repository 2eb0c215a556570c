// SPDX-License-Identifier: BSD-2-Clause
/*
 * Method `kl`: histograms of each metric in each window, symmetric KL divergence between every two
 * nodes (Kasick et al., FAST'10). A node is odd if it diverges from more than (n-1)/2 peers.
 *
 * Training [P]: the smallest threshold per node and metric that leaves no anomaly in fault-free
 * runs. In closed form [D]: a node has more than (n-1)/2 divergences over T exactly if its k-th
 * largest one is over T, k = floor((n-1)/2)+1; so the model keeps the largest of those over all
 * windows, and T = max(t_min, slack * that).
 */
#include "method.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "kl.h"
#include "stats.h"
#include "windows.h"

/*
 * Storage throughput, storage latency and network throughput [P]. Read and write await besides:
 * a shallow hog's quick reads can lower the combined one on the very server that suffers [D].
 */
static const enum metric_id kl_metrics[] = {M_RKB_S,   M_WKB_S,	 M_AWAIT, M_R_AWAIT,
					    M_W_AWAIT, M_RXKB_S, M_TXKB_S};

/* One metric of one frame, and the window being looked at. */
struct look {
	const struct frame *f;
	enum metric_id metric;
	unsigned int window, shift, bins;
	double *smooth; /* n_nodes x n_times */
	double *pooled; /* n_nodes x window */
	struct kl kl;
	double *p, *kth, *mean, *sorted, *t; /* of the members: bins, 1, 1, 1, 1 per node */
	uint32_t *above;
	size_t *member; /* nodes that do not abstain in this window */
	size_t n;	/* how many */
};

static void look_release(struct look *l)
{
	free(l->smooth);
	free(l->pooled);
	free(l->p);
	free(l->kth);
	free(l->mean);
	free(l->sorted);
	free(l->t);
	free(l->above);
	free(l->member);
	kl_release(&l->kl);
}

static int look_init(struct look *l, const struct frame *f, const struct params *p)
{
	size_t n = f->n_nodes;

	*l = (struct look){.f = f, .window = p->window, .shift = p->shift, .bins = p->bins};
	l->smooth = calloc(n * f->n_times + 1, sizeof(double));
	l->pooled = calloc(n * p->window + 1, sizeof(double));
	l->p = calloc(n + 1, p->bins * sizeof(double));
	l->kth = calloc(n + 1, sizeof(double));
	l->mean = calloc(n + 1, sizeof(double));
	l->sorted = calloc(n + 1, sizeof(double));
	l->t = calloc(n + 1, sizeof(double));
	l->above = calloc(n + 1, sizeof(*l->above));
	l->member = calloc(n + 1, sizeof(*l->member));
	if (!l->smooth || !l->pooled || !l->p || !l->kth || !l->mean || !l->sorted || !l->t ||
	    !l->above || !l->member || kl_init(&l->kl, n ? n : 1, p->bins)) {
		look_release(l);
		return -ENOMEM;
	}
	return 0;
}

static void look_metric(struct look *l, enum metric_id metric, unsigned int smooth)
{
	const struct frame *f = l->f;

	l->metric = metric;
	for (size_t i = 0; i < f->n_nodes; i++)
		windows_smooth(frame_row(f, metric, i), l->smooth + i * f->n_times, f->n_times,
			       smooth);
}

/* Who has data in window w, with which mean; false if too few have. */
static bool look_members(struct look *l, size_t w)
{
	l->n = 0;
	for (size_t i = 0; i < l->f->n_nodes; i++) {
		const double *x = l->smooth + i * l->f->n_times + w * l->shift;
		unsigned int there;
		double mean = windows_mean(x, l->window, &there);

		if (!windows_enough(there, l->window))
			continue;
		l->mean[l->n] = mean;
		l->member[l->n++] = i;
	}
	memcpy(l->sorted, l->mean, l->n * sizeof(double));
	stats_sort(l->sorted, l->n);
	return l->n >= NODES_MIN;
}

/* above[] of the members of window w against t[], and kth[]: all, or those over t[]. False if the
 * members do not differ. */
static bool look_window(struct look *l, size_t w, bool all)
{
	size_t n_pooled = 0;
	struct hist_edges e;

	for (size_t i = 0; i < l->n; i++) {
		const double *x = l->smooth + l->member[i] * l->f->n_times + w * l->shift;

		for (unsigned int s = 0; s < l->window; s++)
			if (!isnan(x[s]))
				l->pooled[n_pooled++] = x[s];
	}
	e = hist_edges(l->pooled, n_pooled, l->bins, metrics[l->metric].floor);
	if (e.degenerate) {
		memset(l->kth, 0, l->n * sizeof(*l->kth));
		memset(l->above, 0, l->n * sizeof(*l->above));
		return false;
	}
	for (size_t i = 0; i < l->n; i++)
		hist_fill(l->smooth + l->member[i] * l->f->n_times + w * l->shift, l->window, &e,
			  l->bins, l->p + i * l->bins);
	kl_score(&l->kl, l->p, l->n, kl_majority(l->n), l->t, all, l->kth, l->above);
	return true;
}

static int train(const struct frame *f, struct model *m)
{
	size_t n_windows = windows_count(f->n_times, m->params.window, m->params.shift);
	struct look l;
	int err = look_init(&l, f, &m->params);

	for (size_t k = 0; !err && k < sizeof(kl_metrics) / sizeof(*kl_metrics); k++) {
		struct trained *t = model_add(m, method_kl.name, kl_metrics[k]);

		if (!t) {
			err = -ENOMEM;
			break;
		}
		look_metric(&l, kl_metrics[k], m->params.smooth);
		for (size_t w = 0; w < n_windows; w++) {
			if (!look_members(&l, w))
				continue;
			/* only what exceeds the largest so far matters; at first, anything */
			for (size_t i = 0; i < l.n; i++)
				l.t[i] =
					isnan(t->value[l.member[i]]) ? -0.5 : t->value[l.member[i]];
			look_window(&l, w, false);
			t->windows++;
			for (size_t i = 0; i < l.n; i++)
				t->value[l.member[i]] = fmax(t->value[l.member[i]], l.kth[i]);
		}
	}
	look_release(&l);
	return err;
}

/* One window of one metric: the votes of its members, and of those who abstain. */
static int judge_window(struct look *l, size_t w, const double *threshold, struct vote *votes,
			struct coverage *c, struct judgement *j)
{
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; i < l->n; i++)
		l->t[i] = isnan(threshold[l->member[i]]) ? INFINITY : threshold[l->member[i]];
	c->windows++;
	c->alike += !look_window(l, w, j->explain);
	for (size_t node = 0; node < l->f->n_nodes && !err; node++) {
		struct explained e = {.method = method_kl.name,
				      .metric = l->metric,
				      .window = w,
				      .node = node,
				      .from_ns = frame_time(l->f, w * l->shift),
				      .mean = NAN,
				      .peers = NAN,
				      .score = NAN,
				      .threshold = threshold[node],
				      .verdict = VOTE_ABSTAIN};

		if (next < l->n && l->member[next] == node) {
			e.mean = l->mean[next];
			e.peers = stats_peers_median(l->sorted, l->n, e.mean);
			e.score = l->kth[next];
			e.above = l->above[next];
			if (!isnan(e.threshold))
				e.verdict = 2 * e.above > l->n - 1 &&
							    judgement_direction(j, l->metric,
										e.mean, e.peers)
						    ? VOTE_ODD
						    : VOTE_FINE;
			next++;
		}
		vote_push(&votes[node], j->votes, w, e.verdict,
			  (struct vote_odd){e.score / e.threshold, e.mean, e.peers});
		err = judgement_explain(j, &e);
	}
	return err;
}

/* The thresholds of one metric for the frame's nodes, and who is blind for it. */
static int thresholds(const struct frame *f, const struct model *m, const struct trained *t,
		      const size_t *index, double *threshold, struct judgement *j)
{
	double most = params_d_max(&m->params);
	int err = 0;

	for (size_t i = 0; i < f->n_nodes && !err; i++) {
		double trained = t->value[index[i]];

		threshold[i] =
			isnan(trained) ? NAN : fmax(m->params.t_min, m->params.slack * trained);
		/* Out of reach in practice at nine tenths: no fault separates histograms fully. */
		if (threshold[i] >= 0.9 * most)
			err = judgement_add_blind(
				j, &(struct blind){i, t->metric, threshold[i], most});
	}
	return err;
}

static int judge_metric(struct look *l, const struct model *m, const struct trained *t,
			const size_t *index, struct judgement *j)
{
	const struct frame *f = l->f;
	struct coverage c = {.metric = t->metric, .method = method_kl.name, .trained = t->windows};
	double *threshold = calloc(f->n_nodes + 1, sizeof(double));
	struct vote *votes = calloc(f->n_nodes + 1, sizeof(*votes));
	int err = -ENOMEM;

	if (!threshold || !votes)
		goto out;
	err = thresholds(f, m, t, index, threshold, j);
	look_metric(l, t->metric, m->params.smooth);
	for (size_t w = 0; w < j->n_windows && !err; w++) {
		if (look_members(l, w)) {
			err = judge_window(l, w, threshold, votes, &c, j);
		} else {
			for (size_t i = 0; i < f->n_nodes; i++)
				vote_push(&votes[i], j->votes, w, VOTE_ABSTAIN,
					  (struct vote_odd){0});
		}
	}
	if (err)
		goto out;
	err = judgement_add_votes(j, f, &c, votes, l->window, l->shift);
out:
	free(threshold);
	free(votes);
	return err;
}

static int judge(const struct frame *f, const struct model *m, const size_t *index,
		 struct judgement *j)
{
	struct look l;
	int err = look_init(&l, f, &m->params);

	for (size_t k = 0; !err && k < sizeof(kl_metrics) / sizeof(*kl_metrics); k++) {
		const struct trained *t = model_find(m, method_kl.name, kl_metrics[k]);
		struct coverage none = {.metric = kl_metrics[k], .method = method_kl.name};

		err = t ? judge_metric(&l, m, t, index, j) : judgement_add_coverage(j, &none);
	}
	look_release(&l);
	return err;
}

const struct method method_kl = {
	.name = "kl",
	.summary = "histograms and KL divergence, trained (FAST'10)",
	.metrics = kl_metrics,
	.n_metrics = sizeof(kl_metrics) / sizeof(*kl_metrics),
	.train = train,
	.judge = judge,
};
