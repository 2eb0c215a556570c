/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AutoDiagn: which running tasks are outliers, and which of three causes they have in common.
 *
 * [A] Demirbaga et al., AutoDiagn: An Automated Real-Time Diagnosis Framework for Big Data Systems, IEEE Transactions on
 * Computers 2021; [C] the code its authors published (github.com/umitdemirbaga/AutoDiagn); [D] decided here.
 *
 *   look        every 3 s while the job runs [A algorithm 1, fig. 5]; the code sleeps 2 s [C]. Looks begin with the
 *               job's first task [D].
 *   tasks       those of one job that run, maps with maps and reduces with reduces [D]: the paper has "the running
 *               tasks", the code maps only [C].
 *   symptom     P = O / T, O the progress, T the time since the start, each of them
 *               0.1 + 0.9 (x - min) / (max - min) over the running tasks [A eq. 1, 2]; an outlier has 1.5 P < the
 *               median P [A algorithm 1]. Where all x are equal, eq. 2 divides by zero: all are 1 then [D]. Of an
 *               even number the median is the mean of the middle two [D]. The code scales T to 0 … 1 and only 0
 *               itself to 0.1, and O from 0, so that the least advanced task always is an outlier [C].
 *   progress    the last that the log says up to the look; 0 before the first [D]. Tasks of servers of whose tasks no
 *               log says the progress are not looked at [D]. A task that has ended runs no more.
 *   causes      of the outliers S: X are the tasks whose host has no copy of their block (data locality); those on nodes
 *               with fewer cores or less memory than the best that hosts a running task (resource heterogeneity; the
 *               code: cores only [C]); those begun again since a node was disconnected (network failure; the code: with
 *               "_" in their name, while any node is [C]). P(cause) = |S n X| / |S| [A 4.2.5]; they exclude nothing.
 *               Here: local is what the log calls so (NODE_LOCAL, PROCESS_LOCAL); hardware is from --hardware;
 *               begun again is an attempt of which an earlier one was lost with its server, or killed before this one
 *               began [D]: a speculative one begins before its twin is killed.
 *   S           in a look [A]; of the job: those that were an outlier in any look [C, D].
 *
 * What it names are tasks, never servers: the verdict judges no server, whatever the outliers have in common [D].
 */
#ifndef LIMPET_AUTODIAGN_H
#define LIMPET_AUTODIAGN_H

#include "analyzer/source/logs/states.h"
#include "analyzer/verdict/straggler.h"
#include "analyzer/jobs/hardware.h"
#include "analyzer/jobs/task_facts.h"

/* The causes of the paper: word, what holds of the task. Bits of these numbers. */
#define AUTODIAGN_CAUSES(X)                                                                     \
	X(NOT_LOCAL, "data-locality", "its data were on another server")                        \
	X(LESS_HARDWARE, "resource-heterogeneity", "its server has fewer cores or less memory") \
	X(RESTARTED, "network-failure", "it was begun again after its server was lost")
#define AUTODIAGN_CAUSE_ENUM(NAME, ...) TASK_##NAME,
enum { AUTODIAGN_CAUSES(AUTODIAGN_CAUSE_ENUM) AUTODIAGN_N_CAUSES };
#define TASK_BIT(cause) ((uint32_t)1 << (cause))

#define AUTODIAGN_NAME	 "autodiagn"
#define AUTODIAGN_FACTOR 1.5

enum {
	AUTODIAGN_EVERY_S = 3,
	AUTODIAGN_LOOKS_MAX = 1 << 18, /* of one job: nine days; later ones are not made */
};

/* ---- one look ------------------------------------------------------------------------------------------------ */

struct autodiagn_task {
	double done, age_s; /* in */
	double performance;
	bool outlier;
};

/* Fills what is out of n tasks; spare: room for n. The median, NaN of none. */
double autodiagn_look(struct autodiagn_task *t, size_t n, double *spare);

/* ---- a log ---------------------------------------------------------------------------------------------------- */

/* How one task came out; only those that were looked at are there. */
struct autodiagn_found {
	uint32_t state; /* of states.at */
	unsigned int flagged, judged;
	int64_t onset_ns, last_ns;
	double performance, median;
	uint32_t causes; /* a bit each */
};

struct autodiagn {
	struct autodiagn_found *at; /* by job, kind, start */
	size_t n;
	size_t looks; /* all of them */
	size_t dropped; /* jobs of which, as they last too long, not all looks were made; maps and reduces each */
	int64_t from_ns, to_ns;
};

struct autodiagn_opts {
	const struct hardware_file *hardware; /* NULL: none */
	int64_t from_ns, to_ns;		      /* looks in [from, to) */
};

/* Replays the log's time. 0 or -ENOMEM; autodiagn_release() takes a zeroed one. */
int autodiagn_replay(struct autodiagn *r, const struct states *s, const struct autodiagn_opts *o);
void autodiagn_release(struct autodiagn *r);

struct state_nodes;
struct verdict;

/* What was found, as a verdict, which has the servers (method_states.h): jobs and stragglers; no server is judged.
 * hardware: it is known. 0 or -ENOMEM. */
int autodiagn_tell(struct verdict *v, const struct states *s, const struct autodiagn *r,
		   const struct state_nodes *nodes, bool hardware);

#endif
