// SPDX-License-Identifier: BSD-2-Clause
/* limpet diagnose: compares the servers and says which one limps, and why. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "analyzer/methods/diagnosis.h"
#include "analyzer/output/verdict_print.h"
#include "userspace/common/output.h"
#include "analyzer/engine/examine.h"

struct diagnose_opts {
	struct diagnosis_opts d;
	struct examine_opts e;
	bool json, exit_code;
};

#define AT(field) offsetof(struct diagnose_opts, field)

static const struct option_def options[] = {
	{'M', "model", OPT_STRING, AT(d.model), "FILE",
	 "what 'limpet train' wrote; without it nothing has to be trained", 0, 0},
	DIAGNOSIS_OPTIONS(AT(d)),
	EXAMINE_OPTIONS(AT(e)),
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0, "explain", OPT_FLAG, AT(d.explain), NULL, "with every node, metric and window", 0, 0},
	{0, "exit-code", OPT_FLAG, AT(exit_code), NULL,
	 "status 3: a server is indicted; 4: none is, but some were not judged\n"
	 "                             at all (without it too: none could be judged)",
	 0, 0},
	{0},
};

static int print_verdict(const struct verdict *a, const struct diagnose_opts *o)
{
	char why[SENTENCE_LEN];
	bool all = true;

	if (o->json && verdict_json(a, o->d.explain)) {
		fail("out of memory");
		return EXIT_FAILED;
	}
	if (!o->json)
		verdict_text(a, o->d.explain);
	if (a->cannot.why) {
		fail("cannot judge: %s", sentence_cannot(&a->cannot, why));
		return EXIT_NO_JUDGEMENT;
	}
	for (size_t i = 0; i < a->n_nodes; i++)
		all &= a->judged[i];
	if (o->exit_code && a->n_incidents)
		return EXIT_INDICTED;
	return o->exit_code && !all ? EXIT_NO_JUDGEMENT : EXIT_DONE;
}

/* The verdict of a method that is trained, or of a baseline. */
static int diagnose(const struct diagnose_opts *o, char *const *paths, size_t n)
{
	struct verdict a;
	int status;

	if (diagnosis_make(&a, &o->d, paths, n))
		return EXIT_FAILED;
	status = print_verdict(&a, o);
	verdict_release(&a);
	return status;
}

/* `robust`: what both ways of diagnosing take is in o->d. */
static int look(struct diagnose_opts *o, char *const *paths, size_t n)
{
	struct verdict a;
	int status;

	o->e.from_ns = o->d.from_ns;
	o->e.to_ns = o->d.to_ns;
	o->e.peers = o->d.peers;
	o->e.threads = o->d.threads;
	o->e.progress = o->d.progress;
	o->e.table = o->d.table;
	o->e.params.explain = o->d.explain;
	if (examine(&o->e, paths, n, &a))
		return EXIT_FAILED;
	status = print_verdict(&a, o);
	verdict_release(&a);
	return status;
}

/* Options of one way of diagnosing make no sense with the other. 0 or -EINVAL after a message. */
static int check(const struct diagnose_opts *o, bool robust)
{
	const struct {
		bool given, robust;
		const char *option;
	} only[] = {
		{o->d.model, false, "model"},	    {o->d.slack > 0, false, "slack"},
		{o->d.votes, false, "votes"},	    {o->d.window, false, "window"},
		{o->d.shift, false, "shift"},	    {o->d.two_sided, false, "two-sided"},
		{o->d.weighted, false, "weighted"}, {o->e.signal, true, "signal"},
		{o->e.given, true, "given"},	    {o->e.floor > 0, true, "floor"},
		{o->e.offsets, true, "offsets"},    {o->e.acknowledged.n, true, "acknowledge"},
	};

	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
		if (only[i].given && only[i].robust != robust) {
			fail("'--%s' is %s the method robust", only[i].option,
			     robust ? "not for" : "for");
			return -EINVAL;
		}
	return 0;
}

static int run(int argc, char **argv)
{
	struct diagnose_opts o = {.d = {.to_ns = INT64_MAX, .threads = 1, .progress = true},
				  .e = EXAMINE_DEFAULT};
	const struct method *chosen[METHODS_MAX + 1];
	int n = options_parse(&cmd_diagnose, &o, argc, argv), status = EXIT_USAGE;
	bool robust;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	robust = o.d.method ? !strcmp(o.d.method, "robust") : !o.d.model;
	if (n < 1)
		fail("a SOURCE is needed (see 'limpet diagnose --help')");
	else if (check(&o, robust))
		status = EXIT_USAGE;
	else if (robust)
		status = look(&o, argv + 1, (size_t)n);
	else if (!methods_parse(o.d.method, chosen))
		status = diagnose(&o, argv + 1, (size_t)n);
	string_list_release(&o.d.table.counters);
	string_list_release(&o.d.table.metrics);
	string_list_release(&o.e.acknowledged);
	return output_finish(status);
}

const struct command cmd_diagnose = {
	.name = "diagnose",
	.args = "[--model FILE] SOURCE…",
	.summary = "names the server that limps, the resource and the cause",
	.options = options,
	.run = run,
};
