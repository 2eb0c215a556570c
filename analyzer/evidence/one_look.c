// SPDX-License-Identifier: BSD-2-Clause
/* One look: values, means of them, or one mean, judged once. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "analyzer/stat/student.h"
#include "userspace/common/sort.h"

/* One entity: sums over kinds of work, weighted by values; then means. */
struct sums {
	double m, g, weight, count;
	double u, own; /* M less the median; variance of its own mean */
	bool core;
};

/* One entity in the kind that is looked at. */
struct kind_mean {
	size_t entity, count;
	double m, g;
};

struct look_work {
	const struct look_params *p;
	size_t n, compared;
	struct sums *at;
	struct kind_mean *kind;
	double *some;
	double ss, dof; /* of single values about their means */
};

COMPARISON(by_kind, struct look_value,
	   ORDER(a->kind, b->kind) ?: ORDER(a->entity, b->entity) ?: ORDER(a->value, b->value))

/*
 * n ascending values of one entity and kind: M without the worst, G of all, both over values that
 * are there.
 */
static struct kind_mean one_mean(struct look_work *l, const struct look_value *v, size_t n)
{
	struct kind_mean mean = {.entity = v->entity, .count = n - EVIDENCE_TRIM};
	double ss = 0;

	for (size_t i = 0; i < n; i++)
		mean.g += v[i].value / (double)n;
	for (size_t i = 0; i < mean.count; i++)
		mean.m += v[i].value / (double)mean.count;
	for (size_t i = 0; i < mean.count; i++)
		ss += (v[i].value - mean.m) * (v[i].value - mean.m);
	l->ss += ss;
	l->dof += (double)mean.count - 1;
	return mean;
}

enum kind_field { OF_M, OF_G, OF_COUNT };

static double kind_median(struct look_work *l, size_t n, enum kind_field field)
{
	for (size_t i = 0; i < n; i++) {
		const struct kind_mean *k = &l->kind[i];

		l->some[i] = field == OF_M ? k->m : field == OF_G ? k->g : (double)k->count;
	}
	return stats_quantile(l->some, n, 0.5);
}

/*
 * One kind of work: n values in order. More values than is usual weigh no more: they are one
 * entity's.
 */
static void one_kind(struct look_work *l, const struct look_value *v, size_t n)
{
	size_t entities = 0, next;
	double m, g, usual;

	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && v[next].entity == v[i].entity;)
			next++;
		if (next - i >= 2 * EVIDENCE_TRIM)
			l->kind[entities++] = one_mean(l, &v[i], next - i);
	}
	if (entities < LEAST)
		return;
	m = kind_median(l, entities, OF_M);
	g = kind_median(l, entities, OF_G);
	usual = kind_median(l, entities, OF_COUNT);
	for (size_t i = 0; i < entities; i++) {
		const struct kind_mean *k = &l->kind[i];
		struct sums *s = &l->at[k->entity];
		double weight = fmin((double)k->count, usual);

		s->m += weight * (k->m - m);
		s->g += weight * (k->g - g);
		s->weight += weight;
		s->count += (double)k->count;
	}
}

/* Means over kinds. */
static void over_kinds(struct look_work *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];

		if (!(s->weight > 0))
			continue;
		s->m /= s->weight;
		s->g /= s->weight;
		s->own = l->ss / fmax(1, l->dof) / s->count;
		l->some[l->compared++] = s->m;
	}
}

/* What one entity is held against. */
struct yardstick_once {
	size_t core;
	double m, g, variance, df; /* m, g: means of the core */
};

/* Sums over the entities that may serve as a yardstick, from which each entity's part can be taken off. */
struct totals {
	size_t core;
	double u, uu, g;
	double own, prior; /* usual variance of a mean; variance that is expected */
};

static struct totals totals_of(struct look_work *l)
{
	struct totals t = {0};
	double limit, floor = l->p->floor * l->p->floor;
	size_t k = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].weight > 0)
			l->some[k++] = l->at[i].own;
	t.own = stats_quantile(l->some, k, 0.5);
	t.prior = l->p->prior_df > 0 ? t.own + l->p->prior * l->p->prior : 0;
	k = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].weight > 0)
			l->some[k++] = l->at[i].u;
	stats_sort(l->some, k);
	limit = CUT * sqrt(fmax(fmax(lower_variance(l->some, k), floor / 4), t.prior));
	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];

		s->core = s->weight > 0 && s->u <= limit;
		if (!s->core)
			continue;
		t.u += s->u;
		t.uu += s->u * s->u;
		t.g += s->g;
		t.core++;
	}
	return t;
}

