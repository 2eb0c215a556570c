// SPDX-License-Identifier: BSD-2-Clause
/* job_flow.h: the job, its time, its attempts and their groups. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define WORD(NAME, WORD_, STAGE) [FLOW_##NAME] = (WORD_),
const char *const flow_vertex_words[FLOW_VERTEX_KINDS] = {FLOW_VERTICES(WORD)};
#define STAGE_WORD(NAME, WORD_, STAGE) [FLOW_##NAME] = (STAGE),
const char *const flow_stage_words[FLOW_VERTEX_KINDS] = {FLOW_VERTICES(STAGE_WORD)};
#define WHY(NAME, WORD_, WHAT) [FLOW_WHY_##NAME] = {(WORD_), (WHAT)},
const struct flow_why_row flow_whys[FLOW_WHY_COUNT] = {FLOW_WHYS(WHY)};

/* A failed fetch is told as a task of the server that was fetched from. */
static bool is_fetch(const struct state *x)
{
	return x->kind == STATE_TASK && x->end_ns <= x->start_ns && x->peer != STATE_NONE;
}

struct time_span {
	int64_t from_ns, to_ns;
};

uint32_t job_flow_longest(const struct states *s, size_t *n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct time_span *jobs = scratch_array(&room, s->jobs.n, sizeof(*jobs));
	uint32_t longest = STATE_NONE;

	*n = 0;
	for (size_t i = 0; jobs && i < s->n; i++) {
		const struct state *x = &s->at[i];
		struct time_span *j;

		if (x->job == STATE_NONE || !state_is_task(x->kind))
			continue;
		j = &jobs[x->job];
		if (!j->to_ns || x->start_ns < j->from_ns)
			j->from_ns = x->start_ns;
		if (!j->to_ns || x->end_ns > j->to_ns)
			j->to_ns = x->end_ns;
	}
	for (uint32_t j = 0; jobs && j < s->jobs.n; j++) {
		*n += jobs[j].to_ns != 0;
		if (jobs[j].to_ns &&
		    (longest == STATE_NONE ||
		     jobs[j].to_ns - jobs[j].from_ns > jobs[longest].to_ns - jobs[longest].from_ns))
			longest = j;
	}
	return longest;
}

/* ---- its states and its time ---------------------------------------------------------------------------- */

static int take_states(struct job_flow *f)
{
	const struct states *s = f->s;

	f->states = scratch_array(&f->room, s->n, sizeof(*f->states));
	if (!f->states)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].job == f->job)
			f->states[f->n_states++] = (uint32_t)i;
	return 0;
}

/* From what its states say, and what is said of the job itself where that goes together. */
static int take_time(struct job_flow *f)
{
	const struct state_job none = {0};
	const struct state_job *j = f->job == STATE_NONE ? &none : &f->s->job[f->job];
	int64_t from = j->submit_ns > 0 ? j->submit_ns : j->launch_ns, to = j->finish_ns;
	bool any = false;

	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);

		if (!state_is_task(x->kind) || is_fetch(x))
			continue;
		f->from_ns = any && f->from_ns < x->start_ns ? f->from_ns : x->start_ns;
		f->to_ns = any && f->to_ns > x->end_ns ? f->to_ns : x->end_ns;
		any = true;
	}
	if (!any)
		return -ENODATA;
	if (from <= 0 || to <= 0)
		f->missing |= FLOW_NO_TIMES;
	/* a job whose time is elsewhere: another clock */
	if (from > 0 && from < f->to_ns)
		f->from_ns = from;
	else if (from > 0)
		f->missing |= FLOW_APART;
	if (to > f->from_ns)
		f->to_ns = to;
	else if (to > 0)
		f->missing |= FLOW_APART;
	return 0;
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static int add_group(struct job_flow *f, uint32_t stage)
{
	return array_put(&f->groups, &f->n_groups, (struct flow_group){.stage = stage});
}

static int add_before(struct flow_group *g, uint32_t before)
{
	for (size_t i = 0; i < g->n_before; i++)
		if (g->before[i] == before)
			return 0;
	return array_put(&g->before, &g->n_before, before);
}

