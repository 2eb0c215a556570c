/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * K-means by Lloyd's iterations: where EM starts (Pan et al., CMU-PDL-08-112, Fig. 6).
 */
#ifndef LIMPET_KMEANS_H
#define LIMPET_KMEANS_H

#include <stddef.h>
#include <stdint.h>

#include "rng.h"

/* Enough to converge on any data that has clusters; after so many the labels are as they are. */
enum { KMEANS_ITERATIONS = 300 };

/*
 * Picks up to k centres among the rows of x (n x d): different ones, in random order. Returns how
 * many; less than k only if x has fewer different rows. centre: k x d.
 */
size_t kmeans_start(const double *x, size_t n, size_t d, size_t k, struct rng *rng, double *centre);

/*
 * The same, but apart from each other: each next one is drawn with a chance in proportion to the square of its
 * distance to the nearest so far (k-means++: Arthur and Vassilvitskii, SODA 2007). O(n d k).
 */
size_t kmeans_start_apart(const double *x, size_t n, size_t d, size_t k, struct rng *rng,
			  double *centre);

/*
 * Iterates from the centres given until no label changes; n >= k > 0. Of two centres equally near
 * the first wins. A cluster that loses all its rows moves to the row furthest from its centre [D].
 * label: n. Returns how many iterations it took.
 */
unsigned int kmeans(const double *x, size_t n, size_t d, size_t k, double *centre, uint32_t *label);

/* The sum of the distances of all rows from their centres; not of their squares [P Fig. 6]. */
double kmeans_distortion(const double *x, size_t n, size_t d, const double *centre,
			 const uint32_t *label);

#endif
