/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: holds one slice of the frame after the other and shows it to every method, so that
 * memory does not grow with the time looked at.
 */
#ifndef LIMPET_PASSES_H
#define LIMPET_PASSES_H

#include "method.h"

/* How much memory a slice may take, in bytes, if one that short holds what the methods need. */
extern size_t passes_slice_bytes;

/* What one run over the frame counts: windows in which NODES_MIN nodes of one group have data in half
 * of the intervals, and intervals in which they have. */
struct passes_seen {
	size_t windows, intervals;
};

/* Each 0, or negative errno after a message. Both look at the whole frame. */
int passes_train(struct frame *f, const struct peers *peers, const struct method *const *chosen,
		 struct model *m, struct passes_seen *seen);
int passes_judge(struct frame *f, const struct peers *peers, const struct method *const *chosen,
		 const struct model *m, const size_t *index, struct judgement *j,
		 struct passes_seen *seen);

#endif
