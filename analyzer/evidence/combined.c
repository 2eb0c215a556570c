// SPDX-License-Identifier: BSD-2-Clause
/* Several pieces of evidence together: normal deviates that add up, two chances, another chance. */
#include "internal.h"

#include "analyzer/stat/student.h"

/* No normal deviate says more: beyond four nothing is known of its tail. */
static const double DEVIATE_MOST = 4;

double evidence_deviate(const struct evidence *e)
{
	return fmax(-DEVIATE_MOST, fmin(DEVIATE_MOST, deviate_at(e->p, DF_NORMAL)));
}

struct evidence evidence_sum(const struct deviates *x, const struct sum_params *p)
{
	struct evidence e = evidence_none;

	e.n = x->n;
	e.n_peers = x->n_peers;
	e.effect = x->effect;
	e.t = x->sum / sqrt((double)x->n) / p->deviation;
	e.needs = quantile_at(p->chance, DF_NORMAL);
	e.df = DF_NORMAL;
	e.p = student_tail(e.t, e.df);
	if (e.effect < p->gate_suspect || e.t < quantile_at(SUSPECT * p->chance, DF_NORMAL))
		return e;
	e.level = e.t >= e.needs && e.effect >= p->gate ? EVIDENCE_INDICTED : EVIDENCE_SUSPICIOUS;
	return e;
}

struct evidence evidence_at_chance(const struct evidence *e, double chance)
{
	struct evidence at = *e;

	at.level = EVIDENCE_NONE;
	at.needs = quantile_at(chance, e->df);
	at.least = at.least_indicted = NAN;
	return at;
}

struct evidence evidence_few(const struct evidence *e, const struct few_values *x)
{
	double chance = student_tail(e->needs, e->df),
	       p = pow((x->above + 1) / (x->others + 1), x->n);
	double best = pow(1 / (x->others + 1), x->n);
	struct evidence few = *e;

	few.least = best <= SUSPECT * chance ? fmax(e->least, x->largest) : NAN;
	few.least_indicted = best <= chance && x->n > 1 ? fmax(e->least_indicted, x->largest) : NAN;
	if (p > e->p) {
		few.p = p;
		few.t = deviate_at(p, e->df);
	}
	if (p > SUSPECT * chance)
		few.level = EVIDENCE_NONE;
	else if ((p > chance || x->n <= 1) && e->level == EVIDENCE_INDICTED)
		few.level = EVIDENCE_SUSPICIOUS;
	return few;
}

double evidence_both(const struct evidence *a, const struct evidence *b)
{
	double x = -log(student_tail(a->t, a->df) * student_tail(b->t, b->df));

	return exp(-x) * (1 + x);
}
