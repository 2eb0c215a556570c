// SPDX-License-Identifier: BSD-2-Clause
/* autodiagn.h: what was found, as a verdict. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autodiagn.h"
#include "method_states.h"
#include "analyzer/jobs/stragglers.h"
#include "userspace/common/array.h"
#include "userspace/common/text_clean.h"

struct autodiagn_conclusion {
	struct verdict *v;
	const struct states *s;
	const struct autodiagn *r;
	const struct state_nodes *nodes;
	bool hardware; /* is known */
	size_t *job;   /* of each of the states' jobs: the verdict's; SIZE_MAX: none */
};

/* Those with a task that was looked at. */
static int list_jobs(struct autodiagn_conclusion *t)
{
	const struct states *s = t->s;
	bool *has = calloc(s->jobs.n + 1, sizeof(*has));
	int err = has ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->r->n && !err; i++)
		has[s->at[t->r->at[i].state].job] = true;
	err = err ? err : straggler_jobs(t->v, &s->jobs, has, t->job);
	free(has);
	return err;
}

static void count_tasks(struct autodiagn_conclusion *t)
{
	for (size_t i = 0; i < t->s->n; i++) {
		const struct state *a = &t->s->at[i];
		struct straggler_job *j;

		if (!state_is_task(a->kind) || a->job >= t->s->jobs.n || t->job[a->job] == SIZE_MAX)
			continue;
		j = &t->v->jobs[t->job[a->job]];
		if (!j->tasks++ || a->start_ns < j->from_ns)
			j->from_ns = a->start_ns;
		if (a->end_ns > j->to_ns)
			j->to_ns = a->end_ns;
		if (task_not_local(t->s, a) >= 0)
			j->known |= TASK_BIT(TASK_NOT_LOCAL);
		if (t->hardware)
			j->known |= TASK_BIT(TASK_LESS_HARDWARE);
		if (a->kind != STATE_TASK)
			j->known |= TASK_BIT(TASK_RESTARTED);
	}
}

static int add_found(struct autodiagn_conclusion *t, const struct autodiagn_found *f)
{
	const struct state *a = &t->s->at[f->state];
	struct straggler_job *j = &t->v->jobs[t->job[a->job]];
	struct straggler *new;

	j->looked_at++;
	for (size_t c = 0; c < t->v->n_task_causes; c++) {
		bool has = f->causes & TASK_BIT(c);

		j->all[c] += has;
		j->of[c] += has && f->flagged;
	}
	if (!f->flagged)
		return 0;
	j->stragglers++;
	new = array_add(&t->v->stragglers, &t->v->n_stragglers);
	if (!new)
		return -ENOMEM;
	*new = (struct straggler){.node = t->nodes->row[a->node],
				  .job = t->job[a->job],
				  .flagged = f->flagged,
				  .judged = f->judged,
				  .running = a->outcome == OUTCOME_OPEN,
				  .start_ns = a->start_ns,
				  .onset_ns = f->onset_ns,
				  .last_ns = f->last_ns,
				  .performance = f->performance,
				  .median = f->median,
				  .takes_s = NAN,
				  .usual_s = NAN,
				  .causes = f->causes};
	text_fit(new->task, sizeof(new->task), a->id < t->s->ids.n ? t->s->ids.at[a->id] : "");
	return 0;
}

static int add_facts(struct autodiagn_conclusion *t)
{
	char text[160];
	int err = verdict_add_fact(t->v, "outliers", "factor", AUTODIAGN_FACTOR, "");

	if (err || !t->r->dropped)
		return err;
	snprintf(text, sizeof(text), "of %zu jobs that last too long not all looks were made",
		 t->r->dropped);
	return verdict_note_lines(t->v, text);
}

/* No server is judged. */
static int unjudge(struct autodiagn_conclusion *t)
{
	int err = 0;

	for (size_t i = 0; i < t->v->n_nodes && !err; i++)
		err = verdict_add_unjudged(
			t->v,
			&(struct unjudged){.node = i, .signal = SIGNAL_ALL, .why = UNJUDGED_TASKS});
	return err;
}

/* The paper's causes are the first of the verdict's. */
static void add_causes(struct verdict *v)
{
#define CAUSE_ROW(NAME, WORD, WHAT) {.word = (WORD), .what = (WHAT)},
	static const struct task_cause causes[] = {AUTODIAGN_CAUSES(CAUSE_ROW)};

	memcpy(v->task_causes, causes, sizeof(causes));
	v->n_task_causes = AUTODIAGN_N_CAUSES;
}

int autodiagn_tell(struct verdict *v, const struct states *s, const struct autodiagn *r,
		   const struct state_nodes *nodes, bool hardware)
{
	struct autodiagn_conclusion t = {
		.v = v, .s = s, .r = r, .nodes = nodes, .hardware = hardware};
	int err = -ENOMEM;

	add_causes(v);
	v->from_ns = r->from_ns;
	v->to_ns = r->to_ns;
	v->n_windows = r->looks;
	v->window_s = v->interval_s = AUTODIAGN_EVERY_S;
	if (!r->n)
		v->cannot.why = CANNOT_NO_PROGRESS;
	t.job = calloc(s->jobs.n + 1, sizeof(*t.job));
	if (!t.job)
		return err;
	err = list_jobs(&t);
	if (!err)
		count_tasks(&t);
	for (size_t i = 0; i < r->n && !err; i++)
		err = add_found(&t, &r->at[i]);
	stragglers_in_order(v->stragglers, v->n_stragglers);
	err = err ?: add_facts(&t) ?: unjudge(&t);
	free(t.job);
	return err;
}
