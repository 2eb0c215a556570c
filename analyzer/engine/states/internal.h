/* SPDX-License-Identifier: BSD-2-Clause */
/* One examination of states, while it is made: what the files of this room share, and nobody else. */
#ifndef LIMPET_STATES_INTERNAL_H
#define LIMPET_STATES_INTERNAL_H

#include "analyzer/source/logs/states.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/finding_make.h"
#include "userspace/common/scratch.h"

enum {
	STATES_VALUES = 5, /* fewer count by what they are: the middle half of them is one value */
	STATES_NODES = 3,  /* of two that differ nobody knows which is odd */
	STATES_CELL_OTHERS = 4, /* others that a state is compared with, at least, of two nodes */
};
/* What a signal is made of. */
enum state_made {
	MADE_DURATION, /* of a kind, charged to its node */
	MADE_SERVER,   /* of a kind with two ends: the one that has the data */
	MADE_EXECUTOR, /* and the one that wants them */
	MADE_TOGETHER, /* all of these that are a node's own */
	MADE_DISK,     /* of these its reads and writes */
	MADE_NET,      /* its writes and both ends of its shuffles */
	MADE_SHARE,    /* of the tasks of a kind that get done */
	MADE_FAILED,   /* attempts */
	MADE_STUCK,
	MADE_PACKETS, /* that a daemon says were slow */
};
/* One state beside its peers'. */
struct state_value {
	uint32_t node, job; /* of the verdict; of states.jobs, STATE_NONE: of none */
	uint32_t state;	    /* of states.at */
	uint32_t cell;	    /* numbered within a kind */
	float r, ln; /* ln: to the others of its cell; of its duration in seconds, or of its age */
};
/* How one node came out in one signal, at its strongest. */
struct state_found {
	struct finding e;
	enum evidence_level level;
	bool brief;	      /* it would indict, were it more than one event */
	uint32_t job;	      /* that the look was at; STATE_NONE: at all */
	size_t peers, signal; /* compared with; of states_job.signals */
	size_t times;	      /* it came, by time */
	double duty;	      /* and the share of the time in which it was there */
	struct finding most;  /* MADE_TOGETHER: what it is slowest at; n_peers 0: nothing */
};
enum together_set { TOGETHER_ALL, TOGETHER_DISK, TOGETHER_NET, TOGETHERS }; /* MADE_TOGETHER … */
enum { PARTS = 7 }; /* of the time: the whole, its halves, its quarters */
struct states_job {
	const struct analysis_opts *o;
	const struct states *s;
	struct verdict *a;
	struct scratch room; /* for what lasts as long as the examination */
	size_t *row;	     /* the verdict's number of each of the states' nodes; SIZE_MAX: none */
	int32_t *group;	     /* of the verdict's nodes; negative: in none */
	uint32_t *by_group;  /* the verdict's nodes that are in a group */
	size_t *group_first; /* by_group[group_first[g] … group_first[g + 1]) are of group g */
	size_t n_groups;
	struct state_signal {
		enum state_made made;
		enum state_kind kind; /* STATE_KIND_COUNT: of all tasks */
		size_t row;	      /* of the verdict's signals */
		bool indicts;
	} * signals;
	size_t n_signals;
	double looks; /* signals that indict share the budget */
	struct state_found *found;
	size_t n_found;
	/* What is known of each of the verdict's nodes besides. */
	struct state_reason {
		size_t values;		      /* most of any signal */
		bool compared, judged, ended; /* ended: well, of a kind that is compared */
	} * reasons;
	struct beside *beside;
	struct together *together; /* TOGETHERS of PARTS of each of the verdict's nodes */
};

/* states_nodes.c: the verdict's nodes and their groups. 0, or negative errno after a message. */
int states_nodes(struct states_job *j);
/* The row of a node; SIZE_MAX: it is none of the verdict's, or, of one that is compared, in no group. */
size_t states_row(const struct states_job *j, uint32_t node);
size_t states_compared_row(const struct states_job *j, uint32_t node);
size_t states_in_group(const struct states_job *j, int32_t group); /* how many nodes */
double state_seconds(const struct state *x);
int states_unjudged(struct states_job *j); /* those that were not judged, in the end */

