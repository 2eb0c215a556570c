/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SALSA and Kahuna's white-box half: for each kind of state the distributions of its durations are compared
 * between nodes, and a node is indicted that differs from most of the others.
 *
 * [T] Tan, Visualization, Debugging and Diagnosis of MapReduce systems (thesis, 2009), 4.2, 5.2, algorithms 1, 2;
 * [K] Tan et al., Kahuna: Problem Diagnosis for MapReduce-Based Cloud Computing Environments, NOMS'10, V-A;
 * [D] decided here.
 *
 *   densities   per node and kind: Gaussian kernels over the durations in seconds [T 5.2]. On 256 cells from the
 *               least to the largest duration of all nodes compared, and 3 h more on either side [D]; bandwidth
 *               h = 0.9 min(sd, IQR / 1.34) n^(-1/5) of all these durations, n instances per node, at least a
 *               fifth of the kind's floor, 0.1 s for tasks, 0.01 s for blocks [D]. The papers say neither.
 *   distance    the root of the Jensen-Shannon divergence [T 5.2, K V-A], natural logarithms [D]: at most
 *               sqrt(ln 2) = 0.833.
 *   alarm       at node i if more than (n - 1)/2 of its n - 1 distances are over the threshold [T 4.2.2]. 5.2 has
 *               "at least half" of them, algorithm 2 more than n/2. The threshold is "specific for each workload
 *               and cluster size" [K VIII]; 0.35 here [D]: with 10 instances no host of four traces of a
 *               healthy cluster is above it (tools/results measure FOLDER states).
 *   offline     one window that is all of the data [T 4.2.2], or windows of so many seconds; a state counts in the
 *               window in which it ends [D]; an alarm in any window indicts.
 *   online      every second, while a job runs. A new duration has weight 1, after those before it were
 *               multiplied by exp(-lambda D / (alpha D + 1)), D = t - lastUpdate: in a lull they decay to
 *               exp(-lambda / alpha) and no further [T 5.2; printed as lastUpdate - t there and in algorithm 1,
 *               which would let them grow]. lambda = 1/300 s, alpha = 1/60 s [D]: a duration counts for minutes,
 *               and a lull takes a fifth. 20 alarms in a row indict [T algorithm 2].
 *               The prior of algorithm 1 is empty [D]: a node is compared once it has instances enough. Durations
 *               of less than a millionth of the newest one's weight are forgotten [D].
 *   samples     online, a duration for which its node's distribution without it has more than threshold_h = 0.99 [D]
 *               below: told, no node is indicted by it. Algorithm 1 has 1 - CDF > 1 - threshold_h, which holds for
 *               the short ones.
 *   least       10 instances in a window, or in the decayed distribution [D]; the papers compare all there are,
 *               which is min = 2 (one duration has no spread).
 *   pooled      instead of each other node the distribution of all: one distance a node [T 4.2.2, footnote].
 *   states      of those that ended well [D]: what failed or was killed has no duration of work.
 *
 * Both ways, as the papers: a node that is quicker than the others differs as well.
 */
#ifndef LIMPET_SALSA_H
#define LIMPET_SALSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/source/logs/states.h"
#include "analyzer/methods/learn/kde.h"

#define SALSA_NAME	  "salsa"
#define SALSA_THRESHOLD	  0.35
#define SALSA_THRESHOLD_H 0.99
enum { SALSA_MIN = 10, SALSA_IN_A_ROW = 20 };

/* The kinds of states that are compared, each by itself. */
extern const enum state_kind salsa_kinds[];
extern const size_t salsa_n_kinds;

struct salsa_opts {
	double threshold;
	unsigned int min;	/* instances that a node must have, 2 or more */
	unsigned int window_s;	/* 0: one window */
	int64_t from_ns, to_ns; /* states that end in [from, to) */
	bool online, pooled;
	bool explain; /* every look is kept */
};

/* One node in one window, or second: as it was compared. */
struct salsa_look {
	enum state_kind kind;
	size_t node;
	int64_t from_ns, to_ns;
	double distance;   /* the (n - 1)/2 + 1 -th largest: over the threshold it is an alarm */
	double own, peers; /* median durations, s: its own, the median of the others' */
	unsigned int n_peers;
	bool alarm;
};

/* What is known of one kind on one node in the end. */
struct salsa_track {
	size_t most;	 /* instances, of any window; online of any second */
	size_t compared; /* windows, or seconds */
	size_t alarms;	 /* of them; online those in rows that indict */
	bool indicted, open;
	struct salsa_look worst; /* of its alarms that indict: the largest distance */
	int64_t onset_ns, decided_ns, last_ns;
	size_t samples, above; /* online: durations tried, and those over threshold_h */
	/* the row of alarms that goes on: windows, online seconds */
	int64_t row, row_from_ns;
	struct salsa_look row_worst;
};

struct salsa {
	struct salsa_track *at; /* a row for each kind and node: salsa_track() */
	size_t n_nodes;
	size_t n_windows;	/* in which anybody was compared on one kind; online seconds */
	double window_s;	/* online 1 */
	int64_t from_ns, to_ns; /* of the states looked at; 0 and 0: there are none */
	struct salsa_look *looks;
	size_t n_looks;
};

/*
 * group: of each node of s, a number; below 0: not compared; nodes of `no_peer` neither. Compared are nodes of one
 * group, at least 3. 0 or -ENOMEM; salsa_release() takes a zeroed one.
 */
int salsa_judge(struct salsa *r, const struct states *s, const int32_t *group,
		const struct salsa_opts *o);
void salsa_release(struct salsa *r);

/* Of the k-th of salsa_kinds. */
const struct salsa_track *salsa_track(const struct salsa *r, size_t k, size_t node);

struct state_nodes;
struct verdict;

/* What was found, as a verdict, which has the servers (method_states.h). 0 or -ENOMEM. */
int salsa_tell(struct verdict *v, const struct salsa *r, const struct state_nodes *nodes,
	       const struct salsa_opts *o);

/* ---- parts ------------------------------------------------------------------------------------------------ */

/* exp(-lambda D / (alpha D + 1)). */
double salsa_decay(double gap_s);

/* What one node brings to a comparison, and what comes of it. */
struct salsa_node {
	struct kde_sample *at; /* sorted by the comparison */
	size_t n, cap;
	bool compared, alarm;
	double distance, own, peers; /* as in struct salsa_look */
	int64_t last_s;		     /* online: second of the last one */
};

/*
 * Compares those of n nodes that have o->min durations or more, if they are 3 or more, and sorts their durations.
 * *h: the bandwidth; 0: nobody was compared. *n_compared: how many were. 0 or -ENOMEM.
 */
int salsa_compare(struct salsa_node *nodes, size_t n, double floor_s, const struct salsa_opts *o,
		  double *h, size_t *n_compared);

#endif
