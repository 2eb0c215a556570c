// SPDX-License-Identifier: BSD-2-Clause
/* autodiagn.h: one look (algorithm 1). */
#include "autodiagn.h"

#include <math.h>

#include "analyzer/stat/stats.h"

/* ---- the symptom -------------------------------------------------------------------------------------------- */

/* Eq. 2 with a = 0.1 and b = 1. */
static double scaled(double x, double min, double max)
{
	return max > min ? 0.1 + 0.9 * (x - min) / (max - min) : 1;
}

double autodiagn_look(struct autodiagn_task *t, size_t n, double *spare)
{
	double done[2] = {INFINITY, -INFINITY}, age[2] = {INFINITY, -INFINITY}, median;

	for (size_t i = 0; i < n; i++) {
		done[0] = fmin(done[0], t[i].done);
		done[1] = fmax(done[1], t[i].done);
		age[0] = fmin(age[0], t[i].age_s);
		age[1] = fmax(age[1], t[i].age_s);
	}
	for (size_t i = 0; i < n; i++)
		spare[i] = t[i].performance =
			scaled(t[i].done, done[0], done[1]) / scaled(t[i].age_s, age[0], age[1]);
	median = stats_quantile(spare, n, 0.5);
	for (size_t i = 0; i < n; i++)
		t[i].outlier = AUTODIAGN_FACTOR * t[i].performance < median;
	return median;
}
