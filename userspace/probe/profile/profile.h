/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the threads of the file system's server wait for: looks at all of them, ten times a second, whose
 * counts add up. A count over the looks at a thread is its time to about 1 / sqrt(looks); shares are
 * those of all threads together.
 */
#ifndef LIMPET_PROFILE_H
#define LIMPET_PROFILE_H

#include "functions.h"
#include "members.h"
#include "user_stacks.h"

typedef void (*thread_sample_fn)(void *arg, const struct thread_sample *sample);
typedef void (*cpu_sample_fn)(void *arg, const struct cpu_sample *sample, size_t size);

struct profile_opts {
	/* A descriptor that stands for the threads of a process; a sample of each of these threads, by that;
	 * the name of a kernel's function. 0 (or the descriptor) or -errno. */
	int (*follow)(void *source, uint32_t pid);
	int (*look)(void *source, int follow, thread_sample_fn fn, void *arg);
	int (*name)(void *source, uint64_t address, char name[FUNCTION_LEN]);
	/* Stacks of user space, NULL for none: a process, as the samples of its threads have it, is to be
	 * sampled or is no longer; the samples there are, and how many were lost since the start. */
	void (*sample)(void *source, uint32_t tgid, bool yes);
	uint64_t (*collect)(void *source, cpu_sample_fn fn, void *arg);
	void *source;
	size_t walked; /* frames of a stack that the kernel walks at most (kernel.perf_event_max_stack) */
	const uint32_t *pids;
	size_t n_pids;
	const char *const *cgroups; /* folders; copied */
	size_t n_cgroups;
};

/* Since the start. `waits` add up to `threads`. */
struct profile_totals {
	uint64_t looks, threads; /* of all looks: threads seen */
	uint64_t waits[WAIT_REASONS];
};

struct profile;

/* NULL with errno: ESRCH where a process of --pid has gone, or why it cannot be followed. */
struct profile *profile_new(const struct profile_opts *o);
void profile_free(struct profile *p); /* takes NULL */

/* Other groups from now on, copied. 0, or -ENOMEM and nothing has changed. */
int profile_set_cgroups(struct profile *p, const char *const *cgroups, size_t n);

/* Other processes from now on; one that has gone is none. */
void profile_set_pids(struct profile *p, const uint32_t *pids, size_t n);

/* Looks who belongs to the server now. A sentence where that has changed for the worse, else NULL. */
const char *profile_refresh(struct profile *p);

/* Looks at all threads once. 0 or -errno; what was seen before that counts. */
int profile_look(struct profile *p);

const struct profile_totals *profile_totals(const struct profile *p);

/* In what stacks threads were met since the last call (stacks.h), the caller's to free; NULL: none. */
char *profile_take_stacks(struct profile *p);

/* Takes the samples of user space there are, which find no room for ever; nothing where there are none. */
void profile_collect(struct profile *p);

/* What they were since the last call (user_stacks.h), the caller's to free; NULL: nothing. */
char *profile_take_user_stacks(struct profile *p);

/* Threads that the last look saw. */
size_t profile_threads(const struct profile *p);

#endif
