// SPDX-License-Identifier: BSD-2-Clause
/*
 * Examines a table (examine.h): one column, or all that are known, of servers compared in cells of
 * another column, and gives the verdict on it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examine_table.h"
#include "tables_columns.h"
#include "tables_job.h"
#include "analyzer/input/frame/frame.h"
#include "analyzer/input/peers.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

/* ---- nodes and their groups ------------------------------------------------------------------ */

struct named {
	const char *name;
	size_t number;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int list_nodes(struct job *j)
{
	const struct names *names = &j->t->nodes;
	struct named *order = calloc(names->n + 1, sizeof(*order));
	struct verdict *a = j->a;

	a->nodes = calloc(names->n + 1, sizeof(*a->nodes));
	a->judged = calloc(names->n + 1, sizeof(*a->judged));
	j->row = calloc(names->n + 1, sizeof(*j->row));
	j->group = calloc(names->n + 1, sizeof(*j->group));
	j->in_group = calloc(names->n + 1, sizeof(*j->in_group));
	j->reasons = calloc(names->n + 1, sizeof(*j->reasons));
	if (!order || !a->nodes || !a->judged || !j->row || !j->group || !j->in_group ||
	    !j->reasons) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < names->n; i++)
		order[i] = (struct named){names->at[i], i};
	sort(order, names->n, by_name);
	for (size_t i = 0; i < names->n; i++) {
		snprintf(a->nodes[i], sizeof(a->nodes[i]), "%s", order[i].name);
		j->row[order[i].number] = i;
	}
	a->n_nodes = names->n;
	free(order);
	return 0;
}

static int group_nodes(struct job *j)
{
	struct peers_file *p = NULL;
	bool *there; /* of each node: it has a value in this time */
	size_t *count;
	int err = 0;

	if (j->o->peers)
		err = peers_load(&p, j->o->peers);
	if (err)
		return err;
	if (p)
		peers_warn(p, (const char(*)[HOST_LEN])j->a->nodes, j->a->n_nodes, j->o->peers);
	count = calloc(peers_groups(p) + 1, sizeof(*count));
	there = calloc(j->a->n_nodes + 1, sizeof(*there));
	if (!count || !there) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < j->runs.n; i++)
		there[j->row[j->runs.at[i].node]] = true;
	for (size_t i = 0; i < j->a->n_nodes; i++) {
		j->group[i] = peers_group(p, j->a->nodes[i]);
		if (j->group[i] >= 0)
			count[j->group[i]] += there[i];
	}
	for (size_t i = 0; i < j->a->n_nodes; i++)
		j->in_group[i] = j->group[i] >= 0 && there[i] ? count[j->group[i]] : 0;
out:
	free(there);
	free(count);
	peers_free(p);
	return err;
}

/* Disks of one name on so many servers are peers of each other. */
enum { SAME_NAME_PEERS = 4 };

/* ---- columns --------------------------------------------------------------------------------- */

/* Values of one interval whose mean is nearly normal: then 4 intervals make a window, else 16. */
enum { MANY_VALUES = 30, SHORTEST_MANY = 2 };

/* How many columns may indict: they share the budget. */
static double columns_that_indict(const struct table_columns *c)
{
	double n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->at[i].row.role == ROLE_LOCAL;
	return fmax(1, n);
}

static struct table_signal signal_of(const struct job *j, const struct table_columns *c, size_t i)
{
	const struct table_column *x = &c->at[i];
	struct table_signal s = {
		.t = j->t,
		.metric = x->metric,
		.given = x->given,
		.row = &x->row,
		.evidence = EVIDENCE_PARAMS_DEFAULT,
		.look = LOOK_PARAMS_DEFAULT,
		.explain = j->o->explain,
	};

	s.evidence.budget = j->o->budget;
	s.evidence.looks = columns_that_indict(c);
	s.look.chance = fmin(s.look.chance, j->o->budget) / s.evidence.looks;
	if (x->row.ratio > 0) {
		s.evidence.gate = log(x->row.ratio * GATE_PART);
		s.evidence.gate_suspect = s.evidence.gate;
		s.evidence.gate_few = fmax(s.evidence.gate_few, log(x->row.ratio));
		s.look.gate = log(x->row.ratio);
	}
	return s;
}

static const char *given_name(const struct table_signal *s)
{
	if (s->loaded && s->given < 0)
		return "bytes";
	return s->given >= 0 ? s->t->metrics.at[s->given] : "";
}

