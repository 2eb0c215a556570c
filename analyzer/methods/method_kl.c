// SPDX-License-Identifier: BSD-2-Clause
/*
 * Method `kl`: histograms of each metric in each window, symmetric KL divergence between every two
 * nodes (Kasick et al., FAST'10). A node is odd if it diverges from more than (n-1)/2 peers.
 *
 * Training [P]: the smallest threshold per node and metric that leaves no anomaly in fault-free
 * runs. In closed form [D]: a node has more than (n-1)/2 divergences over T exactly if its k-th
 * largest one is over T, k = floor((n-1)/2)+1; so the model keeps the largest of those over all
 * windows, and T = max(t_min, slack * that).
 *
 * One metric of one group is a task of its own; with threads asked for, tasks run in parallel.
 */
#include "method.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kl_look.h"
#include "analyzer/source/source_hosts.h"
#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"

/*
 * Storage throughput, storage latency and network throughput [P]. Read and write await besides:
 * a shallow hog's quick reads can lower the combined one on the very server that suffers [D].
 */
static const enum metric_id kl_metrics[] = {M_RKB_S,   M_WKB_S,	 M_AWAIT, M_R_AWAIT,
					    M_W_AWAIT, M_RXKB_S, M_TXKB_S};

/* ---- tasks ------------------------------------------------------------------------------------*/

/* One metric of one group. */
struct task {
	const struct frame *f;
	size_t metric;
	/* judging */
	struct vote *votes;
	double *threshold;
	struct coverage coverage;
	bool trained;
	/* training */
	size_t row;	/* of the model's trained[] */
	size_t windows; /* looked at in this group */
};

struct kl_run {
	const struct peers *peers;
	const struct model *m;
	struct model *train;	/* NULL when judging */
	struct judgement *j;	/* NULL when training */
	struct task *tasks;	/* group by group */
	size_t n_tasks, n_rows; /* n_rows: metrics looked at */
	int (*slice_of_task)(struct kl_run *r, struct task *t, struct slice s);
	struct slice slice;
};

static void run_free(void *state)
{
	struct kl_run *r = state;

	for (size_t i = 0; r && r->tasks && i < r->n_tasks; i++) {
		free(r->tasks[i].votes);
		free(r->tasks[i].threshold);
	}
	if (r)
		free(r->tasks);
	free(r);
}

static struct kl_run *run_new(const struct peers *peers, const struct model *m)
{
	struct kl_run *r = calloc(1, sizeof(*r));
	size_t n_metrics = peers->n ? peers->parts[0].n_metrics : 0;

	if (!r)
		return NULL;
	r->peers = peers;
	r->m = m;
	r->tasks = calloc(peers->n * n_metrics + 1, sizeof(*r->tasks));
	if (!r->tasks) {
		run_free(r);
		return NULL;
	}
	for (size_t k = 0; k < peers->n; k++)
		for (size_t i = 0; i < n_metrics; i++)
			if (method_looks_at(&method_kl, &peers->parts[k].metrics[i]))
				r->tasks[r->n_tasks++] =
					(struct task){.f = &peers->parts[k], .metric = i};
	r->n_rows = peers->n ? r->n_tasks / peers->n : 0;
	return r;
}

static int run_task(void *arg, size_t i)
{
	struct kl_run *r = arg;

	return r->slice_of_task(r, &r->tasks[i], r->slice);
}

static int run_slice(struct kl_run *r, struct slice s)
{
	r->slice = s;
	return sources_parallel(&(struct source_work){
		.n = r->n_tasks,
		.threads = r->peers->n ? r->peers->parts[0].cells->threads : 1,
		.fn = run_task,
		.arg = r});
}

static unsigned int context(const struct params *p)
{
	return p->smooth;
}

/* ---- training ---------------------------------------------------------------------------------*/

