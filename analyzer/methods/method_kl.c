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
#include "window_run.h"

#include <errno.h>
#include <math.h>

#include "kl_look.h"
#include "analyzer/stat/stats.h"

/*
 * Storage throughput, storage latency and network throughput [P]. Read and write await besides:
 * a shallow hog's quick reads can lower the combined one on the very server that suffers [D].
 */
static const enum metric_id kl_metrics[] = {M_RKB_S,   M_WKB_S,	 M_AWAIT, M_R_AWAIT,
					    M_W_AWAIT, M_RXKB_S, M_TXKB_S};

static unsigned int context(const struct params *p)
{
	return p->smooth;
}

/* ---- training ---------------------------------------------------------------------------------*/

static int train_task(struct window_run *r, struct window_task *t, struct slice s)
{
	struct slice windows = windows_of_slice(t->f, r->p, s);
	double *value = r->train->trained[t->row].value;
	struct kl_look l;

	if (kl_look_init(&l, t->f, t->metric, r->p))
		return -ENOMEM;
	for (size_t w = windows.from; w < windows.to; w++) {
		if (!kl_look_members(&l, w))
			continue;
		/* only what exceeds the largest so far matters; at first, anything */
		for (size_t i = 0; i < l.n; i++) {
			double so_far = value[t->f->row[l.member[i]]];

			l.t[i] = isnan(so_far) ? -0.5 : so_far;
		}
		kl_look_window(&l, w, false);
		t->windows++;
		for (size_t i = 0; i < l.n; i++) {
			double *v = &value[t->f->row[l.member[i]]];

			*v = fmax(*v, l.kth[i]);
		}
	}
	kl_look_release(&l);
	return 0;
}

/* ---- judging ----------------------------------------------------------------------------------*/

/* One window of one metric: the votes of its members; the others are not judged. */
static int judge_window(struct window_run *r, struct window_task *t, struct kl_look *l, size_t w)
{
	const struct frame_metric *metric = frame_metric(t->f, t->metric);
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; i < l->n; i++)
		l->t[i] = isnan(t->threshold[l->member[i]]) ? INFINITY : t->threshold[l->member[i]];
	t->coverage.windows++;
	t->coverage.alike += !kl_look_window(l, w, r->j->explain);
	for (size_t node = 0; node < l->f->n_nodes && !err; node++) {
		struct explained e = window_run_blank(r, t, w, node);

		if (next < l->n && l->member[next] == node) {
			e.mean = l->mean[next];
			e.peers = stats_peers_median(l->sorted, l->n, e.mean);
			e.score = l->kth[next];
			e.above = l->above[next];
			if (!isnan(e.threshold))
				e.verdict = 2 * e.above > l->n_peers &&
							    judgement_direction(r->j, metric,
										e.mean, e.peers)
						    ? VOTE_ODD
						    : VOTE_FINE;
			next++;
		}
		err = window_run_vote(r, t, &e, e.score / e.threshold);
	}
	return err;
}

static int judge_task(struct window_run *r, struct window_task *t, struct slice s)
{
	struct slice windows = windows_of_slice(t->f, r->p, s);
	struct kl_look l;
	int err = 0;

	if (!t->trained)
		return 0;
	if (kl_look_init(&l, t->f, t->metric, r->p))
		return -ENOMEM;
	for (size_t w = windows.from; w < windows.to && !err; w++) {
		if (kl_look_members(&l, w))
			err = judge_window(r, t, &l, w);
		else
			for (size_t i = 0; i < t->f->n_nodes; i++)
				vote_push(&t->votes[i], r->j->votes, w, VOTE_ABSTAIN,
					  (struct vote_odd){0});
	}
	kl_look_release(&l);
	return err;
}

/* Out of reach in practice at nine tenths: no fault separates histograms fully. */
static bool kl_threshold(const struct params *p, double trained, struct blind *b)
{
	b->threshold = fmax(p->t_min, p->slack * trained);
	b->most = params_d_max(p);
	return b->threshold >= 0.9 * b->most;
}

const struct method method_kl = {
	.name = "kl",
	METHOD_OF_WINDOWS,
	.metrics = kl_metrics,
	.n_metrics = sizeof(kl_metrics) / sizeof(*kl_metrics),
	.per_node = true,
	.context = context,
	.passes = 1,
	.train_new = window_run_train,
	.train_task = train_task,
	.judge_task = judge_task,
	.threshold = kl_threshold,
};
