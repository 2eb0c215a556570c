// SPDX-License-Identifier: BSD-2-Clause
/*
 * One signal judged: looks at all of its values, at each job's and at parts of the time; and the test of evidence over time.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/panel/panel.h"
#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

double states_chance_together(const struct states_job *j)
{
	const struct look_params p = LOOK_PARAMS_DEFAULT;

	return fmin(p.chance, j->o->budget) / 2;
}

double states_chance(const struct states_job *j, size_t looks)
{
	return states_chance_together(j) / fmax(1, j->looks) / (double)(looks ? looks : 1);
}

struct finding_about states_about(const struct states_job *j, size_t signal, size_t node)
{
	return (struct finding_about){.signal = j->signals[signal].row,
				      .node = node,
				      .open = true,
				      .symptom = !j->signals[signal].indicts};
}

struct state_found states_found(size_t signal, const struct finding_about *about,
				const struct evidence *e)
{
	return (struct state_found){.e = finding_make(about, e),
				    .level = e->level,
				    .job = STATE_NONE,
				    .peers = e->n_peers,
				    .signal = signal};
}

static double margin(const struct state_found *f)
{
	return f->e.needs > 0 ? f->e.score / f->e.needs : 0;
}

int states_keep(struct states_job *j, struct state_found f)
{
	/* what is found of a node that has too little of any kind is judged all the same */
	j->reasons[f.e.node].judged |= !f.e.symptom;
	/* found by signal: those of one signal are at the end */
	for (size_t i = j->n_found; i-- > 0 && j->found[i].signal == f.signal;) {
		struct state_found *at = &j->found[i];

		if (at->e.node != f.e.node)
			continue;
		if (at->level < f.level || (at->level == f.level && !(margin(at) >= margin(&f))))
			*at = f;
		return 0;
	}
	return array_put(&j->found, &j->n_found, f);
}

int states_used(struct states_job *j, size_t signal, size_t node, double least)
{
	size_t row = j->signals[signal].row;

	if (j->a->signals[row].resource == RESOURCE_NONE)
		return 0;
	return verdict_used(
		j->a, &(struct unproven){.node = node,
					 .resource = j->a->signals[row].resource,
					 .signal = row,
					 .suspicious_from = isfinite(least) ? exp(least) : 0});
}

COMPARISON(by_node, struct state_value,
	   ORDER(a->node, b->node) ?: ORDER(a->cell, b->cell) ?: ORDER(a->state, b->state))

COMPARISON_WITH(by_group_job_node, struct state_value, struct states_job,
		ORDER(with->group[a->node], with->group[b->node]) ?: ORDER(a->job, b->job)
			?: by_node(a, b))

/* ---- one look ----------------------------------------------------------------------------------- */

/*
 * One look at values of one signal. Of each node with enough values: as evidence the mean of the middle half, as effect the median,
 * so that first tasks, which start a machine and take ten times as long, are in neither. How far healthy nodes are apart is joined with
 * what their values' scatter lets expect, 5 % beside it, worth 12 degrees of freedom as in the yardstick over time.
 * Of mean, median, Hodges and Lehmann's estimate, mean without the three worst, each of ln and of normal
 * scores, this found most in the traces of 22 healthy jobs with one node's durations multiplied, and nobody else.
 */

/* One look at some values, which are in order of nodes and cells. */
struct state_look {
	struct states_job *j;
	size_t signal;
	const struct state_value *v; /* what is looked at; of pipelines, `alone` */
	struct state_value *alone;   /* of pipelines: without what others of a block make of it */
	struct looked {
		size_t first, n, cells; /* one node's values, of so many cells */
	} * at;
	struct look_mean *mean;
	struct evidence *out;
	double *some, *off;
	size_t n;
	bool pipeline;	 /* only the lower half of a node's values counts */
	size_t few;	 /* a node with fewer values than this has few */
	bool judges_all; /* too few nodes have more */
	size_t left;	 /* nodes with too few for the look */
	double *all;	 /* the group's values, whatever their job and time, ascending */
	size_t n_all;
};

