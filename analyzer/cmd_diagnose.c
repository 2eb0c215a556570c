// SPDX-License-Identifier: BSD-2-Clause
/* limpet diagnose: compares the servers and says which one limps, and why. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"
#include "output.h"
#include "verdict.h"
#include "windows.h"

struct diagnose_opts {
	const char *method, *model;
	int64_t from_ns, to_ns;
	double slack;	    /* 0: the model's */
	unsigned int votes; /* 0: the model's */
	bool two_sided, json, explain, exit_code;
};

#define AT(field) offsetof(struct diagnose_opts, field)

static const struct option_def options[] = {
	{'M', "model", OPT_STRING, AT(model), "FILE", "what 'limpet train' wrote (needed)", 0, 0},
	{0, "method", OPT_STRING, AT(method), "LIST", "kl, cwnd; default: both", 0, 0},
	{0, "from", OPT_TIME, AT(from_ns), "TIME", "only seconds from this one on", 0, 0},
	{0, "to", OPT_TIME, AT(to_ns), "TIME", "only seconds before this one", 0, 0},
	{0, "slack", OPT_DOUBLE, AT(slack), "X", "instead of the model's slack", SLACK_MIN,
	 SLACK_MAX},
	{0, "votes", OPT_UINT, AT(votes), "K", "instead of the model's votes", 1, VOTES_MAX},
	{0, "two-sided", OPT_FLAG, AT(two_sided), NULL, "indict what is better than its peers too",
	 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0, "explain", OPT_FLAG, AT(explain), NULL, "with every node, metric and window", 0, 0},
	{0, "exit-code", OPT_FLAG, AT(exit_code), NULL,
	 "status 3: a server is indicted; 4: none is, but some were not judged\n"
	 "                             at all (without it too: none could be judged)",
	 0, 0},
	{0},
};

static void explain_text(const struct verdict *v)
{
	static const char *const names[] = {
		[VOTE_ABSTAIN] = "abstain", [VOTE_FINE] = "fine", [VOTE_ODD] = "odd"};
	char at[TIME_TEXT_LEN];

	printf("\n%-20s %-8s %10s %10s %8s %9s %6s %-7s %s\n", "window from", "metric", "mean",
	       "peers", "score", "threshold", "above", "verdict", "server");
	for (size_t i = 0; i < v->judgement->n_explained; i++) {
		const struct explained *e = &v->judgement->explained[i];

		printf("%-20s %-8s %10.2f %10.2f %8.3f %9.3f %6u %-7s %s\n",
		       output_time(e->from_ns, at), metrics[e->metric].name, e->mean, e->peers,
		       e->score, e->threshold, e->above, names[e->verdict],
		       v->frame->nodes[e->node]);
	}
}

static int print(const struct verdict *v, const struct diagnose_opts *o)
{
	if (!o->json)
		verdict_text(v);
	if (o->json && verdict_json(v)) {
		fail("out of memory");
		return EXIT_FAILED;
	}
	if (v->cannot) {
		fail("cannot judge: %s", v->cannot);
		return EXIT_NO_JUDGEMENT;
	}
	if (!o->json && o->explain)
		explain_text(v);
	if (o->exit_code && v->n_indicted)
		return EXIT_INDICTED;
	return o->exit_code && verdict_incomplete(v) ? EXIT_NO_JUDGEMENT : EXIT_DONE;
}

static int judge(const struct frame *f, const struct model *m, const struct diagnose_opts *o,
		 const struct method *const *chosen)
{
	struct judgement j = {.two_sided = o->two_sided, .explain = o->explain};
	struct verdict v = {0};
	const char *cannot;
	char why[256];
	size_t *index = NULL;
	int err, status = EXIT_FAILED;

	if (model_fit(m, f, &index))
		return EXIT_FAILED;
	j.votes = m->params.votes;
	j.n_windows = windows_count(f->n_times, m->params.window, m->params.shift);
	j.n_useful = frame_windows(f, NODES_MIN, m->params.window, m->params.shift);
	cannot = verdict_cannot(f, &m->params, j.n_useful, why, sizeof(why));
	for (err = 0; *chosen && !err && !cannot; chosen++)
		err = (*chosen)->judge(f, m, index, &j);
	if (!err)
		err = verdict_make(&v, f, m, &j, cannot);
	if (err)
		fail("out of memory");
	else
		status = print(&v, o);
	verdict_release(&v);
	judgement_release(&j);
	free(index);
	return status;
}

/* The time asked for holds nothing, as frame_load() said: programs are told on standard output. */
static int no_data(const struct model *m, const struct diagnose_opts *o)
{
	struct judgement j = {
		.two_sided = o->two_sided, .explain = o->explain, .votes = m->params.votes};
	struct frame none = {0};
	struct verdict v = {0};
	int status = EXIT_NO_JUDGEMENT;

	if (!o->json)
		return status;
	if (verdict_make(&v, &none, m, &j, "no recorded second lies in the time asked for") ||
	    verdict_json(&v)) {
		fail("out of memory");
		status = EXIT_FAILED;
	}
	verdict_release(&v);
	return status;
}

/*
 * Methods the model was not trained for: an error if they were asked for by name, else left out.
 */
static int drop_untrained(const struct model *m, const struct diagnose_opts *o,
			  const struct method **chosen)
{
	const struct method **to = chosen;

	for (; *chosen; chosen++) {
		bool trained = !(*chosen)->train;

		for (size_t i = 0; i < m->n_trained; i++)
			trained |= !strcmp(m->trained[i].method, (*chosen)->name);
		if (trained) {
			*to++ = *chosen;
		} else if (o->method) {
			fail("the model '%s' was not trained for the method '%s'", o->model,
			     (*chosen)->name);
			return -EINVAL;
		}
	}
	*to = NULL;
	return 0;
}

static int load_and_judge(const struct diagnose_opts *o, const struct method **chosen,
			  char *const *paths, size_t n_paths)
{
	struct model model = {0};
	struct sources sources = {0};
	struct frame frame = {0};
	bool wanted[M_COUNT] = {false};
	int err = model_load(&model, o->model), status = EXIT_FAILED;

	if (!err && o->slack > 0)
		model.params.slack = o->slack;
	if (!err && o->votes)
		model.params.votes = o->votes;
	if (!err)
		err = drop_untrained(&model, o, chosen);
	methods_wanted(chosen, wanted);
	if (!err)
		err = sources_open(&sources, paths, n_paths);
	if (!err) {
		err = frame_load(&frame, &sources,
				 &(struct frame_opts){o->from_ns, o->to_ns, wanted});
		if (!err)
			status = judge(&frame, &model, o, chosen);
		else if (err == -ENODATA)
			status = no_data(&model, o);
	}
	frame_release(&frame);
	sources_release(&sources);
	model_release(&model);
	return status;
}

static int run(int argc, char **argv)
{
	struct diagnose_opts o = {.to_ns = INT64_MAX};
	const struct method *chosen[METHODS_MAX + 1];
	int n = options_parse(&cmd_diagnose, &o, argc, argv);

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1 || !o.model) {
		fail("%s is needed (see 'limpet diagnose --help')",
		     n < 1 ? "a SOURCE" : "--model FILE");
		return EXIT_USAGE;
	}
	if (methods_parse(o.method, chosen))
		return EXIT_USAGE;
	return output_finish(load_and_judge(&o, chosen, argv + 1, (size_t)n));
}

const struct command cmd_diagnose = {
	.name = "diagnose",
	.args = "--model FILE SOURCE…",
	.summary = "names the server that limps, the metric and the cause",
	.options = options,
	.run = run,
};
