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

#include "analyzer/stat/stats.h"
#include "analyzer/methods/learn/windows.h"

#define FRACTION_MAX 0.95

static const enum metric_id cwnd_metrics[] = {M_CWND_LN};

/* One slice of one group. Columns are those held. */
struct look {
	const struct frame *f;
	size_t at, n_times;
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
	size_t cells = f->n_nodes * f->cells->held + 1;

	*l = (struct look){.f = f, .at = f->cells->at, .n_times = f->cells->held};
	l->smooth = calloc(cells, sizeof(double));
	l->ratio = calloc(cells, sizeof(double));
	l->spare = calloc(f->n_nodes + 1, sizeof(double));
	if (!l->smooth || !l->ratio || !l->spare) {
		look_release(l);
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

struct training {
	const struct peers *peers;
	struct model *m;
	size_t metric, row; /* of the frame; of m->trained */
	size_t *windows;    /* of each group */
};

static void train_free(void *state)
{
	struct training *t = state;

	if (t)
		free(t->windows);
	free(t);
}

static void *train_new(const struct peers *peers, struct model *m)
{
	struct training *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->windows = calloc(peers->n + 1, sizeof(*t->windows));
	if (!t->windows || !model_add(m, method_cwnd.name, metrics[M_CWND_LN].name)) {
		train_free(t);
		return NULL;
	}
	t->peers = peers;
	t->m = m;
	t->metric = SIZE_MAX;
	t->row = m->n_trained - 1;
	if (peers->n)
		t->metric = frame_find(&peers->parts[0], metrics[M_CWND_LN].name);
	return t;
}

static int train_slice(void *state, struct slice s, unsigned int pass)
{
	struct training *t = state;
	struct trained *row = &t->m->trained[t->row];
	const struct params *p = &t->m->params;

	(void)pass;
	for (size_t k = 0; k < t->peers->n && t->metric != SIZE_MAX; k++) {
		const struct frame *f = &t->peers->parts[k];
		size_t n_windows = windows_count(f->n_times, p->window, p->shift);
		struct look l;

		if (look_init(&l, f, t->metric, p))
			return -ENOMEM;
		for (size_t w = (s.from + p->shift - 1) / p->shift;
		     w < n_windows && w * p->shift < s.to; w++)
			t->windows[k] += members(&l, p, w) >= NODES_MIN;
		for (size_t i = 0; i < f->n_nodes; i++)
			for (size_t c = s.from; c < s.to; c++)
				row->value[f->row[i]] = fmin(row->value[f->row[i]],
							     l.ratio[i * l.n_times + c - l.at]);
		look_release(&l);
	}
	return 0;
}

/* Windows trained on: of the group that had most. */
static int train_pass_end(void *state, unsigned int pass)
{
	struct training *t = state;
	struct trained *row = &t->m->trained[t->row];

	(void)pass;
	for (size_t k = 0; k < t->peers->n; k++)
		row->windows = t->windows[k] > row->windows ? t->windows[k] : row->windows;
	return 0;
}

/* ---- judging ----------------------------------------------------------------------------------*/

/* One group. */
struct group {
	double *limit; /* n_nodes: the lowest ratio allowed */
	struct vote *votes;
	struct coverage coverage;
};

struct judging {
	const struct peers *peers;
	const struct model *m;
	const struct trained *trained; /* NULL: not trained */
	struct judgement *j;
	size_t metric;
	struct group *groups;
};

static void judge_free(void *state)
{
	struct judging *g = state;

	for (size_t k = 0; g && g->groups && k < g->peers->n; k++) {
		free(g->groups[k].limit);
		free(g->groups[k].votes);
	}
	if (g)
		free(g->groups);
	free(g);
}

static int limits(struct judging *g, size_t k, const size_t *index)
{
	const struct frame *f = &g->peers->parts[k];
	int err = 0;

	for (size_t i = 0; i < f->n_nodes && !err; i++) {
		double fraction = g->trained->value[index[f->row[i]]], slack = g->m->params.slack;
		double *limit = &g->groups[k].limit[i];

		*limit = isnan(fraction) ? NAN
					 : fmin(FRACTION_MAX,
						1 - slack * (1 - fmin(fraction, FRACTION_MAX)));
		if (*limit <= 0)
			err = judgement_add_blind(
				g->j, f,
				&(struct blind){i, method_cwnd.name, g->metric, *limit, 0});
	}
	return err;
}

static void *judge_new(const struct peers *peers, const struct model *m, const size_t *index,
		       struct judgement *j)
{
	struct judging *g = calloc(1, sizeof(*g));
	bool ok = g != NULL;

	if (!g)
		return NULL;
	*g = (struct judging){.peers = peers, .m = m, .j = j, .metric = SIZE_MAX};
	if (peers->n)
		g->metric = frame_find(&peers->parts[0], metrics[M_CWND_LN].name);
	if (g->metric != SIZE_MAX)
		g->trained = model_find(m, method_cwnd.name, metrics[M_CWND_LN].name);
	g->groups = calloc(peers->n + 1, sizeof(*g->groups));
	ok = g->groups != NULL;
	for (size_t k = 0; k < peers->n && ok; k++) {
		struct group *group = &g->groups[k];

		group->limit = calloc(peers->parts[k].n_nodes + 1, sizeof(double));
		group->votes = calloc(peers->parts[k].n_nodes + 1, sizeof(*group->votes));
		group->coverage = (struct coverage){
			.metric = g->metric, .method = method_cwnd.name, .names_cause = true};
		ok = group->limit && group->votes && (!g->trained || !limits(g, k, index));
	}
	if (ok)
		return g;
	judge_free(g);
	return NULL;
}

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

static int judge_window(struct judging *g, struct look *l, struct group *group, size_t w)
{
	const struct params *p = &g->m->params;
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
				      .metric = g->metric,
				      .window = w,
				      .node = i,
				      .from_ns = frame_time(l->f, w * p->shift),
				      .threshold = group->limit[i],
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
		vote_push(&group->votes[i], g->j->votes, w, e.verdict,
			  (struct vote_odd){(1 - ratio) / (1 - e.threshold), e.mean, e.peers});
		err = judgement_explain(g->j, l->f, &e);
	}
	return err;
}

static int judge_slice(void *state, struct slice s)
{
	struct judging *g = state;
	const struct params *p = &g->m->params;
	int err = 0;

	for (size_t k = 0; k < g->peers->n && g->trained && !err; k++) {
		const struct frame *f = &g->peers->parts[k];
		size_t n_windows = windows_count(f->n_times, p->window, p->shift);
		struct look l;

		if (look_init(&l, f, g->metric, p))
			return -ENOMEM;
		for (size_t w = (s.from + p->shift - 1) / p->shift;
		     w < n_windows && w * p->shift < s.to && !err; w++) {
			g->groups[k].coverage.windows += members(&l, p, w) >= NODES_MIN;
			err = judge_window(g, &l, &g->groups[k], w);
		}
		look_release(&l);
	}
	return err;
}

static int judge_end(void *state)
{
	struct judging *g = state;
	int err = 0;

	for (size_t k = 0; k < g->peers->n && g->metric != SIZE_MAX && !err; k++) {
		struct group *group = &g->groups[k];

		group->coverage.trained = g->trained ? g->trained->windows : 0;
		err = judgement_add_votes(g->j, &g->peers->parts[k], &group->coverage, group->votes,
					  g->m->params.window, g->m->params.shift);
	}
	return err;
}

const struct method method_cwnd = {
	.name = "cwnd",
	.summary = "congestion window against the peers' median, trained (FAST'10)",
	.reads = READS_FRAMES,
	.heeds = method_frames_heeds,
	.make = method_frames,
	.metrics = cwnd_metrics,
	.n_metrics = sizeof(cwnd_metrics) / sizeof(*cwnd_metrics),
	.per_node = true,
	.causes = true,
	.context = context,
	.passes = 1,
	.train_new = train_new,
	.train_slice = train_slice,
	.train_pass_end = train_pass_end,
	.train_free = train_free,
	.judge_new = judge_new,
	.judge_slice = judge_slice,
	.judge_end = judge_end,
	.judge_free = judge_free,
};
