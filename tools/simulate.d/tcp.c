// SPDX-License-Identifier: BSD-2-Clause
/* What TCP makes of loss. */
#include "tcp.h"

#include <math.h>

double tcp_rate_kb(double p, double rtt_s)
{
	double t0 = TCP_TIMEOUTS * TCP_RTO_S;

	if (!(p > 0))
		return INFINITY;
	return TCP_SEGMENT_KB /
	       (rtt_s * sqrt(2 * p / 3) + t0 * fmin(1, 3 * sqrt(3 * p / 8)) * p * (1 + 32 * p * p));
}

double tcp_window(double p, double most)
{
	if (!(p > 0))
		return most;
	return fmax(1, fmin(most, sqrt(1.5 / p)));
}

double tcp_acks(double p, double window)
{
	return 0.5 + 0.5 * fmin(1, p * (window / 2 + 16));
}
