// SPDX-License-Identifier: BSD-2-Clause
/* One signal: looks at all of its values, at each job's and at parts of the time; and the test of evidence over time. */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

double states_chance_together(const struct states_job *j)
{
	const struct look_params p = LOOK_PARAMS_DEFAULT;

	return fmin(p.chance, j->o->budget) / 2;
}

double states_chance(const struct states_job *j, size_t looks)
{
	return states_chance_together(j) / fmax(1, j->looks) / (double)(looks ? looks : 1);
}

struct finding_about states_about(const struct states_job *j, size_t signal, size_t node)
{
	return (struct finding_about){.signal = j->signals[signal].row,
				      .node = node,
				      .open = true,
				      .symptom = !j->signals[signal].indicts};
}

struct state_found states_found(size_t signal, const struct finding_about *about,
				const struct evidence *e)
{
	return (struct state_found){.e = finding_make(about, e),
				    .level = e->level,
				    .job = STATE_NONE,
				    .peers = e->n_peers,
				    .signal = signal};
}

static double margin(const struct state_found *f)
{
	return f->e.needs > 0 ? f->e.score / f->e.needs : 0;
}

int states_keep(struct states_job *j, const struct state_found *f)
{
	struct state_found *at = NULL;

	/* found by signal: those of one signal are at the end */
	for (size_t i = j->n_found; i-- > 0 && j->found[i].signal == f->signal && !at;)
		if (j->found[i].e.node == f->e.node)
			at = &j->found[i];
	if (at && (at->level > f->level || (at->level == f->level && margin(at) >= margin(f))))
		return 0;
	if (!at)
		at = array_add(&j->found, &j->n_found);
	if (!at)
		return -ENOMEM;
	*at = *f;
	return 0;
}

int states_used(struct states_job *j, size_t signal, size_t node, double least)
{
	size_t row = j->signals[signal].row;

	if (j->a->signals[row].resource == RESOURCE_NONE)
		return 0;
	return verdict_used(j->a, &(struct unproven){.node = node,
						     .resource = j->a->signals[row].resource,
						     .signal = row,
						     .seen = isfinite(least) ? exp(least) : 0});
}

static int by_node(const void *a, const void *b)
{
	const struct state_value *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->cell, y->cell) ?: ORDER(x->state, y->state);
}

static int by_group_job_node(const void *a, const void *b, void *arg)
{
	const struct state_value *x = a, *y = b;
	const struct states_job *j = arg;

	return ORDER(j->group[x->node], j->group[y->node]) ?: ORDER(x->job, y->job) ?: by_node(a, b);
}

/* ---- all looks ------------------------------------------------------------------------------------ */

static size_t end_of_job(const struct state_value *v, size_t i, size_t n)
{
	uint32_t job = v[i].job;

	while (i < n && v[i].job == job)
		i++;
	return i;
}

/* Jobs that a look may be worth: enough values, if they are spread well. */
static size_t count_jobs(const struct state_value *v, size_t n)
{
	size_t jobs = 0, next;

	for (size_t i = 0; i < n; i = next) {
		next = end_of_job(v, i, n);
		jobs += next - i >= STATES_NODES * STATES_VALUES;
	}
	return jobs;
}

static int by_end(const void *a, const void *b, void *arg)
{
	const struct state_value *x = a, *y = b;
	const struct state *at = ((const struct states_job *)arg)->s->at;

	return ORDER(at[x->state].end_ns, at[y->state].end_ns) ?: by_node(a, b);
}

/* First the whole, then halves, then quarters. */
static size_t parts_of(size_t part)
{
	return part < 1 ? 1 : part < 3 ? 2 : 4;
}

struct range {
	int64_t from_ns, to_ns;
};

static struct range part_of(struct range all, size_t part)
{
	size_t of = parts_of(part), k = part + 1 - of;
	int64_t step = (all.to_ns - all.from_ns) / (int64_t)of;
	int64_t from = all.from_ns + (int64_t)k * step;

	return (struct range){from, k + 1 == of ? all.to_ns : from + step};
}

