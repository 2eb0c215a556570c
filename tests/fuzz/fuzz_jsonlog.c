// SPDX-License-Identifier: BSD-2-Clause
/*
 * log_source.h: logs of Spark, Rumen and Hadoop 2 and 3, whatever is in them, are read up to where they are none,
 * and what is read keeps the promises of states.h.
 */
#include "fuzz.h"

#include <math.h>

#include "analyzer/source/logs/log_source.h"

static void check_state(const struct states *s, const struct state *x)
{
	MUST(x->kind < STATE_KIND_COUNT && x->outcome < OUTCOME_COUNT);
	MUST(x->end_ns >= x->start_ns);
	MUST(x->node < s->nodes.n && x->id < s->ids.n && x->file < s->files.n);
	MUST(x->peer == STATE_NONE || x->peer < s->nodes.n);
	MUST(x->job == STATE_NONE || x->job < s->jobs.n);
	MUST(x->cls == STATE_NONE || x->cls < s->classes.n);
	MUST(x->in == STATE_NONE || x->in < s->items.n);
	MUST(x->out == STATE_NONE || x->out < s->items.n);
	MUST(x->bytes >= -1 && x->records >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct states s = {0};
	int err;

	fuzz_begin();
	err = states_read(&s, path);
	if (err)
		fuzz_check_refusal(err);
	MUST(!states_finish(&s));
	for (size_t i = 0; i < s.n; i++)
		check_state(&s, &s.at[i]);
	for (size_t i = 0; i < s.n_progress; i++)
		MUST(s.progress[i].done >= 0 && s.progress[i].done <= 1 &&
		     s.progress[i].id < s.ids.n);
	for (size_t i = 0; i < s.n_wait; i++)
		MUST(s.wait[i].job < s.jobs.n);
	states_release(&s);
	return 0;
}
