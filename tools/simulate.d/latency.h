/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long the single requests of a second took: given what the queues say of their mean, one time each
 * is drawn, in the device and in all, and counted as the probe counts it.
 */
#ifndef LIMPET_SIM_LATENCY_H
#define LIMPET_SIM_LATENCY_H

#include <stdbool.h>

#include "userspace/second/second.h"
#include "noise.h"

#define DEVICE_DEPTH 32 /* requests that the device itself holds: SATA's NCQ */

/* The disk in this second. */
struct disk_now {
	double service_s; /* mean of one request of the file system */
	double seek;	  /* share of requests that move the head… */
	double seek_s;	  /* …and what that takes on average; part of service_s */
	double rho;	  /* utilisation by what is served first */
	double batch;	  /* requests that come together */
	double held;	  /* factor by which the I/O scheduler holds requests back; 1: not at all */
	double hit;	  /* share that the array's cache answers, in hit_s; of service_s, too */
	double hit_s;
	double tick_s; /* the clock's; 0: as fine as may be */
};

enum flow_kind {
	FLOW_SINGLE, /* reads, synchronous writes: M/M/1, in batches */
	FLOW_BURST,  /* writeback: 32 at once */
	FLOW_DEEP,   /* a program that keeps the same number under way */
};

/* Requests of one kind. */
struct flow {
	enum flow_kind kind;
	int op;	  /* OP_READ or OP_WRITE */
	int size; /* size class, 0 … LAT_SIZES - 1 */
	unsigned int n;
	double sum_s; /* of the times of all n: what is drawn is scaled to add up to this */
};

/* The size class of bpf/record.h. */
int latency_size(double kb);

/*
 * Draws f->n times and counts them in lat and dev. Returns the sum of the times in the device, s. The
 * times of the n add up to f->sum_s, and none is longer in the device than in all. With a clock that ticks
 * both are what it shows: a time of 1.3 ticks is one tick or, of ten times, three times two.
 */
double latency_draw(const struct disk_now *d, struct flow *f, struct rng *r, struct lat_hist *lat,
		    struct lat_hist *dev);

/*
 * Run-queue delays of n switches: a share `busy` finds every processor taken and waits for an exponential
 * time of mean wait_s, the others for what it takes to wake a processor. Counted to the switch: the
 * buckets add up to n. Returns the mean delay in ms by the middles of the buckets; NaN if n is 0.
 */
double runq_draw(unsigned int n, double busy, double wait_s, struct rng *r, struct runq_hist *out);

#endif
