// SPDX-License-Identifier: BSD-2-Clause
/*
 * What holds of a straggler and may be why, in the order in which it explains: a server that fails explains all that is
 * slow on it, data of other servers less. They exclude nothing; a job's shares are said beside those of all its tasks.
 */
#include <math.h>

#include "stragglers.h"
#include "task_facts.h"
#include "userspace/common/clock.h"

#define SKEW 1.5 /* times the volume of its cell's median: as much as makes a straggler */
/* And no more than this the time for as much: the ratio that indicts a server. */
#define SKEW_RATE 1.3
/* Of one trouble, if no further apart, as in fusion. */
#define APART_NS (60 * NS_PER_S)

static const struct state *state_of(const struct stragglers *g, const struct found_task *t)
{
	return &g->s->at[t->state];
}

/* What is known of its server while it ran; NULL. */
static const struct incident *against(const struct stragglers *g, const struct found_task *t,
				      bool failed)
{
	const struct state *x = state_of(g, t);

	for (size_t i = 0; i < g->v->n_incidents; i++) {
		const struct incident *in = &g->v->incidents[i];
		bool fails = in->cause == CAUSE_HUNG || in->cause == CAUSE_FAILING;

		if (in->node == t->node && in->suspicion == SUSPICION_NONE && fails == failed &&
		    in->onset_ns <= x->end_ns + APART_NS && x->start_ns <= in->last_ns + APART_NS)
			return in;
	}
	return NULL;
}

static bool judged(const struct stragglers *g, const struct found_task *t)
{
	return t->node < g->v->n_nodes && g->v->judged[t->node];
}

static bool node_failed(const struct stragglers *g, const struct found_task *t)
{
	return against(g, t, true) || state_of(g, t)->lost || state_of(g, t)->gone;
}

static bool node_limps(const struct stragglers *g, const struct found_task *t)
{
	return against(g, t, false);
}

/* ---- its data ------------------------------------------------------------------------------------------------ */

static bool has_volume(const struct stragglers *g, const struct found_task *t)
{
	return !isnan(task_volume(state_of(g, t)));
}

/* Beside the medians of its cell: how much, and how long for as much. */
static bool skewed(const struct stragglers *g, const struct found_task *t)
{
	double own = task_volume(state_of(g, t));

	if (isnan(own) || !(t->usual_volume > 0) || own < SKEW * t->usual_volume)
		return false;
	return t->takes_s / own <= SKEW_RATE * t->usual_s / t->usual_volume;
}

/* ---- its processor time ---------------------------------------------------------------------------------------- */

static bool knows_cpu(const struct stragglers *g, const struct found_task *t)
{
	return state_of(g, t)->cpu_s > 0 && t->usual_cpu_s > 0;
}

static bool computes(const struct stragglers *g, const struct found_task *t)
{
	return knows_cpu(g, t) && state_of(g, t)->cpu_s >= SKEW * t->usual_cpu_s;
}

/* For a processor, a disk, the network: what it did itself was no more. */
static bool waits(const struct stragglers *g, const struct found_task *t)
{
	return knows_cpu(g, t) && state_of(g, t)->cpu_s <= SKEW_RATE * t->usual_cpu_s;
}

static bool knows_place(const struct stragglers *g, const struct found_task *t)
{
	return task_not_local(g->s, state_of(g, t)) >= 0;
}

static bool not_local(const struct stragglers *g, const struct found_task *t)
{
	return task_not_local(g->s, state_of(g, t)) == 1;
}

/* ---- its server's hardware, its other attempts --------------------------------------------------------------- */

static bool knows_hardware(const struct stragglers *g, const struct found_task *t)
{
	return hardware_of(g->hardware, g->s->nodes.at[state_of(g, t)->node]);
}

static bool less_hardware(const struct stragglers *g, const struct found_task *t)
{
	const struct hardware *own = hardware_of(g->hardware, g->s->nodes.at[state_of(g, t)->node]);

	return own && (own->cores < g->best.cores || own->memory_bytes < g->best.memory_bytes);
}

/* Whether attempts of one task can be told: Spark's are not named so. */
static bool has_attempts(const struct stragglers *g, const struct found_task *t)
{
	return state_of(g, t)->kind != STATE_TASK;
}

static bool restarted(const struct stragglers *g, const struct found_task *t)
{
	return g->restarted[t->state];
}

/* It raced against another attempt, and lost. */
static bool wasted(const struct stragglers *g, const struct found_task *t)
{
	const struct state *x = state_of(g, t);

	return x->outcome == OUTCOME_KILLED && (g->twin[t->state] || x->speculative);
}

const struct diagnoser diagnosers[] = {
	{"node-failed", "its server hangs or fails, or was lost", NULL, judged, node_failed},
	{"node-limps", "its server limps", "node-failed", judged, node_limps},
	{"data-skew", "it has more to do, and is as quick", NULL, has_volume, skewed},
	{"computes-more", "it needed more processor time", NULL, knows_cpu, computes},
	{"waited", "it needed no more processor time, and waited", NULL, knows_cpu, waits},
	{"data-locality", "its data were on another server", NULL, knows_place, not_local},
	{"resource-heterogeneity", "its server has fewer cores or less memory", NULL,
	 knows_hardware, less_hardware},
	{"restarted", "it was begun again after its server was lost", NULL, has_attempts,
	 restarted},
	{"wasted-speculation", "another attempt was quicker", NULL, has_attempts, wasted},
	{0},
};
