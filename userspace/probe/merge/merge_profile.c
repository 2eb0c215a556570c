// SPDX-License-Identifier: BSD-2-Clause
/* What the server's threads wait for: counts of looks into shares of their time. */
#include "internal.h"

void merge_profile(const struct merge *m, double dt, struct second_row *row)
{
	static const enum metric_id share[WAIT_REASONS] = {
		[WAIT_ON_CPU] = M_THR_CPU,	[WAIT_READY] = M_THR_READY,
		[WAIT_DISK] = M_THR_DISK,	[WAIT_LOCK] = M_THR_LOCK,
		[WAIT_NETWORK] = M_THR_NET,	[WAIT_MEMORY] = M_THR_MEM,
		[WAIT_IDLE] = M_THR_IDLE,	[WAIT_STOPPED] = M_THR_STOP,
		[WAIT_UNKNOWN] = M_THR_UNKNOWN,
	};
	const struct profile_totals *a = &m->now->reading.profile;
	const struct profile_totals *b = &m->before->reading.profile;
	double looks = (double)(a->looks - b->looks), threads = (double)(a->threads - b->threads);

	/* Where sweeps have waited, the looks of all of them are in the first. */
	if (!looks)
		return;
	second_set(row, M_THREAD_LOOKS, looks / dt);
	second_set(row, M_THREADS, threads / looks);
	for (int i = 0; i < WAIT_REASONS; i++)
		second_set(row, share[i],
			   100 * ratio((double)(a->waits[i] - b->waits[i]), threads));
}
