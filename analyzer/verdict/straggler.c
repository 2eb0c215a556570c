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

COMPARISON_WITH(by_times, size_t, struct straggler,
		ORDER(times(&with[*b]), times(&with[*a])) ?: ORDER(*a, *b))

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

COMPARISON_WITH(by_late, size_t, struct straggler_job,
		ORDER(*with[*b].subject != '\0', *with[*a].subject != '\0')
			?: ORDER(with[*b].stragglers, with[*a].stragglers) ?: ORDER(*a, *b))

void jobs_worst_first(const struct straggler_job *at, size_t n, size_t *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	sort_with(order, n, by_late, (void *)at);
}
