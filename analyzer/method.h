/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of methods. A method looks at the frame and says which nodes are odd; a new one is one
 * file and one row.
 */
#ifndef LIMPET_METHOD_H
#define LIMPET_METHOD_H

#include "frame.h"
#include "judgement.h"
#include "model.h"

/* Fewer peers than this and nobody can be the odd one. */
enum { NODES_MIN = 3 };

struct method {
	const char *name, *summary;
	const enum metric_id *metrics; /* what it looks at */
	size_t n_metrics;
	/* Adds its rows to the model; NULL if it needs no training. 0 or -ENOMEM. */
	int (*train)(const struct frame *f, struct model *m);
	/*
	 * Judges every window of the frame; index[i] is the model's number of node i. A metric that
	 * was not trained, or that has no data, becomes a row of coverage with nothing judged.
	 * 0 or -ENOMEM.
	 */
	int (*judge)(const struct frame *f, const struct model *m, const size_t *index,
		     struct judgement *j);
};

extern const struct method method_kl, method_cwnd;

/* Ends with NULL. */
extern const struct method *const methods[];

/* NULL if there is none of that name. */
const struct method *method_by_name(const char *name);

/*
 * "kl,cwnd" as a list of rows; NULL text means all that can be trained. Writes at most as many as
 * there are and a final NULL. 0, or -EINVAL after a message.
 */
enum { METHODS_MAX = 8 };
int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1]);

/* Marks in wanted (M_COUNT) what the chosen methods look at. */
void methods_wanted(const struct method *const *chosen, bool *wanted);

#endif
