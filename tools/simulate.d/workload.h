/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workloads of the parallel file system: each client goes round a list of phases at its own pace; a
 * moment's load is the mean over the clients of what each one is doing.
 */
#ifndef LIMPET_SIM_WORKLOAD_H
#define LIMPET_SIM_WORKLOAD_H

#include "sim.h"

/* What a client does for a while; numbers are of one request to one server. */
struct phase {
	const char *name;
	double seconds; /* about so long; 0: to the end of the run */
	double window;	/* requests of one client under way; 0: a pause */
	double size_kb;
	double read;	  /* share of requests that read */
	double hit;	  /* share of the reads answered from the server's page cache */
	double sync;	  /* share of the writes that wait for the disk */
	double disk_kb;	  /* size of a disk request */
	double seek;	  /* chance that a disk request has to move the head */
	double root;	  /* lookups at the server of "/" per request, over all servers */
	double think_s;	  /* a client's own time per request */
	double imbalance; /* deviation of the servers' shares of the load */
};

enum { PHASES_MAX = 6 };

struct workload {
	const char *name;
	struct phase phases[PHASES_MAX]; /* ends with name NULL */
};

extern const struct workload workloads[]; /* ends with name NULL */
const struct workload *workload_by_name(const char *name);

struct client {
	struct rng rng;
	double starts;		   /* second of the run */
	const struct phase *phase; /* NULL: not begun */
	double left;		   /* seconds of it */
};

void client_init(struct client *c, struct rng rng);

/* The clients' second `t`: adds up into mix, whose window is the sum over clients and whose other
 * numbers are means weighted by window. Returns how many are at work. */
unsigned int clients_second(struct client *c, unsigned int n, const struct workload *w,
			    unsigned int t, struct phase *mix);

#endif
