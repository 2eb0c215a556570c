// SPDX-License-Identifier: BSD-2-Clause
/* stragglers.h: from states and the engine's verdict to jobs, stragglers, causes and decisions, table by table. */
#include "stragglers.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "programs.h"
#include "task_facts.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/text_clean.h"

void job_sign(struct straggler_job *j, const char *word, const char *fmt, ...)
{
	struct job_sign *s = &j->signs[j->n_signs];
	va_list ap;

	for (size_t i = 0; i < j->n_signs; i++)
		if (!strcmp(j->signs[i].word, word))
			return;
	if (j->n_signs == JOB_SIGNS_MAX)
		return;
	snprintf(s->word, sizeof(s->word), "%s", word);
	va_start(ap, fmt);
	vsnprintf(s->what, sizeof(s->what), fmt, ap);
	va_end(ap);
	text_clean(s->what);
	j->n_signs++;
}

/* ---- what is usual ------------------------------------------------------------------------------------------------ */

static double cpu_s(const struct state *x)
{
	return x->outcome == OUTCOME_OPEN ? NAN : x->cpu_s;
}

/* The median of what is known of each cell. */
static double median_of(const struct stragglers *g, size_t from, size_t to,
			double (*of)(const struct state *), double *some)
{
	size_t n = 0;

	for (; from < to; from++) {
		double v = of(&g->s->at[g->at[from].state]);

		if (!isnan(v))
			some[n++] = v;
	}
	return stats_quantile(some, n, 0.5);
}

static int usual_needs(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	double *some = scratch_array(&room, g->n, sizeof(*some));

	if (!some)
		return -ENOMEM;
	for (size_t i = 0, end; i < g->n; i = end) {
		double bytes, cpu;

		end = run_end(m, i, g->n, g->at[m].cell == g->at[i].cell);
		bytes = median_of(g, i, end, task_volume, some);
		cpu = median_of(g, i, end, cpu_s, some);
		for (size_t k = i; k < end; k++) {
			g->at[k].usual_volume = bytes;
			g->at[k].usual_cpu_s = cpu;
		}
	}
	return 0;
}

static void best_hardware(struct stragglers *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct state *x = &g->s->at[g->at[i].state];
		const struct hardware *h = hardware_of(g->hardware, g->s->nodes.at[x->node]);

		if (h && h->cores > g->best.cores)
			g->best.cores = h->cores;
		if (h && h->memory_bytes > g->best.memory_bytes)
			g->best.memory_bytes = h->memory_bytes;
	}
}

/* Whether it counts: while jobs run, only tasks do that run, too. */
static bool counts(const struct stragglers *g, const struct found_task *t)
{
	return !g->running || g->s->at[t->state].outcome == OUTCOME_OPEN;
}

static void count_tasks(struct stragglers *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct state *x = &g->s->at[g->at[i].state];
		struct straggler_job *j = &g->v->jobs[g->at[i].job];

		if (!counts(g, &g->at[i]))
			continue;
		j->from_ns = !j->tasks || x->start_ns < j->from_ns ? x->start_ns : j->from_ns;
		j->to_ns = !j->tasks || x->end_ns > j->to_ns ? x->end_ns : j->to_ns;
		j->tasks++;
		j->looked_at++;
	}
}

/* ---- the tables --------------------------------------------------------------------------------------------------- */

struct tables {
	struct user_program program[PROGRAMS_MAX];
	/* Of the programs: those first, then these, then decisions. */
	size_t n, symptoms, diagnosers;
};

static int take_programs(struct tables *t, const struct string_list *list)
{
	int err = 0;

	for (size_t i = 0; i < list->n && !err; i++) {
		if (t->n == PROGRAMS_MAX)
			return fail("more than %d programs: '%s'", PROGRAMS_MAX, list->at[i]),
			       -EINVAL;
		err = user_program(&t->program[t->n++], list->at[i]);
	}
	return err;
}

static int tables_init(struct tables *t, const struct analysis_opts *o)
{
	int err = take_programs(t, &o->symptoms);

	t->symptoms = t->n;
	err = err ? err : take_programs(t, &o->diagnosers);
	t->diagnosers = t->n - t->symptoms;
	return err ? err : take_programs(t, &o->decisions);
}

static int run_symptoms(struct stragglers *g, const struct tables *t)
{
	int err = 0;

	for (const struct symptom *s = symptoms; s->word && !err; s++)
		err = s->running || !g->running ? s->find(g) : 0;
	for (size_t i = 0; i < t->symptoms && !err; i++)
		err = program_ask(g, &t->program[i], ASK_SYMPTOM, 0);
	for (size_t i = 0; i < g->n; i++)
		g->v->jobs[g->at[i].job].stragglers += g->at[i].straggler;
	return err;
}

static void diagnose(struct stragglers *g, const struct diagnoser *d, size_t cause)
{
	for (size_t i = 0; i < g->n; i++) {
		struct found_task *t = &g->at[i];

		if (!counts(g, t) || !d->known(g, t))
			continue;
		g->v->jobs[t->job].known |= (uint32_t)1 << cause;
		if (d->holds(g, t))
			t->causes |= (uint32_t)1 << cause;
	}
}

