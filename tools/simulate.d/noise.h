/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Noise with memory: streams of random numbers, first-order autoregressive factors, heavy-tailed
 * spikes.
 */
#ifndef LIMPET_SIM_NOISE_H
#define LIMPET_SIM_NOISE_H

#include <stdint.h>

#include "analyzer/stat/rng.h"

/* What a stream is for; part of its seed. */
enum purpose {
	FOR_HARDWARE,
	FOR_PLACEMENT,
	FOR_COMMON,
	FOR_DISK,
	FOR_LOAD,
	FOR_NET,
	FOR_CWND,
	FOR_HOST,
	FOR_CLIENT,
	FOR_CLOCK,
	FOR_DAEMON,
	FOR_TASKS,
	FOR_CHOICE,
	FOR_LATENCY,
	FOR_RUNQ,
	FOR_ROWS,
	FOR_ANOTHER,
	FOR_TABLE,
	FOR_WANDER,
	FOR_HITS,
	FOR_JOBS,
	FOR_LOGS,
};

/* A generator seeded by (seed, purpose, number) and nothing else. */
struct rng stream(uint64_t seed, enum purpose purpose, uint64_t number);

/*
 * x(t) = memory x(t-1) + sqrt(1 - memory^2) sigma e(t), e normal: the deviation is sigma whatever
 * the memory. The factor is exp(x - sigma^2 / 2), whose mean is 1.
 */
struct ar1 {
	struct rng rng;
	double x, memory, sigma;
};

/* Begins in the stationary distribution. */
void ar1_init(struct ar1 *a, struct rng rng, double memory, double sigma);
double ar1_step(struct ar1 *a); /* x itself */
double ar1_factor(struct ar1 *a);

/*
 * Now and then a factor over 1 for a few seconds: Pareto with exponent 1.5, from 1.5 to 10.
 */
struct spikes {
	struct rng rng;
	double probability; /* that one begins in a second */
	unsigned int left;  /* seconds */
	double height;
};

void spikes_init(struct spikes *s, struct rng rng, double probability);
double spikes_factor(struct spikes *s);

/* exp(sigma e - sigma^2 / 2): mean 1. */
double lognormal(struct rng *r, double sigma);

/* A whole number, Poisson about mean (normal beyond 30). */
double poisson(struct rng *r, double mean);

#endif
