// SPDX-License-Identifier: BSD-2-Clause
/* robust: the engine, of series files, and its like for tables; needs no training. */
#include "method.h"

#include <errno.h>
#include <string.h>

#include "analyzer/engine/states/examine_states.h"
#include "analyzer/engine/tables/examine_table.h"
#include "analyzer/rules/fusion.h"
#include "examine_sources.h"

/* -ENODATA of an empty folder: sources_open() said so. */
static int no_data(struct verdict *a)
{
	*a = (struct verdict){.method = ROBUST_NAME,
			      .names_causes = true,
			      .cannot = {.why = CANNOT_EMPTY_SOURCE}};
	return 0;
}

/* Recordings, logs, or both as one. */
static int examine_all(struct verdict *a, const struct analysis_opts *o, struct sources *s,
		       struct peers_file *peers, const struct examine_hooks *hooks)
{
	struct verdict jobs = {0};
	int err;

	if (!s->tabular && !s->n)
		return examine_states(o, &s->states, a);
	err = s->tabular ? examine_table(o, s, a) : examine_series(a, o, s, peers, hooks);
	if (!err && s->n_logs)
		err = examine_states(o, &s->states, &jobs);
	if (!err && s->n_logs)
		err = fusion(a, &jobs);
	verdict_release(&jobs);
	return err;
}

int examine(struct verdict *a, const struct analysis_opts *o, char *const *paths, size_t n_paths,
	    const struct examine_hooks *hooks)
{
	struct peers_file *peers = NULL;
	struct sources s = {0};
	int err;

	*a = (struct verdict){0};
	err = o->peers ? peers_load(&peers, o->peers) : 0;
	if (!err)
		err = sources_open(&s, paths, n_paths, &o->table, &o->logs);
	if (err) {
		peers_free(peers);
		return err == -ENODATA ? no_data(a) : err;
	}
	err = examine_all(a, o, &s, peers, hooks);
	if (!err)
		err = method_note_sources(a, &s);
	if (!err && hooks && hooks->states && s.n_logs)
		hooks->states(hooks->arg, &s.states);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	peers_free(peers);
	sources_release(&s);
	return err;
}

static int make(struct verdict *v, const struct method *const *chosen,
		const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	(void)chosen;
	return examine(v, o, paths, n_paths, NULL);
}

static const char *const heeds[] = {"acknowledge", "offsets", "hop",   "budget",
				    "signal",	   "given",   "floor", NULL};

const struct method method_robust = {
	.name = ROBUST_NAME,
	.summary = "compares every signal with the peers' and with its own past",
	.reads = READS_INTERVALS | READS_COLUMNS | READS_STATES,
	.is_default = true,
	.words = WORDS_ROBUST,
	.causes = true,
	.heeds = heeds,
	.make = make,
};
