// SPDX-License-Identifier: BSD-2-Clause
/*
 * Judging: alarms every second, and who is indicted by them (Pan et al., Fig. 7 and section 4.1).
 *
 * Two rules; judgement->weighted chooses. Fig. 7: 20 alarms in a row. The text: an exponentially
 * weighted count of alarms, count = decay * count + alarm, over its threshold.
 *
 * The findings are those of the indictment alone. An episode begins with an alarm and ends with a
 * second without one (with the weighted count: when that has fallen under 1); what it gathered
 * counts once the rule holds, and else is forgotten [D]. A second in which a node is not compared
 * ends a row of alarms, and leaves the weighted count as it is [D].
 */

#include "ganesha_phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/methods/model/ganesha.h"
#include "ganesha_watch.h"
#include "analyzer/stat/stats.h"

/* What a row of seconds showed; of the alarms: largest distance over threshold, sums per metric. */
struct episode {
	unsigned int alarms, compared;
	double key;
	size_t first, last; /* columns of the first and the last alarm */
	double *sum;	    /* d x SUMS */
};

/* The node's and its peers' median, normalised as in Fig. 4, and in the metric's own unit. */
enum { NODE_NORM, PEERS_NORM, NODE_RAW, PEERS_RAW, SUMS };

struct suspect {
	unsigned int row; /* alarms in a row */
	double count;	  /* of alarms, weighted */
	size_t compared;  /* seconds */
	bool in_episode, indicted;
	size_t decided; /* column with which the rule held first */
	struct episode pending, proof;
	double *sums; /* of both, in one piece; NULL until the first alarm */
};

struct judged_group {
	const struct frame *f;
	struct ganesha_watch watch;
	struct suspect *suspects; /* n_nodes */
	/* Of one second with alarms, per metric: values of those compared, ascending. */
	double *sorted; /* d x n_nodes */
};

struct ganesha_judging {
	const struct ganesha *g; /* NULL: nothing can be judged */
	struct judgement *j;
	double threshold;
	struct judged_group *groups;
	size_t n_groups;
	const struct peers *peers;
	size_t *metric; /* g->d */
};

void ganesha_judge_free(void *state)
{
	struct ganesha_judging *r = state;

	if (!r)
		return;
	for (size_t i = 0; r->groups && i < r->n_groups; i++) {
		struct judged_group *g = &r->groups[i];

		for (size_t n = 0; g->suspects && n < g->f->n_nodes; n++)
			free(g->suspects[n].sums);
		free(g->suspects);
		free(g->sorted);
		ganesha_watch_release(&g->watch);
	}
	free(r->groups);
	free(r->metric);
	free(r);
}

static int group_init(struct ganesha_judging *r, struct judged_group *g)
{
	int err = ganesha_watch_init(&g->watch, r->g, g->f, r->metric);

	g->suspects = calloc(g->f->n_nodes + 1, sizeof(*g->suspects));
	g->sorted = calloc(g->f->n_nodes + 1, r->g->d * sizeof(double));
	if (!err && (!g->suspects || !g->sorted))
		err = -ENOMEM;
	return err;
}

/* A threshold that nothing can be over; at nine tenths of the largest distance already: histograms
 * that were equal once never become fully disjoint. */
static int add_blind(struct ganesha_judging *r, const struct judged_group *g)
{
	int err = 0;

	for (size_t i = 0; i < g->f->n_nodes && !err && r->threshold >= 0.9 * JSD_ROOT_MAX; i++)
		err = judgement_add_blind(r->j, g->f,
					  &(struct blind){i, method_ganesha.name, METRIC_ALL,
							  r->threshold, JSD_ROOT_MAX});
	return err;
}

void *ganesha_judge_new(const struct method *method, const struct peers *peers,
			const struct model *m, const size_t *index, struct judgement *j)
{
	struct ganesha_judging *r = calloc(1, sizeof(*r));
	const struct frame *f = peers->n ? &peers->parts[0] : NULL;
	int err = 0;

	(void)method;
	(void)index; /* what was learnt is about no node in particular */
	if (!r)
		return NULL;
	*r = (struct ganesha_judging){.g = f ? m->ganesha : NULL, .j = j, .peers = peers};
	r->groups = calloc(peers->n + 1, sizeof(*r->groups));
	r->metric = calloc((r->g ? r->g->d : 0) + 1, sizeof(*r->metric));
	if (!r->groups || !r->metric)
		err = -ENOMEM;
	for (size_t i = 0; !err && r->g && i < r->g->d; i++) {
		r->metric[i] = frame_find(f, r->g->metrics[i]);
		if (r->metric[i] == SIZE_MAX)
			r->g = NULL;
	}
	if (r->g)
		r->threshold = m->params.slack * r->g->distance;
	while (!err && r->g && r->n_groups < peers->n) {
		struct judged_group *g = &r->groups[r->n_groups];

		g->f = &peers->parts[r->n_groups++];
		err = group_init(r, g) ?: add_blind(r, g);
	}
	if (err) {
		ganesha_judge_free(r);
		errno = ENOMEM;
		return NULL;
	}
	return r;
}

