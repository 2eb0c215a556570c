/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine's inside, shared by robust.c (intervals), peersets.c (who is compared with whom),
 * window.c (the signals' values of an interval), between.c (loss between servers), fill.c (an interval of one panel), fleet.c (all together),
 * stolen.c (processors taken by other guests), findings.c, restarts.c, scene.c (what the rules are shown),
 * incidents.c (what the tracker is told), observe.c (for those who draw) and tell.c (the verdict).
 */
#ifndef LIMPET_ROBUST_INSIDE_H
#define LIMPET_ROBUST_INSIDE_H

#include "robust.h"
#include "analyzer/panel/panel.h"
#include "analyzer/track/track.h"
#include "analyzer/rules/rules.h"
#include "analyzer/signal/addresses.h"
#include "analyzer/signal/talkers.h"
#include "analyzer/signal/value.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"

enum {
	RING_INTERVALS =
		30, /* kept whole but for their histograms, the last window with them: 2 min */
	BEFORE_INTERVALS = 75, /* sums before those: 5 min */
	SHORTEST = 4,	       /* intervals that anything can be judged by */
	ANY_CLASS = -1,	       /* peers whatever their model: differences between models */
};

/* The runs of a server's probe that were seen. */
enum { RUNS_KEPT = 16 };
struct runs {
	int64_t boot[RUNS_KEPT]; /* the last ones, round and round */
	size_t n;		 /* so far */
	int64_t from_ns;	 /* start of the last interval with data */
};

/* What is added to counts of an interval: segments. */
struct both_ends {
	bool any; /* there are such links */
	double retrans, data_out, ooo, data_in;
};

struct ring_interval {
	struct interval interval; /* seconds 0: silence */
	struct both_ends ends;
	int64_t from_ns;
};

struct node {
	char name[HOST_LEN];
	int32_t group;
	char **own; /* control groups of the file system's own */
	size_t n_own;
	struct runs runs;
	struct ring_interval ring[RING_INTERVALS]; /* by number of the interval % RING_INTERVALS */
	struct interval before;			   /* sums that decay: what it did before those */
	struct lone lone;			   /* of the newest interval */
	bool present;				   /* has data in enough of that */
	bool seen;				   /* has said anything */
	size_t *disks;				   /* numbers of its disks */
	size_t n_disks;
};

/* A part of a list of cells. */
struct some {
	size_t first, n;
};

struct disk {
	size_t node;
	char *name;
	int class;  /* of robust.classes */
	bool flash; /* does not rotate */
	/* Of the window now held; NULL where it is not there. */
	const struct interval_disk *at[RING_INTERVALS];	  /* in its intervals, the newest first */
	const struct acc *acc;				  /* DISK_ACCS of the newest; NULL */
	struct some typical[LATENCIES], means[LATENCIES]; /* of robust.typical, .means */
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

/* What a set's peers had in common in the intervals before, load by load. */
enum { FLEET_CELLS = 64, FLEET_KEPT = 160 };
struct fleet {
	struct fleet_cell {
		uint32_t id;
		unsigned int n;
		float ln[FLEET_KEPT]; /* medians, the last ones, round and round */
	} cells[FLEET_CELLS];
	size_t n;
	unsigned int slow; /* intervals in a row */
	int64_t onset_ns;
	double ratio;
};

struct device {
	size_t node;
	struct device_identity id;
};

struct kept_offset {
	char node[HOST_LEN], disk[INSTANCE_LEN];
	enum signal signal;
	double offset;
};

/* Servers whose processors are taken by other guests: since when, and at its worst. */
struct stolen {
	unsigned int intervals; /* in a row */
	size_t servers, of;
	size_t node; /* of which most was taken, and how much: % */
	double most;
	int64_t from_ns;
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
	int64_t first_ns,
		next_ns; /* start of the first interval, end of the last; next_ns INT64_MIN: none */
	size_t n_intervals, n_useful;
	bool identities;
	struct stolen stolen;
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

static inline int64_t interval_ns(const struct robust *r)
{
	return ns_of_s(r->p.interval_s);
}

/* Intervals of a server in the window that ends with the last interval: NULL where it said nothing. */
const struct interval *node_interval(const struct robust *r, size_t node, unsigned int back);
/* What between.c adds to it. */
struct both_ends *node_ends(const struct robust *r, size_t node, unsigned int back);
/* peersets.c */
/* A disk of a server, which is added if it is new. Its number, -ENOMEM, or -ENOSPC. */
ssize_t robust_disk(struct robust *r, size_t node, const char *name);

/* fill.c: the newest interval of one panel. 0 or -ENOMEM. */
int set_fill(struct robust *r, struct peerset *set, int64_t from_ns, int64_t to_ns);

/* roles.c: takes off each disk's d what disks of its name on other servers have in common. 0 or -ENOMEM. */
int roles_apply(const struct robust *r, const struct peerset *set, struct compared *c);

/* robust.c: what comes now is of this stage. */
void robust_enter(struct robust *r, enum robust_stage s);

/* window.c: after each interval, before anything is looked at. 0 or -ENOMEM. */
int window_sums(struct robust *r);
/* A number of an entity (server or disk `member`) in the newest interval; NaN: not measured, or too little
 * happened. */
double window_number(const struct robust *r, enum signal s, size_t member);
/* What one event makes of it. */
double window_event(const struct robust *r, enum signal s, size_t node);
/* The cells of a latency of a disk in it, until the next window_sums(). */
struct cells window_cells(const struct robust *r, enum signal s, size_t disk);
/* All of one operation and part in the window, whatever size and load. Events. */
uint64_t window_histogram(const struct robust *r, size_t disk, int op, enum lat_part part,
			  uint64_t at[LAT_BUCKETS]);

/*
 * between.c: node_ends() of the newest interval, where servers talk to each other and it is known whose their addresses
 * are. A link that loses is seen from both ends, so that to what a server sends again comes what its peers send to it again;
 * and one bad server makes one link of each peer bad: the worst fifth of a server's links with others, at least one, is left
 * out. The bad one's are all bad. 0 or -ENOMEM.
 */
int between_servers(struct robust *r);

/* findings.c: what is worse goes to the tracker. 0 or -ENOMEM. */
int findings_gather(struct robust *r, const struct peerset *set);

/* scene.c: what every server did since `onset`, as far as the ring goes, and before; r->n_nodes of them,
 * for scene_free(). 0 or -ENOMEM. */
int scene_of(const struct robust *r, int64_t onset, struct scene_node **out);
/* Whether the server said nothing in the window now held. */
bool is_silent(const struct robust *r, size_t node);
void scene_free(struct scene_node *nodes, size_t n);
/* How the disk that the rules look at fares at each size of request, in the window now held. 0 or -ENOMEM. */
int scene_sizes(const struct robust *r, const struct incident *a, struct scene_node *nodes);

/* restarts.c: notices on probes that were started anew, by the server's next interval. 0 or -ENOMEM. */
int restarts_note(struct robust *r, size_t node, const struct interval *h);

/* incidents.c: the rules, for the tracker; and after each interval. 0 or -ENOMEM. */
enum signal_role incident_role(void *arg, size_t signal);
int incident_rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		  enum ruled *ruled);
int incidents_update(struct robust *r, int64_t to_ns);
/* fleet.c: what the peers of a latency had in common, against its history. 0 or -ENOMEM. */
int fleet_update(struct robust *r, struct peerset *set, const struct compared *c, int64_t from_ns,
		 int64_t to_ns);
/* stolen.c: processors that servers do not get from their hosts. 0 or -ENOMEM. */
int stolen_update(struct robust *r, int64_t from_ns, int64_t to_ns);

#endif
