// SPDX-License-Identifier: BSD-2-Clause
/* Puts a table on the frame's grid: which nodes, metrics and columns there are (internal.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

static bool wanted(const struct table_grid *g, const char *name)
{
	const struct frame_opts *o = g->o;
	int known = metric_by_name(name);

	if (o->asked && o->asked->n)
		return is_asked_for(o, name);
	return !g->t->sysstat || !o->wanted || (known >= 0 && o->wanted[known]);
}

/* Which metrics of the table have values in the time asked for, and which nodes. */
static int take_stock(struct table_grid *g)
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

		if (!grid_has_time(g, s->time_ns))
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
		g->metric[m] = has[m] && wanted(g, t->metrics.at[m]) ? (ssize_t)n++ : -1;
	free(has);
	g->f->n_metrics = n;
	return 0;
}

static int list_metrics(struct table_grid *g)
{
	const struct table *t = g->t;
	const struct frame_opts *o = g->o;
	struct frame *f = g->f;
	char first[TIME_TEXT_LEN], last[TIME_TEXT_LEN];

	for (size_t i = 0; o->asked && i < o->asked->n; i++)
		if (names_find(&t->metrics, o->asked->at[i]) < 0)
			return fail("the table has no metric '%s'", o->asked->at[i]);
	if (!t->n) {
		fail("the table has no number in any column of a metric (numbers have a decimal "
		     "point)");
		return -ENODATA;
	}
	if (g->first_ns > g->last_ns) {
		table_span(t, &g->first_ns, &g->last_ns);
		fail("no value of the table lies in the time asked for: it has values from %s to "
		     "%s",
		     output_time(g->first_ns, first), output_time(g->last_ns, last));
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
		to->asked = is_asked_for(o, t->metrics.at[m]);
		to->counter = t->counter && t->counter[m];
	}
	return 0;
}

COMPARISON_WITH(by_name, uint32_t, struct names, strcmp(with->at[*a], with->at[*b]))

static int list_nodes(struct table_grid *g)
{
	struct frame *f = g->f;
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

static int64_t emptiest(const struct table_grid *g)
{
	double n[PLACES] = {0}, near[PLACES], least = INFINITY;
	int64_t step = g->t->step_ns;
	size_t best = 0, longest = 0;

	for (size_t i = 0; i < g->t->n; i++) {
		int64_t at = g->t->at[i].time_ns;

		if (grid_has_time(g, at))
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
static void name_columns(struct table_grid *g)
{
	struct frame *f = g->f;
	int64_t step = g->t->step_ns, unit = step >= NS_PER_S ? NS_PER_S : NS_PER_MS, whole;
	bool same = true;

	for (size_t i = 0; i < g->t->n && same; i++) {
		int64_t at = g->t->at[i].time_ns;

		same = !grid_has_time(g, at) || (at - g->first_ns) % step == 0;
	}
	f->first_ns = g->first_ns;
	whole = f->first_ns / unit * unit;
	if (!same && whole >= f->cells->limit_ns)
		f->first_ns = whole;
}

static int list_times(struct table_grid *g)
{
	struct frame *f = g->f;
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
	offset = emptiest(g);
	f->cells->limit_ns = g->first_ns - ((g->first_ns - offset) % step + step) % step;
	f->n_times = (size_t)((g->last_ns - f->cells->limit_ns) / step) + 1;
	name_columns(g);
	return 0;
}

static int check_size(struct table_grid *g)
{
	const struct frame *f = g->f;
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

typedef int grid_step(struct table_grid *g);

/* All but the samples' values. */
static int lay_out(struct table_grid *g)
{
	static grid_step *const steps[] = {take_stock, list_metrics, list_nodes, list_times,
					   check_size};
	int err = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !err; i++)
		err = steps[i](g);
	return err;
}

int frame_open_table(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	const struct table *t = &s->table;
	struct table_grid g = {.t = t, .o = o, .f = f};
	int err = -ENOMEM;

	f->duplicates = t->duplicates;
	f->damaged = t->damaged;
	g.metric = calloc(t->metrics.n + 1, sizeof(*g.metric));
	g.row = calloc(t->nodes.n + 1, sizeof(*g.row));
	if (g.metric && g.row)
		err = lay_out(&g);
	err = err ?: frame_cells_make(f, f->n_times);
	if (!err) {
		frame_cells_clear(f);
		f->cells->whole = true;
		err = table_cells(&g);
	}
	free(g.metric);
	free(g.row);
	return err;
}
