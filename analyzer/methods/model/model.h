/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model: what training learnt, as one JSON file.
 *
 *   {
 *     "format": "limpet-model", "version": 2, "tool": "limpet 0.1",
 *     "interval_ms": 1000,
 *     "from_ns": …, "to_ns": …, "windows": 41,      training time (wall clock) and its windows
 *     "params": {"smooth": 5, "window": 64, "shift": 32, "bins": 10, "votes": 3,
 *                "cwnd_smooth": 31, "partition": 0, "slack": 1.0, "t_min": 0.703},
 *     "nodes": ["gfs1", …],                         ascending
 *     "groups": [0, 0, 1, …],                       of each node; -1: in none
 *     "methods": {
 *       "kl":   {"await": {"windows": 41, "trained": [0.81, …]}, …},
 *       "cwnd": {"cwnd-ln": {"windows": 41, "trained": [0.93, …]}},
 *       "ganesha": {…}                              see model_ganesha.c
 *     }
 *   }
 *
 * "trained" has one number per node, null where the node was never judged in training; what it
 * means is the method's: for kl the largest k-th largest divergence, for cwnd the lowest ratio to
 * the median. Slack is applied when judging, so that it can be changed without training again.
 * A metric of a table that was the rate of a counter (--counter) has "counter": true as well.
 * Anything unknown, missing, of another type or out of range is refused, and so are other versions.
 */
#ifndef LIMPET_MODEL_H
#define LIMPET_MODEL_H

#include "analyzer/source/frame/frame.h"
#include "params.h"

enum { MODEL_VERSION = 2, TRAINED_MAX = 8 * FRAME_METRICS_MAX };

/* What one method learnt about one metric. */
struct trained {
	const char *method; /* a method's own name */
	char metric[METRIC_NAME_LEN];
	size_t windows; /* in which at least three nodes could be judged */
	double *value;	/* n_nodes; NaN: never judged */
	bool counter;	/* the rate of a counter of a table */
};

struct model {
	struct params params;
	unsigned int interval_ms;
	int64_t from_ns, to_ns;
	size_t n_windows;
	size_t n_nodes;
	char (*nodes)[HOST_LEN];
	int32_t *group; /* n_nodes: peers of each other; -1: in no group */
	struct trained *trained;
	size_t n_trained;
	struct ganesha *ganesha; /* NULL: not trained; owned */
};

/* Takes nodes, interval and span from the frame, the groups from `group` (n_nodes; NULL: one). 0 or
 * -ENOMEM. */
int model_init(struct model *m, const struct frame *f, const int32_t *group,
	       const struct params *p);
void model_release(struct model *m); /* takes a zeroed one */

/* A new row, every value NaN; NULL with errno ENOMEM. Valid until the next call. */
struct trained *model_add(struct model *m, const char *method, const char *metric);

/* NULL if this was not trained. */
const struct trained *model_find(const struct model *m, const char *method, const char *metric);

/* Marks what the frame says is the rate of a counter: after training. */
void model_mark_counters(struct model *m, const struct frame *f);

/* 0, or negative errno after a message. The file is replaced in one step. */
int model_save(const struct model *m, const char *path);

/* A method that is trained, by its name: the constant string of that name, and whether what it learns are
 * profiles (a struct ganesha); NULL: there is none. */
typedef const char *model_method_fn(const char *name, bool *profiles);
int model_load(struct model *m, const char *path, model_method_fn *method);

/*
 * Whether the frame can be judged with this model: the same interval, every metric that was
 * trained (of series files: those that limpet knows are there; not with metrics asked for by name),
 * and, if per_node, no host the model does not know. Hosts that are missing are no error: the caller
 * may warn. On success *index, which the caller frees, has the model's number of each of the frame's
 * nodes, SIZE_MAX for those it does not know. 0, or negative errno after a message.
 */
int model_fit(const struct model *m, const struct frame *f, bool per_node, size_t **index);

#endif
