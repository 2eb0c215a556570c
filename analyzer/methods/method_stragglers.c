// SPDX-License-Identifier: BSD-2-Clause
/* Method `stragglers`: the engine's verdict, and beside it the tasks that hold up their jobs, and why. */
#include "analyzer/jobs/stragglers.h"

#include "examine_sources.h"
#include "method.h"

struct straggler_search {
	struct verdict *v;
	const struct analysis_opts *o;
	int err;
};

static void take_states(void *arg, const struct states *s)
{
	struct straggler_search *f = arg;

	f->err = stragglers_find(f->v, s, f->o);
}

static int make_stragglers(struct verdict *v, const struct method *const *chosen,
			   const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	struct straggler_search f = {.v = v, .o = o};
	struct examine_hooks hooks = {.states = take_states, .arg = &f};
	int err = examine(v, o, paths, n_paths, &hooks);

	(void)chosen;
	if (err || !f.err)
		return err;
	verdict_release(v);
	return f.err;
}

static const char *const heeds[] = {"acknowledge", "offsets",	"hop",	    "budget", "hardware",
				    "symptom",	   "diagnoser", "decision", NULL};

const struct method method_stragglers = {
	.name = STRAGGLERS_NAME,
	.reads = READS_INTERVALS | READS_STATES,
	.words = WORDS_ROBUST,
	.causes = true,
	.heeds = heeds,
	.make = make_stragglers,
};
