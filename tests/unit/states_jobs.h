/* SPDX-License-Identifier: BSD-2-Clause */
/* States of jobs for tests: a small cluster, on which a scheduler hands out tasks to the slot that is free first. */
#ifndef LIMPET_STATES_JOBS_H
#define LIMPET_STATES_JOBS_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/engine/states/examine_states.h"
#include "analyzer/stat/rng.h"
#include "userspace/common/array.h"

enum { JOB_NODES = 6, JOB_SLOTS = 2 };
#define JOB_T0 ((int64_t)1700000000 * 1000000000)

static struct states states;
static struct verdict verdict;
static struct rng noise;
static double slow[JOB_NODES]; /* durations, times this */

static uint32_t name_of(struct names *n, const char *prefix, size_t i)
{
	char s[32];

	snprintf(s, sizeof(s), "%s%zu", prefix, i);
	return (uint32_t)names_add(n, s);
}

static int start_jobs(void **arg)
{
	(void)arg;
	states = (struct states){0};
	rng_seed(&noise, 16);
	for (size_t i = 0; i < JOB_NODES; i++) {
		name_of(&states.nodes, "n", i);
		slow[i] = 1;
	}
	return 0;
}

static int end_jobs(void **arg)
{
	(void)arg;
	states_release(&states);
	verdict_release(&verdict);
	verdict = (struct verdict){0};
	return 0;
}

/* Each has its entry among the jobs, too. */
static uint32_t job_of(size_t job)
{
	size_t had = states.jobs.n;
	uint32_t number = name_of(&states.jobs, "job", job);

	if (states.jobs.n > had)
		assert_int_equal(array_extend(&states.job, had, had + 1), 0);
	return number;
}

/* One state, from start_s to end_s after the beginning. */
static struct state *add_state(enum state_kind kind, size_t node, size_t job, double start_s,
			       double end_s)
{
	struct state *x = array_add(&states.at, &states.n);

	assert_non_null(x);
	*x = (struct state){.kind = (uint8_t)kind,
			    .node = (uint32_t)node,
			    .peer = STATE_NONE,
			    .job = job == STATE_NONE ? STATE_NONE : job_of(job),
			    .id = name_of(&states.ids, "t", states.n),
			    .cls = STATE_NONE,
			    .in = STATE_NONE,
			    .out = STATE_NONE,
			    .bytes = 1 << 26,
			    .records = -1,
			    .progress = NAN,
			    .cpu_s = NAN,
			    .memory_mib = NAN,
			    .start_ns = JOB_T0 + (int64_t)(start_s * 1e9),
			    .end_ns = JOB_T0 + (int64_t)(end_s * 1e9)};
	return x;
}

static double task_seconds(double usual_s, size_t node)
{
	return usual_s * slow[node] * exp(0.2 * rng_normal(&noise));
}

/* Tasks of one job, handed out greedily to 2 slots of each node; when the last one ends. */
static double run_tasks(enum state_kind kind, size_t job, size_t n, double usual_s, double from_s)
{
	double free_s[JOB_NODES * JOB_SLOTS], last = from_s;

	for (size_t i = 0; i < JOB_NODES * JOB_SLOTS; i++)
		free_s[i] = from_s;
	for (size_t t = 0; t < n; t++) {
		size_t slot = 0;
		double end;

		for (size_t i = 1; i < JOB_NODES * JOB_SLOTS; i++)
			slot = free_s[i] < free_s[slot] ? i : slot;
		end = free_s[slot] + task_seconds(usual_s, slot / JOB_SLOTS);
		add_state(kind, slot / JOB_SLOTS, job, free_s[slot], end);
		free_s[slot] = end;
		last = end > last ? end : last;
	}
	return last;
}

static void judge(void)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;

	verdict_release(&verdict);
	assert_int_equal(examine_states(&o, &states, &verdict), 0);
}

/* This one is indicted, or nobody (NULL), and nobody else is so much as suspicious. */
static inline void only(const char *node)
{
	if (verdict.n_incidents != (node ? 1 : 0))
		fail_msg("%zu indicted or suspicious, the first is %s", verdict.n_incidents,
			 verdict.n_incidents ? verdict.nodes[verdict.incidents[0].node] : "nobody");
	if (!node)
		return;
	assert_string_equal(verdict.nodes[verdict.incidents[0].node], node);
	assert_int_equal(verdict.incidents[0].suspicion, SUSPICION_NONE);
}

/* The word of the first incident's signal. */
static inline const char *signal_word(void)
{
	return verdict.signals[verdict.incidents[0].detail.signal].word;
}

#endif
