/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: what looks add up, and when it counts. A sweep may come in the middle of a look and takes the sums as
 * the last whole one left them: each look adds up in a place of its own.
 */
#ifndef LIMPET_TCP_SUMS_BPF_H
#define LIMPET_TCP_SUMS_BPF_H

#include "tcp.bpf.h"

/* Looks by number; the last one that got to its end. Defined in tcp_look.bpf.c. */
extern __u64 look_id, look_done;

static __always_inline bool whole(const struct look_sums *p)
{
	return p->id && p->id <= look_done;
}

/* Where this look adds up. */
static __always_inline __u64 *this_look(struct tally *t)
{
	struct look_sums *p = &t->look[look_id & 1];

	if (p->id != look_id) {
		for (int i = 0; i < LOOKS; i++) {
			if (whole(p))
				t->looks[i] += p->w[i];
			p->w[i] = 0;
		}
		p->id = look_id;
	}
	return p->w;
}

/* The totals of a tally; of looks, as the last whole one left them. */
static __always_inline void totals(struct tally *t, __u64 *w)
{
	for (int i = 0; i < COUNTERS; i++)
		w[i] = t->c[i];
	for (int i = 0; i < LOOKS; i++) {
		w[COUNTERS + i] = t->looks[i];
		if (whole(&t->look[0]))
			w[COUNTERS + i] += t->look[0].w[i];
		if (whole(&t->look[1]))
			w[COUNTERS + i] += t->look[1].w[i];
	}
}

#endif
