// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jobs that use their servers badly (AutoDiagn's "inefficient use", 4.2.2, whose usage of processors logs do not have):
 * servers without a task while tasks wait to begin; servers with more tasks at once than others, which take longer there;
 * tasks on servers whose disk limps. What is said is about jobs: it is no fault of a server.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "stragglers.h"
#include "task_facts.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* Of the servers' time while tasks wait, and so long at least: less is how a scheduler hands tasks out, with a
 * heartbeat of seconds. */
#define IDLE_SHARE 0.2
#define IDLE_S	   10
#define AT_ONCE	   2 /* tasks: of fewer no server has too many */
/* Times the median of tasks at once, and of their time, as what indicts [D]. */
#define UNEVEN	    1.5
#define UNEVEN_TIME 1.3
#define DISK_SHARE  0.1 /* of a job's tasks */
#define BUSY	    1.5 /* times the processor time of its cell, as of a straggler's duration */

/* A task that begins, +1, or ends, -1. */
struct edge {
	int64_t ns;
	uint32_t node, job;
	int by;
};

COMPARISON(by_time, struct edge, ORDER(a->ns, b->ns) ?: ORDER(a->by, b->by))

static size_t edges_of(const struct stragglers *g, struct edge *e)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct state *x = &g->s->at[g->at[i].state];
		uint32_t node = (uint32_t)g->at[i].node, job = (uint32_t)g->at[i].job;

		if (g->at[i].node == SIZE_MAX)
			continue;
		e[n++] = (struct edge){x->start_ns, node, job, 1};
		e[n++] = (struct edge){x->end_ns, node, job, -1};
	}
	sort(e, n, by_time);
	return n;
}

/* Of each job. */
struct idle {
	size_t left;		  /* attempts that are still to begin */
	size_t at_once;		  /* that run */
	double idle_s, waiting_s; /* of servers; of the clock */
};

/*
 * While a job has attempts running and others to come: the time that servers have no task of anybody. An attempt
 * that is begun again because another failed was not waiting; those are few. running: of each server, of all jobs.
 */
static void count_idle(const struct stragglers *g, const struct edge *e, size_t n, struct idle *w,
		       size_t *running)
{
	size_t busy = 0;

	for (size_t i = 0; i < g->n; i++)
		w[g->at[i].job].left++;
	for (size_t i = 0; i < n; i++) {
		double s = i + 1 < n ? (double)(e[i + 1].ns - e[i].ns) / NS_PER_S : 0;
		size_t *node = &running[e[i].node];

		busy -= *node > 0;
		*node += (size_t)e[i].by;
		busy += *node > 0;
		w[e[i].job].at_once += (size_t)e[i].by;
		w[e[i].job].left -= e[i].by > 0;
		for (size_t j = 0; s > 0 && j < g->v->n_jobs; j++) {
			if (!w[j].left || !w[j].at_once)
				continue;
			w[j].waiting_s += s;
			w[j].idle_s += s * (double)(g->v->n_nodes - busy);
		}
	}
}

int find_idle(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t jobs = g->v->n_jobs, nodes = g->v->n_nodes;
	struct edge *e = scratch_array(&room, 2 * g->n, sizeof(*e));
	struct idle *w = scratch_array(&room, jobs, sizeof(*w));
	size_t *running = scratch_array(&room, nodes, sizeof(*running));

	if (room.failed)
		return -ENOMEM;
	count_idle(g, e, edges_of(g, e), w, running);
	for (size_t j = 0; j < jobs; j++) {
		double share = w[j].idle_s / (w[j].waiting_s * (double)nodes);

		if (w[j].waiting_s >= IDLE_S && share >= IDLE_SHARE)
			job_sign(&g->v->jobs[j], "idle-nodes",
				 "while tasks waited, for %.0f s, servers had none for %.0f %% of "
				 "their time",
				 w[j].waiting_s, 100 * share);
	}
	return 0;
}

/* ---- more at once than others --------------------------------------------------------------------------------- */

struct load {
	double task_s, ln; /* of tasks; sum of ln of their time beside their cell's */
	size_t n;
};

