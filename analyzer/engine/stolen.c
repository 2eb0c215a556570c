// SPDX-License-Identifier: BSD-2-Clause
/*
 * Servers that are guests, from which other guests of their hosts take the processors: what they serve
 * comes late, and what they measure of disks is stretched as well. Through that a fault is hard to see,
 * so it is said beside a verdict.
 */
#include <math.h>
#include <stdio.h>

#include "inside.h"

/* So long in a row: more than a burst [D]. */
#define STOLEN_S 80

static int tell(struct robust *r, int64_t to_ns)
{
	const struct stolen *s = &r->stolen;
	struct notice m = {.kind = NOTICE_STOLEN,
			   .node = SIZE_MAX,
			   .from_ns = s->from_ns,
			   .to_ns = to_ns,
			   .servers = s->servers,
			   .of = s->of,
			   .most = s->node,
			   .share = s->most};

	return track_notice(r->track, &m);
}

int stolen_update(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct stolen *s = &r->stolen;
	size_t here = 0, servers = 0, node = 0;
	double most = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		double x = r->nodes[i].present ? window_number(r, SIG_STEAL, i) : NAN;

		here += !isnan(x);
		servers += x >= STOLEN_MIN;
		if (x > most) {
			most = x;
			node = i;
		}
	}
	/* where nobody says anything, nothing is known: it may go on after that */
	if (!here)
		return 0;
	if (!servers) {
		*s = (struct stolen){0};
		return 0;
	}
	if (!s->intervals++)
		s->from_ns = from_ns;
	if (servers > s->servers)
		s->servers = servers;
	if (here > s->of)
		s->of = here;
	if (most > s->most) {
		s->most = most;
		s->node = node;
	}
	return s->intervals * r->p.interval_s < STOLEN_S ? 0 : tell(r, to_ns);
}
