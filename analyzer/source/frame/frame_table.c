// SPDX-License-Identifier: BSD-2-Clause
/* Puts a table on the frame's grid: which nodes, metrics and columns there are (table_grid.h). */
#include "table_grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "table_cells.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

static bool asked_for(const struct string_list *asked, const char *name)
{
	return asked && string_list_has(asked, name);
}

static bool wanted(const struct table *t, const struct frame_opts *o, const char *name)
{
	int known = metric_by_name(name);

	if (o->asked && o->asked->n)
		return asked_for(o->asked, name);
	return !t->sysstat || !o->wanted || (known >= 0 && o->wanted[known]);
}

/* Which metrics of the table have values in the time asked for, and which nodes. */
static int take_stock(struct table_grid *g, struct frame *f, const struct frame_opts *o)
{
	const struct table *t = g->t;
	bool *has = calloc(t->metrics.n + 1, 1);
	size_t n = 0;

	if (!has)
		return -ENOMEM;
	g->first_ns = INT64_MAX;
	g->last_ns = INT64_MIN;
	for (size_t i = 0; i < t->n; i++) {
		const struct sample *s = &t->at[i];

		if (s->time_ns < o->from_ns || s->time_ns >= o->to_ns)
			continue;
		has[s->metric] = true;
		if (s->time_ns < g->first_ns) {
			g->first_ns = s->time_ns;
			g->first_node = s->node;
		}
		if (s->time_ns > g->last_ns) {
			g->last_ns = s->time_ns;
			g->last_node = s->node;
		}
	}
	for (size_t m = 0; m < t->metrics.n; m++)
		g->metric[m] = has[m] && wanted(t, o, t->metrics.at[m]) ? (ssize_t)n++ : -1;
	free(has);
	f->n_metrics = n;
	return 0;
}

static int list_metrics(struct table_grid *g, struct frame *f, const struct frame_opts *o)
{
	const struct table *t = g->t;

	for (size_t i = 0; o->asked && i < o->asked->n; i++)
		if (names_find(&t->metrics, o->asked->at[i]) < 0) {
			fail("the table has no metric '%s'", o->asked->at[i]);
			return -EINVAL;
		}
	if (!t->n) {
		fail("the table has no number in any column of a metric (numbers have a decimal "
		     "point)");
		return -ENODATA;
	}
	if (g->first_ns > g->last_ns) {
		fail("no value of the table lies in the time asked for");
		return -ENODATA;
	}
	if (!f->n_metrics) {
		fail("the table has no value of the metrics asked for");
		return -ENODATA;
	}
	if (f->n_metrics > FRAME_METRICS_MAX) {
		fail("%zu metrics are too many: at most %d; choose some with --metric",
		     f->n_metrics, FRAME_METRICS_MAX);
		return -E2BIG;
	}
	f->metrics = calloc(f->n_metrics, sizeof(*f->metrics));
	if (!f->metrics)
		return -ENOMEM;
	for (size_t m = 0; m < t->metrics.n; m++) {
		struct frame_metric *to;

		if (g->metric[m] < 0)
			continue;
		to = &f->metrics[g->metric[m]];
		frame_name(to, t->metrics.at[m]);
		to->asked = asked_for(o->asked, t->metrics.at[m]);
		to->counter = t->counter && t->counter[m];
	}
	return 0;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct names *names = arg;

	return strcmp(names->at[*(const uint32_t *)a], names->at[*(const uint32_t *)b]);
}

static int list_nodes(struct table_grid *g, struct frame *f)
{
	const struct names *names = &g->t->nodes;
	uint32_t *order;

	if (names->n > SOURCE_HOSTS_MAX) {
		fail("%zu nodes are too many: at most %d", names->n, SOURCE_HOSTS_MAX);
		return -E2BIG;
	}
	order = malloc((names->n + 1) * sizeof(*order));
	f->nodes = calloc(names->n + 1, sizeof(*f->nodes));
	if (!order || !f->nodes) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < names->n; i++)
		order[i] = i;
	sort_with(order, names->n, by_name, (void *)names);
	for (size_t i = 0; i < names->n; i++) {
		/* table_read() lets no longer name in */
		memcpy(f->nodes[i], names->at[order[i]], strlen(names->at[order[i]]));
		g->row[order[i]] = i;
	}
	f->n_nodes = names->n;
	free(order);
	return 0;
}

/*
 * Where in a step a column ends and the next begins: of 256 places the one with least samples near it,
 * those within a quarter of a step counting by the cube of how near they are; of the longest stretch of
 * places that are as good, the middle [D]. A single phase of samples comes to lie opposite of the
 * limit, and of several evenly spaced ones none lies on it.
 */
enum { PLACES = 256, QUARTER = PLACES / 4 };

static int64_t emptiest(const struct table_grid *g, const struct frame_opts *o)
{
	double n[PLACES] = {0}, near[PLACES], least = INFINITY;
	int64_t step = g->t->step_ns;
	size_t best = 0, longest = 0;

	for (size_t i = 0; i < g->t->n; i++) {
		int64_t at = g->t->at[i].time_ns;

		if (at >= o->from_ns && at < o->to_ns)
			n[(size_t)((double)(at % step) / (double)step * PLACES) % PLACES]++;
	}
	for (size_t p = 0; p < PLACES; p++) {
		near[p] = n[p];
		for (size_t k = 1; k < QUARTER; k++)
			near[p] += pow(1 - (double)k / QUARTER, 3) *
				   (n[(p + k) % PLACES] + n[(p + PLACES - k) % PLACES]);
		least = fmin(least, near[p]);
	}
	for (size_t p = 0; p < PLACES; p++) {
		size_t run = 0;

		while (run < PLACES && near[(p + run) % PLACES] <= least)
			run++;
		if (run > longest) {
			longest = run;
			best = p;
		}
	}
	return (int64_t)(((double)best + (double)longest / 2) / PLACES * (double)step) % step;
}

