/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States: what jobs did on each server, read from logs. A state is one span of work: of which kind, of which
 * job, on which server, from when to when, how much data, with whom. Whatever wrote the log (Hadoop, Spark,
 * Darshan), comparison, flow and pictures see states only.
 *
 * Names (nodes, jobs, ids, classes, data items) are numbered as they came; STATE_NONE stands where a log does
 * not say. Times are nanoseconds since 1970, UTC; of logs without a zone as --zone says. A duration is always
 * of one clock; the order of states of two hosts only where `clock` is the same.
 */
#ifndef LIMPET_STATES_H
#define LIMPET_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/source/tables/table.h"

#define STATE_NONE UINT32_MAX

/* What a state says about the server that is charged. */
enum state_role {
	STATE_INDICTS,	/* it works for itself: slow means that the server is slow */
	STATE_SUPPORTS, /* it waits for others, too: never indicts by itself */
	STATE_TELLS,	/* told only: not compared */
};

/*
 * Kinds: word, role, floor in seconds (a smaller excess over the peers is none), what it is.
 * A kind is one row here; everything else asks the table. Floors are half a second for tasks, 50 ms for Hadoop's
 * blocks (64 MiB), and 5 ms for accesses to a storage target, of which each takes milliseconds.
 */
#define STATE_KINDS(X)                                                                             \
	X(MAP, "map", INDICTS, 0.5, "a map, from start to end")                                    \
	X(REDUCE, "reduce", SUPPORTS, 0.5, "a reduce, from start to end")                          \
	X(SHUFFLE_WAIT, "shuffle-wait", SUPPORTS, 0.5, "a reduce until it has all map output")     \
	X(SORT, "sort", SUPPORTS, 0.5, "a reduce while it sorts")                                  \
	X(REDUCER, "reducer", INDICTS, 0.5, "a reduce while it reduces and writes")                \
	X(COPY, "copy", SUPPORTS, 0.5, "a reduce while it fetches the output of one map")          \
	X(MERGE, "merge", INDICTS, 0.5, "a reduce while it merges what it fetched")                \
	X(SETUP, "setup", TELLS, 0.5, "a job's setup task")                                        \
	X(CLEANUP, "cleanup", TELLS, 0.5, "a job's cleanup task")                                  \
	X(READ, "read", INDICTS, 0.05, "a block read, charged to the server that has it")          \
	X(WRITE, "write", INDICTS, 0.05, "a block written, charged to the server that stores it")  \
	X(WRITE_REPLICATED, "write-replicated", INDICTS, 0.05, "the same as a hop of a pipeline")  \
	X(SHUFFLE, "shuffle", SUPPORTS, 0.05, "map output sent, charged to the server that sends") \
	X(MIRROR_SLOW, "mirror-slow", TELLS, 0.05, "a packet that went downstream slowly")         \
	X(DISK_SLOW, "disk-slow", TELLS, 0.05, "a packet that the disk took slowly")               \
	X(FLUSH_SLOW, "flush-slow", TELLS, 0.05, "a slow flush or sync")                           \
	X(ACK_SLOW, "ack-slow", TELLS, 0.05, "an acknowledgement that went upstream slowly")       \
	X(LOCALIZE, "localize", SUPPORTS, 0.5, "a container that fetches its files")               \
	X(QUEUE, "queue", SUPPORTS, 0.5, "a container that waits to be started")                   \
	X(RUN, "run", SUPPORTS, 0.5, "a container that runs")                                      \
	X(EXECUTOR, "executor", SUPPORTS, 0.5, "one of Spark, from its grant until it registers")  \
	X(TASK, "task", SUPPORTS, 0.5, "a Spark task, from launch to end")                         \
	X(TASK_COMPUTE, "task-compute", INDICTS, 0.5, "its run time without fetching and writing") \
	X(TASK_CPU, "task-cpu", TELLS, 0.5, "processor time of it")                                \
	X(GC, "gc", SUPPORTS, 0.5, "garbage collection in it")                                     \
	X(FETCH_WAIT, "fetch-wait", SUPPORTS, 0.5, "it waits for shuffle data of others")          \
	X(SHUFFLE_WRITE, "shuffle-write", INDICTS, 0.5, "it writes shuffle data")                  \
	X(SCHEDULE, "schedule", SUPPORTS, 0.5, "its delay besides")                                \
	X(OST_READ, "ost-read", INDICTS, 0.005, "reads from one storage target")                   \
	X(OST_WRITE, "ost-write", INDICTS, 0.005, "writes to one storage target")                  \
	X(OST_READ_WIDE, "ost-read-wide", SUPPORTS, 0.005, "what one target did of a wide read")   \
	X(OST_WRITE_WIDE, "ost-write-wide", SUPPORTS, 0.005, "what one target did of a wide write")

#define STATE_KIND_ENUM(NAME, ...) STATE_##NAME,
enum state_kind { STATE_KINDS(STATE_KIND_ENUM) STATE_KIND_COUNT };

struct state_row {
	const char *word;
	enum state_role role;
	double floor_s;
};
extern const struct state_row state_rows[STATE_KIND_COUNT];
/* STATE_KIND_COUNT: no kind has this word. */
enum state_kind state_by_word(const char *word);

enum state_outcome {
	OUTCOME_OK,
	OUTCOME_FAILED,
	OUTCOME_KILLED, /* also what lost a race against its twin */
	OUTCOME_OPEN,	/* no end in the log: a lower bound of its duration is seen_ns - start_ns */
	OUTCOME_COUNT
};
extern const char *const outcome_words[OUTCOME_COUNT];

