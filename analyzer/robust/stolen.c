// SPDX-License-Identifier: BSD-2-Clause
/*
 * Servers that are guests, from which other guests of their hosts take the processors: what they serve
 * comes late, and what they measure of disks is stretched as well. Through that a fault is hard to see, so it
 * is said beside a verdict.
 */
#include <stdio.h>

#include "inside.h"
#include "rules_parts.h"

/* So many windows in a row, a minute: more than a burst of one or two hops is in [D]. */
enum { STOLEN_WINDOWS = 6 };

int stolen_update(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct remark m = {REMARK_STOLEN, SIZE_MAX, "", 0, to_ns, false};
	struct stolen now = {.windows = r->stolen.windows + 1, .from_ns = r->stolen.from_ns};
	size_t servers = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		double x;

		if (!node_present(r, i))
			continue;
		servers++;
		x = value_number(r, SIG_STEAL, i);
		if (!(x >= rule_bound.stolen))
			continue;
		now.servers++;
		if (x > now.most) {
			now.most = x;
			now.node = i;
		}
	}
	if (!now.servers) {
		r->stolen = (struct stolen){0};
		return 0;
	}
	if (now.windows == 1)
		now.from_ns = from_ns;
	r->stolen = now;
	if (now.windows < STOLEN_WINDOWS)
		return 0;
	m.from_ns = now.from_ns;
	snprintf(m.text, sizeof(m.text),
		 "other guests take the processors of servers, on %zu of %zu for a fifth of the "
		 "time or "
		 "more, most on %s (%.0f %%): a fault is hard to see through that",
		 now.servers, servers, r->nodes[now.node].name, now.most);
	return remark_add(r, &m);
}
