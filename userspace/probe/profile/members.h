/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes whose threads are looked at: those of --pid for as long as they live, and those that the
 * folders of --cgroup and the folders in them have now. Needs no rights.
 */
#ifndef LIMPET_MEMBERS_H
#define LIMPET_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

struct member {
	uint32_t pid;
	uint32_t
		tgid; /* as the kernel's side has it, which may be in another namespace; 0: not met yet */
	int pidfd;     /* readable once it has ended: its number may be another's then */
	int follow;    /* what members_opts.follow gave */
	bool named;    /* by --pid */
	bool here;     /* found by this refresh */
	char comm[16]; /* printable, without blanks; "?" where it could not be read */
};

struct members {
	/* A descriptor that stands for the threads of a process; or -errno. */
	int (*follow)(void *source, uint32_t pid);
	/* One that was met goes: it is not to be sampled (profile_opts). May be NULL. */
	void (*sample)(void *source, uint32_t tgid, bool yes);
	void *source;
	const char *const *cgroups; /* folders */
	size_t n_cgroups;
	struct member at[MEMBERS_MOST];
	size_t n;
	size_t left_out; /* by the last refresh, for want of room or because they cannot be followed */
};

/* Of --pid; once. 0 or -errno. */
int members_add(struct members *m, uint32_t pid);

/* Others of --pid, instead; one that cannot be followed is left out, as if it had ended. */
void members_set_named(struct members *m, const uint32_t *pids, size_t n);

/* A word as part of a stack: printable, no blank and no ';'; nothing becomes "?". */
void clean_comm(char comm[16]);

/* Looks who has ended, and who is in the groups. */
void members_refresh(struct members *m);

void members_release(struct members *m);

#endif
