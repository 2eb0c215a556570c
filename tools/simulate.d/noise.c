// SPDX-License-Identifier: BSD-2-Clause
/* Noise with memory. */
#include "noise.h"

#include <math.h>

struct rng stream(uint64_t seed, enum purpose purpose, uint64_t number)
{
	struct rng r;

	rng_seed(&r, rng_mix(rng_mix(rng_mix(seed) + (uint64_t)purpose) + number));
	return r;
}

void ar1_init(struct ar1 *a, struct rng rng, double memory, double sigma)
{
	*a = (struct ar1){.rng = rng, .memory = memory, .sigma = sigma};
	a->x = sigma * rng_normal(&a->rng);
}

double ar1_step(struct ar1 *a)
{
	a->x = a->memory * a->x + sqrt(1 - a->memory * a->memory) * a->sigma * rng_normal(&a->rng);
	return a->x;
}

double ar1_factor(struct ar1 *a)
{
	return exp(ar1_step(a) - a->sigma * a->sigma / 2);
}

void spikes_init(struct spikes *s, struct rng rng, double probability)
{
	*s = (struct spikes){.rng = rng, .probability = probability, .height = 1};
}

double spikes_factor(struct spikes *s)
{
	/* The same numbers are drawn every second, whatever happens. */
	double begins = rng_uniform(&s->rng), height = rng_uniform(&s->rng),
	       length = rng_uniform(&s->rng);

	if (s->left)
		s->left--;
	if (!s->left) {
		s->height = 1;
		if (begins < s->probability) {
			s->left = 1 + (unsigned int)(3 * length);
			s->height = fmin(10, 1.5 * pow(1 - height, -1 / 1.5));
		}
	}
	return s->left ? s->height : 1;
}

double lognormal(struct rng *r, double sigma)
{
	return exp(sigma * rng_normal(r) - sigma * sigma / 2);
}

double poisson(struct rng *r, double mean)
{
	double limit, p = 1, k = 0;

	if (!(mean > 0))
		return 0;
	if (mean > 30)
		return fmax(0, round(mean + sqrt(mean) * rng_normal(r)));
	limit = exp(-mean);
	while ((p *= rng_uniform(r)) > limit)
		k++;
	return k;
}