void states_part(const struct states_job *j, size_t part, int64_t *from_ns, int64_t *to_ns)
{
	struct range r = part_of((struct range){j->a->from_ns, j->a->to_ns}, part);

	*from_ns = r.from_ns;
	*to_ns = r.to_ns;
}

/*
 * Of which time the parts are: the log's, so that those of all kinds are the same; but the kind's own if half of a
 * quarter of the log holds it, as where daemons' clocks are hours from those of the jobs. v by end.
 */
static struct range time_of(const struct states_job *j, const struct state_value *v, size_t n)
{
	struct range own = {j->s->at[v[0].state].end_ns, j->s->at[v[n - 1].state].end_ns};
	struct range all = {j->a->from_ns, j->a->to_ns};

	/* A time that is wrong by centuries has no eightfold. */
	return 8 * (double)(own.to_ns - own.from_ns) < (double)(all.to_ns - all.from_ns) ? own
											 : all;
}

/*
 * Looks at what ended in each part of the time: trouble that came with the second half is half of all values. Half of the chance is
 * the whole's; where there are many jobs, the look at it is of none of them.
 */
static int look_in_parts(struct state_look *l, struct state_value *v, size_t n, double chance,
			 double rest, bool many)
{
	const struct state *at = l->j->s->at;
	bool together = states_together_has(l->j, l->signal);
	uint32_t job = many ? STATE_NONE : v[0].job;
	struct range all = {0, 0};
	size_t i = 0;
	int err = 0;

	for (size_t part = 0; part < PARTS && !err; part++) {
		size_t first;
		int64_t to;

		if (part + 1 == parts_of(part)) {
			sort_with(v, n, by_end, l->j);
			all = time_of(l->j, v, n);
			i = 0;
		}
		to = part_of(all, part).to_ns;
		first = i;
		while (i < n && (part + 2 == 2 * parts_of(part) || at[v[i].state].end_ns < to))
			i++;
		/* each value is looked at once: what is sorted by node is not needed again in order */
		sort(&v[first], i - first, by_node);
		l->given = &v[first];
		err = states_look(l, i - first, part ? rest / (PARTS - 1) : chance,
				  part ? STATE_NONE : job);
		if (!err && together)
			err = states_look_together(l, i - first, part);
	}
	return err;
}

/*
 * One group's values, in order of jobs and nodes. Half of the chance is the look at all of them; the other half is shared by
 * each job, where there are several, and by parts of the time.
 */
static int one_group(struct state_look *l, struct state_value *v, size_t n)
{
	size_t jobs = count_jobs(v, n), next;
	bool many = end_of_job(v, 0, n) < n;
	double chance = states_chance(l->j, 1), rest = chance / (many ? 4 : 2);
	int err = 0;

	for (size_t i = 0; i < n && !err && many; i = next) {
		next = end_of_job(v, i, n);
		l->given = &v[i];
		err = states_look(l, next - i, rest / (double)(jobs ? jobs : 1), v[i].job);
	}
	if (!err)
		err = look_in_parts(l, v, n, chance / 2, rest, many);
	sort(v, n, by_node);
	if (!err)
		err = states_follow(l->j, l->signal, v, n);
	if (!err && l->j->o->explain)
		err = states_explain(l->j, l->signal, v, n);
	return err;
}

static void count_values(struct states_job *j, const struct state_value *v, size_t n)
{
	size_t next;

	for (size_t i = 0; i < n; i = next) {
		struct state_reason *r = &j->reasons[v[i].node];

		for (next = i; next < n && v[next].node == v[i].node; next++)
			;
		r->compared = true;
		r->values = next - i > r->values ? next - i : r->values;
	}
}

int states_judge(struct states_job *j, size_t signal, struct state_value *v, size_t n)
{
	struct state_look l = {.j = j, .signal = signal};
	int err = look_init(&l, n);
	size_t next;

	sort(v, n, by_node);
	count_values(j, v, n);
	sort_with(v, n, by_group_job_node, j);
	for (size_t i = 0; i < n && !err; i = next) {
		for (next = i; next < n && j->group[v[next].node] == j->group[v[i].node]; next++)
			;
		err = one_group(&l, &v[i], next - i);
	}
	look_release(&l);
	return err;
}
