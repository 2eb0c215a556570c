// SPDX-License-Identifier: BSD-2-Clause
/* What a report draws of one signal: each node's states over time, and how those found are distributed. */
#include "internal.h"

#include <errno.h>
#include <math.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

enum { COLUMNS = 90 };

/* A value, and in which column its state ended. */
struct column_value {
	uint32_t column, node;
	float r, ln;
};

COMPARISON(by_column, struct column_value,
	   ORDER(a->column, b->column) ?: ORDER(a->node, b->node) ?: ORDER(a->r, b->r))

static const struct state_found *found_in(const struct states_job *j, size_t signal, uint32_t node)
{
	for (size_t i = j->n_found; i-- > 0 && j->found[i].signal == signal;)
		if (j->found[i].e.node == node)
			return &j->found[i];
	return NULL;
}

/* ---- over time ---------------------------------------------------------------------------------- */

static int64_t column_ns(const struct verdict *a)
{
	int64_t ns = (a->to_ns - a->from_ns) / COLUMNS + 1;

	return ns > ns_of_s(1) ? ns : ns_of_s(1);
}

/* One node's states that ended in one column. */
static int one_look(struct states_job *j, size_t signal, const struct column_value *p, size_t n,
		    double scatter)
{
	struct explained_look *x = array_add(&j->a->looks, &j->a->n_looks);
	double r = 0, ln = 0, step = (double)column_ns(j->a);
	const struct state_found *f = found_in(j, signal, p->node);

	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		r += p[i].r / (double)n;
		ln += p[i].ln / (double)n;
	}
	*x = (struct explained_look){
		.from_ns = j->a->from_ns + (int64_t)(p->column * step),
		.to_ns = j->a->from_ns + (int64_t)((p->column + 1) * step),
		.node = p->node,
		.signal = j->signals[signal].row,
		.value = exp(ln),
		.peers = exp(ln - r),
		.d = r,
		.sigma = scatter / sqrt((double)n),
		.z = scatter > 0 ? r * sqrt((double)n) / scatter : 0,
		.ratio = exp(r),
		.flagged = r > LOOK_PARAMS_DEFAULT.gate / 2,
	};
	x->odd = x->flagged && f && f->level == EVIDENCE_INDICTED;
	if (x->flagged && f) {
		x->evidence = f->e.score;
		x->needs = f->e.needs;
	}
	return 0;
}

static int over_time(struct states_job *j, size_t signal, struct column_value *p, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *off = scratch_array(&room, n, sizeof(*off)), scatter;
	size_t next;
	int err = 0;

	if (!off)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		off[i] = p[i].r;
	scatter = states_scatter(off, n, 1);
	sort(p, n, by_column);
	for (size_t i = 0; i < n && !err; i = next) {
		next = run_end(m, i, n, p[m].column == p[i].column && p[m].node == p[i].node);
		err = one_look(j, signal, &p[i], next - i, scatter);
	}
	return err;
}

/* ---- distributions -------------------------------------------------------------------------------- */

static size_t step_of(double r)
{
	double at = floor((r / log(2) + DURATIONS_BELOW) * DURATIONS_STEPS);

	return at < 0 ? 0 : at >= DURATIONS_BUCKETS ? DURATIONS_BUCKETS - 1 : (size_t)at;
}

/* Shares of n values in each bucket or below; and their median, and the value that 99 % do not exceed. */
static void shares(double *r, size_t n, float share[DURATIONS_BUCKETS], double *half, double *most)
{
	double sum = 0, count[DURATIONS_BUCKETS] = {0};

	for (size_t i = 0; i < n; i++)
		count[step_of(r[i])]++;
	for (size_t b = 0; b < DURATIONS_BUCKETS; b++) {
		sum += count[b];
		share[b] = n ? (float)(sum / (double)n) : 0;
	}
	*half = exp(stats_quantile(r, n, 0.5));
	*most = exp(stats_quantile(r, n, 0.99));
}

/* The lowest and the highest peer's share in each bucket. */
static void band(struct durations *d, const float share[DURATIONS_BUCKETS])
{
	for (size_t b = 0; b < DURATIONS_BUCKETS; b++) {
		d->low[b] = !d->n_peers || share[b] < d->low[b] ? share[b] : d->low[b];
		d->high[b] = !d->n_peers || share[b] > d->high[b] ? share[b] : d->high[b];
	}
	d->n_peers++;
}

static int distribution(struct states_job *j, size_t signal, uint32_t node,
			const struct state_value *v, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct durations *d = array_add(&j->a->durations, &j->a->n_durations);
	double *some = scratch_array(&room, n, sizeof(*some)), half, most;
	size_t next, others = 0;

	if (!d || !some)
		return -ENOMEM;
	*d = (struct durations){.node = node, .signal = j->signals[signal].row};
	for (size_t i = 0; i < n; i = next) {
		float share[DURATIONS_BUCKETS];

		for (next = i; next < n && v[next].node == v[i].node; next++)
			some[next - i] = v[next].r;
		if (v[i].node == node) {
			d->n = next - i;
			shares(some, next - i, d->own, &d->own_half, &d->own_most);
		} else if (next - i >= STATES_VALUES) {
			shares(some, next - i, share, &half, &most);
			band(d, share);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].node != node)
			some[others++] = v[i].r;
	if (others)
		shares(some, others, d->peers, &d->peers_half, &d->peers_most);
	return 0;
}

int states_explain(struct states_job *j, size_t signal, const struct state_value *v, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct column_value *p = scratch_array(&room, n, sizeof(*p));
	int64_t step = column_ns(j->a);
	int err;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		p[i] = (struct column_value){
			(uint32_t)((j->s->at[v[i].state].end_ns - j->a->from_ns) / step), v[i].node,
			v[i].r, v[i].ln};
	err = over_time(j, signal, p, n);
	for (size_t i = 0, next; i < n && !err; i = next) {
		next = run_end(m, i, n, v[m].node == v[i].node);
		if (found_in(j, signal, v[i].node) && j->a->n_durations < DURATIONS_MAX)
			err = distribution(j, signal, v[i].node, v, n);
	}
	return err;
}
