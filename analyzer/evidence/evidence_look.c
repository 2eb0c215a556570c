// SPDX-License-Identifier: BSD-2-Clause
/* One look: a block a kind of work, judged once. */
#include "evidence_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "analyzer/stat/student.h"
#include "userspace/common/sort.h"

/* One entity: sums over kinds of work, weighted by values; then means. */
struct sums {
	double m, g, weight, count;
	double u, own; /* M less the core's mean; variance of its own mean */
	bool core;
};

/* One entity in the kind that is looked at. */
struct mean {
	size_t entity, count;
	double m, g;
};

struct look {
	const struct look_params *p;
	size_t n, compared;
	struct sums *at;
	struct mean *kind;
	double *some;
	double ss, dof; /* of single values about their means */
};

static int by_kind(const void *a, const void *b)
{
	const struct look_value *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/*
 * n ascending values of one entity and kind: M without the worst, G of all, both over values that
 * are there.
 */
static struct mean one_mean(struct look *l, const struct look_value *v, size_t n)
{
	struct mean mean = {.entity = v->entity, .count = n - TRIM};
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

enum field { OF_M, OF_G, OF_COUNT };

static double middle(struct look *l, size_t n, enum field field)
{
	for (size_t i = 0; i < n; i++) {
		const struct mean *k = &l->kind[i];

		l->some[i] = field == OF_M ? k->m : field == OF_G ? k->g : (double)k->count;
	}
	return stats_quantile(l->some, n, 0.5);
}

/*
 * One kind of work: n values in order. More values than is usual weigh no more: they are one
 * entity's.
 */
static void one_kind(struct look *l, const struct look_value *v, size_t n)
{
	size_t entities = 0, next;
	double m, g, usual;

	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && v[next].entity == v[i].entity;)
			next++;
		if (next - i >= 2 * TRIM)
			l->kind[entities++] = one_mean(l, &v[i], next - i);
	}
	if (entities < LEAST)
		return;
	m = middle(l, entities, OF_M);
	g = middle(l, entities, OF_G);
	usual = middle(l, entities, OF_COUNT);
	for (size_t i = 0; i < entities; i++) {
		const struct mean *k = &l->kind[i];
		struct sums *s = &l->at[k->entity];
		double weight = fmin((double)k->count, usual);

		s->m += weight * (k->m - m);
		s->g += weight * (k->g - g);
		s->weight += weight;
		s->count += (double)k->count;
	}
}

/* Means over kinds, and their median taken off; false: fewer than three can be compared. */
static bool over_kinds(struct look *l)
{
	double m;

	l->compared = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];

		if (!(s->weight > 0))
			continue;
		s->m /= s->weight;
		s->g /= s->weight;
		s->own = l->ss / fmax(1, l->dof) / s->count;
		l->some[l->compared++] = s->m;
	}
	if (l->compared < LEAST)
		return false;
	m = stats_quantile(l->some, l->compared, 0.5);
	for (size_t i = 0; i < l->n; i++)
		l->at[i].u = l->at[i].m - m;
	return true;
}

struct known {
	size_t core;
	double g, variance, own; /* of the core; own: usual variance of a mean */
	double df;
};

static double usual_own(struct look *l)
{
	size_t k = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].weight > 0)
			l->some[k++] = l->at[i].own;
	return stats_quantile(l->some, k, 0.5);
}

static struct known core_of(struct look *l)
{
	struct known c = {.own = usual_own(l)};
	double limit, m = 0, floor = l->p->floor * l->p->floor;
	double few = l->p->prior_df, prior = few > 0 ? c.own + l->p->prior * l->p->prior : 0;
	size_t k = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].weight > 0)
			l->some[k++] = l->at[i].u;
	stats_sort(l->some, k);
	limit = CUT * sqrt(fmax(fmax(lower_variance(l->some, k), floor / 4), prior));
	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];

		s->core = s->weight > 0 && s->u <= limit;
		if (!s->core)
			continue;
		m += s->u;
		c.g += s->g;
		c.core++;
	}
	m /= (double)c.core;
	c.g /= (double)c.core;
	c.df = few + (double)c.core - 1;
	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];

		s->u -= m;
		if (s->core)
			c.variance += WIDEN * s->u * s->u / fmax(1, (double)c.core - 1);
	}
	/* What is expected narrows nothing that is seen. */
	c.variance = fmax(c.variance, (few * prior + (c.df - few) * c.variance) / fmax(1, c.df));
	c.variance = fmax(c.variance, floor);
	return c;
}

static struct weighed weigh(const struct look *l, const struct known *c, const struct sums *s,
			    double need, double doubt, double bound)
{
	double spread = c->variance * (1 + 1 / (double)c->core);
	double error = sqrt(spread + fmax(0, s->own - c->own));
	struct weighed w = {.intervals = (unsigned int)s->count,
			    .peers = l->compared - 1,
			    .effect = s->g - c->g,
			    .t = s->u / error,
			    .need = need,
			    .df = c->df,
			    .spread = sqrt(c->variance),
			    .seen = fmax(l->p->gate, need * error),
			    .noticed = NAN};

	w.lower = w.effect - bound * error;
	w.p = student_tail(w.t, w.df);
	if (2 * c->core <= l->compared)
		return w;
	w.noticed = fmin(fmax(l->p->gate_suspect, need * error), fmax(l->p->gate, doubt * error));
	if (w.t >= need && w.effect >= l->p->gate)
		w.level = EVIDENCE_INDICTED;
	else if ((w.t >= need && w.effect >= l->p->gate_suspect) ||
		 (w.t >= doubt && w.effect >= l->p->gate))
		w.level = EVIDENCE_SUSPICIOUS;
	return w;
}

