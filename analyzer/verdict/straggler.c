// SPDX-License-Identifier: BSD-2-Clause
/* straggler.h */
#include "straggler.h"

#include <math.h>
#include <string.h>

#include "userspace/common/sort.h"

static double times(const struct straggler *s)
{
	double t = s->takes_s / s->usual_s;

	return isfinite(t) ? t : 0;
}

static int by_times(const void *a, const void *b, void *arg)
{
	const struct straggler *at = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return ORDER(times(&at[y]), times(&at[x])) ?: ORDER(x, y);
}

COMPARISON(by_job, struct straggler,
	   ORDER(a->job, b->job) ?: ORDER(a->onset_ns, b->onset_ns) ?: strcmp(a->task, b->task))

void stragglers_in_order(struct straggler *at, size_t n)
{
	sort(at, n, by_job);
}

void stragglers_worst_first(struct straggler *at, size_t n, size_t *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	sort_with(order, n, by_times, at);
}

static int by_late(const void *a, const void *b, void *arg)
{
	const struct straggler_job *at = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return ORDER(*at[y].subject != '\0', *at[x].subject != '\0')
		       ?: ORDER(at[y].stragglers, at[x].stragglers) ?: ORDER(x, y);
}

void jobs_worst_first(const struct straggler_job *at, size_t n, size_t *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	sort_with(order, n, by_late, (void *)at);
}
