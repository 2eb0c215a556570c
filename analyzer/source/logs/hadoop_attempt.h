/* SPDX-License-Identifier: BSD-2-Clause */
/* An attempt of a map or reduce as histories tell it, whichever reads them: text, JSON, Avro. */
#ifndef LIMPET_HADOOP_ATTEMPT_H
#define LIMPET_HADOOP_ATTEMPT_H

#include "log_source.h"

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
	bool speculative, silent;
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
