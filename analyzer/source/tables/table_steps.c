// SPDX-License-Identifier: BSD-2-Clause
/*
 * The times of a table: how far apart its lines are, and whose times are not like the others'.
 *
 * The step of a node is the most frequent one, steps within 10 % of each other being the same (clocks
 * jitter): the mean of the densest such group of its longest run of samples. If that holds under four
 * fifths of the steps, the mean of all within half and one and a half of its middle; of the median,
 * if it holds under half. The grid has the largest step of all nodes, but for nodes
 * with under 1/20 as many samples as the node with most: a few stray lines must not make seconds into
 * hours. A step within 2 % of whole seconds (below, of 0.1 s, 10 ms) is taken for that: a collector
 * that sleeps a second between its samples. All of this is ours [D].
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

#define MS	 1000000LL
#define STEP_MAX (40LL * 86400 * 1000 * MS) /* more milliseconds than this are no unsigned int */

enum { FEW = 20, NAMED = 5, LATE_STEPS = 10 };

struct times {
	int64_t first, last; /* last before first: it has no samples */
	size_t begin, end;   /* the longest run of samples of one metric and instance */
	size_t steps;
	int64_t step, longest; /* ns; 0: no two different times */
};

/* Of sorted steps. */
static int64_t frequent(const int64_t *step, size_t n)
{
	size_t best = 0, at = 0;
	double sum = 0;

	for (size_t low = 0, high = 0; low < n; low++) {
		while (high < n && (double)step[high] <= 1.1 * (double)step[low])
			high++;
		if (high - low > best) {
			best = high - low;
			at = low;
		}
	}
	/* A group of nearly all: that is it. Else the clock jitters, and what is near counts. */
	if (5 * best < 4 * n) {
		double guess = (double)(2 * best < n ? step[n / 2] : step[at + best / 2]);

		for (at = 0; (double)step[at] < 0.5 * guess; at++)
			;
		for (best = 0; at + best < n && (double)step[at + best] <= 1.5 * guess; best++)
			;
	}
	for (size_t i = at; i < at + best; i++)
		sum += (double)step[i];
	return llround(sum / (double)best);
}

static void measure(const struct table *t, struct times *x, int64_t *steps)
{
	for (size_t i = x->begin + 1; i < x->end; i++)
		if (t->at[i].time_ns > t->at[i - 1].time_ns)
			steps[x->steps++] = t->at[i].time_ns - t->at[i - 1].time_ns;
	if (!x->steps)
		return;
	sort(steps, x->steps, by_int64);
	x->longest = steps[x->steps - 1];
	x->step = frequent(steps, x->steps);
}

static int look(const struct table *t, struct times *nodes)
{
	size_t longest = 0;
	int64_t *steps;

	for (size_t i = 0; i < t->nodes.n; i++)
		nodes[i] = (struct times){.first = INT64_MAX, .last = INT64_MIN};
	for (size_t i = 0, end; i < t->n; i = end) {
		struct times *x = &nodes[t->at[i].node];

		end = table_run(t, i);
		if (t->at[i].time_ns < x->first)
			x->first = t->at[i].time_ns;
		if (t->at[end - 1].time_ns > x->last)
			x->last = t->at[end - 1].time_ns;
		if (end - i > x->end - x->begin) {
			x->begin = i;
			x->end = end;
		}
		if (end - i > longest)
			longest = end - i;
	}
	steps = malloc((longest + 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (size_t i = 0; i < t->nodes.n; i++)
		measure(t, &nodes[i], steps);
	free(steps);
	return 0;
}

static int64_t rounded(int64_t step)
{
	static const int64_t units[] = {1000 * MS, 100 * MS, 10 * MS, MS};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		int64_t whole = (step + units[i] / 2) / units[i] * units[i];

		if (whole && fabs((double)(step - whole)) <= 0.02 * (double)step)
			return whole;
	}
	return (step + MS / 2) / MS * MS;
}

static int choose_step(struct table *t, const struct times *nodes, const struct table_opts *o)
{
	size_t most = 0;
	int64_t step = 0;

	for (size_t i = 0; i < t->nodes.n; i++)
		most = nodes[i].steps > most ? nodes[i].steps : most;
	for (size_t i = 0; i < t->nodes.n; i++)
		if (nodes[i].steps >= (most + FEW - 1) / FEW && nodes[i].step > step)
			step = nodes[i].step;
	if (!step)
		step = 1000 * MS; /* one time only */
	if (o->interval_s > 0)
		step = llround(o->interval_s * 1000) * MS;
	if (step < MS * 98 / 100)
		return fail("the lines of the table are %.3g ms apart, and 1 ms is the least: "
			    "choose a grid with --interval",
			    (double)step / MS);
	if (step > STEP_MAX)
		return fail("the lines of the table are %.3g days apart, and %lld are the most",
			    (double)step / (86400e3 * MS), STEP_MAX / (86400 * 1000 * MS));
	t->step_ns = o->interval_s > 0 ? step : rounded(step);
	return 0;
}

/* ---- what is odd ------------------------------------------------------------------------------ */

/* A duration that a person can read. */
static const char *span(int64_t ns, char buf[32])
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"days", NS_PER_DAY},
		     {"h", NS_PER_HOUR},
		     {"min", 60 * NS_PER_S},
		     {"s", NS_PER_S},
		     {"ms", NS_PER_MS}};
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(*units) && (double)ns < 2 * units[i].ns)
		i++;
	snprintf(buf, 32, "%.4g %s", (double)ns / units[i].ns, units[i].unit);
	return buf;
}

