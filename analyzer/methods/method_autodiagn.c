// SPDX-License-Identifier: BSD-2-Clause
/* Method `autodiagn`: its row in the table of methods. */
#include "autodiagn.h"
#include "method.h"
#include "method_states.h"

static int judge_autodiagn(struct verdict *v, const struct states *s,
			   const struct state_nodes *nodes, const struct analysis_opts *o)
{
	struct autodiagn_opts opts = {.from_ns = o->from_ns, .to_ns = o->to_ns};
	struct hardware_file *hardware = NULL;
	struct autodiagn r = {0};
	int err = o->hardware ? hardware_load(&hardware, o->hardware) : 0;

	opts.hardware = hardware;
	err = err ?: autodiagn_replay(&r, s, &opts);
	err = err ?: autodiagn_tell(v, s, &r, nodes, hardware != NULL);
	autodiagn_release(&r);
	hardware_free(hardware);
	return err;
}

static const char *const heeds[] = {"hardware", NULL};

const struct method method_autodiagn = {
	.name = AUTODIAGN_NAME,
	.reads = READS_STATES,
	.words = WORDS_ROBUST,
	.heeds = heeds,
	.make = method_states,
	.judge_states = judge_autodiagn,
};
