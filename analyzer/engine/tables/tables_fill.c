// SPDX-License-Identifier: BSD-2-Clause
/* Fills the panel of a table's column: what each entity did in an interval, with the load it did it under. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

#define VALUE_MAX 1e18 /* larger ones are damage, as on the frame's grid */

/*
 * Intervals times entities; more than this must not be nearly empty, as of frame.h: times at random
 * would cost hours.
 */
#define SPARSE_LOOKS ((size_t)1 << 26)
enum { SPARSE_FACTOR = 1000 };

/* ---- values ---------------------------------------------------------------------------------- */

double table_ln(const struct table_panel *p, double value)
{
	double v = value + p->column->row.c;

	if (!(v > 0) || fabs(value) > VALUE_MAX)
		return NAN;
	return p->column->row.inverse ? -log(v) : log(v);
}

static enum unjudged_why why_unlogged(const struct table_panel *p, double value)
{
	return fabs(value) > VALUE_MAX	      ? UNJUDGED_HUGE
	       : value + p->column->row.c < 0 ? UNJUDGED_NEGATIVE
					      : UNJUDGED_NO_LOGARITHM;
}

/* Under which load a sample was measured: samples of both columns that have one time belong together. */
static double load_at(const struct table_panel *p, struct table_entity *e, const struct sample *x)
{
	const struct sample *at = p->t->at;
	double load = NAN;

	if (p->t->events && isfinite(x->bytes)) {
		load = x->bytes;
	} else if (p->column->given >= 0) {
		while (e->given_at < e->given_end && at[e->given_at].time_ns < x->time_ns)
			e->given_at++;
		if (e->given_at < e->given_end && at[e->given_at].time_ns == x->time_ns)
			load = at[e->given_at].value;
	}
	return load > 0 ? log(load) : NAN;
}

bool table_next(const struct table_panel *p, struct table_entity *e, int64_t to, double *x,
		double *y)
{
	for (; e->at < e->end; e->at++) {
		const struct sample *at = &p->t->at[e->at];

		if (at->time_ns >= to && to != INT64_MAX)
			return false;
		*x = p->loaded ? load_at(p, e, at) : NAN;
		*y = table_ln(p, at->value);
		if (isfinite(*y) && (!p->loaded || isfinite(*x))) {
			e->at++;
			return true;
		}
		if (!isfinite(*y))
			e->unlogged = why_unlogged(p, at->value);
	}
	return false;
}

void table_rewind(struct table_panel *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct table_entity *e = &p->e[i];

		e->at = e->begin;
		e->given_at = e->given_begin;
		e->size_at = e->size_begin;
		e->values = 0;
		e->unlogged = UNJUDGED_NO_GROUP;
	}
}

/* Takes the values before `to`. */
static struct loaded take_values(const struct table_panel *p, struct table_entity *e, int64_t to)
{
	struct loaded sum = {0};
	double x, y, squares = 0;

	while (table_next(p, e, to, &x, &y)) {
		sum.n++;
		sum.x += x;
		sum.y += y;
		squares += y * y;
	}
	if (!(sum.n > 0))
		return (struct loaded){.x = NAN, .y = NAN};
	sum.x /= sum.n;
	sum.y /= sum.n;
	sum.ss = fmax(0, squares - sum.n * sum.y * sum.y);
	e->values += (size_t)sum.n;
	return sum;
}

/* ln: how large an entity's requests were before `to`; NaN: not known. */
static double take_sizes(const struct table_panel *p, struct table_entity *e, int64_t to)
{
	const struct sample *at = p->t->at;
	double sum = 0;
	size_t n = 0;

	for (; e->size_at < e->size_end && (at[e->size_at].time_ns < to || to == INT64_MAX);
	     e->size_at++)
		if (at[e->size_at].value > 0) {
			sum += log(at[e->size_at].value);
			n++;
		}
	return n ? sum / (double)n : NAN;
}

/*
 * A request that is s times as large as the peers' takes at most s times as long, as far as its size is the reason: so much is
 * taken off what is slow (ln s), and left open, for it need not be. Smaller ones are compared as they are, and may hide as much. sizes: ln, of all.
 */
static void less_sizes(struct table_panel *p, const double *sizes, struct residual *in)
{
	double usual;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (isfinite(sizes[i]) && isfinite(in[i].r))
			p->some[n++] = sizes[i];
	usual = n ? stats_quantile(p->some, n, 0.5) : NAN;
	for (size_t i = 0; i < p->n; i++) {
		in[i].open = isfinite(sizes[i]) && n ? fabs(sizes[i] - usual) : 0;
		if (in[i].r > 0 && sizes[i] > usual)
			in[i].r = fmax(0, in[i].r - in[i].open);
	}
}

/* ---- the panel ------------------------------------------------------------------------------- */

/* Values of one interval whose mean is nearly normal: then 4 intervals make a window, else 16. */
enum { MANY_VALUES = 30, SHORTEST_MANY = 2 };

static bool has_load(const struct table_panel *p)
{
	int64_t given = p->column->given;

	/* A load that is nothing throughout tells nothing of what is asked of whom. */
	for (size_t i = 0; i < p->n && given >= 0; i++)
		for (size_t k = p->e[i].given_begin; k < p->e[i].given_end; k++)
			if (p->t->at[k].value > 0)
				return true;
	for (size_t i = 0; i < p->n && p->t->events; i++)
		for (size_t k = p->e[i].begin; k < p->e[i].end; k++)
			if (isfinite(p->t->at[k].bytes))
				return true;
	return false;
}