static void loads_of(const struct stragglers *g, size_t job, struct load *load)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct found_task *t = &g->at[i];
		const struct state *x = &g->s->at[t->state];
		double s = (double)(x->end_ns - x->start_ns) / NS_PER_S;

		if (t->job != job || t->node == SIZE_MAX || !(t->usual_s > 0) || !(s > 0))
			continue;
		load[t->node].task_s += s;
		load[t->node].ln += log(s / t->usual_s);
		load[t->node].n++;
	}
}

static void one_uneven(struct stragglers *g, size_t job, struct load *load, double *some)
{
	struct straggler_job *j = &g->v->jobs[job];
	double all_s = (double)(j->to_ns - j->from_ns) / NS_PER_S, median;
	size_t n = 0, worst = SIZE_MAX;

	loads_of(g, job, load);
	for (size_t i = 0; i < g->v->n_nodes; i++)
		if (load[i].n)
			some[n++] = load[i].task_s;
	median = stats_quantile(some, n, 0.5);
	for (size_t i = 0; i < g->v->n_nodes && n > 2; i++)
		if (load[i].n && load[i].task_s >= UNEVEN * median &&
		    load[i].ln / (double)load[i].n >= log(UNEVEN_TIME) &&
		    (worst == SIZE_MAX || load[i].task_s > load[worst].task_s))
			worst = i;
	if (worst != SIZE_MAX && all_s > 0 && load[worst].task_s >= AT_ONCE * all_s)
		job_sign(j, "oversubscribed",
			 "%s has %.1f tasks at once, others %.1f, and they take %.1f times as long",
			 g->v->nodes[worst], load[worst].task_s / all_s, median / all_s,
			 exp(load[worst].ln / (double)load[worst].n));
}

int find_uneven(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct load *load = scratch_array(&room, g->v->n_nodes, sizeof(*load));
	double *some = scratch_array(&room, g->v->n_nodes, sizeof(*some));

	if (room.failed)
		return -ENOMEM;
	for (size_t j = 0; j < g->v->n_jobs; j++) {
		memset(load, 0, g->v->n_nodes * sizeof(*load));
		one_uneven(g, j, load, some);
	}
	return 0;
}

/* ---- bound by a disk -------------------------------------------------------------------------------------------- */

/* What computes more than its like is bound by the processor. */
static bool bound_by_disk(const struct stragglers *g, const struct found_task *t)
{
	const struct state *x = &g->s->at[t->state];

	if (x->cpu_s > BUSY * t->usual_cpu_s)
		return false;

	for (size_t i = 0; i < g->v->n_incidents; i++) {
		const struct incident *in = &g->v->incidents[i];

		if (in->node == t->node && !in->suspicion &&
		    (in->cause == CAUSE_DISK_HOG || in->cause == CAUSE_DISK_BUSY ||
		     in->cause == CAUSE_DEVICE_SLOW || in->cause == CAUSE_IO_SCHEDULER) &&
		    in->onset_ns < x->end_ns && x->start_ns < in->last_ns)
			return true;
	}
	return false;
}

int find_disk_bound(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t *n = scratch_array(&room, g->v->n_jobs, sizeof(*n));

	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++)
		n[g->at[i].job] += task_counts(g, &g->at[i]) && bound_by_disk(g, &g->at[i]);
	for (size_t j = 0; j < g->v->n_jobs; j++)
		if ((double)n[j] >= DISK_SHARE * (double)g->v->jobs[j].looked_at && n[j])
			job_sign(&g->v->jobs[j], "disk-bound",
				 "%zu of %zu tasks are on a server whose disk limps", n[j],
				 g->v->jobs[j].looked_at);
	return 0;
}

/* Which tasks waited is known when they have begun. */
const struct symptom symptoms[] = {
	{"straggler", "a task takes long beside its like", find_long, true},
	{"idle-nodes", "servers have no task while tasks wait", find_idle, false},
	{"oversubscribed", "a server has more tasks at once, which take longer", find_uneven,
	 false},
	{"disk-bound", "tasks run on a server whose disk limps", find_disk_bound, true},
	{0},
};
