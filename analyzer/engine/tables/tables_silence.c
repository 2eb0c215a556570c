// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which servers of a table stopped reporting before its end (silence.h). Not of state durations, for a server without
 * work has no line; nor of lines without a time (--time @row), of which nobody knows when they end.
 *
 * A server's step is the one that nineteen in twenty of its steps do not exceed, in what it was measured of most
 * often: rows that come at random, or with a third of them missing, are no silence of eight steps. A line
 * without a value is a line: an idle disk has no latency.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tables_job.h"
#include "analyzer/stat/stats.h"
#include "analyzer/verdict/silence.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

#define STEP_QUANTILE 0.95

/* One of the verdict's servers. */
struct reporter {
	int64_t last_ns;
	size_t begin,
		end; /* samples of what it was measured of most often; none: it is not there */
};

static void listen(const struct job *j, struct reporter *at)
{
	const struct table *t = j->t;

	for (size_t i = 0; i < j->runs.n; i++) {
		const struct table_run *x = &j->runs.at[i];
		struct reporter *r = &at[j->row[x->node]];
		int64_t last_ns = t->at[x->end - 1].time_ns;

		if (r->begin == r->end || last_ns > r->last_ns)
			r->last_ns = last_ns;
		if (x->end - x->begin > r->end - r->begin) {
			r->begin = x->begin;
			r->end = x->end;
		}
	}
	for (size_t i = 0; i < t->n_heard; i++) {
		struct reporter *r = &at[j->row[i]];

		if (t->heard[i] > r->last_ns && t->heard[i] < j->o->to_ns)
			r->last_ns = t->heard[i];
	}
}

/* Its step; 0: not known. Negative errno: -ENOMEM. */
static int step_of(const struct table *t, const struct reporter *r, double *ns)
{
	size_t n = r->end - r->begin;
	double *steps;

	*ns = 0;
	if (n < 3)
		return 0;
	steps = calloc(n, sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++)
		steps[i - 1] = (double)t->at[r->begin + i].time_ns -
			       (double)t->at[r->begin + i - 1].time_ns;
	*ns = stats_quantile(steps, n - 1, STEP_QUANTILE);
	free(steps);
	return 0;
}

static double quiet_ns(const struct reporter *r, int64_t end_ns)
{
	return (double)end_ns - (double)r->last_ns;
}

static bool is_hole(const struct job *j, const struct reporter *at, int64_t end_ns, size_t node,
		    double window_ns)
{
	size_t silent = 0;

	for (size_t i = 0; i < j->a->n_nodes; i++)
		silent += j->group[i] == j->group[node] && at[i].begin < at[i].end &&
			  quiet_ns(&at[i], end_ns) >= window_ns;
	return silence_is_hole(silent, j->in_group[node]);
}

static int is_silent(const struct job *j, const struct reporter *at, int64_t end_ns, size_t node,
		     bool *silent)
{
	struct robust_params p = examine_params(j->o);
	double step, windows = p.window_intervals, least = windows * p.interval_s * 1e9;
	int err;

	*silent = false;
	if (j->group[node] < 0 || at[node].begin == at[node].end ||
	    quiet_ns(&at[node], end_ns) < least)
		return 0;
	err = step_of(j->t, &at[node], &step);
	if (err || !(step > 0) || quiet_ns(&at[node], end_ns) < windows * step)
		return err;
	*silent = !is_hole(j, at, end_ns, node, windows * step > least ? windows * step : least);
	return 0;
}

static int tell(struct job *j, const struct reporter *r, int64_t end_ns, size_t node)
{
	struct notice *at = array_add(&j->a->notices, &j->a->n_notices);

	if (!at)
		return -ENOMEM;
	*at = (struct notice){
		.kind = NOTICE_SILENT, .node = node, .from_ns = r->last_ns, .to_ns = end_ns};
	return verdict_silent(j->a, node);
}

/* Whether the end of a server's lines says when it stopped. */
static bool ends_tell(const struct job *j)
{
	const char *time = j->o->table.time;

	return !j->t->events && !(time && !strcmp(time, "@row"));
}

int table_silence(struct job *j)
{
	struct reporter *at;
	int64_t end_ns = INT64_MIN;
	bool silent;
	int err = 0;

	if (!ends_tell(j))
		return 0;
	at = calloc(j->a->n_nodes + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	listen(j, at);
	for (size_t i = 0; i < j->a->n_nodes; i++)
		if (at[i].begin < at[i].end && at[i].last_ns > end_ns)
			end_ns = at[i].last_ns;
	for (size_t i = 0; i < j->a->n_nodes && !err; i++) {
		err = is_silent(j, at, end_ns, i, &silent);
		if (!err && silent)
			err = tell(j, &at[i], end_ns, i);
	}
	free(at);
	return err;
}
