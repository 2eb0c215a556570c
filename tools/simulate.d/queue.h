/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The closed queueing network that joins clients and servers: a fixed number of requests goes round,
 * every server is visited alike, so the slowest one holds nearly all of them and throttles the rest.
 */
#ifndef LIMPET_SIM_QUEUE_H
#define LIMPET_SIM_QUEUE_H

#include <stddef.h>

/* Where a request may have to wait; demand: seconds of service per visit to the server. */
enum station { ST_DISK, ST_ADMIT, ST_RX, ST_TX, ST_CPU, STATIONS };

struct visit {
	double ratio; /* visits per round; 1 on average */
	double demand[STATIONS];
	double channel_s; /* service by one of the channels below (a lossy connection) */
	double delay_s;	  /* time without a queue */
};

/*
 * Rounds per second X at which the requests under way add up to `window`, within 1e-9 of X:
 *   window = sum_i sum_k rho/(1 - rho) + sum_i (channels r_i + r_i/(1 - r_i)) + X sum_i ratio delay
 *            + channels c/(1 - c)
 * rho_ik = X ratio_i demand_ik, r_i = X ratio_i channel_i / channels, c = X shared_s / channels:
 * `channels` clients, each with an interface of its own, which is what shared_s is the service of;
 * a round spends think_s outside.
 * Product form of a closed network with many requests (an M/M/1 station with utilisation rho holds
 * rho/(1 - rho)). 0 if window is 0.
 */
double queue_solve(const struct visit *v, size_t n, double window, double channels, double shared_s,
		   double think_s);

/* Requests at a station, given its utilisation. */
static inline double queue_length(double rho)
{
	return rho >= 1 ? 1e9 : rho / (1 - rho);
}

#endif
