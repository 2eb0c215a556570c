/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rights that end for good: once everything is attached and open, no thread of the probe has a right
 * left that it does not need for recording, and none comes back, whatever is executed and whoever it
 * runs as. The steps are in this order because a later one takes away what an earlier one needs:
 *
 *   no_new_privs      no execve(2) gives a capability or another user again; the next steps but
 *                     one need it where they are not root's
 *   bounding set      emptied, and the securebits locked with root as a user like any other (where
 *                     CAP_SETPCAP is there, as for root; without it no_new_privs does as much)
 *   capabilities      permitted, effective, inheritable and ambient: none
 *   Landlock          files: the output folder to write, /proc, /sys and the options' folder to read,
 *                     and no other; TCP: no port to bind or connect to; no signal to other programs (by
 *                     what the kernel has)
 *   seccomp           calls that a recorder never makes fail with EPERM (rights_calls.c): no process is
 *                     started or signalled, no socket made, nothing sent to an address, no file setuid
 *
 * All of this belongs to a thread, not to a process: each that runs by then ends its own rights as the
 * last thing before its work, and those started by one that has ended them have none from the start.
 * What is open stays usable: sockets are opened before, and are written to by send(2) or write(2), not by
 * sendmsg(2). What is opened later needs no right: pidfds, iterators of BPF links.
 */
#ifndef LIMPET_RIGHTS_H
#define LIMPET_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

struct rights {
	int ruleset;  /* Landlock's; -1: this kernel has none */
	int landlock; /* its ABI, which says what it can forbid; 0: none */
};

/* The capabilities the probe needs at start that this process lacks, as "CAP_BPF, CAP_PERFMON";
 * an empty string when it has all. `netns`: another network namespace is to be entered. */
void rights_missing(char *buf, size_t size, bool netns);

/*
 * Collects what will stay allowed, before the first thread ends its rights; `folder`: a descriptor
 * of the folder to write in, `options` of one whose files may be read, -1 for none. A kernel without Landlock is no error: then `landlock` is 0.
 * 0, or -errno with `why` (WHY_LEN).
 */
int rights_prepare(struct rights *r, int folder, int options, char *why);
void rights_release(struct rights *r);

/* Whether files will be confined: there is Landlock. */
bool rights_confine_files(void);

/* Ends the calling thread's. 0; or -errno with `why`, and then something may be left. */
int rights_end(const struct rights *r, char *why);

/* What became of the calling thread's: of the steps that not every process or kernel can do. */
bool rights_bounding_empty(void);
bool rights_calls_filtered(void);

/* The inside of rights_end(). The filter of calls: 0 or -errno. */
int rights_filter_calls(void);

/* Landlock: the ruleset, or -1 with *abi 0 where there is none, or -errno; entering it: 0 or -errno. */
int rights_landlock_new(int folder, int options, int *abi);
int rights_landlock_enter(int ruleset);

#endif
