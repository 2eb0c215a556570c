// SPDX-License-Identifier: BSD-2-Clause
/* Stories: cases of one server that follow each other closely, for one cause, are told as one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "userspace/common/clock.h"

/* No further apart than this: what comes every hour is one trouble, last night's is another. */
#define SAME_NS (7200 * NS_PER_S)

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
	return was->node == x->node && was->cause == x->cause && !was->suspicious &&
	       !x->suspicious && x->onset_ns - was->last_ns <= SAME_NS;
}

double story_strength(const struct incident *x)
{
	return x->n_findings ? x->findings[0].z : 0;
}

void story_join(struct incident *to, struct incident *x)
{
	struct incident was = *to;
	double there = was.duty * (double)(was.last_ns - was.onset_ns) +
		       x->duty * (double)(x->last_ns - x->onset_ns);
	size_t times = was.times + x->times;
	bool stronger = story_strength(x) > story_strength(to);

	if (stronger)
		*to = *x;
	free(stronger ? was.findings : x->findings);
	x->findings = NULL;
	to->onset_ns = was.onset_ns;
	to->decided_ns = was.decided_ns;
	to->last_ns = was.last_ns > x->last_ns ? was.last_ns : x->last_ns;
	to->times = times;
	to->duty = to->last_ns > to->onset_ns
			   ? fmin(1, there / (double)(to->last_ns - to->onset_ns))
			   : 1;
	to->open = x->open;
	to->held = x->held;
	to->chronic = was.chronic || x->chronic;
}
