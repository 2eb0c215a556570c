/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One examination of what jobs' logs say, the entry to this room: states of servers compared with those of their
 * peers, never across the bounds of a cell (states_cells.c). The signals are: how long each kind of state takes; of kinds
 * with two ends this for the server and for the executor (states_ends.c); all that a server does for itself,
 * together (states_together.c); how many of the tasks it gets done (states_share.c); attempts that fail, and attempts that never end (states_counts.c).
 * One signal is judged by one look at the whole log, by one at each job, and over time where the log is
 * long enough (states_judge.c); the chance of naming anybody is shared by all of them.
 */
#ifndef LIMPET_EXAMINE_STATES_H
#define LIMPET_EXAMINE_STATES_H

#include "analyzer/source/logs/states.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/verdict.h"

/* 0, also where nothing could be judged (verdict.cannot); negative errno after a message. */
int examine_states(const struct analysis_opts *o, const struct states *s, struct verdict *a);

#endif
