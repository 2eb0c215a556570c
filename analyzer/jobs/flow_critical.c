// SPDX-License-Identifier: BSD-2-Clause
/* job_flow.h: the critical path, backwards from the job's end, and what it adds up to. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

struct path_walk {
	struct job_flow *f;
	int64_t at_ns; /* the path is known from here on */
	int err;
};

/* A segment from that time up to where the path is known; of no length: none. */
static void put_segment(struct path_walk *w, int64_t from_ns, enum flow_why why, uint32_t state,
			uint32_t node)
{
	struct flow_segment s = {.from_ns = from_ns > w->f->from_ns ? from_ns : w->f->from_ns,
				 .to_ns = w->at_ns,
				 .why = (uint8_t)why,
				 .state = state,
				 .node = node,
				 .lost_s = NAN,
				 .inside = STATE_NONE};
	double own, usual;

	if (w->err || s.from_ns >= s.to_ns)
		return;
	usual = state == STATE_NONE ? NAN : flow_usual(w->f, state, &own);
	if (!isnan(usual))
		s.lost_s = fmin(s_of_ns(s.to_ns - s.from_ns), fmax(exp(own) - exp(usual), 0));
	w->err = array_put(&w->f->path, &w->f->n_path, s);
	w->at_ns = s.from_ns;
}

static void put_state(struct path_walk *w, uint32_t state, int64_t from_ns)
{
	put_segment(w, from_ns, FLOW_WHY_WORK, state, flow_state(w->f, state)->node);
}

static int64_t ns_of(const struct job_flow *f, uint32_t state)
{
	return flow_state(f, state)->end_ns - flow_state(f, state)->start_ns;
}

/* Spark says how long a task waited for data and wrote, not when: it is taken to have waited first and written
 * last. What is left between is the task itself. */
static void put_spark(struct path_walk *w, const struct flow_task *t)
{
	const struct job_flow *f = w->f;
	int64_t wait = t->wait == STATE_NONE ? 0 : ns_of(f, t->wait);
	int64_t write = t->reducer == STATE_NONE ? 0 : ns_of(f, t->reducer);

	if (wait + write > t->end_ns - t->start_ns)
		return;
	if (write)
		put_state(w, t->reducer, t->end_ns - write);
	put_state(w, t->state, t->start_ns + wait);
	if (wait)
		put_state(w, t->wait, t->start_ns);
}

/* What an attempt did, from its end to its start, or to when it got the last of what it waited for. */
static void put_task(struct path_walk *w, const struct flow_task *t)
{
	struct job_flow *f = w->f;
	const uint32_t parts[] = {t->reducer, t->sort, t->wait};

	if (t->group == FLOW_REDUCES && t->wait != STATE_NONE && t->reducer != STATE_NONE)
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			int64_t from;

			if (parts[i] == STATE_NONE)
				continue;
			from = flow_state(f, parts[i])->start_ns;
			put_state(w, parts[i], from > t->got_ns ? from : t->got_ns);
		}
	if (f->spark)
		put_spark(w, t);
	put_state(w, t->state, t->got_ns);
}

/* One step back: the attempt, and what it waited for; which attempt is next, STATE_NONE: none. */
static uint32_t step_back(struct path_walk *w, uint32_t task)
{
	struct job_flow *f = w->f;
	const struct flow_task *t = &f->tasks[task];
	uint32_t node = flow_node(f, task);

	put_task(w, t);
	if (t->got_by != STATE_NONE)
		put_state(w, t->got_by, flow_state(f, t->got_by)->start_ns);
	if (t->got_of != STATE_NONE && f->tasks[t->got_of].end_ns > t->start_ns) {
		put_segment(w, f->tasks[t->got_of].end_ns, FLOW_WHY_FETCH, STATE_NONE, node);
		return t->got_of;
	}
	/* what it fetched had been there before it started */
	put_segment(w, t->start_ns, FLOW_WHY_FETCH, STATE_NONE, node);
	if (t->after != STATE_NONE)
		put_segment(w, f->tasks[t->after].end_ns, t->why, STATE_NONE, node);
	return t->after;
}

/* Of a job that runs: of the first of its stages that is not over the attempt that has run longest. STATE_NONE: it does not run. */
static uint32_t open_task(const struct job_flow *f)
{
	uint32_t longest = STATE_NONE;

	if (f->job != STATE_NONE && f->s->job[f->job].finish_ns > 0)
		return STATE_NONE;
	for (uint32_t t = 0; t < f->n_tasks; t++)
		if (flow_state(f, f->tasks[t].state)->outcome == OUTCOME_OPEN &&
		    (longest == STATE_NONE || f->tasks[t].group < f->tasks[longest].group))
			longest = t;
	return longest;
}

