// SPDX-License-Identifier: BSD-2-Clause
/*
 * One signal: looks at all of its values, at each job's and at parts of the time; and the test of evidence over time.
 *
 * A look. Of each node with 5 values or more: as evidence the mean of the middle half, as effect the median,
 * so that first tasks, which start a machine and take ten times as long, are in neither. How far healthy nodes are apart is joined with
 * what their values' scatter lets expect, 5 % beside it, worth 12 degrees of freedom as in the yardstick over time.
 * Of mean, median, Hodges and Lehmann's estimate, mean without the three worst, each of ln and of normal
 * scores, this found most in the traces of 22 healthy jobs with one node's durations multiplied, and nobody else.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

static const double EXPECTED = 0.05, EXPECTED_DF = 12;
/* A trimmed mean of the middle half has so much more variance than a mean, of normal values. */
static const double MIDDLE_VARIANCE = 1.2,
		    LOWER_VARIANCE = 1.9; /* likewise of the middle of the lower half */
/* Mean of the least three quarters of absolute deviations, where the standard deviation is 1 and values are normal: a
 * quarter may be first tasks. */
static const double THREE_QUARTERS = 0.5148;

/* Halves and quarters. */
enum { PARTS = 4, PART_LOOKS = 6 };

double states_chance(const struct states_job *j, size_t looks)
{
	const struct look_params p = LOOK_PARAMS_DEFAULT;

	return fmin(p.chance, j->o->budget) / fmax(1, j->looks) / (double)(looks ? looks : 1);
}

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

struct finding states_finding(const struct states_job *j, size_t signal, size_t node)
{
	return (struct finding){.signal = j->signals[signal].row,
				.node = node,
				.usual = 1,
				.w1 = NAN,
				.p99 = NAN,
				.p99_peers = NAN,
				.open = true,
				.symptom = !j->signals[signal].indicts};
}

static double margin(const struct state_found *f)
{
	return f->e.needs > 0 ? f->e.score / f->e.needs : 0;
}

int states_keep(struct states_job *j, const struct state_found *f)
{
	struct state_found *at = NULL;

	/* found by signal: those of one signal are at the end */
	for (size_t i = j->n_found; i-- > 0 && j->found[i].signal == f->signal && !at;)
		if (j->found[i].e.node == f->e.node)
			at = &j->found[i];
	if (at && (at->level > f->level || (at->level == f->level && margin(at) >= margin(f))))
		return 0;
	if (!at)
		at = array_add(&j->found, &j->n_found);
	if (!at)
		return -ENOMEM;
	*at = *f;
	return 0;
}

/* ---- one look ---------------------------------------------------------------------------------- */

/* One node's values in a look. */
struct looked {
	size_t first, n;
};

struct look {
	struct states_job *j;
	size_t signal;
	const struct state_value *v;
	struct looked *at;
	struct look_mean *mean;
	struct weighed *out;
	double *some, *off;
	size_t n;
};

static int by_node(const void *a, const void *b)
{
	const struct state_value *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->state, y->state);
}

static int by_group_job_node(const void *a, const void *b, void *arg)
{
	const struct state_value *x = a, *y = b;
	const struct states_job *j = arg;

	return ORDER(j->group[x->node], j->group[y->node]) ?: ORDER(x->job, y->job) ?: by_node(a, b);
}

/* Of all of a node's values, or, of pipelines, of their lower half. */
static size_t part_of(const struct look *l, const struct looked *at)
{
	return states_pipeline(l->j->signals[l->signal].kind) ? (at->n + 1) / 2 : at->n;
}

static void mean_of(struct look *l, const struct looked *at, struct look_mean *m)
{
	size_t n = part_of(l, at), cut = n / 4;

	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].r;
	stats_sort(l->some, at->n);
	*m = (struct look_mean){.values = at->n, .g = stats_sorted_median(l->some, n)};
	for (size_t i = cut; i < n - cut; i++)
		m->m += l->some[i] / (double)(n - 2 * cut);
}

