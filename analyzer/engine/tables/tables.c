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
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

#define LN_1_05 0.04879016416943205
enum { CELL_VALUES = 3 }; /* a cell of a table needs so many */

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
	size_t *count;
	int err = 0;

	if (j->o->peers)
		err = peers_load(&p, j->o->peers);
	if (err)
		return err;
	if (p)
		peers_warn(p, (const char(*)[HOST_LEN])j->a->nodes, j->a->n_nodes, j->o->peers);
	count = calloc(peers_groups(p) + 1, sizeof(*count));
	if (!count) {
		peers_free(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < j->a->n_nodes; i++) {
		j->group[i] = peers_group(p, j->a->nodes[i]);
		if (j->group[i] >= 0)
			count[j->group[i]]++;
	}
	for (size_t i = 0; i < j->a->n_nodes; i++)
		j->in_group[i] = j->group[i] >= 0 ? count[j->group[i]] : 0;
	free(count);
	peers_free(p);
	return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The published defaults for tables. */
static struct robust_params params(const struct analysis_opts *o)
{
	struct robust_params p = examine_params(o);

	p.events = CELL_VALUES;
	p.track.sigma_min = LN_1_05;
	p.track.slow_sigma = LN_1_05;
	p.track.offset = false;
	p.track.apart = 1; /* windows do not overlap */
	return p;
}

static struct table_signal signal_of(const struct job *j, const struct table_column *c)
{
	struct table_signal s = {
		.t = j->t,
		.metric = c->metric,
		.given = c->given,
		.row = &c->row,
		.from_ns = j->o->from_ns,
		.to_ns = j->o->to_ns,
		.compare = {.events = j->p.events, .peers = j->p.peers},
		.track = j->p.track,
		.explain = j->p.explain,
	};

	s.track.ratio = fmax(s.track.ratio, c->row.ratio);
	s.track.few_ratio = fmax(s.track.few_ratio, c->row.ratio);
	return s;
}

static const char *given_name(const struct table_signal *s, const struct table_set *set)
{
	if (s->t->events && isfinite(s->t->at[set->e[0].begin].bytes))
		return "bytes";
	return s->given >= 0 ? s->t->metrics.at[s->given] : "";
}

static void keep_reasons(struct job *j, const struct table_set *set, const struct table_found *f,
			 const struct table_signal *s)
{
	for (size_t i = 0; i < set->n; i++) {
		struct reason *r = &j->reasons[set->e[i].node];

		r->any = true;
		r->unlogged |= set->e[i].unlogged > 0;
		if (f->judged[i] > r->judged || !r->judged) {
			r->judged = f->judged[i];
			r->window_s = s_of_ns(s->window_ns);
		}
		r->most = set->e[i].most > r->most ? set->e[i].most : r->most;
		j->a->signals[s->signal].judged |= f->judged[i] >= j->p.track.votes;
	}
}

static int judge_set(struct job *j, const struct table_signal *s, const struct table_set *set)
{
	struct table_found f = {.judged = calloc(set->n + 1, sizeof(*f.judged))};
	struct verdict *a = j->a;
	int err = f.judged ? table_follow(s, set->e, set->n, &f, a) : -ENOMEM;

	if (!err) {
		keep_reasons(j, set, &f, s);
		err = table_keep(j, &f, given_name(s, set));
		for (size_t i = 0; i < set->n && !err; i++)
			err = table_instance(j, &set->e[i], f.judged[i] >= j->p.track.votes,
					     !set->e[i].most ? UNJUDGED_NO_VALUE
							     : UNJUDGED_FEW_PEERS);
	}
	if (!err && f.windows) {
		a->from_ns = !a->n_windows || f.from_ns < a->from_ns ? f.from_ns : a->from_ns;
		a->to_ns = !a->n_windows || f.to_ns > a->to_ns ? f.to_ns : a->to_ns;
		if (f.windows > a->n_windows) {
			a->n_windows = f.windows;
			a->window_s = a->interval_s = s_of_ns(s->window_ns);
		}
	}
	free(f.at);
	free(f.ruled_out);
	free(f.low);
	free(f.unlike);
	free(f.judged);
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
	s->floor = c->row.floor;
	s->relative = true;
	s->decimals = c->row.decimals;
	return 0;
}

static int judge_column(struct job *j, const struct table_column *c)
{
	struct table_signal s = signal_of(j, c);
	struct table_sets sets = {0};
	int err = table_window(j->t, &j->runs, c->metric, &s.window_ns);

	s.signal = j->a->n_signals;
	if (!err)
		err = add_signal(j, c);

	if (!err)
		err = table_sets(&sets, j->t, &j->runs, c->metric, c->given, j->row, j->group,
				 j->p.peers);
	for (size_t i = 0; i < sets.n && !err; i++)
		err = judge_set(j, &s, &sets.at[i]);
	table_sets_release(&sets);
	return err;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int examine_columns(struct job *j, struct table_columns *c)
{
	struct verdict *a = j->a;
	int err = list_nodes(j);

	if (!err)
		err = group_nodes(j);
	if (!err)
		err = table_runs(&j->runs, j->t, j->o->from_ns, j->o->to_ns);
	if (!err && !j->runs.n)
		a->cannot.why = j->t->n ? CANNOT_NO_VALUE : CANNOT_NO_NUMBER;
	else if (!err && !c->n)
		a->cannot.why = CANNOT_NO_DIRECTION;
	for (size_t i = 0; i < c->n && !err; i++)
		err = judge_column(j, &c->at[i]);
	if (!err)
		err = table_indict(j);
	return err ? err : table_unjudged(j);
}

int examine_table(const struct analysis_opts *o, const struct sources *s, struct verdict *a)
{
	struct job j = {.o = o, .t = &s->table, .a = a, .p = params(o)};
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
	free(j.found);
	return err;
}