/* Of few values the gate is squared, 1.56: one job on one server may be a third slower by what else ran there. */
enum { FEW_GATES = 2 };
enum { STATES_PAIR = 2 }; /* values that are not few where all kinds together decide */

static const double EXPECTED = 0.05, EXPECTED_DF = 12;
/* A trimmed mean of the middle half has so much more variance than a mean, of normal values. */
static const double MIDDLE_VARIANCE = 1.2,
		    LOWER_VARIANCE = 1.9; /* likewise of the middle of the lower half */
/* Mean of the least three quarters of absolute deviations, where the standard deviation is 1 and values are normal: a
 * quarter may be first tasks. */
static const double THREE_QUARTERS = 0.5148;
/* The lower half of normal values, of 12 or more a node, scatters so much about its middle, by states_scatter(). */
static const double LOWER_SCATTER = 0.58;

double states_scatter(double *deviations, size_t n, size_t nodes)
{
	size_t least = n - n / 4;
	double sum = 0;

	if (n <= nodes)
		return 0;
	for (size_t i = 0; i < n; i++)
		deviations[i] = fabs(deviations[i]);
	stats_sort(deviations, n);
	for (size_t i = 0; i < least; i++)
		sum += deviations[i];
	return sum / (double)least / THREE_QUARTERS * sqrt((double)n / (double)(n - nodes));
}

/* Of all of a node's values, or, of pipelines, of their lower half. */
static size_t lower_or_all(const struct state_look *l, const struct looked *at)
{
	return l->pipeline ? (at->n + 1) / 2 : at->n;
}

static void mean_of(struct state_look *l, const struct looked *at, struct look_mean *m)
{
	size_t n = lower_or_all(l, at), cut = n / 4;

	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].r;
	stats_sort(l->some, at->n);
	*m = (struct look_mean){.values = at->n, .g = stats_sorted_median(l->some, n)};
	for (size_t i = cut; i < n - cut; i++)
		m->m += l->some[i] / (double)(n - 2 * cut);
}

static void look_means(struct state_look *l)
{
	double variance = l->pipeline ? LOWER_VARIANCE : MIDDLE_VARIANCE, scatter;
	size_t off = 0;

	for (size_t i = 0; i < l->n; i++) {
		mean_of(l, &l->at[i], &l->mean[i]);
		/* in order since mean_of() */
		for (size_t k = 0; k < lower_or_all(l, &l->at[i]); k++)
			l->off[off++] = l->some[k] - l->mean[i].m;
	}
	scatter = states_scatter(l->off, off, l->n) / (l->pipeline ? LOWER_SCATTER : 1);
	/* Values of one cell are half alike: they share its minute, and what else ran on their node. */
	for (size_t i = 0; i < l->n; i++)
		l->mean[i].own = variance * scatter * scatter /
				 sqrt((double)l->at[i].n * (double)l->at[i].cells);
}

static double typical_seconds(struct state_look *l, const struct looked *at)
{
	for (size_t i = 0; i < at->n; i++)
		l->some[i] = l->v[at->first + i].ln;
	stats_sort(l->some, at->n);
	return exp(stats_sorted_median(l->some, lower_or_all(l, at)));
}

static struct state_found look_found(struct state_look *l, size_t i, uint32_t job)
{
	const struct looked *at = &l->at[i];
	struct finding_about about = states_about(l->j, l->signal, l->v[at->first].node);
	struct state_found f;

	about.onset_ns = INT64_MAX;
	about.last_ns = INT64_MIN;
	for (size_t k = 0; k < at->n; k++) {
		const struct state *x = &l->j->s->at[l->v[at->first + k].state];

		about.onset_ns = x->start_ns < about.onset_ns ? x->start_ns : about.onset_ns;
		about.last_ns = x->end_ns > about.last_ns ? x->end_ns : about.last_ns;
		about.flagged += l->v[at->first + k].r > LOOK_PARAMS_DEFAULT.gate / 2;
	}
	about.judged = (unsigned int)at->n;
	about.value = typical_seconds(l, at);
	about.peers = about.value / exp(l->out[i].effect);
	f = states_found(l->signal, &about, &l->out[i]);
	f.job = job;
	return f;
}

