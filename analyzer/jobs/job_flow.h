/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a job waited for. From its states (analyzer/source/logs/states.h) this room makes:
 *
 *   the causal graph   Tan's job-centric data flow (thesis, CMU, 2009, sections 4.1.2 and 5.1.2, table 5.1):
 *                      vertices are states and data, edges carry seconds and bytes; flow_graph.c
 *   realised paths     every way from a vertex without causes to one without effects (4.1.3): counted by dynamic
 *                      programming, never enumerated; pairs of a map and a reduce are grouped; flow_paths.c
 *   the critical path  what the job waited for at each moment of its time, by wall clock; flow_critical.c
 *   without a server   how long the job would have taken; flow_without.c
 *
 * The critical path. The thesis's longest path adds durations that overlap (5.1.3). Here each moment of the
 * job belongs to one segment, so that the segments add up to the job's time exactly, in nanoseconds. It is
 * walked backwards from the job's end: the attempt that ended last (while the job runs: of its first stage that is not over the
 * attempt that has run longest); before that what this attempt had waited for
 * last, and so on. A reduce waits for the output of maps: what it did before the last of it came counts
 * for nothing, and the path goes on with the shuffle and the map that were last. An attempt could not start before
 * the slot was free, an earlier attempt of its task had failed, or the stages before had ended: the last
 * of these it waited for, and the time between is a wait (enum flow_why).
 *
 * Without a server's delay. The job is replayed twice, once as it was and once with every duration on that
 * server divided by how many times longer its states of that kind take than the peers' (median of ln own - ln
 * median of the others in the cell of the same kind and half octave of bytes, at least 1; of setup and
 * cleanup, which have no peers, that of its maps). Of its attempts that did not end well each ends well after the usual time,
 * and attempts that repeat them are not made. In a replay attempts
 * start in their real order, each in the slot of its kind that is free first, on as many slots as a server had
 * at once, after the time that it waited beyond that, too; a reduce ends as long after its start and the
 * last map as it did. The job's time less the
 * difference of the two replays is what it would have taken. It leaves out what the server did to states of
 * others (slow reads, shuffles), and that another order would have made another locality.
 *
 * Clocks: where each server's own dates its states (CLOCK_OF_NODE), a segment between two servers is as
 * wrong as their clocks are apart; durations within one server are right.
 */
#ifndef LIMPET_JOB_FLOW_H
#define LIMPET_JOB_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/source/logs/states.h"
#include "userspace/common/scratch.h"

enum {
	FLOW_NONE = -1,
	FLOW_EDGES_MAX = 1 << 25, /* 24 bytes each */
	FLOW_CLUSTERS = 5,	  /* the thesis gives none, but names a fifth (7.2.2) */
	FLOW_PAIRS = 20000,	  /* that are grouped: of more a sample, evenly spread */
	FLOW_VALUES = 14,	  /* of a pair: seconds and bytes of seven edges */
	FLOW_OUTLIERS = 100,	  /* that are kept */
	FLOW_WITHOUT = 32, /* servers without which the job is replayed: those that lost it most */
};

/* ---- the graph ------------------------------------------------------------------------------------- */

/* Vertices, in the order of cause and effect: word, and what takes the time on the edge of a pair that begins there. */
#define FLOW_VERTICES(X)                                    \
	X(READ, "read", "read")                             \
	X(MAP, "map", "map")                                \
	X(MAP_OUTPUT, "map-output", "shuffle")              \
	X(SHUFFLE, "shuffle", "shuffle")                    \
	X(SHUFFLE_WAIT, "shuffle-wait", "shuffle-wait")     \
	X(REDUCE_INPUT, "reduce-input", "reducer")          \
	X(REDUCER, "reducer", "write")                      \
	X(WRITE, "write", NULL)                             \
	X(TASK, "task", NULL)		      /* Spark's */ \
	X(STAGE_OUTPUT, "stage-output", NULL) /* of all tasks of a stage, for those of the next */