static int train_task(struct kl_run *r, struct task *t, struct slice s)
{
	const struct params *p = &r->m->params;
	size_t n_windows = windows_count(t->f->n_times, p->window, p->shift);
	double *value = r->train->trained[t->row].value;
	struct kl_look l;

	if (kl_look_init(&l, t->f, t->metric, p))
		return -ENOMEM;
	for (size_t w = (s.from + p->shift - 1) / p->shift; w < n_windows && w * p->shift < s.to;
	     w++) {
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

static void *train_new(const struct peers *peers, struct model *m)
{
	struct kl_run *r = run_new(peers, m);
	size_t first = m->n_trained;

	for (size_t i = 0; r && i < r->n_rows; i++)
		if (!model_add(m, method_kl.name,
			       frame_metric(r->tasks[i].f, r->tasks[i].metric)->name)) {
			run_free(r);
			return NULL;
		}
	for (size_t i = 0; r && i < r->n_tasks; i++)
		r->tasks[i].row = first + i % r->n_rows;
	if (r) {
		r->train = m;
		r->slice_of_task = train_task;
	}
	return r;
}

static int train_slice(void *state, struct slice s, unsigned int pass)
{
	(void)pass;
	return run_slice(state, s);
}

/* Windows trained on: of the group that had most. */
static int train_pass_end(void *state, unsigned int pass)
{
	struct kl_run *r = state;

	(void)pass;
	for (size_t i = 0; i < r->n_tasks; i++) {
		struct trained *t = &r->train->trained[r->tasks[i].row];

		t->windows = r->tasks[i].windows > t->windows ? r->tasks[i].windows : t->windows;
	}
	return 0;
}

/* ---- judging ----------------------------------------------------------------------------------*/

/* One window of one metric: the votes of its members; the others are not judged. */
static int judge_window(struct kl_run *r, struct task *t, struct kl_look *l, size_t w)
{
	struct judgement *j = r->j;
	const struct frame_metric *metric = frame_metric(t->f, t->metric);
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; i < l->n; i++)
		l->t[i] = isnan(t->threshold[l->member[i]]) ? INFINITY : t->threshold[l->member[i]];
	t->coverage.windows++;
	t->coverage.alike += !kl_look_window(l, w, j->explain);
	for (size_t node = 0; node < l->f->n_nodes && !err; node++) {
		struct explained e = {.method = method_kl.name,
				      .metric = t->metric,
				      .window = w,
				      .node = node,
				      .from_ns = frame_time(l->f, w * l->p->shift),
				      .mean = NAN,
				      .peers = NAN,
				      .score = NAN,
				      .threshold = t->threshold[node],
				      .verdict = VOTE_ABSTAIN};

		if (next < l->n && l->member[next] == node) {
			e.mean = l->mean[next];
			e.peers = stats_peers_median(l->sorted, l->n, e.mean);
			e.score = l->kth[next];
			e.above = l->above[next];
			if (!isnan(e.threshold))
				e.verdict = 2 * e.above > l->n_peers &&
							    judgement_direction(j, metric, e.mean,
										e.peers)
						    ? VOTE_ODD
						    : VOTE_FINE;
			next++;
		}
		vote_push(&t->votes[node], j->votes, w, e.verdict,
			  (struct vote_odd){e.score / e.threshold, e.mean, e.peers});
		err = judgement_explain(j, l->f, &e);
	}
	return err;
}

static int judge_task(struct kl_run *r, struct task *t, struct slice s)
{
	const struct params *p = &r->m->params;
	size_t n_windows = windows_count(t->f->n_times, p->window, p->shift);
	struct kl_look l;
	int err = 0;

	if (!t->trained)
		return 0;
	if (kl_look_init(&l, t->f, t->metric, p))
		return -ENOMEM;
	for (size_t w = (s.from + p->shift - 1) / p->shift;
	     w < n_windows && w * p->shift < s.to && !err; w++) {
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

/* The thresholds of one metric for a group's nodes, and who is blind for it. */
static int thresholds(struct kl_run *r, struct task *t, const struct trained *trained,
		      const size_t *index)
{
	double most = params_d_max(&r->m->params);
	int err = 0;

	for (size_t i = 0; i < t->f->n_nodes && !err; i++) {
		double value = trained->value[index[t->f->row[i]]];
		double threshold =
			isnan(value) ? NAN : fmax(r->m->params.t_min, r->m->params.slack * value);

		t->threshold[i] = threshold;
		/* Out of reach in practice at nine tenths: no fault separates histograms fully. */
		if (threshold >= 0.9 * most)
			err = judgement_add_blind(
				r->j, t->f,
				&(struct blind){i, method_kl.name, t->metric, threshold, most});
	}
	return err;
}

static void *judge_new(const struct peers *peers, const struct model *m, const size_t *index,
		       struct judgement *j)
{
	struct kl_run *r = run_new(peers, m);
	bool ok = r != NULL;

	if (!r)
		return NULL;
	r->j = j;
	r->slice_of_task = judge_task;
	for (size_t i = 0; i < r->n_tasks && ok; i++) {
		struct task *t = &r->tasks[i];
		const struct trained *trained =
			model_find(m, method_kl.name, frame_metric(t->f, t->metric)->name);

		t->threshold = calloc(t->f->n_nodes + 1, sizeof(double));
		t->votes = calloc(t->f->n_nodes + 1, sizeof(*t->votes));
		t->trained = trained != NULL;
		t->coverage = (struct coverage){.metric = t->metric,
						.method = method_kl.name,
						.names_cause = true,
						.trained = trained ? trained->windows : 0};
		ok = t->threshold && t->votes && (!trained || !thresholds(r, t, trained, index));
	}
	if (ok)
		return r;
	run_free(r);
	return NULL;
}

static int judge_slice(void *state, struct slice s)
{
	return run_slice(state, s);
}

static int judge_end(void *state)
{
	struct kl_run *r = state;
	int err = 0;

	for (size_t i = 0; i < r->n_tasks && !err; i++) {
		struct task *t = &r->tasks[i];

		err = judgement_add_votes(r->j, t->f, &t->coverage, t->votes, r->m->params.window,
					  r->m->params.shift);
	}
	return err;
}

const struct method method_kl = {
	.name = "kl",
	.summary = "histograms and KL divergence, trained (FAST'10)",
	.reads = READS_FRAMES,
	.heeds = method_frames_heeds,
	.make = method_frames,
	.metrics = kl_metrics,
	.n_metrics = sizeof(kl_metrics) / sizeof(*kl_metrics),
	.per_node = true,
	.causes = true,
	.context = context,
	.passes = 1,
	.train_new = train_new,
	.train_slice = train_slice,
	.train_pass_end = train_pass_end,
	.train_free = run_free,
	.judge_new = judge_new,
	.judge_slice = judge_slice,
	.judge_end = judge_end,
	.judge_free = run_free,
};