/* The first column's name: when its kind of samples come, all of them if they come so regularly;
 * else a whole second, or millisecond, of the column. */
static void name_columns(struct table_grid *g, struct frame *f, const struct frame_opts *o)
{
	int64_t step = g->t->step_ns, unit = step >= NS_PER_S ? NS_PER_S : NS_PER_MS, whole;
	bool same = true;

	for (size_t i = 0; i < g->t->n && same; i++) {
		int64_t at = g->t->at[i].time_ns;

		same = at < o->from_ns || at >= o->to_ns || (at - g->first_ns) % step == 0;
	}
	f->first_ns = g->first_ns;
	whole = f->first_ns / unit * unit;
	if (!same && whole >= g->limit_ns)
		f->first_ns = whole;
}

static int list_times(struct table_grid *g, struct frame *f, const struct frame_opts *o)
{
	int64_t step = g->t->step_ns, offset;
	char a[TIME_TEXT_LEN], b[TIME_TEXT_LEN];

	if (g->last_ns - g->first_ns > SOURCE_DAYS_MAX * NS_PER_DAY) {
		fail("the table spans %s ('%s') to %s ('%s'): more than %d days, so a clock was "
		     "wrong; choose a part with --from and --to",
		     output_time(g->first_ns, a), g->t->nodes.at[g->first_node],
		     output_time(g->last_ns, b), g->t->nodes.at[g->last_node], SOURCE_DAYS_MAX);
		return -E2BIG;
	}
	f->interval_ms = (unsigned int)(step / 1000000);
	offset = emptiest(g, o);
	g->limit_ns = g->first_ns - ((g->first_ns - offset) % step + step) % step;
	f->n_times = (size_t)((g->last_ns - g->limit_ns) / step) + 1;
	name_columns(g, f, o);
	return 0;
}

static int check_size(const struct table_grid *g, const struct frame *f)
{
	/* No overflow: columns < 3.5e10 (400 days of 1 ms), nodes <= 1e5, metrics <= 1024. */
	size_t cells = f->n_times * f->n_nodes;

	if (cells > FRAME_CELLS_MAX / f->n_metrics) {
		fail("%zu nodes and %zu metrics over %zu intervals are too much to hold at once; "
		     "choose a part with --from and --to, or wider ones with --interval",
		     f->n_nodes, f->n_metrics, f->n_times);
		return -E2BIG;
	}
	if (cells * f->n_metrics > FRAME_SPARSE_CELLS && cells / FRAME_SPARSE_FACTOR > g->t->n) {
		fail("%zu values are spread over %zu intervals: a clock was wrong, or choose a "
		     "part with --from and --to, or wider ones with --interval",
		     g->t->n, f->n_times);
		return -E2BIG;
	}
	return 0;
}

static int allocate(struct table_grid *g, const struct frame *f)
{
	size_t cells = f->n_times * f->n_nodes;

	g->v = calloc(f->n_metrics, sizeof(*g->v));
	g->there = calloc(cells, 1);
	if (!g->v || !g->there)
		return -ENOMEM;
	g->n_metrics = f->n_metrics;
	for (size_t m = 0; m < f->n_metrics; m++) {
		g->v[m] = malloc(cells * sizeof(double));
		if (!g->v[m])
			return -ENOMEM;
		for (size_t i = 0; i < cells; i++)
			g->v[m][i] = NAN;
	}
	g->n_times = f->n_times;
	return 0;
}

int frame_open_table(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	const struct table *t = &s->table;
	struct table_grid *g = calloc(1, sizeof(*g));
	int err = 0;

	if (!g)
		return -ENOMEM;
	f->cells->table = g; /* frame_release() finds it from here on */
	f->cells->sources = s;
	f->cells->threads = o->threads; /* the methods' */
	g->t = t;
	g->metric = calloc(t->metrics.n + 1, sizeof(*g->metric));
	g->row = calloc(t->nodes.n + 1, sizeof(*g->row));
	if (!g->metric || !g->row)
		return -ENOMEM;
	err = take_stock(g, f, o);
	if (!err)
		err = list_metrics(g, f, o);
	if (!err)
		err = list_nodes(g, f);
	if (!err)
		err = list_times(g, f, o);
	if (!err)
		err = check_size(g, f);
	if (!err)
		err = allocate(g, f);
	if (!err)
		err = table_cells(g, o->from_ns, o->to_ns);
	if (err)
		return err;
	f->duplicates = t->duplicates;
	f->damaged = t->damaged + g->damaged;
	f->cells->v = g->v;
	f->cells->there = g->there;
	f->cells->stride = f->n_times;
	f->cells->whole = true;
	return 0;
}

void frame_release_table(struct frame_cells *c)
{
	struct table_grid *g = c->table;

	if (!g)
		return;
	for (size_t m = 0; g->v && m < g->n_metrics; m++)
		free(g->v[m]);
	free(g->v);
	free(g->there);
	free(g->metric);
	free(g->row);
	free(g);
	c->table = NULL;
	c->v = NULL;
	c->there = NULL;
}
