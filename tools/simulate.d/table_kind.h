/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of servers of which none limps: a row of the table of kinds says what there is to see, and from it
 * come rows of time, node, throughput and latency. What is 0 is not there. tools/simulate.d/README.md,
 * "Tables", has the equation.
 */
#ifndef LIMPET_SIM_TABLE_KIND_H
#define LIMPET_SIM_TABLE_KIND_H

#include <stdint.h>
#include <stdio.h>

#include "wander.h"

enum tail {
	TAIL_NORMAL,
	TAIL_STUDENT,	  /* two degrees of freedom: no variance */
	TAIL_EXPONENTIAL, /* to one side only */
};

/* How what a server is asked depends on what it answers. */
enum loop {
	LOOP_OPEN,   /* not at all */
	LOOP_STRIPE, /* each request goes over all servers: the slowest one paces everybody */
	LOOP_OWN,    /* each server has its own clients: a slow one is asked less */
};

/* Deviations are of natural logarithms. "One": the same server in the whole table, drawn by the seed. */
struct table_kind {
	const char *name, *what;
	double step_s, hours;
	double ms; /* usual latency */

	double white; /* of a row */
	enum tail tail;
	double white_range; /* servers' own `white` are from this factor below it to this above */
	double white_day;   /* factor on it from 6 to 18 h */
	struct wanders wander;
	unsigned int rack; /* so many servers wander together */
	double shared;	   /* by this part of the variance */

	double requests; /* in a row, of which latency is the mean; 0: as many as make no noise */
	double single;	 /* deviation of a single request */
	double poisson;	 /* 1: their number is random, and a row without any has no latency */
	double peak;	 /* a request that misses the cache takes so many times as long */
	double hit[2];	 /* servers' hit rates are from here to there */
	struct wanders hits; /* of the logit of the hit rate */
	double warm_s;	/* the cache is empty at first, and as full as it gets with this constant */
	double restart; /* 1: one server stops for two minutes once, its cache is empty then */

	double load;	      /* what one server is asked, of the others' */
	double load_lasting;  /* servers' own shares */
	double exponent;      /* latency goes with the load to this power */
	double daily;	      /* amplitude of the day in the load */
	double daily_shift_h; /* by which one server's day is later */
	double utilization;   /* of a queue, at the usual load: latency is service / (1 - rho) */
	enum loop loop;
	double window; /* LOOP_STRIPE, LOOP_OWN: requests of clients, a server */

	double lasting;	     /* of the servers' own levels */
	double ramp_s;	     /* levels become the servers' own over so long */
	double drift;	     /* all together: a random walk, of one hour */
	double trend;	     /* all together: factor over the whole */
	double fleet;	     /* all together: factor from half of the time on */
	double bursts_h;     /* so many an hour and server */
	double burst[2];     /* for so long at most, s, and so high on average */
	struct duty job;     /* a job of each server's own, at its own time */
	double job_factor;   /* that makes it so slow */
	double job_together; /* 1: at the same time everywhere, unequally heavy */

	double round_ms;     /* latencies are whole multiples, at least one */
	double round_bytes;  /* throughput likewise, what is left comes later */
	double one_every;    /* one server has a row in so many steps only */
	double others_every; /* all others do */
	double missing;	     /* share of rows that are not there */
	double gaps_day;     /* so many gaps of an hour on average a day and server */
	double late_h;	     /* one server begins so late */
	double clock_s;	     /* servers' clocks are off by up to so much */
};

extern const struct table_kind table_kinds[]; /* ends with name NULL */
const struct table_kind *table_kind_by_name(const char *name);

struct table_order {
	const struct table_kind *kind;
	unsigned int servers;
	uint64_t seed;
	double hours, step_s; /* 0: the kind's */
	int64_t begin_s;
	/* A server that does limp: its latency (in a queue: its service) is so many times as long. */
	double slow; /* 0: none */
	double slow_from_h;
	struct duty duty;
	unsigned int node; /* which one; table_node() draws it */
};

/* A server that may be slowed: never the one that the kind has as "one". */
unsigned int table_node(const struct table_order *o);

/* All rows into out. 0, or -ENOMEM; whether out took them is ferror()'s to say. */
int table_make(const struct table_order *o, FILE *out);

#endif
