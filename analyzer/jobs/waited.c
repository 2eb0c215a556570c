// SPDX-License-Identifier: BSD-2-Clause
/* stragglers.h: what jobs that run waited for so far, by their critical paths. */
#include <errno.h>
#include <math.h>

#include "job_flow.h"
#include "stragglers.h"
#include "userspace/common/sort.h"

/* Jobs that are looked at: those that people look at first. */
enum { JOBS = 10 };

COMPARISON(by_seconds, struct job_wait, ORDER(b->s, a->s) ?: ORDER(a->node, b->node))

/* The longest are kept, longest first. */
static void add_wait(struct straggler_job *j, size_t node, size_t why, double s, double lost_s)
{
	const struct job_wait w = {node, flow_whys[why].word, flow_whys[why].what, s, lost_s};
	struct job_wait *at = &j->waits[j->n_waits];

	if (j->n_waits == JOB_WAITS_MAX)
		at--;
	else
		j->n_waits++;
	if (at->s < w.s)
		*at = w;
	sort(j->waits, j->n_waits, by_seconds);
}

static double seconds_of(const struct flow_segment *x)
{
	return (double)(x->to_ns - x->from_ns) / 1e9;
}

/* The whole attempt that a state is of. */
static void mark_task(struct stragglers *g, const struct job_flow *f, uint32_t state)
{
	uint32_t task = f->task_of[g->s->at[state].id];

	if (task != STATE_NONE)
		g->waited_for[f->tasks[task].state] = true;
}

/* Each moment is of a server's tasks, or of a wait. */
static int put_waits(struct stragglers *g, struct straggler_job *j, const struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *s = scratch_array(&room, g->s->nodes.n, sizeof(*s));
	double *lost = scratch_array(&room, g->s->nodes.n, sizeof(*lost));
	double waits[FLOW_WHY_COUNT] = {0};

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_path; i++) {
		const struct flow_segment *x = &f->path[i];

		if (x->state == STATE_NONE) {
			waits[x->why] += seconds_of(x);
			continue;
		}
		s[x->node] += seconds_of(x);
		lost[x->node] += isnan(x->lost_s) ? 0 : x->lost_s;
		mark_task(g, f, x->state);
	}
	for (size_t i = 0; i < g->s->nodes.n; i++)
		if (s[i] > 0)
			add_wait(j, g->row[i], FLOW_WHY_WORK, s[i], lost[i]);
	for (size_t i = 0; i < FLOW_WHY_COUNT; i++)
		if (waits[i] > 0)
			add_wait(j, SIZE_MAX, i, waits[i], 0);
	j->waited_s = (double)(f->to_ns - f->from_ns) / 1e9;
	return 0;
}

static int find_waits(struct stragglers *g, size_t job)
{
	const struct found_task *t = &g->at[g->first[job]];
	struct job_flow f;
	int err = job_flow_make_path(&f, g->s, g->s->at[t->state].job);

	if (!err)
		err = put_waits(g, &g->v->jobs[job], &f);
	job_flow_release(&f);
	return err == -ENODATA ? 0 : err;
}

int stragglers_waited(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t n = g->v->n_jobs, *order = scratch_array(&room, n, sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	if (order)
		jobs_worst_first(g->v->jobs, n, order);
	for (size_t i = 0; i < n && i < JOBS && !err; i++)
		if (g->first[order[i]] < g->first[order[i] + 1])
			err = find_waits(g, order[i]);
	return err;
}