/* Whether a look, at all nodes or at those with values enough only, is what this node is judged by. */
static bool look_counts(const struct state_look *l, size_t i, bool few)
{
	return l->out[i].n && (l->judges_all || few == (l->at[i].n < l->few));
}

static int look_conclude(struct state_look *l, uint32_t job, bool few)
{
	double floor = state_rows[l->j->signals[l->signal].kind].floor_s, least = INFINITY;
	struct verdict_signal *s = &l->j->a->signals[l->j->signals[l->signal].row];
	int err = 0;

	for (size_t i = 0; i < l->n && !err; i++) {
		size_t node = l->v[l->at[i].first].node;
		struct state_found f;

		/* too few for any ratio to be seen: it is not judged */
		if (!look_counts(l, i, few) || (few && !isfinite(l->out[i].least)))
			continue;
		err = states_used(l->j, l->signal, node, l->out[i].least);
		l->j->reasons[node].judged = s->judged = true;
		least = fmin(least, l->out[i].least_indicted);
		if (err || l->out[i].level == EVIDENCE_NONE)
			continue;
		f = look_found(l, i, job);
		if (f.e.value - f.e.peers > floor)
			err = states_keep(l->j, f);
	}
	if (isfinite(least) && (!(s->indicts_from > 0) || exp(least) < s->indicts_from))
		s->indicts_from = exp(least);
	return err;
}

/* How a node of few values, or beside such, came out: all of them are to be slow, and the scatter of the others says nothing of how often one of theirs is. */
static void look_few(struct state_look *l, size_t i)
{
	const struct looked *at = &l->at[i];
	double own = INFINITY;
	size_t below, above;

	for (size_t k = 0; k < at->n; k++)
		own = fmin(own, l->v[at->first + k].r);
	below = search_first(m, l->n_all, l->all[m] < own);
	above = l->n_all - below > at->n ? l->n_all - below - at->n : 0;
	l->out[i] = evidence_few(
		&l->out[i], &(struct few_values){
				    .n = sqrt((double)at->n * (double)at->cells),
				    .others = (double)(l->n_all - at->n),
				    .above = (double)above,
				    .largest = l->all[above || !below ? l->n_all - 1 : below - 1]});
}

/* The nodes with so many values, and how each came out. 0, -ENODATA or -ENOMEM. */
static int look_weigh(struct state_look *l, const struct state_value *v, size_t n, size_t least,
		      double chance)
{
	struct look_params p = LOOK_PARAMS_DEFAULT;
	size_t next, cells, nodes = 0;
	int err;

	l->n = 0;
	l->v = v;
	if (l->pipeline) {
		memcpy(l->alone, v, n * sizeof(*l->alone));
		l->v = l->alone;
		err = states_pipeline_part(l->j, l->alone, n);
		if (err)
			return err;
	}
	for (size_t i = 0; i < n; i = next) {
		cells = 1;
		nodes++;
		for (next = i + 1; next < n && l->v[next].node == l->v[i].node; next++)
			cells += l->v[next].cell != l->v[next - 1].cell;
		if (next - i >= least)
			l->at[l->n++] = (struct looked){i, next - i, cells};
	}
	l->left = nodes - l->n;
	if (l->n < STATES_NODES)
		return -ENODATA;
	look_means(l);
	p.chance = chance * (double)l->n / (double)nodes;
	p.prior = EXPECTED;
	p.prior_df = EXPECTED_DF;
	p.gate = EVIDENCE_PARAMS_DEFAULT.gate;
	if (l->n < EVIDENCE_FEW)
		p.gate = EVIDENCE_PARAMS_DEFAULT.gate_few;
	if (least < l->few)
		p.gate = p.gate_suspect = fmax(p.gate, FEW_GATES * EVIDENCE_PARAMS_DEFAULT.gate);
	err = evidence_means(l->mean, l->n, &p, l->out);
	for (size_t i = 0; i < l->n && !err && least < l->few; i++)
		if (l->out[i].n)
			look_few(l, i);
	return err;
}

