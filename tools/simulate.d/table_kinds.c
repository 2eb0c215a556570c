// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of healthy kinds. What they are follows from what servers do: caches, neighbours on a shelf,
 * jobs of the night, clocks, counters. No detector was asked.
 */
#include "table_kind.h"

#include <string.h>

#define QUARTER_MINUTES .step_s = 15, .ms = 5
#define DAY		QUARTER_MINUTES, .hours = 24
#define DAYS		QUARTER_MINUTES, .hours = 84 /* of wander: three times ten hours and more */
#define MIN		60.0
#define HOUR		3600.0

#define WANDER(sd, tau) DAYS, .white = 0.2, .wander = {{{sd, tau}}}
#define PEAKS(low, high)                                                              \
	.step_s = 15, .ms = 1, .hours = 24, .requests = 1, .single = 0.1, .peak = 10, \
	.hit = {low, high}
#define LOAD(factor) DAY, .white = 0.2, .load = factor, .exponent = 0.7

const struct table_kind table_kinds[] = {
	/* noise without memory */
	{"white-0.1", "rows independent, 10 %", DAY, .white = 0.1},
	{"white-0.5", "rows independent, 50 %", DAY, .white = 0.5},
	{"white-1", "rows independent, a factor of e", DAY, .white = 1},
	{"student", "rows independent, Student's t with 2 degrees of freedom", DAY, .white = 0.2,
	 .tail = TAIL_STUDENT},
	{"exponential", "rows independent, long to one side", DAY, .white = 0.6,
	 .tail = TAIL_EXPONENTIAL},
	{"noise-by-day", "rows independent, three times as noisy from 6 to 18 h", DAYS,
	 .white = 0.15, .white_day = 3},
	{"noise-unequal", "some servers are three times as noisy as others", DAY, .white = 0.25,
	 .white_range = 1.75},
	/* wander */
	{"wander-15s", "wander of 15 s, 50 %", WANDER(0.5, 15)},
	{"wander-1min", "wander of a minute, 25 %", WANDER(0.25, MIN)},
	{"wander-10min-0.1", "wander of 10 minutes, 10 %", WANDER(0.1, 10 * MIN)},
	{"wander-10min-0.25", "wander of 10 minutes, 25 %", WANDER(0.25, 10 * MIN)},
	{"wander-10min-0.5", "wander of 10 minutes, 50 %", WANDER(0.5, 10 * MIN)},
	{"wander-1h-0.1", "wander of an hour, 10 %", WANDER(0.1, HOUR)},
	{"wander-1h-0.25", "wander of an hour, 25 %", WANDER(0.25, HOUR)},
	{"wander-1h-0.5", "wander of an hour, 50 %", WANDER(0.5, HOUR)},
	{"wander-4h-0.1", "wander of four hours, 10 %", WANDER(0.1, 4 * HOUR)},
	{"wander-4h-0.25", "wander of four hours, 25 %", WANDER(0.25, 4 * HOUR)},
	{"wander-10h-0.1", "wander of ten hours, 10 %", WANDER(0.1, 10 * HOUR)},
	{"wander-10h-0.25", "wander of ten hours, 25 %", WANDER(0.25, 10 * HOUR)},
	{"wander-sum", "wander of 1, 4, 16 minutes, 1, 4, 10 h, 12 % each", DAYS, .white = 0.2,
	 .wander = {{{0.12, MIN},
		     {0.12, 4 * MIN},
		     {0.12, 16 * MIN},
		     {0.12, HOUR},
		     {0.12, 4 * HOUR},
		     {0.12, 10 * HOUR}}}},
	{"wander-seconds", "rows of 1 s, wander of 10 s, 50 %", .step_s = 1, .ms = 5, .hours = 4,
	 .white = 0.2, .wander = {{{0.5, 10}}}},
	{"wander-smooth", "wander of an hour, 25 %, and no other noise but 2 %", DAYS,
	 .white = 0.02, .wander = {{{0.25, HOUR}}}},
	{"pairs", "two and two servers wander together: 1 h, 20 %", DAYS, .white = 0.2,
	 .wander = {{{0.2, HOUR}}}, .rack = 2, .shared = 1},
	{"racks", "racks of four share four fifths of their wander: 10 minutes and 4 h, 15 %", DAYS,
	 .white = 0.2, .wander = {{{0.15, 10 * MIN}, {0.15, 4 * HOUR}}}, .rack = 4, .shared = 0.8},
	{"all-together", "all servers share nine tenths of a wander of an hour, 50 %", DAYS,
	 .white = 0.2, .wander = {{{0.5, HOUR}}}, .rack = 1000000, .shared = 0.9},
	/* two peaks */
	{"peaks-equal", "a request hits the cache or takes ten times as long; half hit",
	 PEAKS(0.5, 0.5)},
	{"peaks-near", "hit or miss, hit rates 0.45 to 0.55", PEAKS(0.45, 0.55)},
	{"peaks-apart", "hit or miss, hit rates 0.4 to 0.6", PEAKS(0.4, 0.6)},
	{"peaks-cached", "hit or miss, hit rates 0.8 to 0.95", PEAKS(0.8, 0.95)},
	{"peaks-wander", "hit or miss, hit rates wander about 0.5 by 0.1, 100 minutes",
	 PEAKS(0.5, 0.5), .hits = {{{0.4, 100 * MIN}}}},
	{"peaks-many", "means of 32 requests, hit rates 0.45 to 0.55 and wandering, an hour",
	 .step_s = 15, .ms = 1, .hours = 24, .requests = 32, .single = 0.1, .peak = 10,
	 .hit = {0.45, 0.55}, .hits = {{{0.2, HOUR}}}},
	{"peaks-rare", "one request of a hundred takes a hundred times as long", .step_s = 15,
	 .ms = 1, .hours = 24, .requests = 20, .single = 0.3, .peak = 100, .hit = {0.99, 0.99}},
	{"warm-up", "caches are empty at first and full after an hour, each at its own pace",
	 .step_s = 15, .ms = 1, .hours = 12, .white = 0.1, .requests = 16, .single = 0.2,
	 .peak = 10, .hit = {0.85, 0.9}, .warm_s = 20 * MIN},
	{"warm-restart", "one server restarts once, and its cache is empty", .step_s = 15, .ms = 1,
	 .hours = 24, .white = 0.1, .requests = 16, .single = 0.2, .peak = 4, .hit = {0.6, 0.65},
	 .warm_s = 10 * MIN, .restart = 1},
	/* rounding */
	{"whole-ms-near", "whole milliseconds, levels from 1.45 to 1.55 ms", .step_s = 15,
	 .ms = 1.5, .hours = 24, .white = 0.05, .lasting = 0.02, .round_ms = 1},
	{"whole-ms-equal", "whole milliseconds, 1 to 3, all alike", .step_s = 15, .ms = 1.5,
	 .hours = 24, .white = 0.3, .round_ms = 1},
	{"whole-ms-wander", "whole milliseconds, wander of an hour, 10 %, across the step",
	 .step_s = 15, .ms = 2.5, .hours = 84, .white = 0.05, .wander = {{{0.1, HOUR}}},
	 .round_ms = 1},
	{"ticks", "a clock of 4 ms", .step_s = 15, .ms = 7, .hours = 24, .white = 0.3,
	 .round_ms = 4},
	{"constant", "the same millisecond always, but for one row of 200", .step_s = 15, .ms = 1.2,
	 .hours = 24, .white = 0.085, .round_ms = 1},
	{"whole-MB", "throughput counted in whole 256 MB", DAY, .white = 0.2, .exponent = 0.7,
	 .round_bytes = 256e6},
	/* lasting differences */
	{"lasting-0.05", "levels differ for good, 5 %", DAY, .white = 0.3, .lasting = 0.05},
	{"lasting-0.1", "levels differ for good, 10 %", DAY, .white = 0.3, .lasting = 0.1},
	{"lasting-0.15", "levels differ for good, 15 %", DAY, .white = 0.3, .lasting = 0.15},
	{"lasting-0.25", "levels differ for good, 25 %", DAY, .white = 0.3, .lasting = 0.25},
	{"settling", "alike at first, 8 % apart for good after six hours", DAY, .white = 0.2,
	 .lasting = 0.08, .ramp_s = 6 * HOUR},
	/* load */
	{"load-0.1", "one server is asked a tenth; latency goes with load^0.7", LOAD(0.1)},
	{"load-0.5", "one server is asked half", LOAD(0.5)},
	{"load-1.4", "one server is asked 1.4 times as much", LOAD(1.4)},
	{"load-2", "one server is asked twice as much", LOAD(2)},
	{"load-3", "one server is asked three times as much", LOAD(3)},
	{"load-4", "one server is asked four times as much", LOAD(4)},
	{"load-10", "one server is asked ten times as much", LOAD(10)},
	{"load-10-equal", "one server is asked ten times as much and is as quick", DAY,
	 .white = 0.2, .load = 10},
	{"load-unequal", "all servers are asked unequally for good, 50 %", DAY, .white = 0.2,
	 .load_lasting = 0.5, .exponent = 0.7},
	{"rare-requests", "five requests a row on average, some rows without any", DAY,
	 .requests = 5, .single = 0.8, .poisson = 1},
	{"rare-unequal", "the same, one server with a quarter of them", DAY, .requests = 5,
	 .single = 0.8, .poisson = 1, .load = 0.25},
	{"daily", "a day of load, threefold from night to noon, for all", DAYS, .white = 0.2,
	 .exponent = 0.7, .daily = 0.55},
	{"daily-shifted", "the same, one server's day 12 h later", DAYS, .white = 0.2,
	 .exponent = 0.7, .daily = 0.55, .daily_shift_h = 12},
	{"saturation", "queues nearly full, shares of the load unequal, 10 %", DAY, .white = 0.1,
	 .load_lasting = 0.1, .utilization = 0.7},
	{"saturation-daily", "queues that fill by day", DAYS, .white = 0.1, .load_lasting = 0.03,
	 .daily = 0.3, .utilization = 0.55},
	{"closed-stripe", "16 requests a server go round all; wander of 10 minutes, 5 %", DAY,
	 .white = 0.05, .wander = {{{0.05, 10 * MIN}}}, .loop = LOOP_STRIPE, .window = 16,
	 .utilization = 0.75},
	{"closed-own", "16 requests a server, each of its own clients", DAY, .white = 0.05,
	 .wander = {{{0.1, 10 * MIN}}}, .loop = LOOP_OWN, .window = 16, .utilization = 0.75},
	{"closed-few", "two requests a server go round all; lasting differences of 5 %", DAY,
	 .white = 0.1, .lasting = 0.05, .loop = LOOP_STRIPE, .window = 2, .utilization = 0.5},
	/* all together */
	{"drift", "all drift together, 30 % in an hour", DAY, .white = 0.3, .drift = 0.3},
	{"trend", "all become twice as slow over three days", DAYS, .white = 0.2, .trend = 2},
	{"fleet", "all are three times as slow from half of the time on", DAY, .white = 0.3,
	 .lasting = 0.05, .fleet = 3},
	/* what comes and goes */
	{"bursts", "up to 30 s, once in four hours", DAY, .white = 0.2, .bursts_h = 0.25,
	 .burst = {30, 1}},
	{"bursts-long", "up to 5 minutes, once in eight hours, 50 % on average", DAYS, .white = 0.2,
	 .bursts_h = 0.125, .burst = {300, 0.4}},
	{"jobs", "a job of 3 minutes every hour, at each server's own minute: 1.5 times as slow",
	 DAY, .white = 0.2, .job = {HOUR, 0.05}, .job_factor = 1.5},
	{"jobs-together", "the same at the same minute everywhere, not equally heavy", DAY,
	 .white = 0.2, .job = {HOUR, 0.05}, .job_factor = 1.5, .job_together = 1},
	/* how it was measured */
	{"one-quick", "one server has a row in 5 s, the others in 60 s", .step_s = 5, .ms = 5,
	 .hours = 24, .white = 0.3, .others_every = 12},
	{"one-slow", "one server has a row in 60 s, the others in 5 s", .step_s = 5, .ms = 5,
	 .hours = 24, .white = 0.3, .one_every = 12},
	{"one-slow-noisy", "the same, rows of a factor of e", .step_s = 5, .ms = 5, .hours = 24,
	 .white = 0.9, .one_every = 12},
	{"half-missing", "half of the rows are missing", DAY, .white = 0.3, .missing = 0.5},
	{"gaps", "gaps of an hour on average, two a day and server; wander of 10 minutes, 20 %",
	 DAYS, .white = 0.2, .wander = {{{0.2, 10 * MIN}}}, .gaps_day = 2},
	{"late-start", "one server begins six hours later", DAY, .white = 0.3,
	 .wander = {{{0.1, 10 * MIN}}}, .late_h = 6},
	{"clocks", "clocks up to 7 s off; all drift together, 60 % in an hour", DAY, .white = 0.2,
	 .drift = 0.6, .clock_s = 7},
	/* everything */
	{"mixture",
	 "a little of it all: peaks, wander in racks, lasting differences, day, jobs, bursts",
	 .step_s = 15,
	 .ms = 1,
	 .hours = 84,
	 .white = 0.1,
	 .wander = {{{0.06, 10 * MIN}, {0.06, 4 * HOUR}}},
	 .rack = 4,
	 .shared = 0.5,
	 .requests = 32,
	 .single = 0.3,
	 .peak = 10,
	 .hit = {0.6, 0.65},
	 .hits = {{{0.1, HOUR}}},
	 .exponent = 0.3,
	 .daily = 0.3,
	 .lasting = 0.03,
	 .bursts_h = 0.1,
	 .burst = {30, 0.7},
	 .job = {6 * HOUR, 0.02},
	 .job_factor = 1.3},
	{NULL},
};

const struct table_kind *table_kind_by_name(const char *name)
{
	for (const struct table_kind *k = table_kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}
