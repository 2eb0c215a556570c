// SPDX-License-Identifier: BSD-2-Clause
/* Scenes: what the rules are shown of all servers, out of the intervals that are kept. */
#include <errno.h>
#include <stdlib.h>

#include "inside.h"

void scene_free(struct scene_node *nodes, size_t n)
{
	for (size_t i = 0; nodes && i < n; i++)
		interval_release(&nodes[i].now), interval_release(&nodes[i].before);
	free(nodes);
}

bool is_silent(const struct robust *r, size_t node)
{
	for (unsigned int b = 0; b < r->p.window_intervals; b++)
		if (node_interval(r, node, b))
			return false;
	return true;
}

int scene_of(const struct robust *r, int64_t onset, struct scene_node **out)
{
	struct scene_node *nodes = calloc(r->n_nodes + 1, sizeof(*nodes));
	unsigned int since = r->p.window_intervals;
	int err = nodes ? 0 : -ENOMEM;

	/* a window that began before it has the healthy time in it, too */
	while (since > 1 && r->next_ns - (int64_t)since * interval_ns(r) < onset)
		since--;
	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		const struct node *n = &r->nodes[i];

		nodes[i].name = n->name;
		nodes[i].group = n->group;
		nodes[i].own_cgroups = (const char *const *)n->own;
		nodes[i].n_own = n->n_own;
		for (size_t d = 0; d < n->n_disks; d++)
			nodes[i].flash |= r->disks[n->disks[d]].flash;
		nodes[i].silent = n->seen && is_silent(r, i);
		err = interval_copy(&nodes[i].before, &n->before);
		for (unsigned int b = 0; b < RING_INTERVALS && !err; b++) {
			const struct interval *h = node_interval(r, i, b);
			bool now = h && (h->from_ns >= onset || b < since);

			if (h)
				err = interval_merge(now ? &nodes[i].now : &nodes[i].before, h);
		}
	}
	if (err) {
		scene_free(nodes, r->n_nodes);
		nodes = NULL;
	}
	*out = nodes;
	return err;
}

int scene_sizes(const struct robust *r, const struct incident *a, struct scene_node *nodes)
{
	const struct scene s = {
		.nodes = nodes, .n_nodes = r->n_nodes, .interval_s = r->p.interval_s};
	unsigned int w = r->p.window_intervals;
	const struct interval **at = calloc(r->n_nodes * w + 1, sizeof(*at));
	const char *disk = rules_disk(&s, a);
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->n_nodes && !err; i++)
		for (unsigned int b = 0; b < w; b++)
			at[i * w + b] = node_interval(r, i, b);
	if (!err && *disk)
		err = rules_sizes(&s, a->node, disk, at, w, nodes[a->node].size_ratio);
	if (!err)
		err = rules_equal_load(&s, a->node, disk, at, w, nodes[a->node].equal_load);
	free(at);
	return err;
}
