// SPDX-License-Identifier: BSD-2-Clause
/* stragglers.h: from states and the engine's verdict to jobs, stragglers, causes and decisions, table by table. */
#include "stragglers.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "roster.h"
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

bool task_counts(const struct stragglers *g, const struct found_task *t)
{
	return !g->running || g->s->at[t->state].outcome == OUTCOME_OPEN;
}

static void count_tasks(struct stragglers *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct state *x = &g->s->at[g->at[i].state];
		struct straggler_job *j = &g->v->jobs[g->at[i].job];

		if (!task_counts(g, &g->at[i]))
			continue;
		j->from_ns = !j->tasks || x->start_ns < j->from_ns ? x->start_ns : j->from_ns;
		j->to_ns = !j->tasks || x->end_ns > j->to_ns ? x->end_ns : j->to_ns;
		j->tasks++;
		j->looked_at++;
	}
}

/* ---- the tables --------------------------------------------------------------------------------------------------- */

static int take_programs(struct table_rows *t, enum program_ask ask, const struct string_list *list)
{
	size_t before = 0;
	int err = 0;

	for (enum program_ask k = 0; k < ask; k++)
		before += t->n[k];
	for (size_t i = 0; i < list->n && !err; i++) {
		if (before + i == PROGRAMS_MAX)
			return fail("more than %d programs: '%s'", PROGRAMS_MAX, list->at[i]),
			       -EINVAL;
		err = user_program(&t->program[before + i], list->at[i]);
		t->n[ask]++;
	}
	return err;
}

static int rows_of_options(struct table_rows *t, const struct analysis_opts *o)
{
	return take_programs(t, ASK_SYMPTOM, &o->symptoms)
		       ?: take_programs(t, ASK_DIAGNOSER, &o->diagnosers)
		       ?: take_programs(t, ASK_DECISION, &o->decisions);
}

/* Program i of all. */
static int ask_program(struct stragglers *g, struct table_rows *t, enum program_ask ask, size_t i,
		       size_t cause)
{
	return t->roster ? roster_ask(t, i, g, cause) : program_ask(g, &t->program[i], ask, cause);
}

static int run_symptoms(struct stragglers *g, struct table_rows *t)
{
	int err = 0;

	for (const struct symptom *s = symptoms; s->word && !err; s++)
		if (!t->stopped[ASK_SYMPTOM][s - symptoms] && (s->running || !g->running))
			err = s->find(g);
	for (size_t i = 0; i < t->n[ASK_SYMPTOM] && !err; i++)
		err = ask_program(g, t, ASK_SYMPTOM, i, 0);
	for (size_t i = 0; i < g->n; i++)
		g->v->jobs[g->at[i].job].stragglers += g->at[i].straggler;
	return err;
}

static void diagnose(struct stragglers *g, const struct diagnoser *d, size_t cause)
{
	for (size_t i = 0; i < g->n; i++) {
		struct found_task *t = &g->at[i];

		if (!task_counts(g, t) || !d->known(g, t))
			continue;
		g->v->jobs[t->job].known |= (uint32_t)1 << cause;
		if (d->holds(g, t))
			t->causes |= (uint32_t)1 << cause;
	}
}

int diagnosers_all(const struct user_program *own, size_t n_own, struct diagnosers_all *all)
{
	ssize_t bad;

	*all = (struct diagnosers_all){0};
	for (const struct diagnoser *d = diagnosers; d->word; d++, all->n++) {
		all->word[all->n] = d->word;
		all->after[all->n] = d->after;
	}
	all->built_in = all->n;
	for (size_t i = 0; i < n_own; i++, all->n++) {
		if (all->n == TASK_CAUSES_MAX)
			return -ENOSPC;
		all->word[all->n] = own[i].word;
		all->after[all->n] = own[i].after;
	}
	bad = diagnosers_order(all->word, all->after, all->n, all->order);
	all->bad = (size_t)bad;
	return bad >= 0 ? -EINVAL : 0;
}

/* One that others run after may be stopped: they run without it. */
static int run_diagnosers(struct stragglers *g, struct table_rows *t)
{
	struct diagnosers_all all;
	int err = diagnosers_all(&t->program[t->n[ASK_SYMPTOM]], t->n[ASK_DIAGNOSER], &all);

	if (err == -ENOSPC)
		return fail("more than %zu programs of '--diagnoser'",
			    TASK_CAUSES_MAX - all.built_in),
		       -EINVAL;
	if (err)
		return fail("'--diagnoser': '%s' runs after '%s', which is no diagnoser or runs "
			    "after it",
			    all.word[all.bad], all.after[all.bad] ?: ""),
		       -EINVAL;
	for (size_t i = 0; i < all.n; i++) {
		struct task_cause *c = &g->v->task_causes[i];

		snprintf(c->word, sizeof(c->word), "%s", all.word[i]);
		snprintf(c->what, sizeof(c->what), "%s",
			 i < all.built_in ? diagnosers[i].what : all.word[i]);
	}
	g->v->n_task_causes = all.n;
	for (size_t i = 0; i < all.n && !err; i++) {
		size_t k = all.order[i];

		if (k >= all.built_in)
			err = ask_program(g, t, ASK_DIAGNOSER, t->n[ASK_SYMPTOM] + k - all.built_in,
					  k);
		else if (!t->stopped[ASK_DIAGNOSER][k])
			diagnose(g, &diagnosers[k], k);
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
static int run_decisions(struct stragglers *g, struct table_rows *t)
{
	int err = 0;

	for (size_t i = 0; i < t->n[ASK_DECISION] && !err; i++)
		err = ask_program(g, t, ASK_DECISION, t->n[ASK_SYMPTOM] + t->n[ASK_DIAGNOSER] + i,
				  0);
	for (size_t i = 0; i < g->v->n_jobs && !err; i++) {
		struct straggler_job *j = &g->v->jobs[i];

		for (const struct decision *d = decisions; d->word && !*j->decision; d++)
			if (!t->stopped[ASK_DECISION][d - decisions] && j->stragglers &&
			    d->decide(g, j, i))
				snprintf(j->decided_by, sizeof(j->decided_by), "%s", d->word);
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

static int find_stragglers(struct stragglers *g, struct table_rows *t)
{
	int err = stragglers_servers(g);

	err = err ?: stragglers_tasks(g);
	if (!err && g->running)
		err = stragglers_show_states(g);
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
	err = err ?: run_decisions(g, t) ?: add_stragglers(g) ?: stragglers_explain(g);
	return err || !g->running ? err : stragglers_waited(g) ?: stragglers_show(g);
}

static int find_all(struct stragglers *g, struct table_rows *t)
{
	int err;

	g->restarted = scratch_array(&g->room, g->s->n, sizeof(*g->restarted));
	g->twin = scratch_array(&g->room, g->s->n, sizeof(*g->twin));
	g->waited_for = scratch_array(&g->room, g->s->n, sizeof(*g->waited_for));
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
	struct table_rows t = {0};
	int err = rows_of_options(&t, o);

	if (!err && o->hardware)
		err = hardware_load(&g.hardware, o->hardware);
	if (!err)
		err = find_all(&g, &t);
	table_rows_release(&t);
	return err;
}

int stragglers_running(struct verdict *v, const struct states *s, const struct analysis_opts *o,
		       struct roster *roster)
{
	struct stragglers g = {.o = o, .s = s, .v = v, .running = true};
	struct table_rows t = {0};
	int err = roster ? roster_take(roster, &t) : 0;

	if (!err)
		err = find_all(&g, &t);
	table_rows_release(&t);
	return err;
}
