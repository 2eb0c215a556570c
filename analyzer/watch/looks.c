// SPDX-License-Identifier: BSD-2-Clause
/* looks.h: the last look at everything. */
#include "looks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

void looks_release(struct looks *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->nodes[i].at);
	free(l->nodes);
	*l = (struct looks){0};
}

bool looks_odd(const struct observation *o)
{
	return o->worse || o->level != EVIDENCE_NONE;
}

static struct looks_node *node_at(struct looks *l, size_t node)
{
	if (array_extend(&l->nodes, l->n, node + 1))
		return NULL;
	if (node >= l->n)
		l->n = node + 1;
	return &l->nodes[node];
}

static struct last_look *find_last_look(struct looks_node *n, enum signal s, const char *disk)
{
	struct last_look *more;

	for (size_t i = 0; i < n->n; i++)
		if (n->at[i].look.signal == s && !strcmp(n->at[i].disk, disk))
			return &n->at[i];
	more = array_refill(&n->at, &n->n, &n->cap);
	if (!more)
		return NULL;
	snprintf(more->disk, sizeof(more->disk), "%s", disk);
	return more;
}

void looks_observe(void *arg, const struct observation *o)
{
	struct looks *l = arg;
	struct looks_node *n = node_at(l, o->node);
	struct last_look *at = n ? find_last_look(n, o->signal, o->disk) : NULL;

	if (!at) {
		l->failed = true;
		return;
	}
	at->look = *o;
}
