// SPDX-License-Identifier: BSD-2-Clause
/* autodiagn.h: a log's time once more, job by job, with a look every three seconds. */
#include <errno.h>
#include <stdlib.h>

#include "autodiagn.h"
#include "userspace/common/clock.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"

/* So that no log costs more than minutes: a thousand tasks at once for a month. */
#define WORK_MAX ((uint64_t)1 << 30)

/* A task and its reports of progress: from `next` on those that are still to come. */
struct reported_task {
	uint32_t state, job;
	uint8_t kind;
	int64_t start_ns, end_ns;
	size_t next, end; /* of replay.reports */
	double done;
	size_t found; /* of autodiagn.at; SIZE_MAX: not looked at yet */
};

struct progress_replay {
	struct autodiagn *r;
	const struct states *s;
	const struct autodiagn_opts *o;
	struct scratch room;
	struct reported_task *tasks; /* by job, kind, start */
	size_t n_tasks;
	uint32_t *reports;	   /* of s->progress, by kind, id, time */
	bool *restarted;	   /* of s->at */
	bool *tells;		   /* of s->nodes: the log says progress of its tasks */
	struct hardware *hardware; /* of s->nodes; zeros: not known */
	struct reported_task **running;
	struct autodiagn_task *look;
	double *spare;
	uint64_t work; /* tasks looked at, again and again */
};

void autodiagn_release(struct autodiagn *r)
{
	free(r->at);
	*r = (struct autodiagn){0};
}

/* ---- reports --------------------------------------------------------------------------------------------------- */

COMPARISON_WITH(by_task_and_time, uint32_t, struct state_progress,
		ORDER(with[*a].kind, with[*b].kind) ?: ORDER(with[*a].id, with[*b].id)
			?: ORDER(with[*a].time_ns, with[*b].time_ns)
			?: ORDER(with[*a].done, with[*b].done))

/* Report i beside those of a task. */
static int report_order(const struct progress_replay *p, size_t i, const struct state *task)
{
	const struct state_progress *x = &p->s->progress[p->reports[i]];

	return ORDER(x->kind, task->kind) ?: ORDER(x->id, task->id);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

COMPARISON(by_start, struct reported_task,
	   ORDER(a->job, b->job) ?: ORDER(a->kind, b->kind) ?: ORDER(a->start_ns, b->start_ns)
		   ?: ORDER(a->state, b->state))

/* Tasks of jobs that are known, and of servers whose tasks' progress is. */
static void list_tasks(struct progress_replay *p)
{
	const struct states *s = p->s;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *a = &s->at[i];
		struct reported_task *t = &p->tasks[p->n_tasks];

		if (!state_is_task(a->kind) || a->node >= s->nodes.n || a->job == STATE_NONE ||
		    a->end_ns < a->start_ns)
			continue;
		*t = (struct reported_task){.state = (uint32_t)i,
					    .job = a->job,
					    .kind = a->kind,
					    .start_ns = a->start_ns,
					    .end_ns = a->end_ns,
					    .found = SIZE_MAX};
		t->next = search_first(k, s->n_progress, report_order(p, k, a) < 0);
		t->end = search_first(k, s->n_progress, report_order(p, k, a) <= 0);
		p->tells[a->node] |= t->end > t->next;
		p->n_tasks++;
	}
	p->n_tasks = keep_if(i, p->tasks, p->n_tasks, p->tells[s->at[p->tasks[i].state].node]);
	sort(p->tasks, p->n_tasks, by_start);
}

static int prepare(struct progress_replay *p)
{
	const struct states *s = p->s;

	p->tasks = scratch_array(&p->room, s->n, sizeof(*p->tasks));
	p->reports = scratch_array(&p->room, s->n_progress, sizeof(*p->reports));
	p->restarted = scratch_array(&p->room, s->n, sizeof(*p->restarted));
	p->tells = scratch_array(&p->room, s->nodes.n, sizeof(*p->tells));
	p->hardware = scratch_array(&p->room, s->nodes.n, sizeof(*p->hardware));
	if (p->room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < s->nodes.n; i++) {
		const struct hardware *h = hardware_of(p->o->hardware, s->nodes.at[i]);

		if (h)
			p->hardware[i] = *h;
	}
	for (size_t i = 0; i < s->n_progress; i++)
		p->reports[i] = (uint32_t)i;
	sort_with(p->reports, s->n_progress, by_task_and_time, s->progress);
	list_tasks(p);
	p->running = scratch_array(&p->room, p->n_tasks, sizeof(struct reported_task *));
	p->look = scratch_array(&p->room, p->n_tasks, sizeof(*p->look));
	p->spare = scratch_array(&p->room, p->n_tasks, sizeof(*p->spare));
	p->r->at = calloc(p->n_tasks + 1, sizeof(*p->r->at));
	if (p->room.failed || !p->r->at)
		return -ENOMEM;
	return task_attempts(s, p->restarted, NULL);
}

/* ---- a look ------------------------------------------------------------------------------------------------------ */

static double progress_at(struct progress_replay *p, struct reported_task *t, int64_t time_ns)
{
	while (t->next < t->end) {
		const struct state_progress *x = &p->s->progress[p->reports[t->next]];

		if (x->time_ns > time_ns)
			break;
		t->done = x->done;
		t->next++;
	}
	return t->done;
}

/* Of a running task's server. */
static const struct hardware *hardware_at(const struct progress_replay *p, size_t i)
{
	return &p->hardware[p->s->at[p->running[i]->state].node];
}