struct medians {
	int64_t first, last;
};

static bool has_samples(const struct times *x)
{
	return x->first <= x->last;
}

/* Each of the notes: what is told of a node, and how much of it; 0: nothing. A step may be as long as all time. */
static int64_t apart(const struct table *t, const struct times *x, const struct medians *m)
{
	(void)t;
	if (x->last < m->first)
		return m->first - x->last;
	return x->first > m->last ? x->first - m->last : 0;
}

static int64_t off_by(const struct table *t, const struct times *x, const struct medians *m,
		      int64_t by)
{
	return !apart(t, x, m) && (double)by > LATE_STEPS * (double)t->step_ns ? by : 0;
}

static int64_t late(const struct table *t, const struct times *x, const struct medians *m)
{
	return off_by(t, x, m, x->first - m->first);
}

static int64_t early(const struct table *t, const struct times *x, const struct medians *m)
{
	return off_by(t, x, m, m->last - x->last);
}

static int64_t gap(const struct table *t, const struct times *x, const struct medians *m)
{
	int64_t step = x->step > t->step_ns ? x->step : t->step_ns;

	(void)m;
	/* two steps and a half: one line that is missing is no gap worth a word */
	return 2.0 * (double)x->longest > 5.0 * (double)step ? x->longest : 0;
}

static int64_t other_step(const struct table *t, const struct times *x, const struct medians *m)
{
	double off = fabs((double)(x->step - t->step_ns));

	(void)m;
	return off > 0.1 * (double)t->step_ns ? x->step : 0;
}

static const struct {
	int64_t (*odd)(const struct table *, const struct times *, const struct medians *);
	const char *what;
} notes[] = {
	/* only this one of state durations, which come as they like */
	{apart, "have no time in common with most others (its clock, or its time zone?), off by"},
	{late, "begin later than most, by"},
	{early, "end earlier than most, by"},
	{gap, "have gaps, the longest of"},
	{other_step, "have another step than the grid"},
};

static int note(struct table *t, const struct times *nodes, size_t k, const struct medians *m)
{
	char list[600] = "", of[32], grid[32];
	size_t len = 0, n = 0, there = 0;

	for (size_t i = 0; i < t->nodes.n; i++) {
		int64_t odd = has_samples(&nodes[i]) ? notes[k].odd(t, &nodes[i], m) : 0;

		there += has_samples(&nodes[i]);
		if (odd && n++ < NAMED)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s (%s)",
						len ? ", " : "", t->nodes.at[i], span(odd, of));
	}
	if (!n)
		return 0;
	if (n > NAMED)
		snprintf(list + len, sizeof(list) - len, " and %zu more", n - NAMED);
	return table_note(t, "%zu of %zu nodes %s%s%s: %s", n, there, notes[k].what,
			  notes[k].odd == other_step ? " of " : "",
			  notes[k].odd == other_step ? span(t->step_ns, grid) : "", list);
}

static int note_nodes(struct table *t, const struct times *nodes)
{
	size_t n = 0, n_notes = t->events ? 1 : sizeof(notes) / sizeof(*notes);
	int64_t *first = malloc((t->nodes.n + 1) * sizeof(*first));
	int64_t *last = malloc((t->nodes.n + 1) * sizeof(*last));
	int err = first && last ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->nodes.n && !err; i++)
		if (has_samples(&nodes[i])) {
			first[n] = nodes[i].first;
			last[n++] = nodes[i].last;
		}
	if (n) {
		/* Of two nodes each must be compared with the other: the upper and the lower median. */
		struct medians m;

		sort(first, n, by_int64);
		sort(last, n, by_int64);
		m = (struct medians){first[n / 2], last[(n - 1) / 2]};
		for (size_t k = 0; k < n_notes && !err; k++)
			err = note(t, nodes, k, &m);
	}
	free(first);
	free(last);
	return err;
}

int table_steps(struct table *t, const struct table_opts *o)
{
	struct times *nodes = calloc(t->nodes.n + 1, sizeof(*nodes));
	int err = nodes ? look(t, nodes) : -ENOMEM;

	err = err ?: choose_step(t, nodes, o) ?: note_nodes(t, nodes);
	free(nodes);
	return err;
}
