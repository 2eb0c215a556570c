// SPDX-License-Identifier: BSD-2-Clause
/* Which nodes were not judged by the states of jobs, and why. */
#include "states_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/clock.h"

static struct unjudged why_not(const struct states_job *j, size_t i, const size_t *in)
{
	const struct state_reason *r = &j->reasons[i];
	struct unjudged x = {.node = i, .signal = SIGNAL_ALL};

	if (j->group[i] < 0)
		x.why = UNJUDGED_NO_GROUP;
	else if (in[j->group[i]] < STATES_NODES)
		x.why = UNJUDGED_FEW_SERVERS;
	else if (!r->compared)
		x.why = r->ended ? UNJUDGED_FEW_LIKE : UNJUDGED_NONE_ENDED;
	else if (r->values < STATES_VALUES) {
		x.why = UNJUDGED_FEW_VALUES;
		x.n = r->values;
		x.needed = STATES_VALUES;
		x.window_s = s_of_ns(j->a->to_ns - j->a->from_ns);
	} else {
		x.why = UNJUDGED_FEW_PEERS;
		x.needed = STATES_VALUES;
	}
	return x;
}

int states_unjudged(struct states_job *j)
{
	size_t *in = calloc(j->n_groups + 1, sizeof(*in));
	struct verdict *a = j->a;
	int err = in ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->n_nodes && !err; i++)
		if (j->group[i] >= 0)
			in[j->group[i]]++;
	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct unjudged why = why_not(j, i, in);

		a->judged[i] = j->reasons[i].judged;
		if (!a->judged[i])
			err = verdict_add_unjudged(a, &why);
	}
	free(in);
	if (!err)
		verdict_nobody_judged(a);
	return err;
}
