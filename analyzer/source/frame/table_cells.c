// SPDX-License-Identifier: BSD-2-Clause
/* The samples of a table into the cells of its grid: means over time, then over instances. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "userspace/metrics/metrics.h"
#include "userspace/common/sort.h"

/* How a node's instances become one. */
enum how { MEAN, SUM, MAX, WEIGHTED };

/* One node's row of one metric while its instances come in. */
struct merger {
	double *sum, *weight; /* n_times */
	size_t low, high;     /* columns [low, high] have been written to */
};

static enum how how(const struct table *t, uint32_t metric)
{
	static const enum how of[] = {[AGG_SUM] = SUM, [AGG_MAX] = MAX, [AGG_MEAN] = WEIGHTED};
	int known = metric_by_name(t->metrics.at[metric]);

	if (!t->merge)
		return MEAN;
	return known >= 0 ? of[metrics[known].agg] : t->counter[metric] ? SUM : MEAN;
}

/* x stands before the samples of s in the metric `by`. */
static bool is_before(const struct sample *x, const struct sample *s, int64_t by)
{
	return x->node != s->node ? x->node < s->node
	       : x->metric != by  ? x->metric < by
				  : x->instance < s->instance;
}

/* The samples of the metric that `metric` is weighted by, of this node and instance: [*i, *end). */
static void weights(const struct table *t, const struct sample *s, size_t *i, size_t *end)
{
	int known = metric_by_name(t->metrics.at[s->metric]);
	int64_t by = known >= 0 && metrics[known].weight >= 0
			     ? names_find(&t->metrics, metrics[metrics[known].weight].name)
			     : -1;
	size_t at = search_first(k, by < 0 ? 0 : t->n, is_before(&t->at[k], s, by));

	*i = *end = at;
	if (by >= 0 && at < t->n && t->at[at].node == s->node && t->at[at].metric == by &&
	    t->at[at].instance == s->instance)
		*end = table_run(t, at);
}

/* An instance's values in one column: their mean, by weight where the metric has one. */
static void add_instance(struct merger *m, enum how h, size_t column, double sum, double weight,
			 size_t n)
{
	double *v = &m->sum[column], *w = &m->weight[column];

	if (h == WEIGHTED) {
		*v += sum;
		*w += weight;
	} else if (h == MAX) {
		*v = *w > 0 ? fmax(*v, sum / (double)n) : sum / (double)n;
		*w = 1;
	} else {
		*v += sum / (double)n;
		*w += 1;
	}
	m->low = column < m->low ? column : m->low;
	m->high = column > m->high ? column : m->high;
}

/* The column that a sample in the time asked for lies in. */
static size_t column_of(const struct table_grid *g, const struct sample *s)
{
	return (size_t)((s->time_ns - g->f->cells->limit_ns) / g->t->step_ns);
}

static void merge_run(struct table_grid *g, struct merger *m, size_t i, size_t end)
{
	const struct table *t = g->t;
	enum how h = how(t, t->at[i].metric);
	double sum = 0, weight = 0;
	size_t n = 0, column = 0, w = 0, w_end = 0;

	if (h == WEIGHTED)
		weights(t, &t->at[i], &w, &w_end);
	for (; i < end; i++) {
		const struct sample *s = &t->at[i];
		double by = 1;
		size_t at;

		if (!grid_has_time(g, s->time_ns))
			continue;
		if (fabs(s->value) > VALUE_MAX) {
			g->f->damaged++;
			continue;
		}
		at = column_of(g, s);
		if (n && at != column) {
			add_instance(m, h, column, sum, weight, n);
			sum = weight = 0;
			n = 0;
		}
		column = at;
		while (w < w_end && t->at[w].time_ns < s->time_ns)
			w++;
		if (w < w_end && t->at[w].time_ns == s->time_ns)
			by = fmin(fmax(t->at[w].value, 0), VALUE_MAX);
		sum += h == WEIGHTED ? by * s->value : s->value;
		weight += by;
		n++;
	}
	if (n)
		add_instance(m, h, column, sum, weight, n);
}

/* All instances are in: the row is complete. */
static void flush(struct table_grid *g, struct merger *m, const struct sample *s)
{
	enum how h = how(g->t, s->metric);
	double *v = g->f->cells->v[g->metric[s->metric]] + g->row[s->node] * g->f->n_times;

	for (size_t c = m->low; c <= m->high; c++) {
		if (m->weight[c] > 0)
			v[c] = h == SUM || h == MAX ? m->sum[c] : m->sum[c] / m->weight[c];
		m->sum[c] = m->weight[c] = 0;
	}
	m->low = SIZE_MAX;
	m->high = 0;
}

/* A node is there whenever it has a line, also one whose await is no number for want of I/O. */
static void mark_present(struct table_grid *g, size_t i, size_t end)
{
	uint8_t *there = g->f->cells->there + g->row[g->t->at[i].node] * g->f->n_times;

	for (; i < end; i++)
		if (grid_has_time(g, g->t->at[i].time_ns))
			there[column_of(g, &g->t->at[i])] = 1;
}

int table_cells(struct table_grid *g)
{
	const struct table *t = g->t;
	size_t n = g->f->n_times;
	struct merger m = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), SIZE_MAX, 0};
	int err = m.sum && m.weight ? 0 : -ENOMEM;

	for (size_t i = 0, end; i < t->n && !err; i = end) {
		const struct sample *s = &t->at[i];

		end = table_run(t, i);
		mark_present(g, i, end);
		if (g->metric[s->metric] < 0)
			continue;
		merge_run(g, &m, i, end);
		if (end < t->n && t->at[end].node == s->node && t->at[end].metric == s->metric)
			continue;
		flush(g, &m, s);
	}
	free(m.sum);
	free(m.weight);
	return err;
}
