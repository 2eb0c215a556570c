/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes and goes over minutes and hours: a sum of first-order autoregressive terms, of which
 * servers may share a part; hours in which something is on; lists of numbers and durations as options
 * have them.
 */
#ifndef LIMPET_SIM_WANDER_H
#define LIMPET_SIM_WANDER_H

#include <stdbool.h>
#include <stddef.h>

#include "noise.h"

enum { WANDERS_MAX = 6 };

/* One term: its standard deviation, and the time in which its correlation falls to 1/e. */
struct wander {
	double sd, tau_s;
};

/* Terms up to the first whose sd is 0. */
struct wanders {
	struct wander term[WANDERS_MAX];
};

/* A server's path: sqrt(1 - shared) of its own and sqrt(shared) of its rack's, so that the deviation is
 * that of the terms whatever is shared, and two servers of a rack correlate by `shared`. */
struct path {
	struct ar1 own[WANDERS_MAX], rack[WANDERS_MAX];
	size_t n;
	double shared;
};

/* Whoever asks with the same seed, purpose and rack gets the same rack's path. Begins in the stationary
 * distribution. A step is step_s long. */
struct path_of {
	uint64_t seed;
	enum purpose purpose;
	uint64_t server, rack;
	double shared, step_s;
};
void path_init(struct path *p, const struct wanders *w, const struct path_of *of);
/* The next step's value: mean 0. */
double path_next(struct path *p);
/* The variance of its values. */
double wanders_variance(const struct wanders *w);

/* On for the first `share` of each period; always if period_s is 0. */
struct duty {
	double period_s, share;
};

bool duty_on(const struct duty *d, double since_s);

/*
 * Options: a time is a number with s (or nothing), m, h or d; WANDERS is SD:TIME, several with commas
 * between; DUTY is TIME:SHARE. 0, or -1 after a message that begins with the option's name.
 */
int read_time_s(const char *option, const char *text, double *s);
int read_wanders(const char *option, const char *text, struct wanders *w);
int read_duty(const char *option, const char *text, struct duty *d);

#endif
