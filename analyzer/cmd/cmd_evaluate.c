// SPDX-License-Identifier: BSD-2-Clause
/* limpet evaluate: diagnoses labelled runs, one after the other, and scores the verdicts. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/methods/method.h"
#include "analyzer/evaluate/evaluate.h"
#include "analyzer/options/analysis.h"
#include "userspace/common/output.h"

struct evaluate_opts {
	struct analysis_opts a;
	const struct method *chosen[METHODS_MAX + 1]; /* none: the models' */
	bool csv, json, runs, top;
};

#define AT(field) offsetof(struct evaluate_opts, field)

static const struct option_def options[] = {
	ANALYSIS_METHOD(AT(a), METHOD_NAMES),
	ANALYSIS_SOURCES(AT(a)),
	ANALYSIS_COLUMNS(AT(a)),
	ANALYSIS_FRAMES(AT(a)),
	ANALYSIS_STATES(AT(a)),
	{0, "top", OPT_FLAG, AT(top), NULL, "count only the first server of each verdict", 0, 0},
	{0, "runs", OPT_FLAG, AT(runs), NULL, "a line per run (--csv: instead of the scores)", 0,
	 0},
	{0, "csv", OPT_FLAG, AT(csv), NULL, "a line per group of runs", 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0},
};

/* "12 of 480 runs" on a terminal's standard error, where messages write over it; nothing elsewhere. */
static void show_progress(size_t done, size_t n)
{
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (!terminal)
		return;
	if (done == n)
		fprintf(stderr, "%40s\r", "");
	else
		fprintf(stderr, "%zu of %zu runs\r", done, n);
	fflush(stderr);
}

/* Whether any of these methods can name causes; those of models are not known yet. */
static bool name_causes(const struct method *const *chosen)
{
	bool any = !*chosen;

	for (; *chosen; chosen++)
		any |= (*chosen)->causes;
	return any;
}

static int judge_run(struct verdict *a, const struct labelled *l, const struct evaluate_opts *o,
		     unsigned int *found)
{
	struct analysis_opts opts = o->a;

	opts.found = found;
	if (!opts.model && methods_trained(o->chosen))
		opts.model = l->model;
	return methods_make(a, o->chosen, &opts, &l->source, 1);
}

/* One run; what went wrong was said, and e->state tells. 0 or -ENOMEM. */
static int evaluate(struct evaluated *e, const struct labelled *l, const struct evaluate_opts *o,
		    struct evaluate_how how, unsigned int *found)
{
	const char *why = "could not be read";
	struct verdict a = {0};
	int err = judge_run(&a, l, o, found);

	if (err) {
		fail("'%s' line %zu: this run could not be read", l->file, l->line);
	} else {
		err = evaluate_run(e, l, &a, how);
		why = err == -ENOMEM ? "out of memory" : "the label does not fit the recording";
		if (err == -ENOMEM)
			fail("%s", why);
	}
	verdict_release(&a);
	return err ? evaluate_failed(e, l, methods_words(o->chosen), how, why) : 0;
}

static int print(struct evaluation *all, const struct evaluate_opts *o)
{
	if (o->json)
		return evaluate_json(all, o->runs);
	if (o->csv)
		evaluate_csv(all, o->runs);
	else
		evaluate_text(all, o->runs);
	return 0;
}

static int evaluate_all(const struct truth *truth, const struct evaluate_opts *o)
{
	const char *by_default = *o->chosen ? (*o->chosen)->name : NULL;
	unsigned int found = 0;
	bool meant;
	struct evaluation all = {.method = o->a.method ? o->a.method : by_default, .top = o->top};
	struct evaluate_how how = {.top = o->top, .causes = name_causes(o->chosen)};
	int status = EXIT_FAILED, err;

	all.runs = calloc(truth->n, sizeof(*all.runs));
	err = all.runs ? 0 : -ENOMEM;
	for (; !err && all.n_runs < truth->n; all.n_runs++) {
		show_progress(all.n_runs, truth->n);
		err = evaluate(&all.runs[all.n_runs], &truth->at[all.n_runs], o, how, &found);
		all.n_failed += all.runs[all.n_runs].state == RUN_FAILED;
	}
	show_progress(truth->n, truth->n);
	meant = !err && !options_meant(found);
	if (meant)
		err = evaluate_groups(&all) ?: print(&all, o);
	if (err)
		fail("out of memory");
	else if (meant && all.n_failed)
		fail("%zu of %zu runs failed", all.n_failed, all.n_runs);
	else if (meant)
		status = EXIT_DONE;
	evaluation_release(&all);
	return status;
}

/* Without --method: the models', and where no run has one, the default. 0 or -EINVAL after a message. */
static int choose_methods(struct evaluate_opts *o, const struct truth *t)
{
	struct analysis_opts opts = o->a;

	for (size_t i = 0; i < t->n && !opts.model && !opts.method; i++)
		opts.model = t->at[i].model;
	return methods_choose(&opts, o->chosen);
}

/* What is not there is better said before the first run is judged. */
static int check_models(const struct truth *t, const struct evaluate_opts *o)
{
	for (size_t i = 0; i < t->n && methods_trained(o->chosen) && !o->a.model; i++)
		if (!t->at[i].model)
			return fail(
				"'%s' line %zu: no model: fill the column 'model' or give --model",
				t->at[i].file, t->at[i].line);
	return 0;
}

static int read_and_evaluate(struct evaluate_opts *o, char *const *paths, size_t n)
{
	struct truth truth = {0};
	int status = EXIT_FAILED, err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = truth_read(&truth, paths[i]);
	err = err ?: choose_methods(o, &truth) ?: check_models(&truth, o);
	if (!err)
		status = evaluate_all(&truth, o);
	truth_release(&truth);
	return status;
}

static int run_evaluate(int argc, char **argv)
{
	struct evaluate_opts o = {.a = ANALYSIS_DEFAULT};
	size_t n;
	int status = options_words(&cmd_evaluate, &o, argc, argv, "a TRUTH", &n);

	if (n && o.csv && o.json)
		fail("'--csv' and '--json' exclude each other");
	else if (n && (!o.a.method || !methods_parse(o.a.method, o.chosen)))
		status = read_and_evaluate(&o, argv + 1, n);
	options_release(&cmd_evaluate, &o);
	return output_finish(status);
}

const struct command cmd_evaluate = {
	.name = "evaluate",
	.args = "TRUTH…",
	.summary = "scores the verdicts on runs whose faults are known",
	.options = options,
	.run = run_evaluate,
};
