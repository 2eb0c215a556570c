// SPDX-License-Identifier: BSD-2-Clause
/* window_run.h: tasks, thresholds, votes. */
#include "window_run.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/methods/learn/windows.h"
#include "analyzer/source/source_hosts.h"

void window_run_free(void *state)
{
	struct window_run *r = state;

	if (!r)
		return;
	for (size_t i = 0; i < r->n_tasks; i++) {
		free(r->tasks[i].votes);
		free(r->tasks[i].threshold);
	}
	free(r->tasks);
	free(r);
}

static struct window_run *window_run_new(const struct method *method, const struct peers *peers,
					 const struct params *p)
{
	struct window_run *r = calloc(1, sizeof(*r));
	size_t n_metrics = peers->n ? peers->parts[0].n_metrics : 0;

	if (!r)
		return NULL;
	*r = (struct window_run){
		.method = method, .p = p, .threads = peers->n ? peers->parts[0].cells->threads : 1};
	r->tasks = calloc(peers->n * n_metrics + 1, sizeof(*r->tasks));
	if (!r->tasks) {
		free(r);
		return NULL;
	}
	for (size_t k = 0; k < peers->n; k++)
		for (size_t i = 0; i < n_metrics; i++)
			if (method_looks_at(method, &peers->parts[k].metrics[i]))
				r->tasks[r->n_tasks++] =
					(struct window_task){.f = &peers->parts[k], .metric = i};
	r->n_rows = peers->n ? r->n_tasks / peers->n : 0;
	return r;
}

static const char *task_metric(const struct window_task *t)
{
	return frame_metric(t->f, t->metric)->name;
}

static int window_task_run(void *arg, size_t i)
{
	struct window_run *r = arg;

	return r->train ? r->method->train_task(r, &r->tasks[i], r->slice)
			: r->method->judge_task(r, &r->tasks[i], r->slice);
}

int window_run_slice(void *state, struct slice s)
{
	struct window_run *r = state;

	r->slice = s;
	return sources_parallel(
		&(struct source_work){.n = r->n_tasks,
				      .threads = r->method->one_by_one ? 1 : r->threads,
				      .fn = window_task_run,
				      .arg = r});
}

struct slice windows_of_slice(const struct frame *f, const struct params *p, struct slice s)
{
	size_t n = windows_count(f->n_times, p->window, p->shift);
	size_t end = (s.to + p->shift - 1) / p->shift;

	return (struct slice){(s.from + p->shift - 1) / p->shift, end < n ? end : n};
}

/* ---- training ---------------------------------------------------------------------------------*/

void *window_run_train(const struct method *method, const struct peers *peers, struct model *m)
{
	struct window_run *r = window_run_new(method, peers, &m->params);
	size_t first = m->n_trained;

	if (!r)
		return NULL;
	r->train = m;
	for (size_t i = 0; i < r->n_rows; i++)
		if (!model_add(m, method->name, task_metric(&r->tasks[i]))) {
			window_run_free(r);
			return NULL;
		}
	for (size_t i = 0; i < r->n_tasks; i++)
		r->tasks[i].row = first + i % r->n_rows;
	return r;
}

int window_run_train_slice(void *state, struct slice s, unsigned int pass)
{
	(void)pass;
	return window_run_slice(state, s);
}

/* Windows trained on: of the group that had most. */
int window_run_train_end(void *state, unsigned int pass)
{
	struct window_run *r = state;

	(void)pass;
	for (size_t i = 0; i < r->n_tasks; i++) {
		struct trained *t = &r->train->trained[r->tasks[i].row];

		t->windows = r->tasks[i].windows > t->windows ? r->tasks[i].windows : t->windows;
	}
	return 0;
}

/* ---- judging ----------------------------------------------------------------------------------*/

/* The thresholds of one metric for a group's nodes, and who is blind for it. */
static int set_thresholds(struct window_run *r, struct window_task *t, const size_t *index)
{
	int err = 0;

	for (size_t i = 0; i < t->f->n_nodes && !err; i++) {
		struct blind b = {.node = i,
				  .method = r->method->name,
				  .metric = t->metric,
				  .threshold = NAN};
		double value = t->trained ? t->trained->value[index[t->f->row[i]]] : NAN;

		if (!isnan(value) && r->method->threshold(r->p, value, &b))
			err = judgement_add_blind(r->j, t->f, &b);
		t->threshold[i] = b.threshold;
	}
	return err;
}

void *window_run_judge(const struct method *method, const struct peers *peers,
		       const struct model *m, const size_t *index, struct judgement *j)
{
	struct window_run *r = window_run_new(method, peers, &m->params);
	bool ok = r != NULL;

	if (r)
		r->j = j;
	for (size_t i = 0; ok && i < r->n_tasks; i++) {
		struct window_task *t = &r->tasks[i];

		t->trained = model_find(m, method->name, task_metric(t));
		t->threshold = calloc(t->f->n_nodes + 1, sizeof(double));
		t->votes = calloc(t->f->n_nodes + 1, sizeof(*t->votes));
		t->coverage = (struct coverage){.metric = t->metric,
						.method = method->name,
						.trained = t->trained ? t->trained->windows : 0};
		ok = t->threshold && t->votes && !set_thresholds(r, t, index);
	}
	if (ok)
		return r;
	window_run_free(r);
	return NULL;
}

struct explained window_run_blank(const struct window_run *r, const struct window_task *t, size_t w,
				  size_t node)
{
	return (struct explained){.method = r->method->name,
				  .metric = t->metric,
				  .window = w,
				  .node = node,
				  .from_ns = frame_time(t->f, w * r->p->shift),
				  .mean = NAN,
				  .peers = NAN,
				  .score = NAN,
				  .threshold = t->threshold[node],
				  .verdict = VOTE_ABSTAIN};
}

int window_run_vote(struct window_run *r, struct window_task *t, const struct explained *e,
		    double key)
{
	vote_push(&t->votes[e->node], r->j->votes, e->window, e->verdict,
		  (struct vote_odd){key, e->mean, e->peers});
	return judgement_explain(r->j, t->f, e);
}

int window_run_judge_end(void *state)
{
	struct window_run *r = state;
	int err = 0;

	for (size_t i = 0; i < r->n_tasks && !err; i++) {
		struct window_task *t = &r->tasks[i];

		err = judgement_add_votes(r->j, t->f, &t->coverage, t->votes, r->p->window,
					  r->p->shift);
	}
	return err;
}
