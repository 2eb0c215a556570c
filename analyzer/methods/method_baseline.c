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
#include <string.h>

#include "method.h"
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

/* One metric of one group. */
struct task {
	const struct frame *f;
	size_t metric;
	double floor;
	struct vote *votes;
	struct coverage coverage;
};

struct judging {
	const struct method *method;
	baseline_limit limit;
	bool reaches; /* the limit itself is over it */
	const struct params *p;
	struct judgement *j;
	struct task *tasks;
	size_t n_tasks;
	double *mean, *sorted, *spare; /* of the largest group */
};

static void judge_free(void *state)
{
	struct judging *g = state;

	for (size_t i = 0; g && g->tasks && i < g->n_tasks; i++)
		free(g->tasks[i].votes);
	if (g) {
		free(g->tasks);
		free(g->mean);
		free(g->sorted);
		free(g->spare);
	}
	free(g);
}

static void add_task(struct judging *g, const struct frame *f, size_t metric)
{
	const struct frame_metric *m = frame_metric(f, metric);

	if (!method_looks_at(g->method, m) || m->worse == WORSE_DOWN)
		return;
	g->tasks[g->n_tasks++] = (struct task){
		.f = f,
		.metric = metric,
		.floor = m->known == M_RETRANS_S ? retrans_floor : m->floor,
		.coverage = {.metric = metric, .method = g->method->name, .names_cause = true}};
}

static struct judging *judging_new(const struct peers *peers, const struct model *m,
				   struct judgement *j, const struct method *method)
{
	struct judging *g = calloc(1, sizeof(*g));
	size_t most = 0, n_metrics = peers->n ? peers->parts[0].n_metrics : 0;
	bool ok;

	if (!g)
		return NULL;
	g->method = method;
	g->p = &m->params;
	g->j = j;
	for (size_t k = 0; k < peers->n; k++)
		most = peers->parts[k].n_nodes > most ? peers->parts[k].n_nodes : most;
	g->tasks = calloc(peers->n * n_metrics + 1, sizeof(*g->tasks));
	g->mean = calloc(most + 1, sizeof(double));
	g->sorted = calloc(most + 1, sizeof(double));
	g->spare = calloc(most + 1, sizeof(double));
	ok = g->tasks && g->mean && g->sorted && g->spare;
	for (size_t k = 0; k < peers->n && ok; k++)
		for (size_t i = 0; i < n_metrics; i++)
			add_task(g, &peers->parts[k], i);
	for (size_t i = 0; i < g->n_tasks && ok; i++) {
		g->tasks[i].votes = calloc(g->tasks[i].f->n_nodes + 1, sizeof(struct vote));
		ok = g->tasks[i].votes != NULL;
	}
	if (ok)
		return g;
	judge_free(g);
	return NULL;
}

/* The means of all that have enough of window w (NaN: the others), and the same sorted. Returns how
 * many have. */
static size_t fill_means(struct judging *g, const struct task *t, size_t w)
{
	const struct frame *f = t->f;
	size_t n = 0, from = w * g->p->shift - f->cells->at;

	for (size_t i = 0; i < f->n_nodes; i++) {
		unsigned int there;
		double mean = windows_mean(frame_row(f, t->metric, i) + from, g->p->window, &there);

		g->mean[i] = windows_enough(there, g->p->window) ? mean : NAN;
		if (!isnan(g->mean[i]))
			g->sorted[n++] = mean;
	}
	stats_sort(g->sorted, n);
	return n;
}

static int judge_window(struct judging *g, struct task *t, size_t w)
{
	size_t n = fill_means(g, t, w);
	int err = 0;

	t->coverage.windows += n >= NODES_MIN;
	for (size_t i = 0; i < t->f->n_nodes && !err; i++) {
		struct explained e = {.method = g->method->name,
				      .metric = t->metric,
				      .window = w,
				      .node = i,
				      .from_ns = frame_time(t->f, w * g->p->shift),
				      .mean = g->mean[i],
				      .peers = NAN,
				      .score = NAN,
				      .threshold = NAN,
				      .verdict = VOTE_ABSTAIN};

		if (n >= NODES_MIN && !isnan(e.mean)) {
			bool odd;

			e.peers = stats_peers_median(g->sorted, n, e.mean);
			e.score = e.mean;
			e.threshold = g->limit(g->sorted, n, e.mean, t->floor, g->spare);
			odd = e.score > e.threshold || (g->reaches && e.score >= e.threshold);
			/* where all are alike, a limit without a floor is what they all have */
			e.verdict = odd && e.mean > e.peers ? VOTE_ODD : VOTE_FINE;
		}
		vote_push(&t->votes[i], g->j->votes, w, e.verdict,
			  (struct vote_odd){baseline_key(e.score, e.threshold), e.mean, e.peers});
		err = judgement_explain(g->j, t->f, &e);
	}
	return err;
}

static int judge_slice(void *state, struct slice s)
{
	struct judging *g = state;
	const struct params *p = g->p;
	int err = 0;

	for (size_t i = 0; i < g->n_tasks && !err; i++) {
		size_t n = windows_count(g->tasks[i].f->n_times, p->window, p->shift);

		for (size_t w = (s.from + p->shift - 1) / p->shift;
		     w < n && w * p->shift < s.to && !err; w++)
			err = judge_window(g, &g->tasks[i], w);
	}
	return err;
}

static int judge_end(void *state)
{
	struct judging *g = state;
	int err = 0;

	for (size_t i = 0; i < g->n_tasks && !err; i++) {
		struct task *t = &g->tasks[i];

		err = judgement_add_votes(g->j, t->f, &t->coverage, t->votes, g->p->window,
					  g->p->shift);
	}
	return err;
}

static unsigned int context(const struct params *p)
{
	(void)p;
	return 0;
}

/* ---- the rows ---------------------------------------------------------------------------------*/

#define BASELINE(NAME, REACHES, SUMMARY)                                          \
	static void *NAME##_new(const struct peers *peers, const struct model *m, \
				const size_t *index, struct judgement *j)         \
	{                                                                         \
		struct judging *g = judging_new(peers, m, j, &method_##NAME);     \
                                                                                  \
		(void)index;                                                      \
		if (g) {                                                          \
			g->limit = baseline_##NAME;                               \
			g->reaches = REACHES;                                     \
		}                                                                 \
		return g;                                                         \
	}                                                                         \
	const struct method method_##NAME = {                                     \
		.name = #NAME,                                                    \
		.summary = SUMMARY,                                               \
		.reads = READS_FRAMES,                                            \
		.heeds = method_frames_heeds,                                     \
		.make = method_frames,                                            \
		.metrics = looked_at,                                             \
		.n_metrics = sizeof(looked_at) / sizeof(*looked_at),              \
		.causes = true,                                                   \
		.context = context,                                               \
		.judge_new = NAME##_new,                                          \
		.judge_slice = judge_slice,                                       \
		.judge_end = judge_end,                                           \
		.judge_free = judge_free,                                         \
	}

BASELINE(ratio, false, "over twice the peers' median (a rule of thumb)");
BASELINE(hdfs, false, "over 3 x the median and 3 deviations (HDFS's slow nodes)");
BASELINE(ceph, true, "10 deviations over the median (proposed for Ceph)");