/*
 * What is found at this chance is kept in the job: of nodes with values enough beside each other, then of those with few beside all.
 * 0 or -ENOMEM.
 */
static int states_look(struct state_look *l, const struct state_value *v, size_t n, double chance,
		       uint32_t job)
{
	int err = 0;

	l->few = STATES_VALUES;
	for (int few = 0; few < 2 && !err && (!few || l->left); few++) {
		err = look_weigh(l, v, n, few ? 1 : l->few, chance);
		l->judges_all = few ? l->judges_all : err == -ENODATA;
		err = err == -ENODATA ? 0 : err ?: look_conclude(l, job, few);
	}
	return err;
}

/* The same for all kinds together; two values are none too few there. */
static int states_look_together(struct state_look *l, const struct state_value *v, size_t n,
				size_t part)
{
	int err = 0;

	l->few = STATES_PAIR;
	for (int few = 0; few < 2 && !err && (!few || l->left); few++) {
		err = look_weigh(l, v, n, few ? 1 : l->few, 1);
		l->judges_all = few ? l->judges_all : err == -ENODATA;
		for (size_t i = 0; i < l->n && !err; i++)
			if (look_counts(l, i, few))
				states_together_add(l->j, l->signal, part,
						    l->v[l->at[i].first].node, l->at[i].n,
						    typical_seconds(l, &l->at[i]), &l->out[i]);
		err = err == -ENODATA ? 0 : err;
	}
	return err;
}

/* For n values, in that scratch. */
static struct state_look look_make(struct scratch *room, struct states_job *j, size_t signal,
				   size_t n)
{
	size_t nodes = j->a->n_nodes;

	return (struct state_look){.j = j,
				   .signal = signal,
				   .pipeline = states_pipeline(j->signals[signal].kind),
				   .at = scratch_array(room, nodes, sizeof(struct looked)),
				   .mean = scratch_array(room, nodes, sizeof(struct look_mean)),
				   .out = scratch_array(room, nodes, sizeof(struct evidence)),
				   .some = scratch_array(room, n, sizeof(double)),
				   .off = scratch_array(room, n, sizeof(double)),
				   .all = scratch_array(room, n, sizeof(double)),
				   .alone = scratch_array(room, n, sizeof(struct state_value))};
}

/* ---- over time ---------------------------------------------------------------------------------- */

/*
 * One signal over time, where the log is long enough for the engine's windows: an interval's residual of a node is
 * the mean over its states that ended in it.
 */

/* As of tables: 30 s, or so long that the usual node has so many values in one. */
#define LEAST_INTERVAL_S 30
enum { INTERVAL_VALUES = 4, PIPELINE_VALUES = 16, FEW_WINDOWS = 2, INTERVALS_MAX = 4096 };

struct ended {
	int64_t at;
	uint32_t entity;
	float r, ln;
};

/* One entity, and sums of its values of one interval. */
struct over_entity {
	uint32_t node;
	unsigned int count;
	double sum, ln;
};

COMPARISON(by_time, struct ended,
	   ORDER(a->at, b->at) ?: ORDER(a->entity, b->entity) ?: ORDER(a->r, b->r))

COMPARISON(by_entity, struct ended,
	   ORDER(a->entity, b->entity) ?: ORDER(a->r, b->r) ?: ORDER(a->at, b->at))

struct over {
	struct states_job *j;
	size_t signal, n, entities;
	struct ended *at;
	struct over_entity *entity;
	struct signal_row row;
	struct panel panel;
	struct panel_values values;
	double *some, scatter;
	bool pipeline; /* means are of the least quarter of an interval's values */
};

/* How long an interval has to be; 0: the log is too short for windows of them. Counts are of all values. */
static int64_t interval_of(struct over *w)
{
	double usual, span = s_of_ns(w->at[w->n - 1].at - w->at[0].at), s;
	unsigned int least = 1U << EVIDENCE_PARAMS_DEFAULT.k_min;

	for (size_t i = 0; i < w->entities; i++)
		w->some[i] = w->entity[i].count;
	usual = stats_quantile(w->some, w->entities, 0.5);
	s = (w->pipeline ? PIPELINE_VALUES : INTERVAL_VALUES) * span / usual;
	s = fmax(fmax(LEAST_INTERVAL_S, s), span / INTERVALS_MAX);
	return s * least * FEW_WINDOWS > span ? 0 : ns_of_s(s);
}

