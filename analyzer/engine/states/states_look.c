// SPDX-License-Identifier: BSD-2-Clause
/*
 * One look at values of one signal. Of each node with enough values: as evidence the mean of the middle half, as effect the median,
 * so that first tasks, which start a machine and take ten times as long, are in neither. How far healthy nodes are apart is joined with
 * what their values' scatter lets expect, 5 % beside it, worth 12 degrees of freedom as in the yardstick over time.
 * Of mean, median, Hodges and Lehmann's estimate, mean without the three worst, each of ln and of normal
 * scores, this found most in the traces of 22 healthy jobs with one node's durations multiplied, and nobody else.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

static const double EXPECTED = 0.05, EXPECTED_DF = 12;
/* A trimmed mean of the middle half has so much more variance than a mean, of normal values. */
static const double MIDDLE_VARIANCE = 1.2,
		    LOWER_VARIANCE = 1.9; /* likewise of the middle of the lower half */
/* Mean of the least three quarters of absolute deviations, where the standard deviation is 1 and values are normal: a
 * quarter may be first tasks. */
static const double THREE_QUARTERS = 0.5148;
/* The lower half of normal values, of 12 or more a node, scatters so much about its middle, by states_scatter(). */
static const double LOWER_SCATTER = 0.58;

double states_scatter(double *deviations, size_t n, size_t nodes)
{
	size_t least = n - n / 4;
	double sum = 0;

	if (n <= nodes)
		return 0;
	for (size_t i = 0; i < n; i++)
		deviations[i] = fabs(deviations[i]);
	stats_sort(deviations, n);
	for (size_t i = 0; i < least; i++)
		sum += deviations[i];
	return sum / (double)least / THREE_QUARTERS * sqrt((double)n / (double)(n - nodes));
}

/* Of all of a node's values, or, of pipelines, of their lower half. */
static size_t part_of(const struct state_look *l, const struct looked *at)
{
	return states_pipeline(l->j->signals[l->signal].kind) ? (at->n + 1) / 2 : at->n;
}

static void mean_of(struct state_look *l, const struct looked *at, struct look_mean *m)
{
	size_t n = part_of(l, at), cut = n / 4;

	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].r;
	stats_sort(l->some, at->n);
	*m = (struct look_mean){.values = at->n, .g = stats_sorted_median(l->some, n)};
	for (size_t i = cut; i < n - cut; i++)
		m->m += l->some[i] / (double)(n - 2 * cut);
}

static void means(struct state_look *l)
{
	bool lower = states_pipeline(l->j->signals[l->signal].kind);
	size_t off = 0;
	double scatter;

	for (size_t i = 0; i < l->n; i++) {
		mean_of(l, &l->at[i], &l->mean[i]);
		/* in order since mean_of() */
		for (size_t k = 0; k < part_of(l, &l->at[i]); k++)
			l->off[off++] = l->some[k] - l->mean[i].m;
	}
	scatter = states_scatter(l->off, off, l->n) / (lower ? LOWER_SCATTER : 1);
	/* Values of one cell are half alike: they share its minute, and what else ran on their node. */
	for (size_t i = 0; i < l->n; i++)
		l->mean[i].own = (lower ? LOWER_VARIANCE : MIDDLE_VARIANCE) * scatter * scatter /
				 sqrt((double)l->at[i].n * (double)l->at[i].cells);
}

static double typical_seconds(struct state_look *l, const struct looked *at)
{
	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].ln;
	stats_sort(l->some, at->n);
	return exp(stats_sorted_median(l->some, part_of(l, at)));
}

static struct state_found found_of(struct state_look *l, size_t i, uint32_t job)
{
	const struct looked *at = &l->at[i];
	struct finding_about about = states_about(l->j, l->signal, l->v[at->first].node);
	struct state_found f;

	about.onset_ns = INT64_MAX;
	about.last_ns = INT64_MIN;
	for (size_t k = 0; k < at->n; k++) {
		const struct state *x = &l->j->s->at[l->v[at->first + k].state];

		about.onset_ns = x->start_ns < about.onset_ns ? x->start_ns : about.onset_ns;
		about.last_ns = x->end_ns > about.last_ns ? x->end_ns : about.last_ns;
		about.flagged += l->v[at->first + k].r > LOOK_PARAMS_DEFAULT.gate / 2;
	}
	about.judged = (unsigned int)at->n;
	about.value = typical_seconds(l, at);
	about.peers = about.value / exp(l->out[i].effect);
	f = states_found(l->signal, &about, &l->out[i]);
	f.job = job;
	return f;
}

