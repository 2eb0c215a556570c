/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: the list of connections at work, of those that came, and of those that closed, whose rows become
 * vacant. All of it is the thread's that looks; the hooks of tcp.bpf.c tell it through rings.
 */
#ifndef LIMPET_TCP_WORK_BPF_H
#define LIMPET_TCP_WORK_BPF_H

#include "tcp.bpf.h"

static __u64 fresh_tail, closed_tail;
static __u32 n_at_work;

static __always_inline void join(struct sock_counts *s, __u32 row)
{
	struct sock_rings *r = rings_at(n_at_work);

	if (!r || s->place)
		return;
	r->at_work = row;
	s->place = ++n_at_work;
	s->quiet = 0;
}

/* The last of the list comes to its place. */
static __always_inline void leave(struct sock_counts *s)
{
	struct sock_rings *mine = rings_at(s->place - 1), *last = rings_at(n_at_work - 1);
	struct sock_counts *moved;

	if (!s->place || !n_at_work || !mine || !last)
		return;
	moved = counts_at(last->at_work);
	mine->at_work = last->at_work;
	if (moved)
		moved->place = s->place;
	s->place = 0;
	n_at_work--;
}

/* The row is nobody's any more, and no hook comes back to it. */
static __always_inline void vacate(__u32 row)
{
	struct sock_counts *s = counts_at(row);
	struct sock_rings *r = rings_at(vacant_tail);

	if (!s || !r)
		return;
	if (s->place)
		leave(s);
	r->vacant = row;
	vacant_tail++;
	__sync_fetch_and_add(&rows_vacant, 1);
}

static long take_fresh(__u32 i, void *ctx)
{
	struct sock_rings *r = rings_at(fresh_tail);
	struct sock_counts *s;
	__u32 row;

	if (!r || !r->fresh)
		return 1; /* told, but not written yet */
	row = r->fresh - 1;
	r->fresh = 0;
	fresh_tail++;
	s = counts_at(row);
	if (s)
		join(s, row);
	return 0;
}

static long take_closed(__u32 i, void *ctx)
{
	struct sock_rings *r = rings_at(closed_tail);
	__u32 row;

	if (!r || !r->closed)
		return 1;
	row = r->closed - 1;
	r->closed = 0;
	closed_tail++;
	vacate(row);
	return 0;
}

#endif
