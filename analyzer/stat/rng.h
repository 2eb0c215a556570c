/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeded random numbers: the same on every machine for the same seed, never for secrets.
 *
 * The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2021), its state filled by splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014), as its authors advise: seeds that differ in one bit give
 * unrelated sequences, and no seed gives the forbidden state of zeros.
 */
#ifndef LIMPET_RNG_H
#define LIMPET_RNG_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
	double spare; /* the second of a pair of normal numbers */
	bool has_spare;
};

/* The finalizer of splitmix64: a hash of 64 bits in which every bit depends on every other. */
static inline uint64_t rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline void rng_seed(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = rng_mix(seed + (uint64_t)i * 0x9e3779b97f4a7c15);
	r->spare = 0;
	r->has_spare = false;
}

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s, out = rng_rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return out;
}

/* In [0, 1), a multiple of 2^-53. */
static inline double rng_uniform(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* A whole number in [0, n), n > 0; numbers that would favour small ones are drawn again. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do
		x = rng_u64(r);
	while (x >= limit);
	return x % n;
}

/* Mean 0, standard deviation 1, by Marsaglia's polar method: two at a time. */
static inline double rng_normal(struct rng *r)
{
	double u, v, s;

	if (r->has_spare) {
		r->has_spare = false;
		return r->spare;
	}
	do {
		u = 2 * rng_uniform(r) - 1;
		v = 2 * rng_uniform(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	s = sqrt(-2 * log(s) / s);
	r->spare = v * s;
	r->has_spare = true;
	return u * s;
}

/* Mean 1. */
static inline double rng_exponential(struct rng *r)
{
	return -log1p(-rng_uniform(r));
}

#endif
