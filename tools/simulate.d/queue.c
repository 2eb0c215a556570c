// SPDX-License-Identifier: BSD-2-Clause
/* The closed queueing network, solved by bisection. */
#include "queue.h"

#include <math.h>

static double under_way(const struct visit *v, size_t n, double x, double channels, double shared_s,
			double think_s)
{
	double sum = x * think_s + channels * queue_length(x * shared_s / channels);

	for (size_t i = 0; i < n; i++) {
		double rate = x * v[i].ratio, r = rate * v[i].channel_s / channels;

		sum += rate * v[i].delay_s;
		if (r > 0)
			sum += channels * r + queue_length(r);
		for (int k = 0; k < STATIONS; k++)
			if (v[i].demand[k] > 0)
				sum += queue_length(rate * v[i].demand[k]);
	}
	return sum;
}

double queue_solve(const struct visit *v, size_t n, double window, double channels, double shared_s,
		   double think_s)
{
	double slowest = shared_s / channels, low = 0, high;

	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < STATIONS; k++)
			slowest = fmax(slowest, v[i].ratio * v[i].demand[k]);
		slowest = fmax(slowest, v[i].ratio * v[i].channel_s / channels);
	}
	if (!(window > 0) || !(slowest > 0) || !(channels > 0))
		return 0;
	high = 1 / slowest;
	for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
		double x = (low + high) / 2;

		if (under_way(v, n, x, channels, shared_s, think_s) > window)
			high = x;
		else
			low = x;
	}
	return low;
}
