/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What looks count, in two places by turns: a look writes where the last whole one did not, so a sweep in the
 * middle of it still finds that one's numbers, all of the same looks. `id` is this look's number, `done` that
 * of the last whole one as the sweep found it when it began. Only two looks that begin within one sweep could
 * spoil what it reads.
 */
#ifndef LIMPET_WHOLE_LOOKS_H
#define LIMPET_WHOLE_LOOKS_H

#include "record.h"

/* Where look `id` adds up: from the sums of the one before, whose place stays as it is. Its number comes before
 * its sums, which from then on are those of a look that has not ended. */
static inline __attribute__((always_inline)) __u64 *looks_sums(struct tally *t, __u64 id)
{
	struct look_sums *to = &t->look[t->latest & 1];
	const struct look_sums *from = to;

	if (to->id != id) {
		t->latest ^= 1;
		to = &t->look[t->latest & 1];
		__sync_lock_test_and_set(&to->id, id);
		for (int i = 0; i < SUM_LOOKS; i++)
			to->w[i] = from->w[i];
	}
	return to->w;
}

/* The sums as look `done` left them. */
static inline __attribute__((always_inline)) const __u64 *looks_whole(const struct tally *t,
								      __u64 done)
{
	const struct look_sums *p = &t->look[0], *q = &t->look[1];
	__u64 a = *(const volatile __u64 *)&p->id, b = *(const volatile __u64 *)&q->id;

	if (a <= done && (b > done || a > b))
		return p->w;
	return b <= done || b < a ? q->w : p->w;
}

/* How many looks one counts for: those left out before it could find nothing if it found nothing. */
static inline __attribute__((always_inline)) __u64 looks_made(const struct look_args *args)
{
	return 1 + (args->any ? 0 : args->left_out);
}

/* The last thing a look does but for publishing its number as `done`. `timed`: 1 where its walk could tell how
 * long nobody has read, else 0. */
static inline __attribute__((always_inline)) void
looks_count(struct look_counts *counts, __u64 id, const struct look_args *args, __u32 timed)
{
	const struct look_counts *before = &counts[(id - 1) & 1];
	struct look_counts *now = &counts[id & 1];

	now->passes = before->passes + looks_made(args);
	now->walks = before->walks + (args->walk ? 1 : 0);
	now->timed = before->timed + (args->walk ? timed : 0);
	now->at_work = before->at_work + args->at_work;
	now->looked = before->looked + args->looked;
}

/* The same numbers as look `done` left them; before the first, none. */
static inline __attribute__((always_inline)) void
looks_publish(struct tcp_record *tcp, const struct look_counts *counts, __u64 done)
{
	const struct look_counts *from = &counts[done & 1];

	tcp->head.index = done > 0;
	tcp->passes = from->passes;
	tcp->walks = from->walks;
	tcp->timed = from->timed;
	tcp->at_work = from->at_work;
	tcp->looked = from->looked;
}

#endif