#define FLOW_VERTEX_ENUM(NAME, ...) FLOW_##NAME,
enum flow_vertex_kind { FLOW_VERTICES(FLOW_VERTEX_ENUM) FLOW_VERTEX_KINDS };
extern const char *const flow_vertex_words[FLOW_VERTEX_KINDS];

/*
 * One shuffle vertex without a state stands for all that no log tells apart: every reduce fetches from every
 * map, which makes the same paths with fewer edges.
 */
struct flow_vertex {
	uint8_t kind;
	uint32_t state; /* of states.at; STATE_NONE: data between two states */
	uint32_t task;	/* of job_flow.tasks: whose it is; STATE_NONE */
};

/* Effects have larger numbers than causes, so that the order of numbers is one of time. */
struct flow_edge {
	uint32_t from, to;
	float seconds; /* NaN: not known */
	bool guess;    /* joined by place and time, or since it must be so, and not by a name */
	int64_t bytes; /* -1: not known */
};

/* The seven edges of a pair of map and reduce are numbered by the vertex they begin at. */
enum { FLOW_STAGES = FLOW_WRITE };
extern const char *const flow_stage_words[FLOW_VERTEX_KINDS];

/* ---- attempts --------------------------------------------------------------------------------------- */

/* What attempts do. Of Spark each stage is one, from FLOW_FIRST_STAGE on. */
enum flow_group_kind { FLOW_SETUPS, FLOW_MAPS, FLOW_REDUCES, FLOW_CLEANUPS, FLOW_FIRST_STAGE };

struct flow_group {
	uint32_t *before; /* groups that have to end first */
	size_t n_before;
	uint32_t stage; /* its number; of maps and reduces 0 */
	bool overlaps;	/* its attempts start before those end, and wait for them while they run */
	bool no_slots;	/* setup and cleanup take no turn */
	size_t n;	/* attempts */
};

struct flow_task {
	uint32_t state;		      /* the whole attempt */
	uint32_t wait, sort, reducer; /* its parts; STATE_NONE: not told apart */
	uint32_t group;
	bool done;		  /* it ended well, and its output stayed */
	int64_t start_ns, end_ns; /* within the job's time */
	/* What it got last from groups that it overlaps with, and of which attempt; its start: nothing. */
	int64_t got_ns;
	uint32_t got_of, got_by; /* a task; the state (a shuffle) that brought it; STATE_NONE */
	/* What it waited for before it started: the last of all that had to end. */
	uint32_t after; /* a task; STATE_NONE: the job's start */
	/* The first attempt of the same task that did not end well, which this one repeats; STATE_NONE. */
	uint32_t repeats;
	uint8_t why; /* enum flow_why of the wait in between */
};

/* ---- the critical path -------------------------------------------------------------------------------- */

#define FLOW_WHYS(X)                                                          \
	X(WORK, "work", "a state that ran")                                   \
	X(START, "start", "from the job's submission to its first attempt")   \
	X(SLOT, "slot", "until the server took the next task")                \
	X(RETRY, "retry", "until a failed attempt was tried again")           \
	X(STAGE, "stage", "until a task of the next stage started")           \
	X(FETCH, "fetch", "until a reduce fetched map output that was there") \
	X(FINISH, "finish", "from the last attempt to the job's end")
#define FLOW_WHY_ENUM(NAME, ...) FLOW_WHY_##NAME,
enum flow_why { FLOW_WHYS(FLOW_WHY_ENUM) FLOW_WHY_COUNT };
extern const struct flow_why_row {
	const char *word, *what;
} flow_whys[FLOW_WHY_COUNT];

struct flow_segment {
	int64_t from_ns, to_ns; /* each begins where the one before ended */
	uint8_t why;
	uint32_t state; /* STATE_NONE: a wait */
	uint32_t node;	/* where; STATE_NONE: of no server */
	double lost_s; /* of it: what the state took beyond its peers' median, at most all; NaN: too few peers */
	/* Of a state: a read or write within it that took longest, and its server; STATE_NONE: none is known. */
	uint32_t inside;
};