/* v in order of nodes. */
static void over_entities(struct over *w, const struct state_value *v)
{
	size_t next;
	double m;

	for (size_t i = 0; i < w->n; i = next) {
		for (next = i; next < w->n && v[next].node == v[i].node; next++) {
			w->at[next] = (struct ended){w->j->s->at[v[next].state].end_ns,
						     (uint32_t)w->entities, v[next].r, v[next].ln};
			w->some[next] = v[next].r;
		}
		m = stats_quantile(w->some + i, next - i, 0.5);
		for (size_t k = i; k < next; k++)
			w->some[k] -= m;
		w->entity[w->entities++] =
			(struct over_entity){v[i].node, (unsigned int)(next - i), 0, 0};
	}
	w->scatter = states_scatter(w->some, w->n, w->entities);
	sort(w->at, w->n, by_time);
}

/* Of each entity, over its values of one interval; of pipelines, over the least quarter of them. */
static void over_sums(struct over *w, size_t from, size_t to)
{
	for (size_t e = 0; e < w->entities; e++)
		w->entity[e] = (struct over_entity){.node = w->entity[e].node};
	if (w->pipeline)
		sort(w->at + from, to - from, by_entity);
	for (size_t i = from, next; i < to; i = next) {
		struct over_entity *e = &w->entity[w->at[i].entity];

		for (next = i + 1;
		     w->pipeline && next < to && w->at[next].entity == w->at[i].entity;)
			next++;
		for (size_t end = i + (next - i + 3) / 4; i < end; i++) {
			e->sum += w->at[i].r;
			e->ln += w->at[i].ln;
			e->count++;
		}
	}
}

/* Each entity's mean in an interval, and how much less sure of it it is than the usual one. */
static unsigned int over_means(struct over *w, size_t from, size_t to)
{
	unsigned int here = 0, k = 0;
	double usual, peers;

	over_sums(w, from, to);
	for (size_t i = 0; i < w->entities; i++)
		if (w->entity[i].count)
			w->some[here++] = w->entity[i].count;
	usual = stats_quantile(w->some, here, 0.5);
	for (size_t i = 0; i < w->entities; i++)
		if (w->entity[i].count)
			w->some[k++] = w->entity[i].sum / w->entity[i].count;
	peers = stats_quantile(w->some, here, 0.5);
	for (size_t i = 0; i < w->entities; i++) {
		double n = w->entity[i].count, ln = w->entity[i].ln / n;
		double r = w->entity[i].sum / n - peers, own = exp(ln), others = exp(ln - r);

		w->values.in[i] = (struct residual){
			.r = n > 0 ? r : NAN,
			.extra =
				n > 0 ? fmax(0, w->scatter * w->scatter * (1 / n - 1 / usual)) : 0};
		w->values.shown[i] = (struct track_values){own, others, here - 1, false};
		/* too small an excess is in the yardstick and never in a verdict */
		w->values.small[i] = own - others <= w->row.floor;
	}
	return here;
}

static int over_conclude(struct over *w)
{
	int err = 0;

	for (size_t i = 0; i < w->entities && !err; i++) {
		const struct track_entity *st = &w->panel.track.at[i];
		const struct panel_worst *worst = &w->panel.worst[i];

		if (st->tested) {
			w->j->reasons[w->entity[i].node].judged = true;
			err = states_used(w->j, w->signal, w->entity[i].node, st->least);
		}
		if (err || !panel_in_trouble(&w->panel, i))
			continue;
		/* a node that was worse at any time: what it was worst at */
		err = states_keep(w->j, (struct state_found){.e = panel_worst(&w->panel, i),
							     .level = worst->level,
							     .job = STATE_NONE,
							     .peers = worst->e.n_peers,
							     .signal = w->signal,
							     .times = worst->times,
							     .duty = panel_duty(&w->panel, i)});
	}
	return err;
}

