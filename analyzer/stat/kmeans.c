// SPDX-License-Identifier: BSD-2-Clause
/* Lloyd's iterations, plainly: the cost of EM, which follows, is far larger. */
#include "kmeans.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double square(const double *a, const double *b, size_t d)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* Whether the row differs from all centres so far: by values, 0 and -0 are equal. */
static bool is_new(const double *row, const double *centre, size_t k, size_t d)
{
	for (size_t c = 0; c < k; c++) {
		bool same = true;

		for (size_t i = 0; i < d && same; i++)
			same = row[i] == centre[c * d + i];
		if (same)
			return false;
	}
	return true;
}

size_t kmeans_start(const double *x, size_t n, size_t d, size_t k, struct rng *rng, double *centre)
{
	size_t found = 0, at = n ? rng_below(rng, n) : 0;

	/* Draws at random first. Where that keeps failing most rows are equal: then one after the
	 * other from a random one, so that every row is looked at. */
	for (size_t tries = 0; n && found < k && tries < 20 * k + n; tries++) {
		size_t i = tries < 20 * k ? rng_below(rng, n) : (at + tries - 20 * k) % n;
		const double *row = x + i * d;

		if (is_new(row, centre, found, d))
			memcpy(centre + found++ * d, row, d * sizeof(double));
	}
	return found;
}

static double nearest(const double *row, const double *centre, size_t k, size_t d)
{
	double least = INFINITY;

	for (size_t c = 0; c < k; c++)
		least = fmin(least, square(row, centre + c * d, d));
	return least;
}

size_t kmeans_start_apart(const double *x, size_t n, size_t d, size_t k, struct rng *rng,
			  double *centre)
{
	size_t found = 0, at = n ? rng_below(rng, n) : 0;

	while (n && found < k) {
		double all = 0, until;

		memcpy(centre + found++ * d, x + at * d, d * sizeof(double));
		for (size_t i = 0; i < n; i++)
			all += nearest(x + i * d, centre, found, d);
		if (!(all > 0))
			break;
		until = rng_uniform(rng) * all;
		/* rounding may leave a rest behind the last: then the last row that is no centre is meant */
		for (size_t i = 0; i < n; i++) {
			double own = nearest(x + i * d, centre, found, d);

			if (!(own > 0))
				continue;
			at = i;
			until -= own;
			if (until < 0)
				break;
		}
	}
	return found;
}

/* Whether any label changed. */
static bool assign(const double *x, size_t n, size_t d, size_t k, const double *centre,
		   uint32_t *label)
{
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		double best = INFINITY;
		uint32_t which = 0;

		for (size_t c = 0; c < k; c++) {
			double s = square(x + i * d, centre + c * d, d);

			if (s < best) {
				best = s;
				which = (uint32_t)c;
			}
		}
		changed |= label[i] != which;
		label[i] = which;
	}
	return changed;
}

/* Gives an empty cluster the row that is furthest from its centre and not alone in its cluster. */
static void refill(const double *x, size_t n, size_t d, const double *centre, uint32_t *label,
		   size_t *count, uint32_t empty)
{
	double most = -1;
	size_t far = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		double s = square(x + i * d, centre + label[i] * d, d);

		if (s > most && count[label[i]] > 1) {
			most = s;
			far = i;
		}
	}
	if (far == SIZE_MAX)
		return;
	count[label[far]]--;
	label[far] = empty;
	count[empty]++;
}

static void move(const double *x, size_t n, size_t d, size_t k, double *centre,
		 const uint32_t *label, const size_t *count)
{
	for (size_t c = 0; c < k; c++)
		if (count[c])
			memset(centre + c * d, 0, d * sizeof(double));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			centre[label[i] * d + j] += x[i * d + j];
	for (size_t c = 0; c < k; c++)
		for (size_t j = 0; j < d && count[c]; j++)
			centre[c * d + j] /= (double)count[c];
}

unsigned int kmeans(const double *x, size_t n, size_t d, size_t k, double *centre, uint32_t *label)
{
	unsigned int round = 0;

	memset(label, 0xff, n * sizeof(*label));
	while (assign(x, n, d, k, centre, label) && round < KMEANS_ITERATIONS) {
		size_t count[k];

		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < n; i++)
			count[label[i]]++;
		for (size_t c = 0; c < k; c++)
			if (!count[c])
				refill(x, n, d, centre, label, count, (uint32_t)c);
		move(x, n, d, k, centre, label, count);
		round++;
	}
	return round;
}

double kmeans_distortion(const double *x, size_t n, size_t d, const double *centre,
			 const uint32_t *label)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += sqrt(square(x + i * d, centre + label[i] * d, d));
	return sum;
}