static bool is_alone(const struct table_entity_verdict *v)
{
	return 2 * v->alone > v->alone + v->compared;
}

static bool is_judged(const struct table_found *f, size_t i)
{
	return f->at[i].tested && !is_alone(&f->at[i]) && !f->of;
}

static enum unjudged_why why_not_instance(const struct table_entity *e, const struct table_found *f,
					  size_t i)
{
	return !e->values	     ? UNJUDGED_NO_VALUE
	       : is_alone(&f->at[i]) ? UNJUDGED_LOAD
	       : f->of		     ? UNJUDGED_HALVES
				     : UNJUDGED_FEW_PEERS;
}

static int keep_lonely(struct job *j, size_t node, size_t signal)
{
	struct unjudged *x;

	for (size_t i = j->n_lonely; i-- > 0 && j->lonely[i].signal == signal;)
		if (j->lonely[i].node == node)
			return 0; /* of another instance */
	x = array_add(&j->lonely, &j->n_lonely);
	if (!x)
		return -ENOMEM;
	*x = (struct unjudged){.node = node, .signal = signal, .why = UNJUDGED_LOAD};
	return 0;
}

static int keep_reasons(struct job *j, const struct table_set *set, const struct table_found *f,
			const struct table_signal *s)
{
	int err = 0;

	for (size_t i = 0; i < set->n && !err; i++) {
		struct reason *r = &j->reasons[set->e[i].node];
		const struct table_entity_verdict *v = &f->at[i];

		r->values += set->e[i].values;
		r->span_s = fmax(r->span_s, s_of_ns(f->to_ns - f->from_ns));
		if (v->compared >= r->intervals) {
			r->intervals = v->compared;
			r->needed = 1U << (s->evidence.k_min - 1);
			r->interval_s = s_of_ns(s->interval_ns);
		}
		r->unlogged |= set->e[i].unlogged > 0;
		r->unloaded |= set->e[i].unloaded > 0;
		r->compared |= v->compared > 0;
		r->alone |= is_alone(v);
		r->judged |= is_judged(f, i);
		if (f->of) {
			r->slow = f->slow;
			r->of = f->of;
		}
		j->a->signals[s->signal].judged |= v->tested;
		if (is_alone(v))
			err = keep_lonely(j, set->e[i].node, s->signal);
	}
	return err;
}

static bool has_load(const struct table_signal *s, const struct table_set *set)
{
	/* A load that is nothing throughout tells nothing of what is asked of whom. */
	for (size_t i = 0; i < set->n && s->given >= 0; i++)
		for (size_t k = set->e[i].given_begin; k < set->e[i].given_end; k++)
			if (s->t->at[k].value > 0)
				return true;
	for (size_t i = 0; i < set->n && s->t->events; i++)
		for (size_t k = set->e[i].begin; k < set->e[i].end; k++)
			if (isfinite(s->t->at[k].bytes))
				return true;
	return false;
}

/* What the column's signal is among these peers. */
static int fit_signal(const struct job *j, struct table_signal *s, const struct table_set *set)
{
	size_t values;
	int err = table_interval(j->t, set, j->o->interval_s * 1e9, &s->interval_ns, &values);

	if (err)
		return err;
	s->evidence.interval_s = s_of_ns(s->interval_ns);
	s->evidence.k_min = EVIDENCE_PARAMS_DEFAULT.k_min;
	if (values >= MANY_VALUES)
		s->evidence.k_min = SHORTEST_MANY;
	s->loaded = has_load(s, set);
	return 0;
}

/* What the column is of was used there, and from which difference on it would have been suspicious. */
static int used(struct job *j, const struct table_signal *s, const struct table_set *set,
		const struct table_found *f)
{
	int err = 0;

	for (size_t i = 0; i < set->n && s->row->resource != RESOURCE_NONE && !err; i++) {
		const struct table_entity_verdict *v = &f->at[i];
		struct unproven u = {
			.node = set->e[i].node, .resource = s->row->resource, .signal = s->signal};

		if (!v->tested && !is_alone(v))
			continue;
		if (is_judged(f, i) && isfinite(v->least))
			u.seen = exp(v->least);
		snprintf(u.disk, sizeof(u.disk), "%s", table_about(s, &set->e[i]).disk);
		err = verdict_used(j->a, &u);
	}
	return err;
}

