// SPDX-License-Identifier: BSD-2-Clause
/* How much evidence a length asks for: the budget's share, and Student's quantiles at it. */
#include "evidence_parts.h"

#include "analyzer/stat/student.h"

/*
 * The chance of one judgement. A week has week / (L x interval) blocks that do not overlap; the
 * budget is shared by those, by the lengths, entities, signals and views.
 */
static double chance(const struct evidence *e, const struct length *l)
{
	double lengths = e->p.k_max - e->p.k_min + 1;

	return e->p.budget * e->p.interval_s * l->intervals /
	       (WEEK_S * lengths * (double)e->n * e->p.looks * VIEWS);
}

/* Of a chance near a half everything is evidence. */
static double at_least(double p)
{
	return fmin(p, 0.4);
}

/* In quarters, rounded down, so that quantiles can be kept. */
static double rounded(double df)
{
	return floor(4 * fmin(fmax(df, 0.5), DF_MAX)) / 4;
}

const struct quantiles *needs_at(const struct evidence *e, struct length *l, double df)
{
	struct quantiles *q;
	double p = chance(e, l);

	df = rounded(df);
	q = &l->needs.at[(unsigned int)(4 * df) % QUANTILES];
	if (q->p == p && q->df == df)
		return q;
	*q = (struct quantiles){.p = p, .df = df};
	q->indict = student_quantile(at_least(p), df);
	q->suspect = student_quantile(at_least(SUSPECT * p), df);
	q->bound = student_quantile(0.05, df);
	return q;
}

const struct needs *needs_floor(const struct evidence *e, struct length *l)
{
	struct needs *c = &l->needs;
	double p = chance(e, l);

	if (c->p != p) {
		c->p = p;
		c->floor_indict = student_quantile(at_least(p), DF_MAX);
		c->floor_suspect = student_quantile(at_least(SUSPECT * p), DF_MAX);
	}
	return c;
}

double needs_gap(const struct evidence *e, struct length *l, size_t n)
{
	struct needs *c = &l->needs;
	double p = chance(e, l);

	if (c->gap_p != p || c->of != n) {
		/* To abstain is no indictment: the chance of a suspicion will do. */
		c->gap = student_quantile(at_least(SUSPECT * p),
					  rounded((double)n - 2 + yardstick_prior_df()));
		c->gap_p = p;
		c->of = n;
	}
	return c->gap;
}
