// SPDX-License-Identifier: BSD-2-Clause
/* The parameters of the trained methods: their check and what follows from them. */
#include "params.h"

#include <math.h>

const char *params_check(const struct params *p)
{
	if (p->smooth < 1 || p->smooth > SMOOTH_MAX || p->cwnd_smooth < 1 ||
	    p->cwnd_smooth > SMOOTH_MAX)
		return "the trailing mean must be over 1 to 3600 samples";
	if (p->window < WINDOW_MIN || p->window > WINDOW_MAX)
		return "a window must have 4 to 86400 samples";
	if (p->shift < 1 || p->shift > p->window)
		return "the shift must be from 1 sample to a whole window";
	if (p->bins < 2 || p->bins > BINS_MAX)
		return "a histogram must have 2 to 256 bins";
	if (p->votes < 1 || p->votes > VOTES_MAX)
		return "the votes must be from 1 to 16";
	if (p->partition && p->partition < PARTITION_MIN)
		return "a server must be compared with 4 others at least";
	if (!(p->slack >= SLACK_MIN && p->slack <= SLACK_MAX))
		return "the slack must be from 0.01 to 1000";
	if (!(p->t_min >= 0 && p->t_min <= 1e6))
		return "the smallest threshold must not be negative";
	return NULL;
}

double params_t_min(const struct params *p)
{
	double n_eff = (double)p->window / p->smooth;

	return (p->bins - 1) / (n_eff > 1 ? n_eff : 1);
}

double params_d_max(const struct params *p)
{
	double n = p->window;

	return n / (n + 0.5 * p->bins) * log((n + 0.5) / 0.5);
}