static int over_walk(struct over *w, int64_t step)
{
	struct verdict *a = w->j->a;
	size_t n = 0, next;
	int64_t first = w->at[0].at;
	int err = 0;

	for (size_t i = 0; i < w->n && !err; i = next) {
		int64_t from = w->at[i].at - (w->at[i].at - first) % step;

		next = run_end(m, i, w->n, w->at[m].at < from + step);
		err = panel_values_begin(&w->values, w->entities);
		if (err || over_means(w, i, next) < STATES_NODES)
			continue;
		err = panel_push(&w->panel, &w->values, from, from + step, NULL, NULL);
		n++;
	}
	if (n > a->n_windows) {
		a->n_windows = n;
		a->interval_s = a->window_s = s_of_ns(step);
	}
	return err ?: over_conclude(w);
}

static int over_start(struct over *w, int64_t step)
{
	const struct state_signal *signal = &w->j->signals[w->signal];
	const struct panel_opts o = {.row = &w->row, .signal = signal->row, .whole = true};
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	int err;

	p.interval_s = s_of_ns(step);
	p.budget = w->j->o->budget;
	p.looks = fmax(1, w->j->looks);
	w->row = (struct signal_row){.kind = KIND_LATENCY,
				     .role = w->j->a->signals[signal->row].role,
				     .floor = state_rows[signal->kind].floor_s};
	err = panel_init(&w->panel, &o, &p);
	for (size_t i = 0; i < w->entities && !err; i++)
		err = panel_join(&w->panel, &(struct panel_member){w->entity[i].node, i, ""});
	return err;
}

/* One group's values over time, in order of nodes. 0 or -ENOMEM. */
static int states_follow(struct states_job *j, size_t signal, const struct state_value *v, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct over w = {.j = j,
			 .signal = signal,
			 .n = n,
			 .pipeline = states_pipeline(j->signals[signal].kind)};
	int64_t step;
	int err;

	w.at = scratch_array(&room, n, sizeof(*w.at));
	w.entity = scratch_array(&room, j->a->n_nodes, sizeof(*w.entity));
	w.some = scratch_array(&room, n, sizeof(*w.some));
	if (room.failed)
		return -ENOMEM;
	over_entities(&w, v);
	step = w.entities >= STATES_NODES ? interval_of(&w) : 0;
	if (step <= 0)
		return 0;
	err = over_start(&w, step) ?: over_walk(&w, step);
	panel_release(&w.panel);
	panel_values_release(&w.values);
	return err;
}

/* ---- all looks ------------------------------------------------------------------------------------ */

static size_t end_of_job(const struct state_value *v, size_t i, size_t n)
{
	return run_end(m, i, n, v[m].job == v[i].job);
}

/* Jobs that may be looked at: each has its part of the chance. */
static size_t count_jobs(const struct state_value *v, size_t n)
{
	size_t jobs = 0, next;

	for (size_t i = 0; i < n; i = next) {
		next = end_of_job(v, i, n);
		jobs += next - i >= STATES_NODES;
	}
	return jobs;
}

COMPARISON_WITH(by_end, struct state_value, struct states_job,
		ORDER(with->s->at[a->state].end_ns, with->s->at[b->state].end_ns) ?: by_node(a, b))

/* First the whole, then halves, then quarters. */
static size_t parts_of(size_t part)
{
	return part < 1 ? 1 : part < 3 ? 2 : 4;
}

static struct state_span span_part(struct state_span all, size_t part)
{
	size_t of = parts_of(part), k = part + 1 - of;
	int64_t step = (all.to_ns - all.from_ns) / (int64_t)of;
	int64_t from = all.from_ns + (int64_t)k * step;

	return (struct state_span){from, k + 1 == of ? all.to_ns : from + step};
}

struct state_span states_part(const struct states_job *j, size_t part)
{
	return span_part((struct state_span){j->a->from_ns, j->a->to_ns}, part);
}

