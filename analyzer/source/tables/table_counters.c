// SPDX-License-Identifier: BSD-2-Clause
/* Counters become rates: what was added since the line before, by the time between the two. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"

static int mark_counters(struct table *t, const struct table_opts *o)
{
	t->counter = calloc(t->metrics.n + 1, sizeof(*t->counter));
	if (!t->counter)
		return -ENOMEM;
	for (size_t i = 0; i < o->counters.n; i++) {
		int64_t metric = names_find(&t->metrics, o->counters.at[i]);

		/* one that --metric leaves out is not looked for */
		if (metric < 0 && !table_wanted(o, o->counters.at[i]))
			continue;
		if (metric < 0)
			return fail("'--counter %s': the table has no such column",
				    o->counters.at[i]);
		t->counter[metric] = true;
	}
	for (size_t i = 0; i < t->rates.n; i++)
		t->counter[names_find(&t->metrics, t->rates.at[i])] = true;
	if (o->counters.n && t->events)
		return fail("state durations have no counters ('--counter %s')", o->counters.at[0]);
	return 0;
}

int table_rates(struct table *t, const struct table_opts *o)
{
	size_t n = 0;
	int err = mark_counters(t, o);

	if (err || !(o->counters.n || t->rates.n))
		return err;
	for (size_t i = 0, end; i < t->n; i = end) {
		struct sample before = t->at[i];

		end = table_run(t, i);
		if (!t->counter[before.metric]) {
			while (i < end)
				t->at[n++] = t->at[i++];
			continue;
		}
		for (i++; i < end; i++) {
			struct sample s = t->at[i], rate = s;

			rate.value = (s.value - before.value) / s_of_ns(s.time_ns - before.time_ns);
			if (s.value < before.value)
				t->resets++;
			else if (isfinite(rate.value))
				t->at[n++] = rate; /* n <= i: a run has one rate less than lines */
			else
				t->damaged++;
			before = s;
		}
	}
	t->n = n;
	return 0;
}
