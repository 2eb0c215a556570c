/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of methods. A method looks at the frame slice by slice and says which nodes are odd; a
 * new one is one file and one row.
 *
 * The driver (passes.c) holds one slice of the grid after the other. A slice begins with `from`, the
 * first column not yet looked at, and ends before `to`; besides, as many columns before and after it
 * are held, where the grid has them, as the methods' context() and a window need. A method of windows
 * looks at those that begin in [from, to), a method of seconds at the seconds in it.
 */
#ifndef LIMPET_METHOD_H
#define LIMPET_METHOD_H

#include "judgement.h"
#include "analyzer/methods/model/model.h"
#include "analyzer/input/peers.h"

/* Fewer peers than this and nobody can be the odd one. */
enum { NODES_MIN = 3 };

struct slice {
	size_t from, to;
};

struct method {
	const char *name, *summary;
	/* What it looks at of those that limpet knows; of a table also what limpet does not know, and
	 * always what was asked for by name: method_looks_at(). */
	const enum metric_id *metrics;
	size_t n_metrics;
	bool per_node; /* what it learns is about single nodes: others cannot be judged */
	bool causes;   /* what it finds are symptoms for the checklist */
	/* Samples it needs before and after a slice. */
	unsigned int (*context)(const struct params *p);
	/*
	 * Training looks at all slices `passes` times (0: needs no training); pass_end follows each
	 * pass. What was learnt is in the model after the last. NULL: errno is ENOMEM.
	 */
	unsigned int passes; /* if 0, what follows up to train_free is NULL */
	void *(*train_new)(const struct peers *peers, struct model *m);
	int (*train_slice)(void *state, struct slice s, unsigned int pass);
	int (*train_pass_end)(void *state, unsigned int pass);
	void (*train_free)(void *state); /* takes NULL */
	/*
	 * Judging: index[i] is the model's number of node i of the whole frame (SIZE_MAX: the model
	 * does not know it). judge_end puts what was found into the judgement. A metric that was
	 * not trained, or that has no data, becomes a row of coverage with nothing judged.
	 */
	void *(*judge_new)(const struct peers *peers, const struct model *m, const size_t *index,
			   struct judgement *j);
	int (*judge_slice)(void *state, struct slice s);
	int (*judge_end)(void *state);
	void (*judge_free)(void *state); /* takes NULL */
};

extern const struct method method_kl, method_cwnd, method_ganesha;
extern const struct method method_ratio, method_hdfs, method_ceph; /* baselines, without training */

/* METHOD_ROBUST is not in the table: it works on series files, not on frames (engine/examine.h). */

/* Ends with NULL. */
extern const struct method *const methods[];

/* NULL if there is none of that name. */
const struct method *method_by_name(const char *name);

/*
 * "kl,cwnd" as a list of rows; NULL text means kl and cwnd, which together are FAST'10. Writes at
 * most as many as there are and a final NULL. 0, or -EINVAL after a message; "robust" is refused, as it
 * is to be caught before.
 */
enum { METHODS_MAX = 8 };
int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1]);

/* Marks in wanted (M_COUNT) what the chosen methods look at; with names asked for, those only. */
void methods_wanted(const struct method *const *chosen, const struct string_list *asked,
		    bool *wanted);

/* Whether the method looks at this metric of a frame. */
bool method_looks_at(const struct method *m, const struct frame_metric *metric);

#endif