/*
 * Of which time the parts are: the log's, so that those of all kinds are the same; but the kind's own if half of a
 * quarter of the log holds it, as where daemons' clocks are hours from those of the jobs. v by end.
 */
static struct state_span time_of(const struct states_job *j, const struct state_value *v, size_t n)
{
	struct state_span own = {j->s->at[v[0].state].end_ns, j->s->at[v[n - 1].state].end_ns};
	struct state_span all = {j->a->from_ns, j->a->to_ns};

	/* A time that is wrong by centuries has no eightfold. */
	return 8 * (double)(own.to_ns - own.from_ns) < (double)(all.to_ns - all.from_ns) ? own
											 : all;
}

/*
 * Looks at what ended in each part of the time: trouble that came with the second half is half of all values. Half of the chance is
 * the whole's; where there are many jobs, the look at it is of none of them.
 */
static int look_in_parts(struct state_look *l, struct state_value *v, size_t n, double chance,
			 double rest, bool many)
{
	const struct state *at = l->j->s->at;
	bool together = states_together_has(l->j, l->signal);
	uint32_t job = many ? STATE_NONE : v[0].job;
	struct state_span all = {0, 0};
	size_t i = 0;
	int err = 0;

	for (size_t part = 0; part < PARTS && !err; part++) {
		size_t first;
		int64_t to;

		if (part + 1 == parts_of(part)) {
			sort_with(v, n, by_end, l->j);
			all = time_of(l->j, v, n);
			i = 0;
		}
		to = span_part(all, part).to_ns;
		first = i;
		while (i < n && (part + 2 == 2 * parts_of(part) || at[v[i].state].end_ns < to))
			i++;
		/* each value is looked at once: what is sorted by node is not needed again in order */
		sort(&v[first], i - first, by_node);
		err = states_look(l, &v[first], i - first, part ? rest / (PARTS - 1) : chance,
				  part ? STATE_NONE : job);
		if (!err && together)
			err = states_look_together(l, &v[first], i - first, part);
	}
	return err;
}

static void count_values(struct states_job *j, const struct state_value *v, size_t n)
{
	size_t next;

	for (size_t i = 0; i < n; i = next) {
		struct state_reason *r = &j->reasons[v[i].node];

		next = run_end(m, i, n, v[m].node == v[i].node);
		r->compared = true;
		r->values = next - i > r->values ? next - i : r->values;
	}
}

/*
 * One group's values, in order of jobs and nodes. Half of the chance is the look at all of them; the other half is shared by
 * each job, where there are several, and by parts of the time.
 */
static int one_group(struct state_look *l, struct state_value *v, size_t n)
{
	size_t jobs = count_jobs(v, n), next;
	bool many = end_of_job(v, 0, n) < n;
	double chance = states_chance(l->j, 1), rest = chance / (many ? 4 : 2);
	int err = 0;

	for (l->n_all = 0; l->n_all < n; l->n_all++)
		l->all[l->n_all] = v[l->n_all].r;
	stats_sort(l->all, n);
	for (size_t i = 0; i < n && !err && many; i = next) {
		next = end_of_job(v, i, n);
		err = states_look(l, &v[i], next - i, rest / (double)(jobs ? jobs : 1), v[i].job);
	}
	err = err ?: look_in_parts(l, v, n, chance / 2, rest, many);
	sort(v, n, by_node);
	count_values(l->j, v, n);
	err = err ?: states_follow(l->j, l->signal, v, n);
	if (!err && l->j->o->explain)
		err = states_explain(l->j, l->signal, v, n);
	return err;
}

int states_judge(struct states_job *j, size_t signal, struct state_value *v, size_t n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct state_look l = look_make(&room, j, signal, n);
	int err = room.failed ? -ENOMEM : 0;
	size_t next;

	sort_with(v, n, by_group_job_node, j);
	for (size_t i = 0; i < n && !err; i = next) {
		next = run_end(m, i, n, j->group[v[m].node] == j->group[v[i].node]);
		err = one_group(&l, &v[i], next - i);
	}
	return err;
}
