/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that read Darshan's logs (log_darshan.c), and nobody else. */
#ifndef LIMPET_DARSHAN_H
#define LIMPET_DARSHAN_H

#include "darshan_layout.h"

enum { DARSHAN_EXE_LEN = 64 };

/* A record that has been read: what was traced is not counted again. */
struct record_key {
	uint64_t id;
	int64_t rank;
	uint32_t host; /* of states.nodes */
};

/* Files, by their ids once they are sorted. */
struct darshan_ids {
	uint64_t *at;
	size_t n;
};

struct darshan {
	struct log *l;
	struct darshan_file f;
	struct darshan_layout y;
	uint32_t job;
	char exe[DARSHAN_EXE_LEN];
	struct record_key *traced; /* by id and rank, once they are read */
	struct record_key *ranks;  /* the same by rank: where they ran */
	size_t n_traced, n_ranks;
	struct darshan_ids posix,
		collective; /* files that POSIX says something of; with such calls */
	uint64_t shared, several, unknown, made, work;
};

/* One read or write, or all of them of one file by one process. */
struct access {
	bool write;
	uint64_t file;
	int64_t rank;
	double from_s, to_s; /* since the job began */
	int64_t bytes, ops;
	uint32_t host, cls;
	long number;	   /* of a trace; -1: sums of counters */
	unsigned int part; /* of an access over several servers, from 1; 0: it is on one */
};

/* darshan_states.c: its state, of that server. */
void darshan_add(struct darshan *k, const struct access *a, uint32_t server);
/* "ior posix 1M": program, layer, and the size of its accesses by powers of four, as small ones take longer a byte. */
uint32_t darshan_class(struct darshan *k, const char *layer, int64_t size);
/* Once all that was traced is there. */
void darshan_traced_in_order(struct darshan *k);
bool darshan_is_traced(const struct darshan *k, uint64_t id, int64_t rank);
/* Once all of them are there; then they are asked. */
void darshan_ids_sort(struct darshan_ids *ids);
bool darshan_ids_have(const struct darshan_ids *ids, uint64_t id);
bool darshan_is_full(const struct darshan *k);
/* Notes that records are missing, where they are. */
void darshan_tell_end(struct darshan *k, enum darshan_module m, bool cut);

/* darshan_counters.c: all records of a module; `look` only notes the files with collective calls. 0 or -ENOMEM. */
int darshan_counters(struct darshan *k, enum darshan_module m, bool look);
/* darshan_traces.c. 0 or -ENOMEM. */
int darshan_traces(struct darshan *k, enum darshan_module m);

#endif
