// SPDX-License-Identifier: BSD-2-Clause
/* robust: the engine, of series files, and its like for tables; needs no training. */
#include "method.h"

#include <errno.h>

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

/* What logs may ask of recordings. */
struct watched_recordings {
	const struct examine_hooks *hooks;
	struct track_history history;
};

static int ready(void *arg, struct robust *r)
{
	struct watched_recordings *w = arg;

	track_history_release(&w->history);
	robust_history(r, &w->history);
	return w->hooks && w->hooks->ready ? w->hooks->ready(w->hooks->arg, r) : 0;
}

static int step_both(void *arg, struct robust *r)
{
	struct watched_recordings *w = arg;

	return w->hooks->step(w->hooks->arg, r);
}

static void done(void *arg, struct robust *r)
{
	struct watched_recordings *w = arg;

	if (w->hooks && w->hooks->done)
		w->hooks->done(w->hooks->arg, r);
}

static int examine_both(struct verdict *a, const struct analysis_opts *o, struct sources *s,
			struct peers_file *peers, const struct examine_hooks *hooks)
{
	struct watched_recordings w = {.hooks = hooks};
	const struct examine_hooks watching = {.ready = ready,
					       .step = hooks && hooks->step ? step_both : NULL,
					       .done = done,
					       .arg = &w};
	struct verdict jobs = {0};
	int err = s->tabular ? examine_table(o, s, a) : examine_series(a, o, s, peers, &watching);

	err = err ?: examine_states(o, &s->states, &jobs);
	err = err ?: fusion(a, &jobs, s->tabular ? NULL : &w.history);
	verdict_release(&jobs);
	track_history_release(&w.history);
	return err;
}

/* Recordings, logs, or both as one. */
static int examine_all(struct verdict *a, const struct analysis_opts *o, struct sources *s,
		       struct peers_file *peers, const struct examine_hooks *hooks)
{
	if (!s->tabular && !s->n)
		return examine_states(o, &s->states, a);
	if (s->n_logs)
		return examine_both(a, o, s, peers, hooks);
	return s->tabular ? examine_table(o, s, a) : examine_series(a, o, s, peers, hooks);
}

int examine(struct verdict *a, const struct analysis_opts *o, char *const *paths, size_t n_paths,
	    const struct examine_hooks *hooks)
{
	struct peers_file *peers = NULL;
	struct table_opts table = table_between(&o->table, o->from_ns, o->to_ns);
	struct sources s = {0};
	int err;

	*a = (struct verdict){0};
	err = o->peers ? peers_load(&peers, o->peers) : 0;
	err = err ?: sources_open(&s, paths, n_paths, &table, &o->logs);
	if (err) {
		peers_free(peers);
		return err == -ENODATA ? no_data(a) : err;
	}
	err = method_options_meant(o, &s, READS_INTERVALS | READS_COLUMNS | READS_STATES);
	err = err ?: examine_all(a, o, &s, peers, hooks) ?: method_note_sources(a, &s);
	if (!err && hooks && hooks->states && s.n_logs)
		hooks->states(hooks->arg, &s.states);
	if (!err && hooks && hooks->judged)
		hooks->judged(hooks->arg, a, &s);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	peers_free(peers);
	sources_release(&s);
	return err;
}

static int make_robust(struct verdict *v, const struct method *const *chosen,
		       const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	(void)chosen;
	return examine(v, o, paths, n_paths, NULL);
}

static const char *const heeds[] = {"acknowledge", "offsets", "hop",   "budget",
				    "signal",	   "given",   "floor", NULL};

const struct method method_robust = {
	.name = ROBUST_NAME,
	.reads = READS_INTERVALS | READS_COLUMNS | READS_STATES,
	.is_default = true,
	.words = WORDS_ROBUST,
	.causes = true,
	.heeds = heeds,
	.make = make_robust,
};
