// SPDX-License-Identifier: BSD-2-Clause
/*
 * One signal over time, where the log is long enough for the engine's windows: an interval's residual of a node is
 * the mean over its states that ended in it.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/panel/panel.h"
#include "analyzer/stat/stats.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* As of tables: 30 s, or so long that the usual node has so many values in one. */
#define LEAST_INTERVAL_S 30
enum { INTERVAL_VALUES = 4, PIPELINE_VALUES = 16, FEW_WINDOWS = 2, INTERVALS_MAX = 4096 };

struct ended {
	int64_t at;
	uint32_t entity;
	float r, ln;
};

static int by_time(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	return ORDER(x->at, y->at) ?: ORDER(x->entity, y->entity) ?: ORDER(x->r, y->r);
}

static int by_entity(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	return ORDER(x->entity, y->entity) ?: ORDER(x->r, y->r) ?: ORDER(x->at, y->at);
}

struct over {
	struct states_job *j;
	size_t signal, n, entities;
	struct ended *at;
	uint32_t *node; /* of each entity */
	struct signal_row row;
	struct panel panel;
	struct panel_values values;
	double *sum, *ln, *some;
	unsigned int *count;
	double scatter;
	bool pipeline; /* means are of the least quarter of an interval's values */
};

/* How long an interval has to be; 0: the log is too short for windows of them. */
static int64_t interval_of(struct over *w, const struct state_value *v)
{
	size_t next, k = 0;
	double usual, span = s_of_ns(w->at[w->n - 1].at - w->at[0].at), s;
	unsigned int least = 1U << EVIDENCE_PARAMS_DEFAULT.k_min;

	for (size_t i = 0; i < w->n; i = next) {
		for (next = i; next < w->n && v[next].node == v[i].node; next++)
			;
		w->some[k++] = (double)(next - i);
	}
	usual = stats_quantile(w->some, k, 0.5);
	s = (w->pipeline ? PIPELINE_VALUES : INTERVAL_VALUES) * span / usual;
	s = fmax(fmax(LEAST_INTERVAL_S, s), span / INTERVALS_MAX);
	return s * least * FEW_WINDOWS > span ? 0 : ns_of_s(s);
}

/* v in order of nodes. */
static int entities(struct over *w, const struct state_value *v)
{
	size_t off = 0, first = 0;
	double m;

	for (size_t i = 0; i < w->n; i++) {
		if (i && v[i].node != v[i - 1].node)
			w->entities++;
		w->node[w->entities] = v[i].node;
		w->at[i] = (struct ended){w->j->s->at[v[i].state].end_ns, (uint32_t)w->entities,
					  v[i].r, v[i].ln};
	}
	w->entities += w->n > 0;
	for (size_t i = 0; i <= w->n; i++) {
		if (i < w->n && v[i].node == v[first].node)
			continue;
		for (size_t k = first; k < i; k++)
			w->some[off + k - first] = v[k].r;
		m = stats_quantile(w->some + off, i - first, 0.5);
		for (size_t k = first; k < i; k++)
			w->some[off++] -= m;
		first = i;
	}
	w->scatter = states_scatter(w->some, off, w->entities);
	sort(w->at, w->n, by_time);
	return 0;
}

/* Of each entity, over its values of one interval; of pipelines, over the least quarter of them. */
static void sums(struct over *w, size_t from, size_t to)
{
	memset(w->sum, 0, w->entities * sizeof(*w->sum));
	memset(w->ln, 0, w->entities * sizeof(*w->ln));
	memset(w->count, 0, w->entities * sizeof(*w->count));
	if (w->pipeline)
		sort(w->at + from, to - from, by_entity);
	for (size_t i = from, next; i < to; i = next) {
		uint32_t e = w->at[i].entity;

		for (next = i + 1; w->pipeline && next < to && w->at[next].entity == e;)
			next++;
		for (size_t end = i + (next - i + 3) / 4; i < end; i++) {
			w->sum[e] += w->at[i].r;
			w->ln[e] += w->at[i].ln;
			w->count[e]++;
		}
	}
}

/* Each entity's mean in an interval, and how much less sure of it it is than the usual one. */
static unsigned int means(struct over *w, size_t from, size_t to)
{
	unsigned int here = 0, k = 0;
	double usual, peers;

	sums(w, from, to);
	for (size_t i = 0; i < w->entities; i++)
		if (w->count[i])
			w->some[here++] = w->count[i];
	usual = here ? stats_quantile(w->some, here, 0.5) : 1;
	for (size_t i = 0; i < w->entities; i++)
		if (w->count[i])
			w->some[k++] = w->sum[i] / w->count[i];
	peers = here ? stats_quantile(w->some, here, 0.5) : 0;
	for (size_t i = 0; i < w->entities; i++) {
		double n = w->count[i], r = w->sum[i] / n - peers;

		w->values.in[i] = (struct residual){
			.r = n > 0 ? r : NAN,
			.extra =
				n > 0 ? fmax(0, w->scatter * w->scatter * (1 / n - 1 / usual)) : 0};
		w->values.shown[i] = (struct track_values){exp(w->ln[i] / n), exp(w->ln[i] / n - r),
							   here - 1, false};
	}
	return here;
}

