// SPDX-License-Identifier: BSD-2-Clause
/* How far healthy peers differ at one length: as was seen, and as shorter lengths let expect. */
#include "evidence_parts.h"

/*
 * "At twice the length the variance of means is three quarters": independent values would make it
 * half, lasting differences all. It counts as 8 degrees of freedom. Of 30 drives to be found: 29 and
 * one alarm among eight; without it 22, with 4 degrees 26, with 12 30. A fall to a half: 30 and
 * six alarms; none at all: 26.
 */
static const double PRIOR_DF = 8, PRIOR_FALL = 0.75;

double yardstick_prior_df(void)
{
	return PRIOR_DF;
}

struct prior {
	double variance, df;
};

/* What is expected of the peers at length l before they have been looked at over it. */
static struct prior expected(const struct evidence *e, const struct view *v, const struct length *l)
{
	const struct length *shorter = l - 1;
	double floor = e->p.floor * e->p.floor;

	/* The shortest tested has what single intervals show: as if nothing averaged out. */
	if (l == &v->length[e->p.k_min])
		return (struct prior){fmax(v->usual.mean, floor), PRIOR_DF};
	for (; shorter > &v->length[e->p.k_min] && !(shorter->variance > 0);)
		shorter--;
	if (shorter->variance > 0)
		return (struct prior){PRIOR_FALL * shorter->variance, PRIOR_DF};
	return (struct prior){PRIOR_FALL * fmax(v->usual.mean, floor), PRIOR_DF};
}

void yardstick(const struct evidence *e, struct view *v, struct length *l, double q, size_t core)
{
	double once = (double)core - 1, rho, looks, nu, wide;
	struct prior prior = expected(e, v, l);

	wide = running_add(&l->wide, q, BACK * MEMORY);
	wide = fmax(wide, running_add(&l->wide_now, q, BACK * RECENT));
	if (l->looks < BACK * MEMORY)
		l->looks++;
	/* How much of the peers' differences is the same one block later: so many looks are one. */
	rho = l->all.mean > 0 ? fmin(fmax(l->same.mean / l->all.mean, 0), 1) : 1;
	looks = fmax(1, l->looks / (double)BACK);
	nu = once / (rho * rho + (1 - rho * rho) / looks);
	l->variance = (prior.df * prior.variance + nu * wide) / (prior.df + nu);
	l->used = fmax(l->variance, (PRIOR_DF * l->variance + once * q) / (PRIOR_DF + once));
	needs_update(e, l, prior.df + nu);
}
