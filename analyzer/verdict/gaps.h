/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps: times between the first and the last that a server said, without anything from it. Nobody was judged then, so
 * that a verdict tells of them beside the time it is about. What all servers have in common is one gap of all of them.
 * Silence up to the end is another thing (silence.h).
 */
#ifndef LIMPET_GAPS_H
#define LIMPET_GAPS_H

#include "verdict.h"

/* Less is no gap: five minutes. */
#define GAP_NS (300 * (int64_t)1000000000)
/* A gap of one server that is longer by less than this is that of all. */
#define GAP_SAME_NS (60 * (int64_t)1000000000)

/* Zeroed at first. */
struct gaps {
	struct gap *
		at; /* by server as long as gaps_heard() is called for one server after the other */
	size_t n;
	struct gap_heard {
		bool any;
		int64_t first_ns, last_ns;
	} * heard; /* of each server */
	size_t n_heard;
};

/* The server was there from then to then; in order of time. A pause of least_ns (and GAP_NS) is a gap. 0 or -ENOMEM. */
int gaps_heard(struct gaps *g, size_t node, int64_t from_ns, int64_t to_ns, int64_t least_ns);
/* After the last of them: into the verdict, of which the numbers of servers are. 0 or -ENOMEM. */
int gaps_verdict(const struct gaps *g, struct verdict *a);
void gaps_release(struct gaps *g);

#endif
