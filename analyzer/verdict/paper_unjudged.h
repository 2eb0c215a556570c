/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who could not be judged: servers of the model or of the data that had too few windows for a vote,
 * on some metrics or on all. Without this list a server without data would pass for one that does not limp.
 *
 * Counted are the metrics on which somebody was judged; for the others see the coverage.
 */
#ifndef LIMPET_PAPER_UNJUDGED_H
#define LIMPET_PAPER_UNJUDGED_H

#include "judgement.h"
#include "analyzer/methods/model/model.h"

struct paper_unjudged {
	const char *node;  /* the model's or the frame's string */
	const char *why;   /* "no data in this time", … */
	bool partly;	   /* judged on other metrics */
	uint64_t coverage; /* bit i < 64: not judged on judgement.coverage[i] */
};

/*
 * *all gets *n rows, by (partly, coverage, why, node), which the caller frees; those judged on
 * nothing come first. `nothing`: nobody was judged on anything. 0 or -ENOMEM.
 */
int paper_unjudged_list(const struct model *m, const struct frame *f, const struct judgement *j,
			bool nothing, struct paper_unjudged **all, size_t *n);

#endif