static void means(struct look *l)
{
	size_t off = 0;
	double scatter;

	for (size_t i = 0; i < l->n; i++) {
		mean_of(l, &l->at[i], &l->mean[i]);
		for (size_t k = 0; k < l->at[i].n; k++)
			l->off[off++] = l->v[l->at[i].first + k].r - l->mean[i].m;
	}
	scatter = states_scatter(l->off, off, l->n);
	for (size_t i = 0; i < l->n; i++)
		l->mean[i].own =
			(states_pipeline(l->j->signals[l->signal].kind) ? LOWER_VARIANCE
									: MIDDLE_VARIANCE) *
			scatter * scatter / (double)l->mean[i].values;
}

static double typical_seconds(struct look *l, const struct looked *at)
{
	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].ln;
	stats_sort(l->some, at->n);
	return exp(stats_sorted_median(l->some, part_of(l, at)));
}

static struct state_found found_of(struct look *l, size_t i, uint32_t job)
{
	const struct looked *at = &l->at[i];
	const struct weighed *w = &l->out[i];
	struct state_found f = {.e = states_finding(l->j, l->signal, l->v[at->first].node),
				.level = w->level,
				.job = job,
				.peers = w->peers,
				.signal = l->signal,
				.times = 1,
				.duty = 1};
	struct finding *e = &f.e;

	e->onset_ns = INT64_MAX;
	e->last_ns = INT64_MIN;
	for (size_t k = 0; k < at->n; k++) {
		const struct state *x = &l->j->s->at[l->v[at->first + k].state];

		e->onset_ns = x->start_ns < e->onset_ns ? x->start_ns : e->onset_ns;
		e->last_ns = x->end_ns > e->last_ns ? x->end_ns : e->last_ns;
		e->flagged += l->v[at->first + k].r > LOOK_PARAMS_DEFAULT.gate / 2;
	}
	e->judged = (unsigned int)at->n;
	e->value = typical_seconds(l, at);
	e->peers = e->value / exp(w->effect);
	e->ratio = exp(w->effect);
	e->lower = exp(w->lower);
	e->z = e->score = w->t;
	e->needs = w->need;
	e->df = w->df;
	e->spread = exp(w->spread);
	e->n_peers = (unsigned int)w->peers;
	e->decided_ns = e->window_end_ns = e->last_ns;
	e->window_s = s_of_ns(e->last_ns - e->onset_ns);
	return f;
}

static void seen(struct look *l)
{
	struct verdict_signal *s = &l->j->a->signals[l->j->signals[l->signal].row];
	double least = INFINITY;

	for (size_t i = 0; i < l->n; i++) {
		struct state_reason *r = &l->j->reasons[l->v[l->at[i].first].node];

		if (!l->out[i].intervals)
			continue;
		r->judged = true;
		s->judged = true;
		least = fmin(least, l->out[i].seen);
	}
	if (isfinite(least) && (!(s->seen > 0) || exp(least) < s->seen))
		s->seen = exp(least);
}

static int conclude(struct look *l, uint32_t job)
{
	double floor = state_rows[l->j->signals[l->signal].kind].floor_s;
	int err = 0;

	seen(l);
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

/* Values of one group in order of nodes. */
static int look(struct look *l, size_t n, double chance, uint32_t job)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;
	size_t next;
	int err;

	l->n = 0;
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && l->v[next].node == l->v[i].node;)
			next++;
		if (next - i >= STATES_VALUES)
			l->at[l->n++] = (struct looked){i, next - i};
	}
	if (l->n < STATES_NODES)
		return 0;
	means(l);
	p.chance = chance;
	p.prior = EXPECTED;
	p.prior_df = EXPECTED_DF;
	p.gate = EVIDENCE_PARAMS_DEFAULT.gate;
	if (l->n < EVIDENCE_FEW)
		p.gate = EVIDENCE_PARAMS_DEFAULT.gate_few;
	err = evidence_means(l->mean, l->n, &p, l->out);
	return err == -ENODATA ? 0 : err ? err : conclude(l, job);
}

/* ---- all looks ------------------------------------------------------------------------------------ */

static size_t end_of_job(const struct state_value *v, size_t i, size_t n)
{
	uint32_t job = v[i].job;

	while (i < n && v[i].job == job)
		i++;
	return i;
}

