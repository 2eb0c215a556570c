// SPDX-License-Identifier: BSD-2-Clause
/* Stories: cases of one server that follow each other closely, for one cause, are told as one. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "userspace/common/clock.h"

/* No further apart than this. */
#define SAME_NS (600 * NS_PER_S)

struct incident story_told(const struct node_case *c)
{
	struct incident x = c->incident;

	x.decided_ns = c->indicted_ns;
	x.last_ns = c->last_ns;
	x.open = !c->closed;
	x.held = x.open;
	for (size_t i = 0; i < x.n_findings; i++) {
		if (x.findings[i].symptom)
			continue;
		x.chronic |= x.findings[i].chronic;
		x.held &= x.findings[i].held;
	}
	return x;
}

bool story_goes_on(const struct incident *was, const struct incident *x)
{
	return was->node == x->node && was->cause == x->cause &&
	       x->onset_ns - was->last_ns <= SAME_NS;
}

double story_strength(const struct incident *x)
{
	return x->n_findings ? x->findings[0].z : 0;
}

void story_join(struct incident *to, struct incident *x)
{
	struct incident was = *to;
	bool stronger = story_strength(x) > story_strength(to);

	if (stronger)
		*to = *x;
	free(stronger ? was.findings : x->findings);
	x->findings = NULL;
	to->onset_ns = was.onset_ns;
	to->decided_ns = was.decided_ns;
	to->last_ns = was.last_ns > x->last_ns ? was.last_ns : x->last_ns;
	to->open = x->open;
	to->held = x->held;
	to->chronic = was.chronic || x->chronic;
}