/* states_cells.c: the values of a kind, in any order, made with malloc(). 0 or -ENOMEM. */
int states_cells(const struct states_job *j, enum state_kind k, struct state_value **v, size_t *n);
/* What a task's time depends on: a reduce that ran on its node when it began, and its turn in its slot: 1, or 2 of a later one in
 * its slot and job; of Spark's 3 where its stage was known there; 0: nothing is known. */
bool beside_reduce(const struct beside *b, const struct state *x);
int16_t states_octave(const struct state *x); /* half octaves of its bytes; -1: not said */
uint8_t beside_turn(const struct beside *b, size_t state);
/* And states_together.c: make j->beside and j->together, in j->room. 0 or -ENOMEM. */
int beside_init(struct states_job *j);
int states_together_init(struct states_job *j);

/* states_ends.c: whether states of this kind are of servers that wait for each other; have two ends; the charged one wants the data. */
bool states_pipeline(enum state_kind kind);
bool states_two_ends(enum state_kind kind);
bool states_peer_serves(enum state_kind kind);
/* Takes off each value what the slowest other server of its block is slower by. 0 or -ENOMEM. */
int states_pipeline_part(const struct states_job *j, struct state_value *v, size_t n);
/* Of n values with two ends leaves those of the signal's end, if it is compared, without what the other makes of them. 0 or -ENOMEM. */
int states_ends(const struct states_job *j, size_t signal, struct state_value *v, size_t *n);

/* states_judge.c: permutes the values; what is found is kept in the job. 0 or -ENOMEM. */
int states_judge(struct states_job *j, size_t signal, struct state_value *v, size_t n);
/* Of one group's values in order of nodes, after they are judged: looks and distributions for a report (states_explain.c). 0 or -ENOMEM. */
int states_explain(struct states_job *j, size_t signal, const struct state_value *v, size_t n);
struct state_span {
	int64_t from_ns, to_ns;
};
struct state_span states_part(const struct states_job *j, size_t part); /* by when states end */

/* states_together.c: takes what a look at a part of the time made of a node; seconds: its typical duration; values 0: it is not of durations. */
void states_together_add(struct states_job *j, size_t signal, size_t part, size_t node,
			 size_t values, double seconds, const struct evidence *w);
/* Attempts that failed or hung, the last one at this time: none of them tells nothing. */
void states_together_hit(struct states_job *j, size_t node, const struct evidence *e, int64_t ns);
/* Whether a signal is one of them; whether there are signals enough for a set. */
bool states_together_has(const struct states_job *j, size_t signal);
bool states_together_made(const struct states_job *j, enum together_set set);
/* This node had tasks; least: the difference from which on it would have been suspicious, ln; NaN: none. 0 or -ENOMEM. */
int states_used(struct states_job *j, size_t signal, size_t node, double least);
int states_keep(struct states_job *j, struct state_found f); /* if it is stronger. 0 or -ENOMEM */
/* What a finding of this signal and node is about: their names, and that it is still open in the end. */
struct finding_about states_about(const struct states_job *j, size_t signal, size_t node);
/* What was found once, at all jobs, by the evidence. */
struct state_found states_found(size_t signal, const struct finding_about *about,
				const struct evidence *e);
/* How far values of one node scatter: a standard deviation, from n deviations of `nodes` means. */
double states_scatter(double *deviations, size_t n, size_t nodes);
/* The chance of naming anybody: half of it is of all kinds together, half for each of n looks at each signal. */
double states_chance_together(const struct states_job *j);
double states_chance(const struct states_job *j, size_t looks);
/* Of each of n things one that stands for all alike: compare(), of their numbers, says 0. In that scratch; NULL: no memory. */
uint32_t *states_alike(struct scratch *room, size_t n,
		       int (*compare)(const void *a, const void *b, void *arg), void *arg);

/* states_share.c, states_counts.c, states_together.c: judge their signals. 0 or -ENOMEM. */
typedef int states_judges(struct states_job *j, size_t signal);
states_judges states_share, states_attempts, states_packets, states_together;
bool states_packet(enum state_kind kind); /* whether states of a kind are slow packets */
/* states_notices.c: what makes tasks slow and is no one server's fault. 0 or -ENOMEM. */
int states_notices(struct states_job *j);
/* states_track.c: incidents, notices of what is acknowledged, and what was ruled out. 0 or -ENOMEM. */
int states_incidents(struct states_job *j);

#endif
