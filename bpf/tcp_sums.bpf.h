/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: what looks add up, and when it counts. A sweep may come in the middle of a look, and takes all of it as
 * the last whole one left it.
 */
#ifndef LIMPET_TCP_SUMS_BPF_H
#define LIMPET_TCP_SUMS_BPF_H

#include "whole_looks.h"
#include "tcp.bpf.h"

/* Looks by number; the last one that got to its end. Defined in tcp_look.bpf.c. */
extern __u64 look_id, look_done;
extern struct look_counts look_counts[2];

/* Where this look adds up. */
static __always_inline __u64 *this_look(struct tally *t)
{
	return looks_sums(t, look_id);
}

/* The totals of a tally; of looks, as look `done` left them. */
static __always_inline void totals(const struct tally *t, __u64 *w, __u64 done)
{
	const __u64 *looks = looks_whole(t, done);

	for (int i = 0; i < COUNTERS; i++)
		w[i] = t->c[i];
	for (int i = 0; i < LOOKS; i++)
		w[COUNTERS + i] = looks[i];
}

#endif
