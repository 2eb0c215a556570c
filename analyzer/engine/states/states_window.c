// SPDX-License-Identifier: BSD-2-Clause
/* States as they were at a time: a log that was read to its end knows what became of a task, --to does not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "states_parts.h"

static int64_t last_time(const struct states *s)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < s->n; i++)
		last = s->at[i].end_ns > last ? s->at[i].end_ns : last;
	return last;
}

/* Under way at `to`: open, and what was thrown away later was not yet. last_ns: of all states. */
static struct state as_of(const struct states *s, const struct state *x, int64_t to_ns,
			  int64_t last_ns)
{
	struct state cut = *x;
	int64_t finish_ns = s->job && x->job < s->jobs.n && s->job[x->job].finish_ns
				    ? s->job[x->job].finish_ns
				    : last_ns;

	if (x->end_ns > to_ns) {
		cut.end_ns = to_ns;
		cut.outcome = OUTCOME_OPEN;
		cut.progress = cut.cpu_s = cut.memory_mib = __builtin_nanf("");
		cut.bytes = cut.records = -1;
		cut.lost = cut.silent = false;
	}
	/* No log says when it was thrown away: where its job went on after `to`, perhaps later. */
	if (finish_ns > to_ns)
		cut.lost = false;
	return cut;
}

static int jobs_as_of(const struct states *s, int64_t to_ns, struct states *w)
{
	w->job = calloc(s->jobs.n + 1, sizeof(*w->job));
	if (!w->job)
		return -ENOMEM;
	for (size_t i = 0; s->job && i < s->jobs.n; i++) {
		w->job[i] = s->job[i];
		if (s->job[i].finish_ns > to_ns) {
			w->job[i].finish_ns = 0;
			w->job[i].outcome = OUTCOME_OPEN;
		}
	}
	return 0;
}

int states_window(const struct states *s, int64_t from_ns, int64_t to_ns, struct states *w)
{
	int64_t last_ns = last_time(s);
	int err;

	*w = *s;
	w->at = calloc(s->n + 1, sizeof(*w->at));
	w->job = NULL;
	w->n = 0;
	if (!w->at)
		return -ENOMEM;
	err = jobs_as_of(s, to_ns, w);
	for (size_t i = 0; i < s->n && !err; i++) {
		const struct state *x = &s->at[i];

		if (x->start_ns < to_ns && x->end_ns >= from_ns)
			w->at[w->n++] = as_of(s, x, to_ns, last_ns);
	}
	while (w->n_progress && w->progress[w->n_progress - 1].time_ns >= to_ns)
		w->n_progress--;
	return err;
}

void states_window_release(struct states *w)
{
	free(w->at);
	free(w->job);
}
