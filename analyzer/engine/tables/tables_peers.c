// SPDX-License-Identifier: BSD-2-Clause
/* Lists who has values of a column of a table, and puts peers together (tables_peers.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"

/* Disks of one name on so many servers are peers of each other. */
enum { SAME_NAME_PEERS = 4 };
#define INTERVAL_NS 30e9
enum { INTERVAL_ROWS = 4 };  /* where rows are that close, a mean of so many will do */
#define INTERVAL_MAX_NS 1e17 /* three years */
/* Nobody waits for one that is measured less than an eighth as often as three quarters of all are: it would
 * make intervals so long that little could be said of the others. */
#define RARE 8.0

COMPARISON(by_metric, struct table_run,
	   ORDER(a->metric, b->metric) ?: ORDER(a->node, b->node)
		   ?: ORDER(a->instance, b->instance))

int table_runs(struct table_runs *r, const struct table *t, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0, end; i < t->n; i = end) {
		struct table_run x = {t->at[i].metric, t->at[i].node, t->at[i].instance, i, i};

		for (end = i; end < t->n && t->at[end].metric == x.metric &&
			      t->at[end].node == x.node && t->at[end].instance == x.instance;
		     end++) {
			x.begin += t->at[end].time_ns < from_ns;
			x.end += t->at[end].time_ns < to_ns;
		}
		if (x.begin < x.end && array_put(&r->at, &r->n, x))
			return -ENOMEM;
	}
	sort(r->at, r->n, by_metric);
	return 0;
}

/* The first run that is not before this one. */
static size_t first_run(const struct table_runs *r, const struct table_run *x)
{
	return search_first(mid, r->n, by_metric(&r->at[mid], x) < 0);
}

/* The same instance's; else the node's, of what is measured of the whole node. */
static void find_given(const struct table *t, const struct table_runs *r, struct table_run x,
		       size_t *begin, size_t *end)
{
	int64_t whole = names_find(&t->instances, "");

	for (int k = 0; k < 2; k++) {
		size_t i = first_run(r, &x);

		if (i < r->n && !by_metric(&r->at[i], &x)) {
			*begin = r->at[i].begin;
			*end = r->at[i].end;
			return;
		}
		if (whole < 0 || whole == (int64_t)x.instance)
			return;
		x.instance = (uint32_t)whole;
	}
}

/* An entity while peers are sought. */
struct seeker {
	struct table_entity e;
	int32_t group;
	bool alone; /* its name is not on enough nodes */
	bool kind;  /* of those that are: which of two kinds */
	int64_t first_ns, last_ns;
};

/* 0: they are peers of each other. */
static int by_set(const struct seeker *x, const struct seeker *y)
{
	return ORDER(x->group, y->group) ?: ORDER(x->alone, y->alone)
		?: (x->alone ? ORDER(x->kind, y->kind) : ORDER(x->e.instance, y->e.instance));
}

COMPARISON(by_group_and_name, struct seeker,
	   by_set(a, b) ?: ORDER(a->e.node, b->e.node) ?: ORDER(a->e.instance, b->e.instance))

/* How many of n with one name were there in the middle of their time. */
static size_t together(const struct seeker *at, size_t n, double *middle)
{
	size_t count = 0;
	double m;

	for (size_t i = 0; i < n; i++)
		middle[i] = 0.5 * (double)at[i].first_ns + 0.5 * (double)at[i].last_ns;
	m = stats_quantile(middle, n, 0.5);
	for (size_t i = 0; i < n; i++)
		count += (double)at[i].first_ns <= m && m <= (double)at[i].last_ns;
	return count;
}

/* How far those of one group and name reach: it is there once on each node. */
static size_t name_end(const struct seeker *at, size_t i, size_t n)
{
	return run_end(k, i, n, at[k].group == at[i].group && at[k].e.instance == at[i].e.instance);
}

static int part_names(struct seeker *at, size_t n)
{
	double *middle = calloc(n + 1, sizeof(*middle));

	if (!middle)
		return -ENOMEM;
	sort(at, n, by_group_and_name);
	for (size_t i = 0, end; i < n; i = end) {
		size_t most = 0, enough;

		for (end = i; end < n && at[end].group == at[i].group;) {
			size_t last = name_end(at, end, n);

			most = last - end > most ? last - end : most;
			end = last;
		}
		enough = most > SAME_NAME_PEERS ? SAME_NAME_PEERS : most - 1;
		enough = enough > 2 ? enough : 2;
		for (size_t k = i, last; k < end; k = last) {
			bool alone;

			last = name_end(at, k, n);
			alone = together(at + k, last - k, middle) <= enough;
			for (size_t x = k; x < last; x++)
				at[x].alone = alone;
		}
	}
	free(middle);
	sort(at, n, by_group_and_name);
	return 0;
}

/* Where the peers of at[i] end. */
static size_t set_end(const struct seeker *at, size_t i, size_t n)
{
	return run_end(k, i, n, !by_set(&at[i], &at[k]));
}

