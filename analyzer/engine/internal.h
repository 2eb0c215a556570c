/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine, as its files see it and nobody else: robust.c (intervals), peersets.c, window.c, incidents.c, notices.c, groups.c. */
#ifndef LIMPET_ENGINE_INTERNAL_H
#define LIMPET_ENGINE_INTERNAL_H

#include "robust.h"
#include "analyzer/rules/rules.h"
#include "analyzer/signal/talkers.h"
#include "analyzer/signal/value.h"
#include "userspace/common/map.h"

enum {
	/* kept whole but for their histograms, the last window with them: 2 min */
	RING_INTERVALS = 30,
	SHORTEST = 4, /* intervals that anything can be judged by */
	RUNS_KEPT = 16,
	ANY_CLASS = -1, /* peers whatever their model: differences between models */
};

struct node {
	char name[HOST_LEN];
	int32_t group;
	char **own; /* control groups of the file system's own */
	size_t n_own;
	struct runs {			 /* of its probe that were seen */
		int64_t boot[RUNS_KEPT]; /* the last ones, round and round */
		size_t n;		 /* so far */
		int64_t from_ns;	 /* start of the last interval with data */
	} runs;
	struct ring_interval {
		struct interval interval; /* seconds 0: silence */
		struct both_ends {	  /* is added to its counts: segments */
			bool any;	  /* there are such links */
			double retrans, data_out, ooo, data_in;
		} ends;
		int64_t from_ns;
	} ring[RING_INTERVALS];	    /* by number of the interval % RING_INTERVALS */
	struct interval before;	    /* sums that decay: what it did before those */
	struct service_asked asked; /* by the rules */
	struct lone lone;	    /* of the newest interval */
	bool present;		    /* has data in enough of that */
	bool seen;		    /* has said anything */
	size_t *disks;		    /* numbers of its disks */
	size_t n_disks;
};

struct disk {
	size_t node;
	char *name;
	int class;  /* of robust.classes */
	bool flash; /* does not rotate */
	/* Of the window now held; NULL where it is not there. */
	const struct interval_disk *at[RING_INTERVALS]; /* in its intervals, the newest first */
	const struct acc *acc;				/* DISK_ACCS of the newest; NULL */
	struct some { /* a part of the list of cells robust.typical, robust.means */
		size_t first, n;
	} typical[LATENCIES], means[LATENCIES];
};

struct disk_class {
	char key[128]; /* model, rotational, size: disks of one are peers */
	char model[64];
};

/* Those that are compared with each other in one signal. */
struct peerset {
	enum signal signal;
	int32_t group;
	int class;	     /* ANY_CLASS: all disks of the group; servers: 0 */
	struct panel panel;  /* numbers of members are those of disks or servers */
	struct fleet *fleet; /* the medians' own history; NULL: not of this signal */
};

struct robust {
	struct robust_params p;
	struct node *nodes;
	size_t n_nodes, cap_nodes;
	struct map by_name; /* of nodes */
	struct disk *disks;
	size_t n_disks, cap_disks;
	struct disk_class *classes;
	size_t n_classes;
	struct device *devices;
	size_t n_devices;
	struct map by_device; /* of devices, by node and name */
	struct peerset *sets;
	size_t n_sets;
	struct kept_offset *kept;
	size_t n_kept;
	struct map by_owner; /* of kept, by server, disk and signal */
	struct track *track; /* incidents and notices; numbers of servers are those of nodes */
	struct panel_values values; /* of the panel that is filled */
	struct panel_explained explained;
	int64_t first_ns, next_ns; /* the first's start, the last one's end; INT64_MIN: none */
	size_t n_intervals, n_useful;
	bool identities;
	struct stolen {			/* servers whose processors are taken by other guests */
		unsigned int intervals; /* in a row */
		struct notice worst;	/* since when, and at its worst */
	} stolen;
	uint64_t lost;
	void (*observe)(void *arg, const struct observation *o);
	void *observe_arg;
	struct track_history *history; /* NULL: none is kept */
	double *stages_s;	       /* robust_measure(): ROBUST_STAGES, or NULL */
	enum robust_stage stage;
	double stage_from_s;
	/* Of the newest interval; talkers of the window now held. */
	struct talkers *talkers;
	struct addresses *addresses;
	struct cell_list typical, means;
};

int64_t interval_ns(const struct robust *r);
/* Of a server, in the window that ends with the last interval: NULL where it said nothing. */
const struct interval *node_interval(const struct robust *r, size_t node, unsigned int back);
void robust_enter(struct robust *r, enum robust_stage s); /* what comes now is of it */

/* peersets.c: a disk of a server, which is added if it is new. Its number, -ENOMEM, or -ENOSPC. */
ssize_t robust_disk(struct robust *r, size_t node, const char *name);

void together_params(struct evidence_params *p); /* together.c: as its evidence needs them; */
/* the values of the newest interval, after all signals were pushed; */
int together_values(struct robust *r, const struct peerset *set);
/* and which of them are up, of a member of that panel. */
void together_parts(const struct robust *r, const struct panel *panel, size_t m, struct finding *e);

/* window.c: after each interval, before anything is looked at; and of one panel. 0 or -ENOMEM. */
int window_sums(struct robust *r);
int set_fill(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns);
/* A number of an entity (server or disk `member`) in it; NaN: not measured, or too little happened. */
double window_number(const struct robust *r, enum signal s, size_t member);
/* All of one operation and part in the window, whatever size and load. Events. */
uint64_t window_histogram(const struct robust *r, size_t disk, int op, enum lat_part part,
			  uint64_t at[LAT_BUCKETS]);

/* incidents.c: a tracker that asks the rules, or NULL; and after each interval. 0 or -ENOMEM. */
struct track *incidents_track(struct robust *r);
int incidents_update(struct robust *r, int64_t to_ns);

/* groups.c, 0 or -ENOMEM: notes of disks' models, and of servers that look like two groups; notices.c: what the peers of a latency had in common, against its history; */
int groups_notes(const struct robust *r, struct verdict *a);
int fleet_update(struct robust *r, struct peerset *set, const struct compared *c, int64_t from_ns,
		 int64_t to_ns);
/* processors that servers do not get from their hosts; */
int stolen_update(struct robust *r, int64_t from_ns, int64_t to_ns);
/* probes that were started anew, by the server's next interval. */
int restarts_note(struct robust *r, size_t node, const struct interval *h);

#endif