/* The most that any server has that hosts a running task; 0: nothing is known. */
static struct hardware best_hardware(const struct progress_replay *p, size_t n)
{
	struct hardware best = {0};

	for (size_t i = 0; i < n; i++) {
		const struct hardware *h = hardware_at(p, i);

		best.cores = h->cores > best.cores ? h->cores : best.cores;
		if (h->memory_bytes > best.memory_bytes)
			best.memory_bytes = h->memory_bytes;
	}
	return best;
}

static struct autodiagn_found *found_of(struct progress_replay *p, struct reported_task *t)
{
	struct autodiagn_found *f;

	if (t->found == SIZE_MAX) {
		const struct state *a = &p->s->at[t->state];

		t->found = p->r->n++;
		p->r->at[t->found] = (struct autodiagn_found){.state = t->state};
		f = &p->r->at[t->found];
		if (task_not_local(p->s, a) == 1)
			f->causes |= TASK_BIT(TASK_NOT_LOCAL);
		if (p->restarted[t->state])
			f->causes |= TASK_BIT(TASK_RESTARTED);
	}
	return &p->r->at[t->found];
}

static void keep(struct progress_replay *p, size_t i, int64_t time_ns, double median,
		 const struct hardware *best)
{
	struct autodiagn_found *f = found_of(p, p->running[i]);
	const struct autodiagn_task *t = &p->look[i];
	const struct hardware *own = hardware_at(p, i);

	f->judged++;
	if (own->cores && (own->cores < best->cores || own->memory_bytes < best->memory_bytes))
		f->causes |= TASK_BIT(TASK_LESS_HARDWARE);
	if (!t->outlier)
		return;
	if (!f->flagged++) {
		f->onset_ns = time_ns;
		f->performance = t->performance;
		f->median = median;
	}
	f->last_ns = time_ns;
	if (t->performance * f->median < f->performance * median) {
		f->performance = t->performance;
		f->median = median;
	}
}

static void look(struct progress_replay *p, size_t n, int64_t time_ns)
{
	struct hardware best = best_hardware(p, n);
	double median;

	for (size_t i = 0; i < n; i++)
		p->look[i] = (struct autodiagn_task){
			.done = progress_at(p, p->running[i], time_ns),
			.age_s = (double)(time_ns - p->running[i]->start_ns) / NS_PER_S};
	median = autodiagn_look(p->look, n, p->spare);
	for (size_t i = 0; i < n; i++)
		keep(p, i, time_ns, median, &best);
	p->work += n;
	p->r->looks++;
	if (p->r->looks == 1 || time_ns < p->r->from_ns)
		p->r->from_ns = time_ns;
	if (p->r->looks == 1 || time_ns > p->r->to_ns)
		p->r->to_ns = time_ns;
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

/* Those that run at that time, of n that did at the look before, and of those that began since. */
static size_t running_at(struct progress_replay *p, size_t n, size_t *next, size_t end,
			 int64_t time_ns)
{
	size_t kept = keep_if(i, p->running, n, p->running[i]->end_ns > time_ns);

	for (; *next < end && p->tasks[*next].start_ns <= time_ns; (*next)++)
		if (p->tasks[*next].end_ns > time_ns)
			p->running[kept++] = &p->tasks[*next];
	return kept;
}

static const int64_t every = (int64_t)AUTODIAGN_EVERY_S * NS_PER_S;

/* The first look of the job's that is not before this time. */
static int64_t look_after(int64_t begin_ns, int64_t time_ns)
{
	return begin_ns + (time_ns - begin_ns + every - 1) / every * every;
}

/* Tasks [from, to) are those of one job and kind; the looks are those of the job. */
static void replay_kind(struct progress_replay *p, size_t from, size_t to, int64_t begin_ns)
{
	int64_t time_ns = look_after(begin_ns, p->tasks[from].start_ns);
	size_t next = from, n = 0, looks = 0;

	while (next < to || n) {
		n = running_at(p, n, &next, to, time_ns);
		if (n && (looks++ >= AUTODIAGN_LOOKS_MAX || p->work > WORK_MAX)) {
			p->r->dropped++;
			return;
		}
		if (n && time_ns >= p->o->from_ns && time_ns < p->o->to_ns)
			look(p, n, time_ns);
		if (n)
			time_ns += every;
		else if (next < to)
			time_ns = look_after(begin_ns, p->tasks[next].start_ns);
	}
}

static void replay_job(struct progress_replay *p, size_t from, size_t to)
{
	int64_t begin_ns = p->tasks[from].start_ns;

	for (size_t i = from; i < to; i++)
		begin_ns = p->tasks[i].start_ns < begin_ns ? p->tasks[i].start_ns : begin_ns;
	for (size_t i = from, end; i < to; i = end) {
		end = run_end(k, i, to, p->tasks[k].kind == p->tasks[i].kind);
		replay_kind(p, i, end, begin_ns);
	}
}

int autodiagn_replay(struct autodiagn *r, const struct states *s, const struct autodiagn_opts *o)
{
	struct progress_replay p = {.r = r, .s = s, .o = o};
	int err;

	*r = (struct autodiagn){0};
	err = prepare(&p);
	for (size_t i = 0, end; i < p.n_tasks && !err; i = end) {
		end = run_end(k, i, p.n_tasks, p.tasks[k].job == p.tasks[i].job);
		replay_job(&p, i, end);
	}
	scratch_release(&p.room);
	if (err)
		autodiagn_release(r);
	return err;
}
