// SPDX-License-Identifier: BSD-2-Clause
/* limpet evaluate: diagnoses labelled runs, one after the other, and scores the verdicts. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/diagnosis.h"
#include "analyzer/evaluate/evaluate.h"
#include "userspace/common/output.h"
#include "analyzer/engine/examine.h"

/* How verdicts are reached: by methods on frames, with models or without any, or by robust. */
enum way { WAY_MODELS, WAY_UNTRAINED, WAY_ROBUST };

struct evaluate_opts {
	struct diagnosis_opts d;
	struct examine_opts e; /* robust; what both take is in d */
	bool csv, json, runs, top;
	enum way way;
};

#define AT(field) offsetof(struct evaluate_opts, field)

static const struct option_def options[] = {
	{'M', "model", OPT_STRING, AT(d.model), "FILE", "for all runs, instead of the truth's", 0,
	 0},
	DIAGNOSIS_OPTIONS(AT(d)),
	{0, "signal", OPT_STRING, AT(e.signal), "COLUMN", "robust, of tables: what is judged", 0,
	 0},
	{0, "given", OPT_STRING, AT(e.given), "COLUMN", "robust, of tables: where this is alike", 0,
	 0},
	{0, "floor", OPT_DOUBLE, AT(e.floor), "X", "robust, of tables: less is no evidence", 0,
	 1e18},
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

/* Whether any of these methods can name causes. */
static bool name_causes(const struct method *const *chosen)
{
	bool any = false;

	for (; *chosen; chosen++)
		any |= (*chosen)->causes;
	return any;
}

static int judge_by_methods(struct verdict *a, const struct labelled *l,
			    const struct evaluate_opts *o)
{
	struct diagnosis_opts opts = o->d;

	if (!opts.model && o->way == WAY_MODELS)
		opts.model = l->model;
	return diagnosis_make(a, &opts, &l->source, 1);
}

static int judge_by_robust(struct verdict *a, const struct labelled *l,
			   const struct evaluate_opts *o)
{
	struct examine_opts opts = o->e;

	opts.from_ns = o->d.from_ns;
	opts.to_ns = o->d.to_ns;
	opts.peers = o->d.peers;
	opts.threads = o->d.threads;
	opts.table = o->d.table;
	return examine(&opts, &l->source, 1, a);
}

/* One run; what went wrong was said, and e->state tells. 0 or -ENOMEM. */
static int evaluate(struct evaluated *e, const struct labelled *l, const struct evaluate_opts *o,
		    struct evaluate_how how)
{
	enum vocabulary words = o->way == WAY_ROBUST ? WORDS_ROBUST : WORDS_CHECKLIST;
	struct verdict a = {0};
	int err = o->way == WAY_ROBUST ? judge_by_robust(&a, l, o) : judge_by_methods(&a, l, o);
	bool read = !err;

	if (!err)
		err = evaluate_run(e, l, &a, how);
	verdict_release(&a);
	if (!err)
		return 0;
	if (!read)
		fail("'%s' line %zu: this run could not be read", l->file, l->line);
	else if (err == -ENOMEM)
		fail("out of memory");
	return evaluate_failed(e, l, words, how,
			       !read		? "could not be read"
			       : err == -ENOMEM ? "out of memory"
						: "the label does not fit the recording");
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
	struct evaluation all = {.method = o->way == WAY_ROBUST ? METHOD_ROBUST : o->d.method,
				 .top = o->top};
	struct evaluate_how how = {.top = o->top, .causes = causes};
	int status = EXIT_FAILED, err;

	all.runs = calloc(truth->n, sizeof(*all.runs));
	err = all.runs ? 0 : -ENOMEM;
	for (; !err && all.n_runs < truth->n; all.n_runs++) {
		show_progress(all.n_runs, truth->n);
		err = evaluate(&all.runs[all.n_runs], &truth->at[all.n_runs], o, how);
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

/* Without --method: the models', and where no run has one, robust. */
static void choose_way(struct evaluate_opts *o, const struct truth *t)
{
	if (o->d.method)
		return;
	o->way = o->d.model ? WAY_MODELS : WAY_ROBUST;
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].model)
			o->way = WAY_MODELS;
}

/* Options of one way make no sense with the other. 0 or -EINVAL after a message. */
static int check_options(const struct evaluate_opts *o)
{
	const struct {
		bool given, robust;
		const char *option;
	} only[] = {
		{o->d.model, false, "model"},	    {o->d.slack > 0, false, "slack"},
		{o->d.votes, false, "votes"},	    {o->d.two_sided, false, "two-sided"},
		{o->d.weighted, false, "weighted"}, {o->d.window, false, "window"},
		{o->d.shift, false, "shift"},	    {o->e.signal, true, "signal"},
		{o->e.given, true, "given"},	    {o->e.floor > 0, true, "floor"},
	};
	bool robust = o->way == WAY_ROBUST;

	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
		if (only[i].given && only[i].robust != robust) {
			fail("'--%s' is %s the method " METHOD_ROBUST, only[i].option,
			     robust ? "not for" : "for");
			return -EINVAL;
		}
	return 0;
}

/* What is not there is better said before the first run is judged. */
static int check_models(const struct truth *t, const struct evaluate_opts *o)
{
	for (size_t i = 0; i < t->n && o->way == WAY_MODELS && !o->d.model; i++)
		if (!t->at[i].model) {
			fail("'%s' line %zu: no model: fill the column 'model' or give --model",
			     t->at[i].file, t->at[i].line);
			return -EINVAL;
		}
	return 0;
}

static int read_and_evaluate(struct evaluate_opts *o, bool causes, char *const *paths, int n)
{
	struct truth truth = {0};
	int status = EXIT_FAILED, err = 0;

	for (int i = 0; i < n && !err; i++)
		err = truth_read(&truth, paths[i]);
	if (!err) {
		choose_way(o, &truth);
		err = check_options(o);
	}
	if (!err)
		err = check_models(&truth, o);
	if (!err)
		status = evaluate_all(&truth, o, causes);
	truth_release(&truth);
	return status;
}

/* The way and the methods that were asked for by name; those of models are not known yet. 0 or
 * -EINVAL after a message. */
static int parse_method(struct evaluate_opts *o, bool *causes)
{
	const struct method *chosen[METHODS_MAX + 1];
	bool robust = o->d.method && !strcmp(o->d.method, METHOD_ROBUST);

	*causes = true;
	o->way = robust ? WAY_ROBUST : WAY_UNTRAINED;
	if (robust || !o->d.method)
		return 0;
	if (methods_parse(o->d.method, chosen))
		return -EINVAL;
	*causes = name_causes(chosen);
	for (size_t i = 0; chosen[i]; i++)
		if (chosen[i]->passes)
			o->way = WAY_MODELS;
	return 0;
}

static int run(int argc, char **argv)
{
	struct evaluate_opts o = {.d = {.to_ns = INT64_MAX, .threads = 1}, .e = EXAMINE_DEFAULT};
	int n = options_parse(&cmd_evaluate, &o, argc, argv), status = EXIT_USAGE;
	bool causes;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1)
		fail("a TRUTH is needed (see 'limpet evaluate --help')");
	else if (!parse_method(&o, &causes))
		status = read_and_evaluate(&o, causes, argv + 1, n);
	string_list_release(&o.d.table.counters);
	string_list_release(&o.d.table.metrics);
	return output_finish(status);
}

const struct command cmd_evaluate = {
	.name = "evaluate",
	.args = "TRUTH…",
	.summary = "scores the verdicts on runs whose faults are known",
	.options = options,
	.run = run,
};
