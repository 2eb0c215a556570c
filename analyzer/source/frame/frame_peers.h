/* SPDX-License-Identifier: BSD-2-Clause */
/* A frame cut into its groups of peers. */
#ifndef LIMPET_FRAME_PEERS_H
#define LIMPET_FRAME_PEERS_H

#include "frame.h"

/* The groups of one frame: a part for each group that has any of its nodes, in order. */
struct peers {
	size_t n;
	struct frame *parts;
};

/* group: n_nodes of f, as peers_group() gives them; NULL: all are peers. 0 or -ENOMEM. */
int peers_of(struct peers *p, const struct frame *f, const int32_t *group);
void peers_release(struct peers *p); /* takes a zeroed one */

#endif