/* With the variance of n in the core: what is expected narrows nothing that is seen. */
static struct yardstick_once joined(const struct look_work *l, const struct totals *t, size_t n,
				    double m, double g, double variance)
{
	double few = l->p->prior_df, df = few + (double)n - 1;
	double both = (few * t->prior + ((double)n - 1) * variance) / fmax(1, df);

	return (struct yardstick_once){
		.core = n,
		.m = m,
		.g = g,
		.variance = fmax(fmax(variance, both), l->p->floor * l->p->floor),
		.df = df};
}

/* The whole core, for all entities alike. */
static struct yardstick_once core_whole(const struct look_work *l, const struct totals *t)
{
	double m = t->u / (double)t->core, variance = 0;

	for (size_t i = 0; i < l->n; i++) {
		double u = l->at[i].u - m;

		if (l->at[i].core)
			variance += WIDEN * u * u / fmax(1, (double)t->core - 1);
	}
	return joined(l, t, t->core, m, t->g / (double)t->core, variance);
}

/* The core without entity s. */
static struct yardstick_once core_without(const struct look_work *l, const struct totals *t,
					  const struct sums *s)
{
	size_t core = t->core - s->core;
	double n = (double)core, m = (t->u - (s->core ? s->u : 0)) / n;
	double uu = t->uu - (s->core ? s->u * s->u : 0);

	return joined(l, t, core, m, (t->g - (s->core ? s->g : 0)) / n,
		      core > 1 ? WIDEN * fmax(0, uu - n * m * m) / (n - 1) : 0);
}

/* Student's quantiles at the degrees of freedom of entities in the core, and of those out of it. */
static const struct quantiles *bounds_at(const struct look_work *l, struct quantiles two[2],
					 double df)
{
	struct quantiles *q = two[0].df == df || !(two[0].df > 0) ? &two[0] : &two[1];

	if (q->df == df)
		return q;
	*q = quantiles_at(l->p->chance / (double)l->compared, df);
	if (!(l->p->prior_df > 0)) /* so little is known of the spread that less is no suspicion */
		q->suspect = q->indict;
	return q;
}

static struct evidence weigh(const struct look_work *l, const struct yardstick_once *y, double own,
			     const struct sums *s, const struct quantiles *q)
{
	double spread = y->variance * (1 + 1 / (double)y->core);
	double error = sqrt(spread + fmax(0, s->own - own));
	struct evidence e = {.n = (unsigned int)s->count,
			     .n_peers = l->compared - 1,
			     .effect = s->g - y->g,
			     .t = (s->u - y->m) / error,
			     .needs = q->indict,
			     .df = y->df,
			     .spread = sqrt(y->variance),
			     .least_indicted = fmax(l->p->gate, q->indict * error),
			     .least = NAN};

	e.lower = e.effect - q->bound * error;
	e.p = student_tail(e.t, e.df);
	if (2 * y->core <= l->compared)
		return e;
	e.least = fmin(fmax(l->p->gate_suspect, q->indict * error),
		       fmax(l->p->gate, q->suspect * error));
	if (e.t >= q->indict && e.effect >= l->p->gate)
		e.level = EVIDENCE_INDICTED;
	else if ((e.t >= q->indict && e.effect >= l->p->gate_suspect) ||
		 (e.t >= q->suspect && e.effect >= l->p->gate))
		e.level = EVIDENCE_SUSPICIOUS;
	return e;
}

/*
 * Of each entity its M is in l->at, and those that are compared are in l->some: less their median, each beside the core, or
 * (alone) beside the core of the others.
 */