static int least_update(struct state_look *l)
{
	struct verdict_signal *s = &l->j->a->signals[l->j->signals[l->signal].row];
	double least = INFINITY;
	int err = 0;

	for (size_t i = 0; i < l->n && !err; i++) {
		size_t node = l->v[l->at[i].first].node;
		struct state_reason *r = &l->j->reasons[node];

		if (!l->out[i].n)
			continue;
		err = states_used(l->j, l->signal, node, l->out[i].least);
		r->judged = true;
		s->judged = true;
		least = fmin(least, l->out[i].least_indicted);
	}
	if (isfinite(least) && (!(s->seen > 0) || exp(least) < s->seen))
		s->seen = exp(least);
	return err;
}

static int conclude(struct state_look *l, uint32_t job)
{
	double floor = state_rows[l->j->signals[l->signal].kind].floor_s;
	int err = least_update(l);

	for (size_t i = 0; i < l->n && !err; i++) {
		struct state_found f;

		if (l->out[i].level == EVIDENCE_NONE)
			continue;
		f = found_of(l, i, job);
		if (f.e.value - f.e.peers > floor)
			err = states_keep(l->j, &f);
	}
	return err;
}

/* The nodes with enough values, and how each came out. 0, -ENODATA or -ENOMEM. */
static int weigh(struct state_look *l, size_t n, size_t least, double chance)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;
	size_t next, cells;
	int err;

	l->n = 0;
	l->v = l->given;
	if (states_pipeline(l->j->signals[l->signal].kind)) {
		memcpy(l->alone, l->given, n * sizeof(*l->alone));
		l->v = l->alone;
		err = states_pipeline_part(l->j, l->alone, n);
		if (err)
			return err;
	}
	for (size_t i = 0; i < n; i = next) {
		cells = 1;
		for (next = i + 1; next < n && l->v[next].node == l->v[i].node; next++)
			cells += l->v[next].cell != l->v[next - 1].cell;
		if (next - i >= least)
			l->at[l->n++] = (struct looked){i, next - i, cells};
	}
	if (l->n < STATES_NODES)
		return -ENODATA;
	means(l);
	p.chance = chance;
	p.prior = EXPECTED;
	p.prior_df = EXPECTED_DF;
	p.gate = EVIDENCE_PARAMS_DEFAULT.gate;
	if (l->n < EVIDENCE_FEW)
		p.gate = EVIDENCE_PARAMS_DEFAULT.gate_few;
	return evidence_means(l->mean, l->n, &p, l->out);
}

int states_look(struct state_look *l, size_t n, double chance, uint32_t job)
{
	int err = weigh(l, n, STATES_VALUES, chance);

	return err == -ENODATA ? 0 : err ? err : conclude(l, job);
}

int states_look_together(struct state_look *l, size_t n, size_t part)
{
	int err = weigh(l, n, STATES_PAIR, 1);

	for (size_t i = 0; i < l->n && !err; i++)
		states_together_add(l->j, l->signal, part, l->v[l->at[i].first].node, l->at[i].n,
				    typical_seconds(l, &l->at[i]), &l->out[i]);
	return err == -ENODATA ? 0 : err;
}

int look_init(struct state_look *l, size_t n)
{
	size_t nodes = l->j->a->n_nodes;

	l->at = calloc(nodes + 1, sizeof(*l->at));
	l->mean = calloc(nodes + 1, sizeof(*l->mean));
	l->out = calloc(nodes + 1, sizeof(*l->out));
	l->some = calloc(n + 1, sizeof(*l->some));
	l->off = calloc(n + 1, sizeof(*l->off));
	l->alone = calloc(n + 1, sizeof(*l->alone));
	return l->alone && l->at && l->mean && l->out && l->some && l->off ? 0 : -ENOMEM;
}

void look_release(struct state_look *l)
{
	free(l->at);
	free(l->mean);
	free(l->out);
	free(l->some);
	free(l->off);
	free(l->alone);
}