/* ---- findings ---------------------------------------------------------------------------------*/

static int begin_episode(struct suspect *s, size_t d, size_t column)
{
	if (!s->sums) {
		s->sums = calloc(2 * d, SUMS * sizeof(double));
		if (!s->sums)
			return -ENOMEM;
		s->proof.sum = s->sums + d * SUMS;
	}
	memset(s->sums, 0, d * SUMS * sizeof(double));
	s->pending = (struct episode){.first = column, .last = column, .sum = s->sums};
	s->in_episode = true;
	return 0;
}

/* One alarm of member i: how it looked. */
static void add_alarm(const struct ganesha_judging *r, const struct judged_group *g, size_t i,
		      const double *raw, size_t column)
{
	const struct ganesha_watch *w = &g->watch;
	size_t node = w->member[i], d = r->g->d;
	struct episode *e = &g->suspects[node].pending;

	e->alarms++;
	e->last = column;
	e->key = fmax(e->key, w->kth[i] / r->threshold);
	for (size_t m = 0; m < d; m++) {
		double x = raw[node * d + m], scale = w->scale[m], sigma = r->g->sigma[m];
		double peers = stats_peers_median(g->sorted + m * g->f->n_nodes, w->n, x);

		e->sum[m * SUMS + NODE_NORM] += ganesha_log(x * scale) / sigma;
		e->sum[m * SUMS + PEERS_NORM] += ganesha_log(peers * scale) / sigma;
		e->sum[m * SUMS + NODE_RAW] += x;
		e->sum[m * SUMS + PEERS_RAW] += peers;
	}
}

/* The rule holds: what was pending is proof. */
static void prove(struct suspect *s, size_t d, size_t column)
{
	struct episode *p = &s->proof, *e = &s->pending;

	if (!s->indicted) {
		s->indicted = true;
		s->decided = column;
		p->first = e->first;
	}
	p->alarms += e->alarms;
	p->compared += e->compared;
	p->key = fmax(p->key, e->key);
	p->last = e->last;
	for (size_t k = 0; k < d * SUMS; k++)
		p->sum[k] += e->sum[k];
	memset(e->sum, 0, d * SUMS * sizeof(double));
	*e = (struct episode){.first = column, .last = column, .sum = e->sum};
}

/* ---- seconds ----------------------------------------------------------------------------------*/

static void sort_metrics(const struct ganesha_judging *r, struct judged_group *g, const double *raw)
{
	const struct ganesha_watch *w = &g->watch;
	size_t d = r->g->d;

	for (size_t m = 0; m < d; m++) {
		double *sorted = g->sorted + m * g->f->n_nodes;

		for (size_t i = 0; i < w->n; i++)
			sorted[i] = raw[w->member[i] * d + m];
		stats_sort(sorted, w->n);
	}
}

/* Whether the rule holds by what came so far. */
static bool holds(const struct ganesha_judging *r, const struct suspect *s)
{
	return r->j->weighted ? s->count > r->g->alarm_count : s->row >= r->g->consecutive;
}

/* Member i of this second; `alarm` or not. */
static int judge_member(const struct ganesha_judging *r, struct judged_group *g, size_t i,
			bool alarm, const double *raw, size_t column)
{
	struct suspect *s = &g->suspects[g->watch.member[i]];
	bool weighted = r->j->weighted;
	int err = 0;

	s->compared++;
	s->row = alarm ? s->row + 1 : 0;
	s->count = r->g->alarm_decay * s->count + alarm;
	if (!alarm && (!weighted || s->count < 1))
		s->in_episode = false;
	if (alarm && !s->in_episode)
		err = begin_episode(s, r->g->d, column);
	if (err || !s->in_episode)
		return err;
	s->pending.compared++;
	if (alarm)
		add_alarm(r, g, i, raw, column);
	if (holds(r, s) && alarm)
		prove(s, r->g->d, column);
	return 0;
}

