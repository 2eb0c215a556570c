// SPDX-License-Identifier: BSD-2-Clause
/* For those who draw what the engine sees: its looks, who is compared with whom, and distributions. */
#include "inside.h"

#include <string.h>

void robust_observe(struct robust *r, void (*fn)(void *arg, const struct observation *o), void *arg)
{
	r->p.explain = false;
	r->observe = fn;
	r->observe_arg = arg;
}

void robust_history(struct robust *r, struct track_history *h)
{
	r->history = h;
}

const struct panel *robust_panel(const struct robust *r, size_t i)
{
	return i < r->n_sets ? &r->sets[i].panel : NULL;
}

size_t robust_panel_of(const struct robust *r, size_t node, const char *disk, enum signal s)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;

		for (size_t m = 0; m < p->n && p->o.signal == s && !p->o.hidden; m++)
			if (p->members[m].node == node && !strcmp(p->members[m].disk, disk))
				return i;
	}
	return SIZE_MAX;
}

uint64_t robust_latency(const struct robust *r, size_t panel, size_t member, int op,
			enum lat_part part, uint64_t at[LAT_BUCKETS])
{
	return window_histogram(r, r->sets[panel].panel.members[member].number, op, part, at);
}