/* Those of no name that others have: disks may be of two kinds. */
static int part_kinds(struct job *j, const struct table_column *c, struct seeker *at, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct table_entity **e = scratch_array(&room, n, sizeof(*e));
	bool *kind = scratch_array(&room, n, sizeof(*kind));
	int err = room.failed ? -ENOMEM : 0;

	for (size_t i = 0, end; i < n && !err; i = end) {
		end = set_end(at, i, n);
		if (!at[i].alone)
			continue;
		for (size_t k = i; k < end; k++)
			e[k] = &at[k].e;
		err = table_disk_kinds(j, c, e + i, end - i, kind + i);
	}
	for (size_t i = 0; i < n && !err; i++)
		at[i].kind = kind[i];
	sort(at, n, by_group_and_name);
	return err;
}

/* A panel of n that are peers of each other. */
static int add_panel(struct job *j, const struct table_column *c, const struct seeker *at, size_t n)
{
	struct table_entity *e = calloc(n, sizeof(*e));
	struct table_panel *p = e ? array_add(&j->panels, &j->n_panels) : NULL;

	if (!p) {
		free(e);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		e[i] = at[i].e;
	/* In a group of one server or two nobody is judged, and no disk of theirs by the other ones. */
	*p = (struct table_panel){.t = j->t,
				  .column = c,
				  .e = e,
				  .n = n,
				  .few = j->in_group[e->node] < TABLE_SERVERS};
	return 0;
}

static struct seeker seeker_of(const struct job *j, const struct table_column *c,
			       const struct table_run *x)
{
	const struct table *t = j->t;
	struct table_run given = {(uint32_t)c->given, x->node, x->instance, 0, 0};
	struct seeker s = {.group = j->group[j->row[x->node]],
			   .first_ns = t->at[x->begin].time_ns,
			   .last_ns = t->at[x->end - 1].time_ns};

	s.e = (struct table_entity){.node = j->row[x->node],
				    .instance = x->instance,
				    .name = t->instances.n ? t->instances.at[x->instance] : "",
				    .begin = x->begin,
				    .end = x->end};
	if (c->given >= 0)
		find_given(t, &j->runs, given, &s.e.given_begin, &s.e.given_end);
	given.metric = (uint32_t)c->size;
	if (c->size >= 0)
		find_given(t, &j->runs, given, &s.e.size_begin, &s.e.size_end);
	return s;
}

int table_panels(struct job *j, const struct table_column *c)
{
	const struct table_runs *r = &j->runs;
	size_t i = first_run(r, &(struct table_run){.metric = c->metric}), n = 0;
	size_t last = first_run(r, &(struct table_run){.metric = c->metric + 1});
	struct seeker *at = calloc(last - i + 1, sizeof(*at));
	int err;

	if (!at)
		return -ENOMEM;
	for (; i < last; i++)
		if (j->group[j->row[r->at[i].node]] >= 0)
			at[n++] = seeker_of(j, c, &r->at[i]);
	err = part_names(at, n) ?: part_kinds(j, c, at, n);
	for (size_t k = 0, end; k < n && !err; k = end) {
		end = set_end(at, k, n);
		err = add_panel(j, c, at + k, end - k);
	}
	free(at);
	return err;
}

double *table_run_steps(const struct table *t, size_t begin, size_t end)
{
	double *steps = calloc(end - begin, sizeof(*steps));

	for (size_t i = begin + 1; i < end && steps; i++)
		steps[i - begin - 1] = (double)t->at[i].time_ns - (double)t->at[i - 1].time_ns;
	return steps;
}

/* Of one entity: the median of its steps, 0 if it has too few values. */
static int median_step(const struct table *t, struct table_entity *e)
{
	size_t n = e->end - e->begin;
	double *steps;

	e->step_ns = 0;
	if (n < 3)
		return 0;
	steps = table_run_steps(t, e->begin, e->end);
	if (!steps)
		return -ENOMEM;
	e->step_ns = stats_quantile(steps, n - 1, 0.5);
	free(steps);
	return 0;
}

/* The longest of n ascending steps that others wait for. */
static double longest(const double *steps, size_t n)
{
	double most = n ? RARE * steps[(3 * n + 3) / 4 - 1] : 0;

	while (n && steps[n - 1] > most)
		n--;
	return n ? steps[n - 1] : 0;
}

int table_interval(struct table_panel *p, double least_ns, size_t *values)
{
	double slowest, ns, *steps = calloc(p->n + 1, sizeof(*steps));
	size_t n = 0;
	int err = steps ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->n && !err; i++) {
		err = median_step(p->t, &p->e[i]);
		if (p->e[i].step_ns > 0)
			steps[n++] = p->e[i].step_ns;
	}
	if (!err) {
		stats_sort(steps, n);
		slowest = fmin(longest(steps, n), INTERVAL_MAX_NS);
		ns = fmax(slowest, fmin(INTERVAL_NS, fmax(least_ns, INTERVAL_ROWS * slowest)));
		p->interval_ns = (int64_t)ns;
		p->step_ns = n ? stats_sorted_median(steps, n) : 0;
		*values = n ? (size_t)((double)p->interval_ns / p->step_ns) : 1;
	}
	free(steps);
	return err;
}