/* The number in the class "stage 4.1 NODE_LOCAL". */
static bool stage_of(const struct job_flow *f, const struct state *x, uint32_t *stage)
{
	static const char word[] = "stage ";
	const char *name = x->cls == STATE_NONE ? "" : f->s->classes.at[x->cls];
	unsigned long n;
	char *end;

	if (strncmp(name, word, strlen(word)) != 0)
		return false;
	n = strtoul(name + strlen(word), &end, 10);
	*stage = (uint32_t)n;
	return end > name + strlen(word) && n < UINT32_MAX;
}

COMPARISON(by_stage, struct flow_group, ORDER(a->stage, b->stage))

static uint32_t group_of_stage(const struct job_flow *f, uint32_t stage)
{
	const size_t n = f->n_groups - FLOW_FIRST_STAGE;
	const struct flow_group *of = f->groups + FLOW_FIRST_STAGE;
	size_t at = search_first(i, n, of[i].stage < stage);

	return at < n && of[at].stage == stage ? (uint32_t)(FLOW_FIRST_STAGE + at) : STATE_NONE;
}

static int make_stages(struct job_flow *f)
{
	size_t kept = FLOW_FIRST_STAGE;
	uint32_t stage, last = STATE_NONE;

	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);

		if (x->kind != STATE_TASK || !stage_of(f, x, &stage) || stage == last)
			continue;
		last = stage;
		if (add_group(f, stage))
			return -ENOMEM;
	}
	sort(f->groups + FLOW_FIRST_STAGE, f->n_groups - FLOW_FIRST_STAGE, by_stage);
	for (size_t g = FLOW_FIRST_STAGE; g < f->n_groups; g++)
		if (kept == FLOW_FIRST_STAGE || f->groups[kept - 1].stage != f->groups[g].stage)
			f->groups[kept++] = f->groups[g];
	f->n_groups = kept;
	for (size_t i = 0; i < f->s->n_wait; i++) {
		const struct state_wait *w = &f->s->wait[i];
		uint32_t g = w->job == f->job ? group_of_stage(f, w->stage) : STATE_NONE;
		uint32_t before = g == STATE_NONE ? g : group_of_stage(f, w->parent);

		/* numbers of stages count up from their parents: what does not would go in circles */
		if (before != STATE_NONE && before < g && add_before(&f->groups[g], before))
			return -ENOMEM;
	}
	return 0;
}

static int make_groups(struct job_flow *f)
{
	static const struct {
		enum flow_group_kind group, before;
	} order[] = {{FLOW_MAPS, FLOW_SETUPS},
		     {FLOW_REDUCES, FLOW_MAPS},
		     {FLOW_CLEANUPS, FLOW_MAPS},
		     {FLOW_CLEANUPS, FLOW_REDUCES}};

	for (uint32_t g = 0; g < FLOW_FIRST_STAGE; g++)
		if (add_group(f, 0))
			return -ENOMEM;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (add_before(&f->groups[order[i].group], order[i].before))
			return -ENOMEM;
	f->groups[FLOW_REDUCES].overlaps = true;
	f->groups[FLOW_SETUPS].no_slots = f->groups[FLOW_CLEANUPS].no_slots = true;
	return make_stages(f);
}

/* ---- attempts ------------------------------------------------------------------------------------------------ */

/* STATE_NONE: it is no attempt, or of a stage that there is not. */
static uint32_t group_of(const struct job_flow *f, const struct state *x)
{
	uint32_t stage;

	switch (x->kind) {
	case STATE_SETUP: return FLOW_SETUPS;
	case STATE_MAP: return FLOW_MAPS;
	case STATE_REDUCE: return FLOW_REDUCES;
	case STATE_CLEANUP: return FLOW_CLEANUPS;
	case STATE_TASK:
		return !is_fetch(x) && stage_of(f, x, &stage) ? group_of_stage(f, stage)
							      : STATE_NONE;
	default: return STATE_NONE;
	}
}

static int64_t within(const struct job_flow *f, int64_t ns)
{
	return ns < f->from_ns ? f->from_ns : ns > f->to_ns ? f->to_ns : ns;
}

