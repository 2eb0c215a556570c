/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One diagnosis from sources to verdict by the methods of method.h: what `limpet diagnose` prints and
 * `limpet evaluate` scores. (`robust` has its own: engine/examine.h.)
 */
#ifndef LIMPET_DIAGNOSIS_H
#define LIMPET_DIAGNOSIS_H

#include "method.h"
#include "analyzer/verdict/verdict.h"

struct diagnosis_opts {
	const char *method; /* list of methods; NULL: those the model was trained for */
	const char *model;  /* file; NULL: none, if the methods need no training */
	const char *peers;  /* file; NULL: the model's groups; without a model, all are peers */
	int64_t from_ns, to_ns;
	double slack;		    /* 0: the model's */
	unsigned int votes;	    /* 0: the model's */
	unsigned int window, shift; /* without a model; 0: PARAMS_DEFAULT's */
	unsigned int threads;
	bool two_sided, explain, weighted, progress;
	struct table_opts table;
};

/* Options of the commands that diagnose; `base` is the offset of the struct above. */
#define DIAGNOSIS_AT(base, field) ((base) + offsetof(struct diagnosis_opts, field))
#define DIAGNOSIS_OPTIONS(base)                                                                     \
	{0,                                                                                         \
	 "method",                                                                                  \
	 OPT_STRING,                                                                                \
	 DIAGNOSIS_AT(base, method),                                                                \
	 "LIST",                                                                                    \
	 "robust, or any of ratio, hdfs, ceph and, trained, kl, cwnd, ganesha;\n"                   \
	 "                             default: what the model was trained for, without "           \
	 "one robust",                                                                              \
	 0,                                                                                         \
	 0},                                                                                        \
		{0,	   "from",                                                                  \
		 OPT_TIME, DIAGNOSIS_AT(base, from_ns),                                             \
		 "TIME",   "only seconds from this one on",                                         \
		 0,	   0},                                                                      \
		{0,	   "to",                                                                    \
		 OPT_TIME, DIAGNOSIS_AT(base, to_ns),                                               \
		 "TIME",   "only seconds before this one",                                          \
		 0,	   0},                                                                      \
		{0,	     "slack",                                                               \
		 OPT_DOUBLE, DIAGNOSIS_AT(base, slack),                                             \
		 "X",	     "instead of the model's slack",                                        \
		 SLACK_MIN,  SLACK_MAX},                                                            \
		{0,	   "votes",                                                                 \
		 OPT_UINT, DIAGNOSIS_AT(base, votes),                                               \
		 "K",	   "instead of the model's votes",                                          \
		 1,	   VOTES_MAX},                                                              \
		{0,	     "peers",                                                               \
		 OPT_STRING, DIAGNOSIS_AT(base, peers),                                             \
		 "FILE",     "who is compared with whom, a line a group; default: as trained",      \
		 0,	     0},                                                                    \
		{0,	   "two-sided",                                                             \
		 OPT_FLAG, DIAGNOSIS_AT(base, two_sided),                                           \
		 NULL,	   "indict what is better than its peers too",                              \
		 0,	   0},                                                                      \
		{0,	   "weighted",                                                              \
		 OPT_FLAG, DIAGNOSIS_AT(base, weighted),                                            \
		 NULL,	   "ganesha: by the weighted count of alarms, not by alarms in a row",      \
		 0,	   0},                                                                      \
		{0,	     "window",                                                              \
		 OPT_UINT,   DIAGNOSIS_AT(base, window),                                            \
		 "N",	     "without a model: intervals in a window (64)",                         \
		 WINDOW_MIN, WINDOW_MAX},                                                           \
		{0,	   "shift",                                                                 \
		 OPT_UINT, DIAGNOSIS_AT(base, shift),                                               \
		 "N",	   "without a model: intervals between two of them (half a window)",        \
		 1,	   WINDOW_MAX},                                                             \
		{0, "threads", OPT_UINT, DIAGNOSIS_AT(base, threads), "N", "work on N threads (1)", \
		 1, 256},                                                                           \
		TABLE_OPTIONS(DIAGNOSIS_AT(base, table))

/*
 * 0, also where nothing could be judged: `cannot` of the verdict says so then, and if the time asked for holds
 * nothing it has no time. Negative errno after a message otherwise; the verdict is empty then.
 */
int diagnosis_make(struct verdict *v, const struct diagnosis_opts *o, char *const *paths,
		   size_t n_paths);

#endif
