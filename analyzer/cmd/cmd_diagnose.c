// SPDX-License-Identifier: BSD-2-Clause
/* limpet diagnose: compares the servers and says which one limps, and why. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/methods/method.h"
#include "analyzer/output/colours.h"
#include "analyzer/output/verdict_print.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"

struct diagnose_opts {
	struct analysis_opts a;
	bool json, exit_code, quiet;
	const char *color;
};

#define AT(field) offsetof(struct diagnose_opts, field)

static const struct option_def options[] = {
	ANALYSIS_METHOD(AT(a), METHOD_NAMES),
	ANALYSIS_SOURCES(AT(a)),
	ANALYSIS_INTERVALS(AT(a)),
	ANALYSIS_COLUMNS(AT(a)),
	ANALYSIS_FRAMES(AT(a)),
	ANALYSIS_STATES(AT(a)),
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0, "explain", OPT_FLAG, AT(a.explain), NULL, "with every node, metric and window", 0, 0},
	{0, "exit-code", OPT_FLAG, AT(exit_code), NULL,
	 "status 3: a server is indicted; 5: none is, one is suspicious; 4: neither, some\n"
	 "                             were not judged (without it too: none could be); 6: one\n"
	 "                             is unproven",
	 0, 0},
	{'q', "quiet", OPT_FLAG, AT(quiet), NULL,
	 "print nothing; the status tells, as with --exit-code", 0, 0},
	COLOUR_OPTION(AT(color)),
	ANALYSIS_LOCAL_TIME,
	{0},
};

static int print_verdict(const struct verdict *a, const struct diagnose_opts *o)
{
	struct text why TEXT_SCOPED = {0};

	if (o->json && verdict_json(a, o->a.explain)) {
		fail("out of memory");
		return EXIT_FAILED;
	}
	if (!o->json && !o->quiet)
		verdict_text(a, o->a.explain);
	if (a->cannot.why)
		fail("cannot judge: %s", sentence_cannot(&why, &a->cannot));
	return verdict_exit(a, o->exit_code || o->quiet);
}

static int diagnose(const struct diagnose_opts *o, const struct method *const *chosen,
		    char *const *paths, size_t n)
{
	struct verdict a;
	int status;

	if (methods_make(&a, chosen, &o->a, paths, n))
		return EXIT_FAILED;
	status = print_verdict(&a, o);
	verdict_release(&a);
	return status;
}

static int run_diagnose(int argc, char **argv)
{
	struct diagnose_opts o = {.a = ANALYSIS_DEFAULT};
	const struct method *chosen[METHODS_MAX + 1];
	size_t n;
	int status = options_words(&cmd_diagnose, &o, argc, argv, "a SOURCE", &n);

	o.a.progress = !o.quiet;
	if (n &&
	    (colours_choose(o.color) ||
	     options_exclude("quiet", (const char *const[]){"json", "explain", "color", NULL})))
		status = EXIT_USAGE;
	else if (n && !methods_choose(&o.a, chosen))
		status = diagnose(&o, chosen, argv + 1, n);
	options_release(&cmd_diagnose, &o);
	return output_finish(status);
}

const struct command cmd_diagnose = {
	.name = "diagnose",
	.args = "[--model FILE] SOURCE…",
	.summary = "names the server that limps, the resource and the cause",
	.options = options,
	.run = run_diagnose,
};