static int run_diagnosers(struct stragglers *g, const struct tables *t)
{
	const struct user_program *own = &t->program[t->symptoms];
	const char *word[TASK_CAUSES_MAX + PROGRAMS_MAX] = {0};
	const char *after[TASK_CAUSES_MAX + PROGRAMS_MAX] = {0};
	size_t order[TASK_CAUSES_MAX + PROGRAMS_MAX], n = 0, built_in;
	ssize_t bad;
	int err = 0;

	for (const struct diagnoser *d = diagnosers; d->word; d++, n++) {
		word[n] = d->word;
		after[n] = d->after;
	}
	built_in = n;
	for (size_t i = 0; i < t->diagnosers; i++, n++) {
		word[n] = own[i].word;
		after[n] = own[i].after;
	}
	if (n > TASK_CAUSES_MAX)
		return fail("more than %zu programs of '--diagnoser'", TASK_CAUSES_MAX - built_in),
		       -EINVAL;
	bad = diagnosers_order(word, after, n, order);
	if (bad >= 0)
		return fail("'--diagnoser': '%s' runs after '%s', which is no diagnoser or runs "
			    "after it",
			    word[bad], after[bad] ?: ""),
		       -EINVAL;
	for (size_t i = 0; i < n; i++) {
		struct task_cause *c = &g->v->task_causes[i];

		snprintf(c->word, sizeof(c->word), "%s", word[i]);
		snprintf(c->what, sizeof(c->what), "%s",
			 i < built_in ? diagnosers[i].what : word[i]);
	}
	g->v->n_task_causes = n;
	for (size_t i = 0; i < n && !err; i++) {
		if (order[i] < built_in)
			diagnose(g, &diagnosers[order[i]], order[i]);
		else
			err = program_ask(g, &own[order[i] - built_in], ASK_DIAGNOSER, order[i]);
	}
	return err;
}

static void count_causes(struct stragglers *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t c = 0; c < g->v->n_task_causes; c++) {
			struct straggler_job *j = &g->v->jobs[g->at[i].job];
			bool has = g->at[i].causes >> c & 1;

			j->all[c] += has;
			j->of[c] += has && g->at[i].straggler;
		}
}

/* A program's sentence goes before those of the table. */
static int run_decisions(struct stragglers *g, const struct tables *t)
{
	int err = 0;

	for (size_t i = t->symptoms + t->diagnosers; i < t->n && !err; i++)
		err = program_ask(g, &t->program[i], ASK_DECISION, 0);
	for (size_t i = 0; i < g->v->n_jobs && !err; i++) {
		struct straggler_job *j = &g->v->jobs[i];

		for (const struct decision *d = decisions; d->word && !*j->decision; d++)
			if (j->stragglers && d->decide(g, j, i, j->decision, sizeof(j->decision)))
				break;
	}
	return err;
}

/* ---- the verdict ---------------------------------------------------------------------------------------------------- */

static int add_stragglers(struct stragglers *g)
{
	struct verdict *v = g->v;

	for (size_t i = 0; i < g->n; i++) {
		const struct found_task *t = &g->at[i];
		const struct state *x = &g->s->at[t->state];
		struct straggler new = {.node = t->node,
					.job = t->job,
					.flagged = t->flagged,
					.judged = t->judged,
					.running = x->outcome == OUTCOME_OPEN,
					.start_ns = x->start_ns,
					.onset_ns = t->onset_ns,
					.last_ns = t->last_ns,
					.performance = NAN,
					.median = NAN,
					.takes_s = t->takes_s,
					.usual_s = t->usual_s,
					.causes = t->causes};

		if (!t->straggler || t->node == SIZE_MAX || x->start_ns >= g->o->to_ns ||
		    x->end_ns < g->o->from_ns)
			continue;
		snprintf(new.task, sizeof(new.task), "%s", g->s->ids.at[x->id]);
		if (array_put(&v->stragglers, &v->n_stragglers, new))
			return -ENOMEM;
	}
	stragglers_in_order(v->stragglers, v->n_stragglers);
	return 0;
}

static int find_stragglers(struct stragglers *g, const struct tables *t)
{
	int err = stragglers_servers(g);

	err = err ?: stragglers_tasks(g);
	if (!err && g->running && !g->n)
		return 0;
	err = err ?: task_attempts(g->s, g->restarted, g->twin);
	err = err ?: usual_needs(g);
	if (err)
		return err;
	best_hardware(g);
	count_tasks(g);
	err = run_symptoms(g, t) ?: run_diagnosers(g, t);
	count_causes(g);
	return err ?: run_decisions(g, t) ?: add_stragglers(g);
}

static int find_all(struct stragglers *g, const struct tables *t)
{
	int err;

	g->restarted = scratch_array(&g->room, g->s->n, sizeof(*g->restarted));
	g->twin = scratch_array(&g->room, g->s->n, sizeof(*g->twin));
	err = g->room.failed ? -ENOMEM : find_stragglers(g, t);
	if (err == -ENOMEM)
		fail("out of memory");
	hardware_free(g->hardware);
	scratch_release(&g->room);
	return err;
}

int stragglers_find(struct verdict *v, const struct states *s, const struct analysis_opts *o)
{
	struct stragglers g = {.o = o, .s = s, .v = v};
	struct tables t = {0};
	int err = tables_init(&t, o);

	if (!err && o->hardware)
		err = hardware_load(&g.hardware, o->hardware);
	if (!err)
		err = find_all(&g, &t);
	for (size_t i = 0; i < t.n; i++)
		user_program_release(&t.program[i]);
	return err;
}

int stragglers_running(struct verdict *v, const struct states *s, const struct analysis_opts *o)
{
	struct stragglers g = {.o = o, .s = s, .v = v, .running = true};

	return find_all(&g, &(struct tables){0});
}