static int judge(struct look *l, struct weighed *out)
{
	struct known c = core_of(l);
	double chance = l->p->chance / (double)l->compared, need, doubt, bound;

	if (c.df < 1)
		return -ENODATA;
	need = student_quantile(fmin(chance, 0.4), c.df);
	doubt = l->p->prior_df > 0 ? student_quantile(fmin(SUSPECT * chance, 0.4), c.df) : need;
	bound = student_quantile(0.05, c.df);
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].weight > 0)
			out[i] = weigh(l, &c, &l->at[i], need, doubt, bound);
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
		  const struct look_params *p, struct weighed *out)
{
	struct look l = {.p = p, .n = n};
	struct look_value *values = calloc(n_values + 1, sizeof(*values));
	size_t kept, next;
	int err = -ENOMEM;

	l.at = calloc(n + 1, sizeof(*l.at));
	l.kind = calloc(n + 1, sizeof(*l.kind));
	l.some = calloc(n + 1, sizeof(*l.some));
	if (!values || !l.at || !l.kind || !l.some)
		goto out;
	for (size_t i = 0; i < n; i++)
		out[i] = weighed_nothing;
	err = values_kept(v, n_values, n, values, &kept);
	if (err)
		goto out;
	for (size_t i = 0; i < kept; i = next) {
		for (next = i + 1; next < kept && values[next].kind == values[i].kind;)
			next++;
		one_kind(&l, &values[i], next - i);
	}
	err = over_kinds(&l) ? judge(&l, out) : -ENODATA;
out:
	free(values);
	free(l.at);
	free(l.kind);
	free(l.some);
	return err;
}

/* Of those that may serve as a yardstick: sums, from which each entity's own part is taken off. */
struct totals {
	size_t core;
	double u, uu, g;
	double own, prior;
};

static struct totals totals_of(struct look *l)
{
	struct totals t = {.own = usual_own(l)};
	double limit, floor = l->p->floor * l->p->floor;
	size_t k = 0;

	t.prior = l->p->prior_df > 0 ? t.own + l->p->prior * l->p->prior : 0;
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

/* What is known of the others of s; s->u becomes its distance from them. */
static struct known others_of(const struct look *l, const struct totals *t, struct sums *s)
{
	double n = (double)t->core - s->core, few = l->p->prior_df;
	double m = (t->u - (s->core ? s->u : 0)) / n;
	struct known c = {.core = t->core - s->core, .own = t->own, .df = few + n - 1};

	c.variance =
		n > 1 ? WIDEN * fmax(0, t->uu - (s->core ? s->u * s->u : 0) - n * m * m) / (n - 1)
		      : 0;
	/* What is expected narrows nothing that is seen. */
	c.variance = fmax(c.variance, (few * t->prior + (n - 1) * c.variance) / fmax(1, c.df));
	c.variance = fmax(c.variance, l->p->floor * l->p->floor);
	c.g = (t->g - (s->core ? s->g : 0)) / n;
	s->u -= m;
	return c;
}

/* Student's quantiles at the degrees of freedom of those in the core, and of those out of it. */
struct bounds {
	double df, need, doubt, bound;
};

static const struct bounds *bounds_at(const struct look *l, struct bounds *two, double df)
{
	double chance = l->p->chance / (double)l->compared;
	struct bounds *b = two[0].df == df || !(two[0].df > 0) ? &two[0] : &two[1];

	if (b->df == df)
		return b;
	b->df = df;
	b->need = student_quantile(fmin(chance, 0.4), df);
	b->doubt = l->p->prior_df > 0 ? student_quantile(fmin(SUSPECT * chance, 0.4), df) : b->need;
	b->bound = student_quantile(0.05, df);
	return b;
}

static void weigh_each(struct look *l, struct weighed *out)
{
	struct totals t = totals_of(l);
	struct bounds two[2] = {0};

	for (size_t i = 0; i < l->n; i++) {
		struct sums *s = &l->at[i];
		const struct bounds *b;
		struct known c;

		if (!(s->weight > 0) || t.core < 2 + (size_t)s->core)
			continue;
		c = others_of(l, &t, s);
		b = bounds_at(l, two, c.df);
		out[i] = weigh(l, &c, s, b->need, b->doubt, b->bound);
	}
}

int evidence_means(const struct look_mean *x, size_t n, const struct look_params *p,
		   struct weighed *out)
{
	struct look l = {.p = p, .n = n};
	int err = -ENOMEM;
	double m;

	l.at = calloc(n + 1, sizeof(*l.at));
	l.some = calloc(n + 1, sizeof(*l.some));
	if (!l.at || !l.some)
		goto out;
	for (size_t i = 0; i < n; i++) {
		out[i] = weighed_nothing;
		if (!x[i].values || !isfinite(x[i].m) || !isfinite(x[i].g) || !isfinite(x[i].own))
			continue;
		l.at[i] = (struct sums){.m = x[i].m,
					.g = x[i].g,
					.weight = 1,
					.count = (double)x[i].values,
					.own = x[i].own};
		l.some[l.compared++] = x[i].m;
	}
	err = -ENODATA;
	if (l.compared < LEAST)
		goto out;
	m = stats_quantile(l.some, l.compared, 0.5);
	for (size_t i = 0; i < n; i++)
		l.at[i].u = l.at[i].m - m;
	weigh_each(&l, out);
	err = 0;
out:
	free(l.at);
	free(l.some);
	return err;
}