static int weigh_all(struct look_work *l, bool alone, struct evidence *out)
{
	double median = stats_quantile(l->some, l->compared, 0.5);
	struct quantiles two[2] = {0};
	struct yardstick_once y;
	struct totals t;

	if (l->compared < LEAST)
		return -ENODATA;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].u = l->at[i].m - median;
	t = totals_of(l);
	y = core_whole(l, &t);
	if (!alone && y.df < 1)
		return -ENODATA;
	for (size_t i = 0; i < l->n; i++) {
		const struct sums *s = &l->at[i];

		if (!(s->weight > 0) || (alone && t.core < 2 + (size_t)s->core))
			continue;
		if (alone)
			y = core_without(l, &t, s);
		out[i] = weigh(l, &y, t.own, s, bounds_at(l, two, y.df));
	}
	return 0;
}

/* What may be compared, copied and in order. */
static int values_kept(const struct look_value *v, size_t n_values, size_t n, struct look_value *to,
		       size_t *kept)
{
	*kept = 0;
	for (size_t i = 0; i < n_values; i++) {
		if (v[i].entity >= n)
			return -EINVAL;
		/* 1e100 times is damage, and the squares are to stay finite. */
		if (fabs(v[i].value) < 230)
			to[(*kept)++] = v[i];
	}
	sort(to, *kept, by_kind);
	return 0;
}

int evidence_look(const struct look_value *v, size_t n_values, size_t n,
		  const struct look_params *p, struct evidence *out)
{
	struct look_work l = {.p = p, .n = n};
	struct look_value *values = calloc(n_values + 1, sizeof(*values));
	size_t kept, next;
	int err = -ENOMEM;

	l.at = calloc(n + 1, sizeof(*l.at));
	l.kind = calloc(n + 1, sizeof(*l.kind));
	l.some = calloc(n + 1, sizeof(*l.some));
	if (!values || !l.at || !l.kind || !l.some)
		goto out;
	for (size_t i = 0; i < n; i++)
		out[i] = evidence_none;
	err = values_kept(v, n_values, n, values, &kept);
	if (err)
		goto out;
	for (size_t i = 0; i < kept; i = next) {
		for (next = i + 1; next < kept && values[next].kind == values[i].kind;)
			next++;
		one_kind(&l, &values[i], next - i);
	}
	over_kinds(&l);
	err = weigh_all(&l, false, out);
out:
	free(values);
	free(l.at);
	free(l.kind);
	free(l.some);
	return err;
}

int evidence_means(const struct look_mean *x, size_t n, const struct look_params *p,
		   struct evidence *out)
{
	struct look_work l = {.p = p, .n = n};
	int err = -ENOMEM;

	l.at = calloc(n + 1, sizeof(*l.at));
	l.some = calloc(n + 1, sizeof(*l.some));
	if (!l.at || !l.some)
		goto out;
	for (size_t i = 0; i < n; i++) {
		out[i] = evidence_none;
		if (!x[i].values || !isfinite(x[i].m) || !isfinite(x[i].g) || !isfinite(x[i].own))
			continue;
		l.at[i] = (struct sums){.m = x[i].m,
					.g = x[i].g,
					.weight = 1,
					.count = (double)x[i].values,
					.own = x[i].own};
		l.some[l.compared++] = x[i].m;
	}
	err = weigh_all(&l, true, out);
out:
	free(l.at);
	free(l.some);
	return err;
}

struct evidence evidence_mean(double mean, double *peers, size_t n, const struct look_params *p)
{
	double m = stats_quantile(peers, n, 0.5), square = 0, prior = p->prior * p->prior, ratio;
	struct evidence e = evidence_none;

	if (n < 2 || !isfinite(mean))
		return e;
	for (size_t i = 0; i < n; i++)
		square += (peers[i] - m) * (peers[i] - m) / (double)(n - 1);
	e.n = 1;
	e.n_peers = n;
	e.effect = mean - m;
	e.df = (double)n - 1 + p->prior_df;
	e.spread = sqrt(fmax(prior, (p->prior_df * prior + ((double)n - 1) * square) / e.df));
	ratio = exp(e.spread); /* as it is shown */
	e.t = (mean - m) / (log(ratio) * sqrt(1 + 1.0 / (double)n));
	e.needs = quantile_at(p->chance, e.df);
	e.p = student_tail(e.t, e.df);
	if (e.t > e.needs && e.effect >= p->gate)
		e.level = EVIDENCE_INDICTED;
	return e;
}
