// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds servers of a table that stopped reporting before its end (silence.h), and gaps before that (gaps.h). State durations cannot show silence, for
 * a server without work has no line. Neither can lines without a time (--time @row).
 *
 * A server's step is the 95 % quantile of the steps of the column with most of its rows, so that rows at random, or
 * with a third of them missing, are no silence of eight steps. A line without a value counts: an idle disk has no
 * latency.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "analyzer/stat/stats.h"
#include "analyzer/verdict/gaps.h"
#include "analyzer/verdict/silence.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define STEP_QUANTILE 0.95
/* A server that paused as long so many times before will be back: it has work at times only. */
#define HABIT 3

/* One of the verdict's servers. */
struct reporter {
	int64_t last_ns;
	int64_t end_ns; /* of its group: at least half of the group reported then or later */
	size_t begin,
		end; /* samples of what it was measured of most often; none: it is not there */
};

/* When each server had its last line, and where most of its rows are. */
static void reporters_fill(const struct job *j, struct reporter *at)
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

		if (t->heard[i].last_ns > r->last_ns)
			r->last_ns = t->heard[i].last_ns;
	}
}

struct last {
	int32_t group;
	int64_t ns;
	size_t node;
};

COMPARISON(by_group_latest_first, struct last, ORDER(a->group, b->group) ?: ORDER(b->ns, a->ns))

/*
 * The data of a group end where at least half of it still reports: a row of the far future, or a group whose
 * files were fetched later, ends no other server's. Where most stop, the data end with them. 0 or -ENOMEM.
 */
static int groups_end(const struct job *j, struct reporter *at)
{
	struct last *x = calloc(j->a->n_nodes + 1, sizeof(*x));
	size_t n = 0;

	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < j->a->n_nodes; i++)
		if (j->group[i] >= 0 && at[i].begin < at[i].end)
			x[n++] = (struct last){j->group[i], at[i].last_ns, i};
	sort(x, n, by_group_latest_first);
	for (size_t i = 0, end; i < n; i = end) {
		end = run_end(k, i, n, x[k].group == x[i].group);
		for (size_t k = i; k < end; k++)
			at[x[k].node].end_ns = x[i + (end - i - 1) / 2].ns;
	}
	free(x);
	return 0;
}

/* 0 or -ENOMEM. */
static int is_silent(const struct job *j, const struct reporter *r, bool *silent)
{
	size_t n = r->end - r->begin, pauses = 0;
	double quiet_ns = (double)r->end_ns - (double)r->last_ns, step, *steps;

	*silent = false;
	if (n < 3 || quiet_ns < WINDOW_INTERVALS * j->o->interval_s * 1e9)
		return 0;
	steps = table_run_steps(j->t, r->begin, r->end);
	if (!steps)
		return -ENOMEM;
	pauses = count_if(i, n - 1, steps[i] >= quiet_ns);
	step = stats_quantile(steps, n - 1, STEP_QUANTILE);
	*silent = step > 0 && quiet_ns >= WINDOW_INTERVALS * step && pauses < HABIT;
	free(steps);
	return 0;
}

static int note_silent(struct job *j, const struct reporter *r, size_t node)
{
	const struct notice m = {
		.kind = NOTICE_SILENT, .node = node, .from_ns = r->last_ns, .to_ns = r->end_ns};

	return verdict_add_notice(j->a, &m) ?: verdict_silent(j->a, node, UNJUDGED_SILENT);
}

/* ---- gaps ------------------------------------------------------------------------------------------ */

/* The pauses in what a server was measured of most often, if they are as long as its silence would have to be. */
static int reporter_gaps(const struct job *j, const struct reporter *r, size_t node, struct gaps *g)
{
	size_t n = r->end - r->begin;
	double *steps = n < 3 ? NULL : table_run_steps(j->t, r->begin, r->end), least_ns;
	int err = 0;

	if (n < 3)
		return 0;
	if (!steps)
		return -ENOMEM;
	least_ns = fmin(WINDOW_INTERVALS * stats_quantile(steps, n - 1, STEP_QUANTILE), 1e18);
	free(steps);
	for (size_t i = r->begin; i < r->end && !err; i++)
		err = gaps_heard(g, node, j->t->at[i].time_ns, j->t->at[i].time_ns,
				 (int64_t)least_ns);
	return err;
}

/* Whether there is a value between these. */
static bool any_between(const struct table *t, const struct table_run *x, const struct gap *g)
{
	size_t n = x->end - x->begin;
	size_t k = search_first(mid, n, t->at[x->begin + mid].time_ns <= g->from_ns);

	return k < n && t->at[x->begin + k].time_ns < g->to_ns;
}

/* Something else was measured meanwhile: of a disk that was idle there is more than its latency. */
static void drop_heard(const struct job *j, struct gaps *g)
{
	for (size_t i = 0; i < j->runs.n && g->n; i++) {
		size_t node = j->row[j->runs.at[i].node];
		size_t first = search_first(mid, g->n, g->at[mid].node < node);

		for (size_t k = first; k < g->n && g->at[k].node == node; k++)
			if (any_between(j->t, &j->runs.at[i], &g->at[k]))
				g->at[k].from_ns = g->at[k].to_ns;
	}
	g->n = keep_if(k, g->at, g->n, g->at[k].from_ns < g->at[k].to_ns);
}

static int find_gaps(struct job *j, const struct reporter *at)
{
	struct gaps g = {0};
	int err = 0;

	for (size_t i = 0; i < j->a->n_nodes && !err; i++)
		err = reporter_gaps(j, &at[i], i, &g);
	drop_heard(j, &g);
	err = err ?: gaps_verdict(&g, j->a);
	gaps_release(&g);
	return err;
}

/* Whether the end of a server's lines says when it stopped. */
static bool ends_count(const struct job *j)
{
	const char *time = j->o->table.time;

	return !j->t->events && !(time && !strcmp(time, "@row"));
}

int table_silence(struct job *j)
{
	struct reporter *at;
	bool silent;
	int err;

	if (!ends_count(j))
		return 0;
	at = calloc(j->a->n_nodes + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	reporters_fill(j, at);
	err = find_gaps(j, at) ?: groups_end(j, at);
	for (size_t i = 0; i < j->a->n_nodes && !err; i++) {
		if (j->group[i] < 0)
			continue;
		err = is_silent(j, &at[i], &silent);
		if (!err && silent)
			err = note_silent(j, &at[i], i);
	}
	free(at);
	return err;
}