struct state {
	int64_t start_ns;
	int64_t end_ns;	 /* of an open one: the newest time of the logs (states_open.c) */
	int64_t bytes;	 /* volume in; -1: not said */
	int64_t records; /* -1: not said */
	/* Of its line in `file`, in bytes, uncompressed: the line that ended it, or began an open one. */
	uint64_t offset;
	uint32_t node; /* charged: whose resources it used */
	/* Other end, a node: server of a read, source of a fetch, downstream of a pipeline. */
	uint32_t peer;
	uint32_t job; /* of states.jobs */
	uint32_t id;  /* of states.ids: unique together with kind */
	uint32_t cls; /* of states.classes: what makes instances comparable (locality, stage) */
	/*
	 * Data that it took and made, of states.items: the join keys of the flow. What an attempt reads, makes or
	 * writes is called as the attempt:
	 *	read                in: the block              out: the attempt that reads
	 *	map                 in: its split              out: the attempt
	 *	shuffle, copy       in: the map's attempt      out: the reduce's attempt
	 *	shuffle-wait, sort                             out: the attempt
	 *	reducer             in: the attempt
	 *	write               in: the attempt that writes   out: the block
	 *	ost-read            in: the path
	 *	ost-write                                         out: the path
	 */
	uint32_t in, out;
	uint32_t file;	/* of states.files */
	float progress; /* of an open one, 0 … 1; NaN: not said */
	/* Of an attempt, and of a container that runs: processor time, and memory at its end or at most; of an open one so
	 * far; NaN: not said. */
	float cpu_s, memory_mib;
	uint32_t container; /* of an attempt, of states.ids: YARN's, in which it ran; STATE_NONE */
	uint32_t pid;	    /* of its process, or of the first one of its container; 0: not said */
	uint8_t kind;	    /* enum state_kind */
	uint8_t outcome;    /* enum state_outcome */
	uint8_t clock;	    /* enum state_clock */
	bool lost; /* it ended well, and was thrown away later, since its server was lost */
	bool silent; /* it failed because it was given up, as it had said nothing for too long: it hung */
	bool gone; /* it was killed because its server was lost, or taken out */
	bool speculative;
	uint8_t rank; /* of the source that said it (log_source.h) */
};

enum state_clock {
	CLOCK_OF_NODE, /* each server's own */
	CLOCK_OF_JOB,  /* one for the whole job: its master's, its driver's */
};

/* Progress of a state while it ran, as often as its log says it. */
struct state_progress {
	uint32_t id, node;
	uint32_t kind : 8, file : 24; /* file: of states.files */
	float done;		      /* 0 … 1 */
	int64_t time_ns;
};

/* What is known of a job besides its states; times 0: not said. */
struct state_job {
	int64_t submit_ns, launch_ns, finish_ns;
	uint32_t name;		/* of states.classes: what the user calls it; STATE_NONE */
	uint32_t maps, reduces; /* that it says it has */
	enum state_outcome outcome;
};

/* A stage of a job waits for another (Spark's DAG): jobs and stages as the class "stage N" names them. */
struct state_wait {
	uint32_t job;
	uint32_t stage, parent;
};

/* What was met on the way, of each source format; all are said. */
struct state_counts {
	uint64_t lines;
	uint64_t junk; /* lines that no pattern knows */
	uint64_t starts_twice, ends_alone, negative, overlong, open;
	uint64_t away; /* states_away.c: STATES_AWAY */
	/* Of nodes, jobs, ids …, that were no text, too long, or too many: their states are left out. */
	uint64_t names;
	uint64_t notes; /* more than are kept */
};

#define STATES_AWAY                                                                               \
	"states have times that cannot be right (more than a day ahead of this host's clock, or " \
	"over 30 days in which nothing else begins or ends): left out"

/* What the log says of an attempt that failed: one line, printable ASCII without its numbers ("#"), so that the same is one. */
struct state_error {
	int64_t time_ns;
	uint32_t node, text; /* of states.errors */
};
enum { STATE_ERROR_LEN = 96, STATE_ERRORS_MAX = 20000, STATE_ERROR_TEXTS_MAX = 1000 };

/* Whether states of this kind are attempts of tasks. */
static inline bool state_is_task(enum state_kind kind)
{
	return kind == STATE_MAP || kind == STATE_REDUCE || kind == STATE_TASK;
}

struct states {
	struct state *at; /* after states_finish() by start, node, kind, id */
	size_t n, cap;
	struct names nodes, jobs, ids, classes, items, files, errors;
	struct state_job *job;		 /* of each of `jobs` */
	struct state_progress *progress; /* by time */
	size_t n_progress, cap_progress;
	struct state_wait *wait;
	size_t n_wait, cap_wait;
	struct state_error *error; /* as they came; no more than STATE_ERRORS_MAX */
	size_t n_error, cap_error;
	bool *no_peer; /* of each of `nodes`: not one to compare (Spark's driver); NULL: none */
	struct state_counts counts;
	struct text notes; /* n_notes lines */
	size_t n_notes;
	/* Lines on addresses that stay addresses; by states_finish(). */
	struct text nameless;
	struct reading *reading; /* of those who read: pairs of half events, addresses, zones */
};

void states_release(struct states *s); /* takes a zeroed one */

/* states_open.c: the last time that this log, of states.files, says; INT64_MAX: not known; INT64_MIN: of its progress not all is
 * kept. */
int64_t states_heard(const struct states *s, uint32_t file);
/* states_local.c: 1: an attempt's data were elsewhere, 0: they were not, -1: the log does not say. */
int task_not_local(const struct states *s, const struct state *task);
/* The part of an attempt's class that says which stage it is of: its first bytes, so many ("stage 3 ANY": 7). */
size_t task_stage_len(const char *cls);

#endif
