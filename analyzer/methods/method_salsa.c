// SPDX-License-Identifier: BSD-2-Clause
/* Method `salsa`: its row in the table of methods. */
#include "method.h"
#include "method_states.h"
#include "salsa.h"

static int judge_salsa(struct verdict *v, const struct states *s, const struct state_nodes *nodes,
		       const struct analysis_opts *o)
{
	const struct salsa_opts opts = {
		.threshold = o->threshold > 0 ? o->threshold : SALSA_THRESHOLD,
		.min = o->min_instances ? o->min_instances : SALSA_MIN,
		.window_s = o->window,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.online = o->online,
		.pooled = o->pooled,
		.explain = o->explain,
	};
	struct salsa r;
	int err = salsa_judge(&r, s, nodes->group, &opts) ?: salsa_tell(v, &r, nodes, &opts);

	salsa_release(&r);
	return err;
}

static const char *const heeds[] = {"min", "threshold", "online", "pooled", "window", NULL};

const struct method method_salsa = {
	.name = SALSA_NAME,
	.reads = READS_STATES,
	.words = WORDS_ROBUST,
	.heeds = heeds,
	.make = method_states,
	.judge_states = judge_salsa,
};
