/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vectors of method `ganesha`, second by second: some metrics of all nodes of a group, with
 * short gaps filled (lwlr.h). The text of the paper fills before it takes logarithms, its Fig. 7
 * after; we follow the text [D].
 */
#ifndef LIMPET_GANESHA_SECONDS_H
#define LIMPET_GANESHA_SECONDS_H

#include "analyzer/source/frame/frame.h"

struct ganesha_seconds {
	const struct frame *f;
	size_t d;
	const size_t *metric; /* d: of the frame */
	double *raw;	/* cap x n_nodes x d, in the metrics' own units: ganesha_seconds_at() */
	double *line;	/* cap */
	size_t at, cap; /* columns [at, at + cap) are filled, or less at the end */
};

/* Metrics (d of them) by their numbers, which stay the caller's. 0 or -ENOMEM. */
int ganesha_seconds_init(struct ganesha_seconds *s, const struct frame *part, const size_t *metric,
			 size_t d);
void ganesha_seconds_release(struct ganesha_seconds *s); /* takes a zeroed one */

/* Fills columns from `from` on, which must be held with LWLR_REACH columns around; returns the end
 * of what was filled: more than `from`, at most `to`. */
size_t ganesha_seconds_fill(struct ganesha_seconds *s, size_t from, size_t to);

/* One second: n_nodes x d, NaN missing. */
static inline const double *ganesha_seconds_at(const struct ganesha_seconds *s, size_t column)
{
	return s->raw + (column - s->at) * s->f->n_nodes * s->d;
}

#endif