/* i: its place among the members of this second; SIZE_MAX: it is none. */
static int explain(const struct ganesha_judging *r, const struct judged_group *g, size_t column,
		   size_t node, size_t i)
{
	const struct ganesha_watch *w = &g->watch;
	struct explained e = {.method = method_ganesha.name,
			      .metric = METRIC_ALL,
			      .window = column,
			      .node = node,
			      .from_ns = frame_time(g->f, column),
			      .mean = NAN,
			      .peers = NAN,
			      .score = NAN,
			      .threshold = r->threshold,
			      .verdict = VOTE_ABSTAIN};

	if (i != SIZE_MAX) {
		e.score = w->kth[i];
		e.above = w->above[i];
		e.verdict = ganesha_watch_alarm(w, i) ? VOTE_ODD : VOTE_FINE;
	}
	return judgement_explain(r->j, g->f, &e);
}

static int judge_second(struct ganesha_judging *r, struct judged_group *g, size_t column)
{
	struct ganesha_watch *w = &g->watch;
	const double *raw = ganesha_seconds_at(&w->seconds, column);
	bool sorted = false;
	size_t next = 0;
	int err = 0;

	ganesha_watch_second(w, column, r->threshold, r->j->explain);
	for (size_t node = 0; node < g->f->n_nodes && !err; node++) {
		bool member = next < w->n && w->member[next] == node, alarm;

		if (r->j->explain)
			err = explain(r, g, column, node, member ? next : SIZE_MAX);
		if (!member) {
			g->suspects[node].row = 0;
			g->suspects[node].in_episode &= r->j->weighted;
			continue;
		}
		alarm = ganesha_watch_alarm(w, next);
		if (alarm && !sorted) {
			sort_metrics(r, g, raw);
			sorted = true;
		}
		err = err ?: judge_member(r, g, next, alarm, raw, column);
		next++;
	}
	return err;
}

int ganesha_judge_slice(void *state, struct slice s)
{
	struct ganesha_judging *r = state;
	int err = 0;

	for (size_t i = 0; i < r->n_groups && !err; i++) {
		struct judged_group *g = &r->groups[i];
		size_t end;

		for (size_t from = s.from; from < s.to && !err; from = end) {
			end = ganesha_seconds_fill(&g->watch.seconds, from, s.to);
			for (size_t c = from; c < end && !err; c++)
				err = judge_second(r, g, c);
		}
	}
	return err;
}

/* ---- the end ----------------------------------------------------------------------------------*/

/* The metric that tells the node from its peers most: of the means over the alarms. */
static int add_finding(const struct ganesha_judging *r, const struct judged_group *g, size_t node)
{
	const struct suspect *s = &g->suspects[node];
	const struct episode *e = &s->proof;
	struct finding_about about;
	size_t metric = 0;
	double most = -1;

	for (size_t m = 0; m < r->g->d; m++) {
		const double *sum = e->sum + m * SUMS;
		double off = fabs(sum[NODE_NORM] - sum[PEERS_NORM]);

		if (off > most) {
			most = off;
			metric = m;
		}
	}
	about = (struct finding_about){.node = node,
				       .flagged = e->alarms,
				       .judged = e->compared,
				       .onset_ns = frame_time(g->f, e->first),
				       .last_ns = frame_time(g->f, e->last + 1),
				       .decided_ns = frame_time(g->f, s->decided + 1),
				       .score = e->key,
				       .open = holds(r, s),
				       .value = e->sum[metric * SUMS + NODE_RAW] / e->alarms,
				       .peers = e->sum[metric * SUMS + PEERS_RAW] / e->alarms};
	return judgement_add_indictment(r->j, g->f, r->metric[metric], method_ganesha.name, &about);
}

/* Judged is who was compared for as long as an indictment takes. */
static int end_group(const struct ganesha_judging *r, const struct judged_group *g)
{
	struct coverage *row =
		judgement_add_coverage(r->j, &(struct coverage){.metric = METRIC_ALL,
								.method = method_ganesha.name,
								.windows = g->watch.compared,
								.trained = r->g->seconds});
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < g->f->n_nodes && !err; i++) {
		if (g->suspects[i].compared >= r->g->consecutive)
			coverage_judged(row, g->f, i);
		if (g->suspects[i].indicted)
			err = add_finding(r, g, i);
	}
	return err;
}

int ganesha_judge_end(void *state)
{
	struct ganesha_judging *r = state;
	struct coverage none = {.metric = METRIC_ALL, .method = method_ganesha.name};
	int err = 0;

	for (size_t i = 0; i < r->n_groups && !err; i++)
		err = end_group(r, &r->groups[i]);
	if (!r->n_groups && r->peers->n && !judgement_add_coverage(r->j, &none))
		err = -ENOMEM;
	return err;
}
