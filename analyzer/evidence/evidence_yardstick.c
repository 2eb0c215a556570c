// SPDX-License-Identifier: BSD-2-Clause
/* How far healthy peers differ at one length: as was seen, and as shorter lengths let expect. */
#include "evidence_parts.h"

/*
 * "At twice the length the variance of means is 0.6 of that": independent values would make it half, lasting
 * differences all; and what is expected of a length already errs to the wide side, since the shortest begins as if
 * nothing averaged out. It counts as 12 degrees of freedom. 8 and 0.75 found three fifths of the drives that are
 * 1.5 times slower among five quiet ones for three hours; 16 and 0.55 named healthy ones of noisy groups. What
 * these find and cost: `tools/results try healthy drives`. They were chosen on half of those hosts.
 */
static const double PRIOR_DF = 12, PRIOR_FALL = 0.6;

/* Of the floor, squared: peers that differ by less differ by rounding, which is new in every block. */
static const double ROUNDING = 1e-6;

double yardstick_prior_df(void)
{
	return PRIOR_DF;
}

struct prior {
	double variance, df;
};

/* What is expected of the peers at length l before they have been looked at over it. */
static struct prior expected(const struct evidence *e, const struct view *v, const struct length *l,
			     size_t i)
{
	const struct length *shorter = l - 1;
	double floor = e->p.floor * e->p.floor;

	/* The shortest tested has what single intervals show: as if nothing averaged out. */
	if (l == &v->length[e->p.k_min])
		return (struct prior){fmax(v->usual.mean, floor), PRIOR_DF};
	for (; shorter > &v->length[e->p.k_min] && !(shorter->at[i].yard.variance > 0);)
		shorter--;
	if (shorter->at[i].yard.variance > 0)
		return (struct prior){PRIOR_FALL * shorter->at[i].yard.variance, PRIOR_DF};
	return (struct prior){PRIOR_FALL * fmax(v->usual.mean, floor), PRIOR_DF};
}

/* A mean that forgets, of which x is the n-th. */
static void learn(float *mean, double x, unsigned int n)
{
	*mean += (float)((x - *mean) / n);
}

static unsigned int at_most(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

double yardstick(const struct evidence *e, const struct view *v, struct length *l, size_t i,
		 const struct spread *s)
{
	struct judged *j = &l->at[i];
	struct yardstick *y = &j->yard;
	struct prior prior = expected(e, v, l, i);
	double rho, looks, nu, wide;

	if (isfinite(s->q)) {
		y->looks += y->looks < BACK * MEMORY;
		learn(&y->wide, s->q, y->looks);
		learn(&y->wide_now, s->q, at_most(y->looks, BACK * RECENT));
	}
	wide = fmax(y->wide, y->wide_now);
	if (isfinite(s->same) && isfinite(s->all)) {
		y->pairs += y->pairs < BACK * MEMORY;
		learn(&y->same, s->same, y->pairs);
		learn(&y->all, s->all, y->pairs);
	}
	/* How much of the peers' differences is the same one block later: so many looks are one. */
	rho = y->all > ROUNDING * e->p.floor * e->p.floor ? fmin(fmax(y->same / y->all, 0), 1) : 1;
	looks = fmax(1, y->looks / (double)BACK);
	nu = s->df / (rho * rho + (1 - rho * rho) / looks);
	y->variance = (float)((prior.df * prior.variance + nu * wide) / (prior.df + nu));
	j->used = (float)fmax(y->variance,
			      (PRIOR_DF * y->variance + s->df * s->q) / (PRIOR_DF + s->df));
	return prior.df + nu;
}