static int panel_members(struct job *j, struct table_panel *p, double looks)
{
	const struct signal_row *row = &p->column->row;
	const struct panel_opts o = {.row = row,
				     .signal = p->column->signal,
				     .whole = p->t->events,
				     .halves_unproven = true};
	struct evidence_params e =
		panel_params(row, s_of_ns(p->interval_ns), j->o->budget, looks, p->shortest);
	int err;

	e.slope = EQUAL_LOAD_DOUBT;
	err = panel_init(&p->panel, &o, &e);

	for (size_t i = 0; i < p->n && !err; i++)
		err = panel_join(&p->panel, &(struct panel_member){p->e[i].node, i, p->e[i].name});
	return err;
}

int table_panel_init(struct job *j, struct table_panel *p, double looks)
{
	size_t values;
	int err = table_interval(p, j->o->interval_s * 1e9, &values);

	if (err)
		return err;
	p->shortest = values >= MANY_VALUES ? SHORTEST_MANY : EVIDENCE_PARAMS_DEFAULT.k_min;
	p->loaded = has_load(p);
	p->look = LOOK_PARAMS_DEFAULT;
	p->look.chance = fmin(p->look.chance, j->o->budget) / looks;
	if (p->column->row.ratio > 0)
		p->look.gate = log(p->column->row.ratio);
	p->load = equal_load_new(p->n, p->loaded);
	p->loads = calloc(p->n + 1, sizeof(*p->loads));
	p->sizes = calloc(2 * p->n + 1, sizeof(*p->sizes));
	p->some = p->sizes ? p->sizes + p->n : NULL;
	if (!p->load || !p->loads || !p->sizes)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		p->samples += p->e[i].end - p->e[i].begin;
	table_rewind(p);
	return panel_members(j, p, looks);
}

void table_panel_close(struct table_panel *p)
{
	track_group_close(&p->panel.track);
	equal_load_free(p->load);
	free(p->loads);
	free(p->sizes);
	p->sizes = p->some = NULL;
	p->load = NULL;
	p->loads = NULL;
}

void table_panel_release(struct table_panel *p)
{
	table_panel_close(p);
	panel_release(&p->panel);
	free(p->e);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static int64_t later(int64_t at, uint64_t by)
{
	int64_t sum;

	return by > INT64_MAX || __builtin_add_overflow(at, (int64_t)by, &sum) ? INT64_MAX : sum;
}

bool table_panel_next(struct table_panel *p)
{
	uint64_t step = (uint64_t)p->interval_ns, slot;
	int64_t next = INT64_MAX; /* the earliest sample not yet taken */
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct table_entity *e = &p->e[i];

		if (e->at < e->end && (!any || p->t->at[e->at].time_ns < next)) {
			next = p->t->at[e->at].time_ns;
			any = true;
		}
	}
	if (!any)
		return false;
	p->first_ns = p->intervals ? p->first_ns : next;
	slot = ((uint64_t)next - (uint64_t)p->first_ns) / step;
	p->from_ns = later(p->first_ns, slot * step);
	p->to_ns = later(p->first_ns, (slot + 1) * step);
	return true;
}

static int check_work(struct table_panel *p)
{
	p->work += p->n;
	if (p->work <= SPARSE_LOOKS || p->work / SPARSE_FACTOR <= p->samples)
		return 0;
	fail("the values of '%s' are spread over too many intervals: a clock was wrong, or choose "
	     "a part with --from and --to",
	     p->column->row.name);
	return -E2BIG;
}

/* Compares all at equal load. How many could be. */
static unsigned int compare_panel(struct job *j, struct table_panel *p)
{
	const struct signal_row *row = &p->column->row;
	struct panel_values *v = &j->values;
	unsigned int here = 0;

	for (size_t i = 0; i < p->n; i++)
		p->loads[i] = take_values(p, &p->e[i], p->to_ns);
	for (size_t i = 0; i < p->n; i++)
		p->sizes[i] = take_sizes(p, &p->e[i], p->to_ns);
	equal_load_push(p->load, p->loads, v->in);
	less_sizes(p, p->sizes, v->in);
	for (size_t i = 0; i < p->n; i++)
		here += isfinite(v->in[i].r);
	for (size_t i = 0; i < p->n; i++) {
		const struct loaded *x = &p->loads[i];
		double value = exp(x->y), peers = exp(x->y - v->in[i].r);

		v->shown[i] = (struct track_values){value, peers, here - 1, x->alone};
		v->small[i] = row->floor > 0 && fabs(signal_shown(row, value) -
						     signal_shown(row, peers)) <= row->floor;
	}
	return here;
}

int table_panel_fill(struct job *j, struct table_panel *p)
{
	int err = check_work(p);

	p->begin_ns = p->intervals ? p->begin_ns : p->from_ns;
	p->end_ns = p->to_ns;
	p->intervals++;
	err = err ? err : panel_values_begin(&j->values, p->n);
	if (err)
		return err;
	if (!compare_panel(j, p)) {
		/* Nobody's silence: with the clock of one a day ahead, the rest of the table is its values alone. */
		for (size_t i = 0; i < p->n; i++)
			p->panel.track.at[i].alone += p->loads[i].alone;
		return 0;
	}
	p->compared_ns = p->to_ns;
	return panel_push(&p->panel, &j->values, p->from_ns, p->to_ns,
			  j->o->explain ? panel_explain : NULL, &j->explained);
}