static int take_tasks(struct job_flow *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	bool *seen = scratch_array(&room, f->s->nodes.n, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		uint32_t group = group_of(f, x);
		const struct flow_task t = {.state = f->states[i],
					    .wait = STATE_NONE,
					    .sort = STATE_NONE,
					    .reducer = STATE_NONE,
					    .group = group,
					    .done = x->outcome == OUTCOME_OK && !x->lost,
					    .start_ns = within(f, x->start_ns),
					    .end_ns = within(f, x->end_ns),
					    .got_ns = within(f, x->start_ns),
					    .got_of = STATE_NONE,
					    .got_by = STATE_NONE,
					    .after = STATE_NONE,
					    .repeats = STATE_NONE};

		if (group == STATE_NONE)
			continue;
		if (array_put(&f->tasks, &f->n_tasks, t))
			return -ENOMEM;
		f->groups[group].n++;
		f->spark |= x->kind == STATE_TASK;
		f->n_nodes += !seen[x->node];
		seen[x->node] = true;
		if (x->start_ns > f->to_ns || x->end_ns < f->from_ns)
			f->missing |= FLOW_APART;
	}
	return f->n_tasks ? 0 : -ENODATA;
}

uint32_t *flow_none(struct scratch *room, size_t n)
{
	uint32_t *at = scratch_array(room, n, sizeof(*at));

	for (size_t i = 0; at && i < n; i++)
		at[i] = STATE_NONE;
	return at;
}

uint32_t flow_task_of(const struct job_flow *f, uint32_t item)
{
	int64_t id = item == STATE_NONE ? -1 : names_find(&f->s->ids, f->s->items.at[item]);

	return id < 0 ? STATE_NONE : f->task_of[id];
}

/* The parts of reduces; of Spark's tasks what they wait for and write. */
static int take_parts(struct job_flow *f)
{
	f->task_of = flow_none(&f->room, f->s->ids.n);
	if (!f->task_of)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->n_tasks; t++)
		f->task_of[flow_state(f, f->tasks[t].state)->id] = t;
	for (size_t i = 0; i < f->n_states; i++) {
		const struct state *x = flow_state(f, f->states[i]);
		struct flow_task *t;

		if (f->task_of[x->id] == STATE_NONE)
			continue;
		t = &f->tasks[f->task_of[x->id]];
		if (x->kind == STATE_SHUFFLE_WAIT || x->kind == STATE_FETCH_WAIT)
			t->wait = f->states[i];
		else if (x->kind == STATE_SORT)
			t->sort = f->states[i];
		else if (x->kind == STATE_REDUCER || x->kind == STATE_SHUFFLE_WRITE)
			t->reducer = f->states[i];
	}
	for (size_t t = 0; t < f->n_tasks; t++)
		if (f->tasks[t].group == FLOW_REDUCES && f->tasks[t].done &&
		    (f->tasks[t].wait == STATE_NONE || f->tasks[t].reducer == STATE_NONE))
			f->missing |= FLOW_NO_PARTS;
	return 0;
}

int flow_job(struct job_flow *f)
{
	int err = take_states(f);

	err = err ? err : take_time(f);
	err = err ? err : make_groups(f);
	err = err ? err : take_tasks(f);
	return err ? err : take_parts(f);
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

typedef int flow_step(struct job_flow *f);

static int make(struct job_flow *f, const struct states *s, uint32_t job, flow_step *const *steps,
		size_t n)
{
	int err = 0;

	*f = (struct job_flow){.s = s, .job = job};
	for (size_t i = 0; i < n && !err; i++)
		err = steps[i](f);
	return err;
}

int job_flow_make(struct job_flow *f, const struct states *s, uint32_t job)
{
	static flow_step *const steps[] = {flow_job,   flow_graph,	 flow_got_maps,
					   flow_order, flow_count_paths, flow_cluster_pairs,
					   flow_cells, flow_critical,	 flow_without};
	return make(f, s, job, steps, sizeof(steps) / sizeof(*steps));
}

int job_flow_make_path(struct job_flow *f, const struct states *s, uint32_t job)
{
	static flow_step *const steps[] = {flow_job, flow_got_maps, flow_order, flow_cells,
					   flow_critical};

	return make(f, s, job, steps, sizeof(steps) / sizeof(*steps));
}

void job_flow_release(struct job_flow *f)
{
	for (size_t g = 0; g < f->n_groups; g++)
		free(f->groups[g].before);
	free(f->tasks);
	free(f->groups);
	free(f->vertices);
	free(f->edges);
	free(f->outliers);
	free(f->path);
	free(f->nodes);
	free(f->kinds);
	free(f->waits);
	free(f->without);
	scratch_release(&f->room);
	*f = (struct job_flow){0};
}
