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

size_t robust_sets(const struct robust *r)
{
	return r->n_sets;
}

size_t robust_members(const struct robust *r, size_t set, enum signal *s)
{
	const struct peerset *p = &r->sets[set];

	*s = p->signal;
	return p->class == ANY_CLASS ? 0 : p->panel.n;
}

const struct panel_member *robust_member(const struct robust *r, size_t set, size_t member)
{
	return &r->sets[set].panel.members[member];
}

size_t robust_set_of(const struct robust *r, size_t node, const char *disk, enum signal s)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		enum signal of;
		size_t n = robust_members(r, i, &of);

		for (size_t m = 0; m < n && of == s; m++) {
			const struct panel_member *member = robust_member(r, i, m);

			if (member->node == node && !strcmp(member->disk, disk))
				return i;
		}
	}
	return SIZE_MAX;
}

uint64_t robust_latency(const struct robust *r, size_t set, size_t member, int op,
			enum lat_part part, uint64_t at[LAT_BUCKETS])
{
	return window_histogram(r, r->sets[set].panel.members[member].number, op, part, at);
}
