// SPDX-License-Identifier: BSD-2-Clause
/* Lists who has values of a column of a table, and puts peers together (tables_peers.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define INTERVAL_NS 30e9
enum { INTERVAL_ROWS = 4 };  /* where rows are that close, a mean of so many will do */
#define INTERVAL_MAX_NS 1e17 /* three years */
/* Nobody waits for one that is measured less than an eighth as often as three quarters of all are: it would
 * make intervals so long that little could be said of the others. */
#define RARE 8.0

static int by_metric(const void *a, const void *b)
{
	const struct table_run *x = a, *y = b;

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

int table_runs(struct table_runs *r, const struct table *t, int64_t from_ns, int64_t to_ns)
{
	size_t cap = 0;

	*r = (struct table_runs){0};
	for (size_t i = 0, end; i < t->n; i = end) {
		struct table_run x = {t->at[i].metric, t->at[i].node, t->at[i].instance, i, i}, *at;

		for (end = i; end < t->n && t->at[end].metric == x.metric &&
			      t->at[end].node == x.node && t->at[end].instance == x.instance;
		     end++) {
			x.begin += t->at[end].time_ns < from_ns;
			x.end += t->at[end].time_ns < to_ns;
		}
		if (x.begin >= x.end)
			continue;
		at = array_refill(&r->at, &r->n, &cap);
		if (!at)
			return -ENOMEM;
		*at = x;
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
		       struct table_entity *e)
{
	int64_t whole = names_find(&t->instances, "");

	for (int k = 0; k < 2; k++) {
		size_t i = first_run(r, &x);

		if (i < r->n && !by_metric(&r->at[i], &x)) {
			e->given_begin = r->at[i].begin;
			e->given_end = r->at[i].end;
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
	int64_t first_ns, last_ns;
};

static int by_group_and_name(const void *a, const void *b)
{
	const struct seeker *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->alone != y->alone)
		return x->alone - y->alone;
	if (!x->alone && x->e.instance != y->e.instance)
		return x->e.instance < y->e.instance ? -1 : 1;
	if (x->e.node != y->e.node)
		return x->e.node < y->e.node ? -1 : 1;
	return (x->e.instance > y->e.instance) - (x->e.instance < y->e.instance);
}

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

/* How far those of one group reach; how many nodes they are of. */
static size_t group_end(const struct seeker *at, size_t i, size_t n)
{
	size_t end = i;

	while (end < n && at[end].group == at[i].group)
		end++;
	return end;
}

static int part_names(struct seeker *at, size_t n, unsigned int peers)
{
	double *middle = calloc(n + 1, sizeof(*middle));
	uint8_t *seen = calloc(n + 1, 1);

	if (!middle || !seen) {
		free(middle);
		free(seen);
		return -ENOMEM;
	}
	for (size_t i = 0, end; i < n; i = end) {
		size_t most = 0, enough;

		end = group_end(at, i, n);
		/* a name is there once on each node */
		for (size_t k = i, last; k < end; k = last) {
			for (last = k; last < end && at[last].e.instance == at[k].e.instance;
			     last++)
				;
			most = last - k > most ? last - k : most;
		}
		enough = most > peers ? peers : most - 1;
		enough = enough > 2 ? enough : 2;
		for (size_t k = i, last; k < end; k = last) {
			bool alone;

			for (last = k; last < end && at[last].e.instance == at[k].e.instance;
			     last++)
				;
			alone = together(at + k, last - k, middle) <= enough;
			for (size_t x = k; x < last; x++)
				seen[x] = alone;
		}
	}
	for (size_t i = 0; i < n; i++)
		at[i].alone = seen[i];
	free(middle);
	free(seen);
	sort(at, n, by_group_and_name);
	return 0;
}

static int cut(struct table_sets *s, const struct seeker *at, size_t n)
{
	s->e = calloc(n + 1, sizeof(*s->e));
	s->at = calloc(n + 1, sizeof(*s->at));
	if (!s->e || !s->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool same = i && at[i].group == at[i - 1].group && at[i].alone == at[i - 1].alone &&
			    (at[i].alone || at[i].e.instance == at[i - 1].e.instance);

		s->e[i] = at[i].e;
		if (!same)
			s->at[s->n++] = (struct table_set){&s->e[i], 0};
		s->at[s->n - 1].n++;
	}
	return 0;
}

int table_sets(struct table_sets *s, const struct table *t, const struct table_runs *r,
	       uint32_t metric, int64_t given, const size_t *row, const int32_t *group,
	       unsigned int peers)
{
	size_t i = first_run(r, &(struct table_run){.metric = metric}), last = i, n = 0;
	struct seeker *at;
	int err = 0;

	*s = (struct table_sets){0};
	while (last < r->n && r->at[last].metric == metric)
		last++;
	at = calloc(last - i + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (; i < last; i++) {
		const struct table_run *x = &r->at[i];
		struct seeker *to = &at[n];

		if (group[row[x->node]] < 0)
			continue;
		*to = (struct seeker){.group = group[row[x->node]],
				      .first_ns = t->at[x->begin].time_ns,
				      .last_ns = t->at[x->end - 1].time_ns};
		to->e = (struct table_entity){.node = row[x->node],
					      .instance = x->instance,
					      .name = t->instances.n ? t->instances.at[x->instance]
								     : "",
					      .begin = x->begin,
					      .end = x->end};
		if (given >= 0)
			find_given(t, r,
				   (struct table_run){.metric = (uint32_t)given,
						      .node = x->node,
						      .instance = x->instance},
				   &to->e);
		n++;
	}
	if (n) {
		sort(at, n, by_group_and_name);
		err = part_names(at, n, peers);
	}
	if (!err)
		err = cut(s, at, n);
	free(at);
	if (err)
		table_sets_release(s);
	return err;
}

void table_sets_release(struct table_sets *s)
{
	free(s->e);
	free(s->at);
	*s = (struct table_sets){0};
}

/* Of one entity: the median of its steps, 0 if it has too few values. */
static int median_step(const struct table *t, const struct table_entity *e, double *step)
{
	size_t n = e->end - e->begin;
	double *gap;

	*step = 0;
	if (n < 3)
		return 0;
	gap = calloc(n, sizeof(*gap));
	if (!gap)
		return -ENOMEM;
	for (size_t k = 1; k < n; k++)
		gap[k - 1] = (double)t->at[e->begin + k].time_ns -
			     (double)t->at[e->begin + k - 1].time_ns;
	*step = stats_quantile(gap, n - 1, 0.5);
	free(gap);
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

int table_interval(const struct table *t, const struct table_set *set, double least_ns, int64_t *ns,
		   size_t *values)
{
	double slowest, step, *steps = calloc(set->n + 1, sizeof(*steps));
	size_t n = 0;
	int err = steps ? 0 : -ENOMEM;

	for (size_t i = 0; i < set->n && !err; i++) {
		err = median_step(t, &set->e[i], &step);
		if (step > 0)
			steps[n++] = step;
	}
	if (err) {
		free(steps);
		return err;
	}
	stats_sort(steps, n);
	slowest = fmin(longest(steps, n), INTERVAL_MAX_NS);
	*ns = (int64_t)fmax(slowest, fmin(INTERVAL_NS, fmax(least_ns, INTERVAL_ROWS * slowest)));
	*values = n ? (size_t)((double)*ns / stats_sorted_median(steps, n)) : 1;
	free(steps);
	return 0;
}
