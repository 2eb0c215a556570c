/* SPDX-License-Identifier: BSD-2-Clause */
/* One examination of states, while it is made: what the files of this room share, and nobody else. */
#ifndef LIMPET_STATES_PARTS_H
#define LIMPET_STATES_PARTS_H

#include "analyzer/evidence/evidence.h"
#include "analyzer/input/logs/states.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/verdict.h"

enum {
	STATES_VALUES = 5, /* that a look needs of a node: the middle half of fewer is one value */
	STATES_NODES = 3,  /* of two that differ nobody knows which is odd */
	STATES_CELL_OTHERS =
		4, /* instances of others that a state is compared with, at least, of two nodes */
};

/* What a signal is made of. */
enum state_made {
	MADE_DURATION, /* of a kind, charged to its node */
	MADE_SERVER,   /* of a kind with two ends: the one that has the data */
	MADE_EXECUTOR, /* and the one that wants them */
	MADE_SHARE,    /* of the tasks of a kind that get done */
	MADE_FAILED,   /* attempts */
	MADE_STUCK,
};

struct state_signal {
	enum state_made made;
	enum state_kind kind; /* STATE_KIND_COUNT: of all tasks */
	size_t row;	      /* of the verdict's signals */
	bool indicts;
};

/* One state beside its peers'. */
struct state_value {
	uint32_t node;	/* of the verdict */
	uint32_t job;	/* STATE_NONE: of none */
	uint32_t state; /* of states.at */
	float r;	/* ln: to the others of its cell */
	float ln;	/* of its duration in seconds, or of its age */
};

/* How one node came out in one signal, at its strongest. */
struct state_found {
	struct finding e;
	enum evidence_level level;
	uint32_t job;	/* that the look was at; STATE_NONE: at all */
	size_t peers;	/* compared with */
	size_t signal;	/* of states_job.signals */
	bool over_time; /* by the follower */
	size_t times;
	double duty;
};

/* What is known of a node besides. */
struct state_reason {
	size_t values; /* most of any signal */
	bool compared, judged;
	bool ended; /* well: some state of a kind that is compared */
};

struct states_job {
	const struct analysis_opts *o;
	const struct states *s;
	struct verdict *a;
	size_t *row;	/* the verdict's number of each of the states' nodes; SIZE_MAX: none */
	int32_t *group; /* of the verdict's nodes; negative: in none */
	size_t n_groups;
	struct state_signal *signals;
	size_t n_signals;
	double looks; /* signals that indict share the budget */
	struct state_found *found;
	size_t n_found;
	struct state_reason *reasons; /* of the verdict's nodes */
};

static inline double state_seconds(const struct state *x)
{
	return (double)(x->end_ns - x->start_ns) / 1e9;
}

/*
 * states_window.c: the states of [from, to) as they were known at `to`: those under way then are open, and what came
 * of them is not known. w has everything else of s, which must outlive it; to be released in either case. 0 or -ENOMEM.
 */
int states_window(const struct states *s, int64_t from_ns, int64_t to_ns, struct states *w);
void states_window_release(struct states *w);

/* states_nodes.c: the verdict's nodes and their groups. 0, or negative errno after a message. */
int states_nodes(struct states_job *j);
/* The row of the node that is charged, or of the other end; SIZE_MAX: it is not compared. */
size_t states_row(const struct states_job *j, uint32_t node);

/*
 * states_cells.c: the values of a kind, in any order, made with malloc(). A state's r is its ln less the median of
 * the others in its cell: of one group, job (without one: of one hour), kind, class, half octave of bytes; of a map also
 * with a reduce beside it or without, and of one turn in its slot. What did not end well, or has not ended, took at least as long as it is old: it counts where that is
 * more than the median. 0 or -ENOMEM.
 */
int states_cells(const struct states_job *j, enum state_kind kind, struct state_value **v,
		 size_t *n);

/* states_beside.c: what a map's time depends on besides its server: reduces beside it, and its turn in its slot. */
struct ran {
	uint32_t node;
	int64_t from, until; /* a reduce ran, or one that began before */
};

struct beside {
	struct ran *at; /* by node and start */
	size_t n;
	uint8_t *turn; /* of each state of a map: 1, or 2 of any later one in its slot and job */
};

/* 0 or -ENOMEM; released in either case. */
int beside_init(struct beside *b, const struct states *s);
void beside_release(struct beside *b);
/* Whether a reduce ran on the state's node when it began. */
bool beside_reduce(const struct beside *b, const struct state *x);

/*
 * states_ends.c: whether states of this kind are of several servers that wait for each other: a pipeline of writes. One bad
 * server makes half of its neighbours' slow, or more, so that they are compared by their lower half: all of the
 * bad one's are slow.
 */
bool states_pipeline(enum state_kind kind);
/* Whether states of this kind have two ends. */
bool states_two_ends(enum state_kind kind);
/* Whether the other end is the one that has the data, and the charged one wants them. */
bool states_peer_serves(enum state_kind kind);
/* Takes values of a kind with two ends, and makes those of either: server[k] and executor[k] are of v[k]'s
 * state; node UINT32_MAX: of no node that is compared. 0 or -ENOMEM. */
int states_ends(const struct states_job *j, enum state_kind kind, const struct state_value *v,
		size_t n, struct state_value *server, struct state_value *executor);

/* states_judge.c: permutes the values; what is found is kept in the job. 0 or -ENOMEM. */
int states_judge(struct states_job *j, size_t signal, struct state_value *v, size_t n);
/* The same over time (states_follow.c): values of one group. */
int states_follow(struct states_job *j, size_t signal, struct state_value *v, size_t n);
/* Of one group's values, after they are judged: looks and distributions for a report (states_explain.c). 0 or -ENOMEM. */
int states_explain(struct states_job *j, size_t signal, const struct state_value *v, size_t n);
/* Keeps the stronger of what is known of this node in this signal. 0 or -ENOMEM. */
int states_keep(struct states_job *j, const struct state_found *f);
/* A finding of this signal and node, with nothing else in it. */
struct finding states_finding(const struct states_job *j, size_t signal, size_t node);
/* How far values of one node scatter: a standard deviation, from n deviations of `nodes` means. */
double states_scatter(double *deviations, size_t n, size_t nodes);
/* The chance of naming anybody, for each of n looks. */
double states_chance(const struct states_job *j, size_t looks);

/* states_share.c, states_counts.c: judge their signals. 0 or -ENOMEM. */
int states_share(struct states_job *j, size_t signal);
int states_failed(struct states_job *j, size_t signal);
int states_stuck(struct states_job *j, size_t signal);

/* states_tell.c: incidents, and the nodes that were not judged. 0 or -ENOMEM. */
int states_indict(struct states_job *j);
int states_unjudged(struct states_job *j);

#endif