/* Too small an excess is in the yardstick and never in a verdict. */
static void note_small(struct over *w)
{
	for (size_t i = 0; i < w->entities; i++)
		w->values.small[i] =
			w->values.shown[i].value - w->values.shown[i].peers <= w->row.floor;
}

/* A node that was worse at any time: what it was worst at. */
static int keep(struct over *w, size_t i)
{
	const struct panel_worst *worst = &w->panel.worst[i];
	struct state_found f = {.e = panel_worst(&w->panel, i),
				.level = worst->level,
				.job = STATE_NONE,
				.peers = worst->e.n_peers,
				.signal = w->signal,
				.times = worst->times,
				.duty = panel_duty(&w->panel, i)};

	return states_keep(w->j, &f);
}

static int conclude(struct over *w)
{
	int err = 0;

	for (size_t i = 0; i < w->entities && !err; i++) {
		const struct track_entity *st = &w->panel.track.at[i];

		if (st->tested) {
			w->j->reasons[w->node[i]].judged = true;
			err = states_used(w->j, w->signal, w->node[i], st->least);
		}
		if (!err && panel_in_trouble(&w->panel, i))
			err = keep(w, i);
	}
	return err;
}

static int walk(struct over *w, int64_t step)
{
	struct verdict *a = w->j->a;
	size_t n = 0, next;
	int64_t first = w->at[0].at;
	int err = 0;

	for (size_t i = 0; i < w->n && !err; i = next) {
		int64_t from = w->at[i].at - (w->at[i].at - first) % step;

		for (next = i; next < w->n && w->at[next].at < from + step; next++)
			;
		err = panel_values_begin(&w->values, w->entities);
		if (err || means(w, i, next) < STATES_NODES)
			continue;
		note_small(w);
		err = panel_push(&w->panel, &w->values, from, from + step, NULL, NULL);
		n++;
	}
	if (n > a->n_windows) {
		a->n_windows = n;
		a->interval_s = a->window_s = s_of_ns(step);
	}
	return err ? err : conclude(w);
}

static int start(struct over *w, int64_t step)
{
	const struct state_signal *signal = &w->j->signals[w->signal];
	const struct panel_opts o = {.row = &w->row, .signal = signal->row, .whole = true};
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	int err;

	p.interval_s = s_of_ns(step);
	p.budget = w->j->o->budget;
	p.looks = fmax(1, w->j->looks);
	w->row = (struct signal_row){.kind = KIND_LATENCY,
				     .role = w->j->a->signals[signal->row].role,
				     .floor = state_rows[signal->kind].floor_s};
	err = panel_init(&w->panel, &o, &p);
	for (size_t i = 0; i < w->entities && !err; i++)
		err = panel_join(&w->panel, &(struct panel_member){w->node[i], i, ""});
	return err;
}

static void release(struct over *w)
{
	panel_release(&w->panel);
	panel_values_release(&w->values);
	free(w->at);
	free(w->node);
	free(w->sum);
	free(w->ln);
	free(w->some);
	free(w->count);
}

int states_follow(struct states_job *j, size_t signal, struct state_value *v, size_t n)
{
	struct over w = {.j = j,
			 .signal = signal,
			 .n = n,
			 .pipeline = states_pipeline(j->signals[signal].kind)};
	size_t nodes = j->a->n_nodes;
	int64_t step;
	int err = -ENOMEM;

	w.at = calloc(n + 1, sizeof(*w.at));
	w.node = calloc(nodes + 1, sizeof(*w.node));
	w.sum = calloc(nodes + 1, sizeof(*w.sum));
	w.ln = calloc(nodes + 1, sizeof(*w.ln));
	w.some = calloc((n > nodes ? n : nodes) + 1, sizeof(*w.some));
	w.count = calloc(nodes + 1, sizeof(*w.count));
	if (!w.at || !w.node || !w.sum || !w.ln || !w.some || !w.count || !n) {
		release(&w);
		return n ? -ENOMEM : 0;
	}
	err = entities(&w, v);
	step = w.entities >= STATES_NODES ? interval_of(&w, v) : 0;
	if (!err && step > 0) {
		err = start(&w, step);
		if (!err)
			err = walk(&w, step);
	}
	release(&w);
	return err;
}