/* Of the critical path, of each server or kind of state. */
struct flow_share {
	uint32_t what; /* a node, a kind, or an enum flow_why */
	double s, lost_s;
};

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* The job without what one server's states take longer than its peers' do. */
struct flow_without {
	uint32_t node;
	double ratio;	 /* the largest of its kinds of states to the peers' */
	size_t states;	 /* that this ratio is of */
	uint8_t kind;	 /* of them */
	size_t repeated; /* its attempts that did not end well, for which others were made */
	double s;	 /* the job's time then */
};

struct flow_cluster {
	double paths;					 /* estimated from the sample */
	size_t pairs;					 /* of the sample */
	double seconds[FLOW_STAGES], bytes[FLOW_STAGES]; /* medians; NaN: not known */
};

struct flow_outlier {
	uint32_t map, reduce; /* tasks; STATE_NONE: all of them have it */
	uint8_t value;	      /* 0 … 13: FLOW_STAGES seconds, then bytes */
	double is, usual;     /* the median of its cluster */
	double z;	      /* robust: in 1.4826 MAD of logarithms */
};

/* What the logs do not say. */
enum flow_missing {
	FLOW_NO_TIMES = 1, /* of the job: its states' first and last stand for it */
	FLOW_NO_READS = 2,
	FLOW_NO_SHUFFLES = 4,
	FLOW_NO_WRITES = 8,
	FLOW_NO_READERS = 16,  /* reads do not say whose they are */
	FLOW_NO_FETCHERS = 32, /* shuffles do not say for which reduce */
	FLOW_NO_PARTS = 64,    /* reduces are whole */
	FLOW_APART = 128,      /* states of the job lie outside its time: another clock or zone */
	FLOW_TOO_MANY = 256,   /* more edges than may be */
};

struct job_flow {
	const struct states *s;
	uint32_t job;		/* STATE_NONE: the logs name none, all states are one */
	int64_t from_ns, to_ns; /* its time: from submission to end */
	bool spark;
	unsigned int missing;
	uint32_t *states; /* of the job, by start */
	size_t n_states;
	struct flow_task *tasks; /* by start */
	size_t n_tasks;
	struct flow_group *groups;
	size_t n_groups;
	size_t n_nodes; /* that had attempts */
	/* For the making: of each of states.ids its attempt, or STATE_NONE; what is usual (internal.h); where both lie. */
	uint32_t *task_of;
	struct flow_cells *cells;
	struct scratch room;

	struct flow_vertex *vertices;
	size_t n_vertices;
	struct flow_edge *edges; /* by from, to */
	size_t n_edges, n_guessed;
	double paths; /* exact up to 2^53; HUGE_VAL: more than a double holds */

	struct flow_cluster clusters[FLOW_CLUSTERS]; /* by paths, most first */
	size_t n_clusters;
	double pairs;
	size_t sampled;
	struct flow_outlier *outliers; /* by z, largest first */
	size_t n_outliers, more_outliers;

	struct flow_segment *path; /* by time */
	size_t n_path;
	struct flow_share *nodes, *kinds, *waits; /* by seconds, most first */
	size_t n_share_nodes, n_kinds, n_waits;
	/* By s, least first; servers that are no slower are not in it. */
	struct flow_without *without;
	size_t n_without;
};

/*
 * The job with most time (from its first to its last state) among those that have attempts; its number, or
 * STATE_NONE: no state is of a job. n: how many have attempts.
 */
uint32_t job_flow_longest(const struct states *s, size_t *n);

/* All of the above; f is released with job_flow_release(), also after an error. 0, -ENODATA: the job has no attempt, or
 * -ENOMEM. */
int job_flow_make(struct job_flow *f, const struct states *s, uint32_t job);
/* Its time, attempts and critical path alone: cheap enough for a job that is looked at while it runs. */
int job_flow_make_path(struct job_flow *f, const struct states *s, uint32_t job);
void job_flow_release(struct job_flow *f); /* takes a zeroed one */

#endif
