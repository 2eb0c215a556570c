/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that read logs of Hadoop, whichever writes them. */
#ifndef LIMPET_HADOOP_SOURCE_H
#define LIMPET_HADOOP_SOURCE_H

#include "log_source.h"

/* ---- hadoop_ids.c ------------------------------------------------------------------------------------- */

/*
 * Names that Hadoop gives to what it runs, the same in all versions and logs:
 *
 *	job_T_N, task_T_N_m_K, attempt_T_N_m_K_A; in 0.18 tip_T_N_m_K, task_T_N_m_K_A
 *
 * with T a time or sometimes nothing, N the job's number, m a map, r a reduce.
 */

/* The job of a task or attempt: of states.jobs; STATE_NONE where the text is none of these. */
uint32_t hadoop_job_of(struct log *l, struct piece id);

/* STATE_MAP or STATE_REDUCE by the id of a task or attempt; STATE_KIND_COUNT: neither. */
enum state_kind hadoop_kind_of(struct piece id);

/* A line without a stamp may be a daemon's banner, which says whose log it is: "STARTUP_MSG:   host = NAME/ADDRESS". */
void hadoop_banner(struct log *l, const char *line);

/* Class and text behind the stamp: "LEVEL [thread] class: text". */
bool hadoop_parts(const char *s, const char *end, struct piece *class, struct piece *text);

/* Hadoop 3's "Auth successful for USER from HOST:PORT / ADDRESS:PORT" names an address. USER may be any text. */
void hadoop_caller(struct log *l, struct piece class, struct piece text);

/* ---- hadoop_stamp.c ----------------------------------------------------------------------------------- */

/* How lines of daemons begin: "YYYY-MM-DD HH:MM:SS,mmm ", in 0.18 also "yyMMdd HHmmss PID ", of
 * Spark "yy/MM/dd HH:mm:ss ", in local time. */

/* Bytes of the stamp with the blank behind it, its local time as if it were UTC in *ns; 0: the line does not begin so,
 * or with a day before 1970. */
size_t hadoop_stamp(const char *line, size_t len, int64_t *ns);

/* Whether one of the lines begins so. */
bool hadoop_stamped(const char *head, size_t n);

/* ---- hadoop_attempt.c: an attempt of a map or reduce as histories tell it: text, JSON, Avro ----------------- */

/* Times 0, numbers -1, names STATE_NONE: not said. */
struct hadoop_attempt {
	enum state_kind kind;
	uint32_t id, node, job;
	uint32_t cls;	    /* of a map: how near its input lay */
	uint32_t container; /* of YARN, of states.ids */
	uint32_t item;	    /* of states.items: what it makes or takes, called as itself */
	int64_t start_ns;   /* 0: it began before, by state_begin() */
	int64_t shuffled_ns, sorted_ns; /* of a reduce */
	int64_t end_ns;
	int64_t bytes, records;
	int64_t cpu_ms, memory_bytes; /* 0 or less: not said */
	enum state_outcome outcome;   /* OUTCOME_OPEN: it has only begun */
	bool speculative, silent, gone;
};

/* The attempt with this id, of which nothing else is said; false: the kind is none, or the id no attempt's. */
bool hadoop_attempt_named(struct log *l, struct hadoop_attempt *a, enum state_kind kind,
			  struct piece id);

/* Its state, and of a reduce that ended well its three parts. */
void hadoop_attempt(struct log *l, const struct hadoop_attempt *a);

/* The three parts of a reduce; each of the bytes and records of the whole, which took or made `item`. */
void hadoop_reduce_parts(struct log *l, struct state whole, int64_t shuffled_ns, int64_t sorted_ns,
			 uint32_t item);

/* Its counters of processor time and memory; 0 or less: not said. */
void hadoop_resources(struct state *x, int64_t cpu_ms, int64_t memory_bytes);

/* By the type of its task: MAP, REDUCE, SETUP, JOB_SETUP …; STATE_KIND_COUNT: none of these. */
enum state_kind hadoop_kind_by_type(struct piece type);

/* SUCCESS, SUCCEEDED, FAILED, KILLED; OUTCOME_OPEN: none of these. */
enum state_outcome hadoop_outcome(struct piece word);

#endif