static int judge_set(struct job *j, struct table_signal *s, const struct table_set *set)
{
	struct table_found f = {.at = calloc(set->n + 1, sizeof(*f.at)), .least_indicted = NAN};
	struct verdict *a = j->a;
	int err = f.at ? fit_signal(j, s, set) : -ENOMEM;

	if (!err)
		err = table_follow(s, set->e, set->n, &f, a);
	if (!err) {
		err = keep_reasons(j, set, &f, s);
		if (!err)
			err = table_keep(j, &f, set, given_name(s));
		if (!err)
			err = used(j, s, set, &f);
		for (size_t i = 0; i < set->n && !err; i++)
			err = table_instance(j, &set->e[i], is_judged(&f, i),
					     why_not_instance(&set->e[i], &f, i));
		if (f.least_indicted > 0)
			a->signals[s->signal].seen =
				fmax(a->signals[s->signal].seen, exp(f.least_indicted));
	}
	if (!err && f.intervals) {
		a->from_ns = !a->n_windows || f.from_ns < a->from_ns ? f.from_ns : a->from_ns;
		a->to_ns = !a->n_windows || f.to_ns > a->to_ns ? f.to_ns : a->to_ns;
		if (f.intervals > a->n_windows) {
			a->n_windows = f.intervals;
			a->window_s = a->interval_s = s_of_ns(s->interval_ns);
		}
	}
	free(f.at);
	return err;
}

/* In a group of one server or two nobody is judged, and no disk of theirs by the other ones. */
static int pass_over(struct job *j, const struct table_set *set)
{
	int err = 0;

	for (size_t i = 0; i < set->n && !err; i++)
		err = table_instance(j, &set->e[i], false, UNJUDGED_FEW_SERVERS);
	return err;
}

/* The verdict's row of a column. */
static int add_signal(struct job *j, const struct table_column *c)
{
	struct verdict_signal *s = verdict_add_signal(j->a);

	if (!s)
		return -ENOMEM;
	snprintf(s->name, sizeof(s->name), "%s", c->row.name);
	snprintf(s->word, sizeof(s->word), "%s", c->row.word);
	s->role = c->row.role;
	s->resource = c->row.resource;
	s->floor = c->row.floor;
	s->added = c->row.c;
	s->inverse = c->row.inverse;
	s->relative = true;
	s->decimals = c->row.decimals;
	return 0;
}

static int judge_column(struct job *j, const struct table_columns *columns, size_t column)
{
	const struct table_column *c = &columns->at[column];
	struct table_signal s = signal_of(j, columns, column);
	struct table_sets sets = {0};
	int err;

	s.signal = j->a->n_signals;
	err = add_signal(j, c);
	if (!err)
		err = table_sets(&sets, j->t, &j->runs, c->metric, c->given, j->row, j->group,
				 SAME_NAME_PEERS);
	for (size_t i = 0; i < sets.n && !err; i++)
		err = j->in_group[sets.at[i].e->node] < TABLE_SERVERS
			      ? pass_over(j, &sets.at[i])
			      : judge_set(j, &s, &sets.at[i]);
	table_sets_release(&sets);
	return err;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int examine_columns(struct job *j, struct table_columns *c)
{
	struct verdict *a = j->a;
	int err = list_nodes(j);

	if (!err)
		err = table_runs(&j->runs, j->t, j->o->from_ns, j->o->to_ns);
	if (!err)
		err = group_nodes(j);
	if (!err && !j->runs.n)
		a->cannot.why = j->t->n ? CANNOT_NO_VALUE : CANNOT_NO_NUMBER;
	else if (!err && !c->n)
		a->cannot.why = CANNOT_NO_DIRECTION;
	for (size_t i = 0; i < c->n && !err; i++)
		err = judge_column(j, c, i);
	verdict_unproven_only(a);
	if (!err)
		err = table_indict(j);
	if (!err)
		err = table_unjudged(j);
	return err ? err : table_silence(j);
}

int examine_table(const struct analysis_opts *o, const struct sources *s, struct verdict *a)
{
	struct job j = {.o = o, .t = &s->table, .a = a};
	struct table_columns c = {0};
	int err = table_columns(&c, j.t, o);

	*a = (struct verdict){.method = ROBUST_NAME, .names_causes = true};

	if (!err)
		err = examine_columns(&j, &c);
	if (!err)
		err = table_notes(&j, c.unknown);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	table_columns_release(&c);
	free(j.runs.at);
	free(j.row);
	free(j.group);
	free(j.in_group);
	free(j.reasons);
	free(j.lonely);
	free(j.found);
	return err;
}
