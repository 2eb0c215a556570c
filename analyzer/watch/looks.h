/* SPDX-License-Identifier: BSD-2-Clause */
/* The last look at every signal of every server and disk: what the live view and the metrics show. */
#ifndef LIMPET_WATCH_LOOKS_H
#define LIMPET_WATCH_LOOKS_H

#include "analyzer/engine/robust.h"
#include "userspace/second/second.h"

struct last_look {
	char disk[INSTANCE_LEN]; /* "" of the server; look.disk is of no use here */
	struct observation look;
};

struct looks {
	struct looks_node {
		struct last_look *at;
		size_t n, cap;
	} * nodes;
	size_t n;
	bool failed; /* out of memory: some are missing */
};

void looks_release(struct looks *l); /* takes a zeroed one */
/* For robust_observe(); arg: a struct looks. */
void looks_observe(void *arg, const struct observation *o);
/* Whether the last look is worse than it should be. */
bool looks_odd(const struct observation *o);

#endif
