// SPDX-License-Identifier: BSD-2-Clause
/* truth.h: any file of labels is refused with a reason, or says who had which fault, and when. */
#include "fuzz.h"

#include <string.h>

#include "analyzer/evaluate/truth.h"

static void check(const struct labelled *l, size_t line)
{
	MUST(l->file && l->line > line);
	MUST(l->source && *l->source);
	MUST(l->cluster && l->workload && l->fault && *l->fault);
	MUST(l->from_ns <= l->to_ns);
	MUST(l->n_nodes <= TRUTH_NODES_MAX);
	MUST(l->n_acting <= TRUTH_NODES_MAX && !(l->n_nodes && l->n_acting));
	for (size_t i = 0; i < l->n_nodes + l->n_acting; i++)
		MUST(*l->nodes[i] && !strpbrk(l->nodes[i], " \t\n"));
	if (!strcmp(l->fault, "none"))
		MUST(!l->n_nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct truth t = {0};
	size_t line = 0;
	int err;

	fuzz_begin();
	err = truth_read(&t, path);
	if (err) {
		fuzz_check_refusal(err);
		MUST(strstr(fuzz_said.last, path));
	}
	MUST(t.n <= TRUTH_RUNS_MAX);
	for (size_t i = 0; i < t.n; i++) {
		check(&t.at[i], line);
		line = t.at[i].line;
	}
	truth_release(&t);
	return 0;
}
