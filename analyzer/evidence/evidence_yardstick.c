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

double yardstick(const struct evidence *e, const struct view *v, struct length *l, size_t i,
		 const struct spread *s)
{
	struct judged *j = &l->at[i];
	struct yardstick *y = &j->yard;
	struct prior prior = expected(e, v, l, i);
	double rho, looks, nu, wide;

	wide = running_add(&y->wide, s->q, BACK * MEMORY);
	wide = fmax(wide, running_add(&y->wide_now, s->q, BACK * RECENT));
	running_add(&y->same, s->same, BACK * MEMORY);
	running_add(&y->all, s->all, BACK * MEMORY);
	/* How much of the peers' differences is the same one block later: so many looks are one. */
	rho = y->all.mean > 0 ? fmin(fmax(y->same.mean / y->all.mean, 0), 1) : 1;
	looks = fmax(1, y->wide.n / (double)BACK);
	nu = s->df / (rho * rho + (1 - rho * rho) / looks);
	y->variance = (prior.df * prior.variance + nu * wide) / (prior.df + nu);
	j->used = fmax(y->variance, (PRIOR_DF * y->variance + s->df * s->q) / (PRIOR_DF + s->df));
	return prior.df + nu;
}
