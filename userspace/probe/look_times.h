/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the TCP sockets are looked at, and what each look does. Ten times a second, half a step after each
 * multiple of the step by the wall clock, so never on a sweep; the last look before a sweep is a walk
 * over all connections, and each is where walks are cheap.
 *
 * Most of what a look costs is the wakeup. Where nothing has been at work for a minute, the looks between
 * walks are left out. Where walks are cheap they read every connection then, and so show whether the looks
 * before could have found anything: if not, these count, else only the walk does. One that comes too late
 * for its sweep counts alone, in the second that it comes in; its own has none.
 *
 * Where more connections are at work than one look reads the windows of, they have their turns; that is said.
 *
 * By netlink a look copies out every socket: as often as that cost allows.
 */
#ifndef LIMPET_LOOK_TIMES_H
#define LIMPET_LOOK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/record.h"

struct look_times {
	bool netlink;
	int64_t step_ns;
	int64_t walked_s; /* the second that the last walk was for */
	int64_t due_s;	  /* the second in which the next look is due */
	bool walk_cheap;
	unsigned int quiet;    /* looks in a row that found nothing at work */
	unsigned int left_out; /* before the next */
	unsigned int whole;    /* looks in a row that left none out */
	bool by_turns;	       /* said */
	int64_t cost_ns;       /* by netlink: of a look, averaged */
	unsigned int cheap;    /* by netlink: looks in a row */
	char said[192];
};

void look_times_init(struct look_times *t, bool netlink);

/* How long until the next look, from now by the wall clock. */
int64_t look_times_wait(struct look_times *t, int64_t now_ns);

/* What the look that begins now does. */
struct look_args look_times_begin(struct look_times *t, int64_t now_ns);

/* It has ended, and took so much processor time. A sentence, until the next call, if sockets are looked at
 * less or more often from now on, else NULL. */
const char *look_times_end(struct look_times *t, const struct look_args *did, int64_t cpu_ns);

#endif