/* Jobs that a look may be worth: enough values, if they are spread well. */
static size_t count_jobs(const struct state_value *v, size_t n)
{
	size_t jobs = 0, next;

	for (size_t i = 0; i < n; i = next) {
		next = end_of_job(v, i, n);
		jobs += next - i >= STATES_NODES * STATES_VALUES;
	}
	return jobs;
}

static int by_end(const void *a, const void *b, void *arg)
{
	const struct state_value *x = a, *y = b;
	const struct state *at = ((const struct states_job *)arg)->s->at;

	return ORDER(at[x->state].end_ns, at[y->state].end_ns) ?: by_node(a, b);
}

/* Looks at each half and quarter of the time: trouble that came with the second half is half of all values. */
static int look_in_parts(struct look *l, struct state_value *v, size_t n, double chance)
{
	const struct state *at = l->j->s->at;
	int64_t first, span;
	int err = 0;

	for (unsigned int parts = 2; parts <= PARTS && !err; parts *= 2) {
		sort_with(v, n, by_end, l->j);
		first = at[v[0].state].end_ns;
		span = at[v[n - 1].state].end_ns - first;
		for (size_t k = 0, i = 0; k < parts && !err; k++) {
			int64_t to = first + (int64_t)(k + 1) * (span / parts);
			size_t from = i;

			while (i < n && (k + 1 == parts || at[v[i].state].end_ns < to))
				i++;
			/* each value is looked at once: what is sorted by node is not needed again in order */
			sort(&v[from], i - from, by_node);
			l->v = &v[from];
			err = look(l, i - from, chance, STATE_NONE);
		}
	}
	return err;
}

/*
 * One group's values, in order of jobs and nodes. Half of the chance is the look at all of them; the other half is shared by
 * each job, where there are several, and by parts of the time.
 */
static int one_group(struct look *l, struct state_value *v, size_t n)
{
	size_t jobs = count_jobs(v, n), next;
	bool many = end_of_job(v, 0, n) < n;
	double chance = states_chance(l->j, 1), rest = chance / (many ? 4 : 2);
	int err = 0;

	for (size_t i = 0; i < n && !err && many; i = next) {
		next = end_of_job(v, i, n);
		l->v = &v[i];
		err = look(l, next - i, rest / (double)(jobs ? jobs : 1), v[i].job);
	}
	if (!err)
		err = look_in_parts(l, v, n, rest / PART_LOOKS);
	l->v = v;
	if (!err) {
		sort(v, n, by_node);
		err = look(l, n, chance / 2, many ? STATE_NONE : v[0].job);
	}
	if (!err)
		err = states_follow(l->j, l->signal, v, n);
	if (!err && l->j->o->explain)
		err = states_explain(l->j, l->signal, v, n);
	return err;
}

static void count_values(struct states_job *j, const struct state_value *v, size_t n)
{
	size_t next;

	for (size_t i = 0; i < n; i = next) {
		struct state_reason *r = &j->reasons[v[i].node];

		for (next = i; next < n && v[next].node == v[i].node; next++)
			;
		r->compared = true;
		r->values = next - i > r->values ? next - i : r->values;
	}
}

int states_judge(struct states_job *j, size_t signal, struct state_value *v, size_t n)
{
	struct look l = {.j = j, .signal = signal};
	size_t nodes = j->a->n_nodes, next;
	int err = -ENOMEM;

	l.at = calloc(nodes + 1, sizeof(*l.at));
	l.mean = calloc(nodes + 1, sizeof(*l.mean));
	l.out = calloc(nodes + 1, sizeof(*l.out));
	l.some = calloc(n + 1, sizeof(*l.some));
	l.off = calloc(n + 1, sizeof(*l.off));
	if (!l.at || !l.mean || !l.out || !l.some || !l.off)
		goto out;
	sort(v, n, by_node);
	count_values(j, v, n);
	sort_with(v, n, by_group_job_node, j);
	err = 0;
	for (size_t i = 0; i < n && !err; i = next) {
		for (next = i; next < n && j->group[v[next].node] == j->group[v[i].node]; next++)
			;
		err = one_group(&l, &v[i], next - i);
	}
out:
	free(l.at);
	free(l.mean);
	free(l.out);
	free(l.some);
	free(l.off);
	return err;
}
