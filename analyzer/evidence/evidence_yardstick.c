// SPDX-License-Identifier: BSD-2-Clause
/* How far healthy peers differ at one length: as was seen, and as shorter lengths let expect. */
#include "evidence_parts.h"

/*
 * "At twice the length the variance of means is 0.6 of that": independent values would make it half, lasting
 * differences all; drives of two clusters showed 0.7, and what is expected of a length already errs to the wide
 * side, since the shortest begins as if nothing averaged out. It counts as 12 degrees of freedom. Drives slowed
 * for three hours, of five 1.5 times and of twelve 1.3 times, of 80 each, at a budget of 0.05: found with (12,
 * 0.6) 71 and 40; (8, 0.75) 43 and 21; (20, 0.75) 56 and 30; (8, 0.6) 56 and 27; all of these with the same one false
 * indictment in 6.7 weeks of five noisy drives. (16, 0.55) at 0.1 found 79 and 58, with six.
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
