/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How intervals are given, one after the other, of files that lie there and of files that grow: silence counts
 * only between intervals that somebody has, and one of more than 1 h without anybody is one interval.
 */
#ifndef LIMPET_FEED_GIVE_H
#define LIMPET_FEED_GIVE_H

#include "gather.h"

struct feed_out {
	const struct gather_to *to;
	const struct interval **at; /* n hosts: the intervals that are given next */
	size_t n;
	int64_t interval_ns, next_ns; /* next_ns: of the interval that is given next */
	/* Intervals without anybody, behind each other before next_ns, and how many of them were given. */
	uint64_t silent, silent_given;
	bool began;
	uint64_t given;
};

/* Before at[] of an interval that somebody has is filled: gives the silence before it, as far as it was not. 0, or
 * what fn returned if negative; so the others. */
int feed_end_silence(struct feed_out *o);

/* Gives at[], which somebody has; to the next interval. */
int feed_give(struct feed_out *o);

/* n intervals that nobody has; at[] is cleared. now: each is given at once, up to an hour; else when
 * somebody has something later. */
int feed_pass(struct feed_out *o, uint64_t n, bool now);

#endif
