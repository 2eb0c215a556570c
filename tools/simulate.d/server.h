/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One server of the parallel file system: its hardware, what it remembers from one second to the
 * next, and the physics of its disk, its interface and its processors.
 */
#ifndef LIMPET_SIM_SERVER_H
#define LIMPET_SIM_SERVER_H

#include "queue.h"
#include "workload.h"

/* The reference machine: 7200 rpm SATA, gigabit Ethernet, 2 processors [D]. */
#define DISK_KB_S 78000.0
#define SEEK_S	  0.0085
#define NIC_KB_S  115000.0 /* what gigabit Ethernet carries of payload and headers */
#define RTT_S	  0.0003
#define GIVE_UP_S 42 /* network.ping-timeout of GlusterFS */

struct server {
	/* Lasting, by the cluster's seed (disk, load), and by the run's (placement of the files). */
	double disk_kb_s, seek_s, load, nic_kb_s;
	struct ar1 disk, moment, balance, net, cwnd, writeback, host;
	struct spikes slow;
	struct rng rng, daemon;
	double cron; /* second of the minute at which its daemons wake */
	/* From second to second. */
	double dirty_kb, lncwnd, ldavg, plist;
	struct path wander, hits; /* habits: of service times, of the cache's hits */
	double full, pace_s;	  /* how full the cache is; how it fills, 0: it is full */
	/* Of this second. */
	struct effect effect;
	double request_s; /* service of one disk request, competitors not counted */
	double stretch;	  /* competitors' part: 1 / (1 - share) */
	double held_up_s; /* wait for the competitor's request that is being served */
	double per_visit; /* disk requests per request to the server */
	double seek;	  /* share of them that move the head */
	double hit;	  /* share of them that the array's cache answers, in hit_s each */
	double hit_s;
};

/* What all servers share in this second. */
struct moment {
	const struct phase *mix;
	unsigned int clients, working, servers;
	double rounds;	    /* per second: queue_solve() */
	double lookups;	    /* per second at the server of "/" */
	double client_load; /* utilisation of the clients' interfaces */
	double lossy;	    /* share of the traffic that is of the client whose packets are lost */
	double dominance;   /* 0 … 1: how much of all that waits, waits at one server */
	double weather;	    /* common noise of the network */
	const struct server *slowest;
};

void server_init(struct server *v, const struct setup *s, unsigned int i);

/* Draws the noise of second t and says what a visit costs here. */
void server_demand(struct server *v, const struct habits *habits, const struct phase *mix,
		   struct visit *out);

/* The totals of the second, given what queue_solve() found. */
void server_disk(struct server *v, const struct moment *m, const struct visit *visit, float *total);
/* How many of its connections the server has not read for 5 s or more; `since_s` after it hung. */
double server_unread(const struct server *v, const struct moment *m, const struct visit *visit,
		     unsigned int since_s);
void server_net(struct server *v, const struct moment *m, const struct visit *visit, bool root,
		float *total);
void server_host(struct server *v, const struct moment *m, const struct visit *visit, bool root,
		 unsigned int t, float *total);

#endif
