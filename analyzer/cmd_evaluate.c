// SPDX-License-Identifier: BSD-2-Clause
/* limpet evaluate: diagnoses labelled runs, one after the other, and scores the verdicts. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate.h"
#include "output.h"

struct evaluate_opts {
	struct diagnosis_opts d;
	bool csv, json, runs, top;
};

#define AT(field) offsetof(struct evaluate_opts, field)

static const struct option_def options[] = {
	{'M', "model", OPT_STRING, AT(d.model), "FILE", "for all runs, instead of the truth's", 0,
	 0},
	DIAGNOSIS_OPTIONS(AT(d)),
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

/* Whether any method asked for can name causes; true if the models decide. */
static bool name_causes(const struct method *const *chosen, bool asked)
{
	bool any = !asked;

	for (; *chosen; chosen++)
		any |= (*chosen)->causes;
	return any;
}

/* One run; what went wrong was said, and e->state tells. */
static void evaluate(struct evaluated *e, const struct labelled *l, const struct evaluate_opts *o,
		     struct evaluate_how how)
{
	struct diagnosis_opts opts = o->d;
	struct diagnosis d = {0};
	int err;

	if (!opts.model)
		opts.model = l->model;
	err = diagnosis_make(&d, &opts, &l->source, 1);
	if (!err) {
		err = evaluate_run(e, l, &d, how);
		if (err == -ENOMEM)
			fail("out of memory");
	} else {
		*e = (struct evaluated){.label = l};
		fail("'%s' line %zu: this run could not be read", l->file, l->line);
	}
	if (err)
		e->state = RUN_FAILED;
	diagnosis_release(&d);
}

static int print(struct evaluation *all, const struct evaluate_opts *o)
{
	int err = 0;

	if (o->json)
		err = evaluate_json(all, o->runs);
	else if (o->csv)
		evaluate_csv(all, o->runs);
	else
		evaluate_text(all, o->runs);
	return err;
}

static int evaluate_all(const struct truth *truth, const struct evaluate_opts *o, bool causes)
{
	struct evaluation all = {.method = o->d.method, .top = o->top};
	struct evaluate_how how = {.top = o->top, .causes = causes};
	int status = EXIT_FAILED, err;

	all.runs = calloc(truth->n, sizeof(*all.runs));
	err = all.runs ? 0 : -ENOMEM;
	for (; !err && all.n_runs < truth->n; all.n_runs++) {
		show_progress(all.n_runs, truth->n);
		evaluate(&all.runs[all.n_runs], &truth->at[all.n_runs], o, how);
		all.n_failed += all.runs[all.n_runs].state == RUN_FAILED;
	}
	show_progress(truth->n, truth->n);
	if (!err)
		err = evaluate_groups(&all);
	if (!err)
		err = print(&all, o);
	if (err)
		fail("out of memory");
	else if (all.n_failed)
		fail("%zu of %zu runs failed", all.n_failed, all.n_runs);
	else
		status = EXIT_DONE;
	evaluation_release(&all);
	return status;
}

/* Every run needs a model: better said before the first is judged. */
static int check_models(const struct truth *t, const struct evaluate_opts *o)
{
	for (size_t i = 0; i < t->n && !o->d.model; i++)
		if (!t->at[i].model) {
			fail("'%s' line %zu: no model: fill the column 'model' or give --model",
			     t->at[i].file, t->at[i].line);
			return -EINVAL;
		}
	return 0;
}

static int read_and_evaluate(const struct evaluate_opts *o, bool causes, char *const *paths, int n)
{
	struct truth truth = {0};
	int status = EXIT_FAILED, err = 0;

	for (int i = 0; i < n && !err; i++)
		err = truth_read(&truth, paths[i]);
	if (!err)
		err = check_models(&truth, o);
	if (!err)
		status = evaluate_all(&truth, o, causes);
	truth_release(&truth);
	return status;
}

static int run(int argc, char **argv)
{
	struct evaluate_opts o = {.d = {.to_ns = INT64_MAX, .threads = 1}};
	const struct method *chosen[METHODS_MAX + 1];
	int n = options_parse(&cmd_evaluate, &o, argc, argv), status = EXIT_USAGE;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1)
		fail("a TRUTH is needed (see 'limpet evaluate --help')");
	else if (!methods_parse(o.d.method, chosen))
		status =
			read_and_evaluate(&o, name_causes(chosen, o.d.method != NULL), argv + 1, n);
	string_list_release(&o.d.table.counters);
	string_list_release(&o.d.table.metrics);
	return output_finish(status);
}

const struct command cmd_evaluate = {
	.name = "evaluate",
	.args = "[--model FILE] TRUTH…",
	.summary = "scores the verdicts on runs whose faults are known",
	.options = options,
	.run = run,
};