/* What the job waits for; else the attempt that ended well last; of none, any. */
static uint32_t last_task(const struct job_flow *f)
{
	uint32_t last = open_task(f);

	if (last != STATE_NONE)
		return last;
	for (uint32_t t = 0; t < f->n_tasks; t++) {
		const struct flow_task *x = &f->tasks[t], *y;

		y = last == STATE_NONE ? NULL : &f->tasks[last];
		if (!y || x->done > y->done || (x->done == y->done && x->end_ns > y->end_ns))
			last = t;
	}
	return last;
}

static void turn_round(struct job_flow *f)
{
	for (size_t i = 0; i < f->n_path / 2; i++) {
		struct flow_segment s = f->path[i];

		f->path[i] = f->path[f->n_path - 1 - i];
		f->path[f->n_path - 1 - i] = s;
	}
}

/* ---- what lies within a segment ---------------------------------------------------------------------------- */

static bool is_inside(const struct state *x)
{
	return x->kind == STATE_READ || x->kind == STATE_WRITE || x->kind == STATE_FETCH_WAIT ||
	       x->kind == STATE_GC || x->kind == STATE_SHUFFLE_WRITE;
}

/* The longest read, write, or wait of each attempt on the path. */
static int find_inside(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *longest = flow_none(&room, f->n_tasks);

	if (!longest)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		uint32_t task;

		if (!is_inside(x))
			continue;
		task = x->kind == STATE_READ	? flow_task_of(f, x->out)
		       : x->kind == STATE_WRITE ? flow_task_of(f, x->in)
						: f->task_of[x->id];
		if (task != STATE_NONE &&
		    (longest[task] == STATE_NONE ||
		     flow_seconds(f, f->states[i]) > flow_seconds(f, longest[task])))
			longest[task] = f->states[i];
	}
	for (size_t i = 0; i < f->n_path; i++) {
		struct flow_segment *s = &f->path[i];
		const struct state *x = s->state == STATE_NONE ? NULL : flow_state(f, s->state);
		uint32_t task = x ? f->task_of[x->id] : STATE_NONE;

		/* a reduce writes in its last part */
		if (task != STATE_NONE && x->kind != STATE_SHUFFLE_WAIT && x->kind != STATE_SORT)
			s->inside = longest[task];
	}
	return 0;
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

static int add_share(struct flow_share **at, size_t *n, uint32_t what, const struct flow_segment *s)
{
	struct flow_share *h = NULL;

	for (size_t i = 0; i < *n && !h; i++)
		h = (*at)[i].what == what ? &(*at)[i] : NULL;
	if (!h) {
		h = array_add(at, n);
		if (!h)
			return -ENOMEM;
		h->what = what;
	}
	h->s += (double)(s->to_ns - s->from_ns) / 1e9;
	h->lost_s += isnan(s->lost_s) ? 0 : s->lost_s;
	return 0;
}

COMPARISON(by_seconds, struct flow_share, ORDER(b->s, a->s) ?: ORDER(a->what, b->what))

static int add_up(struct job_flow *f)
{
	int err = 0;

	for (size_t i = 0; i < f->n_path && !err; i++) {
		const struct flow_segment *s = &f->path[i];

		if (s->node != STATE_NONE)
			err = add_share(&f->nodes, &f->n_share_nodes, s->node, s);
		if (!err && s->why == FLOW_WHY_WORK)
			err = add_share(&f->kinds, &f->n_kinds, flow_state(f, s->state)->kind, s);
		else if (!err)
			err = add_share(&f->waits, &f->n_waits, s->why, s);
	}
	sort(f->nodes, f->n_share_nodes, by_seconds);
	sort(f->kinds, f->n_kinds, by_seconds);
	sort(f->waits, f->n_waits, by_seconds);
	return err;
}

int flow_critical(struct job_flow *f)
{
	struct path_walk w = {.f = f, .at_ns = f->to_ns};
	uint32_t task = last_task(f);

	put_segment(&w, f->tasks[task].end_ns, FLOW_WHY_FINISH, STATE_NONE, STATE_NONE);
	/* Of logs that make sense every step goes to an attempt that came before; of others the walk ends, too. */
	for (size_t i = 0; i < f->n_tasks && task != STATE_NONE && !w.err; i++)
		task = step_back(&w, task);
	put_segment(&w, f->from_ns, FLOW_WHY_START, STATE_NONE, STATE_NONE);
	turn_round(f);
	return w.err ?: find_inside(f) ?: add_up(f);
}
