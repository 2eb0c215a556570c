/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who uses the machine: the process family. Once a second a look at all threads is taken; what they
 * used since the look before is summed up by process, and the busiest are shown: the first five by
 * CPU time (from 1 % of a processor) and the first five by bytes (from 64 kB/s); the rest is one
 * row. Kernel threads are processes like any other.
 *
 * All rows together are all CPU time that the scheduler accounted to threads and all bytes that I/O
 * accounting did: exactly, over a run, less what is counted in `lost`. In one second they are not
 * quite the host's %user and %system, which the kernel samples at ticks: a thread on a processor is
 * seen with the time accounted up to its last tick, one that has ended a little later than it did
 * (when it is freed; or two looks after its exit, with what it had then, where the kernel does not
 * tell: task_exits.h), and interrupts are the thread's they came upon, or nobody's (where the kernel
 * has CONFIG_IRQ_TIME_ACCOUNTING). Reads are of who submits them, writes of who dirties the page or
 * writes past the cache, not of who writes it back.
 *
 * Where one look costs over 2 ms of CPU, it is taken every ten seconds from then on, and each of
 * the ten that follow shows a tenth of what it found (until the first of these there is no row).
 */
#ifndef LIMPET_TASKS_H
#define LIMPET_TASKS_H

#include "userspace/second/second.h"

/* The instance of the row that sums up all processes not shown. */
#define TASKS_REST "(rest)"

#define TASKS_SHOWN 10

typedef void (*task_sample_fn)(void *arg, const struct task_sample *sample);

struct tasks_opts {
	/*
	 * Gives a sample for every thread that ran since the pass before or is ending (with `pass`; one
	 * of pid 0 first), then what those told that exited or were freed since the last call. `lost`:
	 * samples so far that found no room. 0 or -errno.
	 */
	int (*look)(void *source, bool pass, task_sample_fn fn, void *arg, uint64_t *lost);
	void *source;
	unsigned int interval_s; /* from one tasks_look() to the next */
	const char *proc;	 /* "/proc" */
};

struct tasks;

/* NULL with errno. The options are copied, the strings are not. */
struct tasks *tasks_new(const struct tasks_opts *o);
void tasks_free(struct tasks *t); /* takes NULL */

/* So many seconds wait at once for the look that comes: it is shown over all of them. */
void tasks_spread(struct tasks *t, unsigned int seconds);

/* Between looks that are long apart: takes those that have gone, for whom there is not much room. */
int tasks_collect(struct tasks *t);

/* Takes the look; once per sweep, soon after it. 0 or -errno: that second then has no rows. */
int tasks_look(struct tasks *t);

/*
 * Adds the rows of the time since the last call, as rates over s->interval_s, and what was lost to
 * s->lost. None before the second look. 0 or -ENOMEM.
 *
 * A row's cgroup is "" if it is not known (the process had gone before anybody asked). On cgroup v1
 * it is the first of the blkio, memory, unified and systemd groups that is not the root. Paths too
 * long lose their beginning to "...".
 */
int tasks_add_rows(struct tasks *t, struct second *s);

/* A sentence once something has changed for good (a look every ten seconds); else NULL. */
const char *tasks_trouble(struct tasks *t);

/* Bytes of memory in use. */
size_t tasks_bytes(const struct tasks *t);

#endif
