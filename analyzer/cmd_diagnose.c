// SPDX-License-Identifier: BSD-2-Clause
/* limpet diagnose: compares the servers and says which one limps, and why. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "output.h"

struct diagnose_opts {
	struct diagnosis_opts d;
	bool json, exit_code;
};

#define AT(field) offsetof(struct diagnose_opts, field)

static const struct option_def options[] = {
	{'M', "model", OPT_STRING, AT(d.model), "FILE", "what 'limpet train' wrote (needed)", 0, 0},
	DIAGNOSIS_OPTIONS(AT(d)),
	{'j', "json", OPT_FLAG, AT(json), NULL, "one JSON object", 0, 0},
	{0, "explain", OPT_FLAG, AT(d.explain), NULL, "with every node, metric and window", 0, 0},
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
		       output_time(e->from_ns, at), frame_metric(v->frame, e->metric)->name,
		       e->mean, e->peers, e->score, e->threshold, e->above, names[e->verdict],
		       v->frame->nodes[e->node]);
	}
}

static int print(const struct diagnosis *d, const struct diagnose_opts *o)
{
	const struct verdict *v = &d->verdict;

	if (!o->json) {
		table_report(&d->sources.table, stdout);
		verdict_text(v);
	}
	if (o->json && verdict_json(v, &d->sources.table)) {
		fail("out of memory");
		return EXIT_FAILED;
	}
	if (v->cannot) {
		fail("cannot judge: %s", v->cannot);
		return EXIT_NO_JUDGEMENT;
	}
	if (!o->json && o->d.explain)
		explain_text(v);
	if (o->exit_code && v->n_indicted)
		return EXIT_INDICTED;
	return o->exit_code && verdict_incomplete(v) ? EXIT_NO_JUDGEMENT : EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct diagnose_opts o = {.d = {.to_ns = INT64_MAX, .threads = 1, .progress = true}};
	const struct method *chosen[METHODS_MAX + 1];
	int n = options_parse(&cmd_diagnose, &o, argc, argv), status = EXIT_FAILED;
	struct diagnosis d;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1 || !o.d.model) {
		fail("%s is needed (see 'limpet diagnose --help')",
		     n < 1 ? "a SOURCE" : "--model FILE");
		status = EXIT_USAGE;
	} else if (methods_parse(o.d.method, chosen)) {
		status = EXIT_USAGE;
	} else if (!diagnosis_make(&d, &o.d, argv + 1, (size_t)n)) {
		status = print(&d, &o);
		diagnosis_release(&d);
	}
	string_list_release(&o.d.table.counters);
	string_list_release(&o.d.table.metrics);
	return output_finish(status);
}

const struct command cmd_diagnose = {
	.name = "diagnose",
	.args = "--model FILE SOURCE…",
	.summary = "names the server that limps, the metric and the cause",
	.options = options,
	.run = run,
};
