/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From findings to cause: a table of rules, first hit wins, local findings before end-to-end symptoms,
 * so that victims are not blamed. The engine fills a struct scene for each server with findings and for
 * the group; rules name cause, culprit, guess and confidence, or turn the case into a notice.
 */
#ifndef LIMPET_ROBUST_RULES_H
#define LIMPET_ROBUST_RULES_H

#include "analyzer/verdict/verdict.h"
#include "analyzer/interval/interval.h"
#include "analyzer/signal/addresses.h"

/*
 * Busy time per operation of a server's disk beside its peers', each time the rules asked for it while it was in trouble. A
 * bound that is crossed once in many times is crossed by chance, so that the mean counts, which forgets. What it was before is
 * kept from the first time: what came since may be the fault, as long as it is excused.
 */
struct service_asked {
	char disk[INSTANCE_LEN];
	double before; /* NaN: not known */
	double mean;   /* ln */
	unsigned int n;
	size_t at; /* the engine's: after so many intervals the rules were asked last */
};

/* One server over the windows in which it was worse: sums of the intervals from the onset on (at least the
 * last window). */
struct scene_node {
	const char *name;
	int32_t group;
	bool silent; /* said nothing in the last window */
	bool flash;  /* some of its disks do not rotate */
	struct interval
		now; /* intervals added up since the onset: acc, remotes, processes, disks' acc (no lat) */
	struct interval
		before; /* those before it, as far as kept (up to 30 intervals); seconds 0: none */
	/* Control groups that the probe was told are the file system's own, paths as those of processes, and
	 * processes ("pid:1234"); the engine owns them. None: unknown. */
	const char *const *own_cgroups;
	size_t n_own;
	/* Of the disk that the rules look at, median device (or whole) latency to the peers' by operation
	 * and size class; 0: not known. For the guess at why a device is slow. */
	double size_ratio[LAT_OPS][LAT_SIZES];
	/* The same by operation, at requests of one size under the same load; 0: there were none. */
	double equal_load[LAT_OPS];
	struct service_asked
		*asked; /* of the server that the rules look at; NULL: this is the first time */
};

/* % of the time of its processors that other guests of its host had: what it measures is late by about that
 * much. From here on it is said. */
#define STOLEN_MIN 20.0

struct scene {
	const struct scene_node *nodes;
	size_t n_nodes;
	const struct addresses *addresses; /* of the nodes, by their numbers; NULL: not known */
};

/*
 * `a` has node, findings (n_findings of them, sorted), onset, decided, last. Fills cause, why, detail,
 * guess, culprit, confidence, doubts; or, if what is seen is no fault of this server (imbalance,
 * maintenance, a lossy client, a victim's symptoms alone), returns the notice in *r and RULE_NOTICE
 * or RULE_NOTHING: then nobody is indicted.
 */
enum ruled rules_apply(const struct scene *s, struct incident *a, struct notice *r);

/* The disk of it that the rules look at, "" for none: it points into the findings or the scene. */
const char *rules_disk(const struct scene *s, const struct incident *a);
/* What there is of it before it is asked for the first time. */
struct service_asked rules_asked(const struct scene *s, size_t me, const char *disk);

/* What is true of the whole group and of no single server: lossy clients, maintenance, silence. Calls
 * `fn` for each. 0 or what fn returned. */
int rules_notices(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg);

/*
 * scene_node.size_ratio of server `me`, from intervals that still have their histograms: at[i * n_intervals + k]
 * is one of the last n_intervals of server i, or NULL. Of one disk of `me` ("": all), against all disks of its
 * group; 0 where fewer than two peers did 30 such requests. 0 or -ENOMEM.
 */
int rules_sizes(const struct scene *s, size_t me, const char *disk,
		const struct interval *const *at, size_t n_intervals,
		double ratio[LAT_OPS][LAT_SIZES]);

/*
 * scene_node.equal_load, from the same intervals: in each load cell with 30 requests of `me` and of at least two
 * peers the ratio of medians; of those the mean of the logarithms, weighted by requests. 0 or -ENOMEM.
 */
int rules_equal_load(const struct scene *s, size_t me, const char *disk,
		     const struct interval *const *at, size_t n_intervals, double ratio[LAT_OPS]);

/* Whether a process does maintenance (rebuild, scrub, trim, self-heal), and what it is called; NULL: no. */
const char *rules_maintenance(const char *process);

#endif
