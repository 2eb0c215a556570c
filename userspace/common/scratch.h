/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scratch memory: the arrays that a piece of work needs, released together when it is done.
 *
 *	struct scratch room SCRATCH_SCOPED = {0};
 *	double *some = scratch_array(&room, n, sizeof(*some));
 *	size_t *first = scratch_array(&room, n + 1, sizeof(*first));
 *
 *	if (room.failed)
 *		return -ENOMEM;
 *
 * Nobody asks each array whether there was memory: `failed` remembers the first that had none, and is asked before any of
 * them is used.
 */
#ifndef LIMPET_SCRATCH_H
#define LIMPET_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

struct scratch {
	struct scratch_piece *last;
	bool failed;
};

/* Of a local variable: it is released where its block ends. */
#define SCRATCH_SCOPED __attribute__((cleanup(scratch_release)))
/* Frees all arrays, and leaves an empty one that has not failed. */
void scratch_release(struct scratch *s);

/* n elements, zeroed; of none an address, too. NULL: out of memory, or a size beyond size_t. */
void *scratch_array(struct scratch *s, size_t n, size_t size);

#endif
