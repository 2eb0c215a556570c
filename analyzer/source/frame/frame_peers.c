/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts a frame into its groups of peers. */
#include "frame_peers.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/sort.h"

COMPARISON_WITH(by_group, size_t, int32_t, ORDER(with[*a], with[*b]) ?: ORDER(*a, *b))

/* Where the group of nodes[from] ends. */
static size_t group_end(const int32_t *group, const size_t *nodes, size_t n, size_t from)
{
	while (from + 1 < n && (!group || group[nodes[from + 1]] == group[nodes[from]]))
		from++;
	return from + 1;
}

int peers_of(struct peers *p, const struct frame *f, const int32_t *group)
{
	size_t *nodes = malloc((f->n_nodes + 1) * sizeof(*nodes));
	size_t n = 0, parts = 0, end;
	int err;

	*p = (struct peers){0};
	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_nodes; i++)
		if (!group || group[i] >= 0)
			nodes[n++] = i;
	/* Sorted, not counted: the numbers may come from a model, and be any. */
	if (group)
		sort_with(nodes, n, by_group, (void *)group);
	for (size_t i = 0; i < n; i = group_end(group, nodes, n, i))
		parts++;
	p->parts = calloc(parts + 1, sizeof(*p->parts));
	err = p->parts ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < n; i = end) {
		end = group_end(group, nodes, n, i);
		err = frame_part(&p->parts[p->n++], f, nodes + i, end - i);
	}
	free(nodes);
	if (err)
		peers_release(p);
	return err;
}

void peers_release(struct peers *p)
{
	for (size_t i = 0; i < p->n; i++)
		frame_release(&p->parts[i]);
	free(p->parts);
	*p = (struct peers){0};
}
