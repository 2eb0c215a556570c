/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that looks at the threads of the file system's server, ten times a second, each time at a
 * random moment of its tenth: what a server does once a second, or every 100 ms, is met by chance, and
 * not always or never. It takes 1 % of a processor at most: where a look costs more than 1 ms there are
 * fewer.
 */
#ifndef LIMPET_PROFILER_H
#define LIMPET_PROFILER_H

#include "userspace/probe/kernel/probe.h"
#include "userspace/probe/rights/rights.h"

struct profiler;

struct profiler_opts {
	struct probe *probe;
	const uint32_t *pids;
	size_t n_pids;
	const char *const *cgroups; /* folders */
	size_t n_cgroups;
	const struct rights *rights; /* the thread ends its own before its work */
};

/* Starts the thread, and returns when it has ended its rights; the pieces must outlive the handle. 0 or
 * -errno with `why`. */
int profiler_start(struct profiler **p, const struct profiler_opts *o, char *why);
void profiler_stop(struct profiler *p); /* joins and frees; takes NULL */

/* Other groups from now on, copied. 0, or -ENOMEM and nothing has changed. */
int profiler_set_cgroups(struct profiler *p, const char *const *cgroups, size_t n);

/* Other processes of --pid from now on. */
void profiler_set_pids(struct profiler *p, const uint32_t *pids, size_t n);

/* Stacks of a minute, or of what there was of one. */
struct profiler_stacks {
	int64_t from_ns, to_ns; /* wall clock */
	char *folded;		/* stacks.h, NULL: none; the receiver's to free */
	char *user;		/* user_stacks.h, the same */
};

/* Those of the last whole minute, once; with `all` those of the minute that is not over. False: none. */
bool profiler_take_stacks(struct profiler *p, bool all, struct profiler_stacks *out);

void profiler_totals(struct profiler *p, struct profile_totals *out);

/* What it had to say since last asked, NULL if nothing. */
const char *profiler_trouble(struct profiler *p);

#endif
