/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time is whole nanoseconds in 64 bits (NAME_ns): those since 1970 (wall_ns), those of the monotonic
 * clock (mono_ns), or a span. Seconds are a double (NAME_s), for formulas and for people. As text:
 * output_time() of output.h.
 */
#ifndef LIMPET_CLOCK_H
#define LIMPET_CLOCK_H

#include <math.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_US   INT64_C(1000)
#define NS_PER_MS   INT64_C(1000000)
#define NS_PER_S    INT64_C(1000000000)
#define NS_PER_HOUR (3600 * NS_PER_S)
#define NS_PER_DAY  (86400 * NS_PER_S)

static inline double s_of_ns(int64_t ns)
{
	return (double)ns / 1e9;
}

/* Of milliseconds that a log says; 0 where it says none (0 or less), or more than fit. */
static inline int64_t ns_of_ms(int64_t ms)
{
	return ms > 0 && ms <= INT64_MAX / NS_PER_MS ? ms * NS_PER_MS : 0;
}

/* Rounded to the nearest. */
static inline int64_t ns_of_s(double s)
{
	return llround(s * 1e9);
}

static inline int64_t ns_of_timespec(struct timespec t)
{
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Now, by CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID …; 0 where there is no such clock. */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : ns_of_timespec(t);
}

#endif
