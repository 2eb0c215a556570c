/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts a frame into its groups of peers. */
#include "frame_peers.h"

#include <errno.h>
#include <stdlib.h>

#include "userspace/common/sort.h"

struct member {
	int32_t group;
	size_t node;
};

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return ORDER(x->group, y->group) ?: ORDER(x->node, y->node);
}

static int add_part(struct peers *p, const struct frame *f, const struct member *at, size_t n,
		    size_t *nodes)
{
	for (size_t i = 0; i < n; i++)
		nodes[i] = at[i].node;
	return frame_part(&p->parts[p->n++], f, nodes, n);
}

int peers_of(struct peers *p, const struct frame *f, const int32_t *group)
{
	struct member *at = malloc((f->n_nodes + 1) * sizeof(*at));
	size_t *nodes = malloc((f->n_nodes + 1) * sizeof(*nodes));
	size_t n = 0, parts = 0, end;
	int err = -ENOMEM;

	*p = (struct peers){0};
	if (!at || !nodes)
		goto out;
	for (size_t i = 0; i < f->n_nodes; i++)
		if (!group || group[i] >= 0)
			at[n++] = (struct member){group ? group[i] : 0, i};
	/* Sorted, not counted: the numbers may come from a model, and be any. */
	sort(at, n, by_group);
	for (size_t i = 0; i < n; i++)
		parts += i == 0 || at[i].group != at[i - 1].group;
	p->parts = calloc(parts + 1, sizeof(*p->parts));
	if (!p->parts)
		goto out;
	err = 0;
	for (size_t i = 0; !err && i < n; i = end) {
		for (end = i + 1; end < n && at[end].group == at[i].group;)
			end++;
		err = add_part(p, f, at + i, end - i, nodes);
	}
out:
	free(at);
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
